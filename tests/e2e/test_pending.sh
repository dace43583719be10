#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Asynchronous copies: bytes enqueued and not yet covered by a synchronize, step
# by step while the program waits; and copies of pageable memory.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

# begin SCENE [cutop options]: the workload under cutop, which writes a document every 0.1 s.
begin() {
	scene=$1
	shift
	rm -f "$T/docs" "$T/said" "$T/go"
	mkfifo "$T/docs" "$T/said" "$T/go"
	"$CUTOP" -b -f json -d 0.1 -o "$T/docs" "$@" -- "$workload" "$scene" <"$T/go" >"$T/said" 2>"$T/err" &
	cutop=$!
	exec 5>"$T/go" 4<"$T/said" 3<"$T/docs"
}

# step NAME: waits until the program waits, and puts a document of after that into NAME.json.
step() {
	read -r word <&4 || { fail "$1: the program has ended: $(cat "$T/err")"; return; }
	now=$(date -u +%Y-%m-%dT%H:%M:%S.%6NZ)
	later=0
	# The first document of a later time may have been begun before it.
	while [ "$later" -lt 2 ] && read -r line <&3; do
		printf '%s\n' "$line" >"$T/$1.json"
		jq -e --arg now "$now" '.time > $now' "$T/$1.json" >/dev/null && later=$((later + 1))
	done
	echo go >&5
}

# Ends it and lets it write what it has.
end() {
	exec 5>&- 4<&-
	cat <&3 >/dev/null
	exec 3<&-
	wait "$cutop"
}

pending='[p.copies[] | select(.mode == "async") | [.direction, .pending_bytes]] | sort'

for option in --layer=both --layer=runtime --exact-launches; do
	begin pending $option
	step enqueued
	step stream
	step copy
	step default
	step again
	step device
	step later
	step other
	step destroyed
	step reset
	end
	expect enqueued "$pending" '[["D2D",8000],["D2H",4000],["H2D",19000]]'
	expect stream "$pending" '[["D2D",8000],["D2H",0],["H2D",18000]]'
	expect copy "$pending" '[["D2D",8000],["D2H",0],["H2D",2000]]'
	expect default "$pending" '[["D2D",8000],["D2H",200],["H2D",2500]]'
	expect again "$pending" '[["D2D",8000],["D2H",0],["H2D",2400]]'
	expect device "$pending" '[["D2D",0],["D2H",0],["H2D",0]]'
	expect later "$pending" '[["D2D",0],["D2H",0],["H2D",288]]'
	expect other "$pending" '[["D2D",0],["D2H",0],["H2D",32]]'
	# Destroying a stream does not wait for it.
	expect destroyed "$pending" '[["D2D",0],["D2H",0],["H2D",32]]'
	expect reset "$pending" '[["D2D",0],["D2H",0],["H2D",0]]'
	expect reset '[p.copies[] | select(.mode == "async") | [.direction, .calls, .bytes]] | sort' \
		'[["D2D",1,8000],["D2H",2,4200],["H2D",7,19788]]'
	expect reset '[p.copies[] | select(.mode == "sync") | has("pending_bytes")] | any' false
	expect reset '[p.copies[].pageable] | unique' '[null]'
	expect_nothing_lost reset
done

# ---- a synchronize of a context: of the primary one, of a device, it covers all of that; of another it does not
export CUDA_DOUBLE_FAIL=cudaStreamSynchronize:1:700
begin pending-contexts
unset CUDA_DOUBLE_FAIL
step enqueued
step beside
step primary
step again
step current
step more
step execution
step failed
end
expect enqueued "$pending" '[["H2D",1000]]'
expect beside "$pending" '[["H2D",1000]]'
expect primary "$pending" '[["H2D",0]]'
expect again "$pending" '[["H2D",2000]]'
expect current "$pending" '[["H2D",0]]'
expect more "$pending" '[["H2D",4000]]'
expect execution "$pending" '[["H2D",0]]'
# Nor can what was launched before it have caused a fault.
expect failed '[.events[] | select(.kind == "fault") | .suspects[].kernel]' '["vectorAdd"]'
expect failed '[p.calls[] | select(.call | test("Synchronize")) | [.call, .calls]] | sort' \
	'[["cuCtxSynchronize_v2",3],["cudaExecutionCtxSynchronize",1],["cudaStreamSynchronize",1]]'

# ---- a synchronize that fails covers nothing
export CUDA_DOUBLE_FAIL=cudaStreamSynchronize:1:1
begin pending
unset CUDA_DOUBLE_FAIL
step enqueued
step failed
end
expect failed "$pending" '[["D2D",8000],["D2H",4000],["H2D",19000]]'
expect failed 'call("cudaStreamSynchronize") | [.calls, .failures]' '[1,1]'

# ---- default streams: one of the device, and one of each thread
begin default-streams
step all
step mine
step legacy
step copy
step device
end
expect all "$pending" '[["H2D",6500]]'
expect mine "$pending" '[["H2D",6000]]'
expect legacy "$pending" '[["H2D",4030]]'
expect copy "$pending" '[["H2D",4000]]'
expect device "$pending" '[["H2D",0]]'
expect_nothing_lost device

# ---- what has ended has nothing pending
watch ended -- "$workload" pending </dev/null
expect ended '[p.copies[] | select(.mode == "async").pending_bytes] | unique' '[0]'

# ---- pageable memory: marked by direction, said once, and every copy counted
events='[.events[] | select(.kind == "pageable")]'
watch pageable -- "$workload" pageable
expect pageable '[p.copies[] | select(.mode == "async") | [.direction, .calls, .bytes, .pageable]] | sort' \
	'[["D2H",30,3000,null],["H2D",1010,101000,true]]'
expect pageable "$events | map([.call, .device, (.site | test(\"^pageable[+]0x[0-9a-f]+( at [a-z]+[.]c:[0-9]+)? [(]workload[)]\$\"))])" \
	'[["cudaMemcpyAsync",0,true]]'
expect pageable "$events[0].text | test(\"^cudaMemcpyAsync H2D from pageable memory at \")" true
expect pageable '[p.sites[].site | test("^pageable")] | all' true
expect pageable 'p.sites | length' 4
expect_nothing_lost pageable
"$CUTOP" -b -n 1 -- "$workload" pageable >"$T/text.out" 2>"$T/text.err"
check "text: the row is marked" grep -q '^  H2D async .* pageable$' "$T/text.out"

# ---- watched from attach: what it allocated before is not known, so nothing is said
rm -f "$T/said" "$T/go"
mkfifo "$T/said" "$T/go"
"$workload" pageable wait <"$T/go" >"$T/said" &
program=$!
exec 5>"$T/go" 4<"$T/said"
read -r word <&4
rm -f "$T/docs"
mkfifo "$T/docs"
"$CUTOP" -b -f json -d 0.1 -p "$program" -o "$T/docs" 2>"$T/err" &
cutop=$!
exec 3<"$T/docs"
read -r line <&3
echo go >&5
wait "$program"
while read -r line <&3; do
	printf '%s\n' "$line" >"$T/late.json"
	[ "$(jq -c '.processes | map(select(.state == "exited")) | length' "$T/late.json")" = 0 ] || break
done
kill "$cutop"
exec 5>&- 4<&-
cat <&3 >/dev/null
exec 3<&-
wait "$cutop"
expect late '[p.copies[] | select(.mode == "async") | [.direction, .calls, .pageable]] | sort' '[["D2H",30,null],["H2D",1010,null]]'
expect late "$events" '[]'
expect late 'p.watched_from' '"attach"'

# ---- a synchronize of a green context waits for nothing of its device's primary one: cuda.h, cuCtxSynchronize()
workload=$top_builddir/tests/e2e/bin/odd_memory
begin green-sync
step green-sync
end
expect green-sync "$pending" '[["H2D",120]]'
begin primary-sync
step primary-sync
end
expect primary-sync "$pending" '[["H2D",0]]'

finish
