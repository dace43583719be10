# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings: written and read. Needs ZLIB_LIBS.
record_sources = \
	src/record/format.c src/record/format.h \
	src/record/reader.c src/record/reader.h \
	src/record/recorder.c src/record/recorder.h \
	src/record/replay.c src/record/replay.h
