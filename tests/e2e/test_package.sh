#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The Debian package, source and binary: it builds from a copy of the source, lintian finds nothing, it contains what it
# should, its scripts do nothing that the administrator did not ask for, and an upgrade and a purge leave nothing behind.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
for tool in dpkg-buildpackage dh lintian; do
	command -v $tool >/dev/null || { echo "SKIP: needs $tool (Debian: apt install debhelper lintian)"; exit 77; }
done
T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-package.XXXXXX")
trap 'rm -rf "$T"' EXIT
failed=0
fail() {
	failed=1
	echo "FAIL: $*"
}

# ---- what it says of itself fits the source
version=$(sed -n 's/^AC_INIT(\[cutop\], \[\(.*\)\])$/\1/p' "$top_srcdir/configure.ac")
packaged=$(sed -n '1s/^cutop (\([^)]*\)).*/\1/p' "$top_srcdir/debian/changelog")
[ -n "$version" ] && [ "$version" = "$packaged" ] || fail "version $version is packaged as $packaged"
# Autotools, make, gcc and the usual tools are there wherever packages are built.
for package in $(SETUP_SYSTEM=debian "$top_srcdir/contrib/setup" packages | grep -v -x -e autoconf -e automake -e make -e gcc -e '.*utils' -e mawk); do
	grep -q "^ $package\\( .*\\)\\?,\$" "$top_srcdir/debian/control" || fail "$package is missing in Build-Depends"
done

# ---- it builds
mkdir "$T/cutop"
(
	cd "$top_srcdir" || exit
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -c -o --exclude-standard
	else
		find . -path ./build -prune -o -type f -print
	fi | while read -r file; do
		[ ! -e "$file" ] || printf '%s\n' "$file"
	done | tar cf - -T -
) | tar xf - -C "$T/cutop"
cd "$T/cutop" || exit 1
# The environment of the make that runs this test is not that of a build of packages.
if ! env -i PATH="$PATH:/usr/sbin:/sbin" HOME="$T" LC_ALL=C.UTF-8 DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" \
	dpkg-buildpackage -us -uc >"$T/log" 2>&1; then
	tail -n 30 "$T/log"
	fail "dpkg-buildpackage"
	exit 1
fi
deb=$(echo "$T"/cutop_*.deb)
# All that Debian has an opinion of (Ubuntu's lintian does not know its suites); what is as it should be is in the overrides,
# with the reason. Which version of the policy is the newest, each release's lintian says another thing of.
lintian --profile debian --suppress-tags out-of-date-standards-version,newer-standards-version \
	--allow-root --pedantic -I -E --fail-on error,warning,info,pedantic,experimental "$T"/cutop_*.changes >"$T/lintian" 2>&1 ||
	fail "lintian: $(cat "$T/lintian")"
cat "$T/lintian"
[ "$(dpkg-deb -f "$deb" Architecture)" = "$(dpkg --print-architecture)" ] || fail "the package is for $(dpkg-deb -f "$deb" Architecture)"

# ---- it holds what it is to hold
dpkg-deb --fsys-tarfile "$deb" | tar tf - >"$T/files"
for file in usr/bin/cutop usr/share/man/man8/cutop.8.gz usr/share/bash-completion/completions/cutop \
	usr/share/zsh/site-functions/_cutop usr/share/fish/vendor_completions.d/cutop.fish \
	usr/libexec/cutop/demo/cutop-demo usr/libexec/cutop/demo/libcudart.so.13 usr/libexec/cutop/demo/train.py usr/libexec/cutop/demo/demo.cutop usr/share/doc/cutop/README.Debian \
	usr/share/doc/cutop/copyright; do
	grep -qx "./$file" "$T/files" || fail "$file is not in the package"
done
if [ -e "$top_srcdir/contrib/systemd/cutop.service.in" ]; then
	grep -q '/systemd/system/cutop.service$' "$T/files" || fail "the service is not in the package"
	grep -q '^./usr/share/cutop/grafana/cutop.json$' "$T/files" || fail "the dashboard is not in the package"
	grep -q '^./usr/share/doc/cutop/examples/' "$T/files" || fail "examples are not in the package"
fi
# Nothing of the build's own place is in it.
dpkg-deb -x "$deb" "$T/x"
if grep -q -r -F "$T" "$T/x/usr/bin" "$T/x/usr/share"; then
	fail "the path of the build is in the package: $(grep -l -r -F "$T" "$T/x/usr/bin" "$T/x/usr/share")"
fi

# ---- no rights, no service, unless asked for
dpkg-deb -e "$deb" "$T/control"
if grep -E 'setcap|chmod|deb-systemd-invoke +start|_dh_action=start' "$T"/control/*inst "$T"/control/*rm 2>/dev/null; then
	fail "a script of the package gives rights, or starts the service"
fi
# An upgrade may enable again what the administrator had enabled.
if grep -B2 'deb-systemd-helper enable' "$T"/control/postinst 2>/dev/null | grep -v -e 'was-enabled' -e 'deb-systemd-helper enable' \
	-e 'Create new symlinks' -e '^--'; then
	fail "the package enables its service: $(cat "$T/control/postinst")"
fi
# What the administrator started goes on after an upgrade, with the new program, and ends with the package. The scripts
# run as dpkg runs them, on a machine with systemd; what they ask of it is written down.
mkdir "$T/stubs"
for stub in deb-systemd-invoke deb-systemd-helper systemctl; do
	printf '#!/bin/sh\necho "$(basename "$0") $*" >>"%s/asked"\n' "$T" >"$T/stubs/$stub"
	chmod 755 "$T/stubs/$stub"
done
# asks EXPECTED SCRIPT ARGUMENTS...: what is asked of the service
asks() {
	expected=$1
	script=$2
	shift 2
	[ -e "$T/control/$script" ] || return 0
	rm -f "$T/asked"
	unshare -m sh -e -c 'mount -t tmpfs none /run; mkdir -p /run/systemd/system; PATH=$0:$PATH; export PATH; exec "$@"' "$T/stubs" "$T/control/$script" "$@" ||
		fail "$script $*: status $?"
	asked=$(grep '^deb-systemd-invoke ' "$T/asked" 2>/dev/null | paste -sd ' ' -)
	[ "$asked" = "$expected" ] || fail "$script $*: asks '$asked', not '$expected'"
}
if unshare -m true 2>/dev/null; then
	asks '' preinst install
	asks '' postinst configure
	asks '' prerm upgrade "$version"
	asks '' preinst upgrade "$version"
	asks '' postrm upgrade "$version"
	asks 'deb-systemd-invoke try-restart cutop.service' postinst configure "$version"
	asks 'deb-systemd-invoke stop cutop.service' prerm remove
	[ -e "$T/control/prerm" ] || fail "nothing stops the service when the package is removed"
	asks '' postrm remove
	asks '' postrm purge
else
	echo "not root: the package's scripts are not run"
fi

# ---- install, upgrade, remove, purge: in a root of its own, with the scripts told so (DPKG_ROOT)
mkdir -p "$T/older/DEBIAN" "$T/older/usr/share/cutop" "$T/root/var/lib/dpkg/info" "$T/root/var/lib/dpkg/updates" "$T/root/var/log" "$T/root/etc/default"
cp -a "$T/x/." "$T/older"
cp "$T"/control/* "$T/older/DEBIAN"
sed -i 's/^Version:.*/Version: 0.0.1/' "$T/older/DEBIAN/control"
echo "of an older version" >"$T/older/usr/share/cutop/older"
dpkg-deb --root-owner-group -b "$T/older" "$T/older.deb" >/dev/null || fail "an older package does not build"
touch "$T/root/var/lib/dpkg/status" "$T/root/var/lib/dpkg/available"
packaged() {
	dpkg --root="$T/root" --log="$T/dpkg.log" --force-depends --force-script-chrootless "$@" >"$T/out" 2>&1 || fail "dpkg $1: $(cat "$T/out")"
}
if [ "$(id -u)" = 0 ]; then
	packaged -i "$T/older.deb"
	[ -e "$T/root/usr/share/cutop/older" ] || fail "the older package is not installed"
	packaged -i "$deb"
	[ ! -e "$T/root/usr/share/cutop/older" ] || fail "an upgrade leaves a file of the older package"
	(cd "$T/root" && find usr lib etc ! -type d 2>/dev/null | sort) >"$T/installed"
	sed -n 's,^\./,,; /[^/]$/p' "$T/files" | sort | comm -3 - "$T/installed" >"$T/differ"
	[ ! -s "$T/differ" ] || fail "packed (left) and installed differ: $(cat "$T/differ")"
	# What README.Debian has the administrator write.
	echo 'CUTOP_LISTEN=127.0.0.1:9401' >"$T/root/etc/default/cutop"
	packaged -r cutop
	[ -e "$T/root/etc/default/cutop" ] || fail "a removal takes the administrator's file"
	packaged -P cutop
	left=$(cd "$T/root" && find . ! -type d ! -path './var/lib/dpkg/*' ! -path './var/log/*')
	[ -z "$left" ] || fail "a purge leaves $left"
	left=$(cd "$T/root" && find . -name '*cutop*')
	[ -z "$left" ] || fail "a purge leaves $left"
	if grep -q '^Package: cutop' "$T/root/var/lib/dpkg/status"; then fail "dpkg still knows the package"; fi
else
	echo "not root: install and purge are not tried"
fi
"$T/x/usr/bin/cutop" --version | grep -qx "cutop $version" || fail "the packaged program is of another version"
[ $failed = 0 ] && echo "$(basename "$deb"): $(wc -l <"$T/files") files"
exit $failed
