#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Errors that are no failures (src/cuda/errors.c), as programs had them on an H200 with driver 580: recordings of
# that machine, in h200/. No figure, event or format counts such an error; those that are failures stay.
set -u
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CUTOP:=$top_builddir/src/cutop}"
command -v jq >/dev/null || { echo "SKIP: needs jq (Debian: apt install jq)"; exit 77; }
T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-test.XXXXXX")
trap 'rm -rf "$T"' EXIT
failed=0
passed=0
export LC_ALL=C.UTF-8

# NAME WHAT IS WANTED
equal() {
	if [ "$3" = "$4" ]; then
		passed=$((passed + 1))
	else
		echo "FAIL: $1: $2 is $3, not $4"
		failed=$((failed + 1))
	fi
}

replay() {
	"$CUTOP" -b "$@" --replay "$top_srcdir/tests/recordings/h200/$name.cutop"
}

# NAME FAILED FAILURES ANSWERS AT-EXIT: how many calls failed; and of each list the calls, codes and counts
outcomes() {
	name=$1
	replay -f json >"$T/all.json"
	tail -n 1 "$T/all.json" >"$T/last.json"
	replay -f openmetrics -n 1 -d 1000 >"$T/metrics"
	list='.processes[0][$list] | map("\(.call) \(.code) \(.count)") | join(", ")'
	equal "$name" failures "$(jq -r --arg list failures "$list" "$T/last.json")" "$3"
	equal "$name" answers "$(jq -r --arg list answers "$list" "$T/last.json")" "$4"
	equal "$name" failures_at_exit "$(jq -r --arg list failures_at_exit "$list" "$T/last.json")" "$5"
	equal "$name" "those without words" "$(jq '.processes[0] | .answers + .failures_at_exit | map(select(.words | not)) | length' "$T/last.json")" 0
	equal "$name" "the total" "$(jq .totals.failures "$T/last.json")" "$2"
	equal "$name" "the sum of calls" "$(jq '[.processes[0].calls[].failures] | add' "$T/last.json")" "$2"
	equal "$name" "the column FAILED" "$(replay -f csv | awk -F, 'NR == 1 { while ($++i != "failed") ; next } { failed = $i } END { print failed }')" "$2"
	equal "$name" "the trace" "$("$CUTOP" trace -f json --replay "$top_srcdir/tests/recordings/h200/$name.cutop" | jq -s 'map(select(.failed)) | length')" "$2"
	for family in call process; do
		equal "$name" "cutop_${family}_failures_total" "$(awk -v "family=^cutop_${family}_failures_total" '$0 ~ family { sum += $NF } END { print sum + 0 }' "$T/metrics")" "$2"
	done
	equal "$name" "what the log says of it" "$(jq -s '[.[].events[]?.text | select(test("DEINITIALIZED|cuGetProcAddress"))] | length' "$T/all.json")" 0
}

outcomes f_err 11 \
	"cudaFree 1 4, cudaMalloc 2 1, cudaMalloc 46 1, cudaMalloc 700 1, cudaFree 700 1, cudaLaunchKernel 1 1, cudaLaunchKernel 700 1, cudaDeviceSynchronize 700 1" \
	"" "cuLibraryUnload 4 1"
equal f_err "the free's failures" "$(jq -c '.processes[0].memory | [.failed_allocations, .failed_frees, .double_frees]' "$T/last.json")" "[3,4,1]"
equal f_err "questions in text" "$(replay | grep -c QUESTIONS)" 0
outcomes numba 0 "" "cuGetProcAddress_v2 1 34" ""
equal numba "questions in text" "$(replay | grep -A 1 QUESTIONS | tail -n 1 | awk '{ print $1, $2, $3 }')" "cuGetProcAddress_v2 34 CUDA_ERROR_INVALID_VALUE"
equal numba "failed calls in text" "$(replay | grep -c 'FAILED CALL')" 0

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
