# SPDX-License-Identifier: GPL-2.0-or-later
# The BPF programs: one source, embedded as a skeleton. They need no header and no BTF of the kernel they are built on.

bpf_sources = \
	bpf/cutop.bpf.c bpf/allocator.bpf.h bpf/arguments.bpf.h bpf/base.bpf.h bpf/caller.bpf.h bpf/capture.bpf.h bpf/context.bpf.h \
	bpf/copy.bpf.h bpf/extra.bpf.h bpf/failures.bpf.h bpf/fault.bpf.h bpf/files.bpf.h bpf/frames.bpf.h bpf/graph.bpf.h \
	bpf/launch.bpf.h bpf/launch_rows.bpf.h bpf/loading.bpf.h bpf/memory.bpf.h bpf/names.bpf.h bpf/no_returns.bpf.h \
	bpf/plain.bpf.h bpf/process_events.bpf.h bpf/python.bpf.h bpf/python_call.bpf.h bpf/site_rows.bpf.h bpf/stacks.bpf.h \
	bpf/state.bpf.h bpf/threads.bpf.h bpf/trace.bpf.h bpf/trace_calls.bpf.h bpf/unwind.bpf.h bpf/vmlinux_min.h
bpf_skeletons = bpf/cutop.skel.h
BPF_CFLAGS = -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Wextra $(WERROR) -Wno-unused-parameter \
	'-ffile-prefix-map=$(abs_top_builddir)=.' '-ffile-prefix-map=$(abs_top_srcdir)=.'

AM_V_BPF = $(am__v_BPF_@AM_V@)
am__v_BPF_ = $(am__v_BPF_@AM_DEFAULT_V@)
am__v_BPF_0 = @echo "  BPF     " $@;
am__v_BPF_1 =

bpf_clang = $(CLANG) $(BPF_CFLAGS) -I$(srcdir)/include -I$(srcdir)/bpf $(LIBBPF_CFLAGS)
bpf_compile = $(bpf_clang) -c $(srcdir)/bpf/cutop.bpf.c
bpf_inputs = $(bpf_sources) $(call_table) include/cutop_allocator.h include/cutop_event.h include/cutop_event_calls.h include/cutop_event_kernels.h include/cutop_python.h include/cutop_records.def include/cutop_rows.h include/cutop_unwind.h

bpf/cutop.bpf.o: $(bpf_inputs)
	@$(MKDIR_P) bpf
	$(AM_V_BPF)$(bpf_compile) -o $@.tmp && $(LLVM_STRIP) -g $@.tmp && mv -f $@.tmp $@

bpf/cutop.skel.h: bpf/cutop.bpf.o
	$(AM_V_GEN)$(BPFTOOL) gen skeleton bpf/cutop.bpf.o name cutop_bpf > $@.tmp && mv -f $@.tmp $@

BUILT_SOURCES += $(bpf_skeletons)
EXTRA_DIST += $(bpf_sources)
CLEANFILES += $(bpf_skeletons) bpf/cutop.bpf.o

# Each header alone and twice, then all of them from the last to the first. What a header has for others is unused there, and
# trace.bpf.h calls what trace_calls.bpf.h defines.
bpf_check_header = $(bpf_clang) -fsyntax-only -Wno-unused-function -Wno-undefined-internal -x c -
check-bpf-headers:
	@failed=0; all=; \
	for header in $(srcdir)/bpf/*.h; do \
		line="#include \"$${header##*/}\""; all="$$line\n$$all"; \
		printf '%s\n%s\n' "$$line" "$$line" | $(bpf_check_header) || { echo "FAIL: $$header"; failed=1; }; \
	done; \
	printf '%b' "$$all" | $(bpf_check_header) || { echo "FAIL: in reverse order"; failed=1; }; \
	exit $$failed
.PHONY: check-bpf-headers
