#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What calls through forwarders (as XLA's plugin makes them) cost under cutop, as a multiple of the same calls without forwarders.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

[ "$(uname -m)" = x86_64 ] || { echo "not measured: forwarders (the stubs are x86-64's)"; exit; }
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/e2e/stubs.sh
. "$here/../e2e/stubs.sh"
calls=${CALLS:-200000}
double=$(cd "$(dirname "$library")" && pwd)
stub_fill >"$out/fill.c"
"${CC:-cc}" -std=c17 -D_GNU_SOURCE -O2 -fno-optimize-sibling-calls -pthread -I"$here/../double" -c -o "$out/worker.o" "$here/worker.c" || exit
# shellcheck disable=SC2046
stubs $(nm -u "$out/worker.o" | sed -n 's/.* \(_*cu[a-zA-Z].*\)/\1/p') >"$out/stubs.s"
"${CC:-cc}" -pthread -o "$out/stubs" "$out/worker.o" "$out/stubs.s" "$out/fill.c" -ldl -Wl,-rpath,"$double" || exit
"${CC:-cc}" -pthread -o "$out/direct" "$out/worker.o" "$double/libcudart.so.13" "$double/libcuda.so.1" -ldl -Wl,-rpath,"$double" || exit

i=0
while [ $i -lt "$rounds" ]; do
	for program in direct stubs; do
		measure $program-none "$out/$program" "$calls"
		measure $program-cutop "$build/src/cutop" -b -o /dev/null --library "$double/libcuda.so.1" --library "$double/libcudart.so.13" -- \
			"$out/$program" "$calls"
	done
	i=$((i + 1))
done
echo "ns per call through forwarders, least of $rounds rounds of $calls calls"
printf '%-16s %9s %9s %9s %9s %7s  %s\n' call direct watched stubs watched ratio "to reach"
column=0
for call in "launch" "malloc + free" "memcpy" "synchronize"; do
	column=$((column + 1))
	awk -v c="$call" -v n="$(least direct-none $column)" -v d="$(least direct-cutop $column)" -v m="$(least stubs-none $column)" \
		-v s="$(least stubs-cutop $column)" 'BEGIN {
		printf "%-16s %9.0f %9.0f %9.0f %9.0f %7.2f  <= 1.05 %s\n", c, n, d, m, s, s / d, s / d <= 1.05 ? "ok" : "MISSED"
	}'
done
