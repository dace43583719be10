#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# -f folded: stacks and weights as flame graph tools read them. Parsed as those do, the
# sums are the JSON document's figures; with --stacks each way is a stack.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

sites=$top_builddir/tests/e2e/bin/site_calls
line=$(grep -n 'the call \*/' "$top_srcdir/tests/e2e/site_calls.c" | cut -d : -f 1)

# folded NAME WEIGHT [options] -- COMMAND...: $T/NAME.folded, checked line by line
folded() {
	name=$1
	weight=$2
	shift 2
	"$CUTOP" -b -f folded --folded-by "$weight" "$@" >"$T/$name.folded" 2>"$T/$name.err"
	status=$?
	# What flamegraph.pl, inferno and speedscope have in common: frames, a blank, a whole number.
	bad=$(grep -c -v -E '^[^;]+ \([0-9]+\)(;[^;]+)+ [1-9][0-9]*$' "$T/$name.folded")
	check "$name: every line is a folded stack: $(cat "$T/$name.folded")" [ "$bad" = 0 ]
	check "$name: no control byte" [ "$(LC_ALL=C tr -d '\n' <"$T/$name.folded" | LC_ALL=C tr -cd '\000-\037\177' | wc -c)" = 0 ]
}

# sum NAME PATTERN: what the lines that match weigh together
sum() {
	grep -E "$2" "$T/$1.folded" | awk '{ n += $NF } END { printf "%d", n }'
}

# short NAME: without the process, the offsets and the ways in through the C library
short() {
	sed -E 's/^[^;]*;//; s/[^;]*libc\.so[^;]*;//g; s/_start[^;]*;//g' "$T/$1.folded" | sort
}

# recorded NAME COMMAND...: $T/NAME.cutop, which every weight is asked of, and $T/NAME.json, its last document
recorded() {
	name=$1
	shift
	"$CUTOP" record -o "$T/$name.cutop" "$@" >"$T/$name.out" 2>"$T/$name.err"
	watch "$name" --replay "$T/$name.cutop" -d 1000
}

# ---- by what leaked, was allocated, is live: each way with --stacks
recorded sites --stacks -- "$sites" 3
folded ways leaked --replay "$T/sites.cutop"
check "ways: status $status" [ "$status" = 0 ]
call="make at site_calls.c:$line (site_calls)"
short ways >"$T/ways"
cat >"$T/ways.expected" <<END
main (site_calls);first (site_calls);$call 300
main (site_calls);second (site_calls);$call 3000
main (site_calls);third (site_calls);$call 30000
main (site_calls);third (site_calls);second (site_calls);$call 3000
END
check "the ways: $(diff "$T/ways.expected" "$T/ways")" cmp -s "$T/ways.expected" "$T/ways"
folded allocated allocated --replay "$T/sites.cutop"
short allocated >"$T/allocated"
check "all that was allocated leaked: $(diff "$T/ways" "$T/allocated")" cmp -s "$T/ways" "$T/allocated"

# ---- without stacks: the call site alone, and -v says so
folded one leaked -v --stacks=never -- "$sites" 3
check "one site: $(cat "$T/one.folded")" [ "$(short one)" = "$call 36300" ]
check "-v: $(cat "$T/one.err")" grep -q -- '--stacks takes whole stacks' "$T/one.err"
folded quiet leaked --stacks=never -- "$sites" 3
check "without -v nothing is said: $(cat "$T/quiet.err")" [ ! -s "$T/quiet.err" ]

# ---- the same run seen by both printers: a program that frees what it can
recorded freed -- "$workload" kinds
folded freed2 allocated --replay "$T/freed.cutop"
expect freed '([p.sites[].allocated_bytes] | add) == p.memory.allocated_bytes' true
expect freed 'p.memory.allocated_bytes' "$(sum freed2 .)"
expect freed '[p.sites[] | .allocated_bytes >= .live_bytes + .leaked_bytes + .held_bytes] | all' true

# ---- live: of a program that runs, in the last of many snapshots and in no other
mkfifo "$T/in"
"$CUTOP" -b -v -f folded -d 0.02 -c 'site_calls*' --library "$double/libcudart.so.13" >"$T/live.folded" 2>"$T/live.err" &
watcher=$!
check "live: cutop does not start: $(cat "$T/live.err" 2>/dev/null)" wait_for 20 grep -qs 'libcuda.so.1: .*attached' "$T/live.err"
"$sites" 7 wait <"$T/in" &
waiting=$!
exec 3>"$T/in"
# its last call is read(2), number 0 on x86-64 and 63 on arm64
check "live: the program does not wait" wait_for 20 grep -qs -E '^(0|63) 0x0 ' "/proc/$waiting/syscall"
kill -INT "$watcher"
wait "$watcher"
check "live: $(cat "$T/live.folded" "$T/live.err")" \
	[ "$(short live)" = "$(sed 's/3\(0*\)$/7\1/' "$T/ways.expected")" ]
check "live: the process" grep -q "^site_calls ($waiting);" "$T/live.folded"

# ---- of what was allocated before cutop came nothing can be weighed, and that is said
folded late live -n 3 -d 0.05 -p "$waiting"
check "late: nothing is written" [ ! -s "$T/late.folded" ]
check "late: $(cat "$T/late.err")" grep -q 'nothing is live now; --folded-by' "$T/late.err"
exec 3>&-
wait "$waiting"

# ---- launches by kernel
recorded kernels -- "$workload" launches 500
folded kernels2 launches --replay "$T/kernels.cutop"
expect kernels 'p.kernels | map(.launches + .graph_launches) | add' "$(sum kernels2 .)"
for kernel in $(jq -r '.processes[0].kernels[].name' "$T/kernels.json" | sort -u); do
	expect kernels "p.kernels | map(select(.name == \"$kernel\").launches) | add" "$(sum kernels2 "^[^;]*;$kernel [0-9]+\$")"
done

# ---- nothing to weigh
recorded pairs -- "$workload" pairs 5 100
folded none leaked --replay "$T/pairs.cutop"
check "none: $(cat "$T/none.err")" grep -q 'nothing leaked' "$T/none.err"
folded none tensors --replay "$T/pairs.cutop"
check "no tensors: $(cat "$T/none.err")" grep -q 'no tensors are live, or no allocator that cutop knows' "$T/none.err"

# ---- usage
"$CUTOP" -b --folded-by leaked 2>"$T/usage"
check "--folded-by alone" [ $? = 2 ]
check "usage: $(cat "$T/usage")" grep -q -- '--format folded' "$T/usage"
"$CUTOP" -b -f folded --folded-by bytes 2>"$T/usage"
check "--folded-by what is not there" [ $? = 2 ]

finish
