#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What reads or instruments the code, as docs/testing.md tells:
#
#   checks.sh asan|tsan    the whole test suite, built with the sanitizers, in a build of its own
#   checks.sh coverage     the whole test suite, and which lines of src/ it never runs
#   checks.sh valgrind     the unit tests of this build under valgrind
#   checks.sh warnings     gcc and clang, where every warning is an error
#   checks.sh analyzer     clang's static analyzer
#   checks.sh cppcheck     cppcheck, over src/ or the files in $CHECK_FILES
#
# Builds are kept below $top_builddir/checks, so that a second run is quicker. $CHECK_TESTS are
# the tests to run, where not all; $CHECK_JOBS, how many at once (default: 2).
# Ends with 77 and a line that says why where something is missing.
set -u

: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
export top_srcdir top_builddir
jobs=${CHECK_JOBS:-2}
where=$top_builddir/checks

need() {
	command -v "$1" >/dev/null || {
		echo "SKIP: needs $1 (Debian: apt install $2)"
		exit 77
	}
}

# A build of its own, $1: its name, the rest: how it is configured. The shell goes there.
configured() {
	mkdir -p "$where/$1" && cd "$where/$1" || exit 1
	shift
	[ -e Makefile ] || "$top_srcdir/configure" --quiet --enable-werror "$@" || exit 1
}

# What is found is kept in files, wherever standard error went, and fails the whole.
sanitized() {
	name=$1
	configured "$name" --enable-sanitizers="$2" CFLAGS='-g -O1'
	found=$where/$name/found
	rm -rf "$found"
	mkdir -m 1777 "$found"
	export ASAN_OPTIONS="log_path=$found/address" UBSAN_OPTIONS="print_stacktrace=1:log_path=$found/undefined"
	export LSAN_OPTIONS="log_path=$found/leak" TSAN_OPTIONS="log_path=$found/thread"
	# Instrumented, everything takes several times as long.
	export CK_DEFAULT_TIMEOUT="${CK_DEFAULT_TIMEOUT:-600}" CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-10}"
	export CUTOP_TEST_LIMIT="${CUTOP_TEST_LIMIT:-1200}"
	{ make -j "$jobs" all && make -j "$jobs" check TESTS=; } >build.log 2>&1 || { tail -n 30 build.log; exit 1; }
	failed=0
	tests_run
	for report in "$found"/*; do
		[ -s "$report" ] || continue
		echo "FOUND: $report"
		head -n 40 "$report"
		failed=1
	done
	exit $failed
}

# The tests named in $CHECK_TESTS, or all of them.
tests_run() {
	if [ -n "${CHECK_TESTS:-}" ]; then
		make -j "$jobs" -k check-TESTS TESTS="$CHECK_TESTS" || failed=1
	else
		make -j "$jobs" -k check || failed=1
		make -j "$jobs" -k check-long || failed=1
	fi
}

# Children of Check, one for each test, are looked at one by one: what a test leaks fails it.
valgrind_units() {
	need valgrind valgrind
	[ -z "${SANITIZERS:-}" ] || { echo "SKIP: this build has sanitizers, which valgrind cannot run"; exit 77; }
	cd "$top_builddir" || exit 1
	export CK_DEFAULT_TIMEOUT=1200 CK_TIMEOUT_MULTIPLIER=30
	# A name that takes a process of ours too long stays mangled, and here all takes long.
	export CK_EXCLUDE_TAGS=timed
	failed=0
	for test in ${CHECK_TESTS:-$UNIT_TESTS}; do
		case $test in
		*.sh) continue ;;
		tests/unit/test_lines)
			echo "left out: $test: its child may call next to nothing (seccomp), and valgrind calls more"
			continue
			;;
		tests/unit/test_names)
			echo "left out: $test: valgrind before 3.23 does not know openat2(2)"
			continue
			;;
		esac
		log=$(mktemp)
		if valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
			"./$test" >"$log" 2>&1; then
			echo "ok: $test"
		else
			echo "FAIL: $test"
			cat "$log"
			failed=1
		fi
		rm -f "$log"
	done
	exit $failed
}

# Every program writes its counters into a file that it maps from its start on ("%c", "%m": LLVM's guide to source-based
# code coverage), so that processes that are killed, and helpers that may open no file, are counted like any other.
coverage() {
	need clang clang
	need llvm-cov llvm
	need llvm-profdata llvm
	instrument="-fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation -Qunused-arguments -DCUTOP_COVERAGE"
	configured coverage CC=clang CFLAGS="-g -O1 $instrument" LDFLAGS="-fprofile-instr-generate"
	found=$where/coverage/found
	rm -rf "$found"
	mkdir -m 1777 "$found"
	# Tests run cutop as other users, too.
	umask 0
	export LLVM_PROFILE_FILE="$found/%m%c.profraw"
	export CK_DEFAULT_TIMEOUT="${CK_DEFAULT_TIMEOUT:-600}" CUTOP_TEST_LIMIT="${CUTOP_TEST_LIMIT:-1200}"
	{ make -j "$jobs" all && make -j "$jobs" check TESTS=; } >build.log 2>&1 || { tail -n 30 build.log; exit 1; }
	failed=0
	tests_run
	llvm-profdata merge -sparse "$found"/*.profraw -o coverage.profdata || exit 1
	set -- src/cutop
	for program in tests/unit/test_* tests/view/test_* tests/fuzz/kept_*; do
		case $program in *.*) continue ;; esac
		[ -x "$program" ] && [ -f "$program" ] && set -- "$@" -object "$program"
	done
	llvm-cov report -instr-profile=coverage.profdata "$@" -ignore-filename-regex='/(tests|bpf)/|\.skel\.h$' >coverage.txt || exit 1
	llvm-cov show -instr-profile=coverage.profdata "$@" -ignore-filename-regex='/(tests|bpf)/|\.skel\.h$' -show-instantiations=false >lines.txt || exit 1
	rooms
	echo "each file: $where/coverage/coverage.txt; each line: $where/coverage/lines.txt"
	exit $failed
}

# Lines of each room of src/, and how many of them never ran; then the longest runs of such lines.
rooms() {
	awk '
	/^\/.*:$/ { file = $0; ours = sub(/^.*\/src\//, "src/", file) || sub(/^.*\/include\//, "include/", file); sub(/:$/, "", file); run = 0; next }
	/^ *[0-9]+\| *[0-9.kMGTE]*\|/ {
		split($0, part, "|"); count = part[2]; gsub(/ /, "", count)
		if (count == "" || !ours) { next }
		room = file; if (!sub(/\/[^\/]*$/, "", room)) room = "."
		lines[room]++; total++
		if (count == "0") { dark[room]++; all_dark++; if (!run++) first = part[1] + 0; if (run > best[file ":" first]) best[file ":" first] = run }
		else run = 0
	}
	END {
		for (room in lines) printf "0 %s %d %d %.1f\n", room, lines[room], dark[room], 100 * (1 - dark[room] / lines[room])
		printf "1 all %d %d %.1f\n", total, all_dark, 100 * (1 - all_dark / total)
		for (place in best) printf "2 %s %d\n", place, best[place]
	}' lines.txt | sort -k1,1n -k2,2 >rooms.txt
	awk '$1 < 2 { printf "%-16s %6d lines, %5d never run, %5.1f %%\n", $2, $3, $4, $5 }' rooms.txt
	echo "longest runs of lines that never ran:"
	sort -k3,3nr rooms.txt | awk '$1 == 2 && n++ < 20 { printf "%5d  %s\n", $3, $2 }'
}

warnings() {
	for compiler in gcc clang; do
		need "$compiler" "$compiler"
		(
			configured "$compiler" CC="$compiler"
			{ make -j "$jobs" all && make -j "$jobs" check TESTS=; } >build.log 2>&1 || { tail -n 30 build.log; exit 1; }
		) || exit 1
		echo "ok: no warning of $("$compiler" --version | head -n 1)"
	done
}

analyzer() {
	need scan-build clang-tools
	mkdir -p "$where/analyzer" && cd "$where/analyzer" || exit 1
	[ -e Makefile ] || scan-build --use-cc=clang "$top_srcdir/configure" --quiet >/dev/null || exit 1
	rm -rf reports
	# What is compiled is looked at: all of it.
	make clean >/dev/null
	scan-build -o "$where/analyzer/reports" --use-cc=clang make -j "$jobs" all >analyzer.log 2>&1 || {
		tail -n 30 analyzer.log
		exit 1
	}
	# A file and a checker: what is known is no fault, and why, is in analyzer.known.
	sed -n 's!^\(.*/\)\{0,1\}\(\(src\|bpf\|tests\)/[^:]*\):.* warning: .*\[\([A-Za-z.]*\)\]$!\2 \4!p' analyzer.log | sort -u >found
	sed '/^#/d; /^$/d' "$top_srcdir/tests/checks/analyzer.known" | sort -u >known
	if [ -z "$(comm -23 found known)" ]; then
		echo "ok: clang's analyzer found nothing new ($(wc -l <found) known)"
		exit 0
	fi
	comm -23 found known | while read -r file checker; do
		grep -F "$file:" analyzer.log | grep -F "[$checker]"
	done
	grep '^scan-build:' analyzer.log
	exit 1
}

with_cppcheck() {
	need cppcheck cppcheck
	cd "$top_builddir" || exit 1
	# Of the system's headers it has to know those that are nothing but macros. All of them take it too long.
	mkdir -p "$where/headers/bsd/sys"
	ln -sf /usr/include/bsd/sys/tree.h "$where/headers/bsd/sys"
	ln -sf /usr/include/uthash.h "$where/headers"
	# shellcheck disable=SC2086
	cppcheck -j "$jobs" --quiet --error-exitcode=1 --inline-suppr --std=c17 --enable=warning,performance,portability \
		--max-configs=1 --suppress=missingIncludeSystem -D_GNU_SOURCE -D__x86_64__ '-DLIBBPF_OPTS(type, name, ...)=struct type name = { 0 }' \
		-I"$top_srcdir/include" -I"$top_srcdir/src" -I. -I"$where/headers" ${CHECK_FILES:-"$top_srcdir"/src/*.c "$top_srcdir"/src/*/*.c} || exit 1
	echo "ok: cppcheck found nothing"
}

case ${1:-} in
asan) sanitized asan address,undefined ;;
tsan)
	# gcc before 14 knows no place for its shadow where addresses are more random than that (Ubuntu 24.04).
	if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ] && [ -z "${CHECKS_NOT_RANDOM:-}" ] && setarch -R true 2>/dev/null; then
		CHECKS_NOT_RANDOM=1 exec setarch -R sh "$0" tsan
	fi
	sanitized tsan thread
	;;
coverage) coverage ;;
valgrind) valgrind_units ;;
warnings) warnings ;;
analyzer) analyzer ;;
cppcheck) with_cppcheck ;;
*)
	sed -n '3,15s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
