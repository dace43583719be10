# SPDX-License-Identifier: GPL-2.0-or-later
# The books: no libbpf, no curses, no clock. Needs -lm.
model_sources = \
	src/model/allocations.c src/model/allocations.h \
	src/model/arena.c src/model/arena.h \
	src/model/caches.c \
	src/model/chosen.c src/model/chosen.h \
	src/model/columns.c src/model/columns.h \
	src/model/copies.c \
	src/model/counters.c \
	src/model/devices.c \
	src/model/event_kinds.h \
	src/model/events.c \
	src/model/extras.c \
	src/model/globals.c \
	src/model/graph_books.c src/model/graph_books.h \
	src/model/graph_parts.c src/model/graph_parts.h \
	src/model/graphs.c \
	src/model/histogram.c \
	src/model/internal.h \
	src/model/kernels.c \
	src/model/ledger.c \
	src/model/levels.c \
	src/model/mappings.c \
	src/model/model.c src/model/model.h \
	src/model/pending.c \
	src/model/postmortem.c \
	src/model/programs.c \
	src/model/readings.c \
	src/model/records.c \
	src/model/sites.c \
	src/model/snapshot.c src/model/snapshot.h \
	src/model/snapshot_lists.c src/model/snapshot_lists.h \
	src/model/spans.c \
	src/model/statics.c \
	src/model/stream.h \
	src/model/suspect.c \
	src/model/tiles.c \
	src/model/totals.c \
	src/model/tree.h
