#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The verifier refuses a program after processing a million instructions
# (BPF_COMPLEXITY_LIMIT_INSNS, linux/bpf.h). None of ours, with any set of options, may come near:
# other kernels, and other compilers, need more. And if stacks are shared by processor, no program
# may use 64 bytes of one itself, or the next program there would overwrite them (bpf/cutop.bpf.c).
. "${top_srcdir:-.}/tests/e2e/lib.sh"

verifier=$top_builddir/tests/bench/verifier
[ -x "$verifier" ] || skip "tests/bench/verifier is not built"
for method in session multi perf; do
	CUTOP_ATTACH=$method
	export CUTOP_ATTACH
	if [ -z "$(attach_method)" ]; then
		echo "not tried: $method, which this kernel has not"
		continue
	fi
	unset CUTOP_ATTACH
	for full in "" -w -f; do
		check "$method links $full" "$verifier" -l 500000 $full $method
		CUTOP_TEST_STACKS=shared
		export CUTOP_TEST_STACKS
		check "$method links $full, stacks shared" "$verifier" -l 500000 -s 63 $full $method
		unset CUTOP_TEST_STACKS
	done
done
# What cutop takes to start is mostly this. Functions that are not static are verified once in each program, others at each call:
# Python's were, and cutop took twice as long to start. It took another three times as long with a program for each class of calls.
if [ -n "$(CUTOP_ATTACH=session attach_method)" ]; then
	check "all programs together cost the verifier little" "$verifier" -t 190000 -w session
fi
check "so is that of the stack" [ "$("$verifier" -s 1 2>&1 >"$T/out" | grep -c 'bytes of stack, more than 1')" = 1 ]
check "a limit of all is a limit" [ "$("$verifier" -t 10000 2>&1 >"$T/out" | grep -c 'walked through, more than 10000')" = 1 ]
check "a limit is a limit" [ "$("$verifier" -l 100 2>&1 >"$T/out" | grep -c 'more than 100')" = 1 ]

finish
