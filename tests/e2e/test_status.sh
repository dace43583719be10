#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Exit statuses, signals, closed pipes, and COMMAND's children.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

# ---- COMMAND's own ----

# $1: expected status, the rest: arguments
ends() {
	expected=$1
	shift
	run_count=$((run_count + 1))
	run "ends$run_count" "$@"
	check "cutop $*: exit status $status, not $expected: $(cat "$T/ends$run_count.err")" [ "$status" = "$expected" ]
}

ends 0 -b -n 1 -- true
ends 7 -b -n 1 -- sh -c 'exit 7'
ends 137 -b -n 1 -- sh -c 'kill -KILL $$'
ends 143 -b -n 1 -- sh -c 'kill -TERM $$'
ends 139 -b -n 1 -- sh -c 'kill -SEGV $$'
ends 7 -b -n 1 --fail-on-leak -- sh -c "'$workload' case-study leak; exit 7"
refused 127 'no-such-program.*not found' -b -- no-such-program
refused 127 "/no/such/program.*not found" -b -- /no/such/program
refused 127 'not found' -b -- ''
refused 126 'cannot be executed' -b -- /etc/passwd
refused 126 'cannot be executed' -b -- /
printf '#!/no/such/interpreter\n' >"$T/lost-script"
chmod 755 "$T/lost-script"
refused 127 'cannot run' -b -- "$T/lost-script"
printf '\177ELFnonsense' >"$T/no-program"
chmod 755 "$T/no-program"
run no-program -b -n 1 -- "$T/no-program"
check "a program the kernel refuses: exit status $status" [ "$status" -ge 126 ]
printf 'exit 5\n' >"$T/no-shebang"
chmod 755 "$T/no-shebang"
ends 5 -b -n 1 -- "$T/no-shebang"
# A program that only root may run.
cp /bin/true "$T/private"
chmod 700 "$T/private"
refused 126 'cannot run .*Permission denied' -b --run-as nobody -- "$T/private"

# ---- leaks ----

ends 3 -b -n 1 --fail-on-leak -- "$workload" case-study leak
ends 0 -b -n 1 --fail-on-leak --leak-ignore workload -- "$workload" case-study leak
ends 0 -b -n 1 --fail-on-leak -- "$workload" case-study
# How much of it may be, a recording answers as well.
run leak record -o "$T/leak.cutop" -- "$workload" case-study leak
for bytes in 3=7999999 0=8000000 0=8M 3=7M; do
	ends "${bytes%=*}" --replay "$T/leak.cutop" -b -n 1 "--fail-on-leak=${bytes#*=}"
done
ends 3 -b -n 1 --fail-on-leak -- "$workload" fork
ends 3 -b -n 1 --fail-on-leak -- "$workload" exec
ends 1 -b -n 1 --fail-on-leak -- true
expect_line "ends$run_count" 'no CUDA call.*--allow-no-cuda'
ends 0 -b -n 1 --fail-on-leak --allow-no-cuda -- true
ends 1 -b --fail-on-leak --duration 0.2 -- sh -c "echo \$\$ >'$T/pid'; exec sleep 100"
check "it does not say why" grep -q 'cannot answer: the command has not ended' "$T/ends$run_count.err"
kill "$(cat "$T/pid")"

# What a program did before its runtime was probed may have leaked. Named ahead, it is probed ahead.
loader_program=$top_builddir/tests/e2e/bin/loader
private_double "$T/ahead"
private_double "$T/late"
start late -b -v --fail-on-leak -- "$loader_program" "$library" wait "$T/go" malloc 3 free
check "the library is not probed" wait_for 30 grep -q "late/libcudart.so.13: .*attached" "$T/late.err"
touch "$T/go"
wait "$cutop"
status=$?
expect_status late 1
check "it does not say why" grep -q 'cannot answer: .*before its CUDA library was probed; --library' "$T/late.err"
ends 0 -b --fail-on-leak --library "$T/ahead/libcudart.so.13" -- "$loader_program" "$T/ahead/libcudart.so.13" malloc 3 free

# A child that outlives the command may leak yet.
start outlived -b --fail-on-leak --library "$T/ahead/libcudart.so.13" -- sh -c "
	'$loader_program' '$T/ahead/libcudart.so.13' malloc 3 say ready wait '$T/free' free >'$T/outlives' &
	while ! grep -q ready '$T/outlives'; do sleep 0.01; done"
wait "$cutop"
status=$?
touch "$T/free"
expect_status outlived 1
check "it does not say why" grep -q 'cannot answer: a program that made CUDA calls has not ended' "$T/outlived.err"

# Those that have ended before we are done with their runtime, too: what is not known of them is marked.
for i in $(seq 8); do
	cp "$workload-static" "$T/brief$i"
done
watch brief -- sh -c "for i in $(seq -s ' ' 8); do '$T/brief'\$i case-study leak; done"
check_jq "who had allocated before is taken for watched from the start" \
	'[.processes[] | select(.watched_from == "start" and .memory.allocations != 3)] == []' "$T/brief.json"

# A ring far too small: what was lost is said, and the answer is not "no leak".
run lost -b -f json -n 1 --fail-on-leak --ring-size 64K -o "$T/lost.json" -- "$workload" threads 8 5000
if [ "$(jq '[.lost[]] | add' "$T/lost.json")" = 0 ]; then
	echo "a ring of 64K lost nothing"
	expect_status lost 0
elif [ "$(jq .totals.leaked_bytes "$T/lost.json")" = 0 ]; then
	expect_status lost 1
	check "it does not say why" grep -q 'events were lost.*--ring-size' "$T/lost.err"
else
	expect_status lost 3
fi
check_jq "lost events mark their process inexact" \
	'if ([.lost[]] | add) == 0 then true else [.processes[].inexact] | any end' "$T/lost.json"

# ---- children ----

library=$double/libcudart.so.13
watch family --library "$library" --fail-on-leak -- \
	sh -c "'$workload' pairs 1 10; sh -c \"sh -c \\\"'$workload' pairs 2 10\\\" & wait\"; exec '$workload' pairs 3 10"
check "children: exit status $status" [ "$status" = 0 ]
expect family '[.processes[].memory.allocations] | sort' '[1,2,3]'
expect family '[.processes[].watched_from] | unique' '["start"]'
expect_nothing_lost family

"$workload" loop 3600 &
other=$!
watch only --library "$library" -- "$workload" pairs 4 10
expect only 'p.memory.allocations' 4
kill "$other"

# Snapshots that take longer than the time between them do not keep it from ending. (With --listen they are made in time.)
timeout --foreground -k 1 60 "$CUTOP" -b -f csv -o "$T/late.csv" -d 0.01 -n 1000000 --map all --listen 127.0.0.1:0 -- "$workload" -k pairs 200000 64 \
	2>"$T/late.err"
status=$?
check "late snapshots: exit status $status" [ "$status" = 0 ]

# ---- signals ----

# $1: name, $2: signal, $3: exit status
interrupted() {
	start "$1" -b -f json -d 100
	check "$1: does not start" wait_for 10 sh -c "ls -l /proc/$cutop/fd 2>/dev/null | grep -q bpf_link"
	kill "-$2" "$cutop"
	wait "$cutop"
	status=$?
	expect_status "$1" "$3"
	check_jq "$1: no final snapshot" -s 'length == 1 and .[0].schema == 1' "$T/$1.out"
}
interrupted int INT 130
interrupted term TERM 143
interrupted hup HUP 129

nohup "$CUTOP" -b -f json -d 0.05 -n 12 >"$T/nohup.out" 2>"$T/nohup.err" </dev/null &
cutop=$!
check "nohup: no document" wait_for 10 [ -s "$T/nohup.out" ]
kill -HUP "$cutop"
wait "$cutop"
status=$?
expect_status nohup 0
check "nohup: ended early" [ "$(wc -l <"$T/nohup.out")" = 12 ]

# COMMAND gets what cutop gets, once, and decides itself what it means.
cat >"$T/trapper" <<END
#!/bin/sh
for s in TERM INT HUP QUIT USR1 USR2; do trap "echo \$s >>'$T/signals'" \$s; done
echo >'$T/ready'
while ! [ -e '$T/stop' ]; do sleep 0.02; done
exit 9
END
chmod 755 "$T/trapper"
# Not ignored, as they are in the background of a script
env --default-signal=INT,QUIT "$CUTOP" -b -f json -n 1 -- "$T/trapper" >"$T/forward.out" 2>"$T/forward.err" &
cutop=$!
check "COMMAND does not start" wait_for 10 [ -e "$T/ready" ]
for s in TERM INT HUP QUIT USR1 USR2; do
	kill "-$s" "$cutop"
	check "COMMAND does not get SIG$s" wait_for 5 grep -qsx "$s" "$T/signals"
done
touch "$T/stop"
wait "$cutop"
status=$?
expect_status forward 9
check "each signal comes once: $(cat "$T/signals")" [ "$(wc -l <"$T/signals")" = 6 ]
check_jq "there is a final snapshot" .schema "$T/forward.out"

start killed -b -f json -n 1 -- "$workload" hang
check "COMMAND does not start" wait_for 10 sh -c "pgrep -P $cutop -f hang >/dev/null"
# hang starts itself anew; a signal before that finds it as well
kill -TERM "$cutop"
wait "$cutop"
status=$?
expect_status killed 143
check_jq "there is a final snapshot" .schema "$T/killed.out"

# ---- closed pipes ----

for format in text json csv; do
	("$CUTOP" -b -f "$format" -d 0.02 2>"$T/pipe.err"; echo $? >"$T/pipe.status") | head -n 1 >"$T/pipe.out"
	status=$(cat "$T/pipe.status")
	expect_status pipe 0
	# What cutop warns of, of other tests' programs, is not about the pipe.
	said=$(grep -v '^cutop: process [0-9]* ' "$T/pipe.err")
	check "$format: a closed pipe is no error: $said" [ -z "$said" ]
	check "$format: nothing came" [ -s "$T/pipe.out" ]
done
("$CUTOP" -b -f json -d 0.02 -- sh -c 'sleep 0.5; exit 4' 2>"$T/pipe.err"; echo $? >"$T/pipe.status") | head -n 1 >/dev/null
status=$(cat "$T/pipe.status")
expect_status pipe 4
check "a closed pipe is no error: $(cat "$T/pipe.err")" [ ! -s "$T/pipe.err" ]

expect_clean "all of this"
finish
