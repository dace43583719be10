#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cutop record and --replay: a replay shows exactly what was seen, whatever happened to the
# recorder; files that are not recordings; the screen.
# shellcheck source=/dev/null disable=SC2154,SC2016
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
CUTOP=$(realpath "$CUTOP")

# ---- the same ----

# contains WHAT ALL PART: the lines of PART are in ALL, in that order, and the last line is the same.
# A snapshot that was made as COMMAND ended is replayed, and was not printed.
contains() {
	check "$1: what was seen is replayed" [ -z "$(diff "$3" "$2" | grep '^<' | cut -c 1-300)" ]
	check "$1: the end is the same" [ "$(tail -n 1 "$2")" = "$(tail -n 1 "$3")" ]
}

# same NAME [options] -- COMMAND: snapshots printed while recording, and replayed, are the same
same() {
	name=$1
	shift
	"$CUTOP" record -o "$T/$name.cutop" -b -f json -d 0.1 "$@" >"$T/$name.all" 2>"$T/$name.err" </dev/null
	live=$?
	grep '^{"schema"' "$T/$name.all" >"$T/$name.live"
	run "$name.replay" --replay "$T/$name.cutop" -b -f json
	expect_status "$name.replay" 0
	check "$name: nothing to say: $(cat "$T/$name.replay.err")" [ ! -s "$T/$name.replay.err" ]
	check "$name: there is a snapshot" [ -s "$T/$name.live" ]
	contains "$name" "$T/$name.replay.out" "$T/$name.live"
	tail -n 1 "$T/$name.replay.out" >"$T/$name.json"
}

same study --stacks -- "$workload" case-study leak
expect study '.totals.leaked_bytes > 0' true
same ways --stacks -- "$top_builddir/tests/e2e/bin/site_calls" 3
expect ways '[p.sites[].stack | length] | max > 1' true
same copies --trace -- "$workload" copies
expect copies '[p.copies[].calls] | add > 10' true
export CUDA_DOUBLE_FAIL=cudaGraphLaunch:50:700
same fault -- "$workload" graphs capture 100
expect fault '[.events[] | select(.kind == "fault")] | length' 1
unset CUDA_DOUBLE_FAIL
expect fault '[p.kernels[].graph_launches] | add > 0' true
same tensors --stacks --tensor-sites all --leak-age 0.1 -- "$top_builddir/tests/e2e/bin/tensors" seed:5 random:500 ask:$((1 << 40)) every:20 grow:60
expect tensors '[p.memory.allocators[0] | .out_of_memory, .rising_bytes] | map(. > 0)' '[true,true]'
interpreter=$(sh "$top_srcdir/tests/python/interpreters.sh" | awk '$2 == "/" { print $3; exit }')
if [ "$interpreter" ]; then
	mkdir "$T/notes"
	private_double "$T/double"
	# All that a program of threads, forks, generators and code that goes does.
	export LD_LIBRARY_PATH="$T/double"
	same python --library "$library" -- "$interpreter" "$top_srcdir/tests/python/oracle.py" "$library" "$T/notes"
	unset LD_LIBRARY_PATH
	expect python '[.processes[].sites[].frames[] | select(.language == "python")] | length > 500' true
fi
same pageable -- "$workload" pageable
same fork -- "$workload" fork
expect fork '.processes | length > 1' true
export CUDA_DOUBLE_MEMORY=64M
same exhaust -- "$workload" exhaust
unset CUDA_DOUBLE_MEMORY
expect exhaust '[.events[] | select(.kind == "out-of-memory")] | length > 0' true
check "the command's status is that of the recorder" [ "$live" = 0 ]

# In every format; the leak report, too.
for format in text csv; do
	"$CUTOP" record -o "$T/format.cutop" -b -f $format --map all -- "$workload" case-study leak >"$T/live" 2>/dev/null
	run format --replay "$T/format.cutop" -b -f $format --map all
	contains "$format" "$T/format.out" "$T/live"
done
run study --replay "$T/study.cutop" -b
check "the replay ends with the leak report" grep -q '^leaked [0-9]* bytes' "$T/study.out"
run study --replay "$T/study.cutop" -b --fail-on-leak
expect_status study 3
run none record -o "$T/none.cutop" -- true
run none --replay "$T/none.cutop" -b --fail-on-leak
expect_status none 1
expect_line none '--allow-no-cuda, if that is right'
run none --replay "$T/none.cutop" -b --fail-on-leak --allow-no-cuda
expect_status none 0

# ---- without -b ----

run quiet record -o "$T/quiet.cutop" -- "$workload" case-study
expect_status quiet 0
expect_line quiet 'recorded [0-9.]* s, 1 process, [0-9.]*K: '
check "record prints nothing" [ ! -s "$T/quiet.out" ]
run quiet record -o "$T/quiet.cutop" -- sh -c 'exit 7'
expect_status quiet 7

# ---- with every call ----

"$CUTOP" record --trace -o "$T/calls.cutop" -- "$workload" case-study >/dev/null 2>&1
"$CUTOP" trace -f json -- "$workload" case-study >"$T/live" 2>/dev/null
run calls trace --replay "$T/calls.cutop" -f json
expect_status calls 0
counted() {
	jq -r .call "$1" | sort | uniq -c
}
counted "$T/live" >"$T/live.counts"
counted "$T/calls.out" >"$T/calls.counts"
check "calls replayed are those that a trace sees" cmp "$T/live.counts" "$T/calls.counts"
run calls trace --replay "$T/calls.cutop" -n 5
check "-n 5: five lines" [ "$(wc -l <"$T/calls.out")" = 5 ]
run calls trace --replay "$T/calls.cutop" -f chrome
check_jq "a trace for Perfetto" '[.traceEvents[] | select(.ph == "X")] | length > 2000' "$T/calls.out"
refused 1 "it holds no calls; 'cutop record --trace' keeps them" trace --replay "$T/study.cutop"
refused 1 'cannot write /dev/full: No space left' trace --replay "$T/calls.cutop" -o /dev/full
refused 2 'entries does not go with --replay' trace --replay "$T/calls.cutop" -E
refused 2 "takes it with --trace" record -o "$T/x" --args

# ---- part of it ----

"$CUTOP" record -o "$T/two.cutop" -d 0.1 --library "$double/libcudart.so.13" -- sh -c "'$workload' short; exec '$workload' case-study" >/dev/null 2>&1
run all --replay "$T/two.cutop" -b -f json
pid=$(tail -n 1 "$T/all.out" | jq '[.processes[] | select(.memory.frees == 3)][0].pid')
run one --replay "$T/two.cutop" -b -f json -p "$pid"
check "-p chooses from a recording" [ "$(tail -n 1 "$T/one.out" | jq -c '[.processes[].pid]')" = "[$pid]" ]
run one --replay "$T/two.cutop" -b -f json -c '*case-study'
check "-c does" [ "$(tail -n 1 "$T/one.out" | jq -c '[.processes[].pid]')" = "[$pid]" ]
run one --replay "$T/two.cutop" -b -f json -u 65534
check "-u does" [ "$(tail -n 1 "$T/one.out" | jq -c '.processes')" = "[]" ]
run few --replay "$T/two.cutop" -b -f json -n 1
check "-n 1: one snapshot" [ "$(wc -l <"$T/few.out")" = 1 ]
run few --replay "$T/two.cutop" -b -f json -d 1000
check "a long -d: the last one" [ "$(jq -c '[.time, .totals]' <"$T/few.out")" = "$(tail -n 1 "$T/all.out" | jq -c '[.time, .totals]')" ]

# ---- never over the recording itself ----

cp "$T/calls.cutop" "$T/whole.cutop"
ln -s calls.cutop "$T/symbolic"
ln "$T/calls.cutop" "$T/hard"
for same in "$T/calls.cutop" "$T/symbolic" "$T/hard"; do
	refused 1 'it is the recording that is to be shown' --replay "$T/calls.cutop" -b -o "$same"
	refused 1 'it is the recording that is to be shown' --replay "$T/calls.cutop" -b -f prometheus -o "$same"
	refused 1 'it is the recording that is to be shown' trace --replay "$T/calls.cutop" -o "$same"
done
check "what is replayed is as it was" cmp "$T/calls.cutop" "$T/whole.cutop"

# ---- without rights ----

chmod 644 "$T/study.cutop"
cp "$CUTOP" "$T/cutop"
(cd / && setpriv --reuid 65534 --regid 65534 --clear-groups "$T/cutop" --replay "$T/study.cutop" -b -f json) >"$T/nobody.out" 2>"$T/nobody.err"
check "nobody may replay: $(cat "$T/nobody.err")" cmp "$T/study.replay.out" "$T/nobody.out"

# ---- the recorder ends ----

name=rec$$
ln -s "$workload" "$T/$name"
"$T/$name" trainer 60 >/dev/null 2>&1 &
has_process() {
	[ "$("$CUTOP" --replay "$1" -b -f json 2>/dev/null | tail -n 1 | jq '.processes[0].kernels[0].launches > 0')" = true ]
}
"$CUTOP" record -o "$T/killed.cutop" -d 0.1 --library "$double/libcudart.so.13" -c "$name*" 2>/dev/null &
recorder=$!
check "a recording can be replayed while it is made" wait_for 20 has_process "$T/killed.cutop"
kill -9 $recorder
wait $recorder 2>/dev/null
run killed --replay "$T/killed.cutop" -b -f json
expect_status killed 0
expect_line killed 'the recorder was killed; up to there it is shown'
check "killed: what was recorded is there" [ "$(tail -n 1 "$T/killed.out" | jq '.processes | length')" = 1 ]

"$CUTOP" record -o "$T/stopped.cutop" -d 0.1 --library "$double/libcudart.so.13" -c "$name*" 2>"$T/stopped.err" &
recorder=$!
wait_for 20 has_process "$T/stopped.cutop"
kill -INT $recorder
wait $recorder
check "SIGINT is how a recording ends: status 0" [ $? = 0 ]
check "and it says what there is" grep -q 'recorded .* 1 process' "$T/stopped.err"
run again --replay "$T/stopped.cutop" -b -f csv
expect_status again 0
check "stopped: it is whole" [ ! -s "$T/again.err" ]

# ---- no room ----

refused 1 '/dev/full: No space left on device' record -o /dev/full -- "$workload" case-study
refused 1 'cannot write .*/none/x: No such file or directory' record -o "$T/none/x" -- "$workload" case-study
# A limit on the size of files stands in for a full disk: one that fills while it is written.
sh -c 'ulimit -f 24; exec "$@"' sh "$CUTOP" record -o "$T/full.cutop" -d 0.02 --library "$double/libcudart.so.13" -c "$name*" \
	2>"$T/full.err" &
recorder=$!
wait $recorder
check "no room: exit 1" [ $? = 1 ]
check "no room: it says so: $(cat "$T/full.err")" grep -q 'cannot write .*full.cutop: File too large; what was recorded until then' "$T/full.err"
run full --replay "$T/full.cutop" -b -f json
expect_status full 0
check "no room: what was written is there" [ -s "$T/full.out" ]
# COMMAND is not to suffer for it: it runs to its end.
sh -c 'ulimit -f 24; exec "$@"' sh "$CUTOP" record -o "$T/full.cutop" -d 0.01 --library "$double/libcudart.so.13" -- sh -c "'$workload' trainer 1; echo end" >"$T/full.out" 2>"$T/full.err"
check "no room, with COMMAND: exit 1: $(cat "$T/full.err")" [ $? = 1 ]
check "and COMMAND ran to its end" grep -q end "$T/full.out"
refused 1 '/gone.cutop was removed while it was recorded' record -o "$T/gone.cutop" -- rm "$T/gone.cutop"

# ---- what is no recording ----

refused 1 'no such file|No such file' --replay "$T/nothing" -b
refused 1 'it is a folder' --replay "$T" -b
refused 1 'it is a pipe or a device' --replay /dev/null -b
: >"$T/empty"
refused 1 'it is empty' --replay "$T/empty" -b
refused 1 'it is no recording of cutop' --replay "$T/study.json" -b
# A file that was to hold what a recording shows is left alone where there is nothing to show.
echo kept >"$T/kept"
for mode in "-b" "-b -f prometheus" "trace"; do
	# shellcheck disable=SC2086
	refused 1 'it is empty' $mode --replay "$T/empty" -o "$T/kept"
	check "$mode: what was there is still" [ "$(cat "$T/kept")" = kept ]
	# shellcheck disable=SC2086
	refused 1 'it is empty' $mode --replay "$T/empty" -o "$T/unmade"
	check "$mode: nothing was made" [ ! -e "$T/unmade" ]
done
head -c 8 "$T/study.cutop" >"$T/foreign"
printf '\001\002\003\004\001\000\000\000' >>"$T/foreign"
refused 1 'another byte order' --replay "$T/foreign" -b
head -c 12 "$T/study.cutop" >"$T/newer"
printf '\002\000\000\000' >>"$T/newer"
refused 1 'version 2 of the format; this cutop reads version 1: replay it with the cutop that recorded it' --replay "$T/newer" -b
sed 's/\r//' "$T/study.cutop" >"$T/text"
refused 1 'meant to transfer text' --replay "$T/text" -b
# Damaged in the middle: up to there, and not as if nothing were.
size=$(wc -c <"$T/copies.cutop")
cp "$T/copies.cutop" "$T/damaged.cutop"
byte=$(dd if="$T/damaged.cutop" bs=1 skip=$((size - 100)) count=1 2>/dev/null | od -An -tu1)
printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$T/damaged.cutop" bs=1 seek=$((size - 100)) conv=notrunc 2>/dev/null
run damaged --replay "$T/damaged.cutop" -b -f json
expect_status damaged 1
expect_line damaged 'it is damaged at byte [0-9]*: a block has a wrong checksum; what comes before that is shown'
lines=$(wc -l <"$T/damaged.out")
check "damaged: what comes before is as it was" [ "$lines" -ge 1 ]
head -n $((lines - 1)) "$T/copies.replay.out" >"$T/part"
head -n $((lines - 1)) "$T/damaged.out" >"$T/before"
check "to the byte" cmp "$T/part" "$T/before"

# Damaged within a block whose sums are right: that is found when it is read, and is told of no less.
if command -v python3 >/dev/null; then
	python3 - "$T/copies.cutop" "$T/inside.cutop" <<'END'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], "rb").read())
at, blocks = 16, []
while at < len(data):
    blocks.append(at)
    at += 40 - 8 + struct.unpack_from("<I", data, at + 8)[0]
at = blocks[-1] if struct.unpack_from("<I", data, blocks[-1] + 8)[0] else blocks[-2]
stored = struct.unpack_from("<I", data, at + 8)[0]
data[at + 32:at + 32 + stored] = b"\xff" * stored
struct.pack_into("<I", data, at + 24, zlib.crc32(data[at + 32:at + 32 + stored]))
struct.pack_into("<I", data, at + 28, zlib.crc32(data[at:at + 28]))
open(sys.argv[2], "wb").write(data)
END
	for form in json text folded; do
		run inside --replay "$T/inside.cutop" -b -f $form
		expect_status inside 1
		check "inside, $form: it is said: $(cat "$T/inside.err")" grep -q 'it is damaged at byte [0-9]*: ' "$T/inside.err"
	done
	run inside --replay "$T/inside.cutop" -b
	check "inside: the report at the end comes" grep -q '^leaked\|^no .*leak' "$T/inside.out"
fi

# ---- what does not go together ----

refused 2 "'cutop record' needs --output" record -- true
refused 2 'layer does not go with --replay' --replay "$T/study.cutop" -b -l driver
refused 2 'ring-size does not go with --replay' -b --ring-size 1M --replay "$T/study.cutop"
refused 2 'replay and a command' --replay "$T/study.cutop" -b -- true
refused 2 "'cutop record' takes no --theme" record -o x --theme mono
refused 2 "'cutop record' takes no --replay" record -o x --replay y
refused 2 "'cutop demo' takes no --replay" demo --replay x
refused 2 'use --batch' --replay "$T/study.cutop"

# ---- served ----

sample=$top_srcdir/tests/recordings/sample.cutop # of 8.5 s, with a snapshot each second
served_at() {
	curl -s -m 20 "$url" >"$T/now.om" && [ "$(sed -n 's/^cutop_snapshot_time_seconds //p' "$T/now.om")" = "$1" ]
}
address() {
	url=$(sed -n 's/^cutop: metrics are at //p' "$T/served.err")
	[ -n "$url" ]
}
if command -v curl >/dev/null; then
	"$CUTOP" --replay "$sample" -b -f openmetrics >"$T/sample.om"
	tac "$T/sample.om" | awk '/^# EOF/ { n++ } n < 2' | tac >"$T/last.om"
	last=$(sed -n 's/^cutop_snapshot_time_seconds //p' "$T/last.om")
	began=$(date +%s%N)
	"$CUTOP" -b -v --replay "$sample" --listen 127.0.0.1:0 >"$T/served.out" 2>"$T/served.err" &
	server=$!
	check "a recording is served: $(cat "$T/served.err")" wait_for 20 address
	check "the end" wait_for 20 served_at "$last"
	check "after as long as it took, less the half second to its first snapshot" [ $((($(date +%s%N) - began) / 100000000)) -ge 79 ]
	check "with the figures of its last snapshot: $(diff "$T/now.om" "$T/last.om" | head -n 4)" cmp -s "$T/now.om" "$T/last.om"
	check "which are no stall" [ "$(curl -s -m 20 "${url%metrics}healthz")" = ok ]
	check "and it goes on" kill -TERM "$server"
	wait "$server"
	check "until it is told to end" [ $? = 143 ]
	check "nothing is printed" [ ! -s "$T/served.out" ]
	run served --replay "$sample" -b -f json -d 2 --listen 127.0.0.1:0 --duration 5
	expect_status served 0
	check "printed as it is played" [ "$(wc -l <"$T/served.out")" = 2 ]
fi

# ---- the screen ----

command -v tmux >/dev/null || skip "needs tmux (Debian: apt install tmux)"
if [ -e "$T/inside.cutop" ]; then
	mux new-session -d -s t -x 120 -y 40 "env LC_ALL=C.UTF-8 '$CUTOP' --no-config --replay '$T/inside.cutop'; echo status \$?.; cat"
	check "the screen says what is damaged inside" see 'DAMAGED: not to its end'
	mux send-keys -t t q
	check "and says so when it has ended" see 'it is damaged inside'
	check "with status 1" see 'status 1\.'
	mux kill-server
fi
if command -v curl >/dev/null && command -v python3 >/dev/null; then
	port=$(python3 -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
	url=http://127.0.0.1:$port/metrics
	mux new-session -d -s t -x 120 -y 40 "exec env LC_ALL=C.UTF-8 '$CUTOP' --no-config --replay '$sample' --listen '$port'"
	check "served beside the screen, to the end" wait_for 20 served_at "$last"
	check "as in batch mode" cmp -s "$T/now.om" "$T/last.om"
	mux kill-server
fi
"$CUTOP" record -o "$T/show.cutop" -d 0.1 -- "$workload" trainer 7 >/dev/null 2>&1
mux new-session -d -s t -x 120 -y 40 "exec env LC_ALL=C.UTF-8 '$CUTOP' --no-config --replay '$T/show.cutop'"
check "the screen plays it" see 'REPLAY 00:[01][0-9]/00:[01][0-9]'
check "its process shows" see 'workload trainer 7'
# The second that it is at.
place() {
	mux capture-pane -t t -p | sed -n 's/.*REPLAY 00:\([0-9][0-9]\)\/.*/\1/p'
}
is_beyond() {
	[ "$(place)" -gt "$1" ]
}
is_before() {
	[ "$(place)" -lt "$1" ]
}
first=$(place)
check "the replay goes on" wait_for 20 is_beyond "$first"
mux send-keys -t t Space
check "Space pauses" see 'PAUSED'
paused_at=$(place)
paused=$(mux capture-pane -t t -p | grep -o 'REPLAY [^ ]*')
mux send-keys -t t + +
check "+ is faster, and it is paused still" see "$paused ×4 PAUSED"
mux send-keys -t t - - - -
check "- is slower" see ' ×1/4 PAUSED'
mux send-keys -t t + + + + +
mux send-keys -t t '[' '[' '['
check "[ goes back" wait_for 20 is_before "$paused_at"
back_at=$(place)
mux send-keys -t t ']' ']' ']'
check "] goes on" wait_for 20 is_beyond "$back_at"
check "it is paused still" see 'REPLAY 00:[01][0-9]/.* PAUSED'
mux send-keys -t t Space
check "it ends, and stays there" see 'REPLAY 00:\([01][0-9]\)/00:\1 ×8 END'
check "its process has exited" see 'exited 0'
mux send-keys -t t F9
check "there is nobody to send a signal to" see 'a recording has no processes'
mux send-keys -t t '[' '[' '['
check "back from the end" see 'REPLAY 00:[01][0-9]/00:[01][0-9] ×8'
mux send-keys -t t q
screen_gone() {
	! mux has-session -t t 2>/dev/null
}
check "q quits" wait_for 10 screen_gone
finish
