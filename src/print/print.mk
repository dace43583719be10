# SPDX-License-Identifier: GPL-2.0-or-later
# Printers of snapshots. Needs JANSSON_LIBS.
print_sources = \
	src/print/csv.c \
	src/print/fields.c src/print/fields.h \
	src/print/folded.c \
	src/print/formats.c src/print/formats.h \
	src/print/json.c \
	src/print/leak_report.c \
	src/print/line.c src/print/line.h \
	src/print/print.h \
	src/print/text.c src/print/text.h \
	src/print/text_process.c
