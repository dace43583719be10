#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what cutop costs a watched program, per call, on the double.
#
# Every mode is run in turn, several rounds; the least time of a mode counts,
# since whatever disturbs a run only makes it slower. Ratios are within this one
# run: absolute times say little on a shared machine.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

calls=${CALLS:-200000}
worker="$build/tests/bench/worker $calls"
registers="$build/tests/e2e/bin/registers 50000 20"

# The same on the form of the double that has the driver's entries as NVIDIA's.
on_form() {	# mode, command
	mode=$1
	shift
	measure "$mode" env LD_LIBRARY_PATH="$form" "$@"
}

# The first instruction of such an entry that the kernel emulates, the je, is this many bytes past it.
je=10

i=0
while [ $i -lt "$rounds" ]; do
	if [ -n "$form" ]; then
		on_form form-none $worker
		on_form form-entry "$build/tests/bench/empty" entry "$form/libcudart.so.13" -- $worker
		on_form form-both "$build/tests/bench/empty" both "$form/libcudart.so.13" -- $worker
		# A machine's driver is found before the runtime.
		on_form form-layers "$build/src/cutop" -b -o /dev/null --library "$form/libcuda.so.1" -- $worker
		on_form form-driver-entry "$build/tests/bench/empty" entry+$je "$form/libcuda.so.1" -- $worker
		on_form form-driver "$build/src/cutop" -b -l driver -o /dev/null -- $worker
	fi
	measure none $worker
	measure entry "$build/tests/bench/empty" entry "$library" -- $worker
	measure both "$build/tests/bench/empty" both "$library" -- $worker
	measure cutop "$build/src/cutop" -b -l runtime --stacks=never -o /dev/null -- $worker
	measure exact "$build/src/cutop" -b -l runtime --exact-launches --stacks=never -o /dev/null -- $worker
	measure stacks "$build/src/cutop" -b -l runtime -o /dev/null -- $worker
	measure layers "$build/src/cutop" -b --stacks=never -o /dev/null -- $worker
	measure inside "$build/tests/bench/empty" entry "$driver" -- "$build/src/cutop" -b -l runtime --stacks=never -o /dev/null -- $worker
	measure register-none $registers
	measure register-empty "$build/tests/bench/empty" entry "$library" -- $registers
	measure register-cutop "$build/src/cutop" -b -o /dev/null -- $registers
	measure layers-exact "$build/src/cutop" -b --exact-launches --stacks=never -o /dev/null -- $worker
	measure inside-exact "$build/tests/bench/empty" entry "$driver" -- \
		"$build/src/cutop" -b -l runtime --exact-launches --stacks=never -o /dev/null -- $worker
	i=$((i + 1))
done

row() {		# title column mode floor target mode-without-probes
	ours=$(least "$3" "$2")
	floor=$(least "$4" "$2")
	awk -v t="$1" -v o="$ours" -v f="$floor" -v n="$(least "${6:-none}" "$2")" -v k="${4#form-}" -v g="$5" 'BEGIN {
		r = o / f
		printf "%-24s %9.0f %9.0f %9.0f  %-12s %5.2f  <= %.2f  %s\n", t, n, f, o, k, r, g, r <= g ? "ok" : "MISSED"
	}'
}

echo "ns per call, least of $rounds rounds of $calls calls"
if [ -n "$form" ]; then
	echo
	echo "the default, both layers, on the driver's form; and the driver's layer alone"
	printf '%-24s %9s %9s %9s  %-12s %5s  %s\n' call "no probe" "empty" cutop "empty probe" ratio "to reach"
	row "launch" 1 form-layers form-driver-entry 1.15 form-none
	row "malloc + free" 2 form-layers form-both 2.00 form-none
	row "memcpy" 3 form-layers form-both 1.90 form-none
	row "synchronize" 4 form-layers form-both 1.90 form-none
	row "launch, -l driver" 1 form-driver form-driver-entry 1.30 form-none
	echo
	echo "the runtime's layer, on entries that begin with a push"
else
	echo "not measured on the driver's form: the double has it on x86-64 alone"
fi
printf '%-24s %9s %9s %9s  %-12s %5s  %s\n' call "no probe" "empty" cutop "empty probe" ratio "to reach"
row "launch, adaptive" 1 cutop entry 1.15
row "launch, exact" 1 exact both 1.20
row "malloc + free" 2 cutop both 1.25
row "memcpy" 3 cutop both 1.25
row "synchronize" 4 cutop both 1.25
row "memcpy, asynchronous" 5 cutop both 1.50

# What a stack adds, to what cutop costs without.
stack() {	# title column
	awk -v t="$1" -v o="$(least stacks "$2")" -v f="$(least cutop "$2")" -v n="$(least none "$2")" 'BEGIN {
		r = o / f
		printf "%-24s %9.0f %9.0f %9.0f  %-12s %5.2f  <= %.2f  %s\n", t, n, f, o, "cutop", r, 1.4, r <= 1.4 ? "ok" : "MISSED"
	}'
}
stack "malloc + free, stacks" 2

# With both layers each of these calls makes one of the driver's, which is probed at its entry, and left: it is held to a
# probe there that does nothing.
more() {	# title column mode of-mode mode-with-empty-probes
	awk -v t="$1" -v o="$(least "$3" "$2")" -v f="$(least "$4" "$2")" -v e="$(least "$5" "$2")" -v p=1 'BEGIN {
		r = (o - f) / (e - f)
		printf "%-24s %9.0f %9.0f %9.0f  %-12s %5.2f  <= %.2f  %s\n", t, f, o - f, o, "entry probes", r, p, r <= p ? "ok" : "MISSED"
	}'
}

echo
printf '%-24s %9s %9s %9s  %-12s %5s  %s\n' "both layers" runtime more both "more in" "" "to reach"
more "launch, adaptive" 1 layers cutop inside
more "launch, exact" 1 layers-exact exact inside-exact
more "malloc + free" 2 layers cutop inside
more "memcpy" 3 layers cutop inside
more "synchronize" 4 layers cutop inside

# Before main, for every kernel of the program: what comes to more than a probe that does nothing.
awk -v n="$(least register-none 1)" -v e="$(least register-empty 1)" -v o="$(least register-cutop 1)" 'BEGIN {
	printf "\nregistering a kernel, one of 50,000: no probe %.0f, empty probe %.0f, cutop %.0f: %.0f ns more than the empty one  <= 300  %s\n",
		n, e, o, o - e, o - e <= 300 ? "ok" : "MISSED"
}'

attach=$("$build/src/cutop" -b -v -n 1 -d 0.05 --library "$library" 2>&1 >/dev/null |
	 sed -n 's/.*libcudart.so.13: .* \([0-9.]*\) ms;.*/\1/p' | head -n 1)
echo "attaching to one library: $attach ms (to reach: under 100 ms)"
"$build/src/cutop" -b -o /dev/null --library "$library" &
pid=$!
while ! [ -e "/proc/$pid/task" ] || [ "$(ls "/proc/$pid/task" | wc -l)" -lt 2 ]; do :; done
begin=$(date +%s%N)
kill -TERM $pid
wait $pid
end=$(date +%s%N)
echo "quitting: $(((end - begin) / 1000000)) ms (to reach: under 200 ms)"
