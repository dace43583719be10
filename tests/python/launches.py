# SPDX-License-Identifier: GPL-2.0-or-later
"""Launches two kernels from three lines, and waits on a fourth.

    python launches.py LIBRARY ROUNDS WAITS [LINES]

LIBRARY is a CUDA runtime, the double's. Each round launches the kernel "often" three times by one line and once by another, and
"seldom" once: in one and the same order, so that a sample at regular distances would see one line alone. The lines are marked.
Then "seldom" is launched once by each of LINES lines.
"""
import ctypes
import sys

cuda = ctypes.CDLL(sys.argv[1])
rounds, waits = int(sys.argv[2]), int(sys.argv[3])


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


cuda.__cudaRegisterFatBinary.restype = ctypes.c_void_p
cuda.cudaLaunchKernel.argtypes = [ctypes.c_void_p, Dim3, Dim3, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
image = ctypes.create_string_buffer(16)
stubs = ctypes.create_string_buffer(512)
binary = ctypes.c_void_p(cuda.__cudaRegisterFatBinary(image))
kernels = {}
for number, name in enumerate((b"often", b"seldom")):
    kernels[name] = ctypes.addressof(stubs) + 256 * number
    cuda.__cudaRegisterFunction(binary, ctypes.c_void_p(kernels[name]), ctypes.c_char_p(name), ctypes.c_char_p(name), -1,
                                None, None, None, None, None)
cuda.__cudaRegisterFatBinaryEnd(binary)
grid, block = Dim3(4, 1, 1), Dim3(32, 1, 1)


def often(function):
    for _ in range(3):
        assert cuda.cudaLaunchKernel(function, grid, block, None, 0, None) == 0     # three times


def once(function):
    assert cuda.cudaLaunchKernel(function, grid, block, None, 0, None) == 0         # once


def other(function):
    assert cuda.cudaLaunchKernel(function, grid, block, None, 0, None) == 0         # the other kernel


def wait():
    assert cuda.cudaDeviceSynchronize() == 0        # waits


for _ in range(rounds):
    often(kernels[b"often"])
    once(kernels[b"often"])
    other(kernels[b"seldom"])
for _ in range(waits):
    wait()
for line in range(int(sys.argv[4]) if len(sys.argv) > 4 else 0):
    exec(compile("\n" * line + "cuda.cudaLaunchKernel(kernels[b'seldom'], grid, block, None, 0, None)", "many.py", "exec"))
