#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Leaks: memory that is kept for a reason is not suspect, memory that is
# forgotten is, while the program runs, at its call site, in its bytes; and what
# a reset or an exit ends is leaked there.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
leaks=$top_builddir/tests/e2e/bin/leaks
[ -x "$leaks" ] || skip "the helpers are not built"

# All at once, since what takes the time is waiting for windows to pass.
scenes='exec >>"$2"; for scene in weights sawtooth ramp drip; do "$1" $scene 7.5 & done; wait; "$1" reset; "$1" exit'
# shellcheck disable=SC2016
"$CUTOP" -b -f json -d 0.1 --leak-age 0.25 --library "$double/libcudart.so.13" -- sh -c "$scenes" sh "$leaks" "$T/said" \
	>"$T/all.json" 2>"$T/err"
status=$?
check "status $status: $(cat "$T/err")" [ "$status" = 0 ]
tail -n 1 "$T/all.json" >"$T/end.json"
expect end '[.lost[]] | add' 0
expect end '[.processes[].inexact] | any' false

# scene NAME: all that was seen of it while it ran, a document per line, in $T/NAME.jsonl; the end in $T/NAME.json
scene() {
	jq -c ".processes[] | select((.arguments | startswith(\"$1\")) and .state == \"running\")" "$T/all.json" >"$T/$1.jsonl"
	jq -c ".processes |= map(select(.arguments | startswith(\"$1\")))" "$T/end.json" >"$T/$1.json"
}

# What was seen of a scene while it ran, as a list: $1: scene, $2: filter, $3: value
expect_while() {
	got=$(jq -c -s "$2" "$T/$1.jsonl" 2>&1)
	check "$1: $2 is $got, not $3" [ "$got" = "$3" ]
}

# How often the scene allocated, as it said itself.
count_of() {
	sed -n "s/^$1 \([0-9]*\) .*/\1/p" "$T/said"
}

for name in weights sawtooth ramp drip reset exit; do
	scene $name
done

# ---- kept for ever, and rightly
expect_while weights 'length > 30' true
expect_while weights '[.[].memory.suspect_bytes] | max' 0
expect_while weights '[.[].memory.live_bytes] | max' 6553600
expect_while weights '[.[].memory.map[].state] | unique' '["live"]'
expect weights 'p.memory | [.leaked_bytes, .live_bytes, .frees]' '[0,0,100]'

# ---- a cache that is emptied now and then
expect_while sawtooth 'length > 30' true
expect_while sawtooth '[.[].memory.suspect_bytes] | max' 0
expect_while sawtooth '[.[].memory.live_bytes] | max > 50000' true
expect sawtooth 'p.memory | [.leaked_bytes, .allocations == .frees]' '[0,true]'
expect sawtooth 'p.memory.allocations' "$(count_of sawtooth)"

# ---- grows, and has grown up: suspect at most for a while, and no more at the end
# The last snapshot may show it in the middle of freeing all, before it ends.
expect_while ramp 'map(select(.memory.frees == 0)) | .[-1].memory.live_bytes' 102400
expect_while ramp 'map(select(.memory.frees == 0)) | .[-1].memory.suspect_bytes' 0
expect_while ramp '[.[] | select(.memory.live_bytes == 102400 and .memory.suspect_bytes == 0)] | length > 5' true
expect ramp 'p.memory.leaked_bytes' 0

# ---- a little is forgotten among much that comes and goes
leaked=$(($(count_of drip) * 4096))
expect_while drip '[.[].memory.suspect_bytes] | max > 0' true
# Most of what is live there, and never more.
expect_while drip '[.[] | .memory.suspect_bytes as $s | .sites[] | select(.site | test("^leak_block\\b")) |
	if $s > .live_bytes then error("more than is live") else $s / (.live_bytes + 1) end] | max > 0.6' true
expect_while drip '[.[].memory.suspect_bytes % 4096] | unique' '[0]'
expect_while drip '[.[].sites[] | select(.suspect_bytes > 0).site | sub("[.+ ].*"; "")] | unique' '["leak_block"]'
expect_while drip '[.[].memory.map[] | select(.state == "suspect").size] | unique' '[4096]'
expect_while drip '[.[] | .memory.suspect_bytes == ([.sites[].suspect_bytes // 0] | add)] | all' true
expect drip 'p.memory | [.live_bytes, .leaked_bytes]' "[0,$leaked]"
expect drip '[p.sites[] | select(.leaked_bytes > 0) | [(.site | sub("[.+ ].*"; "")), .leaked_bytes]]' "[[\"leak_block\",$leaked]]"
# An exit takes away what was suspect.
expect drip 'p.memory.suspect_bytes // 0' 0
expect end '[.events[] | select(.kind == "leak")] | length > 0' true

# ---- ended by a reset, and by the exit
expect reset 'p.memory | [.leaked_bytes, .frees, .live_bytes]' '[30000,1,0]'
expect reset '[p.sites[] | select(.leaked_bytes > 0) | [(.site | sub("[.+ ].*"; "")), .leaked_bytes]] | unique' '[["reset_block",10000]]'
expect reset '[p.sites[].leaked_bytes] | add' 30000
expect exit 'p.memory | [.leaked_bytes, .frees]' '[21,7]'
expect exit '[p.sites[] | select(.leaked_bytes > 0) | [(.site | sub("[.+ ].*"; "")), .leaked_bytes]]' '[["small_block",21]]'
expect exit '[p.memory.map[] | [.size, .state]] | unique' '[[7,"leaked"]]'

finish
