#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads that allocate and free each other's memory while addresses change
# hands: nothing stays live, nothing is lost, every count is exact.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

# threads NAME PROGRAM THREADS ROUNDS [cutop options]
threads() {
	name=$1
	program=$2
	number=$3
	rounds=$4
	shift 4
	total=$((number * rounds))
	watch "$name" "$@" -- "$program" threads "$number" "$rounds"
	check "$name: status" [ "$status" = 0 ]
	expect "$name" 'p.memory | [.allocations, .frees, .failed_frees, .double_frees, .unknown_frees]' "[$total,$total,0,0,0]"
	expect "$name" 'p.memory | [.live_bytes, .live_allocations, .leaked_bytes, (.map | length)]' '[0,0,0,0]'
	expect "$name" 'p.memory.kinds | add' 0
	expect "$name" 'kernel("reduce") | [.launches, .failures]' "[$total,0]"
	expect "$name" '[p.calls[] | [.call, .calls, .failures]] | sort' \
		"[[\"cudaFree\",$total,0],[\"cudaLaunchKernel\",$total,0],[\"cudaMalloc\",$total,0]]"
	expect "$name" '[p.sites[].allocations]' "[$total]"
	# The first thread allocates 1,024 bytes at a time, the last 1,024 times their number; a queue holds 64 at most.
	expect "$name" "p.memory.peak_bytes >= 1024 and p.memory.peak_bytes <= (64 + $number) * 1024 * $number" true
	expect_nothing_lost "$name"
}

threads eight "$workload" 8 500
threads eight_static "$bin/workload-static" 8 500
threads eight_exact "$workload" 8 500 --exact-launches

# ---- more threads than the machine has processors for
threads many "$workload" 48 200

# ---- a hundred thousand of each, and snapshots while it goes on: counts never fall, and agree
"$CUTOP" -b -f json -d 0.02 -- "$workload" threads 8 12500 >"$T/flow.out" 2>"$T/flow.err"
jq -cs 'map(.processes[0] // empty | .memory | [.allocations, .frees, .live_allocations, .live_bytes])' "$T/flow.out" >"$T/flow.json"
expect flow 'map(.[0] | . > 0 and . < 100000) | any' true
expect flow 'map(.[0]) == (map(.[0]) | sort) and map(.[1]) == (map(.[1]) | sort)' true
# An address may be allocated anew while its free is on its way out: one such free a thread at most.
expect flow 'map(.[0] - .[1] - .[2] | . >= 0 and . <= 8) | all' true
expect flow 'map(.[2] <= 64 + 8 and .[3] <= 72 * 8192) | all' true
expect flow 'last' '[100000,100000,0,0]'

finish
