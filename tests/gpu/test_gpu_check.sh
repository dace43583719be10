#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The check for machines with a GPU (make gpu-check), here on the double: it is built, runs from
# another folder, finds what it should, and leaves one file; without rights it says so.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

[ -n "${NVCC:-}" ] || skip "no nvcc: the sample programs are not built"

check "make gpu-check" make -C "$top_builddir" gpu-check >"$T/make.log" 2>&1
[ "$failed" = 0 ] || { tail -n 20 "$T/make.log"; finish; }
tar -C "$T" -xzf "$top_builddir/tests/gpu/cutop-gpu-check.tar.gz"
mkdir "$T/a folder" "$T/reports"
mv "$T/cutop-gpu-check" "$T/a folder"
run="$T/a folder/cutop-gpu-check/run"
private_double "$T/double"
LD_LIBRARY_PATH=$T/double
CUTOP_GPU_DOUBLE=1
export LD_LIBRARY_PATH CUTOP_GPU_DOUBLE

# said REGEX: a line of the last run
said() {
	grep -q "$1" "$T/run.log" || { echo "--- not said: $1"; tail -n 5 "$T/run.log"; return 1; }
}

"$run" "$T/reports" >"$T/run.log" 2>&1
check "status" [ $? = 0 ]
grep '^FAIL' "$T/run.log"
check "nothing failed" said ' passed, 0 failed, '
for line in 'PASS doctor: cutop can watch here' \
	'PASS vectors, layer both: launches of scale: 8$' \
	'PASS vectors, layer driver: launches of add: 41$' \
	'PASS graphs, layer runtime: launches of step by graphs: 75$' \
	'PASS pools, layer both: allocations: 12$' \
	'PASS streams, layer both: H2D bytes: 26214400$' \
	'PASS leaks, layer both: leaked bytes: 3000000$' \
	'PASS failures, layer both: failures of cudaMalloc with cudaErrorMemoryAllocation: 2$' \
	'PASS driver, layer driver: leaked bytes: 123456$' \
	'PASS vmm, layer both: frees: 2$' \
	'PASS graphs, traced: calls that launch, traced: 5$' \
	'PASS vectors, replayed: launches of add: 41$' \
	'PASS what calls cost was measured'; do
	check "$line" said "$line"
done
set -- "$T/reports"/cutop-gpu-report-*.tar.gz
check "one file" [ $# = 1 ] && [ -s "$1" ]
check "summary.txt comes first" [ "$(tar -tzf "$1" | sed -n '1s,.*/,,p')" = summary.txt ]
check "the last line names it" [ "$(tail -n 1 "$T/run.log")" = "send back: $1" ]

# A comparison that cannot fail would be worth nothing.
tar -C "$T" -xzf "$1"
sed 's/"launches":41/"launches":40/' "$T"/cutop-gpu-report-*/vectors-both.json >"$T/wrong.json"
"${run%/run}/bin/compare" counts wrong both "$T/wrong.json" "$T"/cutop-gpu-report-*/vectors-both.cutop.json >"$T/run.log"
check "a wrong count is told" said '^FAIL wrong: launches of add: cutop says 41, the program 40$'

# CUPTI needs a device. What it would write is made from cutop's own counts here, one of which is changed.
reported=$(echo "$T"/cutop-gpu-report-*)
jq -c '[.processes[0].calls[] | {"\(.call)_v7000": [if .call == "cudaMalloc" then 9 else .calls end, .failures]}] | add' \
	"$reported/failures-runtime.cutop.json" >"$T/cupti.json"
"${run%/run}/bin/compare" cupti CUPTI runtime "$reported/failures-runtime.json" "$T/cupti.json" \
	"$reported/failures-runtime.cutop.json" >"$T/run.log"
check "CUPTI's other count is told" said '^FAIL CUPTI: cudaMalloc: cutop says 3 calls and 2 failures, CUPTI 9 and 2$'
check "CUPTI's same counts" said '^PASS CUPTI: [3-9] functions have the same counts'

if command -v setpriv >/dev/null; then
	mkdir "$T/nobody"
	chown 65534 "$T/nobody"
	setpriv --reuid=65534 --clear-groups "$run" "$T/nobody" >"$T/run.log" 2>&1
	check "status without rights" [ $? = 0 ]
	check "what is missing" said 'SKIP BPF is not allowed here, so nothing is watched: .*CAP_BPF'
	check "the programs run" said 'PASS vectors alone'
	check "nothing failed without rights" said ' passed, 0 failed, '
else
	echo "not tried: without rights (no setpriv)"
fi
finish
