#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The call table: a failure of any function in it is seen, by default of all but those
# in the group of queries, of which a call costs nothing then.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

calls=$top_builddir/tests/e2e/bin/table_calls
failed_calls='[p.failures[] | select(.code == 801) | .call] | unique'

# Functions that the double answers with "not supported", by group.
nm -D --defined-only "$double/libcudart.so.13" "$double/libcuda.so.1" | awk '$2 == "W" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$T/unsupported"
sh "$top_srcdir/tests/checks/table.sh" | awk -F ';' '{ print $1, $4 }' | sort | join - "$T/unsupported" >"$T/groups"
cut -d ' ' -f 1 "$T/groups" >"$T/names"
grep -v ' GROUP_QUERY$' "$T/groups" | cut -d ' ' -f 1 >"$T/default"
check "hundreds of functions: $(wc -l <"$T/names"), $(wc -l <"$T/default") of them by default" [ "$(wc -l <"$T/default")" -gt 350 ]

# as_json FILE: its lines as a list, sorted as jq sorts
as_json() {
	jq -R . "$1" | jq -s -c unique
}

watch all --calls all -- "$calls" names <"$T/names"
check "all answer: $(cat "$T/all.out")" [ "$(grep -c . "$T/names")" = "$(grep -x '[0-9]*' "$T/all.out")" ]
expect all "$failed_calls" "$(as_json "$T/names")"
watch default -- "$calls" names <"$T/names"
expect default "$failed_calls" "$(as_json "$T/default")"

# ---- the time between events that are not done yet
export CUDA_DOUBLE_FAIL=cudaEventElapsedTime:2:600,cuEventElapsedTime:2:600,cuEventElapsedTime_v2:3:600
watch elapsed -- "$calls" elapsed
unset CUDA_DOUBLE_FAIL
check "the events are not done: $(cat "$T/elapsed.out")" grep -qx '600 600 600' "$T/elapsed.out"
expect elapsed '[p.calls[] | select(.call | test("ElapsedTime")) | [.call, .calls, .failures]] | sort' \
	'[["cuEventElapsedTime",2,0],["cuEventElapsedTime_v2",2,0],["cudaEventElapsedTime",2,0]]'
expect elapsed '[p.failures, .totals.failures]' '[[],0]'

# ---- entry points, which programs ask for by the hundred as they start
watch entries -- "$calls" entries 300
expect entries '[p.calls[].call | select(test("GetProcAddress"))]' '[]'
watch asked --calls all -- "$calls" entries 300
expect asked '[p.calls[] | select(.call | test("GetProcAddress")) | [.call, .calls]]' '[["cuGetProcAddress",300]]'

finish
