#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a report of PyTorch's allocator costs it, as a multiple of what a probe that does nothing costs there: where it hands
# out a block, and where it takes one back.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

calls=${CALLS:-50000}
here=$(cd "$(dirname "$0")" && pwd)
load=$build/tests/bench/blocks_load
torch=$build/tests/e2e/bin/torch/libc10.so
# Past endbr64, as cutop does it: on that instruction most kernels need ten times as long.
past=
objdump -d "$torch" 2>/dev/null | grep -A 1 'reportMemoryUsageToProfiler.*>:' | grep -q endbr64 && past=+4
depth=10

i=0
while [ $i -lt "$rounds" ]; do
	measure none "$load" "$calls"
	measure empty "$build/tests/bench/empty" entry$past "$torch" -- "$load" "$calls"
	measure plain "$build/src/cutop" -b -o /dev/null --tensor-sites=all --library "$torch" --no-python --stacks=never -- "$load" "$calls"
	measure native "$build/src/cutop" -b -o /dev/null --tensor-sites=all --library "$torch" --no-python -- "$load" "$calls"
	measure python-none python3 "$here/python_load.py" "$build/tests/bench/libblocks_load.so" "$calls" $depth
	measure python-plain "$build/src/cutop" -b -o /dev/null --tensor-sites=all --library "$torch" --no-python --stacks=never -- \
		python3 "$here/python_load.py" "$build/tests/bench/libblocks_load.so" "$calls" $depth
	measure python "$build/src/cutop" -b -o /dev/null --tensor-sites=all --library "$torch" -- \
		python3 "$here/python_load.py" "$build/tests/bench/libblocks_load.so" "$calls" $depth
	i=$((i + 1))
done

# row NAME MODE COLUMN GOAL
row() {
	awk -v name="$1" -v c="$(least "$2" "$3")" -v n="$(least none "$3")" -v e="$(least empty "$3")" -v goal="$4" 'BEGIN {
		ratio = (c - n) / (e - n)
		printf "%-34s %8.0f %8.0f %8.0f %7.2f  %s\n", name, n, e, c, ratio, goal == "" ? "" : "<= " goal (ratio <= goal ? " ok" : " MISSED")
	}'
}
echo "ns of a report; least of $rounds rounds of $calls"
printf '%-34s %8s %8s %8s %7s  %s\n' "" none empty cutop "x empty" "to reach"
row "a block, without its site" plain 1 1.4
row "a block taken back" plain 2 1.4
row "a block, its native stack" native 1 ""
# Of both reports together, the second takes no stack: what is more than without belongs to the first.
awk -v c="$(least python 1)" -v o="$(least python-plain 1)" -v p="$(least plain 1)" -v n="$(least none 1)" -v e="$(least empty 1)" -v d=$depth 'BEGIN {
	ratio = (p + c - o - n) / (e - n)
	printf "%-34s %8.0f %8.0f %8.0f %7.2f  <= 2.6 %s\n", "a block, " d " Python frames", n, e, p + c - o, ratio, ratio <= 2.6 ? "ok" : "MISSED"
}'
