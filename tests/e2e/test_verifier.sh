#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The verifier refuses a program after processing a million instructions
# (BPF_COMPLEXITY_LIMIT_INSNS, linux/bpf.h). None of ours, with any set of options, may come near:
# other kernels, and other compilers, need more. And programs have to use the stack of the task that
# they run in: on one of the processor the next program would overwrite their data (bpf/cutop.bpf.c).
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
		check "$method links $full" "$verifier" -s -l 500000 $full $method
	done
done
# What cutop takes to start is mostly this. Functions that are not static are verified once in each program, others at each call:
# Python's were, and cutop took twice as long to start. It took another three times as long with a program for each class of calls.
if [ -n "$(CUTOP_ATTACH=session attach_method)" ]; then
	check "all programs together cost the verifier little" "$verifier" -t 130000 -w session
fi
# x86-64 since Linux 6.13: there the tail call is what does it.
if [ "$(uname -m)" = x86_64 ] && [ -n "$(CUTOP_ATTACH=session attach_method)" ]; then
	check "they would not without a tail call" sh -c '"$1" -s | grep -q "because they may call another"' sh "$verifier"
fi
check "a limit of all is a limit" [ "$("$verifier" -t 10000 2>&1 >"$T/out" | grep -c 'walked through, more than 10000')" = 1 ]
check "a limit is a limit" [ "$("$verifier" -l 100 2>&1 >"$T/out" | grep -c 'more than 100')" = 1 ]

finish
