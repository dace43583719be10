#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every C file of cutop and of its tests, read by clang: a warning is an error. It writes no code, so it takes seconds;
# "make check-static" builds all with both compilers.
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
command -v clang >/dev/null || { echo "SKIP: needs clang (Debian: apt install clang)"; exit 77; }
built=$(cd "$top_builddir" && pwd)
cd "$top_srcdir" || exit 1

# Programs for a GPU have NVIDIA's headers, and those for the BPF machine their own.
files=$(find src tests -name '*.c' ! -name '*.bpf.c' ! -path 'tests/gpu/*' ! -path tests/unit/abi.c)
for file in $files; do
	# Two programs have a skeleton that is built with them.
	skeleton=$(sed -n 's/^#include "\([a-z]*\.skel\.h\)"$/\1/p' "$file")
	if [ -z "$skeleton" ] || [ -e "$built/bpf/$skeleton" ] || [ -e "$built/tests/bench/$skeleton" ]; then
		echo "$file"
	fi
done >"$built/tests/checks.files"
failed=0
xargs -P "$(nproc)" -n 8 clang -fsyntax-only -Wall -Wextra -Werror -std=gnu17 -D_GNU_SOURCE \
	-DDEMO_DIR='""' -DINPUTS='""' -DSYMBOLS='""' -DGOLDEN_DIR='""' -DRECORDINGS='""' \
	-I. -Iinclude -Isrc -I"$built" -I"$built/bpf" -I"$built/tests/bench" -I"$built/tests/double" -Itests/double -Itests/workloads -Itests/unit \
	<"$built/tests/checks.files" || failed=1
echo "$(wc -l <"$built/tests/checks.files") files, $(clang --version | head -n 1)"
rm -f "$built/tests/checks.files"
exit $failed
