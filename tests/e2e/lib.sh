# SPDX-License-Identifier: GPL-2.0-or-later
# What the end-to-end tests share. Source it first. It skips (77) where probes
# cannot be placed, gives a scratch directory $T, and counts checks:
#
#   watch NAME [cutop options] -- COMMAND...   runs cutop -b -f json -n 1; leaves
#                                $T/NAME.json (last document), .out, .err, $status
#   expect NAME JQ-FILTER VALUE  the filter on $T/NAME.json prints VALUE
#   split NAME NAMES...          when COMMAND was a shell: the programs it ran one after
#                                the other, each with its children as a document
#                                of its own, $T/NAMES.json
#   queue NAME COMMAND...        a program, of words without quotes, that the next watch_queue runs
#   watch_queue NAME [cutop options]
#                                the queued programs run one after the other below one cutop: what takes the time of a watch is
#                                starting cutop. What watch leaves of all of them is in $T/NAME.*; of each program its output
#                                in $T/ITS-NAME.out and .err, its exit status in .status, and it with all that descends from
#                                it as a document of its own, $T/ITS-NAME.json, but for what lost its parent. Totals and losses there are those of all.
#   queue_end NAME               the queued programs as a shell script, $T/NAME.sh, for other uses; of each the process is in
#                                $T/ITS-NAME.pid
#   queued_status NAME N         such a program's exit status
#   check "what" command...      the command succeeds
#   private_double FOLDER        the double there, where nobody else's probes are; its runtime is $library
#   libraries_below ROOT FILE... copies what these are linked to, but for the double, to the same paths below ROOT
#   mux ARGUMENTS                tmux with a server of the test's own, at $socket
#   seen                         prints what the screen of its session t shows
#   see REGEX                    waits until it shows that; 60 seconds, or $patience
#   finish                       prints the count and exits
#
# CUTOP_TEST_FORM=driver, endbr or stepped runs the test on the double whose functions begin so (tests/double/forms): $double
# is that folder, and every program loads its libraries from there.
#
# However the test ends, all that it has started ends with it, and $T goes. One that has more to undo does so before
# clean_up in a trap of its own, and after end_started what must wait for the others' end.
#
# In filters, `p` is the only process, or fails: ok "p.memory.frees" is
# expect NAME 'p.memory.frees' 3.
set -u

: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CUTOP:=$top_builddir/src/cutop}"
bin=$top_builddir/tests/workloads/bin
double=$top_builddir/tests/double/lib
# shellcheck disable=SC2034
workload=$bin/workload
passed=0
failed=0

skip() {
	echo "SKIP: $*"
	exit 77
}

[ "$(id -u)" = 0 ] || skip "needs root to place probes"
[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
command -v jq >/dev/null || skip "needs jq (Debian: apt install jq)"
[ -x "$bin/workload" ] || skip "the workloads are not built"

# Which libraries are found first depends on what else runs on the machine, and so would the layer at which launches are
# counted: here it is the runtime's, but in test_launches_once.sh.
export CUTOP_LAUNCHES=both
# Less than everything is watched only where that is what is tried.
export CUTOP_BUDGET=${CUTOP_BUDGET:-0}

# LD_LIBRARY_PATH is searched before the programs' DT_RUNPATH, and a program loads both libraries from the folder that it names.
if [ -n "${CUTOP_TEST_FORM:-}" ]; then
	double=$top_builddir/tests/double/forms/$CUTOP_TEST_FORM
	[ -e "$double/libcuda.so.1" ] || skip "there is no double in the form $CUTOP_TEST_FORM for this machine"
	LD_LIBRARY_PATH=$double
	export LD_LIBRARY_PATH
	for needed in libcudart.so.13 libcuda.so.1; do
		ldd "$bin/workload" | grep -qF "=> $double/$needed (" || { echo "FAIL: the programs do not load $double/$needed"; exit 1; }
	done
fi

# A defect that makes one of us wait for ever is a failure that says where, not a run that never ends. This also makes a
# process group of our own, that of our parent: when time is up, or the parent is told to end, everyone in it is told.
# Hence --foreground wherever a test has something under a limit: that is not to leave the group.
if [ "${CUTOP_TEST_LIMITED:-}" != "$PPID" ]; then
	CUTOP_TEST_LIMITED=$$
	export CUTOP_TEST_LIMITED
	exec timeout --kill-after=10 "${CUTOP_TEST_LIMIT:-900}" sh "$0" "$@"
fi

T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-test.XXXXXX")
chmod 755 "$T"
socket=$T/tmux

# Returns when nothing of it is left, but for what the kernel holds longer than a second.
end_started() {
	[ ! -S "$socket" ] || mux kill-server 2>/dev/null
	for _ in $(seq 50); do
		sed -n "/^[0-9]* (sed) /d; s/^\([0-9]*\) (.*) [^XZ] [0-9]* $PPID .*/\1/p" /proc/[0-9]*/stat >"$T/left" 2>/dev/null
		others=$(grep -vxF -e $$ -e "$PPID" "$T/left") || break
		# shellcheck disable=SC2086
		kill -KILL $others 2>/dev/null
		sleep 0.02
	done
}

clean_up() {
	end_started
	rm -rf "$T"
}
trap clean_up EXIT
# A shell that a signal ends does nothing at its exit. A second signal is not to stop that.
trap 'trap "" HUP INT TERM; fail "ended by a signal after $passed checks that passed"; exit 1' HUP INT TERM

pass() {
	passed=$((passed + 1))
}

fail() {
	failed=$((failed + 1))
	# Not to standard output, which a check may have sent away.
	echo "FAIL: $*" >&2
}

watch() {
	name=$1
	shift
	"$CUTOP" -b -f json -n 1 "$@" >"$T/$name.out" 2>"$T/$name.err"
	status=$?
	grep '^{"schema"' "$T/$name.out" | tail -n 1 >"$T/$name.json"
	[ -s "$T/$name.json" ] || { fail "$name: no document (status $status): $(cat "$T/$name.err")"; return 1; }
}

expect() {
	got=$(jq -c "def p: .processes | if length == 1 then .[0] else error(\"\(length) processes\") end;
		def kernel(n): p.kernels | map(select(.name == n)) | if length == 1 then .[0] else error(\"\(length) kernels\") end;
		def call(n): p.calls | map(select(.call == n)) | .[0];
		def copies(d; m): p.copies | map(select(.direction == d and .mode == m)) | .[0];
		def failure(c; e): p.failures | map(select(.call == c and .error == e)) | .[0].count;
		$2" "$T/$1.json" 2>&1)
	if [ "$got" = "$3" ]; then
		pass
	else
		fail "$1: $2 is $got, not $3"
	fi
}

split() {
	whole=$1
	shift
	number=0
	for name; do
		jq -c "(.processes | sort_by(.start_time)) as \$all | (\$all | map(.pid)) as \$pids |
			(reduce (\$all[] | select(.parent_pid as \$p | \$pids | index(\$p) | not).pid) as \$p
				([]; if index(\$p) then . else . + [\$p] end)) as \$roots |
			\$roots[$number] as \$root |
			def ours: .pid == \$root or .parent_pid == \$root;
			(.processes | map(select(ours).pid)) as \$ours |
			.processes |= map(select(ours)) |
			.events |= map(select(.pid as \$p | \$ours | index(\$p)))" "$T/$whole.json" >"$T/$name.json"
		number=$((number + 1))
	done
}

queued=

queue() {
	queued="$queued $1"
	# shellcheck disable=SC2016
	{
		printf '%s ' 'sh -c '\''echo $$ >"$0.pid"; exec "$@"'\'' '"'$T/$1'"
		name=$1
		shift
		printf "'%s' " "$@"
		echo ">'$T/$name.out' 2>'$T/$name.err'; echo \$? >'$T/$name.status'"
	} >>"$T/queue"
}

queue_end() {
	programs=$queued
	queued=
	mv "$T/queue" "$T/$1.sh"
}

watch_queue() {
	whole=$1
	queue_end "$whole"
	# What a shell will run is not looked at ahead.
	case " $* " in
	*" --library "* | *" -l "*) ;;
	*) set -- "$@" --library "$double/libcuda.so.1" --library "$double/libcudart.so.13" ;;
	esac
	watch "$@" -- sh "$T/$whole.sh"
	# A document a line, each for a file of its own.
	(cd "$T" && for name in $programs; do cat "$name.pid"; done) >"$T/pids"
	jq -c --slurpfile pids "$T/pids" '. as $whole | $pids[] as $pid | .processes as $all | ([$pid] |
		until(. as $of | all($all[]; .pid as $p | .parent_pid as $q | ($of | index($q) | not) or ($of | index($p)));
			. as $of | . + [$all[] | .parent_pid as $q | select($of | index($q)).pid] | unique)) as $ours | $whole |
		.processes |= map(select(.pid as $p | $ours | index($p))) |
		.events |= map(select(.pid as $p | $ours | index($p)))' "$T/$whole.json" |
		awk -v names="$programs" -v folder="$T/" 'BEGIN { split(names, name, " ") } { file = folder name[NR] ".json"; print >file; close(file) }'
}

queued_status() {
	check "$1: status $(cat "$T/$1.status"), not $2: $(cat "$T/$1.err")" [ "$(cat "$T/$1.status")" = "$2" ]
}

check() {
	what=$1
	shift
	if "$@"; then
		pass
	else
		fail "$what"
	fi
}

# Whether this cutop was built with a sanitizer, with which it takes several times the memory and the time.
is_sanitized() {
	nm "$CUTOP" 2>/dev/null | grep -q '__asan_init\|__tsan_init'
}

# $1: seconds that it takes at most on a machine with little else to do, the rest: a command that will succeed. It is given
# three times as long, or more where trying takes its time: where other tests' cutops remove perf links, the kernel has every
# other probe wait for a minute.
wait_for() {
	read -r wait_until _ </proc/uptime
	wait_until=$((${wait_until%.*} + 3 * $1)) tries=$(($1 * 50))
	shift
	# What takes long is not asked for as often.
	wait_slow=$((tries - 50)) wait_pause=0.02
	while ! "$@"; do
		tries=$((tries - 1))
		if [ "$tries" -le 0 ]; then
			read -r wait_now _ </proc/uptime
			[ "${wait_now%.*}" -le "$wait_until" ] || return 1
		fi
		if [ "$tries" -lt "$wait_slow" ]; then
			tries=$((tries - 4)) wait_pause=0.1
		fi
		sleep $wait_pause
	done
}

# How probes are attached here, as CUTOP_ATTACH would say it; nothing if it asks for what this kernel has not.
attach_method() {
	"$CUTOP" -b -v -n 1 -- true 2>&1 >/dev/null | sed -n 's/.*probes by \([a-z]*\) links.*/\1/p'
}

# Nothing may have been lost, or else it is shown what; nor may figures be inexact.
expect_lost_none() {
	expect "$1" '.lost | with_entries(select(.value > 0))' '{}'
}
expect_nothing_lost() {
	expect_lost_none "$1"
	expect "$1" '[.processes[].inexact] | any' false
}

private_double() {
	mkdir -p "$1"
	cp -L "$double/libcudart.so.13" "$double/libcuda.so.1" "$1"
	# shellcheck disable=SC2034
	library=$1/libcudart.so.13
}

libraries_below() {
	below=$1
	shift
	ldd "$@" 2>/dev/null | awk '/:$/ { next } /=> \// { print $3 } /^[[:space:]]*\// { print $1 }' | grep -v libcud | sort -u |
		while read -r file; do
			mkdir -p "$below$(dirname "$file")"
			cp -L "$file" "$below$file"
		done
}

mux() {
	tmux -S "$socket" -f /dev/null "$@"
}

seen() {
	mux capture-pane -t t -p
}

see() {
	for _ in $(seq $((${patience:-60} * 10))); do
		seen 2>/dev/null | grep -q -e "$1" && return 0
		sleep 0.1
	done
	echo "--- not seen: $1"
	seen
	return 1
}

finish() {
	echo "$passed checks passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}
