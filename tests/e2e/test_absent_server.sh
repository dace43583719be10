#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files and memory that nothing delivers: a file server (FUSE) that stops answering at each step, a userfaultfd that is not
# served. cutop ends within 2 s when told to, in each of its modes, another one starts and ends meanwhile, and snapshots of
# other programs keep their time. A server that does answer, be it slowly, loses no name.
# shellcheck disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
helpers=$top_builddir/tests/e2e/bin
[ -x "$helpers/absent_server" ] || skip "the helpers are not built"
[ -e /dev/fuse ] || skip "needs /dev/fuse"
command -v tmux >/dev/null || skip "needs tmux (Debian: apt install tmux)"
# What it leaves unanswered is a problem of the machine, which test_doctor.sh is not to find.
exec 8>"$top_builddir/tests/e2e/silent.lock"
flock 8 || fail "no lock"
mnt=$T/mnt
mkdir "$T/files" "$mnt"
private_double "$T/own"
own=$T/own
cp -L "$double/libcudart.so.13" "$double/libcuda.so.1" "$bin/workload" "$helpers/absent_memory" "$T/files"
for i in 0 1; do
	printf 'in_file_%s' $i
	head -c 4087 /dev/zero
done >"$T/files/names"

# ---- the server

mkfifo "$T/orders"
"$helpers/absent_server" "$T/files" "$mnt" <"$T/orders" >"$T/server" 2>"$T/server.err" 4>&- &
exec 4>"$T/orders"
# Whatever waits for it goes on when it ends.
trap 'exec 4>&-; end_started; umount -l "$mnt" 2>/dev/null; clean_up' EXIT
wait_for 10 grep -q mounted "$T/server" || skip "cannot mount a FUSE file system: $(cat "$T/server.err")"
orders=0
order() {
	(echo "$*" >&4)	# a server that is gone is to end nothing but this
	orders=$((orders + 1))
	wait_for 20 obeyed || fail "the server does not hear: $*: $(cat "$T/server.err")"
}
obeyed() {
	[ "$(grep -c '^done' "$T/server")" = "$orders" ]
}
held() {	# OPERATION NAME: such a request waits
	grep -q "^held $1 $2" "$T/server"
}

# ---- programs and cutops

# program NAME FOLDER COMMAND...: in the background as $program, reading what goes to descriptor 5; its libraries are in FOLDER
program() {
	name=$1 folder=$2
	shift 2
	rm -f "$T/$name.in"
	mkfifo "$T/$name.in"
	: >"$T/$name.said"
	LD_LIBRARY_PATH=$folder "$@" <"$T/$name.in" >"$T/$name.said" 2>&1 4>&- &
	program=$!
	exec 5>"$T/$name.in"
	wait_for 20 grep -q ready "$T/$name.said" || fail "$name: $(cat "$T/$name.said")"
}
program_end() {
	kill -KILL "$program"
	wait "$program" 2>/dev/null
	exec 5>&-
}
sleeps_for_memory() {
	grep -q handle_userfault "/proc/$program/wchan"
}
# begin NAME [cutop arguments]: in the background as $cutop
begin() {
	begun=$1
	shift
	: >"$T/$begun.out"
	: >"$T/$begun.err"
	"$CUTOP" "$@" >"$T/$begun.out" 2>"$T/$begun.err" 4>&- 5>&- &
	cutop=$!
	# Until then it is a shell, to which a signal may be lost.
	wait_for 20 is_cutop || fail "$begun: cutop does not start"
}
is_cutop() {
	[ "$(readlink "/proc/$cutop/exe")" = "$(readlink -f "$CUTOP")" ] || gone "$cutop"
}
documents() {	# COUNT: so many, of the one begun
	[ "$(grep -c '^{"schema"' "$T/$begun.out")" -ge "$1" ]
}
gone() {
	[ ! -e "/proc/$1" ] || grep -q '^State:	Z' "/proc/$1/status" 2>/dev/null
}
uptime() {	# $now: in hundredths of a second
	read -r now _ </proc/uptime
	now=${now%.*}${now#*.}
}
# ends WHAT PID: of a SIGTERM, within 2 s more than another took for all its life
ends() {
	uptime
	end=$((now + 200 + took))
	kill -TERM "$2"
	until gone "$2" || [ "$now" -gt $end ]; do
		sleep 0.02
		uptime
	done
	check "$1: it does not end within 2 s and $took/100: $(cat "/proc/$2/stack" 2>/dev/null)" gone "$2"
}
# another WHAT: a cutop of another program starts, shows it, and ends
another() {
	uptime
	took=$now
	LD_LIBRARY_PATH=$own "$CUTOP" -b -f json -n 1 -- "$workload" case-study >"$T/another.out" 2>"$T/another.err" 4>&- 5>&-
	check "$1: another cutop: status $?: $(cat "$T/another.err")" \
		jq -e -s 'last.processes[0].kernels | length > 0' "$T/another.out" >/dev/null
	uptime
	took=$((now - took))
}
# on_time WHAT: no snapshot of the one begun came more than 0.8 s later than those of one that has nothing to wait for
latest_of() {
	jq -c '.interval_seconds' "$T/$1.out" 2>/dev/null | sort -n | tail -n 1
}
on_time() {
	check "$1: snapshots come late: $(latest_of "$begun"), of one without files $(latest_of control)" \
		jq -e -n "$(latest_of "$begun") < 0.8 + $(latest_of control)" >/dev/null
}
begin control -b -f json -d 0.2 -p $$
control=$cutop
another control

# ---- a server that answers: all of a program is seen that lies there

healthy() {
	LD_LIBRARY_PATH=$mnt watch "$1" -v -- "$mnt/workload" case-study leak
	check "$1: status $status" [ "$status" = 0 ]
	check "$1: probes: $(cat "$T/$1.err")" grep -q "$mnt/libcudart.so.13: .* attached" "$T/$1.err"
	expect "$1" 'p.kernels | map([.name, .launches]) | sort' '[["saxpy",1000],["vectorAdd",1000]]'
	expect "$1" 'p.memory | [.allocations, .frees, .leaked_bytes]' '[3,2,8000000]'
	expect "$1" 'p.sites | map(.site | test("^case_study\\+0x[0-9a-f]+ at basic.c:[0-9]+ \\(workload\\)$")) | [length, all]' '[3,true]'
	expect_nothing_lost "$1"
}
named() {
	begin "$1" -b -f json -d 0.1 --library "$library" -c '*absent_memory*'
	wait_for 30 documents 1 || fail "$1: $(cat "$T/$1.err")"
	program names "$own" "$helpers/absent_memory" file "$mnt/names"
	echo >&5
	check "$1: the program launches" wait_for 20 grep -q launched "$T/names.said"
	program_end
	wait_for 20 has_names
	check "$1: names of kernels: $(tail -n 1 "$T/$1.out" | jq -c "[(.lost | map_values(select(. > 0))), (.processes[] | select(.pid == $program) | .watched_from, .kernels[].name)]") $(cat "$T/$1.err")" has_names
	ends "$1" $cutop
}
has_names() {
	tail -n 1 "$T/$begun.out" | jq -e "[.processes[] | select(.pid == $program).kernels[].name] | sort == [\"in_file_0\", \"in_file_1\"]" >/dev/null 2>&1
}
healthy healthy
named names
# One file takes several requests: longer than cutop waits for an answer.
order slow 40
healthy slow
named slow-names
order slow 0

# ---- memory: the name of a kernel, which a probe at its launch would have to wait for

begin long -b -f json -d 0.2 --library "$library" -c '*absent_memory*'
long=$cutop
wait_for 30 documents 1 || fail "long: $(cat "$T/long.err")"
program memory "$own" "$helpers/absent_memory" userfaultfd
echo >&5
memory=$program
check "the program waits for its memory" wait_for 20 sleeps_for_memory
for mode in batch trace record screen; do
	case $mode in
	batch) begin $mode -b -f json -d 0.2 --library "$library" -c '*absent_*' ;;
	trace) begin $mode trace -v -c '*absent_*' --library "$library" ;;
	record) begin $mode record -v -o "$T/recorded" -c '*absent_*' --library "$library" ;;
	screen)
		mux new-session -d -s t -x 100 -y 30 "$CUTOP --no-config --library $library -c '*absent_*' 4>&- 5>&-; echo ended; sleep 1000"
		cutop=
		;;
	esac
	if [ $mode = screen ]; then
		see 'probes [1-9]' || fail "no screen"
		cutop=$(pgrep -o -f "^$CUTOP --no-config --library $library")
	else
		wait_for 30 grep -q "$own/libcudart.so.13: .* attached\|{\"schema\"" "$T/$mode.err" "$T/$mode.out" || fail "$mode: $(cat "$T/$mode.err")"
	fi
	program_before=$program
	program $mode "$own" "$helpers/absent_memory" userfaultfd
	echo >&5
	check "$mode: the program waits for its memory" wait_for 20 sleeps_for_memory
	another $mode
	ends $mode "$cutop"
	program_end
	program=$program_before
done
mux kill-server 2>/dev/null

# ---- a server that does not answer, at each step of what cutop does with a file

for step in lookup open read all; do
	program on-$step "$mnt" "$mnt/absent_memory" file "$mnt/names"
	LD_LIBRARY_PATH=$own "$workload" loop 60 >/dev/null 2>&1 4>&- 5>&- &
	other=$!
	order hold $step '*'
	begin $step -b -v -f json -d 0.2 -p "$program" -p "$other"
	check "$step: no documents: $(cat "$T/$step.err")" wait_for 30 documents 8
	check "$step: nothing waited for the server: $(cat "$T/server")" held "$step\\|lookup\\|open\\|read" '.*libcuda'
	another $step
	on_time $step
	if [ $step = read ]; then
		# What could not be looked at is, once the server answers.
		order go
		check "$step: probed in the end: $(cat "$T/$step.err")" wait_for 20 grep -q "/libcudart.so.13: .* attached" "$T/$step.err"
		order hold all '*'
	fi
	ends $step $cutop
	order go
	kill -KILL "$other"
	program_end
done
program modes "$mnt" "$mnt/absent_memory" file "$mnt/names"
order hold all '*'
for mode in trace record doctor; do
	[ $mode = record ] && set -- -o "$T/recorded" || set --
	begin $mode $mode "$@" -v -p "$program"
	check "$mode: nothing waited for the server" wait_for 20 held '[a-z]*' '.*libcuda'
	another $mode
	ends $mode $cutop
done
# What is not delivered of a user's program is lost to who watches that user, and to no other.
begin others -b -v -f json -d 0.2 -u 64032
others=$cutop
begin own -b -v -f json -d 0.2 -u "$(id -u)"
# Left alone, doctor comes to its end, and says that something was not delivered.
"$CUTOP" doctor -f json -p "$program" >"$T/doctor.json" 2>"$T/doctor.err" 4>&- 5>&-
check "doctor: $(cat "$T/doctor.err")" jq -e '.checks[] | select(.name == "unanswered") | .state == "warning"' "$T/doctor.json" >/dev/null
for begun in own others; do
	check "$begun: nothing is said: $(cat "$T/$begun.err")" wait_for 30 grep -q 'no answer within 10 s' "$T/$begun.err"
	wait_for 30 documents $(($(grep -c '^{"schema"' "$T/$begun.out") + 2))
done
ends own $cutop
ends others $others
for begun in own others; do
	grep '^{"schema"' "$T/$begun.out" | tail -n 1 >"$T/$begun.json"
done
expect own '.lost.unanswered > 0' true
expect_lost_none others
# A library that the user names is waited for, but not by one that is to end.
begin library -b --library "$mnt/libcudart.so.13"
check "library: nothing waited for the server" wait_for 20 held '[a-z]*' '.*libcudart'
ends library $cutop
order stop
begin stopped -b --library "$mnt/libcuda.so.1"
another stopped
ends stopped $cutop
order go
program_end

# ---- one that was probed before its server fell silent

begin probed -b -f json -d 0.2 --library "$mnt/libcudart.so.13" -c '*absent_memory*'
wait_for 30 documents 1 || fail "probed: $(cat "$T/probed.err")"
program probed "$mnt" "$mnt/absent_memory" file "$mnt/names"
order hold all '*'
echo >&5
check "probed: the name was read" wait_for 20 held read names
another probed
on_time probed
ends probed $cutop
expect_launch() {
	grep '^{"schema"' "$T/probed.out" | tail -n 1 | jq -e '[.processes[].kernels[].launches] == [1]' >/dev/null
}
check "probed: the launch is counted: $(tail -n 1 "$T/probed.out" | jq -c '.processes')" expect_launch
order go
program_end

# ---- what is shown of the memory that never came, after the 10 s that it is given

begun=long
says_unanswered() {
	grep -q "memory of process $memory: no answer within 10 s" "$T/long.err" &&
		grep '^{"schema"' "$T/long.out" | tail -n 1 |
		jq -e ".lost.unanswered > 0 and (.processes[] | select(.pid == $memory).inexact)" >/dev/null
}
check "unanswered: $(tail -n 1 "$T/long.out" | jq -c '.lost'): $(cat "$T/long.err")" wait_for 30 says_unanswered
grep '^{"schema"' "$T/long.out" | tail -n 1 >"$T/long.json"
expect long "[.processes[] | select(.pid == $memory) | .kernels[] | .name | test(\"^(0x|absent_memory)\")]" '[true]'
expect long '[.events[] | select(.kind == "lost") | .text | test("nothing delivered")] | any' true
on_time long
ends long $long
kill -KILL "$memory"
ends control $control
finish
