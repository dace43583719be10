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

# ---- each lie in turn, and beside each an honest program; what there is to know of them is taken out of the document once
# shellcheck disable=SC2016,SC2086
watch lies --library "$top_builddir/tests/e2e/bin/libharmed.so.1" --library "$T/$evil" -- sh -c 'honest=$1 liar=$2 many=$3 evil=$4; shift 4
	for lie; do "$honest" plain 2000 & "$liar" "$lie" "$many" "$evil"; wait $! || exit; done' \
	sh "$honest" "$T/$evil" "$((rounds * 1000))" "$evil" $lies
check "status" [ "$status" = 0 ]
check "only text comes out" clean "$T/lies.json"
jq -c '{ negative: [.. | numbers | select(. < 0)], lost: ([.lost[]] | add), processes: [.processes | sort_by(.start_time)[] | {
	lie: (if .command | endswith("harmed") then "none" else .arguments | split(" ")[0] end), calls: ([.calls[].calls] | add), inexact,
	books: [(.memory | .allocations, .frees, .live_bytes), (.kernels[] | .launches), (.copies[] | .calls, .bytes)] }] }' "$T/lies.json" >"$T/known"
check_jq "a figure is negative" '.negative == []' "$T/known"
for lie in $lies; do
	check_jq "$lie: the liar is not seen" '[.processes[] | select(.lie == $lie)] | length == 1 and .[0].calls > 0' --arg lie "$lie" "$T/known"
done
check "not an honest program for each" [ "$(jq '[.processes[] | select(.lie == "none")] | length' "$T/known")" = "$(echo "$lies" | wc -w)" ]
check_jq "the honest ones' books: $(jq -c '[.processes[] | select(.lie == "none")]' "$T/known")" \
	'[.processes[] | select(.lie == "none" and (.inexact | not)) | .books == [2000,2000,0,2000,2000,128000] and .calls == 10000] | all' "$T/known"
check_jq "what is lost is not counted" '.lost > 0 or ([.processes[] | select(.lie == "none").inexact] | any | not)' "$T/known"

# ---- memory: kernels with long names, errors, sites and allocations without end, by liars one after the other
many=$((rounds * 10000))
# Their document has 150 MB: what is asked of it stands at its beginning.
# shellcheck disable=SC2016
"$CUTOP" -b -f json -n 1 -o "$T/many.out" --map none --library "$double/libcuda.so.1" --library "$double/libcudart.so.13" -- \
	sh -c 'for i in 1 2; do "$1" kernels "$2"; "$1" errors 70000; "$1" sites "$2"; "$1" live "$2"; done' sh "$liar" "$many"
status=$?
check "many: status" [ "$status" = 0 ]
echo "{$(head -c 4000 "$T/many.out" | grep -o '"resident_bytes":[0-9]*\|"lost":{[^}]*}' | paste -sd,)}" | tee "$T/many.json"
check_jq "many: 700 MB are not enough" '.resident_bytes < 700e6' "$T/many.json"
check_jq "many: what did not fit is not counted" '.lost | .kernel_rows + .failure_rows + .memory > 0' "$T/many.json"

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

# ---- one that was not asked for: cutop does not look at its calls, so what they would lose is not lost
# (Of a user's own, since tests beside this one lose some on purpose.)
as_own="setpriv --reuid 61347 --regid 61347 --clear-groups"
mkdir "$T/unasked"
cp "$liar" "$honest" "$top_builddir/tests/e2e/bin/libharmed.so.1" "$T/unasked"
chmod -R a+rX "$T/unasked"
chmod a+x "$T"
mkfifo "$T/later"
# shellcheck disable=SC2086
begin unasked -d 0.1 -u 61347 -c '*harmed*' --library "$T/unasked/liar" --library "$T/unasked/libharmed.so.1"
# shellcheck disable=SC2086
$as_own "$T/unasked/liar" pointers 2000 later <"$T/later" >"$T/later.said" 2>&1 &
later=$!
exec 3>"$T/later"
check "unasked: the liar does not begin: $(cat "$T/later.said")" wait_for 20 grep -qx ready "$T/later.said"
# cutop has heard of it before a snapshot that it begins later.
seen=$(wc -l <"$T/unasked.out")
check "unasked: no further snapshots" wait_for 20 eval "[ \"\$(wc -l <'$T/unasked.out')\" -ge $((seen + 3)) ]"
echo >&3
exec 3>&-
wait "$later"
# shellcheck disable=SC2086
LD_LIBRARY_PATH=$T/unasked $as_own "$T/unasked/${honest##*/}" plain 20 >"$T/honest.said" 2>&1
check "unasked: the other is not seen: $(cat "$T/honest.said" "$T/unasked.err")" wait_for 20 newest '[.processes[].state] == ["exited"]'
end unasked
expect unasked 'p | [.inexact, .memory.allocations]' '[false,20]'
expect_nothing_lost unasked

# ---- every other form, of what was recorded once
"$CUTOP" record --trace --stacks --args -o "$T/recording" -- "$T/$evil" all 1 "$evil" >/dev/null 2>&1
check "recording: status" [ $? = 0 ]
for format in text csv json openmetrics "folded --folded-by allocated"; do
	# shellcheck disable=SC2086
	"$CUTOP" --replay "$T/recording" -b -f $format -o "$T/out" >/dev/null 2>&1
	check "$format: status" [ $? = 0 ]
	check "$format: only text comes out" clean "$T/out"
done
for format in text json chrome; do
	"$CUTOP" trace --replay "$T/recording" -f $format -o "$T/out" >/dev/null 2>&1
	check "trace -f $format: status" [ $? = 0 ]
	check "trace -f $format: only text comes out" clean "$T/out"
done

finish
