#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The path without uprobe_multi: cutop on Debian 12's own 6.1 kernel, in a
# virtual machine. The case study must give the same figures there.
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
lib=$top_builddir/tests/double/lib
out=$(mktemp)
trap 'rm -f "$out"' EXIT
command -v jq >/dev/null || { echo "SKIP: needs jq"; exit 77; }

: "${VM_CACHE:=$top_builddir/tests/vm/cache}"
export VM_CACHE
bash "$top_srcdir/tests/vm/run-vm.sh" -t 170 -m 2048 \
	-f "$top_builddir/src/cutop:/under-test/cutop" -f "$top_builddir/tests/workloads/bin/workload:/under-test/workload" \
	-f "$lib/libcudart.so.13:/usr/lib/x86_64-linux-gnu/libcudart.so.13" \
	-f "$lib/libcuda.so.1:/usr/lib/x86_64-linux-gnu/libcuda.so.1" \
	-- 'uname -r >&2; cd /under-test; ./cutop -b -v -f json -n 1 --probe libcudart:cudaMalloc -- ./workload case-study leak' >"$out"
status=$?
[ $status = 77 ] && exit 77
[ $status = 0 ] || { echo "FAIL: status $status"; cat "$out"; exit 1; }
got=$(jq -c '.processes[0] | [.memory.allocations, .memory.frees, .memory.leaked_bytes,
	([.kernels[].launches] | sort), ([.kernels[].name] | sort), .inexact]' "$out")
want='[3,2,8000000,[1000,1000],["saxpy","vectorAdd"],false]'
[ "$got" = "$want" ] || { echo "FAIL: $got is not $want"; exit 1; }
got=$(jq -c '[.processes[0].calls[] | select(.layer == "probe") | [.call, .calls]]' "$out")
[ "$got" = '[["cudaMalloc",3]]' ] || { echo "FAIL: --probe: $got"; exit 1; }
got=$(jq '[.lost[]] | add' "$out")
[ "$got" = 0 ] || { echo "FAIL: $got lost: $(jq -c .lost "$out")"; exit 1; }
echo "the case study gives the same figures on Linux 6.1"
