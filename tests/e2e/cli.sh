# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the tests of the command line and of attaching share. Source it after
# lib.sh.
#
#   run NAME [arguments]         runs cutop with them; leaves $T/NAME.out, $T/NAME.err, $status
#   expect_status NAME N         what run left
#   expect_line NAME REGEX       standard error is one line that matches
#   refused STATUS REGEX [args]  run, expect_status, expect_line and nothing on standard output
#   check_jq WHAT [jq options] FILTER FILE
#                                the filter is true of the file
#   start NAME [arguments]       runs cutop with them in the background, behind the words in $before; its pid is in $cutop
#   begin NAME [options]         start, with documents in $T/NAME.out, one every 0.1 s; waits for the first, $patience
#                                seconds if that is set
#   newest FILTER [NAME]         the filter is true of the newest document of NAME, or of what began last
#   end [NAME PID]               SIGINT to that cutop, or to what began last; its last document is then $T/NAME.json
#   expect_of NAME PID FILTER VALUE
#                                expect of the one process of that number
#   load NAME COMMAND...         in the background, its pid in $loader, its output in $T/NAME.said, until that says "ready"
#   expect_clean WHAT            no program of cutop's is left in the kernel that no process holds
#   own_user NUMBER              copies workload and double to where a user who is nobody else can run them, as
#                                as_own COMMAND... ; cutop -u NUMBER --library "$own_lib" then sees nobody else's
run_count=0
before=

own_user() {
	command -v setpriv >/dev/null || skip "needs setpriv (Debian: apt install util-linux)"
	own_uid=$1
	private_double "$T/own/lib"
	# shellcheck disable=SC2034,SC2154
	own_lib=$library
	cp "$workload" "$T/own/workload"
	chmod -R a+rX "$T/own"
	workload=$T/own/workload
}

as_own() {
	LD_LIBRARY_PATH=$T/own/lib setpriv --reuid "$own_uid" --regid "$own_uid" --clear-groups "$@"
}

run() {
	run_name=$1
	shift
	timeout --foreground -k 5 60 "$CUTOP" "$@" >"$T/$run_name.out" 2>"$T/$run_name.err" </dev/null
	status=$?
}

start() {
	start_name=$1
	shift
	# What an earlier one of that name wrote is gone before: else begin finds this one begun, which a signal then finds
	# before it waits for any.
	: >"$T/$start_name.out"
	# shellcheck disable=SC2086
	$before "$CUTOP" "$@" >"$T/$start_name.out" 2>"$T/$start_name.err" </dev/null &
	cutop=$!
}

begin() {
	begun=$1
	shift
	start "$begun" -b -v -f json -d 0.1 "$@"
	wait_for "${patience:-30}" [ -s "$T/$begun.out" ] || fail "$begun: cutop does not start: $(cat "$T/$begun.err")"
}

load() {
	load_name=$1
	shift
	"$@" >"$T/$load_name.said" 2>&1 </dev/null &
	# shellcheck disable=SC2034
	loader=$!
	wait_for "${patience:-20}" grep -qsx ready "$T/$load_name.said" || fail "$load_name: $(cat "$T/$load_name.said")"
}

# The last document that is whole: one of a machine that has much to show takes its time to be written. Of one that was asked
# the same before, the answer is known: what waits for an answer asks fifty times a second.
newest_asked=
newest() {
	if [ "$newest_asked" = "${2:-$begun} $1" ] && [ "$T/newest.read" -nt "$T/${2:-$begun}.out" ]; then
		return "$newest_answer"
	fi
	newest_asked="${2:-$begun} $1"
	: >"$T/newest.read"
	tail -n 2 "$T/${2:-$begun}.out" >"$T/newest"
	# To jq of Debian 12, nothing at all is true.
	if [ -z "$(tail -c 1 "$T/newest")" ]; then tail -n 1 "$T/newest"; else head -n 1 "$T/newest"; fi |
		jq -e -n "input | $1" >/dev/null 2>&1
	newest_answer=$?
	return $newest_answer
}

end() {
	kill -INT "${2:-$cutop}"
	wait "${2:-$cutop}"
	tail -n 1 "$T/${1:-$begun}.out" >"$T/${1:-$begun}.json"
}

expect_of() {
	expect "$1" "[.processes[] | select(.pid == $2)] | if length == 1 then .[0] else error(\"\\(length) processes\") end | $3" "$4"
}

expect_status() {
	check "$1: exit status $status, not $2: $(cat "$T/$1.err")" [ "$status" = "$2" ]
}

expect_line() {
	check "$1: not one line: $(cat "$T/$1.err")" [ "$(wc -l <"$T/$1.err")" = 1 ]
	check "$1: no '$2' in: $(cat "$T/$1.err")" grep -Eq -e "$2" "$T/$1.err"
}

refused() {
	refused_status=$1
	refused_line=$2
	shift 2
	run_count=$((run_count + 1))
	run "refused$run_count" "$@"
	expect_status "refused$run_count" "$refused_status"
	expect_line "refused$run_count" "$refused_line"
	check "cutop $*: nothing on standard output" [ ! -s "$T/refused$run_count.out" ]
}

check_jq() {
	jq_what=$1
	shift
	if jq -e "$@" >/dev/null; then
		pass
	else
		fail "$jq_what"
	fi
}

# Whether probes are placed by session links, which need Linux 6.13.
have_sessions() {
	[ "${CUTOP_ATTACH:-session}" = session ] && uname -r | awk -F. '{ exit !($1 > 6 || ($1 == 6 && $2 >= 13)) }'
}

# Whoever holds a program or a link says so in its fdinfo.
held_programs() {
	find /proc/[0-9]*/fdinfo -type f -exec grep -hs '^prog_id:' {} + 2>/dev/null | awk '{ print $2 }'
}

# Other cutops of the machine may come or go meanwhile.
no_orphans() {
	held_programs >"$T/held_before"
	bpftool -j prog show 2>/dev/null |
		jq -r '.[] | select(.name != null and (.name | test("_session$|_(enter|exit)$|^process_(exec|exit|fork)$|^file_mapp(ed|ing)$|^mapping_unlock$|^identify$"))) | .id' |
		sort -u >"$T/there"
	held_programs | cat "$T/held_before" - | sort -u >"$T/held"
	[ -z "$(comm -13 "$T/held" "$T/there")" ]
}

expect_clean() {
	command -v bpftool >/dev/null || return 0
	check "$1 leaves programs in the kernel" wait_for 10 no_orphans
}
