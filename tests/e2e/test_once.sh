#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The cost of probing both layers: each driver call that a runtime call makes runs exactly one more
# BPF program, at its entry. The kernel counts the runs; what a program does otherwise is the same
# for few calls and for many.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

[ "$(attach_method)" = session ] || skip "this kernel's entries cannot choose whether they want the return"
counting=/proc/sys/kernel/bpf_stats_enabled
{ before=$(cat $counting) && echo 1 >$counting; } 2>/dev/null || skip "cannot have the kernel count runs of BPF programs"
trap 'echo "$before" >$counting; clean_up' EXIT

# Libraries of our own: what other programs call is not to be counted.
private_double "$T/own"
double=$T/own
LD_LIBRARY_PATH=$double
export LD_LIBRARY_PATH

# Below cutop: how often the programs of its probes had run before each workload, and after the last, a line for each. $1 is
# the workload program. 2 is BPF_PROG_TYPE_KPROBE (linux/bpf.h), which uprobes are, too; the shell's parent is cutop.
cat >"$T/workloads" <<'END'
runs() {
	cat /proc/$PPID/fdinfo/* 2>/dev/null | awk '/^prog_type:/ { kind = $2 } /^run_cnt:/ && kind == 2 { sum += $2 } END { print sum }'
}
for work in "launches N 1" "pairs N 100" "sync N 0"; do
	for times in 100 300; do
		runs
		"$1" $(echo "$work" | sed "s/N/$times/") >&2 || echo failed
	done
done
runs
END

# $1: layers, $2: where to, the rest: options. Writes a line for each workload: how many more runs 300 times are than 100 times.
count() {
	layers=$1 to=$2
	shift 2
	[ "$layers" = runtime ] || set -- --library "$double/libcuda.so.1" "$@"
	# shellcheck disable=SC2016
	watch once --library "$double/libcudart.so.13" -l "$layers" "$@" -- sh -c '. "$0" >"$2"' "$T/workloads" "$workload" "$T/runs"
	awk 'NR > 2 && NR % 2 { print $1 - 2 * last + earlier } { earlier = last; last = $1 }' "$T/runs" >"$to"
}

for more in "" --exact-launches --stacks; do
	# shellcheck disable=SC2086
	count runtime "$T/runtime" $more
	# shellcheck disable=SC2086
	count both "$T/both" $more
	# A launch of the driver's in each launch; an allocation and a free in a pair; a launch and a synchronization
	got=$(paste -d ' ' "$T/both" "$T/runtime" | awk '{ print $1 - $2 }' | paste -s -d ' ')
	check "$more: $got runs more for 200, 400, 400 calls inside others" [ "$got" = "200 400 400" ]
	# shellcheck disable=SC2016
	check "$more: the runtime's calls: $(paste -s -d ' ' "$T/runtime")" \
		awk 'NR == 1 && $1 < 200 || NR > 1 && $1 < 400 { bad = 1 } END { exit bad || NR != 3 }' "$T/runtime"
done

# By default a launch is one run, at the driver, but for the sampled returns; and so is a report of PyTorch's allocator.
[ "$(attach_method)" = session ] || finish
unset CUTOP_LAUNCHES
cat >"$T/hits" <<'END'
runs() {
	cat /proc/$PPID/fdinfo/* 2>/dev/null | awk '/^prog_type:/ { kind = $2 } /^run_cnt:/ && kind == 2 { sum += $2 } END { print sum }'
}
for times in 670 1340; do
	runs
	"$1" launches $times 1 >&2
done
runs
for times in 500 1500; do
	runs
	"$2" churn:$times >&2
done
runs
END
tensors=$top_builddir/tests/e2e/bin/tensors
# shellcheck disable=SC2016
watch hits --library "$top_builddir/tests/e2e/bin/torch/libc10.so" --library "$double/libcuda.so.1" --library "$double/libcudart.so.13" -- sh -c '. "$0" >"$3"' "$T/hits" "$workload" "$tensors" "$T/counts"
expect_nothing_lost hits
launches=$(awk 'NR == 1 { a = $1 } NR == 2 { b = $1 } NR == 3 { print $1 - b - (b - a) }' "$T/counts")
blocks=$(awk 'NR == 4 { a = $1 } NR == 5 { b = $1 } NR == 6 { print $1 - b - (b - a) }' "$T/counts")
check "670 launches more are $launches runs: each is seen" [ "$launches" -ge 670 ]
check "670 launches more are $launches runs, of which some 10 are returns" [ "$launches" -le 685 ]
check "1000 blocks more, handed out and taken back, are $blocks runs" [ "$blocks" = 2000 ]
finish
