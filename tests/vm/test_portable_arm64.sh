#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tarball of make portable for arm64: what is in it, and that it runs with the oldest glibc that it is for, in a virtual
# machine where there is nothing else, with Debian's arm64 kernel. make portable builds it first, unless $CUTOP_PORTABLE
# names one.
CUTOP_TEST_LIMIT=${CUTOP_TEST_LIMIT:-3600}
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=tests/e2e/lib.sh
. "$top_srcdir/tests/e2e/lib.sh"
command -v aarch64-linux-gnu-gcc >/dev/null || skip "needs aarch64-linux-gnu-gcc (Debian: apt install gcc-aarch64-linux-gnu)"
# shellcheck source=tests/e2e/tarball.sh
. "$top_srcdir/tests/e2e/tarball.sh"
tarball_build aarch64
tarball_check
glibc=$top_builddir/portable/aarch64/root
[ -e "$glibc/lib/aarch64-linux-gnu/libc.so.6" ] || skip "needs the glibc that make portable HOST=aarch64-linux-gnu has fetched"

VM_CACHE=${VM_CACHE:-$(cd "$top_builddir" && pwd)/tests/vm/cache} bash "$top_srcdir/tests/vm/run-vm.sh" -a arm64 -m 1536 -t 600 \
	-r "$glibc" -f "$top:/t" -g "/tmp/demo.json:$T/demos.json" -- '
	uname -rm
	/t/bin/cutop --version
	/t/bin/cutop doctor || exit 1
	/t/bin/cutop -b -f json -n 1 -d 5 demo >demo.json' >"$T/machine" 2>"$T/err"
status=$?
[ $status != 77 ] || skip "$(sed -n 's/^run-vm.sh: skipped: //p' "$T/err")"
cat "$T/machine"
check "in the machine: $(cat "$T/err")" [ $status = 0 ]
check "its version" grep -qx "$("$CUTOP" --version)" "$T/machine"
check "it is no recording" sh -c "! grep 'from a recording' '$T/err'"
tail -n 1 "$T/demos.json" >"$T/demo.json"
expect demo '[.lost[]] | add' 0
expect demo '[.processes[].kernels[].launches] | add > 0' true
expect demo '[.processes[] | select(.command == "./leaker").memory.live_bytes] | add > 0' true
expect demo '.processes | length > 3' true
finish
