#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that only jump to those of the same names in CUDA's libraries, as generators of stubs make them (XLA's plugin has
# 926 local ones, symbols without a size): they get no probes, and all is counted as without them, with the same call sites.
# Where the library that they lead to is not known, they are probed.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip "the stubs are x86-64's"

. "$top_srcdir/tests/e2e/stubs.sh"
stub_fill >"$T/fill.c"

# Two programs of one object: linked to the libraries, and to stubs.
mkdir "$T/direct" "$T/stubs"
flags="-std=c17 -D_GNU_SOURCE -O2 -g -pthread -I$top_srcdir/tests/double"
for program in mixed_calls driver_calls; do
	# shellcheck disable=SC2086
	"${CC:-cc}" $flags -c -o "$T/$program.o" "$top_srcdir/tests/e2e/$program.c" || fail "$program.c does not compile"
	# shellcheck disable=SC2046
	stubs $(nm -u "$T/$program.o" | sed -n 's/.* \(_*cu[a-zA-Z].*\)/\1/p') >"$T/$program-stubs.s"
	check "$program is linked to the libraries" "${CC:-cc}" -pthread -o "$T/direct/$program" "$T/$program.o" \
		"$double/libcudart.so.13" "$double/libcuda.so.1" -ldl -Wl,-rpath,"$double"
	check "$program is linked to stubs" "${CC:-cc}" -pthread -o "$T/stubs/$program" "$T/$program.o" "$T/$program-stubs.s" "$T/fill.c" -ldl \
		-Wl,-rpath,"$double"
	check "$program's stubs have no size" [ "$(readelf -sW "$T/stubs/$program" | awk '$4 == "FUNC" && $3 == 0 && $8 ~ /^cu[A-Z]/' | wc -l)" -gt 3 ]
done

# What both must say, but for pids, times and addresses.
told='p | {memory: (.memory | del(.map)), kernels: [.kernels[] | {name, launches, failures, grid, block}],
	copies: [.copies[] | {direction, mode, device, calls, bytes}], calls: [.calls[] | {call, calls, failures}],
	failures: [.failures[] | {call, error, count, site}], sites: [.sites[] | {site, allocations, allocated_bytes, leaked_bytes}], watched_from}'
known="--library $double/libcuda.so.1 --library $double/libcudart.so.13"
# run NAME PROGRAM MODE [OPTIONS]
run() {
	run_name=$1 run_file=$2 run_mode=$3
	shift 3
	watch "$run_name" -v "$@" -- "$T/$run_file" "$run_mode" 10
}
# same NAME: what it says is what was said of the program without stubs
same() {
	expect_nothing_lost "$1"
	check "$1: something was counted" [ "$(jq '[.processes[].calls[].calls] | add' "$T/$1.json")" -gt 5 ]
	expect "$1" "$told" "$(jq -c "def p: .processes[0]; $told" "$T/direct-$mode.json")"
}
for mode in basic mix table; do
	program=mixed_calls
	[ $mode != basic ] || program=driver_calls
	# shellcheck disable=SC2086
	run "direct-$mode" "direct/$program" $mode $known
	# shellcheck disable=SC2086
	run "stubs-$mode" "stubs/$program" $mode $known
	same "stubs-$mode"
	expect "stubs-$mode" .probes "$(jq -c .probes "$T/direct-$mode.json")"
	check "$mode: -v counts them: $(grep forward "$T/stubs-$mode.err")" \
		grep -q "stubs/$program: [1-9][0-9]* functions only forward to CUDA.s libraries, and get no probes" "$T/stubs-$mode.err"
done

# The driver is not known before the program opens it. The probe sits behind the test, where the kernel emulates the branch.
run probed-basic stubs/driver_calls basic
mode=basic
same probed-basic
expect probed-basic '.probes | [.past_entry > 10, .single_stepped]' '[true,0]'

"$CUTOP" doctor -f json -p $$ --library "$T/stubs/mixed_calls" --library "$double/libcuda.so.1" >"$T/doctor.json"
expect doctor '[.libraries[] | select(.path | endswith("/stubs/mixed_calls")) | [.forwarders > 10, .functions]]' '[[true,null]]'
"$CUTOP" doctor -p $$ --library "$T/stubs/mixed_calls" --library "$double/libcuda.so.1" >"$T/doctor.txt"
check "doctor says so" grep -q '[0-9] functions only forward to CUDA.s libraries and get no probes' "$T/doctor.txt"
finish
