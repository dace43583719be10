# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel's verifier makes of the BPF programs: make bench-verifier, and tests/e2e/test_verifier.sh.

EXTRA_PROGRAMS += tests/bench/verifier
tests_bench_verifier_SOURCES = tests/bench/verifier.c tests/bench/own_stack.c tests/bench/own_stack.h
nodist_tests_bench_verifier_SOURCES = $(bpf_skeletons)
tests_bench_verifier_LDADD = $(probe_libs) $(core_libs) $(LIBBPF_LIBS)
check_DATA += tests/bench/verifier
CLEANFILES += tests/bench/verifier

bench-verifier: tests/bench/verifier
	tests/bench/verifier
	tests/bench/verifier -f
.PHONY: bench-verifier
