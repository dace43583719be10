# SPDX-License-Identifier: GPL-2.0-or-later
# Everything that touches libbpf: finding files, reading ELF, placing probes, reading maps. Needs CAPSTONE_LIBS, LIBBPF_LIBS.
probe_sources = \
	src/probe/attach.c src/probe/attach.h \
	src/probe/bpf.c src/probe/bpf.h \
	src/probe/bpf_settings.h \
	src/probe/choice.h \
	src/probe/elfcopy.c src/probe/elfcopy.h \
	src/probe/forms.c src/probe/forms.h \
	src/probe/outside.c src/probe/outside.h \
	src/probe/probe_internal.h \
	src/probe/pythons.c src/probe/pythons.h \
	src/probe/ring.c src/probe/ring.h \
	src/probe/unwind_rows.c src/probe/unwind_rows.h \
	src/probe/elffile.c src/probe/elffile.h \
	src/probe/points.c src/probe/points.h \
	src/probe/python_elf.c src/probe/python_elf.h \
	src/probe/maps.c src/probe/maps.h \
	src/probe/kernel.c src/probe/kernel.h \
	src/probe/closure.c src/probe/closure.h \
	src/probe/guard.c src/probe/guard.h \
	src/probe/bpf_rows.c src/probe/bpf_rows.h \
	src/probe/outside_jobs.c src/probe/outside_jobs.h \
	src/probe/extra_functions.c src/probe/extra_functions.h \
	src/probe/probe_sets.c src/probe/probe_sets.h \
	src/probe/late.c src/probe/late.h \
	src/probe/discover.c \
	src/probe/probe.c src/probe/probe.h
