#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 2,000 places that call CUDA, as fast as they can: each has its stack and its name, and none is lost. In a snapshot and in a
# trace, while cutop keeps up, and when it comes to look only after all of them have called.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

program=$top_builddir/tests/e2e/bin/many_sites
named='map(sub("[+].*"; "")) | group_by(.) | map([.[0], length])'

# sites NAME: so many places, each with the allocations of 5 rounds
sites() {
	expect "$1" '[p.sites[] | select(.allocations == 5) | .site | capture("^(?<name>site_[0-9]{4})[+]").name] | unique | length' 2000
	expect "$1" 'p.sites | length' 2000
	expect "$1" '[p.sites[].stack | any(startswith("main+"))] | all' true
	expect "$1" '.lost | del(.unanswered) | map_values(select(. > 0))' '{}'
	expect "$1" '[.processes[].inexact] | any' false
}

# calls NAME: of 5 rounds, each place made two calls that have their stack
calls() {
	jq -s -c 'map(select(.stack).stack[0]) | '"$named" "$T/$1.trace" >"$T/$1.json"
	expect "$1" '[.[] | select(.[0] | test("^site_[0-9]{4}$"))] | length' 2000
	expect "$1" 'map(.[1]) | unique' '[10]'
	tail -n 1 "$T/$1.trace" >"$T/$1.json"
	expect "$1" '.lost | del(.unanswered) | map_values(select(. > 0))' '{}'
}

watch snapshot --map none -- "$program" 5 4 20000
sites snapshot
"$CUTOP" trace --stacks -f json -o "$T/trace.trace" -- "$program" 5 4 20000 2>"$T/trace.err" || fail "trace: $(cat "$T/trace.err")"
calls trace

# behind [OPTION...]: cutop is ready, and stopped while the program runs
behind() {
	rm -f "$T/behind.err" "$T/go"	# the last one's: this one's shell may not have begun yet
	mkfifo "$T/go"
	# Of this program alone: while cutop is stopped, what others on the machine do is lost.
	sh -c 'read -r line <"$0"; exec "$@"' "$T/go" "$program" 5 4 20000 &
	sites=$!
	"$CUTOP" "$@" -p $sites --library "$double/libcudart.so.13" >"$T/behind.out" 2>"$T/behind.err" &
	cutop=$!
	wait_for 20 grep -qs 'libcuda.so.1: .*attached' "$T/behind.err" || fail "behind: cutop does not start: $(cat "$T/behind.err")"
	kill -STOP $cutop
	echo >"$T/go"
	wait $sites || fail "the program: status $?"
	kill -CONT $cutop
	kill -INT $cutop
	wait $cutop
}
# The ring has to hold them all, some kilobytes each.
behind -b -v -f json -d 600 --map none --ring-size 64M
tail -n 1 "$T/behind.out" >"$T/late.json"
sites late
behind trace -v --stacks -f json --ring-size 64M -o "$T/late.trace"
calls late

finish
