#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --stacks: whole native stacks of code without frame pointers are those that backtrace() has, address by address
# (native_stacks.h, native_stacks.awk): chains, recursion, libraries, callbacks, threads, frames of all kinds, signals,
# constructors, C++'s exceptions, probed functions, libraries that replace others, children, programs that end at once, and
# those that run when cutop starts. And the frames in JSON.
#
#   NATIVE_STACKS_PROGRAMS  the folder of programs (build_native_stacks.sh); native_stacks-fp beside the usual one has frame
#                           pointers
#   NATIVE_STACKS_OUTER     how many outermost addresses may differ (1)
#   NATIVE_STACKS_ONLY      a regular expression: only these scenarios have to be equal
#   NATIVE_STACKS_KEEP      a folder where recordings, dumps and truth are left
# shellcheck source=/dev/null disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

programs=${NATIVE_STACKS_PROGRAMS:-$top_builddir/tests/e2e/bin/native_stacks}
programs=$(realpath "$programs") || skip "its programs are not built"
plain=$programs/native_stacks
cxx=$programs/native_stacks_cxx
mkdir "$T/truth" "$T/dump"
: >"$T/all.sh"

bytes=1000000
# ours NAME PROGRAM SCENARIO...: is to be run, with a file of truth of that name. The bytes are different in each process.
ours() {
	bytes=$((bytes + 2000))
	truth=$T/truth/$1
	program=$2
	shift 2
	echo "'$program' '$truth' $bytes $* || echo '$program $*: status '\$? >>'$T/failed'" >>"$T/all.sh"
}

# ---- each scenario in a process of its own, and one after the other in one; all below one cutop

own_scenarios='chain_10 chain_40 recursion_100 recursion_200 libraries qsort threads alloca aligned large_frames signal_raised
	signal_fault signal_stack constructor atexit lazy replaced fork coroutine generated resolver'
cxx_scenarios='cxx_catch cxx_destructor cxx_rethrow cxx_inlined cxx_sort cxx_virtual cxx_lambda cxx_thread cxx_static'
for scenario in $own_scenarios; do
	ours "$scenario" "$plain" "$scenario"
done
# shellcheck disable=SC2086
ours together "$plain" $own_scenarios
for number in $(seq 20); do
	ours "brief-$number" "$plain" brief
done
if [ -x "$cxx" ]; then
	for scenario in $cxx_scenarios; do
		ours "$scenario" "$cxx" "$scenario"
	done
	# shellcheck disable=SC2086
	ours together_cxx "$cxx" $cxx_scenarios
else
	echo "C++ is left out: there is no compiler of it"
fi

# No symbols, only what exceptions need. Their names say so.
mkdir "$T/stripped"
cp "$programs"/* "$T/stripped"
strip -s "$T/stripped"/*
# shellcheck disable=SC2086
ours stripped "$T/stripped/native_stacks" $own_scenarios

# What goes through probed functions has its truth from a run without probes, with the same addresses.
probed='callback watched'
if setarch -R true 2>/dev/null; then
	bytes=$((bytes + 2000))
	# Other tests' cutops may have return probes on the double meanwhile, and what these put on the stack ends a backtrace(); so it
	# runs on one of its own first. Where it is found has to be the same, or else it lies at other addresses.
	private_double "$T/double"
	unprobed() {
		rm -f "$T/truth/probed"
		# shellcheck disable=SC2086
		LD_LIBRARY_PATH=$T/double setarch -R "$plain" "$T/truth/probed" $bytes $probed 2>"$T/unprobed.err"
	}
	wait_for 60 unprobed || fail "without cutop: $(cat "$T/unprobed.err")"
	ln -sf "$double/libcuda.so.1" "$double/libcudart.so.13" "$T/double"
	echo "LD_LIBRARY_PATH='$T/double' setarch -R '$plain' - $bytes $probed || echo 'probed: status '\$? >>'$T/failed'" >>"$T/all.sh"
else
	echo "probed functions are left out: setarch -R is not possible here"
fi

# recorded NAME: its stacks are in $T/dump
recorded() {
	"$top_builddir/tests/e2e/stack_dump" "$T/$1.cutop" >"$T/dump/$1" 2>"$T/dump.err" || fail "$1: $(cat "$T/dump.err")"
}

"$CUTOP" record --stacks -o "$T/all.cutop" --library "$double/libcuda.so.1" --library "$double/libcudart.so.13" --probe "$programs/libnative_stacks-watched.so:ns_watched*" -- \
	sh "$T/all.sh" >"$T/all.out" 2>"$T/all.err"
status=$?
check "status $status: $(cat "$T/all.err")" [ "$status" = 0 ]
check "programs failed: $(cat "$T/failed" 2>/dev/null; cat "$T/all.err")" [ ! -e "$T/failed" ]
recorded all
sed -i 's/^/stripped_/' "$T/truth/stripped"

# ---- a program that runs when cutop starts

bytes=$((bytes + 2000))
# What is before main() is over by then, and children are not asked for.
later_scenarios=$(echo "$own_scenarios" | sed 's/constructor//; s/fork//')
# shellcheck disable=SC2086
load attached "$plain" "$T/truth/attached" $bytes wait $later_scenarios
start attach record --stacks -v -o "$T/attach.cutop" -p "$loader"
check "attach: cutop does not start: $(cat "$T/attach.err")" wait_for 20 grep -qs 'libcudart.*: .*attached' "$T/attach.err"
: >"$T/truth/attached.go"
wait "$loader"
loaded=$?
check "attach: the program's status is $loaded: $(cat "$T/attached.said")" [ "$loaded" = 0 ]
rm "$T/truth/attached.go"
kill -INT "$cutop"
wait "$cutop"
recorded attach
sed -i 's/^/attached_/' "$T/truth/attached"

# ---- the comparison

compare=$top_srcdir/tests/e2e/native_stacks.awk
cat "$T/dump"/* >"$T/dumped"
cat "$T/truth"/* | sort -n -k 3,3 | grep -E "^(attached_|stripped_)?(${NATIVE_STACKS_ONLY:-.*}) " >"$T/noted"
awk -v outer="${NATIVE_STACKS_OUTER:-1}" -f "$compare" "$T/dumped" "$T/noted" >"$T/compared"
compared=$?
check "stacks are not those of backtrace()" [ "$compared" = 0 ]
cat "$T/compared"
if [ "${NATIVE_STACKS_KEEP:-}" ]; then
	mkdir -p "$NATIVE_STACKS_KEEP"
	cp -r "$T/truth" "$T/dump" "$T"/*.cutop "$T/dumped" "$T/noted" "$T/compared" "$T"/*.err "$NATIVE_STACKS_KEEP"
fi

# Nor was any lost, or given up.
"$CUTOP" --replay "$T/all.cutop" -b -f json 2>"$T/replay.err" | tail -n 1 >"$T/all.json"
expect_nothing_lost all

# ---- JSON: the functions from the call to main(), in order

links=$(seq 10 | sed 's/^/link_/' | tr '\n' ' ')
watch chain --stacks -- "$plain" - 1000 chain_10
expect chain '[p.sites[].stack | map(sub("[+ ].*"; "")) | .[:index("main") + 1] | join(" ")] | unique' \
	"[\"link_0 ${links}chain_10 main\"]"
expect chain '[p.sites[].stack[-1] | test("_start|libc\\.so")] | all' true
expect chain '[p.sites[].allocations] | add' 2

finish
