#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Copies: calls, bytes and failures by direction and mode, for every function
# of workload copies; cudaMemcpyDefault resolved by the addresses; invalid
# kinds; one device and two; the runtime as a library and linked in.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

odd_calls=$top_builddir/tests/e2e/bin/odd_calls

# What tests/workloads/copies.c lists: kinds that mean nothing are of unknown direction and move nothing.
# With one device cudaMemcpyPeer stays within it, which is D2D; P2P is from one device to another, by whatever call
# (CUPTI_ACTIVITY_MEMCPY_KIND_DTOD and _PTOP in cupti_activity.h, CUDA 13.0).
alone='[["D2D","async",3,0,4856],["D2D","sync",2,0,2524],["D2H","async",3,0,5256],["D2H","sync",5,0,19160],["H2D","async",2,0,8292],["H2D","sync",7,0,22192],["H2H","sync",1,0,512],["unknown","async",1,1,0],["unknown","sync",2,2,0]]'
rows='[["D2D","async",2,0,3256],["D2D","sync",1,0,1024],["D2H","async",3,0,5256],["D2H","sync",5,0,19160],["H2D","async",2,0,8292],["H2D","sync",7,0,22192],["H2H","sync",1,0,512],["P2P","async",1,0,1600],["P2P","sync",1,0,1500],["unknown","async",1,1,0],["unknown","sync",2,2,0]]'

# By direction and mode, over devices.
by_direction='[p.copies | group_by([.direction, .mode])[] |
	[.[0].direction, .[0].mode, (map(.calls) | add), (map(.failures) | add), (map(.bytes) | add)]]'

calls='[p.calls[] | select(.call | test("^cudaMem(cpy|set)")) | [.call, .calls, .failures]] | sort'
all_calls='[["cudaMemcpy",8,1],["cudaMemcpy2D",3,1],["cudaMemcpy2DAsync",1,0],["cudaMemcpy2DFromArray",1,0],["cudaMemcpy2DToArray",1,0],["cudaMemcpy3D",1,0],["cudaMemcpy3DAsync",1,0],["cudaMemcpyAsync",5,1],["cudaMemcpyFromSymbol",1,0],["cudaMemcpyPeer",1,0],["cudaMemcpyPeerAsync",1,0],["cudaMemcpyToSymbol",1,0],["cudaMemcpyToSymbolAsync",1,0],["cudaMemset",1,0],["cudaMemset2D",1,0],["cudaMemsetAsync",1,0]]'

# One cutop sees most of what follows.
odd_memory=$top_builddir/tests/e2e/bin/odd_memory
for build in workload workload-static; do
	queue copies-$build "$bin/$build" copies
	queue arrays-$build "$bin/$build" arrays
done
queue peers env CUDA_DOUBLE_DEVICES=2 "$workload" copies
queue asked-both env CUDA_DOUBLE_DEVICES=2 "$odd_calls" peers
queue contexts "$odd_memory" peers
queue default env CUDA_DOUBLE_DEVICES=2 "$odd_calls" default
queue directions "$odd_memory" directions
queue waits env CUDA_DOUBLE_KERNEL_TIME=200ms CUDA_DOUBLE_COPY_BANDWIDTH=100K "$odd_calls" waits
queue study env CUDA_DOUBLE_COPY_BANDWIDTH=10M "$workload" case-study
queue failed env CUDA_DOUBLE_FAIL=cudaMemcpyAsync:2:1,cudaMemcpy2D:1:1 "$workload" copies
watch_queue all --library "$double/libcudart.so.13" --library "$double/libcuda.so.1" --library "$bin/workload-static" --library "$odd_memory"
expect_nothing_lost all
for layer in runtime driver; do
	CUDA_DOUBLE_DEVICES=2 watch asked-$layer -l $layer -- "$odd_calls" peers
	echo $status >"$T/asked-$layer.status"
	expect_nothing_lost asked-$layer
done

for build in workload workload-static; do
	queued_status copies-$build 0
	expect copies-$build "$by_direction" "$alone"
	expect copies-$build "$calls" "$all_calls"
	expect copies-$build '[p.failures[] | [.call, .error, .code, .count]] | sort' '[["cudaMemcpy","cudaErrorInvalidMemcpyDirection",21,1],["cudaMemcpy2D","cudaErrorInvalidMemcpyDirection",21,1],["cudaMemcpyAsync","cudaErrorInvalidMemcpyDirection",21,1]]'
	# Every successful copy is in one bucket by size, the one of no bytes in the first.
	expect copies-$build '[p.copies[] | (.sizes | add) == .calls - .failures] | all' true
	expect copies-$build 'copies("H2D"; "sync").sizes | [.[0], .[8], .[9], .[12], .[14]]' '[1,3,1,1,1]'
	expect copies-$build 'p.memory | [.allocations, .frees, .leaked_bytes, .peak_bytes]' '[5,5,0,212992]'
	expect copies-$build '[p.copies[].device] | unique' '[0]'
	# The host waits for the end of these alone; and of the last, all are small.
	expect copies-$build '[p.copies[] | select(has("bytes_per_second")).direction] | unique' '["D2H","H2H"]'
done

# ---- two devices: the peer copies really go from one to the other
expect peers "$by_direction" "$rows"
expect peers 'call("cudaSetDevice").calls' 2
expect peers 'p.devices' '[0,1]'

for layer in both runtime driver; do
	queued_status asked-$layer 0
	expect asked-$layer "$by_direction" '[["D2D","sync",4,0,1650],["P2P","async",3,0,1400],["P2P","sync",2,0,140]]'
	expect asked-$layer '[p.copies[] | select(has("bytes_per_second")).direction] | unique' '[]'
done

# ---- the driver's calls say contexts, which may be one device's
expect contexts "$by_direction" '[["D2D","async",1,0,20],["D2D","sync",3,0,1110],["P2P","async",1,0,40],["P2P","sync",2,0,2030]]'

# ---- cudaMemcpyDefault in every direction, from and to the middle of allocations, and symbols
queued_status default 0
expect default "$by_direction" '[["D2D","sync",1,0,110],["D2H","sync",3,0,270],["H2D","async",2,0,130],["H2D","sync",3,0,120],["H2H","sync",2,0,30],["P2P","sync",1,0,120]]'

# ---- arrays: bytes that run on over several rows are one copy of them all, by whatever calls the runtime makes it
for build in workload workload-static; do
	queued_status arrays-$build 0
	expect arrays-$build "$by_direction" '[["D2D","sync",1,0,500],["D2H","async",2,1,512],["D2H","sync",2,0,1500],["H2D","async",1,0,4096],["H2D","sync",3,2,1000]]'
	expect arrays-$build '[p.failures[] | [.call, .error, .count]] | sort' '[["cudaMemcpyFromArrayAsync","cudaErrorInvalidValue",1],["cudaMemcpyToArray","cudaErrorInvalidValue",2]]'
	expect arrays-$build 'p.memory | [.allocations, .frees, .leaked_bytes, .peak_bytes]' '[3,3,0,16384]'
done

# ---- batches: whole, and into the stream that they were given, whether an argument of CUDA 12 stands before it or not
"$CUTOP" trace -f json -- "$top_builddir/tests/e2e/bin/odd_memory" batches >"$T/batches.trace" 2>"$T/batches.err"
expect_batches='[["cudaMemcpyBatchAsync",60,"0x555500000000"],["cudaMemcpyBatchAsync",60,"0x555500000000"],["cudaMemcpy3DBatchAsync",234,"0x555500000000"],["cudaMemcpy3DBatchAsync",234,"0x555500000000"],["cudaMemcpyBatchAsync",0,"0x555500000000"],["cudaMemcpy3DBatchAsync",0,"0x555500000000"]]'
got=$(jq -cs 'map(select(.event == "call") | [.call, .arguments.bytes, .arguments.stream])' "$T/batches.trace")
check "batches: $got" [ "$got" = "$expect_batches" ]
check "batches: what could not be read is not counted" [ "$(jq -s 'last.lost.arguments' "$T/batches.trace")" = 2 ]

# ---- whose direction the ends say: all of a large batch, arrays and their levels in elements, variables, and copies with attributes
expect directions "$by_direction" '[["D2D","async",2,0,448],["D2H","async",2,0,116],["D2H","sync",2,0,22],["H2D","async",5,0,14074],["H2D","sync",4,0,50]]'
expect directions '[p.calls[] | select(.call | test("Attributes")) | [.call, .calls, .failures]] | sort' \
	'[["cuMemcpy3DWithAttributesAsync",1,0],["cuMemcpyWithAttributesAsync",1,0],["cudaMemcpy3DWithAttributesAsync",1,0],["cudaMemcpyWithAttributesAsync",1,0]]'

# ---- of a process that ran before: what the processor can read is no device's, what it cannot was allocated since, or is unknown
mkfifo "$T/go"
"$odd_memory" late <"$T/go" >"$T/late.said" &
late=$!
exec 3>"$T/go"
check "late: does not start" wait_for 20 grep -qsx ready "$T/late.said"
begin late -p "$late"
echo >&3
check "late: does not go on" wait_for 20 grep -qx over "$T/late.said"
end
exec 3>&-
wait "$late"
expect late 'p.watched_from' '"attach"'
expect late "$by_direction" '[["D2D","async",1,0,256],["D2H","async",2,0,80],["H2D","async",133,0,1940],["unknown","async",1,0,512]]'
# By devices: managed memory and what was there before are of an unknown one.
expect late '[p.copies[] | [.direction, .device, .bytes]]' '[["H2D",null,128],["H2D",0,812],["H2D",1,1000],["D2H",0,80],["D2D",0,256],["unknown",null,512]]'

# ---- what synchronous copies wait for (API synchronization behavior in cuda_runtime_api.h, CUDA 13.0): D2D for nothing, D2H
# for the kernel before it, H2D of pageable memory for that and the staging, of pinned memory for its end. 65,536 bytes are
# "64 KB or less", and count in no throughput; one byte more does, at its 650 ms. The program says what each took at most.
queued_status waits 0
read -r d2d h2d last <"$T/waits.out"
expect waits "copies(\"D2D\"; \"sync\") | [.bytes, .seconds <= $d2d, has(\"bytes_per_second\")]" '[100000,true,false]'
expect waits 'copies("D2H"; "sync") | [.bytes, .seconds >= 0.2]' '[1000,true]'
expect waits "copies(\"H2D\"; \"sync\") | [.bytes, .seconds >= 0.84, .seconds <= $h2d]" '[133073,true,true]'
expect waits "copies(\"H2D\"; \"sync\").bytes_per_second | . >= 65537 / $last and . < 110000" true

# A program's own events around its copies: what they measured is in a trace, as the man page says.
"$CUTOP" trace -f json --calls copies,events,synchronize -- "$bin/streams" >"$T/events.trace" 2>"$T/events.err"
got=$(jq -cs '[.[] | select(.call == "cudaEventElapsedTime") | .arguments.ms > 0]' "$T/events.trace")
check "events: $got" [ "$got" = '[true]' ]

# ---- call throughput: of synchronous copies only, and not where they return early
expect study 'copies("H2D"; "sync") | [.calls, .failures, .bytes]' '[2,0,16000000]'
expect study 'copies("D2H"; "sync") | [.calls, .failures, .bytes]' '[1,0,8000000]'
expect study 'copies("D2H"; "sync").bytes_per_second | . > 5e6 and . < 12e6' true
expect study 'copies("D2H"; "sync") | (.bytes_per_second * .seconds / .bytes - 1 | fabs) < 1e-6' true
expect study '[p.copies[] | select(.mode == "async")] | length' 0

# ---- copies that fail move nothing
expect failed 'copies("D2H"; "async") | [.calls, .failures, .bytes]' '[1,1,0]'
expect failed 'copies("H2D"; "async") | [.calls, .failures, .bytes]' '[1,0,8192]'
expect failed 'failure("cudaMemcpyAsync"; "cudaErrorInvalidValue")' 1

finish
