#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every rule of the books once, in exact numbers: kinds and sizes of memory,
# frees of nothing, of strangers and of the freed, resets, forks, execs, failed
# calls by name, time in synchronizing calls. Once with the runtime as a
# library, once with it linked into the program.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

odd_calls=$top_builddir/tests/e2e/bin/odd_calls

memory='p.memory | [.allocations, .frees, .failed_allocations, .failed_frees, .double_frees, .unknown_frees]'

# What it is all about, in one line: live and leaked bytes, and how many allocations are live.
balance='p.memory | [.live_bytes, .live_allocations, .leaked_bytes]'

calls='[p.calls[] | [.call, .calls, .failures]] | sort'

# Many programs under one cutop: starting and ending it is what takes the time.
# shellcheck disable=SC2016
programs='"$1" kinds && "$1" -k kinds && "$1" pairs 1000 256 && "$1" -k pairs 1000 300 && "$1" double-free &&
	"$1" unknown-free && "$1" reset && "$1" fork && "$1" -k fork && "$1" exec && "$1" exec exec kinds &&
	"$1" failures'

for build in workload workload-static; do
	program=$bin/$build
	library=$double/libcudart.so.13
	[ $build = workload-static ] && library=$program
	watch all --library "$library" -- sh -c "$programs" sh "$program"
	check "$build: status" [ "$status" = 0 ]
	expect all '.processes | length' 17
	expect_nothing_lost all
	split all kinds kept pairs heap double stranger reset fork orphan exec execs failures

	# ---- one allocation of each kind; pinned and registered memory count in no total, and the 3,003 managed bytes are not
	# live, since they may lie on no device (CUDA C++ programming guide, unified memory): but left behind they are leaked
	expect kinds "$memory" '[12,12,0,0,0,0]'
	expect kinds "$balance" '[0,0,0]'
	expect kinds 'p.memory.peak_bytes' 79642
	expect kinds "$calls" '[["cudaFree",4,0],["cudaFreeArray",2,0],["cudaFreeAsync",2,0],["cudaFreeHost",2,0],["cudaFreeMipmappedArray",1,0],["cudaHostAlloc",1,0],["cudaHostRegister",1,0],["cudaHostUnregister",1,0],["cudaMalloc",1,0],["cudaMalloc3D",1,0],["cudaMalloc3DArray",1,0],["cudaMallocArray",1,0],["cudaMallocAsync",1,0],["cudaMallocFromPoolAsync",1,0],["cudaMallocHost",1,0],["cudaMallocManaged",1,0],["cudaMallocMipmappedArray",1,0],["cudaMallocPitch",1,0],["cudaMemPoolCreate",1,0],["cudaMemPoolDestroy",1,0]]'

	expect kept "$memory" '[12,0,0,0,0,0]'
	expect kept "$balance" '[0,0,82645]'
	expect kept '[p.memory.map[] | [.call, .size, .kind, .state, .device]] | sort' '[["cudaMalloc",1001,"device","leaked",0],["cudaMalloc3D",10240,"device","leaked",0],["cudaMalloc3DArray",16384,"array","leaked",0],["cudaMallocArray",16384,"array","leaked",0],["cudaMallocAsync",4004,"async","leaked",0],["cudaMallocFromPoolAsync",5005,"async","leaked",0],["cudaMallocManaged",3003,"managed","leaked",0],["cudaMallocMipmappedArray",21504,"array","leaked",0],["cudaMallocPitch",5120,"device","leaked",0]]'
	expect kept '[p.sites[].leaked_bytes] | add' 82645

	# ---- pairs: as many frees as allocations, or none
	expect pairs "$memory" '[1000,1000,0,0,0,0]'
	expect pairs "$balance" '[0,0,0]'
	expect pairs 'p.memory.peak_bytes' 256
	expect pairs "$calls" '[["cudaFree",1000,0],["cudaMalloc",1000,0]]'
	expect pairs '[p.sites[] | .allocations]' '[1000]'

	expect heap "$memory" '[1000,0,0,0,0,0]'
	expect heap "$balance" '[0,0,300000]'
	expect heap 'p.memory | [.peak_bytes, (.map | length), .map_omitted]' '[300000,1000,0]'
	expect heap '[p.sites[] | [.allocations, .leaked_bytes]]' '[[1000,300000]]'

	# ---- frees that fail: freed before, never seen
	expect double "$memory" '[1,1,0,0,1,0]'
	expect double "$balance" '[0,0,0]'
	expect double 'failure("cudaFree"; "cudaErrorInvalidValue")' 1
	expect double '[.events[] | select(.kind == "double-free").text | test("called from double_free\\+0x[0-9a-f]+ ")]' '[true]'

	expect stranger "$memory" '[1,0,0,1,0,0]'
	expect stranger "$balance" '[0,0,2048]'
	expect stranger 'failure("cudaFree"; "cudaErrorInvalidValue")' 1

	# ---- a device reset ends what is live: 30,000 bytes of VRAM leak, pinned memory does not; its address comes again
	expect reset "$memory" '[5,1,0,0,0,0]'
	expect reset "$balance" '[0,0,30000]'
	expect reset '[p.sites[] | [.allocations, .leaked_bytes]] | sort' '[[1,0],[1,0],[3,30000]]'
	# The map shows the third: where the first two lay, 20,000 bytes were allocated since, and freed.
	expect reset '[p.memory.map[] | [.size, .state]]' '[[10000,"leaked"]]'
	expect reset '[.events[] | select(.kind == "reset") | .bytes]' '[30000]'
	expect reset 'call("cudaDeviceReset") | [.calls, .failures]' '[1,0]'

	# ---- a forked child owns nothing of its parent's
	expect fork '.processes | map(.memory | [.allocations, .frees, .leaked_bytes, .unknown_frees, .peak_bytes]) | sort' \
		'[[1,1,0,0,30000],[2,1,7000,0,7000]]'
	expect fork '(.processes[] | select(.memory.allocations == 2) | .parent_pid) == (.processes[] | select(.memory.allocations == 1) | .pid)' true
	expect fork '[.processes[] | .state, .exit_code]' '["exited",0,"exited",0]'

	expect orphan '.processes | map(.memory | [.allocations, .leaked_bytes]) | sort' '[[1,30000],[2,7000]]'

	# ---- exec ends the old program: two rows of one pid
	expect exec '.processes | map([.ended, .arguments, .memory.allocations, .memory.frees, .memory.leaked_bytes]) | sort' \
		'[["exec","exec",1,0,40000],["exit","pairs 5 100",5,5,0]]'
	expect exec '[.processes[].pid] | unique | length' 1

	expect execs '.processes | map([.ended, .memory.allocations, .memory.leaked_bytes]) | sort' \
		'[["exec",1,40000],["exec",1,40000],["exit",12,0]]'

	# ---- failed calls, by call and error name; none moves a byte
	expect failures '[p.failures[] | [.call, .error, .code, .count]] | sort' '[["cudaEventElapsedTime","cudaErrorInvalidResourceHandle",400,1],["cudaFree","cudaErrorInvalidValue",1,1],["cudaFreeHost","cudaErrorInvalidValue",1,1],["cudaHostUnregister","cudaErrorHostMemoryNotRegistered",713,1],["cudaLaunchKernel","cudaErrorInvalidConfiguration",9,2],["cudaLaunchKernel","cudaErrorInvalidDeviceFunction",98,1],["cudaMalloc","cudaErrorMemoryAllocation",2,1],["cudaMemcpy","cudaErrorInvalidMemcpyDirection",21,1],["cudaMemcpy","cudaErrorInvalidValue",1,2],["cudaMemcpyAsync","cudaErrorInvalidResourceHandle",400,1],["cudaMemcpyToSymbol","cudaErrorInvalidSymbol",13,1],["cudaMemset","cudaErrorInvalidValue",1,1],["cudaSetDevice","cudaErrorInvalidDevice",101,1],["cudaStreamDestroy","cudaErrorInvalidResourceHandle",400,1]]'
	# That memory is registered already is an answer.
	expect failures '[p.answers[] | [.call, .error, .code, .count]]' '[["cudaHostRegister","cudaErrorHostMemoryAlreadyRegistered",712,1]]'
	# cudaHostUnregister of what was unregistered is a double free, too.
	expect failures "$memory" '[2,2,1,2,1,0]'
	expect failures "$balance" '[0,0,0]'
	expect failures 'p.memory.peak_bytes' 4096
	expect failures '[p.copies[].bytes] | add' 0
	expect failures '[p.copies[] | .calls - .failures] | add' 0
	expect failures '[p.kernels[] | [.name, .launches, .failures]] | sort' '[["failures",1,1],["saxpy",2,2]]'
	expect failures "$calls" '[["cudaEventCreate",2,0],["cudaEventDestroy",2,0],["cudaEventElapsedTime",1,1],["cudaFree",3,1],["cudaFreeHost",1,1],["cudaHostRegister",2,0],["cudaHostUnregister",2,1],["cudaLaunchKernel",3,3],["cudaMalloc",2,1],["cudaMemcpy",3,3],["cudaMemcpyAsync",1,1],["cudaMemcpyToSymbol",1,1],["cudaMemset",1,1],["cudaSetDevice",1,1],["cudaStreamCreate",1,0],["cudaStreamDestroy",2,1]]'
	expect failures '[.events[] | select(.kind == "out-of-memory")] | length' 1
	expect all '.totals.failures == ([.processes[].failures[].count] | add)' true

	# ---- call sites by name: the program itself must be known beforehand, or be there long enough
	watch sites -- "$program" -k kinds
	expect sites '[p.sites[].site | test("^kinds\\+0x[0-9a-f]+ at basic.c:[0-9]+ \\('"$build"'\\)$")] | all' true
	expect sites 'p.sites | length' 12
done

# ---- queries are off by default, and seen with --calls=all; what repeats an earlier error fails not itself
watch queries --calls=all -- "$workload" failures
expect queries '[call("cudaFuncGetAttributes"), call("cudaGetLastError") | [.call, .calls, .failures]]' \
	'[["cudaFuncGetAttributes",1,1],["cudaGetLastError",2,0]]'
expect queries 'failure("cudaFuncGetAttributes"; "cudaErrorInvalidDeviceFunction")' 1
expect queries '[p.failures[].count] | add' 17
expect queries '[p.answers[].count] | add' 1

# ---- what follows runs below one cutop, but for what is looked at while it runs
odd_memory=$top_builddir/tests/e2e/bin/odd_memory
queue no_memory env CUDA_DOUBLE_FAIL=cudaMalloc:3:2 "$workload" -k pairs 5 100
queue no_free env CUDA_DOUBLE_FAIL=cudaFree:2:700 "$workload" pairs 5 100
queue sync env CUDA_DOUBLE_KERNEL_TIME=5ms "$workload" sync 20 0
queue nothing "$odd_calls" nothing
queue odd_memory "$odd_memory"
for scene in places formats green opengl; do
	queue $scene "$odd_memory" $scene
done
queue devices env CUDA_DOUBLE_DEVICES=2 "$odd_calls" devices
queue per_thread "$odd_calls" per-thread
watch_queue many --library "$double/libcudart.so.13" --library "$double/libcuda.so.1" --library "$odd_memory"
expect_nothing_lost many

# ---- failures that the double is told to make: nothing is allocated, nothing freed
queued_status no_memory 1
expect no_memory "$memory" '[2,0,1,0,0,0]'
expect no_memory "$balance" '[0,0,200]'
expect no_memory '[p.failures[] | [.call, .error, .code, .count]]' '[["cudaMalloc","cudaErrorMemoryAllocation",2,1]]'
expect no_memory 'p.exit_code' 1
expect no_free "$memory" '[2,1,0,1,0,0]'
expect no_free "$balance" '[0,0,100]'
expect no_free '[p.failures[] | [.call, .error, .code, .count]]' '[["cudaFree","cudaErrorIllegalAddress",700,1]]'

# ---- while it runs: live bytes by kind, the map, the state
export CUDA_DOUBLE_DELAY=cudaHostUnregister=2s
"$CUTOP" -b -f json -d 0.1 -- "$workload" kinds >"$T/running.out" 2>&1
grep '^{' "$T/running.out" | jq -c 'select(.processes[0].memory.live_allocations == 12)' | head -n 1 >"$T/running.json"
unset CUDA_DOUBLE_DELAY
expect running 'p.state' '"running"'
expect running "$balance" '[79642,12,0]'
# Static: the 256 floats of the workload's __constant__ variable, which count in no total.
expect running 'p.memory.kinds' '{"device":16361,"managed":3003,"async":9009,"array":54272,"physical":0,"pinned":13013,"registered":8192,"shared":0,"static":1024}'
expect running '[p.memory.map[] | select(.kind == "pinned" or .kind == "registered") | [.call, .size, .state]] | sort' \
	'[["cudaHostAlloc",7007,"live"],["cudaHostRegister",8192,"live"],["cudaMallocHost",6006,"live"]]'
expect running '[p.sites[].live_bytes] | add' 82645

# ---- static memory: what variables were registered with, in no total and no leak; those of a module while it is loaded
"$CUTOP" -b -f json -d 0.1 -- "$top_builddir/tests/e2e/bin/odd_memory" statics >"$T/statics.out" 2>&1
grep '^{' "$T/statics.out" | jq -c '.processes[0] | select(.state == "running") | [.memory.kinds.static, .memory.live_bytes]' |
	uniq >"$T/statics"
check "static memory: $(tr '\n' ' ' <"$T/statics")" [ "$(tr '\n' ' ' <"$T/statics" | sed 's/^\[0,0\] //')" = '[700,0] [400,0] ' ]
grep '^{' "$T/statics.out" | tail -n 1 >"$T/statics.json"
expect statics 'p.memory | [.kinds.static, .live_bytes, .peak_bytes, .leaked_bytes, .allocations]' '[0,0,0,0,0]'
expect_nothing_lost statics
export CUDA_DOUBLE_DELAY=cudaDeviceSynchronize=1s
for layer in both runtime driver; do
	"$CUTOP" -b -f json -d 0.1 -l $layer -- "$bin/managed" >"$T/variables.out" 2>&1
	got=$(grep '^{' "$T/variables.out" | jq -c '[.processes[0] | select(.state == "running").memory.kinds.static] | max' | sort -n | tail -n 1)
	check "static memory of managed, $layer: $got" [ "$got" = 4 ]
done
unset CUDA_DOUBLE_DELAY

# ---- time inside synchronizing calls: 20 waits of 5 ms
expect sync 'kernel("vectorAdd").launches' 20
expect sync 'call("cudaStreamSynchronize") | [.calls, .failures]' '[20,0]'
expect sync 'p.synchronize.seconds | . >= 0.09 and . < 1' true
expect sync '(p.synchronize.seconds - call("cudaStreamSynchronize").seconds) | fabs < 0.001' true
expect sync 'call("cudaStreamSynchronize").latency_seconds | .p50 >= 0.004 and .p50 <= .p99 and .p99 <= .max' true

# ---- sizes of nothing, and freeing nothing
expect nothing "$memory" '[0,0,0,0,0,0]'
expect nothing "$calls" '[["cudaFree",4,0],["cudaFreeHost",1,0],["cudaMalloc",3,0],["cudaMallocHost",1,0],["cudaMallocManaged",1,0]]'

# ---- memory that the double does not have: the host's, arrays in layers and without memory, what others lend
expect odd_memory "$memory" '[18,5,0,0,0,0]'
expect odd_memory "$balance" "[0,0,$((5000 + 9000 + 3 * 8064 + 6976 + 2048))]"
expect odd_memory '[p.memory.map[] | [.size, .kind, .device]] | sort' \
	'[[0,"array",0],[0,"array",0],[0,"array",0],[2000,"async",1],[2048,"array",0],[3000,"async",1],[4000,"managed",0],[5000,"managed",0],[6976,"array",0],[8064,"array",0],[8064,"array",0],[8064,"array",0]]'
expect odd_memory '[p.copies[] | [.direction, .bytes]]' '[["D2H",10]]'
expect odd_memory 'p.inexact' false

# ---- where memory may lie: only the host's three places are the host's (cudaMemLocationType in driver_types.h, CUDA 13.0).
# What a process does not see (5, CUDA 13.2), and what is still to come, is memory of a GPU.
expect places '[p.memory.map[] | select(.kind == "physical") | .size / 1048576] | sort' '[1,5,6,7]'
expect places '[p.memory.map[] | select(.kind == "async") | .size] | sort' '[1000,5000,6000,7000]'
expect places '[p.memory.map[].device] | sort' '[null,null,null,null,null,null,0,0]'
expect places "$balance" "[0,0,$((19 * 1048576 + 19000))]"

# ---- arrays whose size is not that of their channels: as many levels as there can be, blocks of texels, planes
expect formats '[p.memory.map[].size] | sort' "[512,$((171 * 4)),$((171 * 4 * 3))]"

# ---- green contexts hold the primary one of their device
expect green '[p.memory.map[] | [.size, .device, .state]] | sort' '[[1000,1,"leaked"],[2000,1,"leaked"],[4000,0,"leaked"]]'
expect green '[.events[] | select(.kind == "reset") | .text | sub(" ended.*: "; ": ")]' \
	'["cuDevicePrimaryCtxRelease_v2 of device 1: 2.9K leaked","cuGreenCtxDestroy of device 0: 3.9K leaked"]'

# ---- a context made for OpenGL is one like others
expect opengl '[p.memory.map[] | [.size, .device, .state]]' '[[1000,1,"leaked"]]'
expect opengl '[.events[] | select(.kind == "reset") | .text | sub(" ended.*: "; ": ")]' '["cuCtxDestroy_v2 of device 1: 1.0K leaked"]'

# ---- two devices: a reset ends what is on its own, whichever thread asks
queued_status devices 0
expect devices "$memory" '[5,4,0,0,0,0]'
expect devices "$balance" '[0,0,1111]'
expect devices '[p.memory.map[] | [.size, .device, .state]]' '[[1111,1,"leaked"]]'
expect devices 'p.devices' '[0,1]'

# ---- the per-thread forms of the calls
expect per_thread "$memory" '[2,2,0,0,0,0]'
expect per_thread 'kernel("odd") | [.launches, .grid, .block]' '[3,[1,1,1],[32,1,1]]'
expect per_thread '[p.copies[] | [.direction, .mode, .calls, .bytes]] | sort' '[["D2H","sync",1,200],["H2D","async",1,100]]'
expect per_thread "$calls" '[["cudaFreeAsync_ptsz",2,0],["cudaLaunchKernel_ptsz",3,0],["cudaMallocAsync_ptsz",2,0],["cudaMemcpyAsync_ptsz",1,0],["cudaMemcpy_ptds",1,0],["cudaStreamSynchronize_ptsz",1,0]]'

finish
