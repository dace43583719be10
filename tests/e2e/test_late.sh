#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries with a runtime of their own, as NCCL's, that nothing led to: they are probed after they were loaded. What was
# missed of them are calls of that runtime, if there were any: the driver had its probes, so memory and launches are exact.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
e2e_bin=$top_builddir/tests/e2e/bin
loader_program=$e2e_bin/loader
[ -x "$loader_program" ] && [ -e "$e2e_bin/libearly.so" ] || skip "the helpers are not built"
LD_LIBRARY_PATH=$double
# The double's libraries want more static TLS than is left for several of them.
GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384
export LD_LIBRARY_PATH GLIBC_TUNABLES

# plugin NAME FILE: a copy of it that no process has had in hand, $T/lib-NAME.so
plugin() {
	cp "$e2e_bin/$2" "$T/lib-$1.so"
}

# goes_on NAME: lets cutop go on once the program has loaded what it loads
goes_on() {
	wait_for 30 grep -qsx loaded "$T/$1.out" || fail "$1: the program loads nothing: $(cat "$T/$1.out" "$T/$1.err")"
	kill -CONT "$cutop"
}

# until_probed NAME LIBRARY: waits until that was probed, then lets the program go on
until_probed() {
	wait_for 30 grep -qs "/lib-$2.so: .*attached" "$T/$1.err" || fail "$1: lib-$2.so is not probed: $(cat "$T/$1.err")"
	touch "$T/$1.go"
}

# As COMMAND: stops cutop, which goes on when the plugin was loaded. Else it may be quicker than the plugin's constructor.
# shellcheck disable=SC2016
stopped='kill -STOP $PPID; exec "$@"'

# loads NAME FILE STATUS [cutop options] -- ACTION...: below cutop, a program that loads the plugin, and goes on once it is probed
loads() {
	name=$1 wanted=$3 begins=
	plugin "$1" "$2"
	[ "$2" != libearly.so ] || begins=$stopped
	shift 3
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	start "$name" -b -v -f json -n 1 --fail-on-leak --library "$double/libcuda.so.1" $options -- \
		sh -c "${begins:-exec \"\$@\"}" sh "$loader_program" "$T/lib-$name.so" say loaded wait "$T/$name.go" "$@"
	goes_on "$name"
	until_probed "$name" "$name"
	wait "$cutop"
	status=$?
	check "$name: exit status $status, not $wanted: $(cat "$T/$name.err")" [ "$status" = "$wanted" ]
	grep '^{"schema"' "$T/$name.out" | tail -n 1 >"$T/$name.json"
}

from='p | [.watched_from, .runtime_watched_from, .inexact]'
books='p.memory | [.allocations, .frees, .live_allocations, .leaked_bytes, .peak_bytes]'
kernels='[([p.kernels[].name] | unique), .totals.launches]'
calls='[p.calls[] | select(.call | test("Malloc|MemAlloc|Free|Launch")) | [.call, .calls, .failures]] | sort'

# ---- loaded late, and used when it is probed: nothing was missed
loads after libsecond.so 0 -- call private_launch call private_launch
expect after "$from" '["start","start",false]'
expect after "$books" '[2,2,0,0,256]'
expect after "$kernels" '[["hidden"],2]'
expect after "$calls" '[["cudaFree",2,0],["cudaLaunchCooperativeKernel",2,0],["cudaMalloc",2,0]]'
expect after '.unseen.late_libraries // 0' 0
expect_nothing_lost after
loads leak libsecond.so 3 -- call private_launch call private_keep
expect leak "$from" '["start","start",false]'
expect leak "$books" '[2,1,0,512,512]'

# ---- used as it is loaded: calls of its runtime were missed, and nothing else
loads within libearly.so 3 -- call private_launch
expect within "$from" '["start","attach",false]'
expect within "$books" '[3,2,0,512,768]'
expect within "$kernels" '[["hidden"],2]'
expect within "$calls" '[["cuLaunchCooperativeKernel",1,0],["cuMemAlloc_v2",2,0],["cuMemFree_v2",1,0],["cudaFree",1,0],["cudaLaunchCooperativeKernel",1,0],["cudaMalloc",1,0]]'
expect within '[p.memory.map[] | [.size, .kind, .device, .call]]' '[[512,"device",0,"cuMemAlloc_v2"]]'
expect within '.unseen.late_libraries // 0' 0
expect_nothing_lost within

# In text it is the failed calls that are a lower bound, in the first line and at the process; without a cause nothing is.
loads words libearly.so 3 -f text -- call private_launch
check "words: $(cat "$T/words.out")" [ "$(grep -c '≥0' "$T/words.out")" = 2 ]
check "words: nor anything else: $(cat "$T/words.out")" [ "$(grep -o '≥' "$T/words.out" | wc -l)" = 2 ]
loads plain libsecond.so 0 -f text -- call private_launch
check "plain: $(cat "$T/plain.out")" [ "$(grep -c '≥' "$T/plain.out")" = 0 ]

# ---- one layer alone: the driver's has nothing to do with runtimes; the runtime's has nothing else to go by
loads driver libearly.so 3 -l driver -- call private_launch
expect driver "$from" '["start","start",false]'
expect driver "$books" '[3,2,0,512,768]'
loads runtime libsecond.so 1 -l runtime -- call private_launch
expect runtime "$from" '["attach","attach",false]'
check "runtime: why it cannot answer is not said: $(cat "$T/runtime.err")" grep -q 'cannot answer' "$T/runtime.err"

# ---- one after the other, in a program that has a runtime of another library: one that was used before it was probed counts
for name in one two; do
	plugin several-$name libsecond.so
done
plugin several-three libearly.so
# several NAME LIBRARY: loads both, uses them once they are probed
several() {
	start "$1" -b -v -f json -n 1 --library "$double/libcuda.so.1" --library "$double/libcudart.so.13" -- \
		sh -c "$stopped" sh \
		"$loader_program" "$double/libcudart.so.13" malloc 3 free open "$T/lib-several-one.so" open "$T/lib-several-$2.so" \
		say loaded wait "$T/$1.go" call private_launch open "$T/lib-several-one.so" call private_launch
	goes_on "$1"
	wait_for 30 grep -qs "/lib-several-one.so: .*attached" "$T/$1.err"
	until_probed "$1" "several-$2"
	wait "$cutop"
	grep '^{"schema"' "$T/$1.out" | tail -n 1 >"$T/$1.json"
	expect_nothing_lost "$1"
}
several exact two
expect exact "$from" '["start","start",false]'
expect exact "$books" '[5,5,0,0,256]'
expect exact '[call("cudaMalloc").calls, call("cudaFree").calls]' '[5,5]'
several bound three
expect bound "$from" '["start","attach",false]'
expect bound "$books" '[7,6,0,512,768]'

# ---- all processes watched, and programs that start afterwards
own_user 61379
plugin wide-after libsecond.so
plugin wide-within libearly.so
chmod a+r "$T"/lib-wide-*.so
begin wide -u 61379 --library "$T/own/lib/libcuda.so.1"
for name in after within; do
	[ $name = after ] || kill -STOP "$cutop"
	load wide-$name as_own "$loader_program" "$T/lib-wide-$name.so" say ready wait "$T/wide-$name.go" call private_launch
	kill -CONT "$cutop"
	wait_for 30 grep -qs "/lib-wide-$name.so: .*attached" "$T/wide.err"
	touch "$T/wide-$name.go"
	wait "$loader"
done
check "the end of the programs is not seen" wait_for 30 newest '.processes | length == 2 and all(.state != "running")'
end
expect wide '[.processes | sort_by(.start_time)[] | [.watched_from, .runtime_watched_from, .inexact,
	(.memory | [.allocations, .frees, .leaked_bytes, .peak_bytes])]]' \
	'[["start","start",false,[1,1,0,256]],["start","attach",false,[3,2,512,768]]]'
finish
