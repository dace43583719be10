#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CUDA 13's runtime passes each launch on to the driver: it is counted there, and only there, with the kernel's name and the
# program's site. Older runtimes refuse some themselves: they are probed as well. A program that ran before cutop shows by its
# launches at both what the driver's functions are.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
unset CUTOP_LAUNCHES
phases=$top_builddir/tests/e2e/bin/phases
[ -x "$phases" ] || skip "the helpers are not built"
case $(attach_method) in
session | multi) ;;
*) skip "with a link for each function cutop probes one layer" ;;
esac
calls='[p.calls[] | select(.call | test("^cu(da)?LaunchKernel$")) | .call]'
kernels='[p.kernels[] | [.name, .launches]] | sort'

# driver_first NAME ARGUMENTS...: as watch, again if reading the driver's file took so long that the runtime was probed before it.
# A machine's driver is found first, in ld.so.cache.
driver_first() {
	told=$1
	shift
	for try in 1 2 3 4 5; do
		watch "$told" -v --library "$double/libcuda.so.1" "$@"
		first=$(grep -m 1 -E "/double/lib/libcuda(rt)?[.]so[^ ]*: .*attached" "$T/$told.err")
		case $first in
		*/libcuda.so.1:*) return ;;
		esac
	done
	fail "$told: the driver is not probed first, $try times: $(cat "$T/$told.err")"
}
driver_first once --launch-sites -- "$workload" case-study leak
expect once "$calls" '["cuLaunchKernel"]'
expect once "$kernels" '[["saxpy",1000],["vectorAdd",1000]]'
watch both --launch-sites -l both --library "$double/libcuda.so.1" -- "$workload" case-study leak
expect both "$calls" '["cudaLaunchKernel"]'
expect both "$kernels" '[["saxpy",1000],["vectorAdd",1000]]'
sites='[p.launch_sites[] | [.kernel, .site]] | unique'
expect once "$sites" "$(jq -c "def p: .processes[0]; $sites" "$T/both.json")"
expect_nothing_lost once

# A launch that the driver refuses; the runtime is told so by it.
driver_first refused -- "$workload" failures
expect refused '[p.failures[] | select(.call | test("LaunchKernel$")) | .call] | unique' '["cuLaunchKernel"]'

older=$top_builddir/tests/double/lib12
if [ -e "$older/libcudart.so.12" ]; then
	"$CUTOP" -v -b -n 1 --library "$older/libcuda.so.1" --library "$older/libcudart.so.12" -- true >/dev/null 2>"$T/twelve.err"
	"$CUTOP" -v -b -n 1 -l both --library "$older/libcuda.so.1" --library "$older/libcudart.so.12" -- true >/dev/null 2>"$T/twelve-both.err"
	attached() {
		sed -n 's/.*libcudart.so.12: \([0-9]* functions attached\).*/\1/p' "$1"
	}
	check "CUDA 12's launches have their probes" [ "$(attached "$T/twelve.err")" = "$(attached "$T/twelve-both.err")" ]
	check "they are attached" [ -n "$(attached "$T/twelve.err")" ]
fi

# ---- one that runs already

mkfifo "$T/input"
LD_LIBRARY_PATH=$double "$phases" <"$T/input" >"$T/phases.out" &
program=$!
exec 9>"$T/input"
wait_for 20 grep -q ready "$T/phases.out" || fail "the program does not begin"
"$CUTOP" -v -b -f json -d 0.2 --library "$double/libcuda.so.1" -p $program >"$T/late.out" 2>"$T/late.err" &
cutop=$!
newest() {
	grep '}$' "$T/late.out" | tail -n 1 >"$T/late.json"
	jq -e "def p: .processes[0]; $1" "$T/late.json" >/dev/null 2>&1
}
both_layers='([p.calls[] | select(.call | test("LaunchKernel$"))] | length == 2)'
wait_for 60 grep -qs 'its launches are counted at the driver alone' "$T/late.err" || fail "late: its probes stay: $(cat "$T/late.err")"
newest .
before=$(jq '.processes[0].calls[] | select(.call == "cudaLaunchKernel").calls' "$T/late.json")
check "late: counted by the driver then" wait_for 30 newest "$both_layers and p.kernels[0].launches > $before + 100"
expect late '[p.kernels[].name]' '["first"]'
expect late '[p.calls[] | select(.call == "cudaLaunchKernel").calls] | . == ['"$before"'] or .[0] - '"$before"' < 400' true
# The second was made before cutop came, and is launched when the runtime's probes are gone.
echo >&9
check "late: the second has its name: $(cat "$T/late.err")" wait_for 30 newest '[p.kernels[].name] | sort == ["first","second"]'
came_back() {
	[ "$(grep -c 'its launches are counted at both layers' "$T/late.err")" = 2 ]
}
check "late: the probes came back for it: $(cat "$T/late.err")" wait_for 30 came_back
echo >&9
wait $program || fail "the program: status $?"
kill -INT $cutop 2>/dev/null
wait $cutop
exec 9>&-
grep '}$' "$T/late.out" | tail -n 1 >"$T/late.json"
expect late '[p.kernels[].name] | sort' '["first","second"]'
expect late '[p.failures[]?]' '[]'
finish
