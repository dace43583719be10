#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What CUDA's documents say of memory, and cutop's books of it: tests/e2e/book_calls.c says what, and where it is written.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

book_calls=$top_builddir/tests/e2e/bin/book_calls
books='p.memory | [.allocations, .frees, .unknown_frees, .leaked_bytes, .peak_bytes]'
resets='[.events[] | select(.kind == "reset") | .text]'

# $1: what the program does, $2: its books; all of it was seen
holds() {
	watch "$1" -- "$book_calls" "$1"
	check "$1: status $status: $(cat "$T/$1.err")" [ "$status" = 0 ]
	expect "$1" "$books" "$2"
	expect "$1" 'p.inexact // false' false
	expect_nothing_lost "$1"
}

# ---- what belongs to no context outlives them all

holds survive "[6,4,0,3000,$(((64 + 2 + 4) * 1024 * 1024 + 2000))]"
expect survive "$resets" '["cudaDeviceReset of device 0 ended 1 live allocation: 1.0K leaked","cuCtxDestroy_v2 of device 0 ended 1 live allocation: 2.0K leaked"]'
holds kept "[6,0,0,$(((64 + 2 + 4) * 1024 * 1024 + 3000)),$(((64 + 2 + 4) * 1024 * 1024 + 2000))]"
expect kept '[p.memory.map[] | [.kind, .size, .state]] | sort' \
	'[["async",2097152,"leaked"],["async",33554432,"leaked"],["async",33554432,"leaked"],["device",1000,"leaked"],["device",2000,"leaked"],["physical",4194304,"leaked"]]'
expect kept 'p.memory | [.leaked_by_reset_bytes, .leaked_by_context_bytes]' '[1000,2000]'

# ---- a reset in a context of the program's own ends none

holds own "[2,2,0,0,$((32 * 1024 * 1024 + 3000))]"
expect own "$resets" '["cuCtxDestroy_v2 of device 0 ended 0 live allocations: 0 leaked"]'

# ---- in a stream's order: on the stream's device

CUDA_DOUBLE_DEVICES=2
export CUDA_DOUBLE_DEVICES
holds streams '[5,0,0,31000,31000]'
expect streams '[p.memory.map[] | [.size, .device]] | sort' '[[1000,1],[2000,1],[4000,0],[8000,1],[16000,0]]'

# ---- managed memory is not on the device as such: no live, no peak, no nearly full; but it is to be freed

watch managed -- "$book_calls" managed
total=$(sed -n 's/^[0-9]* of //p' "$T/managed.out")
expect managed "$books" "[4,0,0,$((total / 2 + total / 6 * 5 + 3000)),1000]"
expect managed '[p.memory.map[] | [.kind, .state]] | sort' '[["device","leaked"],["managed","leaked"],["managed","leaked"],["managed","leaked"]]'
expect managed '[.events[] | select(.kind == "nearly-full")]' '[]'
expect_nothing_lost managed

# ---- a primary context does not end while the runtime works in it, however the runtime took its reference

for private in "" 1; do
	[ -z "$private" ] || export CUDA_DOUBLE_PRIVATE_RETAIN=1
	for layer in both driver; do
		watch primary -l $layer -- "$book_calls" primary
		expect primary "$books" "[2,2,0,0,$((32 * 1024 * 1024 + 5000))]"
		expect primary 'p.inexact // false' false
		expect primary "$resets" '[]'
		expect_nothing_lost primary
		# The runtime only launches there, and what the driver allocated lives on.
		watch launching -l $layer -- "$book_calls" launching
		expect launching "$books" '[1,1,0,0,5000]'
		expect launching "$resets" '[]'
	done
done
unset CUDA_DOUBLE_PRIVATE_RETAIN

# ---- contexts: NULL pops, and uses are counted

holds stack '[3,0,0,7000,7000]'
expect stack '[p.memory.map[] | [.size, .device]] | sort' '[[1000,1],[2000,0],[4000,1]]'
expect stack 'p.memory.failed_allocations' 1
holds attach '[2,0,0,3000,3000]'
expect attach "$resets" '["cuCtxDetach of device 1 ended 2 live allocations: 2.9K leaked"]'

# ---- after a sticky error nothing succeeds, and so nothing ends but with the process: driver_types.h, cudaErrorIllegalAddress

export CUDA_DOUBLE_FAIL=cuCtxSynchronize_v2:1:700
holds stuck '[2,0,0,3000,3000]'
unset CUDA_DOUBLE_FAIL
expect stuck "$resets" '[]'
expect stuck 'p.memory | [.failed_frees, .leaked_by_reset_bytes // 0, .leaked_by_context_bytes // 0]' '[1,0,0]'
expect stuck '[p.failures[] | select(.code == 700).count] | add' 6

finish
