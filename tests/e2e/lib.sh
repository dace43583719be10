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
#   check "what" command...      the command succeeds
#   finish                       prints the count and exits
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

# A defect that makes one of us wait for ever is a failure that says where, not a run that never ends.
if [ -z "${CUTOP_TEST_LIMITED:-}" ]; then
	CUTOP_TEST_LIMITED=1
	export CUTOP_TEST_LIMITED
	exec timeout --kill-after=10 "${CUTOP_TEST_LIMIT:-300}" sh "$0" "$@"
fi

T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-test.XXXXXX")
chmod 755 "$T"
trap 'rm -rf "$T"' EXIT

pass() {
	passed=$((passed + 1))
}

fail() {
	failed=$((failed + 1))
	echo "FAIL: $*"
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

check() {
	what=$1
	shift
	if "$@"; then
		pass
	else
		fail "$what"
	fi
}

# $1: seconds, the rest: a command that will succeed
wait_for() {
	tries=$(($1 * 50))
	shift
	while ! "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.02
	done
}

# How probes are attached here, as CUTOP_ATTACH would say it; nothing if it asks for what this kernel has not.
attach_method() {
	"$CUTOP" -b -v -n 1 -- true 2>&1 >/dev/null | sed -n 's/.*probes by \([a-z]*\) links.*/\1/p'
}

# Nothing may have been lost.
expect_nothing_lost() {
	expect "$1" '[.lost[]] | add' 0
	expect "$1" '[.processes[].inexact] | any' false
}

finish() {
	echo "$passed checks passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}
