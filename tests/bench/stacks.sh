#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What whole native stacks of code without frame pointers add to an allocation: cutop --stacks to cutop --stacks=never.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

calls=${CALLS:-50000}
load=$build/tests/bench/stacks_load
depths="8 20 44 64 100"

i=0
while [ $i -lt "$rounds" ]; do
	for when in never allocations; do
		# shellcheck disable=SC2086
		measure $when "$build/src/cutop" -b -l runtime -o /dev/null --library "$library" --stacks=$when -- "$load" "$calls" $depths
	done
	i=$((i + 1))
done

echo "ns that a native stack adds to an allocation and its free, by frames; least of $rounds rounds of $calls calls"
printf '%8s %10s %10s %10s  %s\n' frames without with more "to reach"
column=0
for depth in $depths; do
	column=$((column + 1))
	case $depth in
	20) goal=1200 ;;
	44) goal=2200 ;;
	*) goal= ;;
	esac
	awk -v d="$depth" -v o="$(least never $column)" -v w="$(least allocations $column)" -v g="$goal" 'BEGIN {
		printf "%8d %10.0f %10.0f %10.0f  %s\n", d, o, w, w - o, g == "" ? "" : "<= " g (w - o <= g ? " ok" : " MISSED")
	}'
done
