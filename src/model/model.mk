# SPDX-License-Identifier: GPL-2.0-or-later
# The model and the names it shows: no libbpf, no curses, no clock. Needs -liberty and -lm.
model_sources = \
	src/model/allocations.c src/model/allocations.h \
	src/cuda/arguments.c src/cuda/arguments.h \
	src/cuda/arguments_driver_table.h src/cuda/arguments_runtime_table.h \
	src/model/arena.c src/model/arena.h \
	src/model/caches.c \
	src/cuda/calls.c src/cuda/calls.h \
	src/model/extras.c \
	src/model/columns.c src/model/columns.h \
	src/model/copies.c \
	src/model/counters.c \
	src/model/devices.c \
	src/cuda/errors.c src/cuda/errors.h src/cuda/errors_table.h \
	src/model/events.c \
	src/model/globals.c \
	src/model/graph_books.c src/model/graph_books.h \
	src/model/graph_parts.c src/model/graph_parts.h \
	src/model/graphs.c \
	src/model/histogram.c \
	src/model/chosen.c src/model/chosen.h \
	src/model/programs.c \
	src/model/internal.h \
	src/model/kernels.c \
	src/model/ledger.c \
	src/model/levels.c \
	src/model/postmortem.c \
	src/model/mappings.c \
	src/model/model.c src/model/model.h \
	src/model/pending.c \
	src/model/records.c \
	src/model/sites.c \
	src/model/snapshot.c src/model/snapshot.h \
	src/model/readings.c \
	src/model/snapshot_lists.c src/model/snapshot_lists.h \
	src/model/spans.c \
	src/model/statics.c \
	src/model/stream.h \
	src/model/suspect.c \
	src/model/tiles.c \
	src/model/totals.c \
	src/model/tree.h \
	src/cuda/versions.c src/cuda/versions.h \
	src/util/confine.c src/util/confine.h \
	src/names/demangle.c src/names/demangle.h \
	src/names/demangle_process.c \
	src/names/demangle_run.c src/names/demangle_run.h
