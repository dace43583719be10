# SPDX-License-Identifier: GPL-2.0-or-later
# Tests. 'make check' is what a developer runs every few minutes, 'make check-long' the rest of what finds defects: every
# format and option, floods, kills, a virtual machine; 'make check-release' what is built anew, and machines with other kernels.
# All of them may run side by side ("make -j3 check"): a test asks only of its own files, processes and ports.

TESTS += tests/double/test_entries.sh

include $(srcdir)/tests/double/double.mk
include $(srcdir)/tests/workloads/workloads.mk
include $(srcdir)/tests/unit/unit.mk
include $(srcdir)/tests/unit/test_out.mk
include $(srcdir)/tests/view/view.mk
include $(srcdir)/tests/unit/test_probe.mk
include $(srcdir)/tests/unit/test_doctor.mk
include $(srcdir)/tests/unit/test_record.mk
include $(srcdir)/tests/unit/test_feed.mk
include $(srcdir)/tests/fuzz/fuzz.mk
include $(srcdir)/tests/e2e/e2e.mk
include $(srcdir)/tests/e2e/cli.mk
include $(srcdir)/tests/bench/bench.mk
include $(srcdir)/tests/bench/verifier.mk
include $(srcdir)/tests/checks/checks.mk
include $(srcdir)/tests/gpu/gpu.mk

AM_TESTS_ENVIRONMENT = \
	export top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	CK_DEFAULT_TIMEOUT="$${CK_DEFAULT_TIMEOUT:-60}" CUTOP='$(abs_top_builddir)/src/cutop' NVCC='$(NVCC)' CUDA_TOOLKIT='$(CUDA_TOOLKIT)' CC='$(CC)' \
	SANITIZERS='$(SANITIZERS)' DOUBLE_BUILDDIR='$(abs_top_builddir)'; \
	$(fuzz_environment)

TESTS += tests/e2e/test_install.sh tests/unit/test_docs.sh tests/unit/test_completion.sh
check_PROGRAMS += tests/unit/tables
tests_unit_tables_SOURCES = tests/unit/tables.c
tests_unit_tables_LDADD = $(view_libs) $(core_libs)
EXTRA_DIST += tests/unit/test_docs.sh tests/unit/test_completion.sh tests/e2e/test_install.sh
check_DATA += $(DOUBLE_LIBS) $(DOUBLE_FORMS) $(DOUBLE_OLDER) $(WORKLOADS) $(WORKLOADS_CU)

# The slowest come first, so that the last job does not run alone; test_doctor.sh and test_absent_server.sh wait for each other.
TESTS_LONG = \
	tests/e2e/test_cost.sh \
	tests/e2e/test_doctor.sh \
	tests/e2e/test_forms.sh \
	tests/e2e/test_replaced.sh \
	tests/e2e/test_terminals.sh \
	tests/e2e/test_faults.sh \
	tests/e2e/test_absent_server.sh \
	tests/e2e/test_volumes.sh \
	tests/e2e/test_random_many.sh \
	tests/e2e/test_scale.sh \
	tests/e2e/test_prometheus.sh \
	tests/e2e/test_bad_input.sh \
	tests/e2e/test_trace_output.sh \
	tests/e2e/test_rights.sh \
	tests/e2e/test_liars.sh \
	tests/e2e/test_shims.sh \
	tests/e2e/test_stacks.sh \
	tests/e2e/test_nvml.sh \
	tests/e2e/test_ends.sh \
	tests/e2e/test_harm.sh \
	tests/checks/test_clang.sh \
	tests/e2e/test_points.sh \
	tests/e2e/test_mortem.sh \
	tests/e2e/test_hostile_files.sh \
	tests/e2e/test_python_libraries.sh \
	tests/e2e/test_overrun.sh \
	tests/e2e/test_same_verdict.sh \
	tests/e2e/test_absent_names.sh \
	tests/e2e/test_late.sh \
	tests/e2e/test_many_sites.sh \
	tests/e2e/test_host_functions.sh \
	tests/e2e/test_flood.sh \
	tests/e2e/test_forwarders.sh \
	tests/e2e/test_late_names.sh \
	tests/e2e/test_real_libraries.sh \
	tests/e2e/test_registers.sh \
	tests/e2e/test_nvcc.sh \
	tests/e2e/test_two.sh \
	tests/e2e/test_pageable.sh \
	tests/e2e/test_names.sh \
	tests/e2e/test_no_driver.sh \
	tests/checks/test_checks.sh \
	tests/checks/test_contrib.sh
# What no other cutop may run beside: all of them tell of the programs of test_translators.sh, and what the kernel has to do for
# perf links, of which test_fallback.sh promises times, it does for one cutop after the other. The cutops of a virtual machine,
# which takes as long, are none of this kernel's.
TESTS_ALONE = tests/e2e/test_once.sh tests/e2e/test_killed.sh tests/e2e/test_translators.sh tests/e2e/test_fallback.sh
TESTS_VM = tests/vm/test_vm.sh
# Machines that take long to emulate, what is built anew for the test, and packages that are not always there.
TESTS_RELEASE = tests/vm/test_vm_multi.sh tests/vm/test_vm_python.sh tests/vm/test_vm_context.sh tests/vm/test_arm64.sh \
	tests/vm/test_compilers.sh tests/vm/test_debian_tests.sh tests/e2e/test_full_table.sh tests/e2e/test_package.sh tests/e2e/test_python_all.sh \
	tests/gpu/test_gpu_check.sh tests/fuzz/fuzz.sh
EXTRA_DIST += $(TESTS_RELEASE)
check-release: all $(check_DATA)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(TESTS_RELEASE)' TEST_SUITE_LOG=test-suite-release.log
CLEANFILES += test-suite-release.log tests/e2e/silent.lock
# The tarball and the container are built first, of packages that are fetched.
TESTS_PORTABLE = tests/e2e/test_portable.sh tests/vm/test_portable_arm64.sh tests/e2e/test_container.sh
EXTRA_DIST += $(TESTS_PORTABLE)
check-portable: all $(check_DATA)
	$(MAKE) $(AM_MAKEFLAGS) -j1 check-TESTS TESTS='$(TESTS_PORTABLE)' TEST_SUITE_LOG=test-suite-portable.log
CLEANFILES += test-suite-portable.log $(TESTS_PORTABLE:.sh=.log) $(TESTS_PORTABLE:.sh=.trs)

# Automake cleans up after the tests of make check.
CLEANFILES += $(TESTS_LONG:.sh=.log) $(TESTS_LONG:.sh=.trs) $(TESTS_ALONE:.sh=.log) $(TESTS_ALONE:.sh=.trs) $(TESTS_VM:.sh=.log) $(TESTS_VM:.sh=.trs) $(TESTS_RELEASE:.sh=.log) $(TESTS_RELEASE:.sh=.trs)

EXTRA_DIST += tests/slowest.sh tests/e2e/prometheus.py tests/e2e/quit.py tests/e2e/terminals.py tests/e2e/breakpoints.py tests/vm/kernel.sh tests/vm/lib.sh tests/vm/packages.sh tests/vm/run-vm.sh $(TESTS_LONG) $(TESTS_ALONE) $(TESTS_VM)

# The double for the demonstration of the README, without the tests.
double: $(DOUBLE_LIBS) $(DOUBLE_FORMS) $(DOUBLE_OLDER) $(WORKLOADS)

# The tests that need neither root, nor BPF, nor the double: where only the compiler and the libraries are to be tried.
check-unit: all
	@tests=; for test in $(TESTS); do \
		case $$test in *.sh) ;; tests/unit/* | tests/view/* | tests/fuzz/kept_*) tests="$$tests $$test" ;; esac; \
	done; \
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS="$$tests" TEST_SUITE_LOG=test-suite-unit.log
CLEANFILES += test-suite-unit.log

check-full: check
	$(MAKE) $(AM_MAKEFLAGS) check-long

# Without what make check runs.
check-long: all $(check_DATA)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(TESTS_LONG)' TEST_SUITE_LOG=test-suite-long.log; long=$$?; \
	$(MAKE) $(AM_MAKEFLAGS) -j1 check-TESTS TESTS='$(TESTS_VM)' TEST_SUITE_LOG=test-suite-vm.log & vm=$$!; \
	$(MAKE) $(AM_MAKEFLAGS) -j1 check-TESTS TESTS='$(TESTS_ALONE)' TEST_SUITE_LOG=test-suite-alone.log; alone=$$?; \
	wait $$vm && [ $$alone = 0 ] && exit $$long
CLEANFILES += test-suite-long.log test-suite-alone.log test-suite-vm.log

.PHONY: double check-unit check-full check-long check-release check-portable bench
