#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What --fail-on-leak and the leak report say: a leak, none, or that it cannot be told, and why. "No leak" is said
# only of what could be seen.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
bin_e2e=$top_builddir/tests/e2e/bin
c10=$bin_e2e/c10
[ -x "$c10" ] || skip "the helpers are not built"
MIB=1048576

# verdict NAME STATUS [cutop options] -- COMMAND...: what the end says is in $T/NAME.text, why it cannot be told in $T/NAME.err
verdict() {
	name=$1
	expected=$2
	shift 2
	"$CUTOP" -b -n 1 --fail-on-leak "$@" >"$T/$name.text" 2>"$T/$name.err"
	status=$?
	check "$name: exit status $status, not $expected: $(cat "$T/$name.err")" [ "$status" = "$expected" ]
}

# says NAME REGEX: the leak report, or standard error, has such a line
says() {
	check "$1: nothing says $2: $(cat "$T/$1.text" "$T/$1.err")" grep -q -e "$2" "$T/$1.text" "$T/$1.err"
}

# ---- memory of PyTorch's allocator

two=$((2 * MIB)) twenty=$((20 * MIB))
# c10_record NAME [cutop options]: one cutop records what is queued, and each is judged for itself; one of each verdict is live
c10_record() {
	recording=$1
	shift
	queue_end "$recording"
	"$CUTOP" record -o "$T/$recording.cutop" --library "$double/libcudart.so.13" --library "$double/libcuda.so.1" "$@" -- \
		sh "$T/$recording.sh" >"$T/$recording.said" 2>&1
	status=$?
	check "$recording: exit status $status: $(cat "$T/$recording.said")" [ $status = 0 ]
	for name in $programs; do
		echo "$recording" >"$T/$name.in"
	done
}
queue through "$c10" m:1000 m:512 m:$((3 * MIB))
queue async "$c10" a:$two a:$twenty a:1000
queue freed "$c10" m:700 free m:$two m:$twenty
queue pool "$c10" m:$two m:$twenty a:$two free
queue managed "$c10" m:$two m:$twenty u:4096
queue large "$c10" m:$((32 * MIB)) m:$((64 * MIB))
queue nothing "$c10" m:$two free m:$two free
queue own "$c10" m:$two m:$twenty own:5
c10_record c10
queue small "$c10" m:1000
queue asynchronous "$c10" a:$two
queue both "$c10" m:$two m:700
queue cached "$c10" m:$two
c10_record ignoring --leak-ignore 'libc10_cuda*'
# recorded NAME STATUS: as verdict
recorded() {
	name=$1
	expected=$2
	queued_status $name 0
	"$CUTOP" --replay "$T/$(cat "$T/$name.in").cutop" -b -n 1 --fail-on-leak -p "$(cat "$T/$name.pid")" >"$T/$name.text" 2>"$T/$name.err"
	status=$?
	check "$name: exit status $status, not $expected: $(cat "$T/$name.err")" [ "$status" = "$expected" ]
}
verdict cache 0 -- "$c10" m:$two m:$two m:$twenty m:$((64 * MIB))
says cache '^no leak$'
says cache "^held $((88 * MIB)) bytes .* not a leak"
recorded through 3
says through "^leaked $((3 * MIB + 1512)) bytes"
recorded async 3
says async "^leaked $((22 * MIB + 1000)) bytes"
# Sizes of a cache, but one tensor that is not: freed or not, before or after.
verdict mixed 3 -- "$c10" m:$two m:$twenty m:700
says mixed "^leaked $((22 * MIB + 700)) bytes"
recorded freed 3
says freed "^leaked $((22 * MIB)) bytes"
recorded pool 3
says pool "^leaked $((22 * MIB)) bytes"
# Not the cache's, and nothing against it.
recorded managed 3
says managed '^leaked 4096 bytes'
# Tensors may have the cache's sizes: it cannot be told.
verdict alike 1 -- "$c10" m:$two m:$two m:$two
says alike '^no certain leak$'
says alike "cannot answer: memory of PyTorch's allocator.*--leak-ignore 'libc10_cuda\*'"
recorded large 1
recorded nothing 0
# The user knows.
for name in small asynchronous both cached; do
	recorded $name 0
	says $name '^no leak$'
done
verdict ignored 0 --leak-ignore 'libc10_cuda*' -- "$c10" m:$two m:700
says ignored '^no leak$'
# Other sites of the same process are not concerned.
recorded own 3
says own '^leaked 5 bytes'

# A recording says the same.
"$CUTOP" record -o "$T/run.cutop" -- "$c10" m:$two m:$twenty m:700 >"$T/record.out" 2>&1
"$CUTOP" -b -n 1 --replay "$T/run.cutop" --fail-on-leak >"$T/replay.text" 2>"$T/replay.err"
status=$?
check "replay: exit status $status" [ "$status" = 3 ]
says replay "leaked $((22 * MIB + 700)) bytes"

# ---- what ended it

verdict reset 3 -- "$c10" own:30000 own:20000 free reset own:21
says reset 'leaked 30021 bytes$'
says reset '^  30000 bytes (29.3K) were live when cudaDeviceReset() freed them$'
watch reset -- "$c10" own:30000 reset own:21
expect reset 'p.memory | [.leaked_bytes, .leaked_by_reset_bytes, .leaked_by_context_bytes]' '[30021,30000,null]'
verdict exit 3 -- "$c10" own:21
check "exit: a reset that was none" sh -c "! grep -q 'were live when' '$T/exit.text'"

# ---- the driver's calls, where only the runtime's are watched

driver_calls=$bin_e2e/driver_calls
export CUDA_DOUBLE_DEVICES=2
not_watched="allocated by the driver's functions, and only the runtime's are watched: --layer both shows it"
verdict driver 1 -l runtime -- "$driver_calls" basic
says driver "^cutop: --fail-on-leak cannot answer: process [0-9]* (driver_calls) $not_watched"
says driver '^no leak that could be seen$'
says driver "^process [0-9]* (driver_calls) $not_watched"
# That it made no call of the runtime is no excuse.
verdict excused 1 -l runtime --allow-no-cuda -- "$driver_calls" basic
says excused "cannot answer: .*$not_watched"
# Without a verdict asked for nothing is noticed, and "no leak" is not said either.
"$CUTOP" -b -n 1 -l runtime -- "$driver_calls" basic >"$T/unasked.text" 2>"$T/unasked.err"
says unasked '^no leak that could be seen$'
says unasked "^the driver's calls are not watched"
verdict both 0 -- "$driver_calls" basic
says both '^no leak$'
verdict alone 0 -l driver -- "$driver_calls" basic
# Beside a program whose every call is seen.
verdict beside 1 -l runtime --library "$double/libcudart.so.13" -- sh -c "'$workload' case-study; '$driver_calls' virtual"
says beside "cannot answer: .*$not_watched"
# What leaked, leaked, and there may be more.
verdict more 3 -l runtime --library "$double/libcudart.so.13" -- sh -c "'$driver_calls' basic; '$workload' case-study leak"
says more '^leaked at least 8000000 bytes'
CUTOP_ATTACH=multi verdict multi 1 -l runtime -- "$driver_calls" basic
[ "$status" = 1 ] && ! grep -q "has no 'multi' links" "$T/multi.err" && says multi "$not_watched"
# A runtime that is linked into the program: without its symbols, only the driver sees it.
if command -v strip >/dev/null; then
	strip -o "$T/stripped" "$workload-static"
	LD_LIBRARY_PATH=$double verdict stripped 1 -l runtime -- "$T/stripped" case-study leak
	says stripped "process [0-9]* (stripped) $not_watched"
	LD_LIBRARY_PATH=$double verdict leaky 3 -- "$T/stripped" case-study leak
fi
verdict symbols 3 -l runtime -- "$workload-static" case-study leak
# No call of the runtime is taken for one of the driver alone.
watch scenes -l runtime --fail-on-leak --library "$double/libcudart.so.13" -- sh -c "for scene in case-study 'pairs 50 100' 'launches 50' copies arrays \
	'threads 4 100' kinds failures reset fork ipc exec short nested exhaust; do '$workload' \$scene; done >/dev/null 2>&1
	'$bin_e2e/site_calls' >/dev/null 2>&1; '$c10' m:5 a:7 u:9 own:4; true"
expect scenes '.processes | length > 15' true
expect scenes '.unseen' null
# A program of the driver that allocates nothing, or no program of CUDA at all, is as ever.
verdict shapes 1 -l runtime -- "$driver_calls" shapes
says shapes 'made no CUDA call that cutop saw (--allow-no-cuda'
verdict none 1 -l runtime -- true
verdict allowed 0 -l runtime --allow-no-cuda -- true
says allowed '^no leak: no CUDA call was seen$'

# A recording says the same.
"$CUTOP" record -o "$T/driver.cutop" -l runtime -- "$driver_calls" basic >"$T/record.out" 2>&1
"$CUTOP" -b -n 1 --replay "$T/driver.cutop" --fail-on-leak >"$T/again.text" 2>"$T/again.err"
status=$?
check "replay: exit status $status" [ "$status" = 1 ]
says again "cannot answer: process [0-9]* (driver_calls) $not_watched"

# ---- a runtime that was not known ahead, of a program that exits before it is probed

mkdir -p "$T/odd"
cp "$double/libcudart.so.13" "$double/libcuda.so.1" "$T/odd"
# cutop is stopped while the program runs, each thread of it: otherwise a loaded machine lets it attach in time.
verdict late 1 --library "$double/libcudart.so.13" -- sh -c "'$workload' case-study; kill -STOP \$PPID
while grep -L '^State:.*stopped' /proc/\$PPID/task/*/status | grep -q .; do :; done
'$bin_e2e/loader' '$T/odd/libcudart.so.13' malloc 3; kill -CONT \$PPID"
says late 'cannot answer: .*--library names it'
says late '^no leak that could be seen$'
verdict ahead 3 --library "$double/libcudart.so.13" --library "$T/odd/libcudart.so.13" -- \
	sh -c "'$workload' case-study; '$bin_e2e/loader' '$T/odd/libcudart.so.13' malloc 3"

# ---- functions that are not probed

stepped=$top_builddir/tests/double/forms/stepped
if [ -e "$stepped/libcuda.so.1" ] && [ "$(uname -m)" = x86_64 ]; then
	LD_LIBRARY_PATH=$stepped verdict left 1 --no-single-step --library "$stepped/libcuda.so.1" -- "$driver_calls" basic
	says left 'cannot answer: [0-9]* functions that allocate could not be probed, or were left out'
	LD_LIBRARY_PATH=$stepped verdict right 0 --library "$stepped/libcuda.so.1" -- "$driver_calls" basic
fi
verdict blind 1 --returns=never -- "$workload" case-study
says blind "cannot answer: the returns of some program's calls are not probed"

finish
