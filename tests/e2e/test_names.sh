#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries with as many functions as those that come with frameworks for Python have: three Python programs at once, one of them
# with a library of 700,000. All have their names, within the memory that there is by default, and cutop stays small.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

fat=$top_builddir/tests/e2e/bin/fat
template=$top_builddir/tests/e2e/bin/libfat.so
python=$top_srcdir/tests/python
command -v setpriv >/dev/null || skip "needs setpriv (Debian: apt install util-linux)"
interpreter=$(sh "$python/interpreters.sh" | awk '$2 == "/" { print $3; exit }')
[ "$interpreter" ] || skip "needs Python 3.8 to 3.14 with ctypes (Debian: apt install python3)"

MEMORY_MAX=120000	# KiB: of cutop, at its largest
! is_sanitized || MEMORY_MAX=600000

private_double "$T/lib"
cp "$python/libraries.py" "$T"
# Of a user of their own: what other programs lose is theirs.
begin names --library "$library" -u 64035
for i in 1 2 3; do
	count=$((i == 1 ? 700000 : 200000))
	"$fat" names "$template" "$T/large$i.so" $count $count
	mkfifo "$T/in$i"
	: >"$T/said$i"
	LD_LIBRARY_PATH=$T/lib setpriv --reuid 64035 --regid 64035 --clear-groups "$interpreter" "$T/libraries.py" "$library" "$T/large$i.so" <"$T/in$i" >"$T/said$i" 2>&1 &
	eval "pid$i=\$!"
done
exec 3>"$T/in1" 4>"$T/in2" 5>"$T/in3"

# called WORD FUNCTION FILE: all have called it and said so, and cutop tells by which line
called() {
	for i in 1 2 3; do
		check "program $i: $(cat "$T/said$i")" wait_for 20 grep -qx "$1" "$T/said$i"
		eval "pid=\$pid$i"
		check "program $i: its stacks do not name $2: $(tail -n 1 "$T/names.out" | jq -c "[.processes[] | select(.pid == $pid).sites[].stack]")" \
			wait_for 20 newest ".processes[] | select(.pid == $pid) | [.sites[].stack | select(any(
				test(\"^$2\\\\+0x[0-9a-f]+ at $3:[0-9]+ \\\\(large$i.so\\\\)$\")))] | length == 1"
	done
}
called ready fat_allocate libfat.c
for fd in 3 4 5; do
	echo >&$fd
done
called again fat_again libfat_again.c

peak_of() {
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"
}
peak=$(peak_of "$cutop")
echo "cutop: $peak KiB at most"
for pid in $(cat "/proc/$cutop"/task/*/children); do
	echo "$(cat "/proc/$pid/comm"): $(peak_of "$pid") KiB at most, with what it shares with cutop"
done
check "cutop: $peak KiB, more than $MEMORY_MAX" [ "$peak" -le $MEMORY_MAX ]
exec 3>&- 4>&- 5>&-
end names
expect_lost_none names
expect names '[.events[] | select(.kind == "limit")]' '[]'
finish
