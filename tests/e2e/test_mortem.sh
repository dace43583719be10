#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Post-mortems: who held the memory when an allocation failed, the warning
# before that, and what was launched before a kernel broke down.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

events='[.events[] | select(.kind == "out-of-memory")]'
full='[.events[] | select(.kind == "nearly-full")]'

# ---- one process: 1,002 failing allocations are three events, one per call site, and all are counted
export CUDA_DOUBLE_MEMORY=64M
for build in workload workload-static; do
	watch alone -- "$bin/$build" exhaust
	check "alone: status" [ "$status" = 0 ]
	expect alone "$events | map([.call, .bytes, .device, .code, (.repeated // 0)])" \
		'[["cudaMalloc",1073741824,0,2,999],["cudaMalloc",2147483648,0,2,0],["cudaMallocHost",1099511627776,0,2,0]]'
	expect alone "$events | map(.holders | length)" '[1,1,0]'
	expect alone "$events[0].holders[0] | [.live_bytes, .watched_from]" '[33554432,"start"]'
	expect alone "$events[0].holders[0].pid == p.pid" true
	expect alone "$events | map(.site | test(\"^exhaust[+]0x[0-9a-f]+( at [a-z]+[.]c:[0-9]+)? [(]$build[)]\$\")) | all" true
	expect alone "$events | map(.site) | unique | length" 3
	expect alone 'p.memory | [.failed_allocations, .allocations, .frees, .peak_bytes]' '[1002,5,5,41943040]'
	expect alone 'failure("cudaMalloc"; "cudaErrorMemoryAllocation")' 1001
	expect_nothing_lost alone
done

# ---- the same as text: one line each, below the process
"$CUTOP" -b -n 1 -- "$workload" exhaust >"$T/text.out" 2>"$T/text.err"
check "text: one line for 1,000" grep -q '^  [0-9:]* (1000 times) cudaMalloc of 1.0G at exhaust+0x[0-9a-f]* \(at [a-z]*.c:[0-9]* \)\{0,1\}(workload): out of memory on device 0; this process holds 32.0M' "$T/text.out"

# ---- two processes: the other one's memory is named, too, as it was at that instant
mkfifo "$T/held" "$T/go"
cat >"$T/two.sh" <<END
"$workload" hold 24 <"$T/go" >"$T/held" &
exec 9>"$T/go"
read -r ready <"$T/held"
"$workload" exhaust
echo >&9
wait
END
watch two --library "$double/libcudart.so.13" -- sh "$T/two.sh"
check "two: status" [ "$status" = 0 ]
expect two '.processes | length' 2
expect two "$events[0].holders | map(.live_bytes)" '[33554432,25165824]'
expect two "(.processes | map({key: (.pid | tostring), value: .memory.peak_bytes}) | from_entries) as \$peak |
	$events[0].holders | map(\$peak[.pid | tostring])" '[41943040,25165824]'
expect_nothing_lost two

# ---- the warning: at 80 % and, after falling below 70 %, again; the size from either call
export CUDA_DOUBLE_MEMORY=100M
for ask in info properties; do
	watch fill -- "$workload" fill $ask
	expect fill "$full | map([.device, .tracked_bytes, .total_bytes])" '[[0,83886080,104857600],[0,94371840,104857600]]'
	expect fill "$full | map(.holders | map(.live_bytes))" '[[83886080],[94371840]]'
	expect_nothing_lost fill
done
# The call that told the size is counted like any other.
expect fill 'call("cudaGetDeviceProperties") | [.calls, .failures]' '[1,0]'
unset CUDA_DOUBLE_MEMORY
watch room -- "$workload" fill info
expect room "$full" '[]'

# ---- a kernel breaks down: the first error, which CUDA reports late, names what was launched since all was known to be well

# From then on every call fails, and so does a reset (driver_types.h, cudaErrorIllegalAddress): it ends nothing. All of this
# again with a driver that goes on after one.
faults='[.events[] | select(.kind == "fault")]'
names="$faults | map([.suspects[].kernel])"
for way in handle direct exc; do
	for option in --map=all --exact-launches; do
		CUDA_DOUBLE_FAIL=cudaDeviceSynchronize:2:700,cudaDeviceSynchronize:4:719
		export CUDA_DOUBLE_FAIL
		watch stuck $option -- "$workload" -l $way broken
		check "stuck: status" [ "$status" = 0 ]
		expect stuck "$names" '[["reduce","nn::softmax","vectorAdd"]]'
		expect stuck '[p.failures[] | [.code, .sticky]] | unique' '[[700,true]]'
		expect stuck '[p.failures[].count] | add' 9
		expect stuck 'call("cudaDeviceReset") | [.calls, .failures]' '[1,1]'
		expect stuck '[.events[] | select(.kind == "reset" or .kind == "failure")]' '[]'
		expect_nothing_lost stuck
		export CUDA_DOUBLE_HEAL=1
		watch broken $option -- "$workload" -l $way broken
		unset CUDA_DOUBLE_FAIL CUDA_DOUBLE_HEAL
		check "broken: status" [ "$status" = 0 ]
		# saxpy went well before; after the reset it is the only one.
		expect broken "$names" '[["reduce","nn::softmax","vectorAdd"],["saxpy"]]'
		expect broken "$faults | map([.call, .code, (.site | test(\"^broken[+]0x[0-9a-f]+( at [a-z]+[.]c:[0-9]+)? [(]workload[)]\$\"))])" \
			'[["cudaDeviceSynchronize",700,true],["cudaDeviceSynchronize",719,true]]'
		expect broken "$faults[0].suspects | map(.stream_exact)[0:2]" '[true,true]'
		expect broken "$faults[0].suspects | (.[0].stream == .[2].stream) and (.[0].stream != .[1].stream)" true
		expect broken "$faults[0].suspects[1].stream == kernel(\"nn::softmax\").stream" true
		# What fails for its sake is counted, and not told.
		expect broken '[.events[] | select(.kind == "failure")] | length' 0
		expect broken '[p.failures[] | [.code, .sticky]] | unique' '[[700,true],[719,true]]'
		expect broken '[p.failures[].count] | add' 7
		expect_nothing_lost broken
	done
done

# ---- the launch that reports an earlier kernel's error is none of the suspects
export CUDA_DOUBLE_FAIL=cudaLaunchKernel:9+:715
watch launch --exact-launches -- "$workload" -l direct case-study
unset CUDA_DOUBLE_FAIL
expect launch "$faults | map([.call, .code, (.suspects | map([.kernel, .launches]))])" \
	'[["cudaLaunchKernel",715,[["saxpy",4],["vectorAdd",5]]]]'

# ---- a synchronize says which context it means: what came before one of the primary one is known to be well, of another it is not
export CUDA_DOUBLE_FAIL=cudaStreamSynchronize:1:700
watch contexts -- "$workload" contexts
unset CUDA_DOUBLE_FAIL
expect contexts "$names" '[["vectorAdd"]]'
expect contexts '[p.calls[] | select(.call | test("Synchronize")) | [.call, .calls]] | sort' \
	'[["cuCtxSynchronize_v2",3],["cudaExecutionCtxSynchronize",1],["cudaStreamSynchronize",1]]'

# ---- nor does one of a green context wait for the primary one: cuda.h, cuCtxSynchronize()
watch green -- "$top_builddir/tests/e2e/bin/odd_memory" green-sync
expect green "$faults | map(.suspects | length)" '[1]'
watch primary -- "$top_builddir/tests/e2e/bin/odd_memory" primary-sync
expect primary "$faults | map(.suspects // [] | length)" '[0]'

finish
