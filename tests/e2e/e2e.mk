# SPDX-License-Identifier: GPL-2.0-or-later
# End-to-end tests: cutop on real programs that run on the double.
# The slowest come first, so that the last job does not run alone; before them, those of the command line. What takes
# longer, or finds less, is in TESTS_LONG (tests/tests.mk).
e2e_tests = \
	tests/e2e/test_record.sh \
	tests/e2e/test_driver.sh \
	tests/e2e/test_attach.sh \
	tests/e2e/test_screen.sh \
	tests/e2e/test_python.sh \
	tests/e2e/test_tensors.sh \
	tests/e2e/test_sites.sh \
	tests/e2e/test_time_shares.sh \
	tests/e2e/test_status.sh \
	tests/e2e/test_probe.sh \
	tests/e2e/test_accounting.sh \
	tests/e2e/test_leaks.sh \
	tests/e2e/test_verdicts.sh \
	tests/e2e/test_copies.sh \
	tests/e2e/test_inner_calls.sh \
	tests/e2e/test_mouse.sh \
	tests/e2e/test_folded.sh \
	tests/e2e/test_trace.sh \
	tests/e2e/test_lives.sh \
	tests/e2e/test_books.sh \
	tests/e2e/test_pools.sh \
	tests/e2e/test_launches_once.sh \
	tests/e2e/test_launch_sites.sh \
	tests/e2e/test_graphs.sh \
	tests/e2e/test_verifier.sh \
	tests/e2e/test_inlined.sh \
	tests/e2e/test_outcomes.sh \
	tests/e2e/test_loading.sh \
	tests/e2e/test_jobs.sh \
	tests/e2e/test_launches.sh \
	tests/e2e/test_nesting.sh \
	tests/e2e/test_threads.sh \
	tests/e2e/test_containers.sh \
	tests/e2e/test_attach_methods.sh \
	tests/e2e/test_random_calls.sh \
	tests/e2e/test_first_failure.sh \
	tests/e2e/test_native_stacks.sh \
	tests/e2e/test_table.sh \
	tests/e2e/test_basics.sh \
	tests/e2e/test_keep.sh \
	tests/e2e/test_compiled.sh
TESTS += $(cli_tests) $(e2e_tests)

# Programs that make calls no workload makes.
e2e_bin = tests/e2e/bin
e2e_helpers = $(e2e_bin)/odd_calls $(e2e_bin)/odd_memory $(e2e_bin)/no_driver $(e2e_bin)/own_runtime \
	$(e2e_bin)/driver_calls $(e2e_bin)/mixed_calls $(e2e_bin)/libprivate.so $(e2e_bin)/libsecond.so $(e2e_bin)/libearly.so $(e2e_bin)/site_calls $(e2e_bin)/many_ways $(e2e_bin)/many_sites $(e2e_bin)/launch_sites $(e2e_bin)/phases $(e2e_bin)/leaks \
	$(e2e_bin)/harmed $(e2e_bin)/libharmed.so.1 $(e2e_bin)/thrower $(e2e_bin)/liar $(e2e_bin)/probed $(e2e_bin)/libprobed.so.1 $(e2e_bin)/site_calls-nofp $(e2e_bin)/site_calls-frames $(e2e_bin)/locked_calls $(e2e_bin)/registers $(e2e_bin)/absent_names $(e2e_bin)/compiled $(e2e_bin)/traced_calls $(e2e_bin)/random_calls
odd_memory_files = tests/e2e/odd_memory.c tests/e2e/odd_copies.c tests/e2e/odd_cuda.c tests/e2e/odd_cuda.h
e2e_helper_files = tests/e2e/odd_calls.c $(odd_memory_files) tests/e2e/no_driver.c tests/e2e/own_runtime.c \
	tests/e2e/driver_calls.c tests/e2e/mixed_calls.c tests/e2e/private_runtime.c tests/e2e/site_calls.c tests/e2e/many_ways.c tests/e2e/many_sites.c tests/e2e/launch_sites.c tests/e2e/phases.c tests/e2e/locked_calls.c tests/e2e/leaks.c \
	tests/e2e/harmed.c tests/e2e/harmed.h tests/e2e/libharmed.c tests/e2e/thrower.cc tests/e2e/liar.c tests/e2e/probed.c tests/e2e/registers.c tests/e2e/absent_names.c tests/e2e/compiled.c tests/e2e/traced_calls.c tests/e2e/trace_check.py

e2e_helpers += $(e2e_bin)/absent_server $(e2e_bin)/absent_memory
e2e_helper_files += tests/e2e/absent_server.c tests/e2e/absent_memory.c
e2e_helpers += $(e2e_bin)/table_calls
e2e_helper_files += tests/e2e/table_calls.c
e2e_helpers += $(e2e_bin)/libplugin-first.so $(e2e_bin)/libplugin-second.so
e2e_helper_files += tests/e2e/plugin.c
e2e_helpers += $(e2e_bin)/c10 $(e2e_bin)/libc10_cuda.so
e2e_helper_files += tests/e2e/c10.c
e2e_helpers += $(e2e_bin)/tensors $(e2e_bin)/payer $(e2e_bin)/torch/libc10.so $(e2e_bin)/torch/libc10_cuda.so
e2e_helpers += $(e2e_bin)/pools-bfc $(e2e_bin)/pools-ggml $(e2e_bin)/pools-own
e2e_helper_files += tests/e2e/pools.c tests/e2e/pools.h tests/e2e/pools_library.c
e2e_helper_files += tests/e2e/tensors.c tests/e2e/payer.c tests/e2e/c10_allocator.c tests/e2e/c10_allocator.h tests/e2e/c10_reports.c
e2e_helpers += $(e2e_bin)/inline_calls
e2e_helper_files += tests/e2e/inline_calls.c
e2e_helpers += $(e2e_bin)/book_calls
e2e_helper_files += tests/e2e/book_calls.c
e2e_helpers += $(e2e_bin)/libquery.so
e2e_helper_files += tests/e2e/query.c

e2e_helpers += $(e2e_bin)/fat $(e2e_bin)/libfat.so
e2e_helper_files += tests/e2e/fat.c tests/e2e/libfat.c tests/e2e/libfat_again.c

e2e_compile = $(MKDIR_P) $(e2e_bin); d='$(srcdir)'; $(CC) $(WORKLOAD_CFLAGS) -I$$d/tests/double -o $@
e2e_link = $(double_lib)/libcudart.so.13 -Wl,-rpath,'$$ORIGIN/../../double/lib'

e2e_plain = $(e2e_bin)/odd_calls $(e2e_bin)/leaks $(e2e_bin)/registers $(e2e_bin)/absent_names \
	$(e2e_bin)/absent_memory $(e2e_bin)/no_driver $(e2e_bin)/many_ways $(e2e_bin)/phases
$(e2e_plain): $(e2e_helper_files) $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/$(@F).c $(e2e_link)
$(e2e_bin)/fat: tests/e2e/fat.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/fat.c $(e2e_link) -ldl
$(e2e_bin)/libfat.so: tests/e2e/libfat.c tests/e2e/libfat_again.c
	$(AM_V_GEN)$(e2e_compile) -O0 -shared -fPIC $$d/tests/e2e/libfat.c $$d/tests/e2e/libfat_again.c
$(e2e_bin)/book_calls: tests/e2e/book_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/book_calls.c $(e2e_link) $(double_lib)/libcuda.so.1
$(e2e_bin)/inline_calls: tests/e2e/inline_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -O2 -g -fno-optimize-sibling-calls $$d/tests/e2e/inline_calls.c $(e2e_link)
$(e2e_bin)/odd_memory: $(odd_memory_files) $(workload_header_files)
	$(AM_V_GEN)$(e2e_compile) -O0 $$d/tests/e2e/odd_memory.c $$d/tests/e2e/odd_copies.c $$d/tests/e2e/odd_cuda.c
$(e2e_bin)/libprobed.so.1: tests/e2e/probed.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -DLIBRARY -shared -fPIC -Wl,-soname,libprobed.so.1 $$d/tests/e2e/probed.c $(e2e_link)
$(e2e_bin)/probed: tests/e2e/probed.c $(e2e_bin)/libprobed.so.1
	$(AM_V_GEN)$(e2e_compile) -DPROGRAM $$d/tests/e2e/probed.c -ldl -pthread -Wl,-rpath,'$$ORIGIN'
# Each function begins with a push, where a probe may sit; and a call is as it is written.
$(e2e_bin)/libharmed.so.1: tests/e2e/libharmed.c tests/e2e/harmed.h $(workload_header_files)
	$(AM_V_GEN)$(e2e_compile) -O0 -shared -fPIC -Wl,-soname,libharmed.so.1 $$d/tests/e2e/libharmed.c
$(e2e_bin)/harmed: tests/e2e/harmed.c tests/e2e/harmed.h $(e2e_bin)/libharmed.so.1
	$(AM_V_GEN)$(e2e_compile) -O0 $$d/tests/e2e/harmed.c $(e2e_bin)/libharmed.so.1 -Wl,-z,now -Wl,-rpath,'$$ORIGIN'
$(e2e_bin)/libc10_cuda.so: tests/e2e/c10.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -DLIBRARY -shared -fPIC -Wl,-soname,libc10_cuda.so $$d/tests/e2e/c10.c $(e2e_link)
$(e2e_bin)/c10: tests/e2e/c10.c $(e2e_bin)/libc10_cuda.so
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/c10.c $(e2e_bin)/libc10_cuda.so $(e2e_link) -Wl,-rpath,'$$ORIGIN'
# PyTorch's functions begin with endbr64, and then with a push.
$(e2e_bin)/torch/libc10.so: tests/e2e/c10_reports.c
	@$(MKDIR_P) $(e2e_bin)/torch
	$(AM_V_GEN)$(e2e_compile) $$([ "$$(uname -m)" != x86_64 ] || echo -fcf-protection) -O0 -shared -fPIC -Wl,-soname,libc10.so $$d/tests/e2e/c10_reports.c
$(e2e_bin)/torch/libc10_cuda.so: tests/e2e/c10_allocator.c tests/e2e/c10_allocator.h $(e2e_bin)/torch/libc10.so $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -shared -fPIC -Wl,-soname,libc10_cuda.so $$d/tests/e2e/c10_allocator.c $(e2e_bin)/torch/libc10.so \
		$(double_lib)/libcudart.so.13 $(double_lib)/libcuda.so.1 -pthread -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../../../double/lib'
$(e2e_bin)/tensors: tests/e2e/tensors.c tests/e2e/c10_allocator.h $(e2e_bin)/torch/libc10_cuda.so
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/tensors.c $(e2e_bin)/torch/libc10_cuda.so $(e2e_link) -pthread -Wl,-rpath,'$$ORIGIN/torch'
# Symbols as in the real ones: local. Each function begins with a push.
pools_library = tests/e2e/pools_library.c tests/e2e/pools.h $(workload_header_files) $(double_lib)/libcudart.so.13
pools_compile = $(e2e_compile) -O0 -shared -fPIC $$d/tests/e2e/pools_library.c $(double_lib)/libcudart.so.13 $(double_lib)/libcuda.so.1 \
	-pthread -Wl,-rpath,'$$ORIGIN/../../../double/lib'
$(e2e_bin)/pools/xla_cuda_plugin.so: $(pools_library)
	@$(MKDIR_P) $(e2e_bin)/pools
	$(AM_V_GEN)$(pools_compile) -Wl,-soname,xla_cuda_plugin.so
$(e2e_bin)/pools/libggml-cuda.so: $(pools_library)
	@$(MKDIR_P) $(e2e_bin)/pools
	$(AM_V_GEN)$(pools_compile) -DGGML -Wl,-soname,libggml-cuda.so
$(e2e_bin)/pools/libown.so: $(pools_library)
	@$(MKDIR_P) $(e2e_bin)/pools
	$(AM_V_GEN)$(pools_compile) -DOWN -Wl,-soname,libown.so
$(e2e_bin)/pools-bfc: tests/e2e/pools.c $(e2e_bin)/pools/xla_cuda_plugin.so
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/pools.c $(e2e_bin)/pools/xla_cuda_plugin.so $(e2e_link) -pthread -Wl,-rpath,'$$ORIGIN/pools'
$(e2e_bin)/pools-own: tests/e2e/pools.c $(e2e_bin)/pools/libown.so
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/pools.c $(e2e_bin)/pools/libown.so $(e2e_link) -pthread -Wl,-rpath,'$$ORIGIN/pools'
$(e2e_bin)/pools-ggml: tests/e2e/pools.c $(e2e_bin)/pools/libggml-cuda.so
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/pools.c $(e2e_bin)/pools/libggml-cuda.so $(e2e_link) -pthread -Wl,-rpath,'$$ORIGIN/pools'
$(e2e_bin)/payer: tests/e2e/payer.c tests/e2e/c10_allocator.h $(e2e_bin)/torch/libc10_cuda.so
	$(AM_V_GEN)$(e2e_compile) -O0 $$d/tests/e2e/payer.c $(e2e_bin)/torch/libc10_cuda.so $(e2e_link) -pthread -Wl,-rpath,'$$ORIGIN/torch'
$(e2e_bin)/libquery.so: tests/e2e/query.c $(workload_header_files)
	$(AM_V_GEN)$(e2e_compile) -shared -fPIC -Wl,-soname,libquery.so $$d/tests/e2e/query.c
$(e2e_bin)/liar: tests/e2e/liar.c $(workload_header_files)
	$(AM_V_GEN)$(e2e_compile) -O0 $$d/tests/e2e/liar.c
# Without a C++ compiler, which nothing else needs, its checks are left out.
$(e2e_bin)/thrower: tests/e2e/thrower.cc
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)g++ -O0 -g -o $@ $(srcdir)/tests/e2e/thrower.cc || { echo "no C++ compiler: left out"; echo 'exit 77' >$@; }
$(e2e_bin)/absent_server: tests/e2e/absent_server.c
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/absent_server.c
$(e2e_bin)/many_sites: tests/e2e/many_sites.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -fomit-frame-pointer $$d/tests/e2e/many_sites.c $(e2e_link)

$(e2e_bin)/site_calls: tests/e2e/site_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -fno-omit-frame-pointer $$d/tests/e2e/site_calls.c $(e2e_link)
$(e2e_bin)/launch_sites: tests/e2e/launch_sites.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -fno-omit-frame-pointer $$d/tests/e2e/launch_sites.c $(e2e_link)
# As Go's compiler makes them: frames, and no unwind tables
$(e2e_bin)/site_calls-frames: tests/e2e/site_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables $$d/tests/e2e/site_calls.c $(e2e_link)

$(e2e_bin)/site_calls-nofp: tests/e2e/site_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -fomit-frame-pointer $$d/tests/e2e/site_calls.c $(e2e_link)
$(e2e_bin)/libplugin-first.so: tests/e2e/plugin.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -DFIRST -shared -fPIC $$d/tests/e2e/plugin.c $(e2e_link)
$(e2e_bin)/libplugin-second.so: tests/e2e/plugin.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -shared -fPIC $$d/tests/e2e/plugin.c $(e2e_link)
$(e2e_bin)/locked_calls: tests/e2e/locked_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -fno-omit-frame-pointer $$d/tests/e2e/locked_calls.c $(e2e_link) -pthread

$(e2e_bin)/driver_calls: tests/e2e/driver_calls.c $(workload_header_files) $(double_lib)/libcuda.so.1
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/driver_calls.c $(double_lib)/libcuda.so.1 -Wl,-rpath,'$$ORIGIN/../../double/lib'
$(e2e_bin)/compiled: tests/e2e/compiled.c $(workload_header_files) $(double_lib)/libcuda.so.1
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/compiled.c $(double_lib)/libcuda.so.1 -ldl -Wl,-rpath,'$$ORIGIN/../../double/lib'
$(e2e_bin)/mixed_calls: tests/e2e/mixed_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/mixed_calls.c $(e2e_link) $(double_lib)/libcuda.so.1 -ldl

$(e2e_bin)/table_calls: tests/e2e/table_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/table_calls.c $(e2e_link) $(double_lib)/libcuda.so.1 -ldl
$(e2e_bin)/traced_calls: tests/e2e/traced_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -fno-omit-frame-pointer $$d/tests/e2e/traced_calls.c $(e2e_link) $(double_lib)/libcuda.so.1 -lpthread

random_files = tests/e2e/random_calls.c tests/e2e/random_books.c tests/e2e/random_memory.c tests/e2e/random_contexts.c \
	tests/e2e/random_physical.c tests/e2e/random_copies.c tests/e2e/random_launches.c tests/e2e/random_lives.c \
	tests/e2e/random_graphs.c
random_headers = tests/e2e/random_calls.h
$(e2e_bin)/random_calls: $(random_files) $(random_headers) $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) `for f in $(random_files); do echo $$d/$$f; done` $(e2e_link) $(double_lib)/libcuda.so.1
EXTRA_DIST += $(random_files) $(random_headers)

# As the libraries that carry a runtime of their own: nothing of it is exported, and no symbol is left.
$(e2e_bin)/libprivate.so: tests/e2e/private_runtime.c $(workload_header_files) $(double_lib)/libcudart_static.a
	$(AM_V_GEN)$(e2e_compile) -shared -fPIC -s $$d/tests/e2e/private_runtime.c $(double_lib)/libcudart_static.a \
	  -Wl,--exclude-libs,ALL $(double_lib)/libcuda.so.1 -ldl -Wl,-rpath,'$$ORIGIN/../../double/lib'
$(e2e_bin)/libsecond.so: tests/e2e/private_runtime.c $(workload_header_files) $(double_lib)/libcudart_static.a
	$(AM_V_GEN)$(e2e_compile) -DLARGE -shared -fPIC $$d/tests/e2e/private_runtime.c $(double_lib)/libcudart_static.a \
	  -Wl,-Bsymbolic $(double_lib)/libcuda.so.1 -ldl -Wl,-rpath,'$$ORIGIN/../../double/lib'
$(e2e_bin)/libearly.so: tests/e2e/private_runtime.c $(workload_header_files) $(double_lib)/libcudart_static.a
	$(AM_V_GEN)$(e2e_compile) -DEARLY -shared -fPIC $$d/tests/e2e/private_runtime.c $(double_lib)/libcudart_static.a \
	  -Wl,-Bsymbolic $(double_lib)/libcuda.so.1 -ldl -Wl,-rpath,'$$ORIGIN/../../double/lib'

e2e_helpers += $(e2e_bin)/inner_calls $(e2e_bin)/inner_calls-static
e2e_helper_files += tests/e2e/inner_calls.c
$(e2e_bin)/inner_calls: tests/e2e/inner_calls.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/inner_calls.c $(e2e_link) $(double_lib)/libcuda.so.1 -pthread
$(e2e_bin)/inner_calls-static: tests/e2e/inner_calls.c $(workload_header_files) $(double_lib)/libcudart_static.a
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/inner_calls.c $(double_lib)/libcudart_static.a $(double_lib)/libcuda.so.1 \
	  -ldl -pthread -Wl,-rpath,'$$ORIGIN/../../double/lib'

# Its functions must jump to each other, also where the compiler is told not to optimize.
$(e2e_bin)/own_runtime: tests/e2e/own_runtime.c $(workload_header_files)
	$(AM_V_GEN)$(e2e_compile) -foptimize-sibling-calls $$d/tests/e2e/own_runtime.c

e2e_helpers += $(e2e_bin)/libshim.so $(e2e_bin)/libinterposer.so $(e2e_bin)/mixed_calls_shim
e2e_helper_files += tests/e2e/shim.c
$(e2e_bin)/libshim.so: tests/e2e/shim.c $(workload_header_files)
	$(AM_V_GEN)$(e2e_compile) -O2 -shared -fPIC $$d/tests/e2e/shim.c -ldl
$(e2e_bin)/libinterposer.so: tests/e2e/shim.c $(workload_header_files)
	$(AM_V_GEN)$(e2e_compile) -DRUNTIME -O2 -shared -fPIC $$d/tests/e2e/shim.c -ldl
$(e2e_bin)/mixed_calls_shim: tests/e2e/mixed_calls.c tests/e2e/shim.c $(workload_header_files) $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -O2 -rdynamic $$d/tests/e2e/mixed_calls.c $$d/tests/e2e/shim.c $(e2e_link) $(double_lib)/libcuda.so.1 -ldl -lpthread

if X86_64
e2e_helpers += $(e2e_bin)/points
endif
$(e2e_bin)/libpoints.so.1: tests/e2e/points.c
	$(AM_V_GEN)$(e2e_compile) -DLIBRARY -shared -fPIC -Wl,-soname,libpoints.so.1 $$d/tests/e2e/points.c
$(e2e_bin)/points: tests/e2e/points.c $(e2e_bin)/libpoints.so.1
	$(AM_V_GEN)$(e2e_compile) $$d/tests/e2e/points.c $(e2e_bin)/libpoints.so.1 -Wl,-rpath,'$$ORIGIN'
e2e_helper_files += tests/e2e/points.c
CLEANFILES += $(e2e_bin)/libpoints.so.1

check_DATA += $(e2e_helpers)
CLEANFILES += $(e2e_helpers)
EXTRA_DIST += $(e2e_tests) $(e2e_helper_files) tests/e2e/lib.sh tests/e2e/stubs.sh tests/e2e/tarball.sh tests/e2e/terminal.sh

if HAVE_NVCC
e2e_cu = $(e2e_bin)/late_kernels
else
e2e_cu =
endif
$(e2e_bin)/late_kernels: tests/e2e/late_kernels.cu $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(MKDIR_P) $(e2e_bin); $(NVCC) -O2 -o $@ $(srcdir)/tests/e2e/late_kernels.cu -cudart shared \
	  -Xlinker -rpath -Xlinker '$$ORIGIN/../../double/lib'
check_DATA += $(e2e_cu)
CLEANFILES += $(e2e_cu)
EXTRA_DIST += tests/e2e/host_functions.cu tests/e2e/late_kernels.cu tests/e2e/typed.cu

e2e_python = $(e2e_bin)/libnative.so $(e2e_bin)/hostile
$(e2e_bin)/libnative.so: tests/python/native.c $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -shared -fPIC -fno-omit-frame-pointer $$d/tests/python/native.c $(e2e_link)
$(e2e_bin)/hostile: tests/python/hostile.c $(double_lib)/libcudart.so.13
	$(AM_V_GEN)$(e2e_compile) -rdynamic $$d/tests/python/hostile.c $(e2e_link) -lpthread
check_DATA += $(e2e_python)
CLEANFILES += $(e2e_python)
EXTRA_DIST += tests/python/native.c tests/python/hostile.c tests/python/launches.py tests/python/libraries.py
EXTRA_DIST += tests/python/torch_cuda.sh tests/python/torch_compare.py tests/python/torch_memory.py
EXTRA_DIST += tests/python/oracle.py tests/python/compare.py tests/python/interpreters.sh tests/python/fetch.sh tests/python/fetch_libraries.sh

# Code without frame pointers, and, to compare, with them.
native_stacks_files = tests/e2e/native_stacks.c tests/e2e/native_stacks_odd.c tests/e2e/native_stacks_odd.h tests/e2e/native_stacks_notes.c tests/e2e/native_stacks_library.c \
	tests/e2e/native_stacks_cxx.cc tests/e2e/native_stacks.h tests/e2e/build_native_stacks.sh
native_stacks_built = $(e2e_bin)/native_stacks/native_stacks $(e2e_bin)/native_stacks-fp/native_stacks
$(e2e_bin)/native_stacks/native_stacks: $(native_stacks_files) $(workload_header_files) $(double_lib)/libcudart.so.13
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)CC='$(CC)' sh $(srcdir)/tests/e2e/build_native_stacks.sh $(srcdir) $(double_lib) $(e2e_bin)/native_stacks \
	  -fomit-frame-pointer
$(e2e_bin)/native_stacks-fp/native_stacks: $(native_stacks_files) $(workload_header_files) $(double_lib)/libcudart.so.13
	@$(MKDIR_P) $(e2e_bin)
	$(AM_V_GEN)CC='$(CC)' sh $(srcdir)/tests/e2e/build_native_stacks.sh $(srcdir) $(double_lib) $(e2e_bin)/native_stacks-fp \
	  -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
check_DATA += $(native_stacks_built)
clean-local: clean-native-stacks
clean-native-stacks:
	rm -rf $(e2e_bin)/native_stacks $(e2e_bin)/native_stacks-fp
.PHONY: clean-native-stacks
EXTRA_DIST += $(native_stacks_files) tests/e2e/native_stacks.awk
check_PROGRAMS += tests/e2e/stack_dump
tests_e2e_stack_dump_SOURCES = tests/e2e/stack_dump.c
tests_e2e_stack_dump_LDADD = $(core_libs)
