#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Two cutops watch one process at once: each has the exact figures of the time that it watched, whatever the other does - come,
# go, or be killed.
# shellcheck disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
helpers=$top_builddir/tests/e2e/bin
[ -x "$helpers/loader" ] || skip "the helpers are not built"
private_double "$T/lib"

# come NAME: one more cutop; its pid in $cutop
come() {
	begin "$1" --exact-launches --library "$library" -p "$loader"
}
# step N: the program goes on to its next stop
step() {
	touch "$T/go$1"
	check "step $1: the program does not go on: $(cat "$T/said")" wait_for 30 grep -qx "at$1" "$T/said"
}
# figures NAME ALLOCATIONS FREES SYNCHRONIZES
figures() {
	expect "$1" 'p | [.memory.allocations, .memory.frees, .memory.failed_frees, ([.calls[] | select(.call == "cudaDeviceSynchronize").calls] | add)]' "[$2,$3,0,$4]"
	expect "$1" 'p | [.watched_from, .inexact]' '["attach",false]'
	expect_lost_none "$1"
}

"$helpers/loader" "$library" malloc 1 say ready wait "$T/go1" malloc 10 sync 1 say at1 wait "$T/go2" malloc 20 sync 2 say at2 \
	wait "$T/go3" malloc 40 sync 4 say at3 wait "$T/go4" malloc 80 sync 8 free say at4 wait "$T/go5" malloc 160 sync 16 say at5 wait "$T/go6" \
	>"$T/said" 2>&1 &
loader=$!
check "the program does not start" wait_for 30 grep -qx ready "$T/said"
come first
first=$cutop
step 1
come second
second=$cutop
step 2
come third
third=$cutop
step 3
end second $second
kill -KILL $third
wait $third 2>/dev/null
step 4
come fourth
fourth=$cutop
step 5
# The same at the same time.
both_seen() {
	newest '.processes[0].memory.allocations == 310' first && newest '.processes[0].memory.allocations == 160' fourth
}
check "both see what goes on" wait_for 30 both_seen
end fourth $fourth
touch "$T/go6"
wait $loader
check "the program failed" [ $? = 0 ]
check "the end is seen" wait_for 30 newest '.processes[0].state == "exited"' first
end first $first
# The last frees are of all 151 that were allocated by then; one of them before anybody looked.
figures first 310 150 31
figures second 60 0 6
figures fourth 160 0 16
expect first 'p | [.state, .exit_code, .memory.leaked_bytes]' "[\"exited\",0,$(seq 152 311 | paste -sd + - | sed 's/.*/echo $((&))/' | sh)]"
expect first 'p.memory.unknown_frees' 1
expect_clean "all of them"
finish
