#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What cutop trace prints, and what becomes of it: text line by line, a Chrome
# trace held against its format, pipes that close or are not read, full disks,
# signals, what a command ends with, and that lines and losses add up.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "${top_srcdir:-.}/tests/e2e/cli.sh"
calls=$top_builddir/tests/e2e/bin/traced_calls
check_trace="python3 $top_srcdir/tests/e2e/trace_check.py"
command -v python3 >/dev/null || skip "needs python3"

# ---- text ----

run text trace --calls memory,kernels --args -- "$calls" args
name='[a-z_]{12}    '
ids=' *[0-9]+ +[0-9]+'
check "text: $(cat "$T/text.out")" grep -Eqx "[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6} $name$ids cudaLaunchKernel\(kernel=ns::scale<float>, grid=\(1,1,1\), block=\(32,1,1\), shared_bytes=0, stream=0x0, arguments=\[0x123456789abc, -7, 1\.5, -0\.25, 120, 1\]\) on 0 = cudaSuccess <[0-9]+\.[0-9]{9}>" "$T/text.out"
run text trace -t -- "$workload" pairs 1 4000
# Numbers that differ from run to run become one letter each.
sed -E 's/0x[0-9a-f]+/A/g; s/<[0-9.]+>/<T>/; s/after [0-9.]+ s/after T s/; s/ +[0-9]+ +[0-9]+ / P T /' "$T/text.out" >"$T/text"
cat >"$T/golden" <<'END'
workload P T cudaMalloc(address=A, bytes=4000, kind=device) on 0 = cudaSuccess <T>
workload P T cudaFree(address=A) on 0 = cudaSuccess <T> freed 4000 bytes of cudaMalloc after T s
END
check "text without times: $(cat "$T/text")" cmp -s "$T/text" "$T/golden"
run text trace -t --pairs -- "$workload" pairs 1 4000
check "pairs: $(cat "$T/text.out")" [ "$(sed -E 's/.* (\[[A-Z]+\]) +([a-zA-Z]+).*/\1 \2/' "$T/text.out" | tr '\n' ' ')" = \
	"[ENTER] cudaMalloc [EXIT] cudaMalloc [ENTER] cudaFree [EXIT] cudaFree " ]
run text trace -t -E -- "$workload" pairs 1 4000
check "entries: $(cat "$T/text.out")" [ "$(sed -E 's/.* (\[[A-Z]+\]) +([a-zA-Z]+).*/\1 \2/' "$T/text.out" | tr '\n' ' ')" = \
	"[ENTER] cudaMalloc [ENTER] cudaFree " ]
run text trace -t --stacks -- "$calls" args
check "stacks: $(cat "$T/text.out")" grep -Eqx '    args\+0x[0-9a-f]+ \(traced_calls\)' "$T/text.out"
run text trace -n 3 -- "$workload" pairs 100 8
check "-n" [ "$(wc -l <"$T/text.out")" = 3 ]

# ---- Chrome ----

chrome() {
	if said=$($check_trace chrome "$T/$1"); then
		if echo "$said" | jq -e "$2" >/dev/null; then pass; else fail "$1: $said"; fi
	else
		fail "$1: $said"
	fi
}

run chrome trace -f chrome -o "$T/chrome.json" -- "$calls" threads "$T/log" 40
chrome chrome.json '.calls == 488 and .said == 488 and .threads == 4 and (.streams | length) == 4 and .lost == 0'
# Threads have their names, as far as they still run when their first call is read: this one waits.
rm -f "$T/go"
: >"$T/named.json"
"$CUTOP" trace -f chrome --library "$double/libcudart.so.13" -o "$T/named.json" -- "$top_builddir/tests/e2e/bin/loader" "$double/libcudart.so.13" malloc 1 thread malloc 1 wait "$T/go" >/dev/null 2>"$T/err" &
named=$!
check "two threads are traced: $(cat "$T/err")" wait_for 20 sh -c '[ "$(grep -c "\"name\":\"cudaMalloc\"" "$1")" = 2 ]' - "$T/named.json"
touch "$T/go"
wait $named
chrome named.json '.threads == 2 and .named == ["loader", "loader-rest"]'
run chrome trace -f chrome --pairs -o "$T/chrome.json" -- "$calls" classes "$T/log"
chrome chrome.json '.calls == .said / 2 and .processes == 1 and (.streams | index("default stream")) and (.streams | length) == 2'
run chrome trace -f chrome -E -o "$T/chrome.json" -- "$calls" classes "$T/log"
chrome chrome.json '.calls == .said and .lost == 0'

# Ended by an interrupt, it is whole. (It is of a program: what others lose meanwhile is not this trace's.)
"$workload" loop 600 >/dev/null &
looping=$!
timeout --foreground 60 "$CUTOP" trace -f chrome -p $looping -o "$T/interrupted.json" 2>"$T/err" &
tracer=$!
check "a call is written" wait_for 30 grep -qs cudaFree "$T/interrupted.json"
pid=$(cat "/proc/$tracer/task/$tracer/children")
# shellcheck disable=SC2086
kill -INT $pid
wait $tracer
check "an interrupt ends it: $?" true
kill $looping
chrome interrupted.json '.calls > 0 and .lost == 0'

# ---- what a command ends with, and what makes no sense ----

run status trace -o "$T/x" -- sh -c 'exit 7'
expect_status status 7
run status trace -o "$T/x" -- "$T/nothing-there"
expect_status status 127
run duration trace --duration 0.2 -o "$T/x" -- sleep 30
expect_status duration 0
expect_line duration 'still runs'
kill "$(sed 's/.*process \([0-9]*\).*/\1/' "$T/duration.err")"
refused 2 'entries and --pairs' trace -E --pairs
refused 2 'stacks' trace -E --stacks
refused 2 'chrome is all about time' trace -t -f chrome
refused 2 'prints text, json or chrome' trace -f csv
refused 2 "takes no --no-time" -b -t
refused 2 "takes no --delay" trace -d 1
refused 2 "takes no --map" trace --map all
refused 1 'no-such-directory' trace -o /no-such-directory/x -- true

# ---- who reads ----

"$CUTOP" trace -- "$workload" pairs 2000 8 2>"$T/err" | head -n 2 >"$T/head"
check "a closed pipe: $(cat "$T/err")" [ ! -s "$T/err" ]
check "what it had read" [ "$(wc -l <"$T/head")" = 2 ]
run full trace -o /dev/full -- "$workload" pairs 2000 8
expect_status full 1
check "a full disk: $(cat "$T/full.err")" grep -q 'cannot write /dev/full: No space left on device' "$T/full.err"
check "what is lost with it: $(cat "$T/full.err")" grep -Eq 'lost unwritten 4000' "$T/full.err"
check "no more than that is said" [ "$(wc -l <"$T/full.err")" = 2 ]

# Nobody reads: the program comes to its end all the same, and whoever interrupts need not wait.
mkfifo "$T/pipe"
exec 9<>"$T/pipe"
"$CUTOP" trace --library "$double/libcudart.so.13" -o "$T/pipe" -- sh -c "'$workload' pairs 3000 8; echo >'$T/ended'" 2>"$T/err" &
tracer=$!
check "the program ends though nobody reads" wait_for 60 test -e "$T/ended"
check "the trace waits for its reader" kill -0 $tracer
kill -TERM $tracer
wait $tracer
check "a terminated trace ends" true
exec 9>&-
check "what nobody read is told: $(cat "$T/err")" grep -Eq 'lost unwritten [0-9]+ .*did not keep up' "$T/err"

# SIGINT is ignored where a shell's background job begins. It counts all the same, also while the output waits for its reader.
mkfifo "$T/unread"
"$CUTOP" trace --library "$double/libcudart.so.13" -c 'none*' -o "$T/unread" 2>"$T/err" &
tracer=$!
check "the trace does not wait for its reader: $(cat "$T/err")" wait_for 30 grep -qs fifo\\\|partner "/proc/$tracer/wchan"
kill -INT $tracer
cat "$T/unread" >"$T/read" &
reader=$!
check "SIGINT is lost" wait_for 20 sh -c "! kill -0 $tracer 2>/dev/null || grep -q Z /proc/$tracer/stat"
kill -KILL $tracer 2>/dev/null
wait $tracer
status=$?
check "SIGINT: status $status" [ $status = 130 ]
wait $reader

# What is traced ends in its time, however long the reader takes: the collector, the one thread beside the main one, is gone by then.
rm -f "$T/pipe"
mkfifo "$T/pipe"
exec 9<>"$T/pipe"
"$workload" churn 1000000000 1 0 >/dev/null 2>&1 &
busy=$!
"$CUTOP" trace --library "$double/libcudart.so.13" -p $busy --duration 2 -o "$T/pipe" 2>"$T/err" &
tracer=$!
threads_are() {
	[ "$(find "/proc/$tracer/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" = "$1" ]
}
check "duration: nothing is traced" wait_for 30 threads_are 2
check "duration: it is traced on while nobody reads" wait_for 30 threads_are 1
check "duration: it does not wait for its reader" kill -0 $tracer
kill -TERM $tracer
wait $tracer
kill $busy
exec 9>&-

# A signal that goes to COMMAND, and ends it, is not lost on us: it may come just before COMMAND ends by itself.
passed() {
	what=$1
	expected=$2
	shift 2
	rm -f "$T/ended"
	exec 9<>"$T/pipe"
	timeout --foreground 60 "$CUTOP" "$@" --library "$double/libcudart.so.13" -o "$T/pipe" -- \
		sh -c "trap 'exit 0' TERM; '$workload' -k churn 3000 1 0 >&2; echo >'$T/ended'; sleep 60 & wait" 2>"$T/err" &
	watcher=$!
	check "$what: the program does its work though nobody reads" wait_for 60 test -e "$T/ended"
	kill -TERM "$(cat "/proc/$watcher/task/$watcher/children")"
	wait $watcher
	check "$what: a signal that ended COMMAND ends us, too, though nobody reads: $?" [ $? = "$expected" ]
	exec 9>&-
}
passed trace 0 trace
# Its last document is cut, which is told.
passed batch 1 -b -d 60 -f json --map all

# ---- lines and losses add up ----

burst() {
	count=$1
	shift
	run burst trace -f json --calls devices -o "$T/burst.json" "$@" -- "$calls" burst "$count"
	expect_status burst 0
	check_jq "burst of $count $*: $(tail -n 1 "$T/burst.json")" --argjson made "$count" --argjson lines "$(grep -c '"call":"cudaSetDevice"' "$T/burst.json")" \
		'.calls == $lines and .calls + .lost.traced_calls + .lost.unwritten == $made and .lost.returns == 0' <"$(tail -n 1 "$T/burst.json" >"$T/last"; echo "$T/last")"
}
burst 300000
burst 100000 --ring-size 64K
burst 30000 -E
finish
