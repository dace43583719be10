#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every recording of this folder, in every format, is what it was. A format is a
# line at the end; regenerate.sh writes the expected files.
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

# $1: how the expected file's name ends; the rest: the mode, if any, and options. The version of cutop is no matter of formats.
format() {
	suffix=$1
	shift
	for recording in "$here"/*.cutop; do
		name=$(basename "$recording" .cutop).$suffix
		"$CUTOP" "$@" --replay "$recording" >"$T/raw" 2>"$T/err"
		status=$?
		case $suffix in
		*json) jq . "$T/raw" ;;		# a line per member, for who reads the difference
		*) cat "$T/raw" ;;
		esac | sed 's/"version": "[^"]*"/"version": "0"/; s/version="[^"]*"/version="0"/' >"$T/$name"
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
	done
}

format txt -b
format sparse.txt -b -d 4 --ascii
format json -b -f json -d 4
format csv -b -f csv
format folded -b -f folded
format openmetrics -b -f openmetrics -n 1 -d 1000
format trace.txt trace
format trace.json trace -f json
format chrome.json trace -f chrome
format leaked.folded -b -f folded --folded-by leaked
format tensors.folded -b -f folded --folded-by tensors

[ -n "${REGENERATE:-}" ] || echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
