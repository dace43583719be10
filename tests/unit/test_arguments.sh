#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The arguments in the call table are those of CUDA 13.0's headers.
# Skipped (77) where that toolkit's headers, clang or python3 are not installed: CUDA_INCLUDE names the headers.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
include=${CUDA_INCLUDE-/usr/local/cuda/include}

command -v python3 >/dev/null && command -v clang >/dev/null || { echo "SKIP: needs python3 and clang"; exit 77; }
grep -q '^#define CUDA_VERSION 13000' "$include/cuda.h" 2>/dev/null || { echo "SKIP: $include has no headers of CUDA 13.0"; exit 77; }
held=$(python3 "$top_srcdir/tests/checks/arguments.py" "$include")
status=$?
echo "$held"
[ "$(echo "$held" | sed -n 's/^\([0-9]*\) functions held.*/\1/p')" -gt 900 ] || { echo "FAIL: too few for a table of CUDA"; status=1; }
exit $status
