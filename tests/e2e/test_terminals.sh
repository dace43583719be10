#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The screen on terminals that behave in unusual ways, showing a recording: needs no rights.
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CUTOP:=$top_builddir/src/cutop}"
command -v python3 >/dev/null || { echo "SKIP: needs python3 (Debian: apt install python3)"; exit 77; }
exec python3 "$top_srcdir/tests/e2e/terminals.py" "$CUTOP" "$top_srcdir/tests/recordings/sample.cutop"
