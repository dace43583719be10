#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cutop beside the tools that a user might choose instead, on the same workload in the same run:
# bpftrace's one line. For each: the cost per call, and how much it lost of what it should have recorded.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

calls=${CALLS:-200000}
worker="$build/tests/bench/worker $calls"

# bpftrace prints its maps after what the worker prints.
traced() {
	bpftrace -q -c "$worker" -e "$1" 2>/dev/null | grep -E '^[0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+$'
}
count="uprobe:$library:cudaLaunchKernel { @launches[pid, arg0] = count(); }
	uprobe:$library:cudaMalloc, uprobe:$library:cudaFree, uprobe:$library:cudaMemcpy,
	uprobe:$library:cudaMemcpyAsync, uprobe:$library:cudaDeviceSynchronize { @calls[pid, func] = count(); }"
timed="uprobe:$library:cudaLaunchKernel, uprobe:$library:cudaMalloc, uprobe:$library:cudaFree, uprobe:$library:cudaMemcpy,
	uprobe:$library:cudaMemcpyAsync, uprobe:$library:cudaDeviceSynchronize { @begin[tid] = nsecs; }
	uretprobe:$library:cudaLaunchKernel, uretprobe:$library:cudaMalloc, uretprobe:$library:cudaFree, uretprobe:$library:cudaMemcpy,
	uretprobe:$library:cudaMemcpyAsync, uretprobe:$library:cudaDeviceSynchronize /@begin[tid]/
	{ @ns[pid, func] = hist(nsecs - @begin[tid]); @failed[pid, func] = sum(retval != 0); delete(@begin[tid]); }"

i=0
while [ $i -lt "$rounds" ]; do
	measure none $worker
	measure cutop "$build/src/cutop" -b -l runtime -f json -o "$out/cutop.json" -- $worker
	if command -v bpftrace >/dev/null; then
		measure count traced "$count"
		measure timed traced "$timed"
	fi
	i=$((i + 1))
done

lost() {	# mode: per cent of its events
	case $1 in
	cutop) jq -r '[.lost[]] | add' "$out/cutop.json" | tail -n 1 ;;
	*) echo - ;;
	esac
}

row() {		# title mode
	[ -s "$out/$2" ] || return
	printf '%-34s' "$1"
	for column in 1 2 3 4; do
		printf ' %9.0f' "$(least "$2" $column)"
	done
	printf '  %8s\n' "$(lost "$2")"
}

echo
echo "side by side: ns per call, least of $rounds rounds of $calls calls"
printf '%-34s %9s %9s %9s %9s  %8s\n' "" launch malloc+free memcpy sync lost
row "nobody watches" none
row "cutop" cutop
row "bpftrace: counts" count
row "bpftrace: times and failures" timed
awk -v c="$(least cutop 1)" -v b="$([ -s "$out/count" ] && least count 1 || echo 1e9)" 'BEGIN {
	printf "cutop is cheaper per launch: %s\n", c <= b ? "ok" : "MISSED"
}'
