#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Library files that change while cutop watches: written over in place, replaced by another of the name, deleted; libraries
# that a program unloads and loads again; and files that are used once, one after the other without end. No program may
# run wrong for it, those that run stay counted, new ones are counted on the new file.
# shellcheck disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
helpers=$top_builddir/tests/e2e/bin
[ -x "$helpers/loader" ] || skip "the helpers are not built"
command -v setpriv >/dev/null || skip "needs setpriv (Debian: apt install util-linux)"
cp "$helpers/loader" "$T/loader"
# Of a user of their own: of other programs on the machine, and of the files that they map, nothing is asked.
loader() {
	exec setpriv --reuid 64032 --regid 64032 --clear-groups "$T/loader" "$@"
}
tiny=$helpers/libcudart.so.99
shifted=$helpers/libcudart-shifted.so

# told FILE TEXT N: there are N lines with it
told() {
	[ "$(grep -c "$2" "$1")" = "$3" ]
}
right=$("$T/loader" "$shifted" call calculate)

# ---- written over in place: other functions stand where the probes were

# By root, whose lease has the writer wait until they are gone; and by somebody who may not lease it.
for who in leased looked; do
	mkdir "$T/$who"
	cp "$tiny" "$T/$who/libcudart.so.99"
	chmod 755 "$T/$who"
	cp "$CUTOP" "$T/$who/cutop"
	before=
	[ $who = leased ] || before="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+bpf,+perfmon --ambient-caps=+bpf,+perfmon"
	CUTOP_WAS=$CUTOP
	CUTOP=$T/$who/cutop
	begin $who -u 64032 --library "$T/$who/libcudart.so.99"
	CUTOP=$CUTOP_WAS
	loader "$T/$who/libcudart.so.99" malloc 3 free sync 2 >/dev/null &
	first=$!
	wait $first
	cp "$shifted" "$T/$who/libcudart.so.99"
	[ $who = leased ] || wait_for 20 told "$T/$who.err" "$who/libcudart.so.99: is being written to" 1
	for _ in 1 2 3; do
		got=$(loader "$T/$who/libcudart.so.99" call calculate)
		check "$who: a program that cutop watches calculates $got, not $right" [ "$got" = "$right" ]
	done
	check "$who: no new probes: $(cat "$T/$who.err")" wait_for 20 told "$T/$who.err" "$who/libcudart.so.99: 3 functions attached" 2
	loader "$T/$who/libcudart.so.99" malloc 5 free sync 4 >/dev/null &
	second=$!
	wait $second
	# By a writer that takes its time: in two parts, the file whole only in the end.
	head -c 6000 "$tiny" >"$T/half"
	mkfifo "$T/$who.go"
	{ cat "$T/half" "$T/$who.go"; tail -c +6001 "$tiny"; } >"$T/$who/libcudart.so.99" &
	writer=$!
	wait_for 20 told "$T/$who.err" "$who/libcudart.so.99: is being written to" 2
	check "$who: probes on half a file: $(cat "$T/$who.err")" told "$T/$who.err" "$who/libcudart.so.99: 3 functions attached" 2
	: >"$T/$who.go"
	wait $writer
	check "$who: the old one again: $(cat "$T/$who.err")" wait_for 20 told "$T/$who.err" "$who/libcudart.so.99: 3 functions attached" 3
	loader "$T/$who/libcudart.so.99" malloc 7 free >/dev/null &
	third=$!
	wait $third
	end
	i=0
	for program in $first $second $third; do
		i=$((i + 1))
		expect_of $who $program '[.watched_from, .state, .inexact]' '["start","exited",false]'
		expect_of $who $program '.memory | [.allocations, .frees, .leaked_bytes]' "[$((2 * i + 1)),$((2 * i + 1)),0]"
	done
	expect_of $who $second '[.calls[] | select(.call == "cudaDeviceSynchronize").calls]' '[4]'
	expect_lost_none $who
done
before=

# ---- by another user, while cutop is stopped: the guard's lease is on a file that is not its own

if command -v setpriv >/dev/null; then
	mkdir "$T/theirs"
	cp "$tiny" "$T/theirs/libcudart.so.99"
	chown -R 65534 "$T/theirs"
	chmod 755 "$T" "$T/theirs"
	begin theirs -u 64032 --library "$T/theirs/libcudart.so.99"
	kill -STOP "$cutop"
	# The kernel lets the writer go on after 45 seconds, whatever the guard does.
	check "theirs: the writer waits for cutop, which is stopped" \
		timeout 30 setpriv --reuid=65534 --clear-groups cp "$shifted" "$T/theirs/libcudart.so.99"
	kill -CONT "$cutop"
	check "theirs: no new probes: $(cat "$T/theirs.err")" wait_for 20 told "$T/theirs.err" "theirs/libcudart.so.99: 3 functions attached" 2
	end
fi

# ---- links that come and go on a file leave its lease alone

private_double "$T/teach"
load taught loader "$library" malloc 3 say ready wait "$T/teach.go" malloc 4 free
taught=$loader
was=${CUTOP_LAUNCHES:-}
unset CUTOP_LAUNCHES
begin teach -p $taught
CUTOP_LAUNCHES=$was
export CUTOP_LAUNCHES
wait_for 30 grep -q 'teach/libcudart.so.13: its launches are counted at the driver alone now' "$T/teach.err" ||
	fail "teach: its launches stay probed: $(cat "$T/teach.err")"
check "teach: no lease: $(cat /proc/locks)" grep -q "LEASE .*:$(stat -L -c %i "$library") " /proc/locks
touch "$T/teach.go"
wait "$taught"
end
check "teach: taken for written: $(cat "$T/teach.err")" told "$T/teach.err" "is being written to" 0

# ---- the probes find no place afterwards: there is one try for each time that it is written to

mkdir "$T/dead"
cp "$tiny" "$T/dead/libcudart.so.99"
loader "$T/dead/libcudart.so.99" malloc 3 say ready wait "$T/dead.go" >"$T/dead.said" &
dead=$!
wait_for 20 grep -qx ready "$T/dead.said"
begin dead -p $dead
wait_for 20 told "$T/dead.err" "dead/libcudart.so.99: 3 functions attached" 1
touch "$T/dead.go"
wait $dead
cp "$shifted" "$T/dead/libcudart.so.99"
wait_for 20 grep -q 'dead/libcudart.so.99: after it was written to: ' "$T/dead.err"
tries=$(grep -c 'dead/libcudart.so.99: after it was written to: ' "$T/dead.err")
cp "$tiny" "$T/dead/libcudart.so.99"
more_tries() {
	[ "$(grep -c 'dead/libcudart.so.99: after it was written to: ' "$T/dead.err")" -gt "$tries" ]
}
check "dead: it is not looked at when it is written to again: $(cat "$T/dead.err")" wait_for 20 more_tries
end
check "dead: it is tried again and again: $(tail -n 20 "$T/dead.err")" [ "$(grep -c 'dead/libcudart.so.99: after it was written to: ' "$T/dead.err")" -le 6 ]

# ---- replaced by another file of the name, and deleted, while a program maps it

private_double "$T/other"
begin other -u 64032 --library "$library"
load old loader "$library" malloc 4 say ready wait "$T/other.go" malloc 5 free say over wait "$T/other.end"
old=$loader
cp "$library" "$library.new"
strip "$library.new" 2>/dev/null
# Not known ahead, since cutop is stopped: of the first program calls are missed. The driver's file, which is the same, shows
# what they did.
kill -STOP "$cutop"
mv "$library.new" "$library"
loader "$library" malloc 1 say ready wait "$T/late.go" malloc 200 >"$T/late.said" &
late=$!
check "the late program does not start" wait_for 20 grep -qx ready "$T/late.said"
kill -CONT "$cutop"
check "the new file is not probed: $(cat "$T/other.err")" wait_for 20 told "$T/other.err" "$T/other/libcudart.so.13: .* attached" 2
touch "$T/late.go"
wait $late
loader "$library" malloc 6 free >/dev/null &
new=$!
wait $new
rm "$library"
touch "$T/other.go"
check "the old program does not go on" wait_for 20 grep -qx over "$T/old.said"
touch "$T/other.end"
wait $old
end
expect_of other $old '[.watched_from, .state, .inexact]' '["start","exited",false]'
expect_of other $old '.memory | [.allocations, .frees, .leaked_bytes]' '[9,9,0]'
expect_of other $old '[.sites[].site | test("^(allocate at loader.c:[0-9]+ in run|run|allocate|loader)[+]0x[0-9a-f]+( at loader.c:[0-9]+)? [(]loader[)]$")]' '[true]'
expect_of other $late '[.watched_from, .runtime_watched_from, .memory.allocations]' '["start","attach",201]'
expect_of other $new '[.watched_from, .memory.allocations, .memory.frees]' '["start",6,6]'
expect_lost_none other

# ---- unloaded, and loaded again

private_double "$T/again"
begin again -u 64032 --library "$library" --library "$tiny" --library "$shifted"
loader "$library" where cudaMalloc malloc 3 free close open "$library" where cudaMalloc malloc 4 free close \
	open "$library" malloc 5 >"$T/again.said" &
again=$!
wait $again
# Another in its place: its probes are its own.
loader "$tiny" where cudaMalloc malloc 3 free close open "$shifted" where calculate call calculate malloc 4 free close \
	open "$tiny" malloc 5 free sync 6 >"$T/other.said" &
other=$!
wait $other
end
expect_of again $again '.memory | [.allocations, .frees, .live_bytes, .leaked_bytes]' '[12,7,0,15]'
expect_of again $again '[.sites[].site | test("^(allocate at loader.c:[0-9]+ in run|run|allocate|loader)[+]0x[0-9a-f]+( at loader.c:[0-9]+)? [(]loader[)]$")]' '[true]'
expect_of again $again '[.watched_from, .inexact]' '["start",false]'
expect_of again $other '.memory | [.allocations, .frees, .unknown_frees, .leaked_bytes]' '[12,12,0,0]'
expect_of again $other '[.calls[] | select(.call == "cudaDeviceSynchronize").calls]' '[6]'
check "and it calculates right" grep -qx -e "$right" "$T/other.said"
expect_lost_none again
# ---- deleted: what nobody maps is given up, what somebody maps is not

# As a build or a container does: a file that is there for a while, and another the next time. Others' are not looked for.
given_up='no process uses it any more; its probes were taken off'
own_user 64031
cp "$T/loader" "$T/own/loader"
mkdir "$T/gone"
begin gone -u 64031 --library "$own_lib"
load used as_own "$T/own/loader" "$own_lib" malloc 4 say ready wait "$T/used.go" malloc 5 free
rm "$own_lib"
for i in 1 2 3; do
	cp "$double/libcudart.so.13" "$T/gone/lib$i.so"
	as_own "$T/own/loader" "$T/gone/lib$i.so" malloc 1 wait "$T/gone.$i" malloc 200 >/dev/null &
	loader_there=$!
	check "gone: lib$i.so is not probed: $(cat "$T/gone.err")" wait_for 20 told "$T/gone.err" "gone/lib$i.so: .* attached" 1
	touch "$T/gone.$i"
	wait $loader_there
	rm "$T/gone/lib$i.so"
done
check "probes on files that are gone: $(cat "$T/gone.err")" wait_for 60 told "$T/gone.err" "gone/lib.*: $given_up" 3
touch "$T/used.go"
wait "$loader"
end
expect gone '[.processes[].memory | select(.allocations == 9) | .frees, .leaked_bytes]' '[9,0]'
expect_lost_none gone

expect_clean "all of this"
finish
