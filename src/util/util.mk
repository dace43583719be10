# SPDX-License-Identifier: GPL-2.0-or-later
# What every room may use. It knows nothing of CUDA, of the kernel or of the terminal.
util_sources = \
	src/util/allowance.h \
	src/util/buffer.c src/util/buffer.h \
	src/util/confine.c src/util/confine.h \
	src/util/json_writer.c src/util/json_writer.h \
	src/util/message.c src/util/message.h \
	src/util/replaced_file.c src/util/replaced_file.h \
	src/util/saturated.h \
	src/util/sink.c src/util/sink.h \
	src/util/starter.c src/util/starter.h \
	src/util/utf8.c src/util/utf8.h \
	src/util/util.c src/util/util.h
rights_sources = \
	src/util/rights.c src/util/rights.h
