#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The committed names of arguments are those of CUDA 13.0's headers, for the call table as it is now.
# Skipped (77) where that toolkit's headers, clang or python3 are not installed: CUDA_INCLUDE names the headers.
srcdir=${srcdir-$(dirname "$0")/../..}
include=${CUDA_INCLUDE-/usr/local/cuda/include}
table=$srcdir/src/model/arguments_table.h

command -v python3 >/dev/null && command -v clang >/dev/null || { echo "SKIP: needs python3 and clang"; exit 77; }
grep -q '^#define CUDA_VERSION 13000' "$include/cuda.h" 2>/dev/null || { echo "SKIP: $include has no headers of CUDA 13.0"; exit 77; }
made=$(mktemp)
trap 'rm -f "$made"' EXIT
python3 "$srcdir/tests/generate-arguments.py" "$include" >"$made" || exit 1
if ! diff "$table" "$made"; then
	echo "$table is not what tests/generate-arguments.py makes now: run it" >&2
	exit 1
fi
