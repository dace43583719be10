#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which room includes which; fails on an include that points up, on circles, and on code that is in
# the wrong room.
exec python3 "${top_srcdir:-.}/tests/checks/rooms.py" "${top_srcdir:-.}"
