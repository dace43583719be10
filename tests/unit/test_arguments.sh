#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The committed names of arguments are those of CUDA 13.0's headers, for the call table as it is now.
# Skipped (77) where that toolkit's headers, clang or python3 are not installed: CUDA_INCLUDE names the headers.
srcdir=${srcdir-$(dirname "$0")/../..}
include=${CUDA_INCLUDE-/usr/local/cuda/include}

command -v python3 >/dev/null && command -v clang >/dev/null || { echo "SKIP: needs python3 and clang"; exit 77; }
grep -q '^#define CUDA_VERSION 13000' "$include/cuda.h" 2>/dev/null || { echo "SKIP: $include has no headers of CUDA 13.0"; exit 77; }
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
python3 "$srcdir/tests/generate-arguments.py" "$made" "$include" || exit 1
for table in arguments_runtime_table.h arguments_driver_table.h; do
	if ! diff "$srcdir/src/model/$table" "$made/$table"; then
		echo "src/model/$table is not what tests/generate-arguments.py makes now: run it" >&2
		exit 1
	fi
done
