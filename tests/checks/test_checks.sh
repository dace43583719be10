#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What of docs/testing.md's checks is quick: readers of records and recordings
# under valgrind, and what reads names and ELF files by cppcheck.
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
export top_builddir top_srcdir
ran=0
failed=0

run() {
	sh "$top_srcdir/tests/checks/checks.sh" "$1"
	case $? in
	0) ran=$((ran + 1)) ;;
	77) ;;
	*) failed=$((failed + 1)) ;;
	esac
}

export CHECK_TESTS='tests/fuzz/kept_records tests/fuzz/kept_recording tests/unit/test_doctor'
run valgrind
export CHECK_FILES
CHECK_FILES=$(echo "$top_srcdir"/src/names/*.c "$top_srcdir"/src/util/*.c)
run cppcheck
[ "$failed" = 0 ] || exit 1
[ "$ran" != 0 ] || exit 77
