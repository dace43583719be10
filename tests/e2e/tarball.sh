# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
# The tarball of make portable, for the tests of it. Source it after lib.sh.
#
#   tarball_build CPU   make portable builds it, unless $CUTOP_PORTABLE names one; skips where packages cannot be had
#   tarball_check       it is unpacked, $top, in $T/root/any where; it holds what it is to hold and nothing of the place where
#                       it was built, and needs glibc only, of the version that it says
for tool in objdump xz; do
	command -v $tool >/dev/null || skip "needs $tool (Debian: apt install binutils xz-utils)"
done

tarball_build() {
	tarball=${CUTOP_PORTABLE:-}
	[ -z "$tarball" ] || return 0
	version=$("$CUTOP" --version | sed 's/^cutop //')
	tarball=$top_builddir/cutop-$version-linux-$1.tar.xz
	rm -f "$tarball"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" portable HOST="$1-linux-gnu" >"$T/log" 2>&1
	status=$?
	# make says 2 for whatever happened: contrib/portable/build tells what is missing here from what is wrong.
	reason=$(sed -n 's/^build: \(needs\|cannot fetch\) /\1 /p' "$T/log")
	[ -z "$reason" ] || skip "$reason"
	check "make portable: $(tail -n 20 "$T/log")" [ $status = 0 ]
	[ -e "$tarball" ] || finish
}

tarball_check() {
	tar -tvJf "$tarball" >"$T/list" || { fail "it cannot be unpacked"; finish; }
	check "all is of root's: $(grep -v ' 0/0 ' "$T/list")" sh -c "! grep -qv ' 0/0 ' '$T/list'"
	check "others may write: $(grep '^.\{5\}w\|^.\{8\}w' "$T/list")" sh -c "! grep -q '^.\{5\}w\|^.\{8\}w' '$T/list'"
	mkdir -p "$T/root/any where"
	tar -xJf "$tarball" -C "$T/root/any where"
	top=$(echo "$T/root/any where/"cutop-*)
	for file in README COPYING bin/cutop lib/systemd/system/cutop.service libexec/cutop/demo/cutop-demo libexec/cutop/demo/train.py libexec/cutop/demo/demo.cutop \
		share/man/man8/cutop.8 share/bash-completion/completions/cutop share/zsh/site-functions/_cutop \
		share/fish/vendor_completions.d/cutop.fish share/doc/cutop/examples/kubernetes/daemonset.yaml share/doc/cutop/libraries.txt \
		share/cutop/grafana/cutop.json; do
		check "$file is missing" [ -s "$top/$file" ]
	done
	check "no placeholder is left" sh -c "! grep -rn '@[A-Z]*@' '$top/README'"
	for package in libbpf-dev libdw-dev libcapstone-dev ncurses libmicrohttpd; do
		check "no licence of $package" [ -s "$top/share/doc/cutop/licences/$package" ]
	done
	built=$(cd "$top_builddir" && pwd -P)
	check "the place where it was built is in it: $(grep -rl -F -e "$built" "$top")" sh -c "! grep -rqF -e '$built' '$top'"

	stated=$(sed -n 's/.*glibc \([0-9.]*\) or newer.*/\1/p' "$top/README")
	check "the README says which glibc: '$stated'" [ -n "$stated" ]
	for file in bin/cutop libexec/cutop/demo/cutop-demo libexec/cutop/demo/libcuda.so.1 libexec/cutop/demo/libcudart.so.13; do
		objdump -p "$top/$file" | sed -n 's/^  NEEDED *//p' >"$T/needed"
		check "$file needs $(paste -sd ' ' "$T/needed")" sh -c "! grep -Evqx \
			'lib(c\.so\.6|m\.so\.6|dl\.so\.2|pthread\.so\.0|cuda\.so\.1)|ld-linux-(x86-64\.so\.2|aarch64\.so\.1)|libcudart\.so\.13' '$T/needed'"
		newest=$(objdump -T "$top/$file" | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
		echo "$file: glibc $newest"
		check "$file needs glibc $newest, and says $stated" [ "$(printf '%s\n' "$newest" "$stated" | sort -V | tail -n 1)" = "$stated" ]
	done
	check "it looks for libraries in folders of its own" sh -c "! objdump -p '$top/bin/cutop' | grep -E 'RPATH|RUNPATH'"
}
