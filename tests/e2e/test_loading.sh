#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A library that a running program loads is noticed and probed: by the kernel's function behind
# mmap(2) or, if that cannot be traced, by the first touch of one of its pages. cutop doctor says
# which; $CUTOP_TEST_LOADING, if set, which it has to be.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
loader_program=$top_builddir/tests/e2e/bin/loader
[ -x "$loader_program" ] || skip "the helpers are not built"

way=$("$CUTOP" doctor | sed -n 's/.*libraries that running programs load are noticed (\([a-z]*\) .*/\1/p')
echo "libraries that programs load: by a $way"
check "cutop doctor does not say how loading is noticed" [ -n "$way" ]
[ -z "${CUTOP_TEST_LOADING:-}" ] || check "it is not by a $CUTOP_TEST_LOADING" [ "$way" = "$CUTOP_TEST_LOADING" ]

private_double "$T/aside"
aside=$library
private_double "$T/data"
data=$library
private_double "$T/fresh"
# Pages in memory alone come to a process in another way than those of a disk.
memory=$T/memory
if [ "$(stat -f -c %T /dev/shm)" = tmpfs ] && memory=$(mktemp -d /dev/shm/cutop-test.XXXXXX); then
	trap 'rm -rf "$memory"; clean_up' EXIT
fi
mkdir -p "$memory"
in_memory=$memory/libcudart.so.98
cp "$top_builddir/tests/e2e/bin/libcudart.so.99" "$in_memory"
chmod -R a+rX "$T/aside" "$T/data" "$T/fresh" "$memory"
# It is a user's of its own, where other tests may run: what their programs lose meanwhile is not its. busybox's setpriv cannot.
as_user="setpriv --reuid 61344 --regid 61344 --clear-groups" only="-u 61344"
$as_user true 2>/dev/null || as_user='' only=''
# shellcheck disable=SC2086
begin loading $only
# shellcheck disable=SC2086
load loading $as_user "$loader_program" "$top_builddir/tests/e2e/bin/libcudart.so.99" aside "$aside" read "$data" \
	open "$in_memory" open "$library" say ready wait "$T/go" malloc 7 free
check "the library is not probed: $(cat "$T/loading.err")" \
	wait_for 30 grep -q "fresh/libcudart.so.13: .*attached" "$T/loading.err"
check "a library that was mapped into reserved memory is not probed: $(cat "$T/loading.err")" \
	wait_for 30 grep -q "libcudart.so.99: .*attached" "$T/loading.err"
check "a library that lies in memory is not probed: $(cat "$T/loading.err")" \
	wait_for 30 grep -q "$in_memory: .*attached" "$T/loading.err"
check "a file is looked at that is mapped to be read: $(grep data/ "$T/loading.err")" \
	sh -c '! grep -q /data/ "$1"' - "$T/loading.err"
check "a file is looked at whose descriptor stood where the kernel does not look: $(grep aside "$T/loading.err")" \
	sh -c '! grep -q aside "$1"' - "$T/loading.err"
touch "$T/go"
wait "$loader"
check "the end of the process is not seen" wait_for 30 newest '.processes | any(.state != "running")'
first=$loader

# ---- a process that loads one and becomes another program before cutop looks, and later loads it again
private_double "$T/again"
chmod -R a+rX "$T/again"
unseen=$(tail -n 1 "$T/loading.out" | jq .unseen.late_libraries)
kill -STOP "$cutop"
# shellcheck disable=SC2016,SC2086
load again $as_user env LD_PRELOAD="$library" LD_LIBRARY_PATH="$T/again" sh -c 'unset LD_PRELOAD; exec sh "$@"' - -c \
	'echo ready; while [ ! -e "$1" ]; do sleep 0.02; done; shift; exec "$@"' - "$T/again.go" \
	"$loader_program" "$library" say loaded wait "$T/again.end" malloc 7 free
kill -CONT "$cutop"
check "again: a library that was gone when cutop looked is not counted: $(tail -n 1 "$T/loading.out" | jq -c .unseen)" \
	wait_for 30 newest ".unseen.late_libraries > ${unseen:-0}"
touch "$T/again.go"
check "again: the library is not probed: $(cat "$T/loading.err")" \
	wait_for 30 grep -q "again/libcudart.so.13: .*attached" "$T/loading.err"
touch "$T/again.end"
wait "$loader"
end
expect_of loading "$first" .watched_from '"attach"'
expect_of loading "$first" .memory.allocations 7
expect_of loading "$first" .memory.frees 7
expect_of loading "$first" .inexact false
expect loading '.lost | [.names, .processes, .bad_records, .memory] | add' 0
expect_of loading "$loader" '[.memory.allocations, .memory.frees]' '[7,7]'
expect_clean "that"
# The rest does not depend on the kernel.
[ -z "${CUTOP_TEST_KERNEL_ONLY:-}" ] || finish

# ---- where nothing is asked for, nothing is missing
load unasked "$loader_program" "$double/libcudart.so.13" open "$top_builddir/tests/e2e/bin/libquery.so" say ready wait "$T/unasked"
watch unasked -p "$loader"
touch "$T/unasked"
expect unasked .probes.missing 0
finish
