#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test_python.sh under every available interpreter, and under those of other Debian suites if they
# can be fetched.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$(pwd)}"
folder=${VM_CACHE:-$top_builddir/tests/vm/cache}/pythons
[ -n "${CUTOP_TEST_PYTHONS:-}" ] || [ "$(id -u)" != 0 ] || CUTOP_TEST_PYTHONS=$(bash "$top_srcdir/tests/python/fetch.sh" -o "$folder" trixie sid)
CUTOP_TEST_PYTHON=all
export CUTOP_TEST_PYTHONS CUTOP_TEST_PYTHON
exec "$top_srcdir/tests/e2e/test_python.sh"
