#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Errors that are no failures (src/cuda/errors.c): a program whose driver shuts down before its destructors free memory and
# the runtime gives back its context; and one that asks for what is not there. No count has them, and no event.
# A copy after the driver's end is one: its bytes are lost.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

cat >"$T/ends.c" <<'END'
#include "cuda_double.h"
#include "cuda_double_driver.h"
#include <stdlib.h>
static void *block;
static char bytes[64];
/* Registered before the driver is started, so it runs after the driver's own exit handler. */
static void at_exit(void)
{
	if (cudaFree(block) != cudaErrorCudartUnloading)
		abort();
	if (LATE_COPY && cudaMemcpy(bytes, block, 64, cudaMemcpyDeviceToHost) != cudaErrorCudartUnloading)
		abort();
}
int main(void)
{
	struct cudaFuncAttributes attributes;
	void *function;
	int status;

	atexit(at_exit);
	if (cudaMalloc(&block, 1 << 20) || cudaFuncGetAttributes(&attributes, (void *)main) != cudaErrorNoKernelImageForDevice)
		return 1;
	if (LEAK && cudaMalloc(&function, 4096))
		return 1;
	for (int i = 0; i < 34; i++)
		if (cuGetProcAddress_v2("cuNoSuchFunction", &function, 13000, 0, &status) != CUDA_ERROR_NOT_FOUND)
			return 1;
	return cuGetProcAddress_v2("cuInit", &function, 13000, 0, &status);
}
END
line() {
	grep -nF "$1" "$T/ends.c" | cut -d: -f1
}

# 2 leaks, besides.
for late in 0 1 2; do
	"${CC:-cc}" -g -I"$top_srcdir/tests/double" -DLATE_COPY="($late == 1)" -DLEAK="($late == 2)" -o "$T/ends$late" "$T/ends.c" "$double/libcudart.so.13" "$double/libcuda.so.1" \
		-Wl,-rpath,"$double" || fail "it does not build"
done
export CUDA_DOUBLE_EXIT=1 CUDA_DOUBLE_FAIL=cudaFuncGetAttributes:1:209

watch ends --calls all -- "$T/ends0"
expect ends 'p.exit_code' 0
expect ends '.totals.failures' 0
expect ends 'p.failures' '[]'
expect ends 'p.answers | map([.call, .code, .count])' '[["cuGetProcAddress_v2",500,34],["cudaFuncGetAttributes",209,1]]'
expect ends 'p.failures_at_exit | map([.call, .error, .count]) | sort' \
	'[["cuDevicePrimaryCtxRelease","CUDA_ERROR_DEINITIALIZED",1],["cudaFree","cudaErrorCudartUnloading",1]]'
expect ends 'p.answers + p.failures_at_exit | map(.words | length > 10) | all' true
expect ends 'p.calls | map(.failures) | add' 0
expect ends 'call("cuGetProcAddress_v2").calls' 35
expect ends 'p.memory | [.failed_frees, .unknown_frees, .frees]' '[0,0,0]'
check "the log has a start and an end" [ "$(jq -rs '[.[].events[]?.kind] | sort | unique | join(" ")' "$T/ends.out")" = "end start" ]
# It was freed too late, which is no leak: there are both lines.
expect ends 'p.memory | [.leaked_bytes, .live_bytes, .freed_late_bytes]' '[0,0,1048576]'
expect ends '[p.sites[] | [.freed_late_bytes, .freed_late_blocks, .freed_late_call, (.site | sub("[+].* at "; " ")), (.freed_late_site | sub("[+].* at "; " "))]]' \
	"[[1048576,1,\"cudaFree\",\"main ends.c:$(line 'if (cudaMalloc') (ends0)\",\"at_exit ends.c:$(line 'if (cudaFree') (ends0)\"]]"
# The exit status is by the rest.
"$CUTOP" -b -n 1 --fail-on-leak -- "$T/ends0" >"$T/report" 2>&1
status=$?
check "status $status: $(cat "$T/report")" [ "$status" = 0 ]
for said in 'freed too late, after the driver.s end: 1048576 bytes' 'freed by cudaFree at at_exit' '^no leak$' \
	'^freed too late 1048576 bytes (1.0M): by static destructors'; do
	check "the report lacks '$said': $(cat "$T/report")" grep -q "$said" "$T/report"
done
"$CUTOP" -b -n 1 --fail-on-leak -- "$T/ends2" >"$T/report" 2>&1
check "another leak is one" [ $? = 3 ]
check "the leak: $(cat "$T/report")" grep -q '^leaked 4096 bytes' "$T/report"

watch late -- "$T/ends1"
expect late '.totals.failures' 1
expect late 'p.failures | map([.call, .error, .count])' '[["cudaMemcpy","cudaErrorCudartUnloading",1]]'
expect late 'p.failures_at_exit | map(.call) | sort' '["cuDevicePrimaryCtxRelease","cudaFree"]'
expect late 'p.copies | map(.failures) | add' 1
expect late 'call("cudaMemcpy").failures' 1

# Programs that look whether something is so, or try what may not be: each error is of that call alone.
cat >"$T/asks.c" <<'END'
#include "cuda_double.h"
#include "cuda_double_driver.h"
static char pageable[4096];
int main(void)
{
	CUmemAllocationProp physical = { .type = 1, .location = { .type = 1 } };
	CUmemGenericAllocationHandle handle;
	cudaGraphExecUpdateResultInfo info;
	cudaGraphExec_t exec;
	cudaGraph_t graph, other;
	cudaGraphNode_t node;
	unsigned int flags;
	int failed = 0;

	failed |= cudaHostRegister(pageable, sizeof(pageable), 0);
	failed |= cudaHostRegister(pageable, sizeof(pageable), 0) != 712;
	failed |= cudaDeviceEnablePeerAccess(1, 0);
	failed |= cudaDeviceEnablePeerAccess(1, 0) != 704;
	failed |= cuMemHostGetFlags(&flags, &flags) != 1;
	failed |= cuMemCreate(&handle, 2 << 20, &physical, 0) != 801;
	failed |= cuMemCreate(&handle, 2 << 20, &physical, 0);
	failed |= cuMemRelease(handle);
	failed |= cudaGraphCreate(&graph, 0) || cudaGraphCreate(&other, 0) || cudaGraphAddEmptyNode(&node, other, 0, 0);
	failed |= cudaGraphInstantiate(&exec, graph, 0);
	failed |= cudaGraphExecUpdate(exec, other, &info) != 910;
	/* This one is a failure: nothing of it is registered any more. */
	failed |= cudaHostUnregister(pageable);
	failed |= cudaHostUnregister(pageable) != 713;
	return failed;
}
END
"${CC:-cc}" -I"$top_srcdir/tests/double" -o "$T/asks" "$T/asks.c" "$double/libcudart.so.13" "$double/libcuda.so.1" \
	-Wl,-rpath,"$double" || fail "it does not build"
unset CUDA_DOUBLE_EXIT
export CUDA_DOUBLE_FAIL=cuMemCreate:1:801 CUDA_DOUBLE_DEVICES=2
watch asks --calls all -- "$T/asks"
expect asks 'p.exit_code' 0
expect asks 'p.answers | map([.call, .code, .count]) | sort' \
	'[["cuMemCreate",801,1],["cuMemHostGetFlags",1,1],["cudaDeviceEnablePeerAccess",704,1],["cudaGraphExecUpdate",910,1],["cudaHostRegister",712,1]]'
expect asks 'p.answers | map(.words | length > 10) | all' true
expect asks 'p.failures | map([.call, .code, .count])' '[["cudaHostUnregister",713,1]]'
expect asks '.totals.failures' 1
expect asks 'p.memory | [.failed_allocations, .double_frees]' '[0,1]'
expect asks '[.events[] | select(.kind == "failure" or .kind == "out-of-memory")] | length' 1

# No memory, and then there is: an allocator that frees its cache and tries again. The second time it gives up.
cat >"$T/retries.c" <<'END'
#include "cuda_double.h"
int main(void)
{
	void *cache, *block = 0;

	if (cudaMalloc(&cache, 60 << 20) || cudaMalloc(&block, 64 << 20) != cudaErrorMemoryAllocation || cudaFree(cache))
		return 1;
	if (cudaMalloc(&block, 64 << 20) || cudaFree(block))
		return 2;
	return cudaMalloc(&block, 65 << 20) != cudaErrorMemoryAllocation;
}
END
"${CC:-cc}" -g -I"$top_srcdir/tests/double" -o "$T/retries" "$T/retries.c" "$double/libcudart.so.13" "$double/libcuda.so.1" \
	-Wl,-rpath,"$double" || fail "it does not build"
export CUDA_DOUBLE_FAIL=cudaMalloc:2:2,cudaMalloc:4:2
watch retries -- "$T/retries"
expect retries 'p.exit_code' 0
expect retries '[.events[] | select(.kind == "recovered" or .kind == "out-of-memory") | [.kind, .bytes]]' '[["recovered",67108864],["out-of-memory",68157440]]'
expect retries '[.events[] | select(.kind == "recovered").text | test("^cudaMalloc of 64.0M at main.*retries.c:8.*: found none on device 0; got it [0-9.]+ ms later, after 60.0M were freed$")]' '[true]'
expect retries 'p.memory | [.failed_allocations, .recovered_allocations]' '[2,1]'
"$CUTOP" -b -f openmetrics -n 1 -- "$T/retries" >"$T/metrics"
check "the metric: $(grep recovered "$T/metrics")" grep -q '^cutop_process_recovered_allocations_total{.*} 1$' "$T/metrics"

finish
