#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the fuzzers (libFuzzer, with address and undefined behaviour
# sanitizers) and runs them:
#
#   fuzz.sh short    every input that is kept, and a moment of new ones, always the same: for the tests
#   fuzz.sh long     $FUZZ_SECONDS (default 600) each, from what earlier runs found: `make fuzz`
#
# A fuzzer is a file fuzz_NAME.c; its inputs are in the folder NAME: seeds, and
# what once made it fail. What a run finds of either kind stays in the build folder,
# tests/fuzz/found/NAME and tests/fuzz/failed/NAME-*: a failure is to be added to the inputs.
# $FUZZ_WITH_NAME has sources that are this one's alone, $FUZZ_LINK_NAME what it is linked with besides, $FUZZERS which are run
# (all).
set -u
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CLANG:=clang}"
: "${FUZZ_SOURCES:?is set by make}"
here=$top_srcdir/tests/fuzz
out=$top_builddir/tests/fuzz
sanitizers=address,undefined
mkdir -p "$out/objects" "$out/found" "$out/failed"

printf 'int LLVMFuzzerTestOneInput(const char *d, long n);\nint LLVMFuzzerTestOneInput(const char *d, long n) { return !d && n; }\n' |
	"$CLANG" -fsanitize=fuzzer,$sanitizers -x c -o "$out/objects/probe" - 2>"$out/objects/probe.err" || {
	echo "SKIP: $CLANG has no libFuzzer (Debian 12: apt install libclang-rt-14-dev)"
	exit 77
}

# Objects are made anew when their source, or any header, is newer.
newest=$(find "$top_srcdir/src" "$top_srcdir/include" "$here" "$top_builddir/config.h" -name '*.h' -printf '%T@ %p\n' | sort -n | tail -n 1 |
	cut -d' ' -f2-)
all=$(cd "$here" && ls fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')
fuzzers=${FUZZERS:-$all}
# own NAME: its sources
own() {
	eval "echo tests/fuzz/fuzz_$1.c \${FUZZ_WITH_$1:-}"
}
objects_of() {
	echo "$@" | tr ' /' '\n_' | sed "s|.*|$out/objects/&.o|"
}
for source in $FUZZ_SOURCES $(for f in $fuzzers; do own "$f"; done); do
	object=$(objects_of "$source")
	if [ ! "$object" -nt "$top_srcdir/$source" ] || [ ! "$object" -nt "$newest" ]; then
		echo "$top_srcdir/$source $object"
	fi
done >"$out/objects/stale"
compile() {
	"$CLANG" -gline-tables-only -O1 -fsanitize=fuzzer-no-link,$sanitizers -fno-sanitize-recover=all -std=gnu17 -D_GNU_SOURCE \
		-I"$top_srcdir" -I"$top_srcdir/include" -I"$top_srcdir/src" -I"$top_builddir" -I"$top_builddir/bpf" \
		-c "$1" -o "$2"
}
# As many at a time as there are processors.
pids=
count=0
while read -r source object; do
	compile "$source" "$object" &
	pids="$pids $!"
	count=$((count + 1))
	if [ $((count % $(nproc))) = 0 ]; then
		for pid in $pids; do
			wait "$pid" || exit 1
		done
		pids=
	fi
done <"$out/objects/stale"
for pid in $pids; do
	wait "$pid" || exit 1
done

# A library, so that a fuzzer may stand in for a part of cutop: what it defines itself is not taken from there.
rm -f "$out/objects/libcutop.a"
# shellcheck disable=SC2046
ar rcs "$out/objects/libcutop.a" $(objects_of $FUZZ_SOURCES) || exit 1

failed=0
for f in $fuzzers; do
	eval "link=\${FUZZ_LINK_$f:-}"
	# shellcheck disable=SC2046,SC2086,SC2154
	"$CLANG" -fsanitize=fuzzer,$sanitizers $(objects_of $(own "$f")) "$out/objects/libcutop.a" -o "$out/fuzz_$f" $link \
		${FUZZ_LIBS:-} || exit 1
	mkdir -p "$out/found/$f"
	memory=2048
	timeout=30
	ASAN_OPTIONS=
	if [ "$f" = large ]; then
		# What was freed is given back at once, and not kept for the sanitizer to look at.
		memory=200
		timeout=10
		ASAN_OPTIONS=quarantine_size_mb=1:malloc_context_size=5:allocator_release_to_os_interval_ms=0
	fi
	export ASAN_OPTIONS
	limits="-timeout=$timeout -rss_limit_mb=$memory -artifact_prefix=$out/failed/$f-"
	case ${1:-short} in
	short)
		# What is found goes into the first folder.
		rm -rf "$out/scratch"
		mkdir "$out/scratch"
		# shellcheck disable=SC2086
		"$out/fuzz_$f" $limits -runs=0 "$here/$f" >"$out/$f.log" 2>&1 &&
			"$out/fuzz_$f" $limits -seed=1 -runs="${FUZZ_RUNS:-1000}" -max_len=8192 "$out/scratch" "$here/$f" >>"$out/$f.log" 2>&1
		;;
	long)
		# shellcheck disable=SC2086
		"$out/fuzz_$f" $limits -max_total_time="${FUZZ_SECONDS:-600}" -max_len=16384 "$out/found/$f" "$here/$f" 2>&1 | tee "$out/$f.log" |
			grep -v -E '^#[0-9]+	(NEW|REDUCE|RELOAD)|NEW_FUNC'
		! grep -q -E 'ERROR: |SUMMARY: ' "$out/$f.log"
		;;
	*)
		sed -n '3,14s/^# \{0,1\}//p' "$0"
		exit 2
		;;
	esac
	if [ $? = 0 ]; then
		echo "fuzz_$f: $(grep -h -o -E 'Done [0-9]+ runs|DONE .*cov: [0-9]+' "$out/$f.log" | tail -n 1)"
	else
		failed=1
		echo "FAIL: fuzz_$f:"
		tail -n 40 "$out/$f.log"
	fi
done
exit $failed
