#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of calls has room for 4,096 functions, and a line is all that one needs: a cutop is built whose table is full, the kernel
# takes its programs, and each function that was added is counted, traced by the names of its arguments, recorded and replayed. Those
# that allocate, free and copy are in the books.
: "${CUTOP_TEST_LIMIT:=900}"	# it builds
export CUTOP_TEST_LIMIT
. "${top_srcdir:-.}/tests/e2e/lib.sh"

room=4096
[ ! -e "$top_srcdir/config.status" ] || skip "the source tree is configured itself: no second build of it is possible"

# ---- a full table
present=$(sh "$top_srcdir/tests/checks/table.sh" | wc -l)
cat >"$T/more.h" <<'END'
ALLOC(cudaPadAlloc, DEVICE, OUT(1), BYTES(0))
FREE(cudaPadFree, ADDRESS(1), NONE)
COPY(cudaPadCopyAsync, TO(2), FROM(1), BYTES(0), D2H, CALL_ASYNC_IN(3))
END
seq $((present + 3)) $((room - 1)) | sed 's/.*/PLAIN(cudaPad&, STREAM, "number:i bytes:z")/' >>"$T/more.h"
sed -n 's/^PLAIN(\([^,]*\),.*/\1/p' "$T/more.h" >"$T/names"
added=$(wc -l <"$T/names")
last=$(tail -n 1 "$T/names")
echo "#define CUTOP_MORE_CALLS \"$T/more.h\"" >"$T/define.h"
mkdir "$T/build"
cd "$T/build" || exit 1
"$top_srcdir/configure" --quiet CFLAGS=-O0 CPPFLAGS="-include $T/define.h" >"$T/make.log" 2>&1 || { fail "configure: $(tail -n 5 "$T/make.log")"; finish; }
clang=$(sed -n 's/^CLANG = //p' Makefile)
make -s CLANG="$clang -include $T/define.h" bpf/cutop.skel.h >>"$T/make.log" 2>&1 &&
	make -s src/cutop tests/bench/verifier >>"$T/make.log" 2>&1 || { fail "cutop with $room functions does not build: $(tail -n 5 "$T/make.log")"; finish; }
full=$T/build/src/cutop
check "the table is full: it has $room functions" [ $((added + 3)) = $((room - present)) ]
echo "PLAIN(cudaPad$room, STREAM, \"\")" >>"$T/more.h"
rm bpf/cutop.bpf.o
make -s CLANG="$clang -include $T/define.h" bpf/cutop.bpf.o >"$T/more.log" 2>&1
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
cat >"$T/pads.h" <<'END'
int cudaPadAlloc(long bytes, void **address);
int cudaPadFree(int how, void *address);
int cudaPadCopyAsync(long bytes, const void *source, void *destination, void *stream);
END
sed 's/.*/int &(int number, long bytes);/' "$T/names" >>"$T/pads.h"
{
	cat <<'END'
#include "pads.h"
int cudaPadAlloc(long bytes, void **address) { static char memory[1 << 20]; *address = memory; return bytes > (long)sizeof(memory); }
int cudaPadFree(int how, void *address) { return !address && how; }
int cudaPadCopyAsync(long bytes, const void *source, void *destination, void *stream) { return !bytes && source && destination && stream; }
END
	sed 's/.*/int &(int number, long bytes) { return bytes < 0 ? 2 : 0 * number; }/' "$T/names"
} >"$T/library.c"
{
	printf '#include "pads.h"\nint main(void) {\n\tvoid *one, *two, *host = &one;\n'
	awk '{ printf "\t%s(%d, %dl);\n", $1, NR, NR }' "$T/names"
	echo '	cudaPadAlloc(5000, &one); cudaPadFree(0, one); cudaPadAlloc(7000, &two); cudaPadCopyAsync(300, two, host, (void *)0x77);'
	echo "	return $last(-1, -1) != 2; }"
} >"$T/caller.c"
"${CC:-cc}" -O0 -fno-omit-frame-pointer -fcf-protection=none -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$T/libcuda.so.1" "$T/library.c" &&
	"${CC:-cc}" -O0 -o "$T/caller" "$T/caller.c" "$T/libcuda.so.1" -Wl,-rpath,"$T" || { fail "the library does not build"; finish; }

CUTOP=$full
for method in "" multi; do
	[ -z "$method" ] || export CUTOP_ATTACH=$method
	watch "calls$method" --library "$T/libcuda.so.1" -- "$T/caller"
	unset CUTOP_ATTACH
	expect "calls$method" '[p.calls[] | select(.call | test("Pad[0-9]"))] | [length, (map(.calls) | add)]' "[$added,$((added + 1))]"
	expect "calls$method" "[p.calls[] | select(.failures > 0) | .call, .calls, .failures]" "[\"$last\",2,1]"
	expect "calls$method" '[p.calls[] | select(.calls != 1) | .call] | sort' "[\"$last\",\"cudaPadAlloc\"]"
	expect "calls$method" 'p.memory | [.allocations, .frees, .leaked_bytes]' '[2,1,7000]'
	expect "calls$method" '[p.copies[] | .direction, .mode, .calls, .bytes]' '["D2H","async",1,300]'
	expect "calls$method" '[p.failures[] | .call, .error]' "[\"$last\",\"CUDA_ERROR_OUT_OF_MEMORY\"]"
	expect_lost_none "calls$method"
done

# ---- its argument names, and what a recording has
"$CUTOP" record --trace -o "$T/full.cutop" --library "$T/libcuda.so.1" -- "$T/caller" >"$T/record.out" 2>&1 || fail "record: $(cat "$T/record.out")"
"$CUTOP" trace --replay "$T/full.cutop" --no-time >"$T/trace" 2>&1
check "each call is traced" [ "$(grep -c 'cudaPad[0-9]*(number=-\?[0-9]*, bytes=[0-9]*)' "$T/trace")" = $((added + 1)) ]
check "with what it was given: $(tail -n 2 "$T/trace")" grep -q "$last(number=$added, bytes=$added) .*= CUDA_SUCCESS" "$T/trace"
check "what is allocated" [ "$(grep -c 'cudaPadAlloc(address=0x[0-9a-f]*, bytes=[57]000, kind=device) .*= CUDA_SUCCESS' "$T/trace")" = 2 ]
check "what is copied" grep -q 'cudaPadCopyAsync(destination=.*, source=.*, bytes=300, direction=D2H, stream=0x77) .*= CUDA_SUCCESS' "$T/trace"
"$CUTOP" --replay "$T/full.cutop" -b -f json -n 1 >"$T/replayed.json" 2>"$T/replayed.err"
expect replayed '[p.calls[] | select(.call | test("Pad[0-9]"))] | [length, (map(.calls) | add)]' "[$added,$((added + 1))]"
"$CUTOP" doctor -p $$ --library "$T/libcuda.so.1" -f json >"$T/doctor.json"
expect doctor ".libraries[] | select(.path == \"$T/libcuda.so.1\").functions | .probed" "$((added + 3))"

finish
