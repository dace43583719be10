#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""quit.py COMMAND...: runs cutop's screen in a terminal, presses q once it has placed its probes,
and prints the milliseconds until it is gone."""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

ROWS, COLUMNS = 30, 100
LIMIT = 60


def main():
    pid, terminal = pty.fork()
    if not pid:
        os.environ["TERM"] = "xterm"
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.execvp(sys.argv[1], sys.argv[1:])
    seen = b""
    deadline = time.monotonic() + LIMIT
    while not re.search(rb"probes(?: |\x1b\[1C)[1-9][0-9]*/", seen):
        if time.monotonic() > deadline:
            sys.exit("quit.py: no probes on the screen")
        # Only what changes on the screen is written, and no blanks: Ctrl-L has all of it drawn again.
        if not select.select([terminal], [], [], 0.5)[0]:
            os.write(terminal, b"\x0c")
            continue
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            sys.exit("quit.py: it ended by itself: " + seen.decode(errors="replace"))
    os.write(terminal, b"q")
    began = time.monotonic()
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass    # its end of the terminal is closed
    os.waitpid(pid, 0)
    print(round((time.monotonic() - began) * 1000))


main()
