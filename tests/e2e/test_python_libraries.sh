#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of PyCUDA and Numba, as Debian 12 has them, on the double of CUDA 12: what they leak is named by their own lines,
# not by the libraries', and so is what fails. Packages that are not installed are downloaded and unpacked for this test, and
# gone with it. A folder that tests/python/fetch_libraries.sh filled is CUTOP_TEST_PYTHON_LIBRARIES. Skipped where they cannot be had.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

python=/usr/bin/python3.11
[ -x "$python" ] || skip "needs Debian 12's $python"
mkdir "$T/double"
cp -L "$top_builddir/tests/double/lib12/libcudart.so.12" "$top_builddir/tests/double/lib12/libcuda.so.1" "$T/double"
library=$T/double/libcuda.so.1

# The double's driver before any other; and the packages of a folder.
settings_make() {
	settings="PYTHONDONTWRITEBYTECODE=1 NUMBA_CUDA_DRIVER=$library LD_LIBRARY_PATH=$T/double"
	[ "$1" ] || return 0
	lib=$1/usr/lib/x86_64-linux-gnu
	settings="$settings:$lib:$lib/blas:$lib/lapack PYTHONPATH=$1/usr/lib/python3/dist-packages"
}
can() {
	# shellcheck disable=SC2086
	env $settings "$python" -c "import $1" >"$T/$1.import" 2>&1
}
settings_make "${CUTOP_TEST_PYTHON_LIBRARIES:-}"
if ! can pycuda.driver || ! can numba.cuda; then
	why=$(sh "$top_srcdir/tests/python/fetch_libraries.sh" "$T/debian") || skip "$why"
	settings_make "$T/debian"
fi
for module in pycuda.driver numba.cuda; do
	can $module || skip "$module does not load: $(tail -n 1 "$T/$module.import")"
done

# What module globals hold is not freed where a process ends by _exit(2), as multiprocessing's workers do.
cat >"$T/pycuda_leak.py" <<'END'
import os
import pycuda.driver as cuda
cuda.init()
context = cuda.Device(0).make_context()
kept = []
def make_buffer(size):
    return cuda.mem_alloc(size)
class Model:
    def grow(self):
        kept.append(make_buffer(4096))
for _ in range(3):
    make_buffer(1000)
Model().grow()
Model().grow()
kept.append(cuda.to_device(bytes(100)))
try:
    make_buffer(1 << 60)
except cuda.MemoryError:
    pass
os._exit(0)
END

cat >"$T/numba_leak.py" <<'END'
import os
import numpy
from numba import cuda
kept = []
def make_buffer(size):
    return cuda.device_array(size, dtype=numpy.uint8)
class Model:
    def grow(self):
        kept.append(make_buffer(4096))
for _ in range(3):
    make_buffer(1000)
Model().grow()
Model().grow()
kept.append(cuda.to_device(numpy.zeros(100, dtype=numpy.uint8)))
try:
    make_buffer(1 << 60)
except cuda.cudadrv.driver.CudaAPIError:
    pass
os._exit(0)
END

# look NAME PROGRAM [OPTIONS]: watches $T/PROGRAM.py
look() {
	look=$1 script=$2
	shift 2
	# shellcheck disable=SC2086
	watch "$look" --library "$library" "$@" -- env $settings "$python" "$T/$script.py"
	check "$look: status $status: $(tail -n 5 "$T/$look.err")" [ "$status" = 0 ]
}
for program in pycuda_leak numba_leak; do
	make=$(grep -n 'return cuda' "$T/$program.py" | cut -d : -f 1)
	copy=$(grep -n 'cuda.to_device' "$T/$program.py" | cut -d : -f 1)
	try=$(grep -n '1 << 60' "$T/$program.py" | cut -d : -f 1)
	grow=$(grep -n 'kept.append(make' "$T/$program.py" | cut -d : -f 1)
	look $program $program
	expect $program 'p.memory | [.leaked_bytes, .allocations, .frees]' '[8292,6,3]'
	expect $program '[p.sites[] | select(.leaked_bytes > 0) | [.leaked_bytes, .site]] | sort' \
		"[[100,\"<module> at $program.py:$copy (python)\"],[4096,\"make_buffer at $program.py:$make (python)\"],[4096,\"make_buffer at $program.py:$make (python)\"]]"
	# By two calls of one method.
	expect $program "[p.sites[] | select(.leaked_bytes == 4096) | [.frames[] | select(.file | test(\"$program\")?) | .line][:2]] | unique" "[[$make,$grow]]"
	expect $program '[p.sites[] | .frames[0].language] | unique' '["native"]'
	# Each asks once more when its garbage is collected.
	expect $program '[p.failures[] | [.call, .count, .site, ([.frames[] | select(.file | test("_leak.py$")?) | .line])]]' \
		"[[\"cuMemAlloc_v2\",2,\"make_buffer at $program.py:$make (python)\",[$make,$try]]]"
	expect_nothing_lost $program
	# Without Python's frames it is the same place for all.
	look $program-native $program --no-python
	expect $program-native 'p.memory.leaked_bytes' 8292
	expect $program-native '[p.sites[].site | test("python\\)")] | any' false
done

finish
