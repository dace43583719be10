#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs built by nvcc, on the double: their documented counts, their kernels
# by name, the runtime as a library and linked in; and stripped, where names
# come from what the program registers.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

[ -x "$bin/vector_add" ] || skip "no nvcc: the programs in CUDA C++ are not built"

LD_LIBRARY_PATH=$double
export LD_LIBRARY_PATH

memory='p.memory | [.allocations, .frees, .peak_bytes, .leaked_bytes]'
kernels='[p.kernels[] | [.signature, .launches, .failures]] | sort'
copies='[p.copies[] | [.direction, .mode, .calls, .bytes]] | sort'

# books PROGRAM NAME: what the program's first comment says
books() {
	case $1 in
	vector_add)
		expect "$2" "$memory" '[3,3,12582912,0]'
		expect "$2" "$kernels" '[["nn::bias(float*, int)",10,0],["vectorAdd(float const*, float const*, float*, int)",100,0],["void scale<double>(double*, double, int)",25,0],["void scale<float>(float*, float, int)",50,0]]'
		expect "$2" '[p.kernels[].name] | sort' '["nn::bias","scale","scale","vectorAdd"]'
		expect "$2" '[p.kernels[] | select(.launches == 100) | .grid, .block]' '[[4096,1,1],[256,1,1]]'
		expect "$2" "$copies" '[["D2H","sync",1,4194304],["H2D","sync",3,8388672]]'
		expect "$2" 'call("cudaMemcpyToSymbol").calls' 1
		;;
	streams)
		expect "$2" "$memory" '[5,5,4194304,0]'
		expect "$2" "$kernels" '[["stencil(float const*, float*, int)",32,0]]'
		expect "$2" "$copies" '[["D2H","async",32,33554432],["H2D","async",32,33554432]]'
		# In C++ cudaMallocHost is an inline function that calls cudaHostAlloc.
		expect "$2" '[call("cudaEventRecord"), call("cudaStreamWaitEvent"), call("cudaStreamSynchronize"), call("cudaHostAlloc") | .calls]' '[2,4,4,1]'
		;;
	managed)
		# No peak: managed memory may lie on no device (CUDA C++ programming guide, unified memory).
		expect "$2" "$memory" '[1,1,0,0]'
		expect "$2" "$kernels" '[["touch(int*, int)",30,0]]'
		expect "$2" '[p.calls[] | select(.call | test("^cudaMem(Advise|Prefetch)")) | .calls]' '[1,1]'
		;;
	leak)
		expect "$2" "$memory" '[3,2,24000000,8000000]'
		expect "$2" "$kernels" '[["addOne(float*, int)",1000,0],["mulTwo(float*, int)",1000,0]]'
		expect "$2" '[p.memory.map[] | [.size, .state, .call]]' '[[8000000,"leaked","cudaMalloc"]]'
		;;
	esac
}

# A program with the runtime linked in is a file of its own to probe.
programs='vector_add vector_add-static streams managed leak leak-static'
# shellcheck disable=SC2016
watch all --library "$double/libcudart.so.13" --library "$bin/vector_add-static" --library "$bin/leak-static" -- sh -c '
	for program in $2; do "$1/$program" || exit; done' sh "$bin" "$programs"
check "status" [ "$status" = 0 ]
# shellcheck disable=SC2086
split all $programs
expect all '[.processes[] | .watched_from, .state] | unique' '["exited","start"]'
expect_nothing_lost all
for program in $programs; do
	books "${program%-static}" "$program"
done
# ---- the site that leaks: as COMMAND the program is known beforehand
watch leaks -- "$bin/leak"
expect leaks '[p.sites[] | select(.leaked_bytes > 0) | .site | test("make_buffer")]' '[true]'
expect leak-static '[p.sites[] | select(.leaked_bytes > 0) | .site | test("make_buffer")]' '[true]'

# ---- stripped: the runtime must be a library, for a stripped static one has no names to probe
if command -v strip >/dev/null; then
	for program in vector_add streams leak; do
		strip -o "$T/$program" "$bin/$program"
		watch stripped -- "$T/$program"
		books $program stripped
		expect_nothing_lost stripped
	done
	expect stripped '[p.sites[] | select(.leaked_bytes > 0) | .site | test("^leak\\+0x")]' '[true]'
else
	echo "not tried: stripped programs (no strip)"
fi

finish
