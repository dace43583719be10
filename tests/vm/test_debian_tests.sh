#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The package's own tests, debian/tests, on a Debian 12 that is thrown away after: debootstrap makes it, with systemd and
# the package, and qemu boots it from memory. It is where debian/tests/service runs, which removes the package in the end.
#   test_debian_tests.sh [PACKAGE.deb]   default: it is built here
set -u
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${VM_CACHE:=$top_builddir/tests/vm/cache}"
export VM_CACHE
skip() {
	echo "SKIP: $*"
	exit 77
}
die() {
	echo "FAIL: $*"
	exit 1
}
[ "$(uname -m)" = x86_64 ] || skip "the machine is an x86-64 one"
[ "$(id -u)" = 0 ] || skip "debootstrap needs root"
PATH=$PATH:/usr/sbin:/sbin
export PATH
command -v debootstrap >/dev/null || skip "needs debootstrap (Debian: apt install debootstrap)"
if [ $# -eq 0 ]; then
	# shellcheck source=/dev/null
	[ "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" = bookworm ] ||
		skip "the package is for Debian 12 if it is built there: name one as argument"
	command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null ||
		skip "needs dpkg-buildpackage and debhelper, or the package as argument"
fi
T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-test.XXXXXX")
# shellcheck disable=SC2317 # called by the trap
cleanup() {
	[ -z "${qemu:-}" ] || kill "$qemu" 2>/dev/null
	rm -rf "$T"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The kernel, and qemu.
bash "$top_srcdir/tests/vm/run-vm.sh" -t 300 -- true || skip "run-vm.sh has no machine: status $?"
kernel=$VM_CACHE/linux-image-cloud-amd64/vmlinuz

# ---- the package
deb=${1:-}
if [ -z "$deb" ]; then
	mkdir "$T/cutop"
	(cd "$top_srcdir" && if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -c -o --exclude-standard
	else
		find . -path ./build -prune -o -type f -print
	fi | while read -r file; do
		[ ! -e "$file" ] || printf '%s\n' "$file"
	done | tar cf - -T -) | tar xf - -C "$T/cutop"
	(cd "$T/cutop" && env -i PATH="$PATH" HOME="$T" LC_ALL=C.UTF-8 \
		DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" dpkg-buildpackage -us -uc -b >"$T/log" 2>&1) || {
		tail -n 30 "$T/log"
		die "dpkg-buildpackage"
	}
	deb=$(echo "$T"/cutop_*.deb)
	rm -rf "$T/cutop"
fi

# ---- the tree
debootstrap --variant=minbase --include=systemd-sysv,curl,jq,procps bookworm "$T/root" >"$T/debootstrap" 2>&1 || {
	tail -n 5 "$T/debootstrap"
	skip "debootstrap has no Debian 12"
}
cp "$deb" "$T/root/cutop.deb"
chroot "$T/root" sh -c 'apt-get -qq install -y --no-install-recommends /cutop.deb && rm /cutop.deb && apt-get clean' \
	>"$T/install" 2>&1 </dev/null || {
	tail -n 20 "$T/install"
	grep -qi 'Failed to fetch\|Could not resolve\|Temporary failure' "$T/install" && skip "what the package depends on cannot be fetched"
	die "the package cannot be installed"
}
cp -r "$top_srcdir/debian/tests" "$T/root/tests"
rm -rf "$T"/root/var/lib/apt/lists/* "$T"/root/usr/share/locale
find "$T/root/usr/share/doc" -type f ! -path '*/cutop/*' -delete
cat >"$T/root/run-tests" <<'EOF'
#!/bin/sh
# The second serial port is the report.
exec >/dev/ttyS1 2>&1
uname -r
for test in smoke demo service; do
	AUTOPKGTEST_TMP=$(mktemp -d)
	export AUTOPKGTEST_TMP
	sh /tests/$test
	echo "$test: status $?"
done
echo done
EOF
cat >"$T/root/etc/systemd/system/run-tests.service" <<'EOF'
[Unit]
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/bin/sh /run-tests
[Install]
WantedBy=multi-user.target
EOF
chroot "$T/root" systemctl -q enable run-tests.service || die "systemctl enable"
# No login, and nothing that waits for a terminal or a network.
chroot "$T/root" systemctl -q mask getty.target serial-getty@ttyS0.service systemd-networkd-wait-online.service
rm -f "$T/root/etc/initrd-release"
(cd "$T/root" && find . | cpio -o -H newc --quiet) >"$T/initramfs" || die "cpio"
rm -rf "$T/root"

# ---- the machine
: >"$T/report"
# One processor, and a processor without two features: run-vm.sh says why.
timeout "${CUTOP_TEST_LIMIT:-500}" qemu-system-x86_64 -accel tcg -cpu max,la57=off,cx16=off -m 3072 -smp 1 -nodefaults -display none \
	-no-reboot -kernel "$kernel" -initrd "$T/initramfs" -append "console=ttyS0 rdinit=/lib/systemd/systemd panic=-1 oops=panic" \
	-serial "file:$T/console" -serial "file:$T/report" &
qemu=$!
wait $qemu
status=$?
qemu=
tr -d '\r' <"$T/report" >"$T/said"
cat "$T/said"
if ! grep -qx "done" "$T/said"; then
	tail -n 40 "$T/console"
	die "the machine did not come to the end (qemu: status $status)"
fi
for name in smoke demo service; do
	grep -qx "$name: status 0" "$T/said" || die "$name"
done
