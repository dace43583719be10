#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/setup check in a folder that contrib/setup demo configured before Check was installed: the tests are configured
# again, so that the unit tests run. Without Check, a run of the tests fails and says why.
set -u
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
[ -x "$top_srcdir/configure" ] || { echo "SKIP: there is no configure"; exit 77; }
command -v pkg-config >/dev/null || { echo "SKIP: needs pkg-config (Debian: apt install pkg-config)"; exit 77; }
pkg-config --exists check || { echo "SKIP: needs Check (Debian: apt install check)"; exit 77; }

T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-test.XXXXXX")
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$T/bin"
# Nothing is installed or built here, only configured.
printf '#!/bin/sh\necho "install ok installed"\n' >"$T/bin/dpkg-query"
printf '#!/bin/sh\nexit 0\n' >"$T/bin/make"
for tool in sudo apt-get; do
	printf '#!/bin/sh\nexit 0\n' >"$T/bin/$tool"
done
cat >"$T/bin/pkg-config" <<-END
	#!/bin/sh
	case "\$* " in *" check "*) [ -e "$T/installed" ] || exit 1 ;; esac
	exec $(command -v pkg-config) "\$@"
END
chmod +x "$T/bin/"*
failed=0
# said WHAT FILE TEXT
said() {
	grep -qF -e "$3" "$2" || { echo "FAIL: $1: no '$3' in:"; tail -n 20 "$2"; failed=1; }
}
setup() {
	(unset MAKEFLAGS MFLAGS MAKELEVEL; PATH=$T/bin:$PATH BUILD=$T/build PKG_CONFIG=$T/bin/pkg-config "$top_srcdir/contrib/setup" "$@") >"$T/out" 2>&1 ||
		{ echo "FAIL: contrib/setup $*:"; tail -n 20 "$T/out"; failed=1; }
}

setup build
said "configured with Check, which is hidden" "$T/build/config.status" 'S["HAVE_CHECK_TRUE"]="#"'
# The list of tests has the one that says so and fails.
printf 'include Makefile\nlist:\n\t@echo $(TESTS)\n' >"$T/list.mk"
(cd "$T/build" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -f "$T/list.mk" list) >"$T/tests" 2>&1
said "a build without Check has no test that says so" "$T/tests" tests/unit/test_absent.sh
if sh "$top_srcdir/tests/unit/test_absent.sh" >"$T/out"; then
	echo "FAIL: a build without Check passes its tests"
	failed=1
fi
said "the reason" "$T/out" "configured without Check"
touch "$T/installed"
setup check
said "not configured again" "$T/build/config.status" 'S["HAVE_CHECK_FALSE"]="#"'
setup check
if grep -q 'configuring again' "$T/out"; then
	echo "FAIL: configured again where nothing is missing"
	failed=1
fi
[ "$failed" = 0 ] && echo "a folder configured without Check gets its unit tests"
exit "$failed"
