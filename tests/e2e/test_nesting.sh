#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hooked calls within hooked calls, behind jumps, and left by longjmp: each act
# is counted once, as the outermost call; what cannot be recorded is said to be lost.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

own_runtime=$top_builddir/tests/e2e/bin/own_runtime

memory='p.memory | [.allocations, .frees, .live_allocations, .leaked_bytes, .unknown_frees, .peak_bytes]'
calls='[p.calls[] | [.call, .calls, .failures]] | sort'

# shellcheck disable=SC2016
programs='"$1" nested && "$2" tail 200 && "$2" nest 200 && "$2" jump 90 && "$2" stuck 300 >"$3" && "$2" fork && "$2" handler 50'

for method in session multi; do
	export CUTOP_ATTACH="$method"
	[ -n "$(attach_method)" ] || { echo "not tried with CUTOP_ATTACH=$method: not in this kernel"; continue; }
	watch all --library "$double/libcudart.so.13" --library "$own_runtime" -- sh -c "$programs" sh "$workload" "$own_runtime" "$T/stuck.seconds"
	check "$method: status" [ "$status" = 0 ]
	split all nested tail nest jump stuck fork handler
	# Ten calls of the first program, ninety and one of two others never return. Nothing else is lost.
	expect all '.lost.returns, ([.lost[]] | add)' "101
101"
	expect all '[.processes | sort_by(.start_time)[].inexact]' '[true,false,false,true,true,false,false,false]'

	# ---- a callback that allocates, which is no part of the call it comes from; one that is left by longjmp
	expect nested "$memory" '[11,11,0,0,0,1024]'
	expect nested "$calls" '[["cudaFree",11,0],["cudaLaunchHostFunc",10,0],["cudaLaunchKernel",10,0],["cudaMalloc",11,0]]'
	expect nested 'kernel("vectorAdd") | [.launches, .failures]' '[10,0]'

	# ---- functions that jump to another hooked function: one call, of the first one's kind; managed memory, which is not live
	# (it may lie on no device: CUDA C++ programming guide, unified memory)
	expect tail "$memory" '[200,200,0,0,0,0]'
	expect tail "$calls" '[["cudaFreeHost",200,0],["cudaMallocManaged",200,0],["cudaMemcpy",200,0]]'
	expect tail '[p.copies[] | [.direction, .mode, .calls, .bytes]]' '[["H2D","sync",200,12800]]'
	expect tail '[p.sites[].site | sub("\\+.*"; "")]' '["tail"]'

	# ---- four deep, the last by a jump
	expect nest "$memory" '[200,200,0,0,0,1000]'
	expect nest "$calls" '[["cudaFreeHost",200,0],["cudaMallocPitch",200,0]]'
	expect nest '[p.sites[].site | sub("\\+.*"; "")]' '["nest"]'

	# ---- deeper than a thread's stack of frames: counted once all the same
	watch deep -- "$own_runtime" deep 200
	expect deep "$memory" '[200,200,0,0,0,10]'
	expect deep "$calls" '[["cudaEventSynchronize",200,0],["cudaFree",200,0],["cudaMalloc",200,0]]'
	case $method in
	session) expect_nothing_lost deep ;;
	*) expect deep '.lost.nesting > 0 and p.inexact' true ;;
	esac

	# ---- left by longjmp, then calls from the same depth, from deeper, from less deep
	expect jump "$memory" '[90,90,0,0,0,10]'
	expect jump "$calls" '[["cudaFree",90,0],["cudaMalloc",90,0]]'

	# ---- a wait left by longjmp is over at the next call
	expect stuck "p.synchronize.seconds <= $(cat "$T/stuck.seconds")" true

	# ---- a fork inside a call: it returns twice, and is counted once
	expect fork '.processes | map([(.memory | .allocations, .frees, .unknown_frees), ([.calls[] | .calls] | add)]) | sort' '[[1,1,0,2],[1,1,0,3]]'

	# ---- a handler of signals, in a program that has the runtime linked in, where all is near
	expect handler "$memory" '[50,50,0,0,0,10]'
	expect handler "$calls" '[["cudaDeviceSynchronize",50,0],["cudaFree",50,0],["cudaMalloc",50,0]]'
done

finish
