#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Short lives and sudden ends: programs of a few milliseconds, started by cutop or by another
# process, and programs killed while they wait, loop, or run many threads. Their figures are exact
# all the same.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

# soon "what" COMMAND...: the command succeeds within ten seconds
soon() {
	what=$1
	shift
	wait_for 10 "$@" || { fail "waited in vain: $what"; kill -INT "$cutop"; return 1; }
}

# start NAME [cutop options] -- COMMAND...: as watch does, in the background; $cutop is its pid
start() {
	name=$1
	shift
	: >"$T/$name.out"
	: >"$T/$name.err"
	"$CUTOP" -b -f json "$@" >"$T/$name.out" 2>"$T/$name.err" &
	cutop=$!
}

# end NAME: waits for it; its last document, its status
end() {
	wait "$cutop"
	status=$?
	tail -n 1 "$T/$1.out" >"$T/$1.json"
}

# victim NAME: the pid of the process in its newest document, but for one that is just being written
victim() {
	jq '.processes[0].pid' "$T/$1.out" 2>/dev/null | tail -n 1
}

# ---- a few milliseconds, as COMMAND
for build in workload workload-static; do
	watch short -- "$bin/$build" short
	expect short 'p.memory | [.allocations, .frees, .leaked_bytes, .peak_bytes]' '[1,0,4096,4096]'
	expect short 'p.kernels | map([.name, .signature, .launches])' \
		'[["vectorAdd","vectorAdd(float const*, float const*, float*, int)",1]]'
	expect short "p.memory.map | map([.size, .state, (.site | test(\"^short_run\\\\+0x[0-9a-f]+ at basic.c:[0-9]+ \\\\($build\\\\)$\"))])" \
		'[[4096,"leaked",true]]'
	expect short 'p | [(.command | sub(".*/"; "")), .arguments]' "[\"$build\",\"short\"]"
	expect short 'p | [.watched_from, .state, .exit_code]' '["start","exited",0]'
	expect_nothing_lost short
done

# ---- twenty of them, started by us, from a library known beforehand
start many -d 0.2 -v --library "$double/libcudart.so.13"
soon "the libraries to be probed" grep -q "$double/libcuda.so.1: .* functions attached" "$T/many.err"
pids=
i=0
while [ $i -lt 20 ]; do
	"$workload" short &
	pids="$pids${pids:+,}$!"
	wait $!
	i=$((i + 1))
done
kill -INT "$cutop"
end many
check "SIGINT prints what there is and ends with 130" [ "$status" = 130 ]
jq -c "[$pids] as \$ours | .processes |= map(select(.pid as \$p | \$ours | index(\$p)))" "$T/many.json" >"$T/ours.json"
expect ours '.processes | length' 20
expect ours '[.processes[].pid] | unique | length' 20
expect ours '[.processes[] | [.watched_from, .state, .exit_code, .inexact]] | unique' '[["start","exited",0,false]]'
expect ours '[.processes[].memory | [.allocations, .frees, .leaked_bytes, .peak_bytes]] | unique' '[[1,0,4096,4096]]'
expect ours '[.processes[] | (.command | sub(".*/"; "")), .arguments] | unique' '["short","workload"]'
expect ours '[.processes[].kernels | map([.name, .launches])] | unique' '[[["vectorAdd",1]]]'
# The program's file may be gone from sight before its symbols are read: then the site is an offset in it.
expect ours '[.processes[].memory.map[] | [.size, .state, (.site | test("^(short_run|workload)\\+0x"))]] | unique' '[[4096,"leaked",true]]'

# ---- killed while it waits for the device
start wait -d 0.05 -- "$workload" hang 60000
soon "the wait" grep -q '"live_bytes":1048576,' "$T/wait.out"
kill -9 "$(victim wait)"
end wait
check "killed: status" [ "$status" = 137 ]
jq -c '.processes |= map(select(.memory.allocations > 0))' "$T/wait.json" >"$T/waited.json"
expect waited 'p | [.state, .signal, .ended, .exit_code]' '["exited",9,"exit",null]'
expect waited 'p.memory | [.allocations, .frees, .live_bytes, .leaked_bytes]' '[1,0,0,1048576]'
expect waited 'p.memory.map | map([.size, .state, (.site | test("^hang\\+"))])' '[[1048576,"leaked",true]]'
expect waited 'kernel("saxpy").launches' 1
# It never returned, and its time is counted.
expect waited 'call("cudaStreamSynchronize").calls // 0' 0
expect waited 'p.synchronize.seconds > 0' true
expect_nothing_lost waited

# ---- killed in a loop of allocations and frees
start loop -d 0.05 --ring-size 64M -- "$workload" pairs 1000000000 64
soon "ten thousand pairs" grep -q '"allocations":[0-9][0-9][0-9][0-9][0-9]' "$T/loop.out"
kill -9 "$(victim loop)"
end loop
expect loop 'p | [.state, .signal]' '["exited",9]'
expect loop 'p.memory | .allocations - .frees | . == 0 or . == 1' true
expect loop 'p.memory | .leaked_bytes == 64 * (.allocations - .frees)' true
expect loop 'p.memory | [.live_bytes, .live_allocations, .unknown_frees, .failed_frees]' '[0,0,0,0]'
expect_nothing_lost loop

# ---- killed in the middle of eight threads that free each other's memory
start crowd -d 0.05 --ring-size 64M -- "$workload" threads 8 100000000
soon "ten thousand pairs" grep -q '"allocations":[0-9][0-9][0-9][0-9][0-9]' "$T/crowd.out"
kill -9 "$(victim crowd)"
end crowd
expect crowd 'p | [.state, .signal]' '["exited",9]'
expect crowd 'p.memory | .leaked_bytes == ([.map[].size] | add // 0) and (.map | length) <= 72' true
expect crowd 'p.memory | [.live_bytes, .live_allocations, .unknown_frees, .failed_frees, .double_frees]' '[0,0,0,0,0]'
# A free that was under way is missing for good, and so may be one per thread.
expect crowd 'p.memory | .allocations - .frees - (.map | length) | . >= 0 and . <= 8' true

# ---- killed while it launches from two threads
start launch -d 0.05 -- "$workload" stress-launch 600 2
soon "launches" grep -q '"launches":[0-9][0-9][0-9][0-9][0-9]' "$T/launch.out"
kill -9 "$(victim launch)"
end launch
expect launch 'p | [.state, .signal]' '["exited",9]'
expect launch 'kernel("vectorAdd") | .launches > 10000 and .failures == 0' true
expect_nothing_lost launch

# ---- memory shared between processes: its owner's in one, a kind that counts nowhere in the other
watch ipc -- "$workload" ipc
check "ipc: status" [ "$status" = 0 ]
expect ipc '[.processes[] | [.memory.allocations, .memory.frees, .memory.peak_bytes, .memory.leaked_bytes, .memory.unknown_frees, ([.copies[].bytes] | add)]] | sort' \
	'[[1,1,0,0,0,1048576],[2,2,2097152,0,0,2097152]]'
expect ipc '[.processes[].calls[] | select(.call | test("Ipc")) | [.call, .calls, .failures]] | sort' \
	'[["cudaIpcCloseMemHandle",1,0],["cudaIpcGetEventHandle",2,1],["cudaIpcGetMemHandle",1,0],["cudaIpcOpenEventHandle",1,0],["cudaIpcOpenMemHandle",1,0]]'
expect_nothing_lost ipc

# ---- somebody else's program is killed
start other -d 0.05 -v --library "$double/libcudart.so.13"
soon "the libraries to be probed" grep -q "$double/libcuda.so.1: .* functions attached" "$T/other.err"
"$workload" hang 60000 &
hanging=$!
soon "the wait" grep -q "\"pid\":$hanging,.*\"live_bytes\":1048576," "$T/other.out"
kill -9 "$hanging"
wait "$hanging" 2>/dev/null
soon "its end in a snapshot" grep -q "\"pid\":$hanging,.*\"signal\":9," "$T/other.out"
kill -INT "$cutop"
end other
check "SIGINT: status" [ "$status" = 130 ]
jq -c ".processes |= map(select(.pid == $hanging))" "$T/other.json" >"$T/others.json"
# hang registers its kernels, starts itself anew, and only then allocates: two rows of one pid.
expect others '[.processes[] | select(.memory.allocations > 0) | [.state, .signal, .watched_from, .memory.leaked_bytes, .inexact]]' \
	'[["exited",9,"start",1048576,false]]'

# ---- a program that is another one before we could look at its file: looked at when the next process runs it
brief=$T/brief
cp "$top_builddir/tests/e2e/bin/own_runtime" "$brief"
start brief -d 0.05 -v
soon "the start" [ -s "$T/brief.out" ]
kill -STOP "$cutop"
"$brief" become "$(command -v sleep)" 60 &
became=$!
soon "the other program" sh -c "tr '\\0' ' ' </proc/$became/cmdline | grep -q '^[^ ]*sleep 60'"
kill -CONT "$cutop"
documents=$(wc -l <"$T/brief.out")
soon "more documents" sh -c "[ \$(wc -l <'$T/brief.out') -gt $((documents + 2)) ]"
"$brief" stuck 600000 &
stuck=$!
soon "the file to be probed" grep -q "^cutop: $brief: .* functions attached" "$T/brief.err"
kill "$became" "$stuck"
kill -INT "$cutop"
end brief

finish
