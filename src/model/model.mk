# SPDX-License-Identifier: GPL-2.0-or-later
# The books: no libbpf, no curses, no clock. Needs -lm.
model_sources = \
	src/model/allocations.c src/model/allocations.h \
	src/model/arena.c src/model/arena.h \
	src/model/blocks.c src/model/blocks.h \
	src/model/build.h \
	src/model/columns.c src/model/columns.h \
	src/model/counters.c src/model/counters.h \
	src/model/devices.c src/model/devices.h \
	src/model/events.c src/model/events.h \
	src/model/findings.c src/model/findings.h \
	src/model/graphs.c src/model/graphs.h \
	src/model/identity.c src/model/identity.h \
	src/model/job.c src/model/job.h \
	src/model/ledger.c src/model/ledger.h \
	src/model/limits.h \
	src/model/mappings.c src/model/mappings.h \
	src/model/model.h \
	src/model/model_state.c src/model/model_state.h \
	src/model/name_store.c src/model/name_store.h \
	src/model/objects.c src/model/objects.h \
	src/model/program.c src/model/program.h \
	src/model/records.c \
	src/model/block_segments.c src/model/block_segments.h \
	src/model/sites.c src/model/sites.h \
	src/model/snapshot.c src/model/snapshot.h \
	src/model/snapshot_calls.c \
	src/model/snapshot_devices.c \
	src/model/snapshot_memory.c \
	src/model/snapshot_names.c \
	src/model/stream.c src/model/stream.h \
	src/model/ordered_table.c src/model/ordered_table.h \
	src/model/telling.c src/model/telling.h \
	src/model/time_shares.c src/model/time_shares.h \
	src/model/totals.c \
	src/model/variables.c src/model/variables.h
