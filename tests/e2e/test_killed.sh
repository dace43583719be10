#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cutop killed at any moment, by SIGKILL, while it starts, watches or ends: the
# programs it watched run on to their right end, no breakpoint stays in them, and
# the next cutop works. CUTOP_TEST_ROUNDS: how often (20). Another cutop that watches everything has breakpoints in these
# programs, too: beside one it cannot be told whether ours are gone. So this test runs alone.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip "needs python3"

rounds=${CUTOP_TEST_ROUNDS:-20}
private_double "$T/lib"
LD_LIBRARY_PATH=$T/lib
export LD_LIBRARY_PATH
cp "$workload" "$T/patient"

# Whether a cutop runs that this test did not start.
beside_another() {
	ps -e -o pgid= -o comm= | awk -v ours="$(ps -o pgid= -p $$)" '$2 == "cutop" && $1 != ours + 0 { found = 1 } END { exit !found }'
}
# All of ours are gone from the process $1.
clean() {
	breakpoints none "$1" && return
	beside_another || return 1
	echo "not told: another cutop runs, and may have these breakpoints"
}
breakpoints() {	# none|some PID
	python3 "$top_srcdir/tests/e2e/breakpoints.py" "$1" "$2" "$library"
}

CUDA_DOUBLE_KERNEL_TIME=5us "$T/patient" trainer 100000 >"$T/one.out" 2>&1 &
one=$!
"$T/patient" loop 100000 >"$T/two.out" 2>&1 &
two=$!
running() {
	kill -0 $one 2>/dev/null && kill -0 $two 2>/dev/null
}
wait_for 30 test -e /proc/$two/maps
mapped() {
	grep -q "$T/lib/libcudart" /proc/$one/maps && grep -q "$T/lib/libcudart" /proc/$two/maps
}
check "both patients run" wait_for 30 mapped

# That the look at their memory shows breakpoints where there are some.
"$CUTOP" -b -v -o /dev/null -p $one,$two 2>"$T/first.err" &
cutop=$!
check "a breakpoint is seen where one is" breakpoints some $two
kill -KILL $cutop
wait $cutop 2>/dev/null
check "and gone when cutop was killed" clean $two

stayed=0
i=0
while [ $i -lt "$rounds" ]; do
	# In turn: a start, a life, an end; shorter and longer. In ms.
	life=$((i * 37 % 700))
	"$CUTOP" -b -d 0.05 -f json -o "$T/round.out" -p $one,$two 2>"$T/round.err" &
	cutop=$!
	python3 -c "import time; time.sleep($life / 1000)"
	[ $((i % 5)) = 4 ] && kill -TERM $cutop 2>/dev/null	# killed while it detaches
	kill -KILL $cutop 2>/dev/null
	wait $cutop 2>/dev/null
	running || { fail "round $i, killed after $life ms: a patient is gone"; break; }
	if [ $((i % 20)) = 19 ]; then
		clean $one && clean $two || stayed=$((stayed + 1))
	fi
	i=$((i + 1))
done
check "killed $i times: the patients run" running
check "no breakpoint stayed" [ $stayed = 0 ]

# The next one works, on a process of its own and on those.
watch next -- "$T/patient" case-study leak
expect next '[p.memory.allocations, p.memory.leaked_bytes]' '[3,8000000]'
expect next '[p.kernels[].launches]' '[1000,1000]'
expect_nothing_lost next
kill $one $two
wait $one $two 2>/dev/null
check "they had nothing to say" [ ! -s "$T/one.out" ]
check "nor the other" [ ! -s "$T/two.out" ]
finish
