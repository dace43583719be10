#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files made to fill cutop's memory or to blind it: string tables that are holes, more names than
# there is memory for, a library that is truncated while its debug information is read. cutop stays
# small and on time, other files keep their names and lines, and what is lost is reported.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

fat=$top_builddir/tests/e2e/bin/fat
template=$top_builddir/tests/e2e/bin/libfat.so
LD_LIBRARY_PATH=$double
export LD_LIBRARY_PATH

MEMORY_MAX=300000	# KiB: of cutop and its helpers, at their largest
! is_sanitized || MEMORY_MAX=1500000
LATE_MAX=3		# seconds between two snapshots that are to be half a second apart

# run_fat NAME [options] -- WORDS: starts cutop over fat, in the background, until that is ready
run_fat() {
	name=$1
	shift
	rm -f "$T/hold"
	mkfifo "$T/hold"
	"$CUTOP" -b -v -f json -d 0.5 "$@" <"$T/hold" >"$T/$name.out" 2>"$T/$name.err" &
	cutop=$!
	exec 3>"$T/hold"
	wait_for 60 grep -qx ready "$T/$name.out" || fail "$name: not ready: $(cat "$T/$name.err")"
}

# Waits for a snapshot that begins now or later.
snapshots() {
	grep -c '^{"schema"' "$T/$name.out"
}
more_than() {
	[ "$(snapshots)" -gt "$1" ]
}
one_more() {
	check "$name: no more snapshots" wait_for 60 more_than $(($(snapshots) + 1))
}

end_fat() {
	exec 3>&-
	wait "$cutop"
	grep '^{"schema"' "$T/$name.out" >"$T/$name.all"
	tail -n 1 "$T/$name.all" >"$T/$name.json"
}

# The most that cutop and its helpers had resident, in KiB.
memory_peak() {
	cat "/proc/$cutop"/task/*/children | tr ' ' '\n' | while read -r pid; do
		case $(cat "/proc/$pid/comm" 2>/dev/null) in cutop-*) sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status";; esac
	done >"$T/peaks"
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$cutop/status" >>"$T/peaks"
	awk '{ sum += $1 } END { print sum }' "$T/peaks"
}

check_memory() {
	peak=$(memory_peak)
	echo "$name: $peak KiB at most: $(tr '\n' ' ' <"$T/peaks")"
	check "$name: $peak KiB, more than $MEMORY_MAX" [ "$peak" -le $MEMORY_MAX ]
}

check_times() {
	late=$(jq -s '[.[].elapsed_seconds] | [.[1:], .[:-1]] | transpose | map(.[0] - .[1]) | max' "$T/$name.all")
	echo "$name: snapshots $late s apart at most"
	check "$name: a snapshot came after $late s" [ "$(echo "$late" | cut -d . -f 1)" -lt $LATE_MAX ]
}

sites='[p.sites[].site | sub("\\+0x[0-9a-f]+"; "+")] | sort'

# ---- string tables that are holes: twelve libraries, two of 256 MB in each
libraries=
for i in $(seq 12); do
	"$fat" sparse "$template" "$T/sparse$i.so" $((256 << 20))
	libraries="$libraries $T/sparse$i.so"
done
# shellcheck disable=SC2086
run_fat sparse -- "$fat" call $libraries
one_more
check_memory
end_fat
check_times
expect sparse '[p.sites[].site | select(test("^fat_allocate\\+0x[0-9a-f]+ at libfat.c:[0-9]+ \\(sparse[0-9]+.so\\)$"))] | length' 12
expect_nothing_lost sparse

# ---- forty files with two of 512 MB each, mapped as code
files=
for i in $(seq 40); do
	"$fat" sparse "$template" "$T/map$i" $((512 << 20))
	files="$files $T/map$i"
done
# shellcheck disable=SC2086
run_fat mapped -- "$fat" map $files
one_more
check_memory
end_fat
check_times
expect mapped 'p.memory.allocations' 1
expect_nothing_lost mapped
rm -f "$T"/map* "$T"/sparse*

# ---- functions, for which the memory is too small: those used least recently go, and are read again
libraries=
for i in $(seq 6); do
	"$fat" names "$template" "$T/names$i.so" 700000 1000
	libraries="$libraries $T/names$i.so"
done
"$fat" names "$template" "$T/toomany.so" 4000000 1000
# shellcheck disable=SC2086
run_fat names --names-memory 32M -- "$fat" call $libraries "$T/toomany.so"
echo >&3
wait_for 30 sh -c "[ \$(grep -c ready '$T/names.out') = 2 ]" || fail "names: not called again"
one_more
check_memory
end_fat
check_times
expect names '[p.sites[].site | select(test("^fat_(allocate|again)\\+0x[0-9a-f]+ at libfat(_again)?.c:[0-9]+ \\(names[0-9].so\\)$"))] | length' 12
expect names '[p.sites[].site | select(startswith("toomany.so+"))] | length' 2
expect names '.lost.symbols' 2
expect names '[.events[] | select(.kind == "limit") | .bytes]' "[$((32 << 20))]"
check "names: -v does not tell of the limit" [ "$(grep -c 'names of functions take 32 MiB (--names-memory)' "$T/names.err")" = 1 ]
check "names: -v does not tell what is left out" grep -q 'toomany.so: the names of its functions are left out' "$T/names.err"
# Figures stand without names.
"$CUTOP" -b -f text --names-memory 32M --fail-on-leak=1G -- "$fat" call "$T/toomany.so" </dev/null >"$T/verdict.out" 2>"$T/verdict.err"
check "names that are lost are no lost figures: $(cat "$T/verdict.err")" [ $? = 0 ]
check "the report says that figures are inexact" [ "$(grep -c inexact "$T/verdict.out")" = 0 ]

# ---- a program that truncates its own libraries while their lines are read
command -v setpriv >/dev/null || skip "needs setpriv (Debian: apt install util-linux)"
line=$(grep -n 'the call \*/' "$top_srcdir/tests/e2e/site_calls.c" | cut -d : -f 1)
mkdir "$T/own"
chmod 755 "$T/own"
libraries=
for i in $(seq 24); do
	cp "$template" "$T/own/cut$i.so"
	libraries="$libraries $T/own/cut$i.so"
done
cp "$fat" "$T/own/fat"
chown -R 61234:61234 "$T/own"
private_double "$T/lib"
chmod -R a+rX "$T/lib"
LD_LIBRARY_PATH=$T/lib
mkfifo "$T/cut.in" "$T/site.in"
cp "$top_builddir/tests/e2e/bin/site_calls" "$T/site_calls"
# Only these: snapshots of what other tests run meanwhile have megabytes.
begin cut --library "$library" --command "$T/*"
# shellcheck disable=SC2086
setpriv --reuid 61234 --regid 61234 --clear-groups "$T/own/fat" cut $libraries <"$T/cut.in" >"$T/cut.said" &
cutting=$!
exec 4>"$T/cut.in"

said_ready() {
	[ "$(grep -c ready "$T/cut.said")" -ge "$1" ]
}
lost_lines() {
	tail -n 1 "$T/cut.out" | jq '.lost.lines // 0' 2>/dev/null || echo 0
}
is_lost() {
	[ "$(lost_lines)" -gt "$1" ]
}
# Its first site has a line, or has lost it.
is_settled() {
	newest ".processes[].sites[]?.site | select(contains(\"(cut$1.so)\") and contains(\" at \"))" || is_lost "$2"
}
for i in $(seq 24); do
	lost=$(lost_lines)
	check "cut $i: no first call" wait_for 60 said_ready $((2 * i - 1))
	check "cut $i: the first call has no line" wait_for 60 is_settled "$i" "$lost"
	lost=$(lost_lines)
	echo >&4
	check "cut $i: no second call" wait_for 60 said_ready $((2 * i))
	check "cut $i: the loss is not told" wait_for 60 is_lost "$lost"
	echo >&4
done
ends=$(grep -c 'cut.*so ended the process that reads source lines: it has none from now on' "$T/cut.err")
check "it was ended $ends times" [ "$ends" -ge 16 ]

# Another user's program has its lines all the same.
"$T/site_calls" 1 wait <"$T/site.in" &
other=$!
exec 5>"$T/site.in"
check "another's sites have no line" wait_for 60 newest "[.processes[] | select(.pid == $other).sites[].site] | unique | length == 1 and
	(.[0] | test(\"^make\\\\+0x[0-9a-f]+ at site_calls.c:$line \\\\(site_calls\\\\)\$\"))"
exec 4>&- 5>&-
wait $other
check "the log does not tell of lost lines" wait_for 60 newest '.events | any(.kind == "lost" and (.text | contains("source lines")))'
end cut
check_jq "figures are inexact for lost lines" "[.processes[] | select(.pid == $cutting or .pid == $other).inexact] == [false, false]" "$T/cut.json"
finish
