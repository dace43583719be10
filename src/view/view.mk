# SPDX-License-Identifier: GPL-2.0-or-later
# The screen. terminal.c alone needs curses; settings.c needs inih.
view_sources = \
	src/view/baseline.c \
	src/view/canvas.c src/view/canvas.h \
	src/view/cells.c src/view/cells.h \
	src/view/chrome.c \
	src/view/details.c src/view/details.h \
	src/view/row_groups.c \
	src/view/device_lines.c \
	src/view/help.c \
	src/view/history.c src/view/history.h \
	src/view/input.c \
	src/view/keys.c src/view/keys.h \
	src/view/layout.c \
	src/view/list.c src/view/list.h \
	src/view/map.c src/view/map.h \
	src/view/overlay.c \
	src/view/pane_calls.c \
	src/view/pane_copies.c \
	src/view/pane_failures.c \
	src/view/pane_findings.c \
	src/view/pane_kernels.c \
	src/view/pane_log.c \
	src/view/pane_memory.c src/view/pane_memory.h \
	src/view/pane_sites.c \
	src/view/panes.h \
	src/view/plot.c src/view/plot.h \
	src/view/settings.c src/view/settings.h \
	src/view/site_groups.h \
	src/view/table.c \
	src/view/tags.c \
	src/view/theme.c src/view/theme.h \
	src/view/view.c src/view/view.h \
	src/view/view_internal.h
terminal_sources = src/view/terminal.c src/view/terminal.h
