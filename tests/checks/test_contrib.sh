#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What contributors' machines run: the list of packages is whole, each step of .github/workflows/ci.yml names a script and a word
# of it that exist, contrib/release refuses what is not ready, and the version is the same everywhere.
set -u
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$(pwd)}"
T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-test.XXXXXX")
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
failed=0
fail() {
	failed=1
	echo "FAIL: $*"
}

# ---- contrib/packages
grep -v '^#' "$top_srcdir/contrib/packages" >"$T/packages"
awk 'NF != 4 { print "not four columns: " $0 }
	$1 !~ /^(build|unit|test|release)$/ { print "for what: " $0 }
	{ for (i = 2; i <= NF; i++) if ($i !~ /^[A-Za-z0-9][A-Za-z0-9.+_-]+$/ && $i != "-" && (i == 2 || $i != "=")) print "no name: " $0 }
	$2 == "-" && ($3 == "=" || $4 == "=") { print "as Debian, which has none: " $0 }
	$2 != "-" && seen[$2]++ { print "twice: " $2 }' "$T/packages" >"$T/wrong"
[ ! -s "$T/wrong" ] || fail "contrib/packages: $(cat "$T/wrong")"
[ "$(wc -l <"$T/packages")" -ge 30 ] || fail "contrib/packages has too few lines"
for system in debian ubuntu fedora; do
	SETUP_SYSTEM=$system "$top_srcdir/contrib/setup" packages >"$T/$system" 2>&1 || fail "contrib/setup packages for $system: $(cat "$T/$system")"
	# A build takes as many everywhere.
	[ "$(wc -l <"$T/$system")" = "$(grep -c '^build' "$T/packages")" ] || fail "$system: $(wc -l <"$T/$system") packages for the build"
	if grep -x -e = -e - "$T/$system"; then fail "$system: a sign is no package"; fi
done
if SETUP_SYSTEM=plan9 "$top_srcdir/contrib/setup" packages >"$T/out" 2>&1; then
	fail "a system that is not known has packages: $(cat "$T/out")"
fi
# Names of other systems' packages end otherwise.
if grep -n -- '-dev$' "$T/fedora"; then fail "the name of a package of Debian's in Fedora"; fi
if grep -n -- '-devel$' "$T/debian" "$T/ubuntu"; then fail "the name of a package of Fedora's in Debian"; fi
# What configure asks for with the name of Debian's package is installed.
grep -o 'apt install [a-z0-9.+-]*' "$top_srcdir/configure.ac" | sed 's/apt install //' | sort -u | while read -r name; do
	awk -v name="$name" '$2 == name { found = 1 } END { exit !found }' "$T/packages" || echo "$name"
done >"$T/wrong"
[ ! -s "$T/wrong" ] || fail "configure asks for what contrib/packages lacks: $(cat "$T/wrong")"

# ---- scripts
if command -v shellcheck >/dev/null; then
	(cd "$top_srcdir" && shellcheck -S warning contrib/setup contrib/release debian/tests/smoke debian/tests/demo debian/tests/service \
		debian/cutop.postrm debian/cutop.prerm tests/vm/kernel.sh tests/vm/packages.sh tests/checks/test_contrib.sh) >"$T/out" || fail "shellcheck: $(cat "$T/out")"
else
	echo "no shellcheck: the scripts are not read by it"
fi

# ---- the workflow
sed -n 's/^ *- run: //p' "$top_srcdir/.github/workflows/ci.yml" >"$T/steps"
grep -q . "$T/steps" || fail "ci.yml has no step"
while read -r script word _; do
	case $script in
	apt-get | git) continue ;;	# what contrib/setup cannot do: it is in the repository
	contrib/setup) ;;
	*) [ -x "$top_srcdir/$script" ] || fail "ci.yml: there is no script $script"; continue ;;
	esac
	# shellcheck disable=SC2016
	case $word in
	'check-${{') ;;
	check*) grep -q "^$word:" "$top_builddir/Makefile" || fail "ci.yml: make has no $word" ;;
	*) grep -qE "^[a-z |-]*\b$word\b[a-z |-]*\)\$" "$top_srcdir/contrib/setup" || fail "ci.yml: contrib/setup has no $word" ;;
	esac
done <"$T/steps"
for kernel in $(bash "$top_srcdir/tests/vm/kernel.sh" list); do
	grep -q "kernel: \"$kernel\"" "$top_srcdir/.github/workflows/ci.yml" || fail "ci.yml does not try Linux $kernel"
done

# ---- the version
version=$(sed -n 's/^AC_INIT(\[cutop\], \[\(.*\)\])$/\1/p' "$top_srcdir/configure.ac")
grep -q "^$version, " "$top_srcdir/NEWS" || fail "NEWS has no heading of $version"
head -n 1 "$top_srcdir/debian/changelog" | grep -q "^cutop ($version) " || fail "debian/changelog is of another version than $version"
grep -q "^cutop $version can watch here" "$top_srcdir/docs/troubleshooting.md" || fail "docs/troubleshooting.md shows another version"

# ---- contrib/release, as far as it refuses
if command -v git >/dev/null && git -C "$top_srcdir" rev-parse --git-dir >/dev/null 2>&1; then
	mkdir -p "$T/tree/contrib" "$T/tree/debian"
	cp "$top_srcdir/contrib/release" "$T/tree/contrib"
	cd "$T/tree" || exit 1
	git init -q . && git config user.name test && git config user.email test@example.org
	# refuses REASON: after what was committed
	refuses() {
		git add -A
		git commit -q --allow-empty -m test
		if contrib/release -n -T >"$T/out" 2>&1; then
			fail "a release is made, although: $1"
		elif ! grep -q "$1" "$T/out"; then
			fail "the reason is not '$1' but: $(cat "$T/out")"
		fi
	}
	echo 'AC_INIT([cutop], [1.2.3])' >configure.ac
	printf 'News\n\n1.2.3, not released yet\n' >NEWS
	echo 'cutop (1.2.3) unstable; urgency=medium' >debian/changelog
	refuses 'newest heading of NEWS'
	printf 'News\n\n1.2.4, 2026-01-01\n' >NEWS
	refuses 'newest heading of NEWS'
	printf 'News\n\n1.2.3, 2026-01-01\n' >NEWS
	echo 'cutop (1.2.2) unstable; urgency=medium' >debian/changelog
	refuses 'debian/changelog'
	echo 'cutop (1.2.3) UNRELEASED; urgency=medium' >debian/changelog
	refuses 'debian/changelog'
	echo 'cutop (1.2.3) unstable; urgency=medium' >debian/changelog
	# All agree: it gets as far as the build, which this tree has none of.
	refuses 'make dist'
	echo change >>NEWS
	if contrib/release -n -T >"$T/out" 2>&1 || ! grep -q 'not all is committed' "$T/out"; then
		fail "a release of what is not committed: $(cat "$T/out")"
	fi
	git checkout -q NEWS
	if contrib/release -T >"$T/out" 2>&1 || ! grep -q 'a release is tested' "$T/out"; then
		fail "a release without tests: $(cat "$T/out")"
	fi
	git tag -a v1.2.3 -m test
	if contrib/release >"$T/out" 2>&1 || ! grep -q 'a tag v1.2.3 already' "$T/out"; then
		fail "a release that was made already: $(cat "$T/out")"
	fi
else
	echo "no git repository: contrib/release is not tried"
fi
[ $failed = 0 ] && echo "packages for three systems, and each step of ci.yml is a script of ours"
exit $failed
