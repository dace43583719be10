#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of calls has room for 4,096 functions: a cutop is built whose table has as many, the kernel takes its programs, and each
# function that was added is counted, traced by the names of its arguments, recorded and replayed.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

room=4096
[ ! -e "$top_srcdir/config.status" ] || skip "the source tree is configured itself: no second build of it is possible"

# ---- a full table
present=$(sh "$top_srcdir/tests/checks/table.sh" | wc -l)
seq "$present" $((room - 1)) | sed 's/.*/PLAIN(cudaPad&, STREAM, "number:i bytes:z")/' >"$T/more.h"
sed 's/^PLAIN(\([^,]*\),.*/\1/' "$T/more.h" >"$T/names"
added=$(wc -l <"$T/names")
last=$(tail -n 1 "$T/names")
echo "#define CUTOP_MORE_CALLS \"$T/more.h\"" >"$T/define.h"
mkdir "$T/build"
cd "$T/build" || exit 1
"$top_srcdir/configure" --quiet CFLAGS=-O0 CPPFLAGS="-include $T/define.h" >"$T/make.log" 2>&1 &&
	make -s CLANG="clang -include $T/define.h" bpf/cutop.skel.h bpf/cutop_context.skel.h >>"$T/make.log" 2>&1 &&
	make -s src/cutop tests/bench/verifier >>"$T/make.log" 2>&1 || { fail "cutop with $room functions does not build: $(tail -n 5 "$T/make.log")"; finish; }
full=$T/build/src/cutop
check "the table is full: it has $room functions" [ "$added" = $((room - present)) ]
echo "PLAIN(cudaPad$room, STREAM, \"\")" >>"$T/more.h"
rm bpf/cutop.bpf.o
make -s CLANG="clang -include $T/define.h" bpf/cutop.bpf.o >"$T/more.log" 2>&1
check "one more does not compile" grep -q 'more calls than the table has room for' "$T/more.log"

# ---- the verifier
for method in session multi perf; do
	CUTOP_ATTACH=$method
	export CUTOP_ATTACH
	kernel_has=$(attach_method)
	unset CUTOP_ATTACH
	[ -n "$kernel_has" ] || { echo "not tried: $method, which this kernel has not"; continue; }
	for options in "" -f; do
		check "$method links $options" "$T/build/tests/bench/verifier" -l 500000 $options $method
	done
done

# ---- a library that has them, and a program that calls each once, and the last once more, in vain
sed 's/.*/int &(int number, long bytes);\nint &(int number, long bytes) { return bytes < 0 ? 2 : 0 * number; }/' "$T/names" >"$T/library.c"
{
	sed 's/.*/int &(int number, long bytes);/' "$T/names"
	echo 'int main(void) {'
	awk '{ printf "\t%s(%d, %dl);\n", $1, NR, NR }' "$T/names"
	echo "	return $last(-1, -1) != 2; }"
} >"$T/caller.c"
"${CC:-cc}" -O0 -fno-omit-frame-pointer -fcf-protection=none -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$T/libcuda.so.1" "$T/library.c" &&
	"${CC:-cc}" -O0 -o "$T/caller" "$T/caller.c" "$T/libcuda.so.1" -Wl,-rpath,"$T" || { fail "the library does not build"; finish; }

CUTOP=$full
for method in "" multi; do
	[ -z "$method" ] || export CUTOP_ATTACH=$method
	watch "calls$method" --library "$T/libcuda.so.1" -- "$T/caller"
	unset CUTOP_ATTACH
	expect "calls$method" '[p.calls | length, (map(.calls) | add)]' "[$added,$((added + 1))]"
	expect "calls$method" "[p.calls[] | select(.failures > 0 or .calls != 1) | .call, .calls, .failures]" "[\"$last\",2,1]"
	expect "calls$method" '[p.failures[] | .call, .error]' "[\"$last\",\"CUDA_ERROR_OUT_OF_MEMORY\"]"
	expect "calls$method" '[.lost[]] | add' 0
done

# ---- its argument names, and what a recording has
"$CUTOP" record --trace -o "$T/full.cutop" --library "$T/libcuda.so.1" -- "$T/caller" >"$T/record.out" 2>&1 || fail "record: $(cat "$T/record.out")"
"$CUTOP" trace --replay "$T/full.cutop" --no-time >"$T/trace" 2>&1
check "each call is traced" [ "$(grep -c 'cudaPad[0-9]*(number=-\?[0-9]*, bytes=[0-9]*)' "$T/trace")" = $((added + 1)) ]
check "with what it was given: $(tail -n 2 "$T/trace")" grep -q "$last(number=$added, bytes=$added) .*= CUDA_SUCCESS" "$T/trace"
"$CUTOP" --replay "$T/full.cutop" -b -f json -n 1 >"$T/replayed.json" 2>"$T/replayed.err"
expect replayed '[p.calls | length, (map(.calls) | add)]' "[$added,$((added + 1))]"
"$CUTOP" doctor -p $$ --library "$T/libcuda.so.1" -f json >"$T/doctor.json"
expect doctor ".libraries[] | select(.path == \"$T/libcuda.so.1\").functions | [.attached, .refused]" "[$added,0]"

finish
