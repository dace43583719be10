#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How many calls a second cutop trace takes into a file with nothing lost, and
# what a traced call costs the program: a program that does nothing but call is
# run alone, then traced in each format.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

calls=${CALLS:-1000000}
program=$build/tests/e2e/bin/traced_calls

# The program's own time for its calls, in ns, is the last line of its standard error.
alone=$("$program" burst "$calls" 2>&1 | tail -n 1)
printf '%-22s %12s %12s %10s\n' trace calls/s 'ns per call' lost
row() {
	title=$1
	shift
	"$build/src/cutop" trace --calls devices "$@" -o "$out/trace" -- "$program" burst "$calls" 2>"$out/err" >/dev/null
	inside=$(grep -x '[0-9]*' "$out/err" | tail -n 1)
	lost=$(sed -n 's/.*traced_calls \([0-9]*\).*/\1/p' "$out/err")
	unwritten=$(sed -n 's/.*unwritten \([0-9]*\).*/\1/p' "$out/err")
	awk -v t="$title" -v n="$calls" -v i="$inside" -v a="$alone" -v l="$((${lost:-0} + ${unwritten:-0}))" \
		'BEGIN { printf "%-22s %12.0f %12.0f %10d\n", t, n / i * 1e9, (i - a) / n, l }'
}

row "text"
row "text, entries only" -E
row "text, pairs" --pairs
row "text, stacks" --stacks
row "json" -f json
row "chrome" -f chrome
