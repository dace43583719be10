# SPDX-License-Identifier: GPL-2.0-or-later
# What cutop costs the programs it watches. Run by hand: make bench.

noinst_bench = tests/bench/blocks_load tests/bench/empty tests/bench/screen tests/bench/seeds tests/bench/stacks_load tests/bench/storm \
	tests/bench/together tests/bench/worker
EXTRA_PROGRAMS = $(noinst_bench)
CLEANFILES += $(noinst_bench) tests/bench/empty.skel.h tests/bench/empty.bpf.o

tests/bench/empty.bpf.o: tests/bench/empty.bpf.c bpf/vmlinux_min.h
	@$(MKDIR_P) tests/bench
	$(AM_V_BPF)$(CLANG) $(BPF_CFLAGS) -I$(srcdir)/bpf $(LIBBPF_CFLAGS) -c $(srcdir)/$(@:.o=.c) -o $@

tests/bench/empty.skel.h: tests/bench/empty.bpf.o
	$(AM_V_GEN)$(BPFTOOL) gen skeleton tests/bench/empty.bpf.o name empty_bpf > $@.tmp && mv -f $@.tmp $@

tests_bench_empty_SOURCES = tests/bench/empty.c
nodist_tests_bench_empty_SOURCES = tests/bench/empty.skel.h
tests_bench_empty_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/tests/bench
tests_bench_empty_LDADD = $(probe_libs) $(core_libs) $(LIBBPF_LIBS)
tests/bench/empty-empty.$(OBJEXT): tests/bench/empty.skel.h

tests_bench_worker_SOURCES = tests/bench/worker.c
tests_bench_worker_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer -fno-optimize-sibling-calls
tests_bench_worker_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/double
tests_bench_worker_LDADD = $(double_lib)/libcudart.so.13 $(double_lib)/libcuda.so.1
tests_bench_worker_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/../double/lib'

tests_bench_blocks_load_SOURCES = tests/bench/blocks_load.c
tests_bench_blocks_load_LDADD = $(e2e_bin)/torch/libc10.so
tests_bench_blocks_load_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/../e2e/bin/torch'

tests_bench_seeds_SOURCES = tests/bench/seeds.c
tests_bench_seeds_CFLAGS = $(tests_bench_worker_CFLAGS)
tests_bench_seeds_CPPFLAGS = $(tests_bench_worker_CPPFLAGS)
tests_bench_seeds_LDADD = $(tests_bench_worker_LDADD)
tests_bench_seeds_LDFLAGS = $(tests_bench_worker_LDFLAGS)

tests_bench_stacks_load_SOURCES = tests/bench/stacks_load.c
tests_bench_stacks_load_CFLAGS = $(AM_CFLAGS) -O2 -fomit-frame-pointer -fasynchronous-unwind-tables -fno-optimize-sibling-calls
tests_bench_stacks_load_CPPFLAGS = $(tests_bench_worker_CPPFLAGS)
tests_bench_stacks_load_LDADD = $(tests_bench_worker_LDADD)
tests_bench_stacks_load_LDFLAGS = $(tests_bench_worker_LDFLAGS)

tests_bench_together_SOURCES = tests/bench/together.c
tests_bench_together_CFLAGS = $(tests_bench_worker_CFLAGS)
tests_bench_together_CPPFLAGS = $(tests_bench_worker_CPPFLAGS)
tests_bench_together_LDADD = $(tests_bench_worker_LDADD)
tests_bench_together_LDFLAGS = $(tests_bench_worker_LDFLAGS)

tests_bench_storm_SOURCES = tests/bench/storm.c

tests_bench_screen_SOURCES = tests/bench/screen.c
tests_bench_screen_LDADD = $(view_libs) $(core_libs)

tests/bench/libpython_load.so: tests/bench/python_load.c $(double_lib)/libcudart.so.13
	@$(MKDIR_P) tests/bench
	$(AM_V_GEN)$(CC) $(CFLAGS) -shared -fPIC -fno-omit-frame-pointer -I$(srcdir)/tests/double -o $@ $(srcdir)/tests/bench/python_load.c \
		$(double_lib)/libcudart.so.13 -Wl,-rpath,'$$ORIGIN/../double/lib'
tests/bench/libblocks_load.so: tests/bench/blocks_load.c $(e2e_bin)/torch/libc10.so
	@$(MKDIR_P) tests/bench
	$(AM_V_GEN)$(CC) $(CFLAGS) -DLIBRARY -shared -fPIC -o $@ $(srcdir)/tests/bench/blocks_load.c $(e2e_bin)/torch/libc10.so \
		-Wl,-rpath,'$$ORIGIN/../e2e/bin/torch'
CLEANFILES += tests/bench/libpython_load.so tests/bench/libblocks_load.so

bench: all $(DOUBLE_LIBS) $(DOUBLE_FORMS) $(noinst_bench) $(e2e_bin)/registers $(e2e_bin)/traced_calls tests/bench/libpython_load.so tests/bench/libblocks_load.so
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/bench.sh
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/side.sh
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/around.sh
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/trace.sh
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/python.sh
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/stacks.sh
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/blocks.sh
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/torch.sh
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/forwarders.sh
	tests/bench/screen

# What cutop itself costs as what it watches grows: some ten minutes.
bench-scale: all $(DOUBLE_LIBS) $(WORKLOADS) $(e2e_bin)/fat $(e2e_bin)/libfat.so tests/bench/screen
	tests/bench/screen
	top_builddir='$(abs_top_builddir)' sh $(srcdir)/tests/bench/tops.sh
	top_builddir='$(abs_top_builddir)' python3 $(srcdir)/tests/bench/scale.py

.PHONY: bench-scale
EXTRA_DIST += tests/bench/lib.sh tests/bench/scale.py tests/bench/around.sh tests/bench/bench.sh tests/bench/blocks.sh tests/bench/empty.bpf.c tests/bench/forwarders.sh tests/bench/python.sh tests/bench/python_load.c tests/bench/python_load.py tests/bench/side.sh tests/bench/stacks.sh tests/bench/tops.sh tests/bench/torch.sh tests/bench/trace.sh
