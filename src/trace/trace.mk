# SPDX-License-Identifier: GPL-2.0-or-later
# cutop trace, live and from a recording, and its printers.
trace_sources = \
	src/trace/trace_chrome.c \
	src/trace/trace_format.h \
	src/trace/trace_json.c \
	src/trace/trace_printer.c src/trace/trace_printer.h \
	src/trace/trace_programs.c src/trace/trace_programs.h \
	src/trace/trace_text.c
trace_mode_sources = \
	src/trace/trace.c src/trace/trace.h \
	src/trace/trace_queue.c src/trace/trace_queue.h
