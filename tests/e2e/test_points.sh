#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where probes are placed: after the entry if the skipped instructions change nothing and the kernel
# emulates the next one; at the entry otherwise; as doctor, -v and JSON report; and each call is
# counted once wherever its probe is.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

forms=$top_builddir/tests/double/forms
bin_points=$top_builddir/tests/e2e/bin
[ "$(uname -m)" = x86_64 ] || skip "the forms are x86-64's"
[ -e "$forms/odd/libodd.so" ] || skip "the double is not built in other forms"

# ---- each rule: what the library's source expects, and what doctor says

# Newer kernels emulate a nop of five bytes; the source expects one that does not.
CUTOP_TEST_FORMS=nop5 "$CUTOP" doctor -f json -p $$ --library "$forms/odd/libodd.so" >"$T/odd.json"
sed -n 's/^# expect \([^ ]*\) \(.*\)/\1 \2/p' "$top_srcdir/tests/double/odd_entries.S" | sort >"$T/expected"
jq -r '.libraries[] | select(.path | endswith("/libodd.so")) | .functions.list[] | select(.probe) |
	.call + " " + if .probe == "past_entry" then "+\(.past_bytes)" else "entry" end' "$T/odd.json" | sort >"$T/found"
check "what is expected is there" test -s "$T/expected"
check "the points of libodd.so: $(diff "$T/expected" "$T/found")" cmp -s "$T/expected" "$T/found"

# ---- what each form of the double comes to

# points FORM OPTIONS...: the counts of a run on that form
points() {
	form=$1
	shift
	LD_LIBRARY_PATH=$forms/$form watch "$form" -v --library "$forms/$form/libcudart.so.13" --library "$forms/$form/libcuda.so.1" "$@" -- \
		"$workload" case-study
	jq -c .probes "$T/$form.json"
}
points driver >/dev/null
expect driver '.probes | [.past_entry > 300, .at_entry > 300, .single_stepped]' '[true,true,0]'
expect driver '.probes | .at_entry + .past_entry == .attached' true
expect driver '.probes.missing' 0
points endbr >/dev/null
expect endbr '.probes.single_stepped' 0
LD_LIBRARY_PATH=$forms/stepped watch stepped -v --library "$forms/stepped/libcuda.so.1" -- "$workload" case-study
expect stepped '.probes.single_stepped > 600' true
expect stepped 'p.kernels | length > 0' true
check "-v says how many" grep -q 'forms/stepped/libcuda.so.1: .* 0 past the entry, [6-9][0-9][0-9] single-stepped' "$T/stepped.err"
check "-v says what the kernel emulates" grep -q 'emulates under a probe (tried): push ' "$T/stepped.err"

# ---- those left out are missing, and do no harm
LD_LIBRARY_PATH=$forms/stepped watch left --no-single-step --library "$forms/stepped/libcuda.so.1" -- "$workload" case-study
expect left '.probes | [.single_stepped, .missing > 600]' '[0,true]'
expect left '[.processes[] | .kernels[]] | length' 0
"$CUTOP" doctor -f json -p $$ --no-single-step --library "$forms/stepped/libcuda.so.1" >"$T/left.json"
expect left '.libraries[] | select(.path | endswith("/stepped/libcuda.so.1")).functions | [.off > 300, .probed]' '[true,0]'

# ---- a kernel that emulates nothing: all is as it was, and told of
CUTOP_TEST_FORMS=all watch nothing -- "$workload" case-study
expect nothing '.probes.single_stepped == .probes.attached' true
expect nothing 'p.kernels | length > 0' true
"$CUTOP" doctor -p $$ --library "$forms/stepped/libcudart.so.13" >"$T/doctor.txt"
check "doctor says what is slow" grep -q 'slow to probe (single-stepped.*cudaLaunchKernel' "$T/doctor.txt"
CUTOP_TEST_FORMS=branch "$CUTOP" doctor -f json -p $$ --library "$forms/driver/libcuda.so.1" >"$T/branch.json"
expect branch '.libraries[] | select(.path | endswith("/driver/libcuda.so.1")).functions.probes | [.past_entry, .single_stepped > 300]' \
	'[0,true]'

# ---- functions that the user names
library=$bin_points/libpoints.so.1
for method in '' multi perf; do
	name=probe$method
	CUTOP_ATTACH=$method watch "$name" -v --probe "$library:points_*" --probe "$library:points_pointer=null" --allow-no-cuda --fail-on-leak -- \
		"$bin_points/points" 300
	if grep -q "has no '$method' links" "$T/$name.err"; then
		echo "this kernel has no $method links"
		continue
	fi
	expect "$name" '[p.calls[] | [.call, .calls, .failures]] | sort' \
		'[["points_branch",300,null],["points_endbr",300,null],["points_loop",300,null],["points_pointer",300,100],["points_stepped",300,null]]'
	expect "$name" '.probes | [.past_entry, .single_stepped]' '[3,2]'
	expect_nothing_lost "$name"
done

# ---- a function that the kernel refuses, in a library that a process maps: missing, and nothing else suffers
cat >"$T/refused.c" <<'END'
#define FUNCTION(name, code) __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" code ".size " #name ", .-" #name "\n")
FUNCTION(cuMemAlloc_v2, "hlt\nret\n");
FUNCTION(cuMemFree_v2, "push %rbp\npop %rbp\nret\n");
END
"${CC:-cc}" -shared -fPIC -o "$T/librefused.so" "$T/refused.c"
LD_PRELOAD=$T/librefused.so sleep 60 &
sleeper=$!
wait_for 10 grep -q librefused "/proc/$sleeper/maps"
# With each method: what could not be probed is told by number, and the numbers stay right.
for method in '' multi; do
	CUTOP_ATTACH=$method timeout 60 "$CUTOP" -b -f json -n 1 -d 0.2 -p $sleeper --library "$T/librefused.so" >"$T/refused.json" 2>"$T/refused.err"
	expect refused '.probes.missing' 1
done
kill $sleeper

# ---- started by who ignores the end of children
timeout 60 sh -c "trap '' CHLD; exec \"\$0\" -b -f json -n 1 -d 0.1 -p $$ --library \"\$1\"" "$CUTOP" "$double/libcudart.so.13" \
	>"$T/ignored.json" 2>"$T/ignored.err"
expect ignored '.probes | [.attached > 300, .missing]' '[true,0]'

# ---- the counts go along in recordings
LD_LIBRARY_PATH=$forms/driver "$CUTOP" record -o "$T/run.cutop" --library "$forms/driver/libcuda.so.1" -- "$workload" case-study >"$T/record.out" 2>&1 ||
	fail "record: $(cat "$T/record.out")"
"$CUTOP" --replay "$T/run.cutop" -b -f json | tail -n 1 >"$T/replay.json"
expect replay '.probes | [.past_entry > 300, .single_stepped]' '[true,0]'
"$CUTOP" --replay "$top_srcdir/tests/recordings/sample.cutop" -b -f json | tail -n 1 >"$T/old.json"
expect old '.probes | has("past_entry")' false

finish
