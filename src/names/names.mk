# SPDX-License-Identifier: GPL-2.0-or-later
# Symbols, demangling, source lines, rules to unwind by, and the helper processes that read hostile files. Needs -liberty, libelf, libdw.
names_sources = \
	src/names/cfi.c src/names/cfi.h \
	src/names/demangle.c src/names/demangle.h \
	src/names/full_form.c src/names/full_form.h \
	src/names/kernel_names.c src/names/kernel_names.h \
	src/names/lines.c src/names/lines.h \
	src/names/helper.c src/names/helper.h \
	src/names/resolver.c src/names/resolver.h \
	src/names/resolver_process.c src/names/resolver_process.h \
	src/names/sections.c src/names/sections.h \
	src/names/symbols.c src/names/symbols.h
