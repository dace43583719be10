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
#   wait_for SECONDS COMMAND...  until it succeeds
#   expect_clean WHAT            no program of cutop's is left in the kernel that no process holds
#   mux ARGUMENTS                tmux with a server of the test's own, $socket
#   see REGEX                    waits until the screen of the session t shows it
#   own_user NUMBER              copies workload and double to where a user who is nobody else can run them, as
#                                as_own COMMAND... ; cutop -u NUMBER --library "$own_lib" then sees nobody else's
run_count=0

own_user() {
	command -v setpriv >/dev/null || skip "needs setpriv (Debian: apt install util-linux)"
	own_uid=$1
	own_lib=$T/own/lib/libcudart.so.13
	mkdir -p "$T/own/lib"
	cp "$workload" "$T/own/workload"
	cp "$double/libcudart.so.13" "$double/libcuda.so.1" "$T/own/lib"
	chmod -R a+rX "$T/own"
	workload=$T/own/workload
}

as_own() {
	LD_LIBRARY_PATH=$T/own/lib setpriv --reuid "$own_uid" --regid "$own_uid" --clear-groups "$@"
}

run() {
	run_name=$1
	shift
	timeout -k 5 60 "$CUTOP" "$@" >"$T/$run_name.out" 2>"$T/$run_name.err" </dev/null
	status=$?
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
no_orphans() {
	find /proc/[0-9]*/fdinfo -type f -exec grep -hs '^prog_id:' {} + 2>/dev/null |
		awk '{ print $2 }' | sort -u >"$T/held"
	bpftool -j prog show 2>/dev/null |
		jq -r '.[] | select(.name != null and (.name | test("_session$|_(enter|exit)$|^process_(exec|exit|fork)$|^file_mapp(ed|ing)$|^identify$"))) | .id' |
		sort -u >"$T/there"
	[ -z "$(comm -13 "$T/held" "$T/there")" ]
}

expect_clean() {
	command -v bpftool >/dev/null || return 0
	check "$1 leaves programs in the kernel" wait_for 10 no_orphans
}

mux() {
	tmux -L "$socket" -f /dev/null "$@"
}

see() {
	for _ in $(seq 400); do
		mux capture-pane -t t -p 2>/dev/null | grep -q -e "$1" && return 0
		sleep 0.05
	done
	echo "--- not seen: $1"
	mux capture-pane -t t -p
	return 1
}
