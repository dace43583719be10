#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The table's names of driver functions, held against those that the toolkit's
# stub of libcuda.so exports: every name of the table exists, and what exists and
# is not in the table is left out on purpose.
set -u
table=${top_srcdir:-.}/include/cutop_driver_calls.h
stub=
for candidate in "${CUDA_HOME:-/usr/local/cuda}"/lib64/stubs/libcuda.so "${CUDA_HOME:-/usr/local/cuda}"/targets/*/lib/stubs/libcuda.so; do
	[ -e "$candidate" ] && stub=$candidate
done
[ -n "$stub" ] || { echo "SKIP: no stub of libcuda.so (install the CUDA toolkit)"; exit 77; }
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
nm -D --defined-only "$stub" | awk '{ print $3 }' | grep '^cu' | sort -u >"$T/exported"
sed -n 's/.*CUTOP_CALL(\([A-Za-z0-9_]*\), LAYER_DRIVER.*/\1/p' "$table" | sort >"$T/table"
status=0
if [ -n "$(uniq -d "$T/table")" ]; then
	echo "FAIL: twice in the table: $(uniq -d "$T/table")"
	status=1
fi
# A toolkit before CUDA 13.2 has not all of the table's.
later='^cuMemcpy(3D)?WithAttributesAsync(_ptsz)?$'
unknown=$(comm -13 "$T/exported" "$T/table" | grep -Ev "$later")
if [ -n "$unknown" ]; then
	echo "FAIL: no function of the driver: $unknown"
	status=1
fi
forgotten=$(comm -23 "$T/exported" "$T/table" |
	grep -Ev '^cu(Tex|Surf|Param|Profiler|Coredump|Logs|TensorMap|Checkpoint|UserObject|GetError|GetExportTable|GetProcAddress|FuncSetBlockShape|FuncSetSharedSize|DevSm|DevResource|GreenCtxGet|ModuleGetTexRef|ModuleGetSurfRef|StreamGetGreenCtx|KernelGetParamInfo|FuncGetParamInfo)')
if [ -n "$forgotten" ]; then
	echo "FAIL: not in the table, and not left out on purpose: $forgotten"
	status=1
fi
echo "$(wc -l <"$T/table") functions in the table, $(wc -l <"$T/exported") exported"
exit $status
