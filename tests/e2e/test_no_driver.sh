#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# NVIDIA's own runtime where there is no driver: every call fails with
# cudaErrorInsufficientDriver, by name and count, and nothing is allocated. As a
# library, linked into a program, and under a program that nvcc built.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

no_driver=$top_builddir/tests/e2e/bin/no_driver

for dir in "${CUDA_HOME:+$CUDA_HOME/lib64}" "${CUDA_HOME:+$CUDA_HOME/lib}" \
	"${CUDA_TOOLKIT:+$CUDA_TOOLKIT/lib64}" "${CUDA_TOOLKIT:+$CUDA_TOOLKIT/lib}" none; do
	[ -n "$dir" ] && [ -e "$dir/libcudart.so.13" ] && break
done
[ "$dir" != none ] || skip "needs NVIDIA's libcudart.so.13 (CUDA 13; set CUDA_HOME)"
[ "$(LD_LIBRARY_PATH=$dir "$no_driver")" = "44 of 44" ] || skip "there is a driver: NVIDIA's runtime works here"

calls='[["cudaDeviceReset",1],["cudaDeviceSynchronize",8],["cudaEventCreate",2],["cudaFree",5],["cudaMalloc",7],["cudaMallocAsync",1],["cudaMallocHost",1],["cudaMallocManaged",2],["cudaMemGetInfo",1],["cudaMemcpy",4],["cudaMemcpyAsync",3],["cudaMemset",2],["cudaSetDevice",1],["cudaStreamCreate",6]]'

# without_driver NAME: every call of no_driver.c, failed
without_driver() {
	expect "$1" '[p.failures[] | select(.error == "cudaErrorInsufficientDriver" and .code == 35) | [.call, .count]] | sort' "$calls"
	expect "$1" '[p.calls[] | [.call, .calls]] | sort' "$calls"
	expect "$1" '[p.calls[] | .calls == .failures] | all' true
	expect "$1" 'p.failures | length' 14
	expect "$1" 'p.memory | [.allocations, .frees, .live_bytes, .peak_bytes, .leaked_bytes, .failed_allocations, .failed_frees]' '[0,0,0,0,0,11,5]'
	expect "$1" '[p.copies[] | [.direction, .mode, .calls, .failures, .bytes]] | sort' '[["D2H","async",3,3,0],["D2H","sync",4,4,0]]'
	expect "$1" '.totals | [.processes, .live_bytes, .launches, .failures]' '[1,0,0,44]'
	expect_nothing_lost "$1"
}

export LD_LIBRARY_PATH="$dir"
watch shared -- "$no_driver"
unset LD_LIBRARY_PATH
check "status" [ "$status" = 0 ]
without_driver shared

if "${CC:-cc}" -std=c17 -I"$top_srcdir/tests/double" -o "$T/no_driver" "$top_srcdir/tests/e2e/no_driver.c" \
	"$dir/libcudart_static.a" -ldl -lrt -lpthread 2>/dev/null; then
	watch static -- "$T/no_driver"
	without_driver static
else
	echo "not tried: a program linked with libcudart_static.a"
fi

if [ -x "$bin/vector_add" ]; then
	export LD_LIBRARY_PATH="$dir"
	watch nvcc -- "$bin/vector_add"
	unset LD_LIBRARY_PATH
	check "the program's own status" [ "$status" = 1 ]
	expect nvcc '[p.calls[] | [.call, .calls, .failures]]' '[["cudaMalloc",1,1]]'
	expect nvcc 'failure("cudaMalloc"; "cudaErrorInsufficientDriver")' 1
	expect nvcc 'p.memory | [.allocations, .failed_allocations]' '[0,1]'
	expect nvcc 'p | [.state, .exit_code, .watched_from]' '["exited",1,"start"]'
	expect_nothing_lost nvcc
else
	echo "not tried: a program built by nvcc"
fi

finish
