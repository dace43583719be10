# SPDX-License-Identifier: GPL-2.0-or-later
"""In gdb: prints the return addresses of the newest frame's callers, innermost first, after "gdb:"."""
import gdb

frame = gdb.newest_frame().older()
addresses = []
while frame is not None:
    addresses.append(f"{frame.pc():#x}")
    frame = frame.older()
print("gdb:", " ".join(addresses))
