#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Attaching: processes that ran before, files first seen when they are loaded, filters, overlay mounts, containers,
# deleted files, odd libraries.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
helpers=$top_builddir/tests/e2e/bin
[ -x "$helpers/loader" ] || skip "the helpers are not built"

patience=10

# ---- a process that ran before ----

# They are a user's of their own: what other tests' programs lose meanwhile is not theirs.
private_double "$T/before"
cp "$helpers/loader" "$T/before/loader"
chmod -R a+rX "$T/before"
as_own="setpriv --reuid 61346 --regid 61346 --clear-groups"
# shellcheck disable=SC2086
load before $as_own "$T/before/loader" "$T/before/libcudart.so.13" malloc 5 say ready wait "$T/before.go" malloc 7 free sync 3 \
	say over wait "$T/before.end"
begin before -u 61346
touch "$T/before.go"
check "before: does not go on" wait_for 10 grep -qx over "$T/before.said"
# shellcheck disable=SC2086
$as_own "$T/before/loader" "$T/before/libcudart.so.13" malloc 2 >/dev/null &
later=$!
wait "$later"
end
touch "$T/before.end"
expect_of before "$loader" .watched_from '"attach"'
expect_of before "$loader" .state '"running"'
expect_of before "$loader" .memory.allocations 7
expect_of before "$loader" .memory.failed_frees 0
expect_of before "$loader" .memory.live_bytes 0
expect_of before "$loader" '.calls[] | select(.call == "cudaFree").calls' 12
expect_of before "$later" .watched_from '"start"'
expect_of before "$later" .memory.allocations 2
expect_of before "$later" .memory.leaked_bytes 3
expect_lost_none before
wait "$loader"

"$workload" loop 3600 >/dev/null &
loop=$!
run bounds -b -n 2 -d 0.1 -p "$loop"
check "text does not mark lower bounds" grep -q '≥.*workload' "$T/bounds.out"
run bounds-ascii -b -n 2 -d 0.1 -p "$loop" --ascii
check "text does not mark lower bounds in ASCII" grep -q '[0-9A-Z]+ .*workload' "$T/bounds-ascii.out"
# Whatever it was doing when the probes came, it is late, and nothing is lost - but that the kernel refuses a thread
# its storage at times, while other storage is at work on the same processor.
for i in 1 2 3 4 5 6; do
	run busy -b -f json -n 1 -d 0.1 -p "$loop"
	check_jq "busy, time $i: $(jq -c '[.lost, (.processes[] | .watched_from)]' "$T/busy.out")" \
		'(.processes[0].watched_from == "attach") and ([.lost | del(.threads)[]] | add) == 0' "$T/busy.out"
done
kill "$loop"

"$workload" hang 60000 &
hang=$!
wait_for 10 grep -qs libcudart "/proc/$hang/maps"
begin hang -p "$hang"
end
expect_lost_none hang
kill "$hang"

# ---- a process whose main thread has ended: another thread shows what it maps ----

private_double "$T/headless"
for filter in pid user; do
	rm -f "$T/headless.go"
	chmod -R a+rX "$T/headless"
	cp "$helpers/loader" "$T/headless/loader"
	# shellcheck disable=SC2086
	load headless $as_own "$T/headless/loader" "$T/headless/libcudart.so.13" thread say ready wait "$T/headless.go" malloc 3 say over wait "$T/headless.end"
	check "headless: the main thread runs" wait_for 10 grep -q '^State:.Z' "/proc/$loader/status"
	run headless-doctor doctor -p "$loader"
	check "headless: doctor: $(cat "$T/headless-doctor.out")" grep -q 'headless/libcudart.so.13' "$T/headless-doctor.out"
	if [ $filter = pid ]; then begin headless -p "$loader"; else begin headless -u 61346; fi
	touch "$T/headless.go"
	check "headless: does not go on" wait_for 10 grep -qx over "$T/headless.said"
	check "headless, by $filter: its calls" wait_for 10 newest ".processes[] | select(.pid == $loader).memory.allocations == 3"
	check "headless, by $filter: where: $(newest '.processes[].sites')" wait_for 10 newest ".processes[] | select(.pid == $loader) |
		(.sites | length == 1 and (.[0].site | test(\"^allocate.*loader\"))) and (.arguments | test(\"malloc 3\"))"
	end
	kill "$loader"
done

# ---- libraries that not even root may read: a FUSE mount of another user ----

mkdir "$T/theirs"
chmod a+rx "$T" "$T/theirs"
mkfifo "$T/orders"
"$helpers/absent_server" "$T/headless" "$T/theirs" 61346 <"$T/orders" >"$T/server" 2>&1 &
exec 4>"$T/orders"
trap 'exec 4>&-; end_started; umount -l "$T/theirs" 2>/dev/null; clean_up' EXIT
if wait_for 10 grep -q mounted "$T/server"; then
	rm -f "$T/refused.go"
	# shellcheck disable=SC2086
	load refused $as_own env LD_LIBRARY_PATH="$T/theirs" "$T/headless/loader" "$T/theirs/libcudart.so.13" say ready wait "$T/refused.go" malloc 3 say over wait "$T/refused.end"
	check "refused: root reads it" sh -c '! cat "$1" >/dev/null 2>&1' - "$T/theirs/libcudart.so.13"
	for filter in "-p $loader" "-u 61346"; do
		# shellcheck disable=SC2086
		run refused -b -n 1 -d 0.1 $filter
		check "refused, $filter: told once: $(cat "$T/refused.err")" [ "$(grep -c "process $loader has lib.*, which cutop may not read (Permission denied)" "$T/refused.err")" = 1 ]
	done
	run refused-doctor doctor -p "$loader"
	check "refused: doctor: $(cat "$T/refused-doctor.out")" grep -q "maps $T/theirs/.*, which cutop may not read" "$T/refused-doctor.out"
	check "refused: doctor's way out" grep -q 'allow_root' "$T/refused-doctor.out"
	begin refused -u 61346
	touch "$T/refused.go"
	check "refused: does not go on" wait_for 10 grep -qx over "$T/refused.said"
	# shellcheck disable=SC2086
	$as_own env LD_LIBRARY_PATH="$T/theirs" "$T/headless/loader" "$T/theirs/libcudart.so.13" malloc 1 >/dev/null
	end
	expect refused '[.events[] | select(.text | test("may not read")).kind]' '["lost"]'
	kill "$loader"
else
	echo "not tried: no FUSE: $(cat "$T/server")"
fi
exec 4>&-
umount -l "$T/theirs" 2>/dev/null

# ---- processes that --pid names and that make no call ----

private_double "$T/idle"
load idle "$helpers/loader" "$T/idle/libcudart.so.13" say ready wait "$T/idle.go" malloc 3 say over wait "$T/idle.end"
idle=$loader
run idle-text -b -n 1 -d 0.1 -p "$idle"
check "idle: the text has no row: $(cat "$T/idle-text.out")" grep -qE "^ *$idle .*loader" "$T/idle-text.out"
check "idle: it is told of nothing: $(cat "$T/idle-text.err")" [ ! -s "$T/idle-text.err" ]
if command -v tmux >/dev/null; then
	mux new-session -d -s t -x 100 -y 30 "exec env LC_ALL=C.UTF-8 '$CUTOP' --no-config -d 0.2 -p $idle"
	check "idle: the screen has no row" see "^ *$idle .*loader"
	mux kill-server
fi
begin idle -p "$idle"
check "idle: no row" newest "[.processes[] | [.pid, .watched_from, .state]] == [[$idle, \"attach\", \"running\"]]"
check "idle: what the log says" newest '[.events[].text | test("is watched from here on$")] == [true]'
check "idle: parent and start" newest ".processes[0] | .parent_pid == $$ and (now - .start_time | . > -1 and . < 120)"
touch "$T/idle.go"
check "idle: does not go on" wait_for 10 grep -qx over "$T/idle.said"
check "idle: its calls" wait_for 10 newest '.processes | length == 1 and .[0].memory.allocations == 3'
touch "$T/idle.end"
check "idle: its end" wait_for 10 newest '[.processes[].state] == ["exited"]'
end
expect idle '[.processes[] | [.pid, .memory.allocations, .watched_from]]' "[[$idle,3,\"attach\"]]"
expect_lost_none idle
# one that ends, and one that becomes another program, without ever having made a call
load ending "$helpers/loader" "$T/idle/libcudart.so.13" say ready wait "$T/ending.go"
ending=$loader
# shellcheck disable=SC2016
load becoming env LD_LIBRARY_PATH="$T/idle" LD_PRELOAD="$T/idle/libcudart.so.13" sh -c \
	'echo ready; while [ ! -e "$1" ]; do read -r _ <"$2"; done; unset LD_PRELOAD; exec sleep 1000' - "$T/becoming.go" /dev/null
becoming=$loader
begin gone -p "$ending,$becoming"
check "two that are idle: $(tail -n 1 "$T/gone.out" | jq -c .processes)" newest '[.processes[].state] == ["running","running"]'
touch "$T/ending.go" "$T/becoming.go"
check "idle ones that end: $(tail -n 1 "$T/gone.out" | jq -c '[.processes[].state]')" wait_for 10 newest '[.processes[].state] == ["exited","exited"]'
end
kill "$becoming"
# one that is another user's, where -u asks for the user nobody; one without CUDA
load others "$helpers/loader" "$T/idle/libcudart.so.13" say ready wait "$T/others.go"
run others -b -f json -n 1 -d 0.1 -p "$loader" -u 65534
check_jq "idle: another user's" '.processes == []' "$T/others.out"
touch "$T/others.go"
sleep 1000 &
stranger=$!
run stranger -b -f json -n 1 -d 0.1 -p "$stranger"
expect_status stranger 0
expect_line stranger "process $stranger maps no CUDA library that is probed.*cutop doctor -p $stranger"
check_jq "a process without CUDA" '.processes == []' "$T/stranger.out"
kill "$stranger"

# ---- filters ----

mkdir "$T/filter"
chmod 755 "$T/filter"
private_double "$T/filter"
cp "$helpers/loader" "$T/filter/loader"
chmod 755 "$T/filter/"*
actions="say ready wait $T/filter.go malloc 4 peek cudaMalloc say over"
# shellcheck disable=SC2086
load mine "$T/filter/loader" "$T/filter/libcudart.so.13" $actions
mine=$loader
# shellcheck disable=SC2086
load other setpriv --reuid=65534 --regid=65534 --clear-groups "$T/filter/loader" "$T/filter/libcudart.so.13" $actions
other=$loader
begin pid -p "$mine"
cutops=$(pgrep -cx cutop)
touch "$T/filter.go"
wait "$mine" "$other"
end
expect pid '[.processes[].pid]' "[$mine]"
expect_of pid "$mine" .memory.allocations 4
check "-p: the other process is not done" grep -qx over "$T/other.said"
check "-p: the watched process has a probe: $(cat "$T/mine.said")" grep -qx cc "$T/mine.said"
# Another cutop on this machine may watch the other process.
if have_sessions && [ "$cutops" = 1 ]; then
	check "-p: the other process has none: $(cat "$T/other.said")" grep -qx 55 "$T/other.said"
fi

rm "$T/filter.go"
begin user -u nobody
cutop_user=$cutop
begin glob -c 'setp*'
cutop_glob=$cutop
# shellcheck disable=SC2086
load mine "$T/filter/loader" "$T/filter/libcudart.so.13" $actions
mine=$loader
# shellcheck disable=SC2086
load other setpriv --reuid=65534 --regid=65534 --clear-groups "$T/filter/loader" "$T/filter/libcudart.so.13" $actions
other=$loader
cp "$T/filter/loader" "$T/filter/setpotter"
# shellcheck disable=SC2086
load potter "$T/filter/setpotter" "$T/filter/libcudart.so.13" $actions
potter=$loader
for name in user glob; do
	check "$name: the library is not found" wait_for 10 grep -q 'filter/libcudart.so.13: .*attached' "$T/$name.err"
done
touch "$T/filter.go"
wait "$mine" "$other" "$potter"
end user "$cutop_user"
end glob "$cutop_glob"
expect user '[.processes[].pid]' "[$other]"
expect user '[.processes[].user]' '["nobody"]'
expect user '[.processes[].memory.allocations]' '[4]'
expect glob '[.processes[].pid]' "[$potter]"
expect glob '[.processes[].memory.allocations]' '[4]'

# ---- a file first seen when a program loads it ----

# Only of its own programs: with those of the tests beside it a document may have hundreds of megabytes.
cp "$helpers/loader" "$T/late-loader"
begin late -c "*$T/*"
private_double "$T/late"
# However long a busy machine takes, calls follow once it is probed; and cutop stands still before, or it may be there first.
kill -STOP "$cutop"
load late "$T/late-loader" "$T/late/libcudart.so.13" pace 1000 malloc 2000 say ready wait "$T/late.go" malloc 300 times say over
late=$loader
kill -CONT "$cutop"
check "late: the library is probed" wait_for 60 grep -q 'late/libcudart.so.13: .*attached' "$T/late.err"
touch "$T/late.go"
wait "$late"
load later "$T/late-loader" "$T/late/libcudart.so.13" malloc 400 say ready
later=$loader
wait "$later"
# The same for a program that brings its own. Its driver is a copy: one that other tests' programs use may have probes already.
cp "$workload-static" "$T/own"
private_double "$T/own-driver"
LD_LIBRARY_PATH=$T/own-driver "$T/own" loop 100 &
own=$!
check "late: its own runtime is probed" wait_for 60 newest "[.processes[] | select(.pid == $own).memory.allocations > 50] == [true]"
kill "$own"
wait "$own"
LD_LIBRARY_PATH=$T/own-driver "$T/own" pairs 6 10 &
own_later=$!
wait "$own_later"
end
expect_of late "$late" .watched_from '"attach"'
expect_of late "$late" '.memory.allocations > 200' true
expect_of late "$later" .memory.allocations 400
expect_of late "$later" .watched_from '"start"'
expect_of late "$own" .watched_from '"attach"'
expect_of late "$own" '.memory.allocations > 50' true
expect_of late "$own_later" .watched_from '"start"'
expect_of late "$own_later" .memory.allocations 6
first=$(jq "[.processes[] | select(.pid == $late).memory.map[].size] | min" "$T/late.json")
echo "a library loaded by a running program: first call seen after $(awk -v n="$first" '$1 == n { print $2 / 1000 }' "$T/late.said") ms," \
	"$((first - 1)) calls missed"

# ---- overlay mounts: two mounts of one file are one file ----

# ---- many targets, few open files allowed ----

mkdir "$T/many"
i=0
set --
while [ "$i" -lt 40 ]; do
	i=$((i + 1))
	cp "$double/libcudart.so.13" "$T/many/libcudart.so.$i"
	set -- "$@" --library "$T/many/libcudart.so.$i"
done
prlimit --nofile=100: "$CUTOP" -b -f json -n 1 -o "$T/many.json" "$@" -- sh -c 'ulimit -n' >"$T/many.out" 2>"$T/many.err"
status=$?
expect_status many 0
expect many '.probes.targets >= 40' true
check "COMMAND inherits another limit of open files" grep -qx 100 "$T/many.out"

# $1: name, $2: where the upper directories lie
overlay() {
	lower=$T/$1.lower
	private_double "$lower"
	cat >"$T/$1.sh" <<END
set -e
mount --make-rprivate /
for i in 1 2; do
	mkdir -p "$2/$1.upper\$i" "$2/$1.work\$i" "$T/$1.m\$i"
	mount -t overlay overlay -o "lowerdir=$lower,upperdir=$2/$1.upper\$i,workdir=$2/$1.work\$i" "$T/$1.m\$i"
done
exec "\$@"
END
	unshare -m sh "$T/$1.sh" true 2>"$T/overlay.err" || { echo "no overlay mounts here: $(cat "$T/overlay.err")"; return; }
	# known ahead, by both names
	unshare -m sh "$T/$1.sh" "$CUTOP" -b -v -f json -n 1 --library "$T/$1.m1/libcudart.so.13" \
		--library "$T/$1.m2/libcudart.so.13" -- sh -c "
		'$helpers/loader' '$T/$1.m1/libcudart.so.13' malloc 5
		'$helpers/loader' '$T/$1.m2/libcudart.so.13' malloc 6" >"$T/$1.json" 2>"$T/$1.err"
	expect "$1" '[.processes[] | [.memory.allocations, .watched_from]] | sort' '[[5,"start"],[6,"start"]]'
	check "$1: targets of one file: $(cat "$T/$1.err")" [ "$(grep -c "$1.m.*libcudart.*attached" "$T/$1.err")" = 1 ]
	# met on the way, from outside their mount namespace
	begin "$1-met" -c "*$1.m?/*"
	load "$1-met" unshare -m sh "$T/$1.sh" sh -c "
		'$helpers/loader' '$T/$1.m1/libcudart.so.13' say ready wait '$T/$1.go' malloc 5 &
		'$helpers/loader' '$T/$1.m2/libcudart.so.13' say ready wait '$T/$1.go' malloc 6 & wait"
	check "$1-met: does not start" wait_for 10 sh -c "[ \"\$(grep -c ready '$T/$1-met.said')\" = 2 ]"
	check "$1-met: the file is not found: $(cat "$T/$1-met.err")" wait_for 5 grep -q "$1.m.*attached" "$T/$1-met.err"
	touch "$T/$1.go"
	wait "$loader"
	end
	expect "$1-met" '[.processes[].memory.allocations] | sort' '[5,6]'
	# The second may have come after the probes, and then missed nothing.
	expect "$1-met" '[.processes[].watched_from] | contains(["attach"])' true
	check "$1-met: targets of one file: $(cat "$T/$1-met.err")" [ "$(grep -c "$1.m.*libcudart.*attached" "$T/$1-met.err")" = 1 ]
}
overlay overlay "$T"
if mkdir "$T/other" && mount -t tmpfs cutop-test "$T/other" 2>/dev/null; then
	trap 'end_started; umount "$T/other" 2>/dev/null; clean_up' EXIT
	overlay overlay-two "$T/other"
	umount "$T/other"
fi

# ---- a container: another root ----

# With mounts of its own, where that can be had; where not (the tests run in a chroot), another root is enough.
own_mounts="unshare -m"
$own_mounts true 2>/dev/null || { own_mounts=; echo "not tried: a mount namespace of its own"; }
root=$T/root
mkdir -p "$root"
libraries_below "$root" "$helpers/loader" "$double/libcudart.so.13" "$double/libcuda.so.1"
private_double "$root/opt/odd"
cp "$helpers/loader" "$root/loader"
chmod -R a+rX "$root"
begin container -u 61346
# shellcheck disable=SC2086
load container $own_mounts chroot --userspec=61346:61346 "$root" /loader /opt/odd/libcudart.so.13 say ready wait /go malloc 3 say over wait /end
check "container: the library is not found: $(cat "$T/container.err")" \
	wait_for 10 grep -q 'opt/odd/libcudart.so.13: .*attached' "$T/container.err"
touch "$root/go"
check "container: does not go on" wait_for 10 grep -qx over "$T/container.said"
inside=$loader
# Until the driver is probed as well, what starts is late for that.
check "container: the driver is not found: $(cat "$T/container.err")" \
	wait_for 10 grep -q 'opt/odd/libcuda.so.1: .*attached' "$T/container.err"
chroot --userspec=61346:61346 "$root" /loader /opt/odd/libcudart.so.13 malloc 8 &
again=$!
wait "$again"
end
expect_of container "$inside" .memory.allocations 3
expect_of container "$inside" .watched_from '"attach"'
expect_of container "$again" .memory.allocations 8
expect_of container "$again" .watched_from '"start"'
touch "$root/end"
wait "$inside"
# started before cutop
rm "$root/go" "$root/end"
# shellcheck disable=SC2086
load container2 $own_mounts chroot --userspec=61346:61346 "$root" /loader /opt/odd/libcudart.so.13 say ready wait /go malloc 3 say over
begin container2 -u 61346
touch "$root/go"
wait "$loader"
end
expect_of container2 "$loader" .memory.allocations 3
expect_of container2 "$loader" .watched_from '"attach"'

# ---- a file that is gone, but mapped ----

private_double "$T/gone"
load deleted "$helpers/loader" "$T/gone/libcudart.so.13" say ready wait "$T/gone.go" malloc 9
rm "$T/gone/libcudart.so.13"
# another one under its name
cp "$double/libcudart.so.13" "$T/gone/libcudart.so.13"
begin deleted -p "$loader"
touch "$T/gone.go"
wait "$loader"
end
expect_of deleted "$loader" .memory.allocations 9
expect_of deleted "$loader" .watched_from '"attach"'

# ---- a runtime of few functions, two of them one ----

watch tiny --library "$helpers/libcudart.so.99" -v -- \
	"$helpers/loader" "$helpers/libcudart.so.99" malloc 3 free sync 4 old-sync 5
expect tiny 'p.memory.allocations' 3
expect tiny 'p.memory.frees' 3
expect tiny '[p.calls[] | select(.call | test("Synchronize")).calls]' '[9]'
check "aliases: $(cat "$T/tiny.err")" grep -q 'libcudart.so.99: 3 functions attached, 0 refused, 1 further' "$T/tiny.err"
expect_nothing_lost tiny

expect_clean "all of this"
finish
