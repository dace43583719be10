#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What cutop costs beside the single call: threads that call at once, programs
# that have nothing to do with CUDA, and workloads as a whole. Like bench.sh: modes
# in turn, the least of several rounds, ratios inside one run.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
cores=$(nproc)

# Under a cutop that watches the whole machine, and has done all it has to at its start.
watched() {	# mode command...
	"$build/src/cutop" -b -f json -o "$out/ready" &
	pid=$!
	until [ -s "$out/ready" ]; do
		kill -0 $pid || exit 1
	done
	measure "$@"
	kill -TERM $pid
	wait $pid
	pid=
	rm "$out/ready"
}

# Kinds of calls that take as long as on a device; a launch 3 us, as with NVIDIA's driver.
seeds() {
	CUDA_DOUBLE_DELAY=cudaMalloc=250us,cudaLaunchKernel=3us "$@"
}

i=0
while [ $i -lt "$rounds" ]; do
	for threads in 1 "$cores"; do
		measure "none$threads" "$build/tests/bench/together" 200000 "$threads"
		measure "entry$threads" "$build/tests/bench/empty" entry "$library" -- "$build/tests/bench/together" 200000 "$threads"
		measure "cutop$threads" "$build/src/cutop" -b -l runtime -o /dev/null -- "$build/tests/bench/together" 200000 "$threads"
	done
	# What is to be seen is less than the calls differ by: short runs, many times in turn.
	for _ in 1 2 3 4; do
		measure storm-none "$build/tests/bench/storm" 60000
		watched storm-cutop "$build/tests/bench/storm" 60000
		measure exec-none "$build/tests/bench/storm" exec 700
		watched exec-cutop "$build/tests/bench/storm" exec 700
	done
	measure seeds-none seeds "$build/tests/bench/seeds"
	measure seeds-runtime seeds "$build/src/cutop" -b -l runtime -o /dev/null -- "$build/tests/bench/seeds"
	measure seeds-cutop seeds "$build/src/cutop" -b -o /dev/null -- "$build/tests/bench/seeds"
	i=$((i + 1))
done

# How much dearer a call is when all cores make it, beyond how much dearer it is then with an empty probe: what the
# double's own lock and the kernel's part of a probe cost more is not cutop's.
together() {	# title column
	awk -v t="$1" -v n="$cores" -v n1="$(least none1 "$2")" -v nn="$(least "none$cores" "$2")" \
		-v e1="$(least entry1 "$2")" -v en="$(least "entry$cores" "$2")" \
		-v c1="$(least cutop1 "$2")" -v cn="$(least "cutop$cores" "$2")" 'BEGIN {
		added = (cn / c1) / (en / e1)
		printf "%-24s %9.0f %9.0f %9.0f %9.0f %9.0f %9.0f %6.2f  <= 1.30  %s\n", t, n1, nn, e1, en, c1, cn, added,
			added <= 1.3 ? "ok" : "MISSED"
	}'
}

echo
echo "all $cores cores at once: ns per call of one thread, least of $rounds rounds; ratio: growth with cutop to growth with an empty probe"
printf '%-24s %9s %9s %9s %9s %9s %9s %6s  %s\n' call "no probe" "x$cores" "empty" "x$cores" cutop "x$cores" ratio "to reach"
together launch 1
together "malloc + free" 2
together memcpy 3
together synchronize 4

storm() {	# title modes column limit per-cent-or-ns
	awk -v t="$1" -v n="$(least "$2-none" "$3")" -v c="$(least "$2-cutop" "$3")" -v l="$4" -v u="$5" 'BEGIN {
		more = u == "%" ? (c / n - 1) * 100 : c - n
		printf "%-24s %9.0f %9.0f %8.1f %-3s <= %s %s  %s\n", t, n, c, more, u, l, u, more <= l ? "ok" : "MISSED"
	}'
}

echo
echo "programs without CUDA: ns, least of $rounds rounds"
printf '%-24s %9s %9s %12s  %s\n' "" alone watched more "to reach"
# The twentieth part of the calls was quicker: the least of so many is chance.
for mode in exec-none exec-cutop; do
	sort -n "$out/$mode" | awk '{ ns[NR] = $1 } END { print ns[int(NR / 20) + 1] }' >"$out/twentieth"
	mv "$out/twentieth" "$out/$mode"
done
storm "fork, exec, exit" exec 1 2 %
storm "open, close" storm 2 50 ns
storm "mmap and munmap" storm 3 50 ns
# For both together: where there are probes, the kernel looks for some in each file that is mapped for code.
storm "mmap of code, munmap" storm 4 100 ns
storm "any other system call" storm 5 50 ns
# Where the kernel's function behind mmap(2) cannot be watched, this is where a library is met. Our own bar.
storm "mmap, touch, munmap" storm 6 5 %

seed() {	# title column
	awk -v t="$1" -v n="$(least seeds-none "$2")" -v r="$(least seeds-runtime "$2")" -v c="$(least seeds-cutop "$2")" 'BEGIN {
		printf "%-40s %9.1f %9.1f %7.2f %% %9.1f %7.2f %%\n", t, n / 1000, r / 1000, (r / n - 1) * 100, c / 1000, (c / n - 1) * 100
	}'
}

echo
echo "workloads, in ms: malloc 250 us, launch 3 us"
printf '%-40s %9s %19s %19s\n' "" alone "--layer runtime" "both layers"
seed "5,000 x malloc, free of 100 bytes" 1
seed "10,000 x 1 MiB there, launch, and back" 2
seed "1,000 x 2 kernels" 3
