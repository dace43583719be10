#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --probe: functions that the user names are counted and timed, wherever they
# are, at their own price; what they call of CUDA's counts as ever.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

program=$top_builddir/tests/e2e/bin/probed
library=$top_builddir/tests/e2e/bin/libprobed.so.1
[ -x "$program" ] || skip "the program is not built"

# calls NAME: [name, calls, failures] of each probed function, sorted
shown='[p.calls[] | select(.layer == "probe") | [.call, .calls, .failures]] | sort'

# ---- every function of a library, by a glob; results by name and as said
watch all --probe "$library:probed_[jpw]*:returns" --probe "$library:probed_status=status" --probe "$library:probed_negative=negative" \
	--probe "libprobed.so.1:probed_pointer=null" --probe 'probed:cublas*:returns' --probe 'libprobed:probed::scaled::*:returns' \
	--probe "$library:probed_recursive:returns" -- "$program"
expect all "$shown" "$(echo '[["_ZN6probed6scaled5twiceEi",60,null],["cublasProbed_v2",60,6],["probed_jumps",0,null],
	["probed_negative",60,15],["probed_plain",64,null],["probed_pointer",60,30],["probed_recursive",40,null],
	["probed_status",60,20],["probed_wraps",1,null]]' | jq -c 'map(select(.[1] > 0))')"
expect all '[p.failures[] | [.call, .error, .code, .count]] | sort' \
	'[["cublasProbed_v2","error 13",13,6],["probed_negative","error -5",-5,15],["probed_pointer","NULL",0,30],["probed_status","error 7",7,20]]'
expect all '[p.calls[] | select(.layer == "runtime") | [.call, .calls]] | sort' '[["cudaFree",1],["cudaMalloc",1]]'
expect all '[p.memory.allocations, p.memory.frees, p.memory.leaked_bytes]' '[1,1,0]'
expect all '[p.calls[] | select(.layer == "probe") | .seconds > 0 and .mean_seconds > 0 and
	.mean_seconds <= .latency_seconds.max and .latency_seconds.p50 <= .latency_seconds.max] | all' true
expect all 'p.calls as $c | def seconds(n): $c | map(select(.call == n).seconds) | add;
	seconds("probed_wraps") > seconds("cudaMalloc") + seconds("cudaFree")' true
expect all 'p.watched_from' '"start"'
expect_nothing_lost all

# the symbol for scripts, and what it means beside it; what is not mangled has no other name
expect all 'call("_ZN6probed6scaled5twiceEi") | [.name, .signature]' '["probed::scaled::twice","probed::scaled::twice(int)"]'
expect all 'call("probed_plain") | has("name") or has("signature")' false

# ---- a result that is a pointer; none where the user says so
watch null --probe "$library:probed_pointer=null" --probe "$library:cublasProbed_v2=none" -- "$program"
expect null "$shown" '[["cublasProbed_v2",60,null],["probed_pointer",60,30]]'
expect null '[p.failures[] | [.call, .error, .count]]' '[["probed_pointer","NULL",30]]'

# ---- of the table, too: both count
watch both --probe "$double/libcudart.so.13:cudaMalloc" -- "$program"
expect both '[p.calls[] | select(.call == "cudaMalloc") | [.layer, .calls]] | sort' '[["probe",1],["runtime",1]]'

# ---- threads
watch threads --probe "$library:probed_plain" --probe "$library:probed_recursive" -- "$program" 16
expect threads "$shown" '[["probed_plain",1024,null],["probed_recursive",640,null]]'
expect threads '[p.memory.allocations, p.memory.frees]' '[16,16]'
expect_nothing_lost threads

# ---- a library nobody could know ahead, loaded late from elsewhere; the process that had it before
cp "$library" "$T/libelsewhere.so"
mkfifo "$T/hold"
: >"$T/said"
: >"$T/late.err"
: >"$T/late.out"
"$program" load "$T/libelsewhere.so" <"$T/hold" >"$T/said" &
pid=$!
exec 3>"$T/hold"
wait_for 30 grep -q ready "$T/said" || fail "the program does not start"
"$CUTOP" -b -v -f json -d 0.1 -p $pid --probe 'libelsewhere:probed_s*=status' >"$T/late.out" 2>"$T/late.err" 3>&- &
cutop=$!
wait_for 30 grep -q 'libelsewhere.so: 1 functions attached' "$T/late.err" || fail "not attached: $(cat "$T/late.err")"
echo >&3
wait $pid
exec 3>&-
wait_for 30 grep -q '"state":"exited"' "$T/late.out" || fail "its end is not seen"
kill -INT $cutop
wait $cutop
tail -n 1 "$T/late.out" >"$T/late.json"
expect late "$shown" '[["probed_status",60,20]]'
watch dlopened --probe 'libelsewhere:probed_plain' -- env PROBED_LIBRARY="$T/libelsewhere.so" "$program"
expect dlopened '[.processes[] | .calls[] | select(.layer == "probe") | .calls <= 64] | all' true

# ---- one perf link per function, as before Linux 6.6
export CUTOP_ATTACH=perf
watch perf --probe "$library:probed_status=status" --probe "$library:probed_recursive" -- "$program"
unset CUTOP_ATTACH
expect perf "$shown" '[["probed_recursive",40,null],["probed_status",60,20]]'

# ---- outside NVIDIA's libraries only entries are probed: a return probe would kill a program that switches stacks
for method in session multi perf; do
	CUTOP_ATTACH=$method watch fibers-$method --probe "$library:probed_*" --fail-on-leak -- "$program" fibers
	! grep -q CUTOP_ATTACH "$T/fibers-$method.err" || continue # this kernel has no sessions
	check "fibers, $method: status $status" [ "$status" = 0 ]
	expect fibers-$method "$shown" '[["probed_fiber",100,null],["probed_wraps",1,null]]'
	expect fibers-$method 'call("probed_fiber") | [.returns, has("seconds"), has("mean_seconds"), has("latency_seconds")]' '["none",false,false,false]'
	expect fibers-$method '[p.memory.allocations, p.memory.frees]' '[1,1]'
	expect_nothing_lost fibers-$method
done
watch asked --probe "$library:probed_fiber:returns" -- "$program" fibers
check "fibers with the return probe that was asked for are ended by a signal: status $status" [ "$status" -gt 128 ]
"$CUTOP" trace -t -o "$T/entered" --probe "$library:probed_fiber" -- "$program" fibers >"$T/said" 2>&1
check "a trace of entries: $(head -n 2 "$T/entered")" [ "$(grep -c '\[ENTER\] probed_fiber()$' "$T/entered")" = 100 ]
"$CUTOP" -b -n 1 -f openmetrics --probe "$library:probed_fiber" -- "$program" fibers >"$T/metrics" 2>&1
check "metrics: how often: $(grep probed_ "$T/metrics")" grep -q '^cutop_calls_total{.*call="probed_fiber".*} 100$' "$T/metrics"
check "metrics: no times" [ "$(grep -c 'probed_fiber' "$T/metrics")" = 1 ]

# ---- text
site='calls\+0x[0-9a-f]+( at probed\.c:[0-9]+)? \(probed\)$'
"$CUTOP" -b -n 1 --probe "$library:probed_status=status" --probe "$library:probed_plain" -- "$program" >"$T/text"
check "text: a line with failures" grep -Eq '^ +probed_status +60 +[0-9.]+(µ|n|m)?s +[0-9.]+(µ|n|m)?s +[0-9.]+(µ|n|m)?s +20$' "$T/text"
check "text: a line without" grep -Eq '^ +probed_plain +64 .* -$' "$T/text"
check "text: no times where only entries are seen" grep -Eq '^ +probed_plain +64 +- +- +- +-$' "$T/text"
check "text: the failure" grep -Eq "^ +probed_status +20  error 7  first in $site" "$T/text"
# C++: the name and not the symbol, of its failures, too; in a trace as well
mangled="--probe $library:probed::scaled::*=status"
# shellcheck disable=SC2086
"$CUTOP" -b -n 1 $mangled -- "$program" >"$T/text"
check "text: a C++ name: $(cat "$T/text")" grep -Eq '^ +probed::scaled::twice +60 .* 59$' "$T/text"
check "text: its failures" grep -Eq "^ +probed::scaled::twice +1  error [0-9]+  in $site" "$T/text"
check "text: no symbol" [ "$(grep -c _ZN "$T/text")" = 0 ]
if command -v tmux >/dev/null; then
	mux new-session -d -s t -x 120 -y 40 "exec env LC_ALL=C.UTF-8 '$CUTOP' --no-config -d 0.2 $mangled -- sh -c '\"$program\"; sleep 1000'"
	check "the screen: the program" see probed
	mux send-keys -t t 5
	check "the screen: a C++ name" see 'probed::scaled::twice '
	mux kill-server
fi
# shellcheck disable=SC2086
"$CUTOP" trace -o "$T/text" $mangled -- "$program" >"$T/said"
check "trace: a C++ name" grep -Eq ' probed::scaled::twice\(\) = 118 <' "$T/text"
# shellcheck disable=SC2086
"$CUTOP" trace -f json -o "$T/json" $mangled -- "$program" >"$T/said"
got=$(jq -sc '[.[] | select(.layer == "probe") | [.call, .name, .signature]] | unique' "$T/json")
check "trace: JSON: $got" [ "$got" = '[["_ZN6probed6scaled5twiceEi","probed::scaled::twice","probed::scaled::twice(int)"]]' ]
# of a program that makes no CUDA call
"$CUTOP" -b -n 1 --probe 'libc.so.6:opendir:returns' -- ls / >"$T/text" 2>"$T/said"
check "text: a program without CUDA: $(cat "$T/text")" grep -Eq '^ +opendir +1 +[0-9.]+(µ|n|m)?s ' "$T/text"

# ---- traced: a line per call, also where it encloses others
"$CUTOP" trace -f json -o "$T/trace.json" --probe "$library:probed_*:returns" --probe "$library:probed_status=status" \
	--probe "$library:probed_pointer=null" -- "$program" >"$T/said" 2>"$T/trace.err"
traced() {	# "what" JQ-FILTER VALUE, on the list of lines
	got=$(jq -sc "$2" "$T/trace.json" 2>&1)
	check "trace: $1: $got, not $3" [ "$got" = "$3" ]
}
traced "how often" '[.[] | select(.layer == "probe").call] | group_by(.) | map([.[0], length])' \
	'[["probed_negative",60],["probed_plain",64],["probed_pointer",60],["probed_recursive",40],["probed_status",60],["probed_wraps",1]]'
traced "failures" '[.[] | select(.failed and .layer == "probe") | [.call, .result, .code]] | group_by(.) | map([.[0], length])' \
	'[[["probed_pointer","NULL",0],30],[["probed_status",null,7],20]]'
traced "the rest of the results" '[.[] | select(.call == "probed_plain" or .call == "probed_recursive") | has("code")] | any' false
traced "what it encloses" '(map(select(.call == "probed_wraps"))[0].duration_seconds) as $all |
	[.[] | select(.layer == "runtime").duration_seconds] | length == 2 and add < $all' true
traced "nothing lost" '[.[] | select(has("lost")).lost[]] | add' 0
check "trace: nothing said: $(cat "$T/trace.err")" [ ! -s "$T/trace.err" ]
"$CUTOP" trace -E -o "$T/entries" --probe "$library:probed_status" -- "$program" >"$T/said" 2>"$T/trace.err"
check "entries" [ "$(grep -c '\[ENTER\] probed_status()$' "$T/entries")" = 60 ]
check "entries: nothing said: $(cat "$T/trace.err")" [ ! -s "$T/trace.err" ]
"$CUTOP" trace --pairs -o "$T/pairs" --probe "$library:probed_status=status" -- "$program" >"$T/said" 2>"$T/trace.err"
check "pairs: entries" [ "$(grep -c '\[ENTER\] probed_status()$' "$T/pairs")" = 60 ]
check "pairs: ends" [ "$(grep -Ec '\[EXIT\]  probed_status\(\) = [07] <' "$T/pairs")" = 60 ]
"$CUTOP" trace -f chrome -o "$T/chrome" --probe "$library:probed_status=status" -- "$program" >"$T/said"
got=$(jq -c '[(.traceEvents? // .)[] | select(.name == "probed_status") | [.ph, .cat]] | group_by(.) | map([.[0], length])' "$T/chrome")
check "chrome: $got" [ "$got" = '[[["X","probe"],60]]' ]

# ---- recorded
"$CUTOP" record -o "$T/recording" --probe "$library:probed_status=status" -- "$program" >"$T/said" 2>&1
"$CUTOP" -b --replay "$T/recording" -f json | tail -n 1 >"$T/replayed.json"
expect replayed "$shown" '[["probed_status",60,20]]'

# ---- what is not there is said, and nothing hangs
refused() {	# STATUS "pattern" OPTIONS...
	want=$1 pattern=$2
	shift 2
	"$CUTOP" -b -n 1 "$@" -- true >"$T/refused.out" 2>"$T/refused.err"
	got=$?
	check "$*: status $got, not $want" [ $got = "$want" ]
	check "$*: $(cat "$T/refused.err")" grep -q "$pattern" "$T/refused.err"
}
refused 2 'takes LIBRARY:SYMBOL' --probe nonsense
refused 2 'takes LIBRARY:SYMBOL' --probe :symbol
refused 2 'takes LIBRARY:SYMBOL' --probe lib:
refused 2 'status, negative, null or none' --probe lib:symbol=often
refused 1 'defines no such function' --probe "$library:no_such"
refused 1 'No such file' --probe /no/such/file:symbol
refused 1 'not an ELF file' --probe "$top_srcdir/README.md:symbol"
refused 0 'more than 256 functions' --probe 'libc.so.6:str*' --probe 'libc.so.6:mem*' --probe 'libc.so.6:*printf*' --probe 'libc.so.6:*get*'
refused 0 'no process that was watched had such a function' --probe libnowhere:symbol

finish
