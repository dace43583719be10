#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Beyond the ring's capacity: cutop is stopped while programs go on, then continued. What was lost
# is counted by cause; the processes that lost something are marked, and no others; counters in maps
# are right all the same; memory that may have been freed unseen is not called leaked; and processes
# that start after that are exact.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

# COMMAND: does what the test says, one line at a time, each in the background.
mkfifo "$T/orders"
cat >"$T/patients" <<END
while read -r name order; do
	case \$order in
	end) exit 0 ;;
	esac
	program=$workload
	[ \$name != unknown ] || program=$T/unknown
	{
		"\$program" \$order >"$T/\$name.said" &
		echo \$! >"$T/\$name.pid.new"
		mv "$T/\$name.pid.new" "$T/\$name.pid"
		wait \$! && : >"$T/\$name.ended"
	} &
done <"$T/orders"
END
cp "$workload-static" "$T/unknown"
LD_LIBRARY_PATH=$double "$CUTOP" -b -f json -d 0.1 --ring-size 256K --library "$double/libcudart.so.13" -- sh "$T/patients" >"$T/all.out" 2>"$T/all.err" &
cutop=$!
exec 9>"$T/orders"

begin() {	# name workload arguments
	echo "$@" >&9
	wait_for 30 test -s "$T/$1.pid"
}
is_full() {
	grep -q full "$T/$1.said"
}
ended() {
	[ -e "$T/$1.ended" ]
}
stop() {	# churn, told to free what it has and to end
	kill -USR1 "$(cat "$T/$1.pid")"
	wait_for 60 ended "$1"
}
document() {	# jq expression on the latest document
	tail -n 2 "$T/all.out" | head -n 1 | jq -e "$1" >/dev/null 2>&1
}
process() {	# name: the filter that finds it
	echo "(.processes[] | select(.pid == $(cat "$T/$1.pid")))"
}

begin busy churn 500 1000 3000
begin calm -k churn 3 1000 0
check "both have allocated" wait_for 30 is_full busy
check "both have allocated" wait_for 30 is_full calm
check "cutop sees both" wait_for 30 document "$(process busy).memory.allocations > 500 and $(process calm).memory.allocations == 3"

# ---- cutop stands still
kill -STOP $cutop
begin brief pairs 5000 1000
check "one process lives within that time, and fills the ring" wait_for 60 ended brief
begin inside calls 1 2
check "and another, while the busy one goes on" wait_for 60 ended inside
# Nor is there room to tell of a program that nobody knew, which goes on.
begin unknown loop 6
check "the unknown one does not start" wait_for 20 grep -qs libcuda.so "/proc/$(cat "$T/unknown.pid")/maps"
kill -CONT $cutop
check "the loss is noticed" wait_for 60 document '.lost.ring_full > 0'
# What starts while the ring is still being read would lose something, too.
is_over() {
	tail -n 3 "$T/all.out" | head -n 2 | jq -e -s 'length == 2 and .[0].lost.ring_full == .[1].lost.ring_full' >/dev/null 2>&1
}
check "the loss is over" wait_for 60 is_over

# ---- and goes on
begin after case-study leak
check "a new process ends" wait_for 60 ended after
stop busy
stop calm
# Its own runtime came late; what it did with memory meanwhile went to the driver, and is among what was lost.
check "a program is not found that there was no room to tell of" wait_for 20 document "$(process unknown) | .runtime_watched_from == \"attach\" and .inexact"
check "it does not end" wait_for 60 ended unknown
echo nobody end >&9
wait $cutop
status=$?
check "status: $status, $(cat "$T/all.err")" [ $status = 0 ]
tail -n 1 "$T/all.out" >"$T/last.json"

expect last '.lost.ring_full > 1000' true
expect last '[.lost | to_entries[] | select(.value > 0).key] - ["ring_full", "missed_frees", "returns", "stacks"]' '[]'
expect last '[.events[] | select(.kind == "lost" and (.text | test("ring buffer")))] | length > 0' true

# Who lost something, and nobody else
for name in busy inside brief; do
	expect last "$(process $name) | [.inexact, .memory.live_bytes, .memory.live_allocations]" '[true,0,0]'
	# All of them freed all they had.
	expect last "$(process $name).memory.leaked_bytes" 0
done
# What counters say, they say of the time of the loss, too.
expect last "$(process inside) | [.kernels[].launches] | add" "$(jq .launches "$T/inside.said")"
expect last "$(process inside) | [.copies[] | [.direction, .mode, .calls]] | sort" "$(jq -c '.copies | sort' "$T/inside.said")"

expect last "$(process calm) | [.inexact, .memory.allocations, .memory.frees, .memory.live_bytes]" '[false,3,0,0]'
expect last "$(process calm) | .memory.leaked_bytes == ([.sites[].leaked_bytes] | add) and .memory.leaked_bytes > 0" true
expect last "$(process calm).memory.suspect_bytes" 0
expect last "$(process after) | [.inexact, .memory.allocations, .memory.frees, .memory.leaked_bytes, ([.kernels[].launches] | add)]" \
	'[false,3,2,8000000,2000]'
expect last '.totals.live_bytes' 0
expect last ".totals.leaked_bytes == 8000000 + $(process calm).memory.leaked_bytes" true

# ---- without certainty --fail-on-leak does not say that there is none
status=0
"$CUTOP" -b -n 1 --fail-on-leak --ring-size 256K --library "$double/libcudart.so.13" -o /dev/null -- sh -c "
	kill -STOP \$PPID
	'$workload' pairs 5000 1000
	kill -CONT \$PPID" 2>"$T/doubt.err" || status=$?
check "status in doubt: $status" [ $status = 1 ]
check "it says why: $(cat "$T/doubt.err")" grep -q 'events were lost' "$T/doubt.err"

# ---- nobody is shown whom -c leaves out, though the record that says who it is be lost
status=0
"$CUTOP" -b -f json -d 0.1 --ring-size 256K -c 'wanted*' --library "$double/libcudart.so.13" -o "$T/glob.json" -- sh -c "
	kill -STOP \$PPID
	'$workload' pairs 5000 1000
	'$workload' churn 200 1000 5000 >'$T/unseen.said' &
	until grep -q full '$T/unseen.said'; do :; done
	kill -CONT \$PPID
	sleep 0.5
	kill -USR1 \$!
	wait" 2>"$T/glob.err" || status=$?
check "-c: status $status, $(cat "$T/glob.err")" [ $status = 0 ]
check "-c: the ring was full" jq -e '.lost.ring_full > 0' "$T/glob.json"
check "-c: nobody is shown: $(jq -c '[.processes[].pid]' "$T/glob.json" | sort -u | head -n 3)" \
	[ "$(jq '.processes | length' "$T/glob.json" | sort -u)" = 0 ]
finish
