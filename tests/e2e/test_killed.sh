#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cutop killed at any moment, by SIGKILL, while it starts, watches or ends: the
# programs it watched run on to their right end, no breakpoint stays in them, and
# the next cutop works. CUTOP_TEST_ROUNDS: how often (60). Another cutop that watches everything has breakpoints in these
# programs, too: beside one it cannot be told whether ours are gone. So this test runs alone.
CUTOP_TEST_LIMIT=900
. "${top_srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip "needs python3"

rounds=${CUTOP_TEST_ROUNDS:-60}
private_double "$T/lib"
LD_LIBRARY_PATH=$T/lib
export LD_LIBRARY_PATH
cp "$workload" "$T/patient"

# Waits up to a minute until no function of the process $1 begins otherwise than in its file ("none"), or
# many do ("some"): a breakpoint is a changed byte.
cat >"$T/bytes.py" <<'PY'
import re, subprocess, sys, time
want, pid, library = sys.argv[1:]
def lines(*command):
    return [line.split() for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines()]
addresses = {int(part[0], 16) for part in lines("nm", "-D", "--defined-only", library)
             if part[1] == "T" and re.match("(__)?cuda", part[2])}
segments = [tuple(int(part[i], 16) for i in (1, 2, 4)) for part in lines("readelf", "-lW", library) if part and part[0] == "LOAD"]
data = open(library, "rb").read()
places = []
for part in map(str.split, open(f"/proc/{pid}/maps")):
    if len(part) < 6 or part[5] != library or "x" not in part[1]:
        continue
    start, end = (int(x, 16) for x in part[0].split("-"))
    at = int(part[2], 16)
    for address in addresses:
        offset = next(o + address - v for o, v, size in segments if v <= address < v + size)
        if at <= offset < at + end - start:
            places.append((start + offset - at, data[offset]))
memory = open(f"/proc/{pid}/mem", "rb", buffering=0)
def changed():
    count = 0
    for address, byte in places:
        memory.seek(address)
        count += memory.read(1)[0] != byte
    return count
end = time.monotonic() + 60
while len(places) > 100 and time.monotonic() < end:
    if (changed() > 100) if want == "some" else (changed() == 0):
        sys.exit(0)
    time.sleep(0.05)
print(f"{changed()} of {len(places)} functions of process {pid} have a breakpoint")
sys.exit(1)
PY
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
	python3 "$T/bytes.py" "$1" "$2" "$library"
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
