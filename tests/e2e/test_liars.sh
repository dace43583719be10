#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that lie: absurd sizes, invalid pointers, names full of control bytes, and endless
# kernels, sites, streams, contexts, graphs, errors and devices. cutop survives in bounded memory,
# prints nothing but text, and counts an honest program beside the liar exactly, or marks it.
# LIAR_ROUNDS: how many thousands of each lie (2).
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

liar=$top_builddir/tests/e2e/bin/liar
honest=$top_builddir/tests/e2e/bin/harmed
rounds=${LIAR_ROUNDS:-2}
lies="sizes frees pointers live sites kernels streams contexts graphs handles errors devices modules threads"

# A liar's file and words may lie, too.
evil=$(printf 'li\033[31mar\nx')
cp "$liar" "$T/$evil"

# clean FILE: no control byte but newlines, and valid UTF-8
clean() {
	! LC_ALL=C tr -d '\n' <"$1" | LC_ALL=C grep -q '[[:cntrl:]]' && iconv -f UTF-8 -t UTF-8 "$1" >/dev/null && [ -s "$1" ]
}

honest_books() {
	jq -c '.processes[] | select(.command | endswith("harmed"))' "$1" >"$T/honest.json"
	if [ "$(jq .inexact "$T/honest.json")" = true ]; then
		check "$1: what is lost is counted" jq -e '[.lost[]] | add > 0' "$1"
		return
	fi
	check "$1: the honest one's books" [ "$(jq -c '[(.memory | .allocations, .frees, .live_bytes), (.kernels[] | .launches),
		(.copies[] | .calls, .bytes), ([.calls[].calls] | add)]' "$T/honest.json")" = \
		"[2000,2000,0,2000,2000,128000,10000]" ]
}

for lie in $lies; do
	# shellcheck disable=SC2016
	watch "$lie" --library "$top_builddir/tests/e2e/bin/libharmed.so.1" --library "$T/$evil" -- sh -c '"$1" plain 2000 & "$2" "$3" "$4" "$5"; wait $!' \
		sh "$honest" "$T/$evil" "$lie" "$((rounds * 1000))" "$evil"
	check "$lie: status" [ "$status" = 0 ]
	check "$lie: only text comes out" clean "$T/$lie.json"
	check "$lie: the liar is seen" jq -e '.processes | length == 2 and ([.[].calls[].calls] | add > 10000)' "$T/$lie.json" >"$T/verdict"
	check "$lie: no figure is negative" jq -e '[.. | numbers] | all(. >= 0)' "$T/$lie.json" >"$T/verdict"
	honest_books "$T/$lie.json"
done >"$T/lies.log" 2>&1
cat "$T/lies.log"

# ---- memory: kernels with long names, errors, sites and allocations without end, by liars one after the other
many=$((rounds * 10000))
# shellcheck disable=SC2016
watch many --map none --library "$double/libcuda.so.1" --library "$double/libcudart.so.13" -- sh -c 'for i in 1 2; do "$1" kernels "$2"; "$1" errors 70000; "$1" sites "$2"; "$1" live "$2"; done' sh "$liar" "$many"
check "many: status" [ "$status" = 0 ]
jq -c '[.self.resident_bytes, [.processes[].kernels | length], [.processes[].failures | length], .lost]' "$T/many.json"
check "many: 700 MB are enough" jq -e '.self.resident_bytes < 700e6' "$T/many.json"
check "many: what did not fit is counted" jq -e '.lost | .kernel_rows + .failure_rows + .memory > 0' "$T/many.json"

# ---- call sites without end, while another program makes its first calls: its sites have names
mkfifo "$T/hold"
# shellcheck disable=SC2016
watch beside --map none --library "$liar" --library "$double/libcudart.so.13" -- sh -c '"$0" sites 70000 wait <"$2/hold" >"$2/liar.said" & exec 3>"$2/hold"
	until grep -qx ready "$2/liar.said"; do sleep 0.02; done; "$1"; exec 3>&-; wait' \
	"$liar" "$top_builddir/tests/e2e/bin/site_calls" "$T"
check "beside: status" [ "$status" = 0 ]
# Its path is known only if /proc was read before it ended.
check "beside: the other's site has a name" jq -e '[.processes[] | select(.command | test("(^|/)site_calls$")).sites[].site] | unique |
	length == 1 and (.[0] | startswith("make+"))' "$T/beside.json"

# ---- call sites in code of no file: the mappings of a process are not read for each of them
# Of it alone: names of what else runs on the machine are read, too.
mkfifo "$T/go"
# shellcheck disable=SC2016
sh -c 'read -r line <"$0"; exec "$@"' "$T/go" "$liar" sites "$many" &
sites=$!
begin many_sites -d 1 --map none -p "$sites" --library "$liar"
read_of() {
	sed -n 's/^rchar: //p' "/proc/$cutop/io"
}
before_sites=$(read_of)
echo >"$T/go"
wait "$sites"
check "sites: the end is not seen" wait_for 30 newest '.processes | any(.state != "running")'
check "sites: too much is read" [ $(($(read_of) - before_sites)) -lt 2000000 ]
end many_sites

# ---- every other form
for format in text csv openmetrics "folded --folded-by allocated"; do
	# shellcheck disable=SC2086
	"$CUTOP" -b -f $format -o "$T/out" -- "$T/$evil" all 1 "$evil" >/dev/null 2>&1
	check "$format: status" [ $? = 0 ]
	check "$format: only text comes out" clean "$T/out"
done
for format in text json chrome; do
	"$CUTOP" trace -f $format --args -o "$T/out" -- "$T/$evil" all 1 "$evil" >/dev/null 2>&1
	check "trace -f $format: status" [ $? = 0 ]
	check "trace -f $format: only text comes out" clean "$T/out"
done
"$CUTOP" -b --stacks -f json -n 1 -o "$T/out" -- "$T/$evil" all 1 "$evil" >/dev/null 2>&1
check "--stacks: only text comes out" clean "$T/out"
"$CUTOP" record --trace -o "$T/recording" -- "$T/$evil" all 1 "$evil" >/dev/null 2>&1
check "recording: status" [ $? = 0 ]
"$CUTOP" --replay "$T/recording" -b -f json -n 1 -o "$T/out"
check "recording: only text comes out" clean "$T/out"

finish
