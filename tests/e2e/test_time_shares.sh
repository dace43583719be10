#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the time goes: programs whose calls take at least a known time, because the double sleeps in them. How much longer depends
# on the machine: of the rest at least a part is known, too, and all parts are the whole.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

# between NAME FILTER LEAST MOST
between() {
	expect "$1" "$2 | . >= $3 and . <= $4" true || jq -c "$2" "$T/$1.json"
}
whole='(p.time | (.seconds | add) - .wall_seconds | fabs) < 0.02 * p.time.wall_seconds + 0.02'

# ---- waits, and the rest of the time
CUDA_DOUBLE_DELAY=cudaDeviceSynchronize=1s
export CUDA_DOUBLE_DELAY
watch waits -- "$workload" launches 10 1
expect waits 'p.time.threads' 1
between waits 'p.time.seconds.sync' 1 "$(jq '.processes[0].time.wall_seconds' "$T/waits.json")"
between waits 'p.time.seconds.sync - p.synchronize.seconds' -0.001 0.001
expect waits "$whole" true
expect_nothing_lost waits

# ---- launches: with 1 in 67 timed, as much as with all of them
CUDA_DOUBLE_DELAY=cudaLaunchKernel=2ms
for how in "" --exact-launches; do
	# shellcheck disable=SC2086
	watch "launches$how" $how -- "$workload" launches 603 1
	# At least what the double sleeps, and what it would be if all had taken as long as the longest.
	expect "launches$how" 'p | .time.seconds.launch >= 1.2 and .time.seconds.launch <= 603 * .kernels[0].latency_seconds.max' true
	between "launches$how" 'p.time.launch_gaps.samples' 8 10
	between "launches$how" 'p.time.launch_gaps.histogram | add' 500 670
	between "launches$how" 'p.time.launch_gaps.latency_seconds | .p50' 0 0.001
	expect "launches$how" "$whole" true
done
expect launches--exact-launches 'p.time.launch_sampled' false
expect launches--exact-launches '(p.kernels[0] | .latency_samples) == 603' true
case $(attach_method) in
session) expect launches 'p.time.launch_sampled' true ;;
esac

# ---- copies, by several threads or one: not waits
CUDA_DOUBLE_DELAY=cudaMemcpy=50ms
watch copies -- "$workload" copies
between copies 'p.time.seconds.copy' 0.05 60
between copies 'p.time.seconds.copy - ([p.copies[].seconds] | add)' -0.001 0.001
expect copies "$whole" true

# ---- a call that takes several intervals counts in each of them, while it runs: of each class
# during NAME PART CALL=DELAY WORKLOAD...
during() {
	name=$1 part=$2
	CUDA_DOUBLE_DELAY=$3
	shift 3
	"$CUTOP" -b -f json -d 0.2 -o "$T/$name.out" -- "$@" >"$T/$name.err" 2>&1
	jq -cs . "$T/$name.out" >"$T/$name.json"
	expect "$name" "[.[].processes[].time | select(.share.none).share | .sync + .copy + .launch + .other] | all(. < 1.001)" true
	# But for those in which it begins, and ends.
	expect "$name" "[.[:-1][].processes[].time.share.$part // 0 | select(. > 0)][1:-1] | length > 0 and all(. > 0.95)" true
	# Before it returned, too, it was in the sum.
	expect "$name" "[.[:-1][].processes[] | select([.calls[].calls] | add // 0 | . < 5).time.seconds.$part] | max > 0.5" true
	expect "$name" "map(.whole_run) | .[-1] and (.[:-1] | any | not)" true
	expect "$name" ".[-1].processes[0].time | (.share.$part - .seconds.$part / .wall_seconds | fabs) < 0.001 and .seconds.$part > 1.3" true
}
during allocating other cudaMalloc=1300ms "$workload" pairs 1 1000
during copying copy cudaMemcpy=1300ms "$workload" brief
during launching launch cudaLaunchKernel=1300ms "$workload" launches 1 1

# ---- so does a call inside which the program is killed
CUDA_DOUBLE_DELAY=cudaLaunchKernel=600s
start killed -b -f json -d 0.1 --library "$double/libcudart.so.13" -- sh -c "'$workload' launches 1 1 & echo \$! >'$T/killed.pid'; wait"
begun=killed
running='.processes[] | select(.kernels | length > 0) | .time'
check "killed: the call does not show while it runs" wait_for 60 newest "$running | .share.launch > 0.95 and .seconds.launch > 0.5"
kill -KILL "$(cat "$T/killed.pid")"
wait "$cutop"
jq -cs '.[-1].processes |= map(select(.kernels | length > 0)) | .[-1]' "$T/killed.out" >"$T/killed.json"
expect killed 'p | [.state, .signal]' '["exited",9]'
shown=$(jq -s "[.[:-1][] | $running.seconds.launch] | max" "$T/killed.out")
expect killed "p.time | .seconds.launch >= $shown and .seconds.launch <= .wall_seconds + 0.001" true
expect killed 'p.time | .share.launch - .seconds.launch / .wall_seconds | fabs < 0.001' true
expect killed "$whole" true

# ---- the final snapshot is of the whole run, whatever the last interval was
CUDA_DOUBLE_DELAY=cudaStreamSynchronize=100ms
watch whole -d 0.2 -- "$workload" sync 10 100000
expect whole '.whole_run' true
expect whole 'p.time.wall_seconds - .interval_seconds | fabs < 0.001' true
# It sleeps as long between its waits.
expect whole 'p.time | [.seconds.sync, .seconds.none] | all(. >= 1)' true
expect whole "$whole" true
expect whole 'p.time | .wall_seconds as $wall | .seconds as $all | .share | to_entries | all(.value - $all[.key] / $wall | fabs < 0.001)' true
expect whole 'p | (.synchronize | .share * .seconds > 0) and (.synchronize.share - .time.share.sync | fabs < 0.001)' true
expect whole 'p | .time.wall_seconds as $wall | .kernels[0] | .launches_per_second * $wall - 10 | fabs < 0.01' true

# ---- without return probes there are no times
unset CUDA_DOUBLE_DELAY
watch never --returns=never -- "$workload" launches 10 1
expect never 'p | has("time")' false

# ---- text says it in words; a verdict needs the driver's figures, which there are not
"$CUTOP" -b -n 1 -o "$T/text" -- "$workload" launches 1000 1 >/dev/null 2>&1
check "whose time it is" sh -c 'head -n 1 "$1" | grep -Eq "  whole run, [0-9.]+m?s$" && ! grep -q "(in all)" "$1"' sh "$T/text"
check "the line TIME" grep -Eq '^  TIME  sync [0-9]+%  copy [0-9]+%  launch ~?[0-9]+%  other [0-9]+%  none [0-9]+%' "$T/text"
check "the line GAPS" grep -Eq '^  GAPS  between launches: p50 ' "$T/text"
check "no verdict" sh -c '! grep -Eq "CPU-bound|idle" "$1"' sh "$T/text"

finish
