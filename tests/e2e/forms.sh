# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The core of the end-to-end tests on the double in another form. The test that sources this sets $form, and $core to the
# names of the tests. Each runs as it is, with CUTOP_TEST_FORM set (see lib.sh); what one that fails has printed is shown.
set -u

: "${form:?}" "${core:?}"
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
export top_builddir top_srcdir CUTOP_TEST_FORM="$form"
libraries=$top_builddir/tests/double/forms/$form
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

[ -e "$libraries/libcuda.so.1" ] || { echo "SKIP: there is no double in the form $form for this machine"; exit 77; }

# A program's mappings show that it has both libraries from the form's folder, and none from elsewhere.
name=mappings
wanted=$(printf '%s\n' "$libraries/libcuda.so.1" "$libraries/libcudart.so.13")
LD_LIBRARY_PATH=$libraries "$top_builddir/tests/workloads/bin/workload" hang 10000 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 250); do
	loaded=$(sed -n 's,^[^/]*\(/.*/libcuda[^/]*\)$,\1,p' "/proc/$pid/maps" 2>/dev/null | sort -u)
	[ "$loaded" != "$wanted" ] || break
	sleep 0.02
done
end_test
pid=
if [ "$loaded" = "$wanted" ]; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAIL: a workload maps $loaded, not both libraries of $libraries"
fi

for name in $core; do
	begin=$(date +%s)
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
		echo "FAIL: test_$name.sh on the form $form: status $status"
		;;
	esac
	echo "$name: $(tail -n 1 "$output") ($(($(date +%s) - begin)) s)"
done

echo "$form: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] || exit 1
# Where no probes can be placed every test is skipped, and so is this one.
[ $passed -gt 1 ] || exit 77
exit 0
