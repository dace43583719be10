# SPDX-License-Identifier: GPL-2.0-or-later
# Symbols, demangling, source lines, rules to unwind by, and the helper processes that read hostile files. Needs -liberty, libelf, libdw.
names_sources = \
	src/names/address_ranges.c src/names/address_ranges.h \
	src/names/allowance.c src/names/allowance.h \
	src/names/budget.c src/names/budget.h \
	src/names/buildid.c src/names/buildid.h \
	src/names/cfi.c src/names/cfi.h \
	src/names/code_window.c src/names/code_window.h \
	src/names/debugfile.c src/names/debugfile.h \
	src/names/demangle.c src/names/demangle.h \
	src/names/demangle_process.c \
	src/names/demangle_run.c src/names/demangle_run.h src/names/libiberty.h \
	src/names/full_name.c src/names/full_name.h \
	src/names/handles.c src/names/handles.h \
	src/names/inlined.c src/names/inlined.h \
	src/names/kernel_names.c src/names/kernel_names.h \
	src/names/lines.c src/names/lines.h \
	src/names/outline.c src/names/outline.h \
	src/names/place_text.c src/names/place_text.h \
	src/names/python_lines.c src/names/python_lines.h \
	src/names/python_paths.c src/names/python_paths.h \
	src/names/resolver.c src/names/resolver.h \
	src/names/resolver_answers.c src/names/resolver_answers.h \
	src/names/resolver_process.c src/names/resolver_process.h \
	src/names/resolver_files.c src/names/resolver_files.h \
	src/names/resolver_questions.c src/names/resolver_questions.h \
	src/names/runtime_range.c src/names/runtime_range.h \
	src/names/sections.c src/names/sections.h \
	src/names/segments.c src/names/segments.h \
	src/names/short_form.c src/names/short_form.h \
	src/names/symbols.c src/names/symbols.h \
	src/names/symtab.c src/names/symtab.h \
	src/names/vdso.c src/names/vdso.h
