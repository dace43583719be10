#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --help, the man page and the completions name the same options.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$(pwd)}"
: "${CUTOP:=$top_builddir/src/cutop}"
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
failed=0

options() {
	grep -o -E -- '--[a-z][a-z-]+' | sort -u
}

"$CUTOP" --help | sed -n 's/^  .\{0,4\} *\(--[a-z-]*\).*/\1/p' | options >"$T/help"
[ "$(wc -l <"$T/help")" -ge 20 ] || { echo "FAIL: --help names too few options"; failed=1; }
sed -n '/^\.SH OPTIONS/,/^\.SH WORDS/p' "$top_srcdir/man/cutop.8" | grep -A1 '^\.TP' | sed 's/\\-/-/g' |
	options >"$T/man"
sed -n "s/.*compgen -W '\(--[^']*\)'.*/\1/p" "$top_srcdir/completions/cutop.bash" | options >"$T/bash"
sed -n "s/.* -l \([a-z-]*\).*/--\1/p" "$top_srcdir/completions/cutop.fish" | options >"$T/fish"
grep "^	'" "$top_srcdir/completions/_cutop" | sed 's/\[.*//' | options >"$T/zsh"
for doc in man bash fish zsh; do
	if ! diff "$T/help" "$T/$doc" >"$T/diff"; then
		echo "FAIL: --help (<) and $doc (>) differ:"
		grep '^[<>]' "$T/diff"
		failed=1
	fi
done
# Keys: one table makes the help screen and the bottom line; the man page has the same.
sed -n 's/^\t{ ACT_[A-Z_0-9]*, {[^}]*}, "\(\([^"\\]\|\\.\)*\)".*/\1/p' "$top_srcdir/src/view/keys.c" |
	sed 's/\\\\/\\/g' | sort >"$T/keys"
sed -n '/^\.SH KEYS/,/^\.SH WORDS/p' "$top_srcdir/man/cutop.8" | grep -A1 '^\.TP' | sed -n 's/^\.B //p' |
	sed 's/\\e/\\/g; s/\\-/-/g' | sort >"$T/man-keys"
[ "$(wc -l <"$T/keys")" -ge 30 ] || { echo "FAIL: found too few keys in keys.c"; failed=1; }
if ! diff "$T/keys" "$T/man-keys" >"$T/diff"; then
	echo "FAIL: keys.c (<) and the man page (>) differ:"
	grep '^[<>]' "$T/diff"
	failed=1
fi
# What a device does by itself no host call shows: device-updatable nodes (cudaLaunchAttributeDeviceUpdatableKernelNode in
# driver_types.h, CUDA 13.0) and kernels that kernels launch. The man page says so, and calls no count of a graph exact.
sed -n '/^\.SH WHAT IT CANNOT SEE/,/^\.SH DO NO HARM/p' "$top_srcdir/man/cutop.8" | tr '\n' ' ' >"$T/unseen"
for what in 'device\\-updatable' 'dynamic parallelism'; do
	grep -q "$what" "$T/unseen" || { echo "FAIL: WHAT IT CANNOT SEE does not speak of $what"; failed=1; }
done
if sed -n '/^\.SH GRAPHS/,/^\.SH FLAME/p' "$top_srcdir/man/cutop.8" | grep 'counts are exact'; then
	echo "FAIL: no count of a graph is exact where nodes are device-updatable"
	failed=1
fi
[ $failed = 0 ] && echo "--help, man page and completions name the same $(wc -l <"$T/help") options"
exit $failed
