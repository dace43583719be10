#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Asynchronous copies of pageable memory are marked.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

# ---- pageable memory: marked by direction, said once, and every copy counted
events='[.events[] | select(.kind == "pageable")]'
watch pageable -- "$workload" pageable
expect pageable '[p.copies[] | select(.mode == "async") | [.direction, .calls, .bytes, .pageable]] | sort' \
	'[["D2H",30,3000,null],["H2D",1010,101000,true]]'
expect pageable "$events | map([.call, .device, (.site | test(\"^pageable[+]0x[0-9a-f]+( at [a-z]+[.]c:[0-9]+)? [(]workload[)]\$\"))])" \
	'[["cudaMemcpyAsync",0,true]]'
expect pageable "$events[0].text | test(\"^cudaMemcpyAsync H2D from pageable memory at \")" true
expect pageable '[p.sites[].site | test("^pageable")] | all' true
expect pageable 'p.sites | length' 4
expect_nothing_lost pageable
"$CUTOP" -b -n 1 -- "$workload" pageable >"$T/text.out" 2>"$T/text.err"
check "text: the row is marked" grep -q '^  H2D async .* pageable$' "$T/text.out"

# What is wrong ends the snapshot, before the report, worst first.
"$CUTOP" -b -n 1 -- "$workload" failing 1 >"$T/wrong.out" 2>"$T/wrong.err"
findings=$(grep -A 1 '^! workload ([0-9]*) ' "$T/wrong.out" | sed 's/([0-9]*)/(N)/; s/+0x[0-9a-f]* at many.c:[0-9]*//; s/ [0-9]* times*:/ N times:/; s/had [0-9]*/had N/')
check "text: what is wrong: $findings" [ "$findings" = '! workload (N) found no memory N times: cudaMalloc at failing (workload)
! workload (N) had N failed launches of saxpy: cudaErrorInvalidConfiguration at failing (workload)' ]

# ---- watched from attach: what it allocated before is not known, so nothing is said
rm -f "$T/said" "$T/go"
mkfifo "$T/said" "$T/go"
"$workload" pageable wait <"$T/go" >"$T/said" &
program=$!
exec 5>"$T/go" 4<"$T/said"
read -r word <&4
rm -f "$T/docs"
mkfifo "$T/docs"
"$CUTOP" -b -f json -d 0.1 -p "$program" -o "$T/docs" 2>"$T/err" &
cutop=$!
exec 3<"$T/docs"
read -r line <&3
echo go >&5
wait "$program"
while read -r line <&3; do
	printf '%s\n' "$line" >"$T/late.json"
	[ "$(jq -c '.processes | map(select(.state == "exited")) | length' "$T/late.json")" = 0 ] || break
done
kill "$cutop"
exec 5>&- 4<&-
cat <&3 >/dev/null
exec 3<&-
wait "$cutop"
expect late '[p.copies[] | select(.mode == "async") | [.direction, .calls, .pageable]] | sort' '[["D2H",30,null],["H2D",1010,null]]'
expect late "$events" '[]'
expect late 'p.watched_from' '"attach"'

finish
