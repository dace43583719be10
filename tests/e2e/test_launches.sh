#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Launches: counted exactly at any rate, whichever way and from however many
# threads; their returns all seen, or sampled where the kernel lets cutop choose
# (session links), and then again all seen after a failure.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

odd_calls=$top_builddir/tests/e2e/bin/odd_calls
failures='[p.failures[] | [.call, .code, .count]] | sort'

case $(attach_method) in
session) returns='"sampled"' ;;
*) returns='"all"' ;;
esac
sampled() {
	[ "$returns" = '"sampled"' ]
}

# ---- what the default settings are for, one after the other under one cutop
for way in direct handle exc; do
	queue $way "$workload" -l $way launches 5000 2
	queue $way-static "$bin/workload-static" -l $way launches 5000 2
done
queue stress "$workload" stress-launch 1 2
queue crowd "$workload" launches 5000 40
queue few "$workload" launches 640 1
fail=CUDA_DOUBLE_FAIL=cudaLaunchKernel:110:9,cudaLaunchKernel:140:98,cudaLaunchKernel:190:9,cudaLaunchKernel:500:9
queue some env $fail "$odd_calls" launches 1000 100
queue fault env CUDA_DOUBLE_FAIL=cudaLaunchKernel:68:700 "$odd_calls" launches 1000 0
queue shapes "$odd_calls" shapes
watch_queue default --library "$double/libcudart.so.13" --library "$double/libcuda.so.1" --library "$bin/workload-static"
expect_nothing_lost default
expect default '.totals.launches == ([.processes[].kernels[].launches] | add)' true

# ---- three ways to launch, two ways to link
for way in direct handle exc direct-static handle-static exc-static; do
	case $way in
	exc*) call=cudaLaunchKernelExC ;;
	*) call=cudaLaunchKernel ;;
	esac
	expect $way 'kernel("vectorAdd") | [.signature, .symbol, .launches, .failures, .grid, .block]' \
		'["vectorAdd(float const*, float const*, float*, int)","_Z9vectorAddPKfS0_Pfi",10000,0,[1,1,1],[32,1,1]]'
	expect $way '[p.calls[] | [.call, .calls, .failures]] | sort' "[[\"cudaDeviceSynchronize\",1,0],[\"$call\",10000,0]]"
	expect $way 'kernel("vectorAdd").returns' "$returns"
done

# ---- both processors, then many threads: exact at full speed
expect stress 'kernel("vectorAdd").launches' "$(head -n 1 "$T/stress.out")"
expect stress 'kernel("vectorAdd").launches > 10000' true
expect crowd 'kernel("vectorAdd") | [.launches, .failures]' '[200000,0]'

# ---- the first of a kernel and one in 67 is looked at, or all of them
sampled && expect few 'kernel("vectorAdd").latency_samples' 10
expect few 'kernel("vectorAdd").latency_seconds | .p50 <= .p99 and .p99 <= .max and .p50 > 0' true
queue exact "$workload" launches 20000 2
queue fails env $fail "$odd_calls" launches 1000 100
watch_queue exactly --exact-launches
expect exact 'kernel("vectorAdd") | [.launches, .failures, .returns, .latency_samples]' '[40000,0,"all",40000]'
expect exact 'call("cudaLaunchKernel") | [.calls, .returns]' '[40000,"all"]'
expect_nothing_lost exactly

# ---- failures: all of them with --exact-launches
expect fails 'kernel("odd") | [.launches, .failures, .returns]' '[1000,4,"all"]'
expect fails "$failures" '[["cudaFree",1,1],["cudaLaunchKernel",9,3],["cudaLaunchKernel",98,1]]'
expect fails 'call("cudaLaunchKernel") | [.calls, .failures]' '[1000,4]'

# ---- and otherwise those within 64 launches of a failing call, a cudaFree before the hundredth: not the 500th
if sampled; then
	expect some 'kernel("odd") | [.launches, .failures, .returns]' '[1000,3,"sampled"]'
	expect some "$failures" '[["cudaFree",1,1],["cudaLaunchKernel",9,2],["cudaLaunchKernel",98,1]]'
	# 1 and 68; 100 to 190 and 64 more; of those not looked at in any case every 67th: 290 and so on to 960
	expect some 'kernel("odd").latency_samples' $((2 + 155 + 11))
fi

# ---- a fault: every call after it fails, and once one is seen all are
expect fault 'kernel("odd") | [.launches, .failures]' '[1000,933]'
expect fault '[p.failures[] | [.call, .error, .count]] | sort' \
	'[["cudaDeviceSynchronize","cudaErrorIllegalAddress",1],["cudaLaunchKernel","cudaErrorIllegalAddress",933]]'
expect fault '[.events[] | select(.kind == "fault")][0].text | test("cudaLaunchKernel.*700")' true

# ---- the shape of a launch: what changes is seen at once
expect shapes 'kernel("odd") | [.launches, .grid, .block, .shared_bytes, .stream != "0x0"]' '[6,[3,4,5],[8,4,2],1024,true]'
sampled && expect shapes 'kernel("odd").latency_samples' 2
expect shapes 'kernel("power::square") | [.signature, .launches]' '["void power::square<int>(int*)",5]'
expect shapes '[p.calls[] | select(.call | test("Launch")) | [.call, .calls]] | sort' \
	'[["cudaLaunchCooperativeKernel",2],["cudaLaunchKernel",6],["cudaLaunchKernelExC",3]]'

# ---- after launches whose return was skipped, the driver's own do not count as the runtime's
watch driver -l runtime -- "$workload" driver-launch 500
expect driver '[p.kernels[] | [.name, .launches, .failures]]' '[["vectorAdd",10,0]]'
expect driver '[p.calls[] | [.call, .calls, .failures]] | sort' '[["cudaLaunchKernel",10,0]]'
expect_nothing_lost driver

finish
