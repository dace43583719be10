#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings of this folder, in every format, are what they were: a format is a line below with the recording that shows most
# of it. What others alone show are the assertions after that. regenerate.sh writes the expected files.
set -u
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CUTOP:=$top_builddir/src/cutop}"
here=$top_srcdir/tests/recordings
command -v jq >/dev/null || { echo "SKIP: needs jq (Debian: apt install jq)"; exit 77; }
T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-test.XXXXXX")
trap 'rm -rf "$T"' EXIT
failed=0
passed=0
export TZ=UTC LC_ALL=C.UTF-8
unset NO_COLOR

# A JSON document for those who read the difference: a line for what fits into one, with the path to it.
members='def rows(path): if (tojson | length) < 320 or (type != "object" and type != "array") then "\(path) \(tojson)"
	else to_entries[] | .key as $key | .value | rows("\(path).\($key)") end; rows("")'

# $1: the recording; $2: how the expected file's name ends; the rest: the mode, if any, and options. The version of cutop is no
# matter of formats.
format() {
	recording=$1
	name=$1.$2
	shift 2
	"$CUTOP" "$@" --replay "$here/$recording.cutop" >"$T/raw" 2>"$T/err"
	status=$?
	case $name in
	*.members) jq -r "$members" "$T/raw" ;;
	*) cat "$T/raw" ;;
	esac | sed 's/^\.version .*/.version "0"/; s/version="[^"]*"/version="0"/' >"$T/$name"
	if [ "$status" != 0 ]; then
		echo "FAIL: $name: status $status: $(cat "$T/err")"
		failed=$((failed + 1))
	elif [ -n "${REGENERATE:-}" ]; then
		cp "$T/$name" "$here/$name"
		echo "wrote $name"
	elif cmp -s "$here/$name" "$T/$name"; then
		passed=$((passed + 1))
	else
		echo "FAIL: $name differs (tests/recordings/regenerate.sh, if that is right):"
		diff "$here/$name" "$T/$name" | cut -c 1-300 | head -n 20
		failed=$((failed + 1))
	fi
}

format tensors txt -b
format sample sparse.txt -b -d 4 --ascii
format sample members -b -f json -n 1 -d 1000
format sample csv -b -f csv
format sample folded -b -f folded
format sample openmetrics -b -f openmetrics -n 1 -d 1000
format python trace.txt trace
format sample trace.json trace -f json
format sample chrome.json trace -f chrome
format python txt -b
format python leaked.folded -b -f folded --folded-by leaked
format tensors tensors.folded -b -f folded --folded-by tensors
format tensors rising.folded -b -f folded --folded-by rising

[ -z "${REGENERATE:-}" ] || exit "$failed"

# expect RECORDING FILTER WANTED: what the filter makes of all its snapshots is that
expect() {
	got=$("$CUTOP" -b -f json -d 4 --replay "$here/$1.cutop" | jq -cs "$2")
	if [ "$got" = "$3" ]; then
		passed=$((passed + 1))
	else
		echo "FAIL: $1: $2 is $got, not $3"
		failed=$((failed + 1))
	fi
}

expect sample 'map([.whole_run, .totals.launches])' '[[false,20712],[true,40724]]'
# Lines of Python, and native code that they call.
frames='map([.language, .function // .module, .line // .offset] | join(" ")) | join(", ")'
expect python ".[0].processes[0].sites | map([.leaked_bytes, (.frames | $frames)])" \
	"$(jq -cn '[[2097152, "native libffi.so.8.1.2 28538, python make_buffer 9, python Layer.__init__ 15, python <listcomp> 27, python <module> 27"],
	[8192, "native libffi.so.8.1.2 28538, python make_buffer 9, python Layer.forward.<locals>.<listcomp> 18, python Layer.forward 18, python step 23, python <module> 28"],
	[50, "native libffi.so.8.1.2 28538, python make_buffer 9, python <module> 1, python <module> 30"]]')"
# What a framework's allocator holds before its program ends, and what it had held.
expect tensors '.[0].processes[0].memory.allocators | map([.device, .allocated_bytes, .reserved_bytes, .segments, .blocks, .rising_bytes])' \
	'[[0,28616704,31457280,10,21,13631488],[1,440832,2097152,1,3,0],[2,3258880,23068672,2,4,0],[3,1033728,2097152,1,8,0]]'
expect tensors '.[0].processes[0].memory.allocators[1].map | map([.address, .size, .state, .site[:6]])' \
	'[["0x1100001ca00",323584,"live","site_1"],["0x11000000000",114176,"live","site_0"],["0x1100001be00",3072,"live","site_1"]]'
expect tensors '.[0].processes[0].memory.allocators[1].sites | map([.site[:6], .live_bytes, .blocks])' \
	'[["site_1",326656,2],["site_0",114176,1]]'
expect tensors '.[1].processes[0].memory.allocators | map([.peak_allocated_bytes, .handed_out, .taken_back, .out_of_memory, .live_at_exit_bytes])' \
	'[[51685376,25,1,1,40423936],[1221120,4,0,0,1221120],[4610048,8,1,0,4610048],[1158144,11,1,0,1158144]]'
expect tensors '.[1].events | map(select(.allocator) | [.kind, .asked_bytes, .allocated_bytes, .reserved_bytes, .free_in_segments_bytes])' \
	'[["out-of-memory",1099511627776,30713856,33554432,2840576]]'
expect tensors '.[1].processes[0].failures | map([.call, .error, .count, .frames[1].function])' \
	'[["cudaMalloc","cudaErrorMemoryAllocation",1,"ask"]]'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
