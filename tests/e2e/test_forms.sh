#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The core of the end-to-end tests on the double in its other forms (docs/testing.md): where a probe goes depends on a function's
# first instructions, and so do a call's arguments, its caller and what a jump shows. Each test runs as it is, with
# CUTOP_TEST_FORM set (see lib.sh); what one that fails has printed is shown.
set -u
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
export top_builddir top_srcdir CUTOP_TEST_FORM
passed=0
failed=0
skipped=0
output=$(mktemp)
pid=

# A test runs in a process group of its own, and ends all of it when it is told to end.
end_test() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
}
trap 'rm -f "$output"' EXIT
trap 'trap "" HUP INT TERM; end_test; echo "FAIL: ended by a signal in test_$name.sh"; exit 1' HUP INT TERM

# As NVIDIA's drivers have it: all that reads a stack or arguments. The others: where the probe goes, and what it then costs.
# (test_attach_methods.sh has the case study of test_basics.sh, by each kind of links. The functions of test_nesting.sh are its
# own program's.)
for run in driver:launches driver:copies driver:inner_calls driver:trace driver:leaks driver:attach_methods \
	endbr:attach_methods stepped:attach_methods; do
	CUTOP_TEST_FORM=${run%:*}
	name=${run#*:}
	[ -e "$top_builddir/tests/double/forms/$CUTOP_TEST_FORM/libcuda.so.1" ] || { echo "SKIP: there is no double in the form $CUTOP_TEST_FORM"; exit 77; }
	sh "$top_srcdir/tests/e2e/test_$name.sh" >"$output" 2>&1 &
	pid=$!
	wait "$pid"
	status=$?
	pid=
	case $status in
	0) passed=$((passed + 1)) ;;
	77) skipped=$((skipped + 1)) ;;
	*)
		failed=$((failed + 1))
		cat "$output"
		echo "FAIL: test_$name.sh on the form $CUTOP_TEST_FORM: status $status"
		;;
	esac
	echo "$run: $(tail -n 1 "$output")"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] || exit 1
# Where no probes can be placed every test is skipped, and so is this one.
[ $passed != 0 ] || exit 77
