#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line: every option does what --help says, every wrong value is
# refused with exit status 2 and one line that says what to do.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

# ---- what needs no probe ----

run help --help
expect_status help 0
run help-short -h
check "-h is --help" cmp -s "$T/help.out" "$T/help-short.out"
for option in batch iterations delay duration format output pid user command sort reverse layer calls exact-launches \
	leak-age leak-ignore fail-on-leak allow-no-cuda map run-as library ring-size color ascii verbose help version; do
	check "--help does not name --$option" grep -q -e "--$option\\b" "$T/help.out"
done
check "a line of --help is too wide" [ "$(wc -L <"$T/help.out")" -le 110 ]
run version -V
expect_status version 0
check "--version: $(cat "$T/version.out")" grep -Eqx 'cutop [0-9]+\.[0-9]+.*' "$T/version.out"
run full --help
"$CUTOP" --help >/dev/full 2>"$T/full.err"
status=$?
expect_status full 1
expect_line full 'No space left'

run columns -s help
expect_status columns 0
for column in pid user dev live peak leaked allocs launches h2d d2h wait failed command; do
	check "-s help does not list $column" grep -q "^$column " "$T/columns.out"
done
run groups --calls help
expect_status groups 0
for group in default all queries memory; do
	check "--calls help does not list $group" grep -q "^$group " "$T/groups.out"
done

# ---- wrong values ----

refused 2 '--batch'
refused 2 "option '--nope'.*--help" --nope
refused 2 "option '-Z'" -bZ
refused 2 "option '-Z'" -Zb
refused 2 'takes no argument' --batch=3
refused 2 "'--le' may be" --le 3
refused 2 'needs an argument: FILE' -b -o
refused 2 "needs an argument: FILE, not ''" -b -o ''
refused 2 "needs an argument: FILE, not ''" --replay=
refused 2 "needs an argument: FILE, not ''" --config ''
refused 2 "needs an argument: PATH, not ''" -b --library ''
refused 2 "needs an argument: GLOB, not ''" -b -c ''
refused 2 "needs an argument: GLOB, not ''" -b --leak-ignore ''
refused 2 'needs an argument: N' -bn
refused 2 'whole number' -b -n 0
refused 2 'whole number' -b -n -1
refused 2 'whole number' -b -n 3x
refused 2 'whole number' -b -n 99999999999999999999
refused 2 'time in seconds' -b -d 0
refused 2 'time in seconds' -b -d nan
refused 2 'time in seconds' -b -d 1s
refused 2 'at most 1000000000 seconds' -b -d 1e300
refused 2 'at most 1000000000 seconds' -b --duration inf
refused 2 'time in seconds' -b -d ''
refused 2 'time in seconds' -b --duration -1
refused 2 'time in seconds' -b --leak-age none
refused 2 "takes text, json, csv, .* or chrome, not 'xml'" -b -f xml
refused 2 "process ids, not 'two' \(--command takes names\)" -b -p 1,two
refused 2 "process ids, not '0'" -b -p 0
refused 2 "process ids, not '4294967297'" -b -p 4294967297
refused 2 'list of process ids' -b -p ''
refused 2 "no user 'nobody-at-all'" -b -u nobody-at-all
refused 2 "no user ''" -b -u ''
refused 2 "no column 'colour'.*-s help" -b -s colour
refused 2 "no column 'colour'" -b -s live,colour
refused 2 "no column ''" -b -s ''
refused 2 'at most 8 columns' -b -s pid,pid,pid,pid,pid,pid,pid,pid,pid
refused 2 "'gpu'" -b -l gpu
refused 2 "runtime, driver or both, not 'nonsense'" -b --layer nonsense
refused 2 "no group of calls 'nonsense'.*--calls help" -b --calls nonsense
refused 2 "no group of calls 'nonsense'" -b --calls memory,nonsense
refused 2 'list of groups' -b --calls ,
refused 2 "how many allocations to list, all or none, not 'some'" -b --map some
refused 2 'power of two' -b --ring-size 3M
refused 2 'power of two' -b --ring-size 4K
refused 2 'power of two' -b --ring-size 2G
refused 2 'size in bytes' -b --ring-size 1MB
refused 2 'size in bytes' -b --fail-on-leak=much -- true
refused 2 'size in bytes' -b --fail-on-leak=-1 -- true
refused 2 'size in bytes' -b --fail-on-leak=much,host -- true
refused 2 'size in bytes' -b --fail-on-leak=1,device -- true
refused 2 'size in bytes' -b --fail-on-leak=99999999999G -- true
refused 2 'needs a command' -b --fail-on-leak
refused 2 'needs a command' -b --run-as root
refused 2 'allow-no-cuda is for --fail-on-leak' -b --allow-no-cuda -- true
refused 2 'top-kernels is for metrics' -b --top-kernels 5
refused 2 'top-sites is for metrics' -b --top-sites 5
refused 2 'exact-launches needs return probes' -b --exact-launches --returns=never
refused 2 'launch-sites needs return probes' -b --launch-sites --returns=never
refused 2 'stacks needs return probes' trace --returns=never --stacks
refused 2 'pairs needs return probes' trace --returns=never --pairs
refused 2 "no user 'nobody-at-all'" -b --run-as nobody-at-all -- true
refused 2 "auto, always or never, not 'sometimes'" -b -C sometimes
refused 2 'no command after --' -b --
refused 2 "'true'.*-- before" -b true
refused 2 'do not go together' -b -p $$ -- true
refused 2 'do not go together' -b --config "$T/settings" --no-config
run escape -b --format "$(printf 'a\033[31m\nb')"
expect_status escape 2
expect_line escape "not 'a"
check "an escape sequence reaches the terminal" [ "$(tr -d '\n' <"$T/escape.err" | tr -d '[:print:]' | wc -c)" = 0 ]

# What does not exist.
refused 2 "no option '--elephants';" --elephants
refused 2 "no option '--pids=3'" --pids=3
refused 2 "no column 'liev'; -s help" -b -s peak,liev
refused 2 "no group of calls 'coppies'" -b --calls copies,coppies
refused 2 "'ls' is no option;" ls

# A mode's word may stand behind options, but not behind --.
run mode-late -n 1 -f json trace -V
expect_status mode-late 0
refused 2 "'cutop trace' takes no --batch" -b trace
refused 2 "'cutop doctor' takes no command" -f json doctor trace
refused 127 'demo: command not found' -b -- demo
refused 2 "'record' and 'demo' do not go together" record -o "$T/nothing" demo

# Who names a format, or a place, wants something printed.
refused 2 'screen has no --format; use --batch' -f json
refused 2 'screen has no --output; use --batch' -o "$T/nothing"
refused 2 'a recording has a form of its own' record -f json -o "$T/nothing"
refused 2 'not to standard output' record -o -
check "what is refused writes nothing" [ ! -e "$T/nothing" ]

# ---- formats ----

# ---- the demonstration, to somebody without rights ----

mkdir -p "$T/bin" "$T/libexec/cutop/demo"
cp "$CUTOP" "$T/bin/cutop"
cp "$top_srcdir/tests/workloads/demo.cutop" "$T/libexec/cutop/demo"
chmod 755 "$T" "$T/bin/cutop"
run played demo -b -f json -d 0.05 -n 1
check "a real demonstration is called a recording: $(cat "$T/played.err")" [ ! -s "$T/played.err" ]
CUTOP_WAS=$CUTOP
CUTOP=$T/as_nobody
printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups %s "$@"\n' "$T/bin/cutop" >"$CUTOP"
chmod 755 "$CUTOP"
run played demo -b -f json
CUTOP=$CUTOP_WAS
expect_status played 0
expect_line played '^cutop: these figures are from a recording: '
tail -n 1 "$T/played.out" >"$T/played.json"
check_jq "what the recording shows" '.processes | length == 5 and any(.memory.suspect_bytes > 0) and any(.failures != [])' \
	"$T/played.json"

# Two processes: the first leaks 3,000 bytes, the second, of a lower pid, 14,000. A shell's children use libraries
# that nobody could know ahead, so they are named.
library=$double/libcudart.so.13
cat >"$T/two" <<END
#!/bin/sh
"$workload" -k pairs 3 1000
exec "$workload" -k pairs 2 7000
END
chmod 755 "$T/two"

# after N NAME: prints what waits until N documents of NAME are there
after() {
	echo "until [ \"\$(wc -l <'$T/$2.out')\" -ge $1 ]; do sleep 0.02; done"
}
run json -b -f json -d 0.05 -n 3 --library "$library" -- sh -c "$(after 2 json); sleep 0.2; '$workload' case-study"
expect_status json 0
check_jq "a line of JSON does not parse" . "$T/json.out"
check "-n 3 with COMMAND prints at most 3 documents" [ "$(wc -l <"$T/json.out")" = 3 ]
check "the last document is the final one" \
	[ "$(tail -n 1 "$T/json.out" | jq '.processes[0].memory.frees')" = 3 ]
run endless -b -f json -d 0.05 --library "$library" -- sh -c "$(after 3 endless); '$workload' case-study"
check "without -n, documents until COMMAND ends" [ "$(wc -l <"$T/endless.out")" -ge 4 ]
check "the last of them is the final one" \
	[ "$(tail -n 1 "$T/endless.out" | jq '.processes[0].memory.frees')" = 3 ]
run three -b -f json -d 0.02 -n 3
check "-n 3 prints 3 documents" [ "$(jq -s length "$T/three.out")" = 3 ]
check_jq "an interval is the time between two documents" -s '[range(1; length) as $i |
	((.[$i].elapsed_seconds - .[$i - 1].elapsed_seconds - .[$i].interval_seconds) | fabs) < 0.001] | all' "$T/three.out"
# So it is where who reads them is slow. Nothing is read until the collector has had time for more than it may make.
mkfifo "$T/pipe"
"$CUTOP" -b -f json -d 0.01 -n 200 >"$T/pipe" 2>"$T/piped.err" &
cutop=$!
exec 3<"$T/pipe"
# pipe(7): 64 KiB go into one, at least half of each page; then no more is written.
written=0
fills() {
	before_it=$written
	written=$(sed -n 's/^wchar: //p' "/proc/$cutop/io")
	[ "$written" -gt 32768 ] && [ "$written" = "$before_it" ]
}
turns() {
	cat "/proc/$cutop"/task/*/status | awk '/^voluntary/ { n += $2 } END { print n }'
}
check "the pipe does not fill" wait_for 30 fills
full=$(turns)
more_turns() {
	[ "$(turns)" -gt $((full + 20)) ]
}
check "the collector does not go on" wait_for 30 more_turns
cat <&3 >"$T/piped.out"
exec 3<&-
wait "$cutop"
check_jq "an interval is the time between two documents, however late these are read" -s 'length == 200 and ([range(1; length) as $i |
	((.[$i].elapsed_seconds - .[$i - 1].elapsed_seconds - .[$i].interval_seconds) | fabs) < 0.001] | all)' "$T/piped.out"
check_jq "the first document has an interval, too" -s '.[0] | .interval_seconds >= 0.02 and
	.interval_seconds <= .elapsed_seconds' "$T/three.out"
# No refresh between the launches and the end; and what ends within 10 ms (RATE_SECONDS_MIN) has no rates.
run rates -b -f json -d 60 -n 1 --library "$library" -- sh -c "sleep 0.1; '$workload' launches 100"
check_jq "a single document has rates" '.processes[0].kernels | length > 0 and all(.launches_per_second > 0)' "$T/rates.out"
run slow -b -f json -d 0.5 -n 3
check_jq "-d is the interval" -s '[.[1:][].interval_seconds] | add > 0.5' "$T/slow.out"
run duration -b -f json -d 100 --duration 0.2
expect_status duration 0
check "--duration ends with a snapshot" [ "$(jq -s length "$T/duration.out")" = 1 ]
run outlived -b -f json --duration 0.2 -n 1 -- sh -c "echo \$\$ >'$T/pid'; exec sleep 100"
expect_status outlived 0
expect_line outlived 'still runs'
wait_for 10 [ -s "$T/pid" ]
check "--duration does not end COMMAND" kill "$(cat "$T/pid")"

run csv -b -f csv -d 0.1 --library "$library" -- sh -c "'$T/two'; sleep 2"
expect_status csv 0
if command -v python3 >/dev/null; then
	python3 - "$T/csv.out" "$T/columns.out" >"$T/csv.err" 2>&1 <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
header = rows[0]
names = [line.split()[0] for line in open(sys.argv[2])]
assert header == ["time"] + names + ["interval"], header
assert rows.count(header) == 1, "header more than once"
assert all(len(row) == len(header) for row in rows), "ragged"
last = [dict(zip(header, row)) for row in rows if row[0] == rows[-1][0]]
assert len(last) == 2, last
assert [row["leaked"] for row in last] == ["14000", "3000"], last
assert len(rows) > 3, "rows of one snapshot only"
assert all(0 < float(row["interval"]) < 20 for row in last), last
END
	status=$?
	expect_status csv 0
fi
check "csv prints its header once" [ "$(grep -c '^time,' "$T/csv.out")" = 1 ]

run text -b -n 1 -- "$workload" case-study leak
expect_status text 0
check "text has the header of the table" grep -q 'PID.*LIVE.*COMMAND' "$T/text.out"
check "text has the leak report" grep -q '8000000.*cudaMalloc.*case_study' "$T/text.out"
check "text in a pipe has no colour" sh -c "! grep -q '$(printf '\033')' '$T/text.out'"
# What a document looks like has nothing to do with where it comes from.
run short record -o "$T/short.cutop" -- "$workload" short
expect_status short 0
short="--replay $T/short.cutop"
# shellcheck disable=SC2086
run colored -b -n 1 -C always $short
check "-C always colours" grep -q "$(printf '\033')\\[" "$T/colored.out"
# shellcheck disable=SC2086
run plain -b -n 1 -C never $short
check "-C never does not" sh -c "! grep -q '$(printf '\033')' '$T/plain.out'"
# On a terminal, unless that is dumb or NO_COLOR says something.
if command -v script >/dev/null; then
	on_terminal() {
		env -u NO_COLOR "$@" script -qec "'$CUTOP' -b -n 1 $short" /dev/null </dev/null >"$T/tty.out"
	}
	on_terminal TERM=xterm NO_COLOR=
	check "a terminal, and NO_COLOR empty: colours" grep -q "$(printf '\033')\\[1m" "$T/tty.out"
	for set in TERM=dumb TERM= "TERM=xterm NO_COLOR=1"; do
		# shellcheck disable=SC2086
		on_terminal $set
		check "$set: no colours" sh -c "grep -q probes '$T/tty.out' && ! grep -q '$(printf '\033')' '$T/tty.out'"
	done
fi
# shellcheck disable=SC2086
run ascii -b --ascii -n 1 $short
check "--ascii leaves no other byte" [ "$(LC_ALL=C tr -d '\000-\177' <"$T/ascii.out" | wc -c)" = 0 ]

run output -b -f json -n 1 -o "$T/there.json" -- "$workload" short
expect_status output 0
check_jq "-o writes the file" '.schema == 1' "$T/there.json"
check "-o leaves standard output alone" [ ! -s "$T/output.out" ]
here=$(pwd)
cd "$T" || exit 1
# shellcheck disable=SC2086
run dash -b -f json -n 1 -o - $short
check "-o - makes no file" [ ! -e "$T/-" ]
cd "$here" || exit 1
check_jq "-o - is standard output" .schema "$T/dash.out"

# ---- sorting: the same two processes, once each way ----

# Pids begin anew at their highest, and then the first has the lower one.
for _ in 1 2 3; do
	run record record -o "$T/two.cutop" --library "$library" -- "$T/two"
	expect_status record 0
	run replayed --replay "$T/two.cutop" -b -f csv
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { pid[$at["peak"]] = $at["pid"] }
		END { exit pid[14000] > pid[3000] }' "$T/replayed.out" && break
done

# $1: options, $2: order of peaks; live where the rest says so, and otherwise in the last snapshot of a recording
sorted() {
	options=$1
	order=$2
	shift 2
	[ $# -gt 0 ] || set -- --replay "$T/two.cutop"
	# shellcheck disable=SC2086
	run sorted -b -f csv $options "$@"
	expect_status sorted 0
	got=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "peak") c = i; next } $1 != time { time = $1; row = "" }
		{ row = row $c " " } END { print row }' "$T/sorted.out")
	check "-s order of '$options' is $got" [ "$got" = "$order " ]
}
sorted "-s peak" "14000 3000"
sorted "-s peak" "14000 3000" -n 1 --library "$library" -- "$T/two"
sorted "-s peak -r" "3000 14000"
sorted "-s launches,peak" "14000 3000"
sorted "-s pid,peak" "3000 14000"
sorted "-s FREES,allocs" "3000 14000"
sorted "-s state,command,leaked" "14000 3000"
sorted "" "14000 3000"

# ---- what is recorded ----

watch none --map none -- "$workload" -k pairs 5 100
expect none 'p.memory.map' '[]'
expect none 'p.memory.map_omitted' 5
expect none 'p.memory.leaked_bytes' 500
# text: what JSON has, but only where --map asks for it
"$CUTOP" record -o "$T/map.cutop" -- "$workload" -k kinds >"$T/map.said" 2>&1
listed() {	# NAME OPTIONS...: the rows of the table in the last snapshot
	"$CUTOP" --replay "$T/map.cutop" -b "$@" | awk '/^cutop/ { n = 0 } / SITE$/ { on = NF == 8; next } !/^  0x/ { on = 0 }
		on { row[n++] = $1 " " $2 " " $3 " " $4 " " $6 " " $7; for (i = 8; i <= NF; i++) row[n - 1] = row[n - 1] " " $i } END { for (i = 0; i < n; i++) print row[i] }'
}
"$CUTOP" --replay "$T/map.cutop" -b -f json | tail -n 1 | jq -r '.processes[].memory.map[] |
	"\(.address) \(.size) \(.kind) \(.device // "-") \(.state) \(.call) \(.site)"' >"$T/map.json.rows"
listed --map all >"$T/map.rows"
check "--map in text: $(diff "$T/map.json.rows" "$T/map.rows")" cmp -s "$T/map.json.rows" "$T/map.rows"
check "--map in text: no row" [ -s "$T/map.rows" ]
check "--map 2 in text" [ "$(listed --map 2)" = "$(head -n 2 "$T/map.rows")" ]
check "--map 2 in text: how many more" sh -c "'$CUTOP' --replay '$T/map.cutop' -b --map 2 | grep -qx '  and $(($(wc -l <"$T/map.rows") - 2)) more allocations'"
check "--map none in text" [ -z "$(listed --map none)" ]
check "no --map in text" [ -z "$(listed)" ]
watch two --map 2 --replay "$T/map.cutop"
expect two 'p.memory.map | length' 2
expect two '[p.memory.map[].size] | . == (sort | reverse)' true
"$CUTOP" record -o "$T/many.cutop" -- "$workload" -k pairs 1200 10
watch thousand --replay "$T/many.cutop"
expect thousand 'p.memory.map | length' 1000
expect thousand 'p.memory.map_omitted' 200
watch all --map all --replay "$T/many.cutop"
expect all 'p.memory.map | length' 1200

watch fewer -- "$workload" failures
expect fewer '[p.calls[] | select(.call == "cudaGetLastError")] | length' 0
watch queries --calls default,queries -- "$workload" failures
expect queries 'call("cudaGetLastError").calls' 2
watch every --calls all -- "$workload" failures
expect every 'call("cudaGetLastError").calls' 2
watch memory --calls memory -- "$workload" case-study leak
expect memory 'p.memory.leaked_bytes' 8000000
expect memory 'p.copies' '[]'

watch sampled -- "$workload" case-study
have_sessions && expect sampled '[p.kernels[].returns] | unique' '["sampled"]'
watch exact --exact-launches -- "$workload" case-study
expect exact '[p.kernels[].returns] | unique' '["all"]'
expect exact '[p.kernels[].latency_samples]' '[1000,1000]'

watch held --leak-ignore 'work*' -- "$workload" case-study leak
expect held 'p.memory.held_bytes' 8000000
expect held 'p.memory.leaked_bytes' 0
watch layer -l runtime --ring-size 64K --leak-age 0.5 -- "$workload" case-study leak
expect layer 'p.memory.leaked_bytes' 8000000

run verbose -b -v -f json -n 1 -- "$workload" short
expect_status verbose 0
check "-v does not name the library" grep -q 'libcudart.so.13: [0-9]* functions attached' "$T/verbose.err"

# ---- whom COMMAND runs as ----

# shellcheck disable=SC2016
run as-nobody -b -f json -n 1 -o "$T/as.json" --run-as nobody -- sh -c 'id -un; echo "$HOME $USER"'
expect_status as-nobody 0
check "--run-as: $(cat "$T/as-nobody.out")" grep -qx nobody "$T/as-nobody.out"
check "--run-as sets HOME and USER" grep -qx '/nonexistent nobody' "$T/as-nobody.out"
SUDO_UID=65534 SUDO_GID=65534 run sudo -b -f json -n 1 -o "$T/as.json" -- id -u
check "COMMAND runs as who called sudo" grep -qx 65534 "$T/sudo.out"
SUDO_UID=65534 SUDO_GID=65534 run as-root -b -f json -n 1 -o "$T/as.json" --run-as root -- id -u
check "--run-as root overrules sudo" grep -qx 0 "$T/as-root.out"

# ---- a locale with a decimal comma does not change the command line ----

if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$T/de_DE.UTF-8" 2>/dev/null; then
	# The C library never frees what it makes of LOCPATH.
	ASAN_OPTIONS=detect_leaks=0 LOCPATH=$T LC_ALL=de_DE.UTF-8 run locale -b -f json -d 0.05 -n 2
	expect_status locale 0
	check_jq "JSON in another locale" . "$T/locale.out"
fi
finish
