# SPDX-License-Identifier: GPL-2.0-or-later
# Everything that touches libbpf: finding files, reading ELF, placing probes, reading maps. Needs CAPSTONE_LIBS, LIBBPF_LIBS.
probe_sources = \
	src/probe/ahead.c src/probe/ahead.h \
	src/probe/allocator_functions.c src/probe/allocator_functions.h \
	src/probe/attach.c src/probe/attach.h \
	src/probe/bpf.c src/probe/bpf.h \
	src/probe/bpf_rows.c src/probe/bpf_rows.h \
	src/probe/bpf_settings.h \
	src/probe/choice.h \
	src/probe/closure.c src/probe/closure.h \
	src/probe/decode.c src/probe/decode.h \
	src/probe/discover.c \
	src/probe/dry_run.c src/probe/dry_run.h \
	src/probe/elfcopy.c src/probe/elfcopy.h \
	src/probe/elffile.c src/probe/elffile.h \
	src/probe/elfinfo.c src/probe/elfinfo.h \
	src/probe/examined.c \
	src/probe/extra_functions.c src/probe/extra_functions.h \
	src/probe/forms.c src/probe/forms.h \
	src/probe/forwarders.c src/probe/forwarders.h \
	src/probe/formtest.c src/probe/formtest.h \
	src/probe/guard.c src/probe/guard.h \
	src/probe/guard_process.c src/probe/guard_process.h \
	src/probe/guarded.c src/probe/guarded.h \
	src/probe/hit_cost.c src/probe/hit_cost.h \
	src/probe/identify.c src/probe/identify.h \
	src/probe/idle_processes.c src/probe/idle_processes.h \
	src/probe/kernel.c src/probe/kernel.h \
	src/probe/kernel_table.c src/probe/kernel_table.h \
	src/probe/late.c src/probe/late.h \
	src/probe/launches.c src/probe/launches.h \
	src/probe/links.c src/probe/links.h \
	src/probe/loading.c src/probe/loading.h \
	src/probe/map_search.c src/probe/map_search.h \
	src/probe/maps.c src/probe/maps.h \
	src/probe/misses.c src/probe/misses.h \
	src/probe/mounts.c src/probe/mounts.h \
	src/probe/named_files.c \
	src/probe/outside.c src/probe/outside.h \
	src/probe/outside_jobs.c src/probe/outside_jobs.h \
	src/probe/outside_question.c src/probe/outside_question.h \
	src/probe/outside_walks.c \
	src/probe/path_names.c src/probe/path_names.h \
	src/probe/points.c src/probe/points.h \
	src/probe/probe.c src/probe/probe.h \
	src/probe/probe_internal.h \
	src/probe/probe_open.c \
	src/probe/probe_set.c src/probe/probe_set.h \
	src/probe/probe_watch.c \
	src/probe/python_elf.c src/probe/python_elf.h \
	src/probe/python_layouts.c src/probe/python_layouts.h \
	src/probe/pythons.c src/probe/pythons.h \
	src/probe/ring.c src/probe/ring.h \
	src/probe/row_cache.c src/probe/row_cache.h \
	src/probe/runtime_code.c src/probe/runtime_code.h \
	src/probe/slots.c src/probe/slots.h \
	src/probe/spares.c src/probe/spares.h \
	src/probe/translation.c src/probe/translation.h \
	src/probe/unused.c src/probe/unused.h \
	src/probe/unwind_rows.c src/probe/unwind_rows.h \
	src/probe/written_files.c
