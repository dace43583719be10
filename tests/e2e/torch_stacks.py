# SPDX-License-Identifier: GPL-2.0-or-later
"""PyTorch calls Python, which allocates 1000 bytes in a forward and 2000 in a backward step. Arguments: the runtime's
path; a second one: stop by SIGTRAP before each allocation."""
import ctypes
import signal
import sys

import torch

runtime = ctypes.CDLL(sys.argv[1])


def allocate(size):
    pointer = ctypes.c_void_p()
    if len(sys.argv) > 2:
        signal.raise_signal(signal.SIGTRAP)
    runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        allocate(1000)
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        allocate(2000)
        return gradient * 2


Doubled.apply(torch.ones(4, requires_grad=True)).sum().backward()
