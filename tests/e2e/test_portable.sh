#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tarball of make portable: it needs nothing but glibc, of the version that it says, holds what it is to hold and
# nothing of the place where it was built, and runs where it was unpacked, with an empty environment, in a folder where
# there is nothing else. make portable builds it first, unless $CUTOP_PORTABLE names one.
CUTOP_TEST_LIMIT=${CUTOP_TEST_LIMIT:-3600}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
for tool in objdump xz unshare tmux; do
	command -v $tool >/dev/null || skip "needs $tool (Debian: apt install binutils xz-utils util-linux tmux)"
done
cpu=$(uname -m)
tarball=${CUTOP_PORTABLE:-}
if [ -z "$tarball" ]; then
	version=$("$CUTOP" --version | sed 's/^cutop //')
	tarball=$top_builddir/cutop-$version-linux-$cpu.tar.xz
	rm -f "$tarball"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" portable >"$T/log" 2>&1
	status=$?
	# make says 2 for whatever happened: contrib/portable/build tells what is missing here from what is wrong.
	reason=$(sed -n 's/^build: \(needs\|cannot fetch\) /\1 /p' "$T/log")
	[ -z "$reason" ] || skip "$reason"
	check "make portable: $(tail -n 20 "$T/log")" [ $status = 0 ]
	[ -e "$tarball" ] || finish
fi

# ---- what is in it ----
tar -tvJf "$tarball" >"$T/list" || { fail "it cannot be unpacked"; finish; }
check "all is of root's: $(grep -v ' 0/0 ' "$T/list")" sh -c "! grep -qv ' 0/0 ' '$T/list'"
check "others may write: $(grep '^.\{5\}w\|^.\{8\}w' "$T/list")" sh -c "! grep -q '^.\{5\}w\|^.\{8\}w' '$T/list'"
mkdir -p "$T/root/any where"
tar -xJf "$tarball" -C "$T/root/any where"
top=$(echo "$T/root/any where/"cutop-*)
for file in README COPYING bin/cutop lib/systemd/system/cutop.service libexec/cutop/demo/cutop-demo libexec/cutop/demo/train.py \
	share/man/man8/cutop.8 share/bash-completion/completions/cutop share/zsh/site-functions/_cutop \
	share/fish/vendor_completions.d/cutop.fish share/doc/cutop/kubernetes/daemonset.yaml share/doc/cutop/libraries.txt \
	share/cutop/grafana/cutop.json; do
	check "$file is missing" [ -s "$top/$file" ]
done
check "no placeholder is left" sh -c "! grep -rn '@[A-Z]*@' '$top/README'"
for package in libbpf-dev libdw-dev libcapstone-dev ncurses libmicrohttpd; do
	check "no licence of $package" [ -s "$top/share/doc/cutop/licences/$package" ]
done
built=$(cd "$top_builddir" && pwd -P)
check "the place where it was built is in it: $(grep -rl -F -e "$built" "$top")" sh -c "! grep -rqF -e '$built' '$top'"

# ---- what it needs ----
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

# ---- the unit ----
if command -v systemd-analyze >/dev/null; then
	sed "s,/usr/local/bin/cutop,$top/bin/cutop," "$top/lib/systemd/system/cutop.service" >"$T/cutop.service"
	systemd-analyze verify --man=no "$T/cutop.service" >"$T/verify" 2>&1
	check "systemd does not take the unit: $(cat "$T/verify")" [ $? = 0 ]
	check "systemd says of the unit: $(cat "$T/verify")" [ ! -s "$T/verify" ]
else
	echo "no systemd-analyze: the unit is not verified"
fi

# ---- it runs there ----
version=$(env -i "$top/bin/cutop" --version)
check "its version: $version" [ "$version" = "$("$CUTOP" --version)" ]
# The shared libraries that it may use, and nothing else: no descriptions of terminals, no users, no copy that is installed.
libraries_below "$T/root" "$top/bin/cutop"
mkdir -p "$T/root/proc" "$T/root/sys" "$T/root/dev" "$T/root/tmp"
at="/any where/$(basename "$top")"
cat >"$T/inside" <<'END'
root=$1 TERM=$2
shift 2
mount --rbind /proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" || exit
[ -d "$root/sys/kernel/tracing/events" ] || mount -t tracefs none "$root/sys/kernel/tracing"
exec env -i TERM="$TERM" "$(command -v chroot)" "$root" "$@"
END
# inside TERMINAL COMMAND...
inside() {
	unshare -m --propagation private sh "$T/inside" "$T/root" "$@"
}
inside dumb "$at/bin/cutop" doctor >"$T/doctor" 2>&1
check "doctor: $(cat "$T/doctor")" [ $? = 0 ]
inside dumb "$at/bin/cutop" -b -f json -n 1 -d 3 demo >"$T/demo.out" 2>"$T/demo.err"
check "the demonstration: $(cat "$T/demo.err")" [ $? = 0 ]
tail -n 1 "$T/demo.out" >"$T/demo.json"
check "it is not made up: $(cat "$T/demo.err")" sh -c "! grep 'made up' '$T/demo.err'"
expect demo '[.lost[]] | add' 0
expect demo '[.processes[].kernels[].launches] | add > 0' true
expect demo '.processes | length > 3' true
echo "launches in an empty root: $(jq '[.processes[].kernels[].launches] | add' "$T/demo.json")"
# Terminals that nobody describes there but cutop itself.
for terminal in xterm xterm-256color tmux-256color screen linux vt100; do
	mux new-session -d -s t -x 110 -y 30 "unshare -m --propagation private sh '$T/inside' '$T/root' $terminal '$at/bin/cutop' demo 2>&1; sleep 60"
	check "the screen on a terminal $terminal" see 'trainer'
	mux kill-session -t t
done
finish
