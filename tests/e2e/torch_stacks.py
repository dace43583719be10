# SPDX-License-Identifier: GPL-2.0-or-later
"""PyTorch calls Python, which allocates 1000 bytes in a forward and 2000 in a backward step. Arguments: the runtime's
path; with a second one, the same way leads to raise(SIGTRAP): a breakpoint of gdb's would be where a probe is."""
import ctypes
import signal
import sys

import torch

runtime = ctypes.CDLL(sys.argv[1])


def allocate(size):
    function, arguments = runtime.cudaMalloc, (ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(size))
    if len(sys.argv) > 2:
        function, arguments = getattr(ctypes.CDLL(None), "raise"), (ctypes.c_int(signal.SIGTRAP),)
    function(*arguments)


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
