# SPDX-License-Identifier: GPL-2.0-or-later
# The books: no libbpf, no curses, no clock. Needs -lm.
model_sources = \
	src/model/allocations.c src/model/allocations.h \
	src/model/arena.c src/model/arena.h \
	src/model/block_segments.c src/model/block_segments.h \
	src/model/blocks.c src/model/blocks.h \
	src/model/build.c src/model/build.h \
	src/model/build_blocks.c \
	src/model/build_call_sites.c \
	src/model/build_calls.c \
	src/model/build_device_uses.c \
	src/model/build_devices.c \
	src/model/build_kernels.c \
	src/model/build_largest.c \
	src/model/build_memory.c \
	src/model/build_places.c \
	src/model/build_process.c \
	src/model/build_snapshot.c \
	src/model/build_totals.c src/model/build_totals.h \
	src/model/caches.c src/model/caches.h \
	src/model/call_sites.c src/model/call_sites.h \
	src/model/chosen.c src/model/chosen.h \
	src/model/columns.c src/model/columns.h \
	src/model/contexts.c src/model/contexts.h \
	src/model/copies.c src/model/copies.h \
	src/model/device_numbers.c src/model/device_numbers.h \
	src/model/counter_rows.c \
	src/model/counters.c src/model/counters.h \
	src/model/launch_shapes.c src/model/launch_shapes.h \
	src/model/devices.c src/model/devices.h \
	src/model/event_kinds.h \
	src/model/events.c src/model/events.h \
	src/model/extra_names.c src/model/extra_names.h \
	src/model/globals.c src/model/globals.h \
	src/model/graph_books.c src/model/graph_books.h \
	src/model/graph_parts.c src/model/graph_parts.h \
	src/model/graph_sites.c src/model/graph_sites.h \
	src/model/graphs.c src/model/graphs.h \
	src/model/histogram.c src/model/histogram.h \
	src/model/identity.c src/model/identity.h \
	src/model/largest_lines.c src/model/largest_lines.h \
	src/model/ledger.c src/model/ledger.h \
	src/model/ledger_end.c src/model/ledger_end.h \
	src/model/levels.c src/model/levels.h \
	src/model/limits.h \
	src/model/lives.c src/model/lives.h \
	src/model/losses.c src/model/losses.h \
	src/model/mappings.c src/model/mappings.h \
	src/model/model.h \
	src/model/model_state.c src/model/model_state.h \
	src/model/name_store.c src/model/name_store.h \
	src/model/own_devices.c src/model/own_devices.h \
	src/model/pieces.c src/model/pieces.h \
	src/model/physical.c src/model/physical.h \
	src/model/place_frames.c src/model/place_frames.h \
	src/model/postmortem.c src/model/postmortem.h \
	src/model/program.c src/model/program.h \
	src/model/programs.c src/model/programs.h \
	src/model/readings.c src/model/readings.h \
	src/model/record_layout.c src/model/record_layout.h \
	src/model/records.c \
	src/model/sites.c src/model/sites.h \
	src/model/snapshot.c src/model/snapshot.h src/model/snapshot_events.h src/model/snapshot_place.h \
	src/model/spans.c \
	src/model/statics.c src/model/statics.h \
	src/model/storms.c src/model/storms.h \
	src/model/stream.h \
	src/model/suspect.c src/model/suspect.h \
	src/model/telling.c src/model/telling.h \
	src/model/tiles.c src/model/tiles.h \
	src/model/time_shares.c src/model/time_shares.h \
	src/model/totals.c src/model/totals.h \
	src/model/tree.h \
	src/model/wall_clock.c src/model/wall_clock.h
