#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Volumes of containers: a probe holds the file system of its file. Once the last process of a
# container has ended, cutop releases it, so that the volume can be detached; while another
# container maps the same file it stays probed. A file that the machine has at a path of its own is
# opened by that path, even if a service with mounts of its own was the first to map it.
# shellcheck disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
helpers=$top_builddir/tests/e2e/bin
[ -x "$helpers/loader" ] || skip "the helpers are not built"
command -v mkfs.ext4 >/dev/null || skip "needs mkfs.ext4 (Debian: apt install e2fsprogs)"
unshare -m true 2>/dev/null || skip "needs mount namespaces"
given_up='no process uses it any more; its probes were taken off'

truncate -s 64M "$T/image"
mkfs.ext4 -q "$T/image"
loop=$(losetup -f --show "$T/image" 2>/dev/null) || skip "needs loop devices"
volume_end() {
	umount -l "$T/volume" 2>/dev/null
	losetup -d "$loop" 2>/dev/null
}
trap 'end_started; volume_end; clean_up' EXIT
mkdir "$T/volume" "$T/inside" "$T/own"
mount "$loop" "$T/volume" || skip "cannot mount an ext4 volume"
# The file system lives as long as it is in use, mounted or not.
alive=/proc/fs/ext4/${loop#/dev/}
check "no $alive" [ -e "$alive" ]
private_double "$T/volume"
cp "$helpers/loader" "$T/volume"
private_double "$T/own"

# contained NAME COMMAND...: in the background, where the volume is seen at another place, and only there
contained() {
	name=$1
	shift
	# shellcheck disable=SC2016
	load "$name" unshare -m sh -c 'mount --make-rprivate / && mount --move "$0/volume" "$0/inside" && exec "$@"' "$T" \
		env "LD_LIBRARY_PATH=$T/inside" "$@"
}
told() {
	[ "$(grep -c "$1" "$T/$begun.err")" = "$2" ]
}
# Returns when it was looked twice at who maps what: so often it takes to give up a file that is deleted.
looked=0
looked_at() {
	looked=$((looked + 1))
	cp "$double/libcudart.so.13" "$T/deleted$looked.so"
	LD_LIBRARY_PATH=$T/own "$helpers/loader" "$T/deleted$looked.so" malloc 1 wait "$T/deleted$looked.go" malloc 200 free >/dev/null &
	deleted=$!
	check "deleted$looked.so is not probed" wait_for 20 told "deleted$looked.so: .* attached" 1
	touch "$T/deleted$looked.go"
	wait $deleted
	rm "$T/deleted$looked.so"
	check "deleted$looked.so is not given up" wait_for 60 told "deleted$looked.so: $given_up" 1
}
allocated() {
	newest "[.processes[] | select(.pid == $1).memory.allocations] == [$2]"
}

# Nothing of the volume is known ahead, and nothing is known of others' libraries.
begin volume --stacks -c "*loader" --library "$T/own/libcudart.so.13"
contained first "$T/inside/loader" "$T/inside/libcudart.so.13" malloc 3 say ready wait "$T/first.go" malloc 4 free
first=$loader
check "the volume's runtime is not probed: $(cat "$T/volume.err")" \
	wait_for 20 told "$T/inside/libcudart.so.13: .* attached" 1
contained second "$T/inside/loader" "$T/inside/libcudart.so.13" malloc 5 free say ready wait "$T/second.go" malloc 6 free
second=$loader
umount "$T/volume"
check "the second container: $(tail -n 1 "$T/volume.out" | jq -c '[.processes[] | [.pid, .memory]]')" wait_for 20 allocated "$second" 5
touch "$T/first.go"
wait "$first"
looked_at
check "given up while another container has it: $(cat "$T/volume.err")" told "$T/inside/.*: $given_up" 0
touch "$T/second.go"
wait "$second"
check "not given up: $(cat "$T/volume.err")" wait_for 40 told "$T/inside/libcudart.so.13: $given_up" 1
# Nor is it held for the names of call sites, which were read from there.
check "the volume is in use: $(readlink "/proc/$cutop/fd/"* | grep -v anon_inode)" wait_for 40 [ ! -e "$alive" ]
check "the device is in use" losetup -d "$loop"

# A service with mounts of its own that has the machine's files.
# shellcheck disable=SC2016
load service unshare -m sh -c 'mount --make-rprivate / && exec "$@"' sh \
	env "LD_LIBRARY_PATH=$T/own" "$helpers/loader" "$T/own/libcuda.so.1" say ready
service=$loader
wait "$service"
looked_at
check "the machine's own was given up: $(cat "$T/volume.err")" told "$T/own/.*: $given_up" 0
end
expect_of volume "$second" '[.sites[].site | test("^(allocate at loader.c:[0-9]+ in run\\+0x[0-9a-f]+|run\\+0x[0-9a-f]+ at loader.c:[0-9]+) \\(loader\\)$")] | all' true
expect_of volume "$second" '.memory | [.allocations, .frees, .leaked_bytes]' '[11,11,0]'
expect volume '[.processes[].inexact] | any' false
expect_clean "all of this"
finish
