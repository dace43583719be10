#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make install: each file where it belongs, with the rights it needs and no others; uninstall takes all of it away.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$(pwd)}"
T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-install.XXXXXX")
trap 'rm -rf "$T"' EXIT
failed=0
fail() {
	failed=1
	echo "FAIL: $*"
}

# What stands in the environment is of the make that runs this test.
run_make() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" "$@" DESTDIR="$T/root" prefix=/usr libexecdir=/usr/libexec \
		systemdsystemunitdir=/usr/lib/systemd/system >"$T/make.out" 2>&1 || fail "make $1: $(tail -n 3 "$T/make.out")"
}
run_make install
(cd "$T/root" && find . ! -type d | sort) >"$T/there"

# mode, path
while read -r mode path; do
	[ -n "$mode" ] || continue
	[ "$(stat -c %a "$T/root/$path" 2>/dev/null)" = "$mode" ] || fail "$path: $(stat -c %a "$T/root/$path" 2>&1), not $mode"
	grep -vx "./$path" "$T/there" >"$T/rest"
	mv "$T/rest" "$T/there"
done <<END
755 usr/bin/cutop
644 usr/share/man/man8/cutop.8
644 usr/share/bash-completion/completions/cutop
644 usr/share/zsh/site-functions/_cutop
644 usr/share/fish/vendor_completions.d/cutop.fish
755 usr/libexec/cutop/demo/cutop-demo
644 usr/libexec/cutop/demo/libcudart.so.13
644 usr/libexec/cutop/demo/libcuda.so.1
644 usr/libexec/cutop/demo/train.py
644 usr/libexec/cutop/demo/demo.cutop
$([ ! -e "$top_srcdir/contrib/grafana/cutop.json" ] || echo 644 usr/share/cutop/grafana/cutop.json)
$([ ! -e "$top_srcdir/contrib/prometheus/cutop.rules.yml" ] || echo 644 usr/share/cutop/prometheus/cutop.rules.yml)
$(cd "$top_srcdir" && for file in README.md CONTRIBUTING.md NEWS docs/*.md docs/stories/*.cu; do echo "644 usr/share/doc/cutop/$file"; done)
$(cd "$top_srcdir/contrib" && for file in container/* kubernetes/*; do echo "644 usr/share/doc/cutop/examples/$file"; done)
END
# The unit goes where there is systemd.
grep -v '^\./usr/lib/systemd/system/cutop.service$' "$T/there" >"$T/rest"
[ ! -s "$T/rest" ] || fail "installed, and nobody expects it: $(cat "$T/rest")"

"$T/root/usr/bin/cutop" --version | grep -q '^cutop [0-9]' || fail "the installed program does not say its version"
"$T/root/usr/bin/cutop" --help >"$T/help" && [ -s "$T/help" ] || fail "the installed program has no help"
if command -v bash >/dev/null; then
	bash -n "$T/root/usr/share/bash-completion/completions/cutop" || fail "bash completion"
fi
if command -v getcap >/dev/null; then
	[ -z "$(getcap "$T/root/usr/bin/cutop")" ] || fail "the program was given capabilities"
fi
run_make uninstall
left=$(cd "$T/root" && find . ! -type d)
[ -z "$left" ] || fail "uninstall leaves $left"
left=$(cd "$T/root" && find . -name '*cutop*')
[ -z "$left" ] || fail "uninstall leaves the folders $left"
[ $failed = 0 ] && echo "all files are where they belong"
exit $failed
