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
# Libraries that launch as cuBLAS and NCCL do; the real ones cannot begin on the double.
check "stand-ins" make -C "$top_builddir" tests/gpu/stand_ins.so >"$T/make.log" 2>&1
mkdir "$T/libraries"
for name in libcublas.so.13 libnccl.so.2; do
	cp "$top_builddir/tests/gpu/stand_ins.so" "$T/libraries/$name"
done
LD_LIBRARY_PATH=$T/double:$T/libraries
CUTOP_GPU_DOUBLE=1
SLOWDOWN_SECONDS=0.2	# what things cost on the double is of no interest here
SLOWDOWN_ROUNDS=1
export LD_LIBRARY_PATH CUTOP_GPU_DOUBLE SLOWDOWN_SECONDS SLOWDOWN_ROUNDS

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
	'PASS blas alone: it runs$' \
	'PASS blas, layer both: launches: 15, at least 15$' \
	'PASS blas, layer both: kernels with names: 2$' \
	'PASS blas, layer both: H2D bytes: 32768, at least 32768$' \
	'PASS nccl, layer both: kernels with names: 1$' \
	'^graphs  *1  *[1-9][0-9]*  *[1-9][0-9]*  *-  *[1-9][0-9]*  *-  *-$' \
	'^blas  *1  *[1-9][0-9]*  *-  *-  *-  *-  *-$' \
	'PASS slowdown of loop was measured' \
	'SKIP slowdown of jax: jax: no JAX: ' \
	'SKIP torch-nccl: no torch: ' \
	'^loop  *[0-9]* (1.00) *[0-9]* ([0-9.]*) *[0-9]* ([0-9.]*) *[0-9]* ([0-9.]*) *-  *-  *-  *-$' \
	'PASS what calls cost was measured'; do
	check "$line" said "$line"
done
set -- "$T/reports"/cutop-gpu-report-*.tar.gz
check "one file" [ $# = 1 ] && [ -s "$1" ]
check "summary.txt comes first" [ "$(tar -tzf "$1" | sed -n '1s,.*/,,p')" = summary.txt ]
for part in vectors-both.cutop.json slowdown.txt cost.txt doctor.txt table.txt vectors-record.cutop; do
	check "$part is in it" [ -n "$(tar -tzf "$1" | grep "/$part\$")" ]
done
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
# CUPTI may have more of a program that calls a library, whose own runtime cutop sees at the driver; not less.
sed 's/"least_launches":0/"least_launches":1/' "$reported/failures-runtime.json" >"$T/library.json"
cupti_of_library() {
	jq -c --argjson more "$1" 'with_entries(if .key == "cudaMalloc_v7000" then .value[0] = $more else . end)' "$T/cupti.json" >"$T/cupti-library.json"
	"${run%/run}/bin/compare" cupti CUPTI runtime "$T/library.json" "$T/cupti-library.json" "$reported/failures-runtime.cutop.json" >"$T/run.log"
}
cupti_of_library 9
check "calls inside a library are noted" said '^NOTE CUPTI: cudaMalloc: cutop says 3 calls and 2 failures, CUPTI 9 and 2$'
check "and are no failure" [ "$(grep -c '^FAIL' "$T/run.log")" = 0 ]
cupti_of_library 2
check "calls that CUPTI did not see are told" said '^FAIL CUPTI: cudaMalloc: cutop says 3 calls and 2 failures, CUPTI 2 and 2$'

sed 's/"least_launches":15/"least_launches":16/' "$reported/blas-both.json" >"$T/wrong.json"
"${run%/run}/bin/compare" library wrong "$T/wrong.json" "$reported/blas-both.cutop.json" >"$T/run.log"
check "a library's missing launch is told" said '^FAIL wrong: launches: cutop says 15, the program at least 16$'

# Frameworks need a device. What they and PyTorch's profiler would say is made from what cutop said of another program here.
python() {
	python3 "${run%/run}/bin/python_check.py" "$@"
}
# changed WHAT REGEX FILTER: cutop's document changed by a filter of jq's; a line like REGEX must say so
changed() {
	jq -c "$3" "$T/torch.cutop.json" >"$T/changed.json"
	python torch "$T/torch.json" "$T/changed.json" >"$T/run.log"
	check "$1" said "$2"
}
jq -c '{processes: [.processes[0] | .pid = 5 | .failures = [] | .memory.allocators = [{name: "pytorch", device: 0, handed_out: 7,
	peak_allocated_bytes: 4096, peak_reserved_bytes: 8192, out_of_memory: 0}]], lost}' "$reported/vectors-both.cutop.json" >"$T/torch.cutop.json"
jq -c '{program: "torch", pid: 5, allocations: .processes[0].memory.allocations, least_launches: 49,
	least_peak_bytes: .processes[0].memory.peak_bytes, most_peak_bytes: .processes[0].memory.peak_bytes,
	allocators: {"5": {handed_out: 7, peak_allocated_bytes: 4096, peak_reserved_bytes: 8192, out_of_memory: 0}}}' "$T/torch.cutop.json" >"$T/torch.json"
jq -c '{traceEvents: [.processes[0] | (.kernels[] | . as $k | range($k.launches) | {cat: "kernel", name: $k.signature}),
	(.calls[] | select(.call == "cudaMalloc") | . as $c | range($c.calls) | {cat: "cuda_runtime", name: $c.call})]}' "$T/torch.cutop.json" >"$T/trace.json"
python torch "$T/torch.json" "$T/torch.cutop.json" "$T/trace.json" >"$T/run.log"
check "PyTorch's same counts" said '^PASS torch: 3 of 3 kernels have the same name and count in CUPTI and in cutop$'
check "PyTorch's allocator" said '^PASS torch: peak_reserved_bytes: 8192$'
check "PyTorch's calls" said '^PASS torch: calls of cudaMalloc: [1-9]'
check "the pool is in the peak" said '^PASS torch: peak of memory: '
check "a healthy program" said '^PASS torch: failures: $'
grep '^FAIL' "$T/run.log"
check "nothing is wrong" [ "$(grep -c '^FAIL' "$T/run.log")" = 0 ]
changed "a late start is told" '^FAIL torch: watched from: cutop says attach' '.processes[0].watched_from = "attach"'
changed "a failure that is none is told" '^FAIL torch: failures: cutop says cuX Y, there should be none' \
	'.processes[0].failures = [{call: "cuX", error: "Y", count: 1}]'
changed "copies without a direction are told" '^FAIL torch: copies without direction or device: 3 of ' \
	'.processes[0].copies += [{direction: "unknown", device: 0, calls: 3}]'
changed "more time than there is is told" '^FAIL torch: largest share of time: 2.09' '.processes[0].time = {threads: 1, share: {other: 2.09}}'
changed "a lost record is told" "^FAIL torch: records lost: cutop says {'stacks': 540}" '.lost = {stacks: 540, lines: 0}'
changed "another peak is told" '^FAIL torch: peak of memory: ' '.processes[0].memory.peak_bytes += 1'
changed "another number of allocations is told" '^FAIL torch: allocations: ' '.processes[0].memory.allocations += 1'
changed "another process's allocator is none of this one's" '^FAIL torch: cutop has nothing of PyTorch' '.processes[0].pid = 6'
jq -c '.traceEvents += [{cat: "cuda_runtime", name: "cudaMalloc"}]' "$T/trace.json" >"$T/more.json"
python torch "$T/torch.json" "$T/torch.cutop.json" "$T/more.json" >"$T/run.log"
check "a library's own calls are noted" said '^NOTE torch: calls of cudaMalloc: cutop says [0-9]*, CUPTI [0-9]*$'
check "and are no failure of PyTorch's" [ "$(grep -c '^FAIL' "$T/run.log")" = 0 ]
jq -c '.traceEvents |= .[1:]' "$T/trace.json" >"$T/other.json"
sed 's/"handed_out":7/"handed_out":8/' "$T/torch.json" >"$T/wrong.json"
python torch "$T/wrong.json" "$T/torch.cutop.json" "$T/other.json" >"$T/run.log"
check "another count of a kernel is told" said '^FAIL torch: launches of .*: cutop says [0-9]*, CUPTI [0-9]*$'
check "another sum is told" said '^FAIL torch: launches of all kernels: cutop says 49, CUPTI 48$'
check "another count of tensors is told" said '^FAIL torch: handed_out: cutop says 7, PyTorch 8$'
echo '{"program": "triton", "pid": 5, "kernels": {"add": 41, "scale": 9}, "kernels_with": {"dd": 41}}' >"$T/triton.json"
python triton "$T/triton.json" "$T/torch.cutop.json" >"$T/run.log"
check "Triton's count" said '^PASS triton: launches of add: 41$'
check "a part of a name" said '^PASS triton: launches of dd: 41$'
check "another count of Triton's is told" said '^FAIL triton: launches of scale: cutop says 8, the program 9$'

# Parts, and what is none.
"$run" --only machine,jax "$T/reports" >"$T/run.log" 2>&1
check "status of parts" [ $? = 0 ]
check "a part is there" said '^SKIP jax: no jax: '
check "the others are not" [ "$(grep -c '^[A-Z]* \(graphs\|CUPTI\|slowdown\)' "$T/run.log")" = 0 ]
"$run" --only machine,moon "$T/reports" >"$T/run.log" 2>&1
check "status of a part that is none" [ $? = 2 ]
check "which it is" said 'there is no part moon; usage: '

# Without a device every call fails, and cutop is right to say so.
for program in vectors vectors-static; do
	LD_LIBRARY_PATH= CUTOP_GPU_DOUBLE= CUDA_VISIBLE_DEVICES= "${run%/run}/bin/cutop" -b -f json -n 1 -o "$T/none.cutop.json" -- \
		"${run%/run}/samples/$program" >"$T/none.json"
	"${run%/run}/bin/compare" counts none both "$T/none.json" "$T/none.cutop.json" >"$T/run.log"
	check "$program without a device: the failures are compared" said '^PASS none: failures of cudaGetDeviceCount with '
	check "$program without a device: nothing is wrong" [ "$(grep -c '^FAIL' "$T/run.log")" = 0 ]
done

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
