#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every error code of NVIDIA's headers is in the committed table, by its name.
# Skipped (77) where the toolkit's headers are not installed: CUDA_INCLUDE names them.
srcdir=${srcdir-$(dirname "$0")/../..}
include=${CUDA_INCLUDE-/usr/local/cuda/include}
table=$srcdir/src/cuda/errors_table.h

list=$("$srcdir/tests/generate-errors.sh" --list "$include") || exit 77
[ "$(printf '%s\n' "$list" | wc -l)" -gt 200 ] || { echo "too few codes in $include" >&2; exit 1; }

missing=$(printf '%s\n' "$list" | while read -r layer code name sticky; do
	grep -q "ERROR($code, $name, " "$table" || echo "$layer $code $name"
done)
if [ -n "$missing" ]; then
	echo "not in $table (run tests/generate-errors.sh):" >&2
	echo "$missing" >&2
	exit 1
fi
