#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cutop trace compared with what a program itself recorded about its calls: every class of call,
# argument by argument, whole, at entry, in pairs; and the selection of calls.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "${top_srcdir:-.}/tests/e2e/cli.sh"
calls=$top_builddir/tests/e2e/bin/traced_calls
check_trace="python3 $top_srcdir/tests/e2e/trace_check.py"
command -v python3 >/dev/null || skip "needs python3"

# traced NAME PARTS MOMENTS [options]: what traced_calls does for each part, one after the other under one cutop. Each thread of
# theirs has a number of its own.
traced() {
	name=$1
	parts=$2
	moments=$3
	shift 3
	# shellcheck disable=SC2016
	run "$name" trace -f json -o "$T/$name.json" --library "$double/libcudart.so.13" "$@" -- \
		sh -c 'for part in $2; do "$0" $part "$1.$part" 40 || exit; done' "$calls" "$T/$name.log" "$parts"
	expect_status "$name" 0
	check "$name: standard error: $(cat "$T/$name.err")" [ ! -s "$T/$name.err" ]
	cat "$T/$name.log".* >"$T/$name.log"
	if said=$($check_trace match "$T/$name.log" "$T/$name.json" "$moments"); then pass; else fail "$name: $said"; fi
	check_jq "$name: something is lost" -s 'last.lost | add == 0' "$T/$name.json" <"$T/$name.json"
}

# By default all calls that the programs make, queries among them.
traced all "classes driver threads" call --library "$double/libcuda.so.1"
traced entries "classes driver threads" enter --library "$double/libcuda.so.1" -E
traced pairs "classes driver threads" pairs --library "$double/libcuda.so.1" --pairs
jq -c -s '.[0].pid as $pid | .[] | select(.pid == $pid)' "$T/all.json" >"$T/classes.json"

# What only a whole record tells: results by name, what a free freed, names in full.
check_jq "failures by name" -s 'map(select(.failed) | [.call, .result]) ==
	[["cudaSetDevice","cudaErrorInvalidDevice"],["cudaSetDevice","cudaErrorInvalidDevice"],["cudaMalloc","cudaErrorMemoryAllocation"],
	 ["cudaFree","cudaErrorInvalidValue"],["cudaLaunchKernel","cudaErrorInvalidConfiguration"]]' <"$T/classes.json"
check_jq "an echo is no failure" -s 'map(select(.call == "cudaGetLastError")) | length == 1 and (.[0] |
	.result == "cudaErrorInvalidConfiguration" and .failed == false)' <"$T/classes.json"
check_jq "whose child it is" -s 'map(select(.call).parent_pid) | unique | length == 1 and .[0] > 1' <"$T/classes.json"
check_jq "what is freed" -s 'map(select(.freed) | [.call, .freed.call, .freed.bytes]) ==
	[["cudaFreeAsync","cudaMallocAsync",64],["cudaFree","cudaMalloc",4096],["cudaFree","cudaMallocPitch",1536],
	 ["cudaFree","cudaMallocManaged",512],["cudaFreeHost","cudaMallocHost",8192],["cudaFreeArray","cudaMallocArray",256]]' \
	<"$T/classes.json"
check_jq "ages" -s 'map(select(.freed) | .freed.age_seconds >= 0 and .freed.age_seconds < 60) | all' <"$T/classes.json"
check_jq "a kernel's names" -s 'map(select(.arguments.kernel == "ns::scale")) | length == 2 and all(.symbol == "_ZN2ns5scaleIfEEvPT_ifdcb"
	and .signature == "void ns::scale<float>(float*, int, float, double, char, bool)")' <"$T/classes.json"
check_jq "times go up in a thread" -s 'map(select(.time)) | group_by(.tid) | all(. == sort_by(.time))' <"$T/all.json"
now=$(date +%s)
check_jq "times are the wall clock's" -s --argjson now "$now" '.[0].time | sub("\\.[0-9]{6}Z$"; "Z") | fromdate |
	. > $now - 300 and . <= $now' <"$T/classes.json"

# Layers: one alone sees what the other one hides.
run layer trace -f json -l driver -o "$T/layer.json" -- "$calls" classes "$T/layer.log"
check_jq "the driver's own layer" -s 'map(.layer // "driver") | all(. == "driver")' <"$T/layer.json"
check_jq "calls nested in the runtime's" -s 'map(.call) | contains(["cuMemAlloc_v2", "cuMemFree_v2", "cuLaunchKernel", "cuStreamSynchronize"])' \
	<"$T/layer.json"
run layer trace -f json -l driver -E -o "$T/layer-e.json" -- "$calls" classes "$T/layer.log"
check_jq "the same at entry" -s 'map(select(.call == "cuLaunchKernel")) | length == 2 or length == 3' <"$T/layer-e.json"
traced runtime classes call -l runtime

# Groups: what the books need besides is probed, and not shown.
run groups trace -f json --calls copies,kernels -o "$T/groups.json" -- "$calls" classes "$T/groups.log"
check_jq "groups" -s 'map(.call // empty) | unique == ["cudaLaunchKernel","cudaLaunchKernelExC","cudaMemcpy","cudaMemcpy2D","cudaMemcpyAsync","cudaMemset","cudaMemsetAsync"]
	or unique == ["cudaLaunchKernel","cudaLaunchKernelExC","cudaMemcpy","cudaMemcpy2D","cudaMemcpyAsync"]' <"$T/groups.json"
run names trace -f json --calls names -o "$T/names.json" -- "$calls" classes "$T/names.log"
check_jq "registrations are calls that return nothing" -s 'map(select(.call == "__cudaRegisterFunction")) | length == 2 and
	all(.event == "enter" and (has("code") | not))' <"$T/names.json"

# Arguments of kernels, by the types in the kernel's name; without one all that can be read.
run args trace -f json --args -o "$T/args.json" -- "$calls" args
check_jq "arguments of kernels" -s '.[0].arguments.arguments == ["0x123456789abc", -7, 1.5, -0.25, 120, 1] and
	.[1].arguments.kernel == "plain_name" and .[1].arguments.arguments[0] == "0x123456789abc" and (.[1].arguments.arguments | length) == 2' \
	<"$T/args.json"
run no-args trace -f json -o "$T/no-args.json" -- "$calls" args
check_jq "none without the option" -s 'map(.arguments.arguments // empty) == []' <"$T/no-args.json"

# User stacks.
run stacks trace -f json --stacks -o "$T/stacks.json" -- "$calls" classes "$T/stacks.log"
check_jq "stacks" -s 'map(select(.call == "cudaMallocPitch").stack[:2] | map(sub("[+].*"; ""))) == [["memory_calls", "classes"]]' \
	<"$T/stacks.json"
check_jq "every call has one" -s 'map(select(.call) | .stack | length > 0) | all' <"$T/stacks.json"

# -p: one of two processes; -c: neither, or that one.
mkfifo "$T/in" "$T/out"
"$calls" hold <"$T/in" >"$T/out" 2>/dev/null &
held=$!
exec 7>"$T/in" 8<"$T/out"
read -r line <&8
timeout --foreground 60 "$CUTOP" trace -f json -v -n 2 -p $held -o "$T/pid.json" 2>"$T/pid.err" &
tracer=$!
check "the trace has begun" wait_for 30 grep -q 'functions attached' "$T/pid.err"
# Probes are placed file by file: the program calls until it is seen, perhaps by the driver's first.
while kill -0 $tracer 2>/dev/null; do
	"$calls" args >/dev/null 2>&1
	echo go >&7
	read -r line <&8
done
wait $tracer
check "-p ends with its lines: $?" [ "$(grep -c '"call":"cu' "$T/pid.json")" = 2 ]
check_jq "-p" -s --argjson pid $held 'map(select(.pid)) | length == 2 and all(.pid == $pid)' <"$T/pid.json"
exec 7>&- 8<&-
wait $held
run glob trace -f json --library "$double/libcudart.so.13" -c '*traced_calls*' -o "$T/glob.json" -- sh -c "$calls args; $workload pairs 3 8"
check_jq "-c" -s 'map(.process // empty) | unique == ["traced_calls"]' <"$T/glob.json"
run user trace -f json -u nobody -o "$T/user.json" -- "$calls" args
check_jq "-u" -s 'length == 1' <"$T/user.json"
finish
