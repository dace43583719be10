# SPDX-License-Identifier: GPL-2.0-or-later
"""Has each of several libraries allocate.

    python libraries.py RUNTIME LIBRARY...

RUNTIME is a CUDA runtime, the double's; the libraries are made by tests/e2e/fat.c. Says "ready" when each has allocated; then each
does so elsewhere for each line of input.
"""
import ctypes
import sys

cuda = ctypes.CDLL(sys.argv[1])
allocate = ctypes.cast(cuda.cudaMalloc, ctypes.c_void_p)
libraries = [ctypes.CDLL(path) for path in sys.argv[2:]]
for library in libraries:
    assert library.fat_allocate(allocate) == 0
print("ready", flush=True)
for line in sys.stdin:
    for library in libraries:
        assert library.fat_again(allocate) == 0
    print("again", flush=True)
