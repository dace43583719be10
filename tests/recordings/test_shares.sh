#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Shares of time in recordings: a program with one thread is in calls for no more than all of the time, in no snapshot; the last
# snapshot is of the whole run. Those in h200/ were made on an H200 with driver 580: their programs begin with a call that takes
# more than a second, and was told only when it returned.
set -u
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CUTOP:=$top_builddir/src/cutop}"
command -v jq >/dev/null || { echo "SKIP: needs jq (Debian: apt install jq)"; exit 77; }
failed=0
passed=0

# expect RECORDING FILTER: the filter on all of its snapshots is true
expect() {
	if got=$("$CUTOP" -b -f json --replay "$1" | jq -cs "$2") && [ "$got" = true ]; then
		passed=$((passed + 1))
	else
		echo "FAIL: $1: $2 is $got"
		failed=$((failed + 1))
	fi
}

shares='[.[].processes[].time | select(.threads == 1 and .share.none) | .share]'
for recording in "$top_srcdir"/tests/recordings/h200/*.cutop; do
	expect "$recording" "$shares | length > 0 and all(.sync + .copy + .launch + .other <= 1.0001)"
	expect "$recording" "$shares | all(add | . > 0.9999 and . < 1.0001)"
	expect "$recording" 'map(.whole_run) | .[-1] and (.[:-1] | any | not)'
	expect "$recording" '.[-1] | .processes | all(.time | .wall_seconds as $wall | [.seconds, .share | add] |
		(.[0] - $wall | fabs) < 0.001 and (.[1] - 1 | fabs) < 0.001)'
	expect "$recording" '.[-1] | .interval_seconds as $run | .processes | length == 1 and (.[0].time.wall_seconds - $run | fabs) < 0.001'
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
