#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every C file is as clang-format would write it with .clang-format, but for tables between "clang-format off" and "on".
top=${top_srcdir:-.}
command -v clang-format >/dev/null || { echo "SKIP: needs clang-format (Debian: apt install clang-format)"; exit 77; }
version=$(clang-format --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
# Versions differ in what they make of the same settings.
[ "$version" = 14 ] || { echo "SKIP: needs clang-format 14, Debian 12's; here is $version"; exit 77; }
cd "$top" || exit 1
if find bpf include src tests -name '*.[ch]' | xargs clang-format --dry-run --Werror 2>&1 | head -n 40 | grep .; then
	echo "FAIL: the files above are not as clang-format writes them: clang-format -i FILE"
	exit 1
fi
echo "every file is as clang-format writes it"
