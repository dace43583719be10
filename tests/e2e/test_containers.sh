#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs in a container: a root, mounts and a pid namespace of their own, and a
# control group named as Kubernetes names them. Names come from the container's own
# files, also where the host has another file of that name; pids are told as
# both sides count, of a program that is gone already, too.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

busybox=$(command -v busybox) || skip "needs busybox (Debian: apt install busybox-static)"
command -v strip >/dev/null || skip "needs strip (Debian: apt install binutils)"
unshare -m -p --fork true 2>/dev/null || skip "needs mount and pid namespaces"
sites=$top_builddir/tests/e2e/bin/site_calls
line=$(grep -n 'the call \*/' "$top_srcdir/tests/e2e/site_calls.c" | cut -d : -f 1)
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
uid=2c48913c-b29f-11e7-9350-020968147796

# ---- the container's files, at paths that the host has not, or has for something else
root=$T/root
app=$T/app
mkdir -p "$root/proc" "$root/srv/cuda" "$root/opt" "$root$app" "$root/old" "$app"
libraries_below "$root" "$sites" "$bin/workload" "$double/libcudart.so.13" "$double/libcuda.so.1" "$busybox"
private_double "$root/srv/cuda"
cp "$busybox" "$root/busybox"
cp "$sites" "$root/$app/boxed"
cp "$bin/workload" "$app/boxed"
strip -o "$root/opt/boxed-stripped" "$bin/workload"
# The first program is number 1 there in the end, by exec; those that it starts before are children of it.
cat >"$root/init" <<END
/busybox mount -t proc proc /proc
/busybox umount -l /old
export LD_LIBRARY_PATH=/srv/cuda
/opt/boxed-stripped launches 50
$app/boxed 1
exec $app/boxed 3 wait
END
cat >"$T/enter" <<END
mount --make-rprivate / && mount --bind "$root" "$root" && cd "$root" && pivot_root . old && exec ./busybox chroot . /busybox sh /init
END

# ---- a control group for it, where there are any to be had
group=
for top in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/pids /sys/fs/cgroup/freezer; do
	[ -e "$top/cgroup.procs" ] || continue
	group=$top/kubepods-cutop$$.slice/kubepods-cutop$$-pod$(echo $uid | tr - _).slice/cri-containerd-$id.scope
	mkdir -p "$group" 2>/dev/null && break
	group=
done
rmdir_group() {
	[ -n "$group" ] || return 0
	rmdir "$group" "$(dirname "$group")" "$(dirname "$(dirname "$group")")"
}
trap 'end_started; rmdir_group; clean_up' EXIT

# inside COMMAND...: in the container's group
inside() {
	[ -z "$group" ] || sh -c 'echo $$ >"$0" && exec "$@"' "$group/cgroup.procs" "$@"
	[ -n "$group" ] || "$@"
}

# ---- a run
"$CUTOP" -b -v -f json --stacks -d 0.1 -c 'boxed*' --library "$root/srv/cuda/libcudart.so.13" >"$T/all.out" 2>"$T/all.err" &
cutop=$!
check "cutop does not start: $(cat "$T/all.err" 2>/dev/null)" wait_for 20 grep -qs 'srv/cuda/libcuda.so.1: .*attached' "$T/all.err"
mkfifo "$T/in"
inside unshare -m -p --fork sh "$T/enter" <"$T/in" >"$T/said" 2>&1 &
exec 3>"$T/in"
found() {
	[ "$(tail -n 1 "$T/all.out" | jq '[.processes[] | select(.arguments == "3 wait") | .sites[].stack[] | select(test("^ma(ke|in)\\+")) |
		test(":[0-9]+ ")] | length == 8 and all' 2>/dev/null)" = true ]
}
check "the container's program is not seen: $(cat "$T/said")" wait_for 20 found
kill -INT $cutop
wait $cutop
grep '^{"schema"' "$T/all.out" | tail -n 1 >"$T/all.json"

last='(.processes[] | select(.arguments == "3 wait"))'
child='(.processes[] | select(.arguments == "1" and (.command | endswith("/boxed"))))'
stripped='(.processes[] | select(.arguments == "launches 50"))'
pid=$(jq "$last | .pid" "$T/all.json")
doctor=$("$CUTOP" doctor -f json -p "$pid")

# ---- pids on both sides
expect all "$last | .ns_pid" 1
expect all "$last | .pid > 1" true
expect all "$child | .ns_pid > 1 and .ns_pid < 20 and .pid != .ns_pid" true
expect all "$stripped | .ns_pid > 1 and .ns_pid < 20" true
expect all "[($child, $stripped) | .state]" '["exited","exited"]'
check "NSpid of $pid" grep -q "^NSpid:.*[[:space:]]$pid[[:space:]]*1\$" "/proc/$pid/status"

# ---- names: of kernels in a program without symbols; of sites from the container's file, not the host's of that path
expect all "$stripped | .kernels | map(.launches) | add" 50
expect all "[$stripped | .kernels[].name | test(\"0x|stripped\")] | any" false
expect all "$last | .sites | map(.allocations) | add" 12
expect all "[$last | .sites[].stack[0] | test(\"^make\\\\+0x[0-9a-f]+ at site_calls.c:$line \\\\(boxed\\\\)\$\")] | all" true
expect all "[$last | .sites[].stack[] | select(test(\"^main\\\\+\")) | test(\"site_calls.c:\")] | length == 4 and all" true
# One that ends at once may be gone before its file was opened: then its site is an offset in that file.
expect all "[$child | .sites[].site | test(\"^make\\\\+0x[0-9a-f]+.* \\\\(boxed\\\\)\$|^boxed\\\\+0x[0-9a-f]+\$\")] | all" true
expect all "$last | .memory.live_bytes" 36300
# What was lost is counted of all programs that this cutop sees, those of tests beside this one among them, which lose some on purpose.
expect all '[.processes[].inexact] | any' false
expect all '.lost | [.names, .processes, .bad_records, .memory] | add' 0

# ---- the container and the pod
if [ -n "$group" ]; then
	expect all "[($last, $child, $stripped) | .container] | unique" "[\"$id\"]"
	expect all "[($last, $child, $stripped) | .pod] | unique" "[\"$uid\"]"
	check "doctor: $doctor" [ "$(echo "$doctor" | jq -r '.processes[0] | "\(.container) \(.ns_pid)"')" = "$id 1" ]
else
	echo "not tried: control groups, which cannot be made here"
	expect all '[.processes[].container] | unique' '[null]'
	check "doctor: $doctor" [ "$(echo "$doctor" | jq -r '.processes[0].ns_pid')" = 1 ]
fi
exec 3>&-
wait

# ---- a container's user is not the host's user of that number
private_double "$T/plain"
cp "$bin/workload" "$T/plain"
chmod -R a+rX "$T/plain"
chmod a+x "$T"
of_nobody="setpriv --reuid $(id -u nobody) --clear-groups env LD_LIBRARY_PATH=$T/plain $T/plain/workload"
# shellcheck disable=SC2086
watch outside --library "$library" -- $of_nobody pairs 1 100
expect outside '[.processes[] | select(.memory.allocations > 0).user]' '["nobody"]'
if [ -n "$group" ]; then
	# It lasts until it was looked at: of one that is gone by then, nothing tells what it ran in.
	# shellcheck disable=SC2016,SC2086
	"$CUTOP" -b -f json -d 0.1 --library "$library" -- sh -c 'echo $$ >"$0"; exec "$@"' "$group/cgroup.procs" $of_nobody loop 600 \
		>"$T/inside.out" 2>"$T/inside.err" &
	cutop=$!
	is_number() {
		tail -n 1 "$T/inside.out" | jq -e -n "input | [.processes[] | select(.memory.allocations > 0).user] == [\"$(id -u nobody)\"]" >/dev/null 2>&1
	}
	check "inside: not the user's number: $(cat "$T/inside.err")" wait_for 20 is_number
	kill -TERM $cutop
	wait $cutop
fi

# ---- text and CSV, of a program that is watched from its start
for format in text csv; do
	rm -f "$T/in"
	mkfifo "$T/in"
	"$CUTOP" -b -f $format -d 0.1 --library "$root/srv/cuda/libcudart.so.13" -- sh -c '[ -z "$0" ] || echo $$ >"$0"; exec "$@"' "${group:+$group/cgroup.procs}" \
		unshare -m -p --fork sh "$T/enter" <"$T/in" >"$T/$format" 2>"$T/$format.err" &
	cutop=$!
	exec 3>"$T/in"
	check "$format: the program is not seen" wait_for 20 grep -qs 'boxed 3 wait' "$T/$format"
	exec 3>&-
	wait $cutop
done
csv_column() {
	python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print(" ".join(sorted({r[sys.argv[2]] for r in rows if r["command"].endswith("boxed 3 wait")})))' "$T/csv" "$1"
}
if command -v python3 >/dev/null; then
	check "CSV: ns_pid: $(csv_column ns_pid)" [ "$(csv_column ns_pid)" = 1 ]
	[ -z "$group" ] || check "CSV: container" [ "$(csv_column container)" = "$id" ]
	[ -z "$group" ] || check "CSV: pod" [ "$(csv_column pod)" = "$uid" ]
fi

# ---- cutop itself in one: processes have other numbers there than probes tell, so that it would see nothing, and say "no leak"
boxed_cutop() {
	unshare -m -p --fork --mount-proc "$CUTOP" "$@" >"$T/inner.out" 2>"$T/inner.err"
	status=$?
}
boxed_cutop -b -n 1 -- touch "$T/ran"
check "in a pid namespace: status $status" [ $status = 1 ]
check "in a pid namespace: $(cat "$T/inner.err")" grep -q 'pid namespace of its own.*--pid=host' "$T/inner.err"
check "in a pid namespace: something is printed: $(cat "$T/inner.out")" [ ! -s "$T/inner.out" ]
check "in a pid namespace: COMMAND was run all the same" [ ! -e "$T/ran" ]
boxed_cutop doctor -f json
check "in a pid namespace: doctor's status $status" [ $status = 1 ]
check "in a pid namespace: doctor" jq -e '.checks[] | select(.name == "pid_namespace") | .state == "problem"' "$T/inner.out" >/dev/null
"$CUTOP" doctor -f json >"$T/outer.out"
check "out of it: doctor" jq -e '[.checks[] | select(.name == "pid_namespace")] == []' "$T/outer.out" >/dev/null

[ -z "$group" ] || check "text: $(cat "$T/text")" grep -q "^  CONTAINER  $id  in pod $uid  (pid 1 there)\$" "$T/text"

finish
