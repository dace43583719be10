#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Do no harm: programs under seccomp filters or tracers, with signals on small stacks, with a
# thousand threads, that leave calls by siglongjmp or are cancelled inside them, run to their end as
# if unwatched, and the figures are right. Where return probes would kill (that is forced), there are
# none, and programs are counted all the same.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

harmed=$top_builddir/tests/e2e/bin/harmed
thrower=$top_builddir/tests/e2e/bin/thrower

# books NAME ROUNDS: all that ROUNDS rounds did is in the books, and nothing is lost
books() {
	expect "$1" '[.processes[] | select(.calls != [])] | map([(.memory | .allocations, .frees, .live_bytes, .leaked_bytes, .unknown_frees),
		(.kernels | map(.launches) | add), (.copies | map(.calls, .bytes)[]), (.calls | map(.calls, .failures) | add)]) | .[0]' \
		"[$2,$2,0,0,0,$2,$2,$((64 * $2)),$((5 * $2))]"
	expect_nothing_lost "$1"
}

# unreturned NAME ROUNDS WHY: the same where no return is seen
unreturned() {
	expect "$1" 'p | [.no_returns, has("memory"), (.kernels[] | .name, .launches, .returns), (.copies[] | .calls, .bytes, has("failures")),
		([.calls[] | .calls] | add), ([.calls[] | .returns] | unique[]), .failures, .synchronize]' \
		"[\"$3\",false,\"hurt\",$2,\"none\",$2,$((64 * $2)),false,$((5 * $2)),\"none\",[],{}]"
	expect_nothing_lost "$1"
}

# harmless NAME ROUNDS: such a program, which was queued
harmless() {
	queued_status "$1" 0
	books "$1" "$2"
}

# harmless_alone NAME ROUNDS [cutop options] -- WHAT...
harmless_alone() {
	name=$1
	rounds=$2
	shift 2
	watch "$name" "$@"
	check "$name: unharmed" [ "$status" = 0 ]
	books "$name" "$rounds"
}

# unprobed NAME WHAT: thrower's status is 0; unless another cutop watches everything here, and so probes it, too: its probes come
# and go at any time
unprobed() {
	name=$1 others=
	for _ in 1 2 3 4 5; do
		watch "$name" --returns=never -- "$thrower" "$2"
		[ "$status" != 0 ] || return 0
		"$thrower" "$2" 2>/dev/null || others=yes
	done
	[ -n "$others" ] && echo "not tried: $2 without return probes, since another cutop has placed some"
}

"$harmed" break 3 >/dev/null
[ $? != 1 ] || skip "a process may not be traced here"

# Those of which nothing is lost run below one cutop.
known="--library $top_builddir/tests/e2e/bin/libharmed.so.1"
for options in "" --stacks; do
	queue filter "$harmed" filter 50
	queue altstack "$harmed" altstack 50
	queue threads "$harmed" threads 1000 5
	if [ -z "$options" ]; then
		queue strict "$harmed" strict 50
		queue late "$harmed" late 50
		queue step "$harmed" step 20
		queue break "$harmed" break 20
		queue exec "$harmed" exec 8
	fi
	# shellcheck disable=SC2086
	watch_queue harmless $known $options
	harmless filter 50
	harmless altstack 50
	harmless threads 5000
done
harmless strict 50
harmless late 100
harmless step 20
harmless break 20

# ---- signals: a handler's calls are the program's own, whatever they interrupt
watch signals -- "$harmed" signals 500
check "signals: unharmed" [ "$status" = 0 ]
all=$(grep -v '^{' "$T/signals.out")
if jq -e '.processes[0].inexact' "$T/signals.json" >/dev/null; then
	expect signals '.lost.returns > 0' true
else
	books signals "$all"
fi

# ---- calls that are left: they are lost, the others are not
for left in escape cancel; do
	watch $left -- "$harmed" $left 20
	check "$left: unharmed" [ "$status" = 0 ]
	expect $left '.lost.returns, ([.lost[]] | add), p.inexact' "20
20
true"
done
expect escape 'p.memory | [.allocations, .frees, .live_bytes]' '[40,40,0]'
expect cancel 'p.memory | [.allocations, .frees, .live_bytes]' '[20,20,0]'

# Waits in a handler that is left, and calls left in a wait: the wait goes on, or ends, with the call that waits.
expect escape "p.synchronize.seconds <= $(grep -x '[0-9.]*' "$T/escape.out")" true
watch waits -- "$harmed" waits 20
check "waits: unharmed" [ "$status" = 0 ]
read -r least most <<END
$(grep '^[0-9.]* [0-9.]*$' "$T/waits.out")
END
expect waits "p.synchronize.seconds | . >= $least and . <= $most" true

# ---- what is not known without returns is not shown as nothing, in no form
"$CUTOP" -b -n 1 --returns=never -- "$harmed" plain 5 >"$T/never.text" 2>&1
check "text: failures of a kernel: $(grep 'hurt ' "$T/never.text")" grep -q 'hurt .* -$' "$T/never.text"
check "text: failures of a copy: $(grep 'H2D sync' "$T/never.text")" grep -q 'H2D sync .* -$' "$T/never.text"
"$CUTOP" -b -n 1 --returns=never -f openmetrics -- "$harmed" plain 5 >"$T/never.metrics" 2>&1
check "metrics: copies are there" grep -q '^cutop_process_copy_bytes_total{' "$T/never.metrics"
check "metrics: $(grep '^cutop_process_copy_[fsp]' "$T/never.metrics")" sh -c '! grep -q "^cutop_process_copy_[fsp]" "$1"' - "$T/never.metrics"

# ---- another program is run while threads are inside calls: they end with the old one, which loses nothing
queued_status exec 0
expect exec '[.processes[] | [.ended, .inexact, .memory.allocations]] | sort' '[["exec",false,0],["exit",false,1]]'
expect_nothing_lost exec

# ---- kernels that whoever a process was forked from has registered have their names, also once that one has ended
watch fork -- "$harmed" fork 3
check "fork: unharmed" [ "$status" = 0 ]
expect fork '[.processes[] | select(.memory.allocations > 0) | .memory.allocations, (.kernels[] | .name, .launches)]' '[3,"hurt",3,3,"hurt",3,3,"hurt",3]'
expect_nothing_lost fork
"$CUTOP" -b -f json -d 0.1 --library "$top_builddir/tests/e2e/bin/libharmed.so.1" -- sh -c '"$0" orphan 4 | cat' "$harmed" >"$T/orphan.out" 2>"$T/orphan.err"
tail -n 1 "$T/orphan.out" >"$T/orphan.json"
expect orphan '[.processes[] | select(.memory.allocations > 0) | .memory.allocations, (.kernels[] | .name, .launches)]' '[5,"hurt",4]'
expect_nothing_lost orphan

# ---- a program that becomes the user who is watched is watched from then on, and late
watch nobody -u nobody -- "$harmed" nobody 5
check "nobody: unharmed" [ "$status" = 0 ]
expect nobody 'p | [.watched_from, .user, .memory.allocations, .memory.frees]' '["attach","nobody",5,5]'

# ---- a trace of them
"$CUTOP" trace -t -o "$T/trace" -- "$harmed" filter 50
check "trace: unharmed" [ $? = 0 ]
check "trace: 250 calls" [ "$(grep -c ' = cudaSuccess' "$T/trace")" = 250 ]

# ---- what the kernel's return probes cannot do, and the way out
if [ -x "$thrower" ]; then
	queue thrown "$thrower" throw
	queue traced "$thrower" backtrace
	queue nested "$thrower" nest 100
	watch_queue thrower --library "$thrower"
	check "an exception ends the program where returns are probed" [ "$(cat "$T/thrown.status")" = 134 ]
	check "without return probes it does not" unprobed spared throw
	expect spared 'p | [.no_returns, .calls[0].call]' '["asked","cudaDeviceSynchronize"]'
	check "backtrace() ends at the trampoline" [ "$(cat "$T/traced.status")" = 1 ]
	check "without return probes it does not end" unprobed whole backtrace
	check "a hundred calls within each other" [ "$(cat "$T/nested.status")" = 0 ]
fi

# ---- where return probes would kill a program, none are placed
export CUTOP_TEST_KILLS=seccomp
for kind in filter strict late plain; do
	queue $kind-refused "$harmed" $kind 50
done
queue inherited "$harmed" inherited 50
# shellcheck disable=SC2086
watch_queue refused $known
for kind in filter strict plain; do
	queued_status $kind-refused 0
	unreturned $kind-refused 50 seccomp
	expect $kind-refused '[.events[] | select(.kind == "no-returns").text | test("seccomp filter")]' '[true]'
done
# One that was refused before its kernels were registered.
queued_status inherited 0
expect inherited '[.processes[] | select(.kernels | length > 0) | .no_returns, (.kernels[] | .name, .launches)]' '["seccomp","hurt",50]'
queued_status late-refused 0
expect late-refused 'p | [.no_returns, (.kernels[] | .launches), (.copies[] | .calls)]' '["seccomp",100,100]'

"$CUTOP" -b -- "$harmed" filter 5 >"$T/text" 2>&1
check "the report says so" grep -q 'returns were not probed is not known' "$T/text"
check "the report claims nothing" grep -q 'no leak that could be seen' "$T/text"
"$CUTOP" -b --fail-on-leak -- "$harmed" filter 5 >/dev/null 2>"$T/text"
check "a leak test does not pass for it" [ $? = 1 ]
check "and says why" grep -q 'cannot answer: the returns' "$T/text"
"$CUTOP" -b -f openmetrics -- "$harmed" filter 5 >"$T/text" 2>&1
check "metrics say so" grep -q '^cutop_process_no_returns{.*} 1$' "$T/text"
check "metrics claim nothing" sh -c '! grep -q "^cutop_process_allocations_total{" "$1"' sh "$T/text"
"$CUTOP" trace -t -o "$T/trace" -- "$harmed" filter 50
check "trace refused: unharmed" [ $? = 0 ]
check "trace refused: the calls' entries" [ "$(grep -c 'cuda[A-Za-z]*(' "$T/trace")" = 250 ]
check "trace refused: no returns" [ "$(grep -c ' = ' "$T/trace")" = 0 ]
"$CUTOP" doctor -f json >"$T/doctor.json" 2>/dev/null
expect doctor '[.checks[] | select(.name == "seccomp") | [.state, (.text | test("none are placed"))]]' '[["warning",true]]'

# The user knows better.
harmless_alone always 50 --returns=always -- "$harmed" filter 50

# The same without sessions.
export CUTOP_ATTACH=multi
if [ -n "$(attach_method)" ]; then
	watch none -- "$harmed" plain 50
	check "no sessions: unharmed" [ "$status" = 0 ]
	unreturned none 50 seccomp
	check "no sessions: it is said, with the way out" grep -q 'give --returns=always' "$T/none.err"
	harmless_alone multi_always 50 --returns=always -- "$harmed" filter 50
fi
export CUTOP_TEST_KILLS=shadow_stack
if ! grep -qs '^x86_Thread_features:.*shstk' /proc/[0-9]*/status; then
	harmless_alone no_shadows 50 -- "$harmed" plain 50
	export GLIBC_TUNABLES=glibc.cpu.x86_shstk=on
	watch shadows -- "$harmed" plain 50
	unset GLIBC_TUNABLES
	unreturned shadows 50 shadow_stack
fi

finish
