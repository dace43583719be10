#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Records come faster than cutop can read them, without end, since it is stopped most of the time.
# It keeps making snapshots, and says what it lost and which process that belongs to.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

cp "$workload" "$T/flooder"
"$CUTOP" -b -f json -d 0.2 --ring-size 1M -c '*flooder' --library "$double/libcudart.so.13" >"$T/flood.out" 2>"$T/flood.err" &
cutop=$!
check "cutop does not start" wait_for 30 [ -s "$T/flood.out" ]
LD_LIBRARY_PATH=$double "$T/flooder" threads 4 100000000 >"$T/said" 2>&1 &
flood=$!
# So small that a slow machine fills it, too: in the time that it stands the ring becomes full, and in the time that it goes on it reads a part of that.
while kill -STOP $cutop && sleep 0.2 && kill -CONT $cutop && sleep 0.001; do :; done 2>/dev/null &
slowing=$!
lossy() {
	[ "$(grep -c '"ring_full":[1-9]' "$T/flood.out")" -ge 3 ]
}
check "no snapshots" wait_for 30 lossy
kill -KILL $slowing
kill -CONT $cutop
kill -KILL $flood
kill -INT $cutop
ended() {
	! kill -0 $cutop 2>/dev/null
}
check "it does not end" wait_for 30 ended
kill -KILL $cutop 2>/dev/null
wait $cutop
status=$?
check "status $status: $(cat "$T/flood.err")" [ $status = 130 ]

tail -n 1 "$T/flood.out" >"$T/flood.json"
expect flood 'p.inexact' true
expect flood 'p.memory.allocations > 1000' true
finish
