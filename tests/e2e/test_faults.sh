#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What may go wrong around cutop: clocks that are set, time namespaces, reused pids, stopped
# processes, namespaces that are gone, too few files, too little memory, a full disk. docs/faults.md
# has the table.
# shellcheck disable=SC2154,SC2016,SC2086
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
helpers=$top_builddir/tests/e2e/bin
[ -x "$helpers/same_pid" ] || skip "the helpers are not built"
command -v setpriv >/dev/null || skip "needs setpriv (Debian: apt install util-linux)"
private_double "$T/lib"
LD_LIBRARY_PATH=$T/lib
export LD_LIBRARY_PATH
# A name of its own: other tests may run beside this one.
name=fault$$
cp "$workload" "$T/$name"
workload=$T/$name

# Of a user of their own: what is lost of other programs, while cutop stands still, is theirs.
as_it() {
	exec setpriv --reuid 64036 --regid 64036 --clear-groups "$workload" "$@"
}

none_below_zero='[paths(numbers) as $p | select(getpath($p) < 0 and ($p[-1] | tostring | test("^(device|devices|[0-9]+)$") | not)) | $p]'

# ---- the wall clock is set ahead, and back; a machine that slept shows the same

now=$(date +%s)
echo 0 >"$T/step"
before="env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$helpers/stepped_clock.so STEP=$T/step"
begin clock --library "$library" -d 0.2 -u 64036
before=
as_it loop 100 >/dev/null &
loop=$!
# at NAME SECONDS: a program runs while the clock is wrong by that, and fails; its failure is told at that time
at() {
	echo "$2" >"$T/step"
	from=$(date +%s)
	check "$1: the clock is not followed" wait_for 20 newest "((.time | sub(\"[.][0-9]+Z\$\"; \"Z\") | fromdate) - $from - $2) as \$d | \$d >= 0 and \$d < 20"
	as_it failures >/dev/null &
	failing=$!
	wait $failing
	check "$1: not seen" wait_for 20 newest ".processes[] | select(.pid == $failing and .state == \"exited\" and (.failures | length > 0))"
	eval "$1=$failing $1_from=$((from + $2))"
}
at right 0
at ahead 3600
at behind -7200
end
kill $loop
wait $loop 2>/dev/null
for when in right ahead behind; do
	eval "pid=\$$when from=\$${when}_from"
	expect clock ".processes[] | select(.pid == $pid) | [.failures[] | .first, .last | sub(\"[.][0-9]+Z\$\"; \"Z\") | fromdate - $from | . >= -1 and . < 30] | all" true
	expect clock ".processes[] | select(.pid == $pid) | .start_time - $from | . >= -2 and . < 30" true
done
jq -c -s "[.[] | .interval_seconds > 0 and .interval_seconds < 30 and .elapsed_seconds >= 0] | all" "$T/clock.out" >"$T/intervals"
check "an interval is no difference of a clock that does not step" [ "$(cat "$T/intervals")" = true ]
jq -c "$none_below_zero" "$T/clock.out" | sort -u >"$T/below"
check "figures below zero: $(head -c 300 "$T/below")" [ "$(cat "$T/below")" = '[]' ]
expect clock "(.started | sub(\"[.][0-9]+Z\$\"; \"Z\") | fromdate) - $now | . >= -1 and . < 60" true
expect_nothing_lost clock

# ---- a time namespace: of cutop, and of a program it watches

if unshare -T --boottime 1000000 --monotonic 500000 -f true 2>/dev/null; then
	now=$(date +%s)
	for who in cutop program; do
		outer= inner=
		[ $who = cutop ] && outer="unshare -T --boottime 1000000 --monotonic 500000 -f"
		[ $who = program ] && inner="unshare -T --boottime 1000000 --monotonic 500000 -f"
		$outer "$CUTOP" -b -f json -n 1 --library "$library" -- $inner "$workload" failures >"$T/time-$who.json" 2>"$T/time-$who.err"
		expect time-$who "p | [.start_time, (.failures[].first | sub(\"[.][0-9]+Z\$\"; \"Z\") | fromdate) | . - $now | . >= -2 and . < 30] | all" true
		expect time-$who '[.elapsed_seconds, .interval_seconds | . > 0 and . < 30] | all' true
		expect time-$who "p.watched_from" '"start"'
		expect time-$who "$none_below_zero" '[]'
	done
else
	echo "not tried: time namespaces"
fi

# ---- three processes of one number

"$CUTOP" -b -f json -n 1 --library "$library" -- "$helpers/same_pid" "$workload" 1 2 3 >"$T/same.out" 2>"$T/same.err"
status=$?
if [ $status = 77 ]; then
	echo "not tried: to choose a pid"
else
	grep '^{"schema"' "$T/same.out" >"$T/same.json"
	number=$(grep -x '[0-9]*' "$T/same.out")
	expect same '[.processes[] | (.ns_pid // .pid)] | unique' "[$number]"
	expect same '.processes | sort_by(.start_time) | map([.memory.allocations, .memory.leaked_bytes, .state, .exit_code, .arguments])' \
		'[[1,100,"exited",0,"-k pairs 1 100"],[2,200,"exited",0,"-k pairs 2 100"],[3,300,"exited",0,"-k pairs 3 100"]]'
	expect same '.totals.leaked_bytes' 600
	expect_nothing_lost same

	# many within milliseconds, while snapshots are made: each is a program of its own, and all that it did is its own
	# shellcheck disable=SC2046
	"$CUTOP" -b -f json -d 0.05 --library "$library" -- "$helpers/same_pid" "$workload" $(seq 200) >"$T/often.out" 2>"$T/often.err"
	grep '^{"schema"' "$T/often.out" | tail -n 1 >"$T/often.json"
	expect often '[.processes[] | select(.memory.allocations > 0) | .memory.allocations] | sort | . == [range(1; 201)]' true
	expect_nothing_lost often

	# --pid names a process: who has its number after it is somebody else
	cat >"$T/waiting" <<-END
		#!/bin/sh
		echo \$\$ >>"$T/numbers"
		until [ -e "$T/go" ]; do sleep 0.02; done
		exec "$workload" "\$@"
	END
	chmod 755 "$T/waiting"
	"$helpers/same_pid" "$T/waiting" 1 2 >"$T/reused.said" &
	waiting=$!
	check "reused: it does not start" wait_for 20 [ -s "$T/numbers" ]
	begin reused --library "$library" -p "$(cat "$T/numbers"),$$"
	touch "$T/go"
	wait $waiting
	end
	check "reused: not the same number" [ "$(sort -u "$T/numbers" | wc -l) $(wc -l <"$T/numbers")" = "1 2" ]
	expect reused '[.processes[] | select(.memory.allocations > 0).arguments]' '["-k pairs 1 100"]'
fi

# ---- somebody stands still: the watched program, then cutop

begin stopped --library "$library" -u 64036
as_it stress-launch 600 1 >/dev/null &
busy=$!
check "stopped: no launches" wait_for 20 newest ".processes[] | select(.pid == $busy) | .kernels[0].launches_per_second > 0"
kill -STOP $busy
check "stopped: still launching" wait_for 20 newest ".processes[] | select(.pid == $busy) | .state == \"running\" and (.kernels[0].launches_per_second // 0) == 0"
kill -CONT $busy
check "continued: no launches" wait_for 20 newest ".processes[] | select(.pid == $busy) | .kernels[0].launches_per_second > 0"
kill -STOP $cutop
as_it -k pairs 50 100 >/dev/null &
unseen=$!
wait $unseen
as_it exec >/dev/null &
unseen_exec=$!
wait $unseen_exec
kill -CONT $cutop
check "what ran while cutop stood still" wait_for 20 newest "[.processes[] | select(.pid == $unseen or .pid == $unseen_exec)] | length == 3"
kill -9 $busy
wait $busy 2>/dev/null
check "the end of the busy one" wait_for 20 newest ".processes[] | select(.pid == $busy) | .signal == 9"
end
expect stopped ".processes[] | select(.pid == $unseen) | [.memory.allocations, .memory.leaked_bytes, .state, .watched_from]" '[50,5000,"exited","start"]'
expect stopped "[.processes[] | select(.pid == $unseen_exec) | [.ended, .memory.leaked_bytes]] | sort" '[["exec",40000],["exit",0]]'
expect_nothing_lost stopped

# ---- a mount and pid namespace that is gone: nothing waits for it, what was named stays named

if unshare -m -p --fork true 2>/dev/null; then
	mkdir "$T/inside"
	cat >"$T/enter" <<END
mount --make-rprivate / && mount -t tmpfs none "$T/inside" && mkdir "$T/inside/lib" && cp "$T/lib/"* "$T/inside/lib" &&
	cp "$workload" "$T/inside/$name" && mount -t proc proc /proc && cd "$T/inside"
export LD_LIBRARY_PATH="$T/inside/lib"
./$name -k pairs 4 100
./$name hold 1
exec ./$name -k pairs 3 1000
END
	mkfifo "$T/gone.in"
	begin gone --library "$library" -c "./$name*"
	unshare -m -p --fork sh "$T/enter" <"$T/gone.in" >"$T/gone.said" 2>&1 &
	gone=$!
	exec 3>"$T/gone.in"
	check "gone: nothing is held: $(cat "$T/gone.said")" wait_for 30 grep -qx ready "$T/gone.said"
	# The first program ended before anybody could look at its library: the second tells of it again.
	check "gone: the library is not probed: $(cat "$T/gone.err")" wait_for 30 grep -q "/inside/lib/libcudart.so.13: .* attached" "$T/gone.err"
	exec 3>&-
	wait $gone
	check "gone: its end is not seen: $(cat "$T/gone.err")" wait_for 20 newest '[.processes[] | select(.state == "exited" and .memory.leaked_bytes == 3000)] | length == 1'
	# The document after the next still comes: nobody hangs.
	documents=$(wc -l <"$T/gone.out")
	check "gone: cutop stands still" wait_for 20 sh -c "[ \$(wc -l <'$T/gone.out') -gt $((documents + 2)) ]"
	end
	expect gone '.processes[] | select(.memory.leaked_bytes == 3000) | [.command, .arguments, .ns_pid, .state]' "[\"./$name\",\"-k pairs 3 1000\",1,\"exited\"]"
	expect gone "[.processes[] | select(.memory.leaked_bytes == 3000).sites[].site | test(\"^(pairs|$name)[+]0x\")]" '[true]'
else
	echo "not tried: namespaces"
fi

# ---- too few files, too little memory: a line that says so, or all is well; no crash, nobody waits

ends_well() {	# NAME STATUS
	case $2 in
	0) grep '^{' "$T/$1.out" >"$T/$1.json"
		expect "$1" 'p.memory.leaked_bytes' 300 ;;
	1) check "$1: no line that tells: $(cat "$T/$1.err")" [ "$(grep -c '^cutop: ' "$T/$1.err")" = "$(wc -l <"$T/$1.err")" ]
		check "$1: nothing is told" [ -s "$T/$1.err" ] ;;
	*) fail "$1: status $2: $(head -c 300 "$T/$1.err")" ;;
	esac
}
for files in 6 127 128; do
	timeout --foreground -k 5 60 prlimit --nofile=$files:$files "$CUTOP" -b -f json -n 1 --library "$library" -- "$workload" -k pairs 3 100 \
		>"$T/files.out" 2>"$T/files.err"
	status=$?
	[ $files -gt 6 ] && [ $files -lt 128 ] && check "$files files: $(cat "$T/files.err")" grep -q "the limit of open files is $files; cutop needs 128" "$T/files.err"
	ends_well files $status
done
check "128 files are enough for one program" [ $status = 0 ]
# More libraries than there is room for: they are counted as missing, at once. Each takes a descriptor; its links are elsewhere.
set --
for i in $(seq 64); do
	cp "$helpers/libcudart.so.99" "$T/lib/libmore.so.$i"
	set -- "$@" --library "$T/lib/libmore.so.$i"
done
timeout --foreground -k 5 60 prlimit --nofile=128:128 "$CUTOP" -b -f json -n 1 -d 0.1 "$@" >"$T/many.json" 2>"$T/many.err"
status=$?
if [ $status = 0 ]; then
	expect many '.probes.missing > 0' true
else
	check "many: $(cat "$T/many.err")" grep -q 'Too many open files' "$T/many.err"
fi
if ! is_sanitized; then
	# COMMAND has the limit, too: nothing of it is asked.
	for memory in 20 50 70; do
		timeout --foreground -k 5 60 prlimit --as=${memory}000000 "$CUTOP" -b -f json -n 1 -d 0.1 --library "$library" >"$T/memory.out" 2>"$T/memory.err"
		status=$?
		case $status in
		0) check_jq "$memory MB: no document" .schema "$T/memory.out" ;;
		1) check "$memory MB: no line that tells: $(cat "$T/memory.err")" grep -q '^cutop: ' "$T/memory.err" ;;
		127) check "$memory MB: $(cat "$T/memory.err")" grep -q 'cannot allocate\|failed to map\|Cannot allocate' "$T/memory.err" ;;
		*) fail "$memory MB: status $status: $(cat "$T/memory.err")" ;;
		esac
	done
else
	echo "not tried: a limit of memory, which sanitizers do not keep"
fi

# ---- too many files are open for a while: a library that found no place then is probed later, and misses nothing any more

own_user 64033
cp "$helpers/loader" "$T/own/loader"
begin few -u 64033
# The libraries of the loader itself are probed before.
cp "$double/libcudart.so.13" "$T/own/few0.so"
first_probed() {
	as_own "$T/own/loader" "$T/own/few0.so" malloc 1 free >/dev/null
	grep -q "own/few0.so: .* attached" "$T/few.err"
}
check "few: not probed at first" wait_for 20 first_probed
# How many descriptors it takes until probes are placed differs from one time to the next, and so what it is that finds none: the
# file, or its probes. So this goes on until these were refused, too.
tried=0
while [ $tried -lt 8 ] || { [ $tried -lt 48 ] && ! grep -q 'own/few[0-9]*.so: .*Too many open files' "$T/few.err"; }; do
	tried=$((tried + 1))
	i=$tried
	cp "$double/libcudart.so.13" "$T/own/few$i.so"
	free=0
	while [ -e "/proc/$cutop/fd/$free" ]; do
		free=$((free + 1))
	done
	prlimit --pid "$cutop" --nofile=$((free + 1 + i % 16)):
	as_own "$T/own/loader" "$T/own/few$i.so" malloc 1 free >/dev/null
	# It says something, or could not even open the file; on a loaded machine it comes late to either.
	for _ in $(seq 15); do
		! grep -q "own/few$i.so: " "$T/few.err" || break
		sleep 0.1
	done
	prlimit --pid "$cutop" --nofile=4096:
done
all_probed() {
	for i in $(seq $tried); do
		grep -q "own/few$i.so: .* attached" "$T/few.err" || as_own "$T/own/loader" "$T/own/few$i.so" malloc 1 free >/dev/null
	done
	[ "$(grep -c 'own/few[0-9]*.so: .* attached' "$T/few.err")" = $((tried + 1)) ]
}
refused=$(grep -c 'own/few[0-9]*.so: .*Too many open files' "$T/few.err")
check "few: none of $tried was refused: $(cat "$T/few.err")" [ "$refused" -gt 0 ]
check "few: not probed later: $(cat "$T/few.err")" wait_for 40 all_probed
check "few: probed in part: $(cat "$T/few.err")" [ "$(grep -c 'own/few[0-9]*.so: .* attached, 0 refused,' "$T/few.err")" = $((tried + 1)) ]
end

# ---- a disk that fills while it is written to: what is there can be read, and who watches goes on

if unshare -m true 2>/dev/null; then
	cat >"$T/disk" <<END
mount --make-rprivate / && mkdir -p "$T/disk.mnt" && mount -t tmpfs -o size=64k none "$T/disk.mnt" && cd "$T/disk.mnt" && mkdir -p keep &&
	exec "\$@"
END
	# full NAME FILE COMMAND...: runs it where 64 KiB are free, and keeps the file
	full() {
		full_name=$1
		full_file=$2
		shift 2
		unshare -m sh "$T/disk" sh -c '"$@"; status=$?; cat "$0" 2>/dev/null >&3; exit $status' "$full_file" "$@" 3>"$T/$full_name.kept" \
			>"$T/$full_name.out" 2>"$T/$full_name.err" </dev/null
		status=$?
	}
	full record x.cutop timeout --foreground 60 "$CUTOP" record -o x.cutop -d 0.02 --library "$library" -- "$workload" copies
	if [ $status = 0 ]; then	# it was small enough
		full record x.cutop timeout --foreground 60 "$CUTOP" record --trace -o x.cutop -d 0.02 --library "$library" -- "$workload" launches 20000
	fi
	check "record: status $status: $(cat "$T/record.err")" [ $status = 1 ]
	check "record: $(cat "$T/record.err")" grep -q 'cannot write x.cutop: No space left on device; what was recorded until then can be replayed' "$T/record.err"
	run replay --replay "$T/record.kept" -b -f json
	expect_status replay 0
	full documents x.json timeout --foreground 60 "$CUTOP" -b -f json -d 0.02 -o x.json --library "$library" -- sh -c "'$workload' kinds; '$workload' trainer 2; echo ran"
	check "-o: status $status: $(cat "$T/documents.err")" [ $status = 1 ]
	check "-o: $(cat "$T/documents.err")" grep -q 'cannot write x.json: No space left on device' "$T/documents.err"
	check "-o: COMMAND ran to its end" grep -qx ran "$T/documents.out"
	head -n 1 "$T/documents.kept" >"$T/first.kept"
	check_jq "-o: what was written before cannot be read" .schema "$T/first.kept"
	full calls x.txt timeout --foreground 60 "$CUTOP" trace -o x.txt --library "$library" -- "$workload" launches 20000
	check "trace -o: status $status: $(cat "$T/calls.err")" [ $status = 1 ]
	check "trace -o: $(cat "$T/calls.err")" grep -q 'cannot write x.txt: No space left on device' "$T/calls.err"
	check "trace -o: what was written is not there" grep -q 'cudaLaunchKernel' "$T/calls.kept"
	full metrics x.prom timeout --foreground 60 "$CUTOP" -b -f prometheus -n 2 -d 0.1 -o x.prom -p $$ --library "$library"
	check "metrics fit: $(cat "$T/metrics.err")" [ $status = 0 ]

	# The screen says so, and goes on.
	if command -v tmux >/dev/null; then
		"$workload" loop 100 >/dev/null &
		loop=$!
		mux new-session -d -s t -x 120 -y 30 "exec unshare -m sh '$T/disk' sh -c 'head -c 70000 /dev/zero >big; exec env LC_ALL=C.UTF-8 $CUTOP --no-config -d 0.2 -p $loop'"
		check "the screen comes" see "$loop "
		mux send-keys -t t w
		check "w: a full disk" see 'cannot write cutop-.*No space left on device'
		mux send-keys -t t Tab
		check "the screen goes on" see 'Kernels'
		mux send-keys -t t q
		check "and ends" wait_for 20 sh -c "! tmux -S $socket has-session -t t 2>/dev/null"
		kill $loop
	fi
else
	echo "not tried: a full disk"
fi
expect_clean "all of this"
finish
