#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program that asks how many devices there are, is told of an error, and ends: it is shown with that error, on the double,
# by the runtime and by the driver, and with NVIDIA's own runtime where there is no driver. What may be called by the
# thousand without a failure is not watched by default, and doctor lists it.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

cat >"$T/first.c" <<'END'
#ifdef DRIVER
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int main(void) { int count; return cuInit(0) ? 2 : cuDeviceGetCount(&count) != 100; }
#else
int cudaGetDeviceCount(int *count);
int main(void) { int count; return !cudaGetDeviceCount(&count); }
#endif
END
"${CC:-cc}" -o "$T/runtime" "$T/first.c" "$double/libcudart.so.13" -Wl,-rpath,"$double" || fail "it does not build"
"${CC:-cc}" -DDRIVER -o "$T/driver" "$T/first.c" "$double/libcuda.so.1" -Wl,-rpath,"$double" || fail "it does not build"

CUDA_DOUBLE_FAIL=cudaGetDeviceCount:1:100 watch runtime -- "$T/runtime"
expect runtime 'p.failures | map([.call, .error, .count])' '[["cudaGetDeviceCount","cudaErrorNoDevice",1]]'
expect runtime '.totals.failures' 1
CUDA_DOUBLE_FAIL=cuDeviceGetCount:1:100 watch driver -- "$T/driver"
expect driver 'p.failures | map([.call, .error, .count])' '[["cuDeviceGetCount","CUDA_ERROR_NO_DEVICE",1]]'

for dir in "${CUDA_HOME:+$CUDA_HOME/lib64}" "${CUDA_TOOLKIT:+$CUDA_TOOLKIT/lib64}" none; do
	[ -n "$dir" ] && [ -e "$dir/libcudart.so.13" ] && break
done
if [ "$dir" != none ] && "${CC:-cc}" -o "$T/nvidia" "$T/first.c" "$dir/libcudart.so.13" -Wl,-rpath,"$dir" && "$T/nvidia"; then
	watch nvidia -- "$T/nvidia"
	expect nvidia 'p.failures | map([.call, .error, .count])' '[["cudaGetDeviceCount","cudaErrorInsufficientDriver",1]]'
else
	echo "NVIDIA's runtime is not there, or has a driver: not tried"
fi

# ---- what is off
"$CUTOP" doctor -f json -p $$ --library "$double/libcudart.so.13" >"$T/doctor"
expect_off() {
	got=$(jq -c --arg call "$1" '[.libraries[].functions.list[] | select(.state == "off").call] | any(. == $call)' "$T/doctor")
	check "$1 is off: $got, not $2" [ "$got" = "$2" ]
}
expect_off cudaGetLastError true
expect_off cudaGetDeviceCount false

finish
