# SPDX-License-Identifier: GPL-2.0-or-later
"""In gdb: prints, after "gdb:", the addresses from libffi's innermost frame on, to which what it called returns."""
import gdb

frame = gdb.newest_frame()
while "libffi" not in (gdb.solib_name(frame.pc()) or ""):
    frame = frame.older()
addresses = []
while frame is not None:
    addresses.append(f"{frame.pc():#x}")
    frame = frame.older()
print("gdb:", " ".join(addresses))
