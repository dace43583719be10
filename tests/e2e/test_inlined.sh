#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the compiler inlined are frames of native stacks: the same as addr2line -i says, with their lines, in JSON; sites
# are named by the innermost; --site-skip; as text, folded, in traces and on the screen; from a recording; without stacks.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

program=$top_builddir/tests/e2e/bin/inline_calls
source=$top_srcdir/tests/e2e/inline_calls.c
line_of() {
	grep -n "/\* $1 \*/" "$source" | cut -d : -f 1
}
allocation="inline_calls.c:$(line_of 'the allocation')"
serve="scratch_new at $allocation (inline_calls, inlined)
pool_grow at inline_calls.c:$(line_of 'of the pool') (inline_calls, inlined)
pool_reserve at inline_calls.c:$(line_of reserved) (inline_calls, inlined)
request_serve at inline_calls.c:$(line_of 'of the request') (inline_calls)
all_calls at inline_calls.c:$(line_of 'the first') (inline_calls, inlined)
main at inline_calls.c:$(line_of all) (inline_calls)"
header="header_allocate at allocate.h:5 (inline_calls, inlined)
vector_new at vectors.c:3 (inline_calls, inlined)
header_calls at vectors.c:8 (inline_calls)
all_calls at inline_calls.c:$(line_of 'the fourth') (inline_calls, inlined)
main at inline_calls.c:$(line_of all) (inline_calls)"

# of NAME BYTES: a jq filter for the site of so many bytes
of() {
	echo ".processes[0].sites[] | select(.allocated_bytes == $1)"
}
# program's frames, without offsets
own='map(select(test("\\(inline_calls")) | sub("\\+0x[0-9a-f]+"; "")) | .[:-1]'

watch all -- "$program"
expect_nothing_lost all
for bytes in 400 600; do
	[ $bytes = 400 ] && frames=$serve || frames=$header
	check "$bytes bytes: $(jq -c "$(of $bytes)" "$T/all.json")" [ "$(jq -r "$(of $bytes) | .stack | $own | .[]" "$T/all.json")" = "$frames" ]
done

# ---- each line that addr2line has for these addresses, innermost first

# compare NAME PROGRAM LEAST: facts of the program's frames in NAME's sites are what addr2line says, LEAST of them at least
compare() {
	facts="[.processes[0].sites[].frames[] | select(.module == \"${2##*/}\" and .file)]"
	jq -r "$facts"' | .[] | "\(.function)\n\(.file | sub(".*/"; "")):\(.line)"' "$T/$1.json" >"$T/ours"
	nm -C "$2" | sed -n 's/^\([0-9a-f]*\) [tTwW] /\1\t/p' >"$T/symbols"
	jq -r "$facts"' | .[] | select(.inlined != true) | "\(.offset)\t\(.function)"' "$T/$1.json" |
		while IFS=$(printf '\t') read -r offset function; do
			start=$(awk -F '\t' -v name="$function" '$2 == name { print $1; exit }' "$T/symbols")
			printf '0x%x\n' $((0x$start + offset - 1))
		done >"$T/addresses"
	# shellcheck disable=SC2046
	addr2line -C -i -f -e "$2" $(cat "$T/addresses") | sed 's/ (discriminator.*//; s,^/.*/,,' >"$T/theirs"
	# It calls a C++ function as debug information does, or as its symbol; so there the lines are compared.
	[ "$1" = all ] || sed -i -n 'n; p' "$T/ours" "$T/theirs"
	check "$1: frames are those of addr2line: $(diff "$T/theirs" "$T/ours")" cmp -s "$T/theirs" "$T/ours"
	check "$1: there are too few: $(cat "$T/ours")" [ "$(wc -l <"$T/ours")" -ge "$3" ]
}
compare all "$program" 30
expect all '[p.sites[] | (.stack | length) == (.frames | length)] | all' true
expect all '[p.sites[].frames[] | select(.inlined) | has("offset")] | any' false

# C++: seven functions of templates in each other, and one whose name is mangled. Names of functions that no other file can call are
# not mangled in debug information, so they stand there without their namespace.
cxx=$top_builddir/tests/e2e/bin/native_stacks/native_stacks_cxx
if [ -x "$cxx" ]; then
	watch cxx --stacks -- "$cxx" - 1000 cxx_inlined cxx_lambda
	compare cxx "$cxx" 20
	expect cxx '[p.sites[].frames | map(select(.inlined and .function == "go")) | length] | max' 7
	expect cxx '[p.sites[].frames[] | select(.inlined and .function == "std::function<long (long)>::operator()(long) const")] | length > 0' true
	expect cxx '[p.sites[].stack[] | select(test("^std::function::operator\\(\\) at std_function.h:[0-9]+ \\(native_stacks_cxx, inlined\\)$"))] | length > 0' true
else
	echo "C++ is left out: there is no compiler of it"
fi

# ---- names of sites: they tell the function around an inlined one, since two sites may differ in nothing else

# named NAME LINES: its sites
named() {
	check "$1: sites are $(jq -r "$names" "$T/$1.json")" [ "$(jq -r "$names" "$T/$1.json")" = "$2" ]
}
names='[.processes[0].sites[] | [.allocated_bytes, (.site | sub("\\+0x[0-9a-f]+"; ""))]] | sort | map(map(tostring) | join(" ")) | .[]'
named all "5 no_inlines at inline_calls.c:$(line_of 'by itself') (inline_calls)
30 scratch_new at $allocation in scratch_once (inline_calls)
400 scratch_new at $allocation in request_serve (inline_calls)
600 vector_new at vectors.c:3 in header_calls (inline_calls)"
watch skip --site-skip scratch_new --site-skip 'vector_*' -- "$program"
named skip "5 no_inlines at inline_calls.c:$(line_of 'by itself') (inline_calls)
30 scratch_once at inline_calls.c:$(line_of once) (inline_calls)
400 pool_grow at inline_calls.c:$(line_of 'of the pool') in request_serve (inline_calls)
600 header_calls at vectors.c:8 (inline_calls)"
watch never --stacks=never -- "$program"
named never "5 no_inlines at inline_calls.c:$(line_of 'by itself') (inline_calls)
30 scratch_new at $allocation in scratch_once (inline_calls)
400 scratch_new at $allocation in request_serve (inline_calls)
600 vector_new at vectors.c:3 in header_calls (inline_calls)"
expect never '[p.sites[].stack] | unique' '[null]'
expect never '[p.sites[] | select(.allocated_bytes == 400) | .frames[] | [.function, .inlined]]' \
	'[["scratch_new",true],["pool_grow",true],["pool_reserve",true],["request_serve",null]]'
expect never '[p.sites[] | select(.allocated_bytes == 600) | .frames[] | .function]' '["vector_new","header_calls"]'

# ---- the other outputs, from a recording, whose figures are those above

"$CUTOP" record -o "$T/inlined.cutop" -- "$program" 2>"$T/record.err" || fail "record: $(cat "$T/record.err")"
replayed() {
	"$CUTOP" --replay "$T/inlined.cutop" -b "$@" 2>>"$T/replay.err"
}
replayed -f json | tail -n 1 >"$T/again.json"
sites='[.processes[0].sites[] | del(.address)] | map(.stack |= map(sub("\\+0x[0-9a-f]+"; ""))) | sort_by(.allocated_bytes)'
check "a recording has other stacks: $(jq -c "$sites" "$T/again.json")" [ "$(jq -S "$sites" "$T/again.json")" = "$(jq -S "$sites" "$T/all.json")" ]

replayed -f folded --folded-by allocated >"$T/folded"
root=$(sed -n 's/;.*//p' "$T/folded" | head -n 1)
check "folded: $(cat "$T/folded")" grep -qF "main (inline_calls);all_calls (inline_calls, inlined);request_serve (inline_calls);pool_reserve (inline_calls, inlined);pool_grow (inline_calls, inlined);scratch_new at $allocation (inline_calls, inlined) 400" "$T/folded"
# The site keeps its line, and the call within it.
check "folded: $root: $(cat "$T/folded")" grep -qF ";header_calls (inline_calls);vector_new at vectors.c:3 (inline_calls, inlined);header_allocate at allocate.h:5 (inline_calls, inlined) 600" "$T/folded"

replayed >"$T/text"
lines=$(sed 's/+0x[0-9a-f]*//' "$T/text" | sed -n '/ 400 .*scratch_new at/,/ main at/p' | sed 's/.* cudaMalloc  *//; s/^ *//')
check "the report: $(cat "$T/text")" [ "$lines" = "$(echo "$serve" | sed '1s/ (inline_calls, inlined)/ in request_serve (inline_calls)/')" ]

# Calls that were made before a line was known have none in a trace: they are made until it is.
mkfifo "$T/input"
"$program" again <"$T/input" >/dev/null &
looping=$!
exec 9>"$T/input"
# traced_lines NAME FILTER: makes the calls again; true once FILTER of the trace's text has all frames of the longest stack
traced_lines() {
	echo >&9
	traced=$(cat "$T/$1" 2>/dev/null | eval "$2")
	[ "$(echo "$traced" | tail -n "$(echo "$serve" | wc -l)")" = "$serve" ]
}
# trace NAME FILTER [options]
trace() {
	name=$1
	filter=$2
	shift 2
	"$CUTOP" trace --stacks -o "$T/$name" -p "$looping" "$@" >/dev/null 2>"$T/$name.err" &
	tracer=$!
	wait_for 60 traced_lines "$name" "$filter" || fail "$name: no such frames: $(echo "$traced" | tail -n 20): $(cat "$T/$name.err")"
	kill -INT "$tracer"
	wait "$tracer"
}
trace trace "sed 's/+0x[0-9a-f]*//; s/^    //' | sed -n '/bytes=400/,/^main/p'"
# The last line may be written as it is read.
trace trace.json "jq -R -r 'fromjson? | select(.call == \"cudaMalloc\" and .arguments.bytes == 400) | .stack // [] | $own | .[]'" -f json
exec 9>&-
wait "$looping"

finish
