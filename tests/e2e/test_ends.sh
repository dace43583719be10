#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How cutop's probes end: a leased library that is written over while cutop is stopped loses them
# first, and the writer does not wait for the lease to time out; however many libraries are probed, a
# cutop that is killed is gone in a second or two; and if the process that holds the probes is killed,
# or stopped, cutop says so and goes on, or ends.
# shellcheck disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
helpers=$top_builddir/tests/e2e/bin
[ -x "$helpers/loader" ] || skip "the helpers are not built"
[ "$(attach_method)" != perf ] || skip "perf links go when a helper has taken them away"
command -v pgrep >/dev/null || skip "needs pgrep (Debian: apt install procps)"
tiny=$helpers/libcudart.so.99
shifted=$helpers/libcudart-shifted.so
right=$("$helpers/loader" "$shifted" call calculate)

# The process that holds the links of the cutop $1.
guard_of() {
	pgrep -P "$1" -x cutop-guard
}
# How many it holds.
links_of() {
	grep -ls '^link_type:.*uprobe' /proc/"$1"/task/*/fdinfo/* | wc -l
}
# With all its threads: the first of them may be a zombie while others still close links.
is_gone() {
	! cat /proc/"$1"/task/*/status 2>/dev/null | grep '^State:' | grep -qv '^State:.[ZX]'
}
is_stopped() {
	grep -q '^State:.T' "/proc/$1/status"
}
told() {	# NAME TEXT N: there are N lines with it
	[ "$(grep -c "$2" "$T/$1.err")" = "$3" ]
}

# ---- cutop stands still, and a library is written over, whose lease makes the writer wait

mkdir "$T/stopped"
lib=$T/stopped/libcudart.so.99
cp "$tiny" "$lib"
begin stopped --library "$lib"
guard=$(guard_of "$cutop")
kill -STOP "$cutop"
check "it does not stop" wait_for 20 is_stopped "$cutop"
links=$(links_of "${guard:-$cutop}")
(cp "$shifted" "$lib" && touch "$T/written") &
check "the writer waits for a cutop that stands still" wait_for 20 [ -e "$T/written" ]
check "the probes are still on it" [ "$(links_of "${guard:-$cutop}")" -lt "$links" ]
check "cutop was not stopped" is_stopped "$cutop"
for _ in 1 2 3; do
	got=$("$helpers/loader" "$lib" call calculate)
	check "a program calculates $got, not $right" [ "$got" = "$right" ]
done
kill -CONT "$cutop"
check "it is not told: $(cat "$T/stopped.err")" wait_for 20 told stopped "stopped/libcudart.so.99: is being written to" 1
check "no new probes: $(cat "$T/stopped.err")" wait_for 20 told stopped "stopped/libcudart.so.99: 3 functions attached" 2
"$helpers/loader" "$lib" malloc 5 free >/dev/null &
program=$!
wait $program
end
expect_of stopped $program '[.watched_from, .state, .inexact, (.memory | .allocations, .frees)]' '["start","exited",false,5,5]'

# ---- killed with many libraries (CUTOP_TEST_LIBRARIES: how many): the guard closes their links side by side, and if it is killed,
# too, the kernel closes them one after the other, 60 ms each

many=${CUTOP_TEST_LIBRARIES:-24}
set --
for i in $(seq "$many"); do
	mkdir "$T/lib$i"
	cp -L "$double/libcudart.so.13" "$T/lib$i"
	set -- "$@" --library "$T/lib$i/libcudart.so.13"
done
for who in cutop both; do
	begin $who -p $$ "$@"
	guard=$(guard_of "$cutop")
	check "$who: not all are probed: $(cat "$T/$who.err")" told $who "$T/lib[0-9]*/libcudart.so.13: .* attached, 0 refused" "$many"
	check "$who: the guard has no links" [ "$(links_of "${guard:-$cutop}")" -ge $((2 * many)) ]
	check "$who: cutop has links" [ "$(grep -ls '^link_type:.*uprobe' /proc/"$cutop"/fdinfo/* | wc -l)" = 0 ]
	from=$(date +%s%N)
	if [ $who = both ]; then
		kill -KILL "$cutop" "$guard"
	else
		kill -KILL "$cutop"
	fi
	check "$who killed: cutop is still there" wait_for 30 is_gone "$cutop"
	check "$who killed: its probes are still there" wait_for 30 is_gone "${guard:-$cutop}"
	echo "$who killed: gone within $((($(date +%s%N) - from) / 1000000)) ms"
	wait "$cutop" 2>/dev/null
done

# ---- what holds the links is killed: the probes are placed anew, and what ran meanwhile is marked

mkdir "$T/lost"
lib=$T/lost/libcudart.so.99
cp "$tiny" "$lib"
begin lost --library "$lib"
load there "$helpers/loader" "$lib" malloc 3 say ready wait "$T/there.go" malloc 4 free
kill -KILL "$(guard_of "$cutop")"
check "lost: nothing is said: $(cat "$T/lost.err")" wait_for 20 told lost 'cutop-guard. was ended' 1
check "lost: no new probes: $(cat "$T/lost.err")" wait_for 20 told lost "lost/libcudart.so.99: 3 functions attached" 2
"$helpers/loader" "$lib" malloc 5 free >/dev/null &
program=$!
wait $program
touch "$T/there.go"
wait "$loader"
# The new one guards the file as well.
cp "$shifted" "$lib"
check "lost: not guarded: $(cat "$T/lost.err")" wait_for 20 told lost "lost/libcudart.so.99: is being written to" 1
end
expect_of lost $program '[.watched_from, .state, .inexact, (.memory | .allocations, .frees)]' '["start","exited",false,5,5]'
expect_of lost "$loader" '[.watched_from, .memory.allocations]' '["attach",7]'

# ---- it is stopped: cutop does not wait for it for ever

begin stuck --library "$lib"
guard=$(guard_of "$cutop")
kill -STOP "$guard"
check "stuck: it does not stop" wait_for 20 is_stopped "$guard"
kill -INT "$cutop"
check "stuck: cutop waits for what holds its probes" wait_for 40 is_gone "$cutop"
check "stuck: that is left" wait_for 20 is_gone "$guard"
wait "$cutop"
check "stuck: its status" [ $? = 130 ]
tail -n 1 "$T/stuck.out" >"$T/stuck.json"
expect stuck '.schema | type' '"number"'

expect_clean "all of this"
finish
