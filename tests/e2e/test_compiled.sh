#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program that compiles its kernels while it runs (NVRTC) and loads them by
# the driver's modules and libraries: its kernels by name, templates' instances
# among them.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

compiled=$top_builddir/tests/e2e/bin/compiled
LD_LIBRARY_PATH=$double${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

"$compiled"
[ $? -ne 77 ] || skip "no NVRTC to compile with"

watch compiled -- "$compiled"
check "status" [ "$status" = 0 ]
expect compiled '[p.kernels[] | [.name, .signature, .launches, .failures]] | sort' \
	'[["demo::fill","demo::fill(int*, int)",5,0],["plain","plain",2,0],["scale","void scale<double>(double*, double, int)",4,0],["scale","void scale<float>(float*, float, int)",3,0]]'
expect compiled '[p.kernels[] | .grid, .block] | unique' '[[2,1,1],[64,1,1]]'
expect compiled '[p.kernels[].symbol] | sort' '["_Z5scaleIdEvPT_S0_i","_Z5scaleIfEvPT_S0_i","_ZN4demo4fillEPii","plain"]'
expect compiled 'p.failures' '[]'
expect compiled '[p.calls[] | select(.call | test("^cu(Module|Library|KernelGet)")) | [.call, .calls]] | sort' \
	'[["cuKernelGetFunction",1],["cuLibraryGetKernel",2],["cuLibraryLoadData",1],["cuLibraryUnload",1],["cuModuleGetFunction",2],["cuModuleLoadData",1],["cuModuleUnload",1]]'
expect_nothing_lost compiled

finish
