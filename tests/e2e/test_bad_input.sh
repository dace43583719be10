#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input: one line that says what is wrong, the exit status of the manual, nothing left behind in
# the kernel; and names chosen by watched programs, which must not reach a terminal or a parser
# unchanged.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
helpers=$top_builddir/tests/e2e/bin
library=$double/libcudart.so.13
[ -x "$helpers/loader" ] || skip "the helpers are not built"

# ---- rights ----

real_cutop=$CUTOP
mkdir "$T/bin"
cp "$CUTOP" "$T/bin/cutop"
chmod 755 "$T/bin" "$T/bin/cutop"
cat >"$T/bin/as-nobody" <<END
#!/bin/sh
exec setpriv --reuid=65534 --regid=65534 --clear-groups \$caps -- "$T/bin/cutop" "\$@"
END
chmod 755 "$T/bin/as-nobody"
CUTOP=$T/bin/as-nobody
export caps=
if setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	refused 1 'CAP_BPF and CAP_PERFMON missing.*sudo' -b -n 1
	refused 1 'CAP_BPF and CAP_PERFMON missing.*sudo' -b -- true
	run help --help
	expect_status help 0
	caps="--inh-caps=-all,+bpf --ambient-caps=+bpf"
	refused 1 'no permission to probe: CAP_PERFMON missing.*sudo' -b -n 1
	caps="--inh-caps=-all,+bpf,+perfmon --ambient-caps=+bpf,+perfmon"
	run capable -b -f json -n 1 -d 0.1
	expect_status capable 0
	check_jq "not even root is needed" .schema "$T/capable.out"
fi
CUTOP=$real_cutop

# ---- files given as --library ----

: >"$T/empty"
head -c 100 "$library" >"$T/truncated"
head -c 5000 "$library" >"$T/cut"
{ head -c 4096 "$library"; head -c 8192 /dev/zero; } >"$T/zeroed"
{ printf '\177ELF\001\001\001\000'; head -c 44 /dev/zero; } >"$T/elf32"
# Another machine's: e_machine is 16 bits at 18.
cp "$library" "$T/foreign"
printf '\050\000' | dd of="$T/foreign" bs=1 seek=18 conv=notrunc 2>/dev/null
# Section headers far behind the file's end: e_shoff is 64 bits at 40.
cp "$library" "$T/sections"
printf '\377\377\377\377\377\377\377\177' | dd of="$T/sections" bs=1 seek=40 conv=notrunc 2>/dev/null
mkfifo "$T/fifo"
refused 1 '--library /no/such/file: No such file' -b --library /no/such/file
refused 2 "library needs an argument: PATH, not ''" -b --library ''
refused 1 'is not a regular file; the path of a library or program itself is needed' -b --library "$T"
refused 1 'is not a regular file' -b --library "$T/fifo"
refused 1 'is not a regular file' -b --library /dev/null
refused 1 'is not an ELF file' -b --library "$T/empty"
refused 1 'is not an ELF file' -b --library "$top_srcdir/tests/e2e/lib.sh"
refused 1 'not a program or shared library of this machine' -b --library "$T/elf32"
refused 1 'not a program or shared library of this machine' -b --library "$T/foreign"
for file in truncated cut zeroed sections; do
	refused 1 "--library $T/$file: .*(broken|ELF|defines no)" -b --library "$T/$file"
done
refused 1 'defines no CUDA function' -b --library "$CUTOP"
refused 1 "an't.*|defines no|No such" -b --library "$library" --library "$CUTOP" -- true
# The command must not have run.
run not-run -b --library /no/such/file -- touch "$T/has-run"
check "COMMAND ran in spite of an error" [ ! -e "$T/has-run" ]

# ---- output ----

refused 1 'cannot write /no/such/dir/x: No such file' -b -n 1 -o /no/such/dir/x
refused 1 'cannot write .*: Is a directory' -b -n 1 -o "$T"
refused 2 "output needs an argument: FILE, not ''" -b -n 1 -o ''
refused 1 'cannot write /dev/full: No space left' -b -n 3 -d 0.05 -o /dev/full
refused 1 'cannot write /dev/full: No space left' -b -f json -d 0.05 -o /dev/full -- "$workload" short
"$CUTOP" record --trace -o "$T/calls.cutop" -- "$workload" short >/dev/null 2>&1
for format in text json csv; do
	refused 1 'cannot write /dev/full: No space left' --replay "$T/calls.cutop" -b -f "$format" -o /dev/full
	timeout --foreground 20 "$CUTOP" --replay "$T/calls.cutop" -b -f "$format" >/dev/full 2>"$T/full.err"
	status=$?
	expect_status full 1
	expect_line full 'cannot write standard output: No space left'
done
run full-status -b -o /dev/full -- sh -c 'exit 6'
expect_status full-status 6
timeout --foreground 20 "$CUTOP" -b -n 2 -d 0.05 2>"$T/closed.err" >&-
status=$?
expect_status closed 1
expect_line closed 'cannot write standard output: Bad file descriptor'
timeout --foreground 20 "$CUTOP" -b -n 1 -d 0.05 -f json -o "$T/closed-all.json" <&- >&- 2>&-
check_jq "nothing but -o is open: no document" .schema "$T/closed-all.json"
# A pipe waits for its reader, but not on when it is told to end.
is_opening() {
	grep -Eqs 'fifo_open|wait_for_partner' "/proc/$1/wchan"
}
for mode in -b trace record; do
	"$CUTOP" "$mode" -o "$T/fifo" >"$T/waits.out" 2>&1 &
	waits=$!
	check "$mode: it waits for a reader: $(cat "$T/waits.out")" wait_for 30 is_opening "$waits"
	kill "$waits"
	wait "$waits"
	status=$?
	check "$mode: SIGTERM ends that, not with status $status" [ "$status" = 143 ]
done

# Nobody reads: the pipe is full. Signals are heard all the same, and passed on to COMMAND; who is told to end does not
# wait for long, but after a first SIGINT, which the reader got as well.
exec 9<>"$T/fifo"
head -c 65536 /dev/zero >&9
# It has the pipe, and hears SIGTERM, the 15th: while it opened that, it would have ended it.
has_opened() {
	find "/proc/$1/fd" -lname "$T/fifo" 2>/dev/null | grep -q . && grep -q '^SigBlk:.*[4-7c-f]...$' "/proc/$1/status"
}
unread() {
	start unread -o "$T/fifo" "$@" 9>&-
	check "unread: $*: it starts" wait_for 30 has_opened "$cutop"
}
# What it has to print, it cannot; a live one may also wait for its next snapshot, and prints one when it is told to end.
is_waiting() {
	grep -q poll "/proc/$1/wchan"
}
for mode in "-b -d 0.05" "-b --replay $T/calls.cutop" "trace --replay $T/calls.cutop"; do
	# shellcheck disable=SC2086
	unread $mode
	check "unread: $mode: it waits for the reader" wait_for 30 is_waiting "$cutop"
	kill -TERM "$cutop"
	wait "$cutop"
	status=$?
	check "unread: $mode: SIGTERM ends it with $status: $(cat "$T/unread.err")" [ "$status" = 143 ]
	check "unread: $mode: it says so: $(cat "$T/unread.err")" grep -q 'fifo is not read: what was still to be printed is left out' "$T/unread.err"
done
# shellcheck disable=SC2016
unread -b -d 0.02 -- sh -c 'trap "exit 9" TERM; while sleep 0.05; do echo >>"$1"; done' sh "$T/beats"
has_beaten() {
	[ -e "$T/beats" ] && [ "$(wc -l <"$T/beats")" -gt 10 ]
}
check "unread: COMMAND runs" wait_for 30 has_beaten
command=$(pgrep -P "$cutop" -x sh)
kill -TERM "$cutop"
has_ended() {
	[ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"
}
check "unread: COMMAND gets the signal" wait_for 30 has_ended "$command"
interrupted() {	# again, for two that come at once are one
	kill -INT "$cutop" 2>/dev/null
	has_ended "$cutop"
}
check "unread: a second SIGINT is heard" wait_for 30 interrupted
wait "$cutop"
status=$?
check "unread: then it ends, with COMMAND's status, not $status: $(cat "$T/unread.err")" [ "$status" = 9 ]
exec 9>&-

# ---- processes ----

refused 1 'no process 2147483647' -b -n 1 -p 2147483647
refused 1 "no process 2147483647" -b -n 1 -p "$$,2147483647"
"$workload" threads 2 100000000 &
threads=$!
wait_for 10 sh -c "[ \"\$(ls /proc/$threads/task | wc -l)\" -gt 1 ]"
thread=$(find "/proc/$threads/task" -mindepth 1 -maxdepth 1 ! -name "$threads" -printf '%f\n' | head -n 1)
refused 1 "$thread is a thread" -b -n 1 -p "$thread"
kill "$threads"
CUTOP_ATTACH=magic
export CUTOP_ATTACH
refused 1 "unknown attach method 'magic'" -b -n 1
unset CUTOP_ATTACH

# ---- hostile names ----

evil=$(printf '\033]0;own\007\033[31m"<&,\nx\t\200\377\303')
mkdir "$T/$evil"
cp "$workload-static" "$T/$evil/$evil"
cp "$double/libcudart.so.13" "$double/libcuda.so.1" "$T/$evil"
export LD_LIBRARY_PATH="$double"
"$CUTOP" record -o "$T/evil.cutop" -- "$T/$evil/$evil" -k pairs 3 100 "$evil" "$(printf 'a\rb\302\233c')" >/dev/null 2>&1
for format in text json csv; do
	if [ $format = text ]; then
		run evil-text -b -v -n 1 -- "$T/$evil/$evil" -k pairs 3 100 "$evil" "$(printf 'a\rb\302\233c')"
	else
		run "evil-$format" --replay "$T/evil.cutop" -b -f "$format" -n 1
	fi
	expect_status "evil-$format" 0
	for stream in out err; do
		check "$format: a control byte in .$stream" \
			[ "$(tr -d '\n' <"$T/evil-$format.$stream" | LC_ALL=C tr -dc '\000-\037\177' | wc -c)" = 0 ]
		check "$format: .$stream is not UTF-8" iconv -f UTF-8 -t UTF-16 -o /dev/null "$T/evil-$format.$stream"
		check "$format: a C1 control in .$stream" \
			sh -c "! LC_ALL=C grep -q '$(printf '\302\233')' '$T/evil-$format.$stream'"
	done
done
unset LD_LIBRARY_PATH
grep '^{' "$T/evil-json.out" >"$T/evil-json.json"
expect evil-json 'p.memory.leaked_bytes' 300
expect evil-json 'p.memory.map[0].size' 100
check "csv: rows" [ "$(wc -l <"$T/evil-csv.out")" = 2 ]
watch evil-library -v --library "$T/$evil/libcudart.so.13" -- \
	"$helpers/loader" "$T/$evil/libcudart.so.13" malloc 3
expect evil-library 'p.memory.allocations' 3
check "a control byte in -v" [ "$(tr -d '\n' <"$T/evil-library.err" | LC_ALL=C tr -dc '\000-\037\177' | wc -c)" = 0 ]
refused 127 'not found' -b -- "$evil"
check "a control byte in a message" \
	[ "$(tr -d '\n' <"$T/refused$run_count.err" | LC_ALL=C tr -dc '\000-\037\177' | wc -c)" = 0 ]
refused 1 'No such file' -b --library "/no/$evil"
refused 1 'cannot write' -b -n 1 -o "/no/$evil"

# ---- killed ----

"$CUTOP" -b -f json -d 0.05 --library "$library" -- "$workload" loop 3600 >"$T/killed.out" 2>&1 &
cutop=$!
wait_for 10 [ -s "$T/killed.out" ]
wait_for 10 pgrep -P "$cutop" -x workload >/dev/null
command=$(pgrep -P "$cutop" -x workload)
kill -KILL "$cutop"
wait "$cutop" 2>/dev/null
expect_clean "kill -9"
check "kill -9 of cutop takes COMMAND along" kill "$command"
watch next -- "$workload" case-study leak
expect next 'p.memory.leaked_bytes' 8000000
expect_clean "all of this"
finish
