#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a program pays for being watched, and what is given up of it to keep within --budget: said everywhere, counted exactly before
# and after, memory always, and taken back when there is room.
# shellcheck disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
payer=$top_builddir/tests/e2e/bin/payer
[ -x "$payer" ] || skip "the helpers are not built"

# pay NAME ARGUMENTS...: starts it; what it says is in $T/NAME.said, what it reads comes from descriptor 4, 5, ..., as $descriptor is
pay() {
	mkfifo "$T/$1.in"
	pay_name=$1
	shift
	"$payer" "$@" <"$T/$pay_name.in" >"$T/$pay_name.said" &
	pid=$!
	eval "exec $descriptor>'$T/$pay_name.in'"
	wait_for 20 grep -qx ready "$T/$pay_name.said"
}

given='.processes[0].given_up | map(.what)'

# ---- blocks, of another cutop: they are tried after a minute, and stay if the program does less by then
descriptor=5
pay blocks 0 150 0
blocks=$pid
begin blocks -d 0.5 --budget 10 --no-python --stacks=never -p "$blocks" --library "$double/libcudart.so.13"
blocks_cutop=$cutop

# ---- screens: of the usual budget, and of the one of a settings file
# (Nothing is pressed. Endless input would wait for cutop to read, and cutop for its output to be read, which script does after.)
mkfifo "$T/keys"
exec 7<>"$T/keys"
printf '[screen]\npane = Log\nbudget = 0\n' >"$T/unlimited"
printf '[screen]\npane = Log\n' >"$T/usual"
for settings in unlimited usual; do
	TERM=xterm env -u CUTOP_BUDGET script -qfc "stty rows 24 cols 160; exec $CUTOP --config $T/$settings -d 0.5 --no-python --stacks=never -p $blocks \
		--library $double/libcudart.so.13" "$T/$settings.screen" <&7 >"$T/$settings.errors" 2>&1 &
done

# ---- all kinds
# (calls that last, so that it is inside of one when their probes go)
descriptor=4
export CUDA_DOUBLE_DELAY=cudaGetLastError=10us
pay all 100 100 100
unset CUDA_DOUBLE_DELAY
all=$pid
begin all -d 0.5 --budget 10 --calls all --no-python --stacks=never -p "$all" --library "$double/libcudart.so.13"
all_cutop=$cutop

# ---- allocations and frees are exact, whatever is given up: a program that starts after its file is watched
descriptor=6
private_double "$T/private"
mkfifo "$T/exact.in"
: >"$T/exact.said"
# shellcheck disable=SC2016
begin exact -d 0.5 --budget 10 --calls all --no-python --stacks=never --library "$T/private/libcudart.so.13" -- \
	sh -c 'export LD_LIBRARY_PATH="$1"; exec "$0" 100 0 100 <"$2.in" >"$2.said"' "$payer" "$T/private:$top_builddir/tests/e2e/bin/torch" "$T/exact"
exec 6>"$T/exact.in"
check "exact: it does not start" wait_for 20 grep -qx ready "$T/exact.said"
exact_cutop=$cutop

# ---- blocks first: what they wait for is a minute
check "blocks: they are not given up" wait_for 40 newest "($given) == [\"blocks\"]" blocks
echo few >&5
check "usual: a screen gives nothing up" wait_for 40 grep -q 'blocks of its allocators are not watched' "$T/usual.screen"
check "unlimited: the settings' budget is not taken" sh -c "! grep -q 'not watched' '$T/unlimited.screen'"
check "unlimited: it shows nothing" grep -q payer "$T/unlimited.screen"
for settings in unlimited usual; do
	pkill -f -- "--config $T/$settings "
done

check "all: not all of it is given up: $(tail -n 1 "$T/all.out" | jq -c '.processes[0] | .cost, .given_up')" \
	wait_for 40 newest "($given) == [\"blocks\",\"calls\",\"launches\"]" all
# By what cutop says of itself: when it began, and since when something is given up; its first second may have begun late.
check "all: what it pays is not known, or something is given up before 10 s" jq -e -s '
	(first | (.time | sub("[.][0-9]+"; "") | fromdate) - .elapsed_seconds) as $began |
	any(.processes[0].cost > 0.2) and ([.[].processes[0].given_up[]?.since] | min) - $began >= 9' "$T/all.out" >"$T/verdict"
check "all: it still pays" wait_for 40 newest '.processes[0].cost < 0.12' all
check "all: no window shows launches" wait_for 30 newest '[.processes[0].kernels[].launches_per_second] | add > 0' all
echo tell >&4
check "all: it says nothing" wait_for 20 grep -q '^\[' "$T/all.said"
end all "$all_cutop"
echo end >&4
wait "$all"
expect_of all "$all" '[.watched_from, .inexact, .state]' '["attach",false,"running"]'
expect_of all "$all" '.memory | .allocations - .frees <= 1 and .live_bytes <= 1048576 * 4' true
expect_of all "$all" '[.given_up[] | .since | type] | unique' '["number"]'
expect all '[.events[] | select(.kind == "budget") | .text | sub("^[^:]*: "; "")]' \
	'["blocks of its allocators are not watched, to keep within --budget","calls that are only counted are not watched, to keep within --budget","launches are watched in one second of several, to keep within --budget"]'
told=$(grep '^\[' "$T/all.said")
# Fewer than there were, since most were not watched.
expect_of all "$all" "[.kernels[].launches] | add > 0 and add < $(echo "$told" | jq '.[0]')" true
expect all '[.lost | to_entries[] | select(.value > 0)]' '[]'

check "exact: launches are not given up" wait_for 40 newest "($given) == [\"calls\",\"launches\"]" exact
echo few >&6
check "exact: launches are not taken back" wait_for 60 newest "($given) == [\"calls\"]" exact
echo tell >&6
check "exact: it says nothing" wait_for 20 grep -q '^\[' "$T/exact.said"
echo end >&6
wait "$exact_cutop"
tail -n 1 "$T/exact.out" >"$T/exact.json"
told=$(grep '^\[' "$T/exact.said")
expect exact 'p | [.watched_from, .inexact, .state]' '["start",false,"exited"]'
expect exact "p.memory | .allocations >= $(echo "$told" | jq '.[3]') and .frees == .allocations" true
expect exact 'p.memory | [.unknown_frees, .leaked_bytes]' '[0,0]'
expect exact '[.lost | to_entries[] | select(.value > 0)]' '[]'

check "blocks: they are not taken back" wait_for 100 newest "($given) == []" blocks
check "blocks: their totals are not what the allocator says" wait_for 20 newest '.processes[0].memory.tensors_bytes == 0' blocks
end blocks "$blocks_cutop"
echo end >&5
wait "$blocks"
expect blocks '[.lost | to_entries[] | select(.value > 0)]' '[]'
finish
