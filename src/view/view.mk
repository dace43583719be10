# SPDX-License-Identifier: GPL-2.0-or-later
# The screen. renderer.c, terminal.c and terminal_crash.c alone need curses; settings_file.c needs inih.
view_sources = \
	src/view/allocator_lines.c src/view/allocator_lines.h \
	src/view/bars.c src/view/bars.h \
	src/view/baseline.c \
	src/view/block_looks.c src/view/block_looks.h \
	src/view/canvas.c src/view/canvas.h \
	src/view/cells.c src/view/cells.h \
	src/view/chrome.c \
	src/view/device_form.c src/view/device_form.h \
	src/view/device_lines.c \
	src/view/draw.c \
	src/view/fold.c \
	src/view/header.c \
	src/view/help.c \
	src/view/history.c src/view/history.h \
	src/view/input.c \
	src/view/keep.c \
	src/view/keys.c src/view/keys.h \
	src/view/layout.c src/view/layout.h \
	src/view/list.c src/view/list.h \
	src/view/output.c src/view/output.h \
	src/view/details.c src/view/details.h \
	src/view/kernel_rates.c src/view/kernel_rates.h \
	src/view/list_cursor.c src/view/list_cursor.h \
	src/view/memory_details.c src/view/memory_details.h \
	src/view/map.c src/view/map.h \
	src/view/mouse.c \
	src/view/overlay.c \
	src/view/pane_calls.c \
	src/view/pane_copies.c \
	src/view/pane_failures.c \
	src/view/pane_kernels.c \
	src/view/pane_log.c \
	src/view/pane_memory.c \
	src/view/pane_sites.c \
	src/view/on_device.c \
	src/view/panes.c src/view/panes.h \
	src/view/time_bar.c src/view/time_bar.h \
	src/view/place_rows.c src/view/place_rows.h \
	src/view/program_set.c src/view/program_set.h \
	src/view/plot.c src/view/plot.h \
	src/view/plot_time.c src/view/plot_time.h \
	src/view/rows.c \
	src/view/segment_list.c src/view/segment_list.h \
	src/view/segment_map.c src/view/segment_map.h \
	src/view/setting_items.h src/view/settings.c src/view/settings.h src/view/settings_file.c \
	src/view/site_groups.c src/view/site_groups.h \
	src/view/sorting.c \
	src/view/table.c \
	src/view/tags.c \
	src/view/tensors.c src/view/tensors.h \
	src/view/theme.c src/view/theme.h \
	src/view/times.c \
	src/view/users.c \
	src/view/track.c src/view/track.h \
	src/view/view.c src/view/view.h \
	src/view/view_internal.h
terminal_sources = \
	src/view/renderer.c src/view/renderer.h \
	src/view/terminal.c src/view/terminal.h \
	src/view/terminal_crash.c src/view/terminal_crash.h
