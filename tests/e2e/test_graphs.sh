#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Graphs: a launch into a capture is no launch but a node; a launch of a graph
# adds one launch to each kernel it holds, under its name and apart from the
# program's own launches: exactly, however graphs are made, changed and launched.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

kernels='[p.kernels[] | [.name, .launches, .captured, .graph_launches]] | sort'

# Each scene of the workload with so many launches, one after the other under one cutop, and other programs besides: starting and
# ending a cutop is what takes the time.
for scene in large:100000 copies:100 fork:100 outside:100 beside:1000 left:100 to-graph:100 recapture:100 \
	recapture-fails:100 told:100 updatable:100 again:3000 threads:5000 short:5 failing:100 driver:100; do
	queue "${scene%:*}" "$workload" graphs "${scene%:*}" "${scene#*:}"
done
queue fault env CUDA_DOUBLE_FAIL=cudaGraphLaunch:50:700 "$workload" graphs capture 100
queue broken env CUDA_DOUBLE_FAIL=cudaStreamSynchronize:1:700 "$workload" graphs broken 10
for build in workload workload-static; do
	queue memory-$build "$bin/$build" graphs memory 50
done
for way in direct handle exc; do
	queue $way "$workload" -l $way graphs fork 50
done
queue static "$bin/workload-static" graphs fork 50
watch_queue scenes --library "$double/libcudart.so.13" --library "$double/libcuda.so.1" --library "$bin/workload-static"
expect_nothing_lost scenes

# scene NAME N KERNELS: what its comment says
scene() {
	expect "$1" "$kernels" "$3"
	expect "$1" '[.processes[].inexact]' '[false]'
}

# ---- one capture, launched often
watch capture -- "$workload" graphs capture 5000
scene capture 5000 '[["saxpy",0,2,10000],["vectorAdd",0,1,5000]]'
expect_nothing_lost capture
expect capture 'kernel("saxpy") | [.signature, .symbol, .grid, .block, .failures]' \
	'["saxpy(float, float const*, float*, int)","_Z5saxpyfPKfPfi",[16,1,1],[256,1,1],0]'
expect capture '[.totals.launches, .totals.graph_launches]' '[0,15000]'
expect capture '[p.graphs[] | [.call, .instantiated, .live, .launches, (.site | test("^(instance at graphs.h:[0-9]+ in )?scene_capture[+]0x[0-9a-f]+ "))]]' \
	'[["cudaGraphInstantiate",1,0,5000,true]]'
expect capture '[p.calls[] | select(.call | test("Launch|Capture|Graph")) | [.call, .calls, .failures]] | sort' \
	'[["cudaGraphDestroy",1,0],["cudaGraphExecDestroy",1,0],["cudaGraphInstantiate",1,0],["cudaGraphLaunch",5000,0],["cudaLaunchKernel",3,0],["cudaStreamBeginCapture",1,0],["cudaStreamEndCapture",1,0]]'

scene large 100000 '[["saxpy",0,50000,150000],["vectorAdd",0,50000,150000]]'

# ---- what a capture takes in besides is not done there and then, either
scene copies 100 '[["saxpy",0,1,100]]'
expect copies '[p.copies[] | [.direction, .mode, .calls, .bytes]]' '[["H2D","async",1,1024]]'
expect copies 'call("cudaMemcpyAsync").calls' 3

# ---- streams that join, and leave with the capture's end
scene fork 100 '[["reduce",1,1,100],["saxpy",1,1,100],["vectorAdd",1,1,100]]'
scene outside 100 '[["reduce",0,1,100],["saxpy",1,0,0],["vectorAdd",0,1,100]]'
scene beside 1000 '[["reduce",1000,0,0],["saxpy",0,2,2000],["vectorAdd",0,1,1000]]'
scene left 100 '[["saxpy",0,1,0],["vectorAdd",100,0,0]]'
scene to-graph 100 '[["reduce",0,1,100],["saxpy",0,1,100],["vectorAdd",0,0,100]]'
scene recapture 100 '[["reduce",1,1,100],["saxpy",0,3,300],["vectorAdd",0,2,200]]'
expect recapture 'p.failures' '[]'
scene recapture-fails 100 '[["saxpy",0,2,200],["vectorAdd",0,2,100]]'
expect recapture-fails '[p.failures[] | [.call, .error, .code]]' '[["cudaStreamEndCapture_ptsz","cudaErrorGraphRecaptureFailure",918]]'
watch command-list -- "$workload" graphs command-list 100
scene command-list 100 '[["direct",100,2,0]]'
expect_nothing_lost command-list
expect command-list '[.totals.launches, .totals.graph_launches, (p.failures | length)]' '[100,0,0]'

# ---- changed: what else may be done to graphs is in test_random_calls.sh
scene told 100 '[["reduce",0,0,100],["saxpy",0,2,300],["vectorAdd",0,1,200]]'
# What kernels do to nodes is not seen: driver_types.h, cudaLaunchAttributeDeviceUpdatableKernelNode.
scene updatable 100 '[["nn::softmax",0,0,100],["reduce",0,1,100],["saxpy",0,0,200],["vectorAdd",0,0,100]]'
expect updatable '[p.kernels[] | select(.graph_launches_exact == false).name] | sort' '["nn::softmax","reduce","vectorAdd"]'
"$CUTOP" -b -n 1 -- "$workload" graphs updatable 100 >"$T/updatable.txt"
check "text marks them: $(grep saxpy "$T/updatable.txt")" [ "$(grep -c ' ~100 ' "$T/updatable.txt")" = 3 ]
check "and no other" grep -q 'saxpy.* 200 ' "$T/updatable.txt"
scene again 3000 '[["saxpy",0,6000,6000],["vectorAdd",0,3000,3000]]'

# ---- changes while snapshots are taken: each is whole, and none falls back
"$CUTOP" -b -f json -d 0.02 -- "$workload" graphs again 20000 2>"$T/often.err" | grep '^{"schema"' >"$T/often.json"
got=$(jq -s -c 'map(.totals.graph_launches // 0) as $t | [($t | . == sort), ($t | length > 3), ($t | last)]' "$T/often.json")
check "the totals only grow ($got)" [ "$got" = '[true,true,60000]' ]

# ---- from several threads, a program that is gone at once, graphs that are
scene threads 5000 '[["saxpy",0,2,40000],["vectorAdd",0,1,20000]]'
scene short 5 '[["saxpy",0,2,10],["vectorAdd",0,1,5]]'

# ---- what fails makes no node and no launch
scene failing 100 '[["saxpy",0,2,200],["vectorAdd",0,1,100]]'
expect failing '[p.failures[] | [.call, .count]] | sort' \
	'[["cudaGraphAddKernelNode",1],["cudaGraphInstantiate",1],["cudaGraphLaunch",1],["cudaLaunchKernel",1],["cudaStreamEndCapture",1]]'
expect fault "$kernels" '[["saxpy",0,2,98],["vectorAdd",0,1,49]]'

# ---- a launch into a capture is none, whichever functions were asked for
watch few --calls kernels -- "$workload" graphs fork 50
expect few "$kernels" '[["reduce",1,1,50],["saxpy",1,1,50],["vectorAdd",1,1,50]]'

# ---- who may have caused a fault: the kernels of a graph, too
expect broken '[.events[] | select(.kind == "fault") | .suspects | map([.kernel, .launches]) | .[0], (.[1:] | sort)]' \
	'[["reduce",1],[["saxpy",20],["vectorAdd",10]]]'
expect broken '[.events[] | select(.kind == "fault") | .suspects | .[0].stream == .[1].stream, .[1].stream == .[2].stream]' '[false,true]'

# ---- what is allocated and freed into a capture is a node: no allocation, no leak, however often the graph runs
memory='p.memory | [.allocations, .frees, .peak_bytes, .live_bytes, .leaked_bytes, .double_frees]'
for build in workload workload-static; do
	queued_status memory-$build 0
	expect memory-$build "$kernels" '[["saxpy",0,1,50]]'
	expect memory-$build "$memory" '[1,1,4096,0,0,0]'
	# What a node allocated and the program freed itself: never seen coming.
	expect memory-$build 'p.memory.unknown_frees' 2
	expect memory-$build '[p.calls[] | select(.call | test("^cuda(Malloc|Free)")) | [.call, .calls]] | sort' \
		'[["cudaFree",1],["cudaFreeAsync",3],["cudaMallocAsync",2]]'
done

# ---- every way to launch and to link
for way in direct handle exc; do
	expect $way "$kernels" '[["reduce",1,1,50],["saxpy",1,1,50],["vectorAdd",1,1,50]]'
done
expect static "$kernels" '[["reduce",1,1,50],["saxpy",1,1,50],["vectorAdd",1,1,50]]'
watch exact --exact-launches -- "$workload" graphs beside 500
expect exact "$kernels" '[["reduce",500,0,0],["saxpy",0,2,1000],["vectorAdd",0,1,500]]'
expect exact 'kernel("reduce").returns' '"all"'

# ---- the driver's calls: alone, mixed with the runtime's, and those that the runtime makes
scene driver 100 '[["direct",0,2,300]]'
expect driver 'kernel("direct") | [.signature, .grid, .block]' '["direct()",[3,2,1],[32,2,2]]'
for same in fork told to-graph; do
	queue driver-$same "$workload" graphs $same 100
done
watch_queue driver-layer -l driver --library "$double/libcuda.so.1"
expect_nothing_lost driver-layer
for same in fork told to-graph; do
	jq -c '[.processes[0].kernels[] | [.name, .launches, .captured, .graph_launches]] | sort' "$T/$same.json" >"$T/same"
	expect driver-$same "$kernels" "$(cat "$T/same")"
	expect driver-$same '[p.calls[].call | select(startswith("cuda"))] | length' 0
done
watch runtime -l runtime -- "$workload" graphs driver 100
expect runtime '[p.kernels[] | [(.name | sub("0x[0-9a-f]+"; "0x")), .launches, .captured, .graph_launches]]' '[]'

# ---- made before cutop came: launches that are counted, of who knows what
mkfifo "$T/lines"
"$workload" graphs late 10 <"$T/lines" >"$T/late.said" &
late=$!
exec 9>"$T/lines"
wait_for 10 grep -q ready "$T/late.said" || fail "late: the workload does not start"
patience=10
begin late -p $late --library "$double/libcudart.so.13" 9>&-
echo >&9
wait_for 10 awk '/ready/ { n++ } END { exit n < 2 }' "$T/late.said" || fail "late: the workload does not go on"
echo >&9
exec 9>&-
wait $late
end
expect late '[p.kernels[] | [(.name | sub("0x[0-9a-f]+"; "0x")), .unknown_graph, .launches, .graph_launches]] | sort' \
	'[["graph 0x",true,0,10],["graph 0x",true,0,10],["nn::softmax",null,0,10],["reduce",null,0,10]]'
expect late '[p.watched_from, (.lost | add)]' '["attach",0]'

finish
