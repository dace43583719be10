# SPDX-License-Identifier: GPL-2.0-or-later
# Tests. 'make check' is what a developer runs every few minutes; 'make
# check-full' adds what is slow or boots a virtual machine.

include $(srcdir)/tests/double/double.mk
include $(srcdir)/tests/workloads/workloads.mk
include $(srcdir)/tests/unit/unit.mk
include $(srcdir)/tests/unit/test_out.mk
include $(srcdir)/tests/view/view.mk
include $(srcdir)/tests/unit/test_probe.mk
include $(srcdir)/tests/unit/test_doctor.mk
include $(srcdir)/tests/unit/test_record.mk
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

TESTS += tests/e2e/test_install.sh tests/double/check-double.sh tests/unit/test_docs.sh tests/unit/test_completion.sh
EXTRA_DIST += tests/unit/test_docs.sh tests/unit/test_completion.sh tests/e2e/test_install.sh
check_DATA += $(DOUBLE_LIBS) $(DOUBLE_FORMS) $(DOUBLE_OLDER) $(WORKLOADS) $(WORKLOADS_CU)

# What is slow, or needs much: the rest of what make check has.
TESTS_FULL = \
	tests/e2e/test_doctor.sh \
	tests/e2e/test_mouse.sh \
	tests/e2e/test_record.sh \
	tests/e2e/test_graphs.sh \
	tests/e2e/test_random_many.sh \
	tests/e2e/test_bad_input.sh \
	tests/e2e/test_status.sh \
	tests/e2e/test_attach.sh \
	tests/e2e/test_replaced.sh \
	tests/e2e/test_trace_output.sh \
	tests/e2e/test_nvml.sh \
	tests/e2e/test_pending.sh \
	tests/e2e/test_driver.sh \
	tests/e2e/test_once.sh \
	tests/e2e/test_overrun.sh \
	tests/e2e/test_flood.sh \
	tests/e2e/test_scale.sh \
	tests/e2e/test_leaks.sh \
	tests/e2e/test_verdicts.sh \
	tests/e2e/test_harm.sh \
	tests/e2e/test_liars.sh \
	tests/e2e/test_probe.sh \
	tests/e2e/test_faults.sh \
	tests/e2e/test_two.sh \
	tests/e2e/test_volumes.sh \
	tests/e2e/test_rights.sh \
	tests/e2e/test_package.sh \
	tests/e2e/test_prometheus.sh \
	tests/e2e/test_fallback.sh \
	tests/e2e/test_points.sh \
	tests/e2e/test_shims.sh \
	tests/e2e/test_real_libraries.sh \
	tests/e2e/test_form_driver.sh \
	tests/e2e/test_form_endbr.sh \
	tests/e2e/test_form_stepped.sh \
	tests/e2e/test_verifier.sh \
	tests/fuzz/fuzz.sh \
	tests/checks/test_checks.sh \
	tests/checks/test_setup.sh \
	tests/gpu/test_gpu_check.sh \
	tests/vm/test_vm.sh \
	tests/vm/test_vm_multi.sh \
	tests/e2e/test_killed.sh
# Machines that take long to emulate, and packages that are not always there.
TESTS_KERNELS = tests/vm/test_vm_context.sh tests/vm/test_arm64.sh
EXTRA_DIST += $(TESTS_KERNELS)
check-kernels: all $(check_DATA)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(TESTS_KERNELS)' TEST_SUITE_LOG=test-suite-kernels.log
CLEANFILES += test-suite-kernels.log

# Automake cleans up after the tests of make check.
CLEANFILES += $(TESTS_FULL:.sh=.log) $(TESTS_FULL:.sh=.trs) $(TESTS_KERNELS:.sh=.log) $(TESTS_KERNELS:.sh=.trs)

EXTRA_DIST += tests/e2e/prometheus.py tests/e2e/quit.py tests/vm/lib.sh tests/vm/packages.sh tests/vm/run-vm.sh $(TESTS_FULL)

# The double for the demonstration of the README, without the tests.
double: $(DOUBLE_LIBS) $(DOUBLE_FORMS) $(DOUBLE_OLDER) $(WORKLOADS)

check-full: check
	$(MAKE) $(AM_MAKEFLAGS) check-full-only

# Without what 'make check' has run already.
check-full-only: all $(check_DATA)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(TESTS_FULL)' TEST_SUITE_LOG=test-suite-full.log
CLEANFILES += test-suite-full.log

.PHONY: double check-full check-full-only check-kernels bench
