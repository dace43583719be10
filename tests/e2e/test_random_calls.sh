#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of random calls (tests/e2e/random_calls.c): their own books, which know nothing of cutop, and cutop's are the
# same, figure by figure. What differs is told with the seed; then
#
#   random_calls BOOKS SEED STEPS FAMILIES
#
# below cutop with fewer steps finds the call. In the environment:
#
#   RANDOM_SEEDS  how many seeds of each kind (default 2)
#   RANDOM_FIRST  the first of them (default 1)
#   RANDOM_STEPS  how many steps a program makes (default 700)
#   RANDOM_ONLY   a pattern: only the kinds of that name
#   RANDOM_KEEP   a folder: books and documents that differ are kept there
#   RANDOM_ALL    if set, all kinds: more options, fewer families at once
. "${top_srcdir:-.}/tests/e2e/lib.sh"

program=$top_builddir/tests/e2e/bin/random_calls
first=${RANDOM_FIRST:-1}
seeds=$(seq "$first" $((first + ${RANDOM_SEEDS:-2} - 1)))
steps=${RANDOM_STEPS:-700}
export CUDA_DOUBLE_DEVICES=2

# Both as one text: a line for each figure.
# shellcheck disable=SC2016
lines='def line(p; v): "\(.key) \(p) \(v)"; .[] |
	line("memory \(.memory | to_entries[] | "\(.key) \(.value)")"; ""),
	line("leak \(.leaks[])"; ""),
	line("call \(.calls | to_entries[] | "\(.key) \(.value)")"; ""),
	line("failure \(.failures | to_entries[] | "\(.key) \(.value)")"; ""),
	line("copies \(.copies | to_entries[] | "\(.key) \(.value)")"; ""),
	line("kernel \(.kernels | to_entries[] | "\(.key) \(.value)")"; "")'

# shellcheck disable=SC2016
ours='[inputs | .key = "\(.pid) \(.key)" | .leaks |= (. // [] | map(.[1:]))]'

# What the books do not know of a program that had threads is left out: the peak, and where memory lay that leaked before.
# What the programs ask for themselves, to keep their books, is no call of theirs.
# shellcheck disable=SC2016
theirs='($books | map({key: "\(.pid) \(.key)", value: .}) | from_entries) as $known | (.processes | map(. as $p |
	$known["\(.pid) \(.arguments | split(" ")[1])"] as $own | {
	key: "\(.pid) \(.arguments | split(" ")[1])",
	memory: (.memory // {} | {allocations, frees, failed_allocations, failed_frees, double_frees, unknown_frees, leaked_bytes, peak_bytes} | if $own.memory.peak_bytes then . else del(.peak_bytes) end),
	leaks: [.memory.map[]? | select($own.leaks) | select(.state == "leaked") | [.size, .kind, .device, .call]],
	calls: ([.calls[] | select(.call != "cuDevicePrimaryCtxGetState") | {key: .call, value: [.calls, .failures]}] | from_entries),
	failures: ([.failures[]? | {key: "\(.call) \(.code)", value: .count}] | from_entries),
	copies: ([.copies[]? | {key: "\(.direction) \(.mode) \(.device)", value: [.calls, .failures, .bytes]}] | from_entries),
	kernels: ([.kernels[] | select(.launches + (.graph_launches // 0) > 0) | {key: "\(.name) \(.device)", value: [.launches, .failures, .graph_launches // 0]}] | from_entries)}))'

# $1: a name, $2: the families of its programs, $3: what fails in them; the rest: cutop's options
below() {
	begin "$1" "$2" "$3" || return 0
	shift 3
	watch "$kind" --map all --stacks=never --library "$double/libcudart.so.13" "$@" -- sh "$T/programs" "$T/books" "$program" "$steps" &&
		compare
}

# The same; what is compared is a recording, replayed.
recorded() {
	begin "$1" "$2" "$3" || return 0
	shift 3
	rm -f "$T/recording"
	"$CUTOP" record -o "$T/recording" --stacks=never --library "$double/libcudart.so.13" "$@" -- sh "$T/programs" "$T/books" "$program" "$steps" \
		>"$T/record.out" 2>"$T/record.err"
	"$CUTOP" -b -f json --map all --replay "$T/recording" 2>"$T/$kind.err" | tail -n 1 >"$T/$kind.json"
	compare
}

begin() {
	kind=$1
	# shellcheck disable=SC2254
	case $kind in ${RANDOM_ONLY:-*}) ;; *) return 1 ;; esac
	rm -f "$T/books"
	{
		# shellcheck disable=SC2016
		echo 'books=$1 program=$2 steps=$3'
		for seed in $seeds; do
			echo "CUDA_DOUBLE_FAIL=$3 \"\$program\" \"\$books\" $seed \$steps $2 || echo \"seed $seed: status \$?\" >&2"
		done
	} >"$T/programs"
}

compare() {
	grep -v '^$' "$T/$kind.err" | head -5
	expect "$kind" '.lost | with_entries(select(.value > 0))' '{}'
	expect "$kind" '[.processes[] | select(.inexact).arguments]' '[]'
	jq -rn "$ours | $lines" "$T/books" | unseen | sort >"$T/ours"
	jq -r --slurpfile books "$T/books" "$theirs | $lines" "$T/$kind.json" | unseen | sort >"$T/theirs"
	check "$kind: the books differ (< the program's, > cutop's): $(diff "$T/ours" "$T/theirs" | grep '^[<>]' | head -20)" \
		cmp -s "$T/ours" "$T/theirs"
	[ -z "${RANDOM_KEEP:-}" ] || cmp -s "$T/ours" "$T/theirs" || cp "$T/books" "$T/$kind.json" "$T/ours" "$T/theirs" "$RANDOM_KEEP"
}

# Of launches not every return is seen, unless that is asked for: then failures may be missing. Where none is, neither is
# known what is allocated, what fails, which device a call that failed did not turn to, nor what is captured: no graphs.
unseen() {
	case $kind in
	*sampled*)
		sed 's/\( call [^ ]*Launch[^ ]*Kernel[^ ]* \[[0-9]*\),.*/\1]/; s/\( kernel .*\[[0-9]*\),[0-9]*/\1/; / failure [^ ]*Launch[^ ]*Kernel/d' ;;
	blind)
		sed -n 's/\( call [^ ]* \[[0-9]*\),.*/\1]/p; s/\( kernel [^ ]*\) .*\(\[[0-9]*\),.*/\1 \2]/p' |
			awk '{ sum = $NF; gsub(/[][]/, "", sum); $NF = ""; sums[$0] += sum } END { for (one in sums) print one sums[one] }' ;;
	*) cat ;;
	esac
}

all=mwdvrxclghtfe
below exact $all "" --exact-launches
recorded replay-sampled $all ""
# What the runtime refuses itself is no launch of the driver's: one that follows is the program's own.
refused=$(seq 300 497 | sed 's/.*/cudaLaunchKernel:&:98/' | paste -s -d ,)
asked_seeds=$seeds asked_steps=$steps seeds="1 5" steps=2500
below refused-sampled l "$refused"
seeds=$asked_seeds steps=$asked_steps
[ -n "${RANDOM_ALL:-}" ] || finish

below memory-sampled mwd ""
below physical-sampled mwdv ""
below contexts-sampled mwdvrx ""
below launches-sampled mdrxl ""
below copies-sampled mdrxc ""
below graphs lg "" --exact-launches
# A node's handle that went with its graph is given to a captured node of another one, of the same kernel.
seeds=2114 steps=2390
below handles lg "" --exact-launches
seeds=$asked_seeds steps=$asked_steps
below callbacks mdlh "" --exact-launches
below threads-sampled mdvcxlt ""
below children mdwlfe "" --exact-launches
# What fails in the runtime, and in the driver below it; an error that sticks
below failing $all cudaMalloc:7:2,cuMemAlloc_v2:9:2,cudaFree:5:1,cuMemFree_v2:11:1,cudaLaunchKernel:9:98,cuLaunchKernel:30:1,cudaMemcpyAsync:4:1,cudaGraphLaunch:3:1,cuGraphInstantiateWithFlags:2:2,cuStreamEndCapture:2:901,cuMemUnmap:2:1,cuMemMap:5:1,cuCtxCreate_v2:2:2,cuCtxPopCurrent_v2:3:201 \
	--exact-launches
# From a sticky error on every call fails, resets and ends of contexts, too: driver_types.h, cudaErrorIllegalAddress.
below sticking mwdvrxclg cuMemcpyHtoD_v2:6:700 --exact-launches
below sticking-runtime $all cudaMemcpy:9:719 --exact-launches
# The same with a driver that goes on after a reset.
export CUDA_DOUBLE_HEAL=1
below healing mwdvrxclg cuMemcpyHtoD_v2:6:700,cuMemFree_v2:40:719 --exact-launches
unset CUDA_DOUBLE_HEAL
below runtime-sampled ${all}R "" -l runtime
below driver-sampled ${all}D "" -l driver
below stacks-sampled $all "" --stacks
below all-calls-sampled $all "" --calls=all
below blind mwdvrxclht "" --returns=never

finish
