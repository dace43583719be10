# SPDX-License-Identifier: GPL-2.0-or-later
"""python_load.py LIBRARY CALLS DEPTH...: prints the ns of an allocation and its free below so many Python frames, least of five."""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.python_load.restype = ctypes.c_double


def down(depth):
    if depth:
        return down(depth - 1)
    return library.python_load(ctypes.c_long(int(sys.argv[2])))


# <module> and the first of down() are two. No generator: that would be frames of its own.
least = []
for depth in sys.argv[3:]:
    times = []
    for _ in range(5):
        times.append(down(int(depth) - 2))
    least.append("%.0f" % min(times))
print(*least)
