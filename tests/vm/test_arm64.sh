#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cutop on arm64: everything is built by Debian's cross compiler with Debian's libraries, and run in a virtual machine with
# Debian's arm64 kernel, where the BPF programs have to load and the books to be right.
#
# CUTOP_TEST_SUITE, such as bookworm-backports, takes the kernel from another suite.
# shellcheck source=tests/vm/lib.sh
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/vm/lib.sh"

compiler=aarch64-linux-gnu-gcc
libraries='libc6-dev libbpf-dev libelf-dev libdw-dev liblzma-dev zlib1g-dev libjansson-dev libiberty-dev libbsd-dev
	uthash-dev libncurses-dev libinih-dev libmicrohttpd-dev libcap-ng-dev libcapstone-dev libseccomp-dev'
tools='dash coreutils grep sed mawk jq findutils util-linux mount'

skip() {
	echo "SKIP: $*"
	exit 77
}

command -v $compiler >/dev/null || skip "needs $compiler (Debian: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
[ -x "$top_srcdir/configure" ] || skip "$top_srcdir has no configure"
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

# A root with headers, libraries and tools, never entered.
root=$VM_CACHE/arm64/root
if [ ! -e "$root/.complete" ]; then
	rm -rf "$root" "$VM_CACHE/arm64/packages"
	mkdir -p "$root"
	# shellcheck disable=SC2086
	bash "$top_srcdir/tests/vm/packages.sh" -d -a arm64 -s "$release" -o "$VM_CACHE/arm64/packages" $libraries $tools || exit
	for package in "$VM_CACHE"/arm64/packages/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --exclude='./usr/share/doc' --exclude='./usr/share/man' \
			--exclude='./usr/share/locale' || exit 1
	done
	rm -rf "$VM_CACHE/arm64/packages"
	touch "$root/.complete"
fi
root=$(realpath "$root")

build=$VM_CACHE/arm64/build
mkdir -p "$build" && build=$(realpath "$build") && cd "$build" || exit 1
export PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
unset MAKEFLAGS MAKELEVEL
# shellcheck disable=SC2046
if ! { [ -e Makefile ] || "$(realpath "$top_srcdir")/configure" --host=aarch64-linux-gnu CC="$compiler --sysroot=$root"; } >log 2>&1 ||
	! make -j"$(nproc)" all double tests/bench/verifier tests/double/lib/libcudart_static.a $(vm_helpers test_basics) >>log 2>&1
then
	tail -n 20 log
	echo "FAIL: it does not build for arm64"
	exit 1
fi

# shellcheck disable=SC2086
vm_run_from "$root" "$build" -a arm64 -r "$root" -t 500 ${CUTOP_TEST_SUITE:+-s $CUTOP_TEST_SUITE} -- test_basics
