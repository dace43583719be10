#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Blocks of PyTorch's allocator: what cutop books of a stand-in for it is what that has in its own books, on several devices,
# in segments and in expandable ones, by several threads; late; lost; leaks inside it; and a request that finds no memory.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
bin_e2e=$top_builddir/tests/e2e/bin
tensors=$bin_e2e/tensors
[ -x "$tensors" ] || skip "the helpers are not built"
CUDA_DOUBLE_DEVICES=4 CUDA_DOUBLE_MEMORY=8G
export CUDA_DOUBLE_DEVICES CUDA_DOUBLE_MEMORY
MIB=1048576

# last NAME: the last whole document that NAME.out has
last() {
	grep '}$' "$T/$1.out" | tail -n 1
}

# equal NAME N: the last document has the figures that the program told at its N-th `tell`
equal() {
	sed -n "$2p" "$T/$1.told" | jq -S '.[]' >"$T/$1.want"
	last "$1" >"$T/$1.json"
	jq -S '.processes[].memory.allocators[]? | { device, allocated_bytes, reserved_bytes, free_in_segments_bytes, largest_gap_bytes, blocks,
		handed_out, taken_back }' "$T/$1.json" >"$T/$1.got"
	[ -s "$T/$1.want" ] && cmp -s "$T/$1.want" "$T/$1.got"
}

told() {
	[ -e "$T/$1.told" ] && [ "$(wc -l <"$T/$1.told")" -ge "$2" ]
}

# live NAME CUTOP-OPTIONS... -- WORDS...: starts the program under cutop; `tell` and `wait` read from the fifo that is descriptor 9
live() {
	name=$1
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	rm -f "$T/go"
	mkfifo "$T/go"
	# A program that is known ahead is probed before its first call.
	# shellcheck disable=SC2086
	"$CUTOP" -b -f json -d 0.1 --tensor-sites all $options -- "$tensors" to:"$T/$name.told" "$@" <"$T/go" >"$T/$name.out" 2>"$T/$name.err" &
	cutop=$!
	exec 9>"$T/go"
}

# same NAME N: what cutop has at the N-th `tell` is what the program says
same() {
	wait_for 30 told "$1" "$2" || { fail "$1: the program told nothing: $(cat "$T/$1.err")"; return; }
	wait_for 30 equal "$1" "$2"
	check "$1, $2: $(diff "$T/$1.want" "$T/$1.got")" cmp -s "$T/$1.want" "$T/$1.got"
	expect_nothing_lost "$1"
	expect "$1" '[p.memory.allocators[] | .unknown_bytes, .inexact] | unique' '[false,0]'
	# The blocks, and the sites, add up.
	expect "$1" '[p.memory.allocators[] | (.sites | map(.live_bytes) | add) == .allocated_bytes,
		(.sites | map(.blocks) | add) == .blocks, (.map | map(.size) | add // 0) == .allocated_bytes or .map_omitted > 0] | all' true
	expect "$1" '[p.memory.allocators[] | .fragmentation >= 0 and .fragmentation <= 1] | all' true
	expect "$1" '[p.memory.allocators[] | .allocated_bytes] | add == '"$(jq .processes[0].memory.tensors_bytes "$T/$1.json")" true
	expect "$1" '[p.memory.allocators[] | .reserved_bytes - .allocated_bytes] | add == '"$(jq .processes[0].memory.cache_bytes "$T/$1.json")" true
}

go() {
	echo >&9
}

over() {
	exec 9>&-
	wait "$cutop"
	status=$?
	check "$1: exit status $status: $(cat "$T/$1.err")" [ "$status" = "${2:-0}" ]
	last "$1" >"$T/$1.json"
}

# ---- random sequences against the allocator's own books

live random -- seed:11 random:3000 tell random:3000 tell expand random:3000 tell drop tell empty tell
for n in 1 2 3 4 5; do
	same random $n
	[ $n != 3 ] || sites=$(jq -c '[.processes[0].memory.allocators[].sites[].site | capture("^(?<f>[a-z_0-9]+)").f] | unique' "$T/random.json")
	go
done
check "the sites are the program's own functions: $sites" [ "$sites" = '["site_0","site_1","site_2","site_3"]' ]
expect random '[p.memory.allocators[] | .allocated_bytes] | add' 0
over random
expect random '[p.memory.allocators[] | .live_at_exit_bytes] | add' 0

live threads -- seed:7 threads:4000 tell expand threads:4000 tell drop tell
for n in 1 2 3; do
	same threads $n
	go
done
over threads

# ---- without totals, and with the arguments of older versions

for older in SIGNED WITHOUT_TOTALS; do
	mkdir -p "$T/$older"
	${CC:-cc} -O0 -shared -fPIC -D$older -Wl,-soname,libc10.so -o "$T/$older/libc10.so" "$top_srcdir/tests/e2e/c10_reports.c" 2>"$T/cc.err" || break
done
if [ -e "$T/WITHOUT_TOTALS/libc10.so" ]; then
	"$CUTOP" -v -b -n 1 --library "$T/SIGNED/libc10.so" -- true >/dev/null 2>"$T/signed.err"
	check "an older libc10.so: $(cat "$T/signed.err")" grep -q 'SIGNED/libc10.so: has an allocator of a framework' "$T/signed.err"
else
	echo "not tried: older forms ($(head -n 1 "$T/cc.err"))"
fi

# ---- late: totals are right from the first report on, and blocks from then on

mkfifo "$T/late.go"
"$tensors" seed:3 random:2000 wait random:500 tell drop tell <"$T/late.go" >"$T/late.told" &
late=$!
exec 9>"$T/late.go"
wait_for 30 sh -c "grep -q c10_cuda /proc/$late/maps"
"$CUTOP" doctor -p $late >"$T/doctor" 2>&1
check "doctor says that tensors are seen: $(cat "$T/doctor")" grep -q "seen: *PyTorch's tensors, from now on (libc10.so)" "$T/doctor"
"$CUTOP" -b -f json -d 0.1 --tensor-sites all -p $late >"$T/late.out" 2>"$T/late.err" &
cutop=$!
wait_for 30 sh -c "grep -q '^{' '$T/late.out'" || fail "late: no document: $(cat "$T/late.err")"
# The program may still be at its first steps: it waits after them.
wait_for 30 sh -c "[ \"\$(cut -d ' ' -f 3 /proc/$late/stat)\" = S ]"
go
wait_for 30 told late 1
late_totals() {
	[ "$(last late | jq -c '[.processes[] | .memory.allocators[]? | [.device, .allocated_bytes, .reserved_bytes]]' 2>/dev/null)" = \
		"$(sed -n "$1p" "$T/late.told" | jq -c 'map([.device, .allocated_bytes, .reserved_bytes])')" ]
}
check "late: the totals are not the program's: $(last late | jq -c '.processes[].memory.allocators[]? | del(.sites, .map)') $(cat "$T/late.told")" \
	wait_for 30 late_totals 1
last late >"$T/late.json"
expect late '[p.memory.allocators[].watched_from] | unique' '["attach"]'
expect late '[p.memory.allocators[] | .unknown_bytes == .allocated_bytes - (.sites | map(.live_bytes) | add)] | all' true
expect late '[p.memory.allocators[] | .unknown_bytes > 0 and has("fragmentation") == false] | all' true
expect late '[p.memory.allocators[].inexact] | any' false
go
wait_for 30 told late 2
check "late: everything was let go" wait_for 30 late_totals 2
last late >"$T/late.json"
# Every block is known then, as there is none.
expect late '[p.memory.allocators[] | .allocated_bytes, .unknown_bytes] | add' 0
go
exec 9>&-
wait $late
kill -TERM $cutop
wait $cutop

# ---- leaks inside it: what rises is told from what is live at the end

verdict() {
	name=$1
	expected=$2
	shift 2
	"$CUTOP" -b -n 1 --fail-on-leak "$@" >"$T/$name.text" 2>"$T/$name.err" </dev/null
	status=$?
	check "$name: exit status $status, not $expected: $(cat "$T/$name.err" "$T/$name.text")" [ "$status" = "$expected" ]
}
says() {
	check "$1: nothing says $2: $(cat "$T/$1.text" "$T/$1.err")" grep -q -e "$2" "$T/$1.text" "$T/$1.err"
}
verdict rising 3 --leak-age 0.1 -- "$tensors" keep:$((50 * MIB)) every:20 grow:60
says rising 'tensors: .* rose'
says rising '^ .*leak+0x'
check "what only lives is told apart: $(cat "$T/rising.text")" sh -c "! grep -q 'rising.*keep+0x' '$T/rising.text'"
verdict steady 0 --leak-age 0.1 -- "$tensors" keep:$((50 * MIB)) every:20 grow:1 churn:200 every:1000 grow:1
says steady 'tensors: 5[0-9.]*M were live at the end'
verdict short 1 -- "$tensors" keep:$((50 * MIB)) grow:2
says short 'cannot answer: .*tensors.*--leak-age'
verdict nothing 0 -- "$tensors" churn:100
watch rising --leak-age 0.1 -- "$tensors" keep:$((50 * MIB)) every:20 grow:60
expect rising '[p.memory.allocators[0].sites[] | select(.rising_bytes > 0) | .site | capture("^(?<f>[a-z_0-9]+)").f]' '["leak"]'
expect rising "p.memory.allocators[0].live_at_exit_bytes" $((110 * MIB))

# ---- a sample of sites: totals are exact, sites estimates without bias, and what is let go is gone from them

# near NAME FILTER BYTES: within a fifth; 200 MiB in tensors of 2 KiB are drawn 400 times, give or take 20
near() {
	expect "$1" "$2 | . > $3 * 0.8 and . < $3 * 1.2" true
}
live sampled --tensor-sites sample -- seed:9 keep:$((7 * MIB)) small:200 tell forget tell
wait_for 30 told sampled 1 && wait_for 30 equal sampled 1
check "sampled, 1: $(diff "$T/sampled.want" "$T/sampled.got")" cmp -s "$T/sampled.want" "$T/sampled.got"
expect_nothing_lost sampled
expect sampled '[p.memory.allocators[0] | .unknown_bytes, .inexact, .sites_sampled]' '[0,false,true]'
expect sampled '[p.memory.allocators[0].sites[] | [(.site | capture("^(?<f>[a-z_0-9]+)").f), .sampled]]' '[["small",true],["keep",null]]'
near sampled 'p.memory.allocators[0].sites[0].live_bytes' $((200 * MIB))
near sampled 'p.memory.allocators[0].sites[0].blocks' $((200 * 512))
expect sampled '[p.memory.allocators[0].sites[1] | .live_bytes, .blocks]' "[$((7 * MIB)),1]"
expect sampled '[p.memory.allocators[0].map[].site] | unique | map(sub("[+].*"; "")) - ["small"]' '["keep","not sampled"]'
go
wait_for 30 told sampled 2 && wait_for 30 equal sampled 2
expect sampled '[p.memory.allocators[0].sites[] | [.live_bytes, .blocks]] | sort' "[[0,0],[$((7 * MIB)),1]]"
go
over sampled

# A MiB a step in tensors of 2 KiB rises, in a program that makes larger ones all the time: its line is the first that does.
watch slow --leak-age 0.1 -- "$tensors" keep:$((50 * MIB)) every:20 small:30 random:2000 small:30 random:2000 drop small:30
expect slow 'p.memory.allocators[0].sites | max_by(.rising_bytes) | .site | capture("^(?<f>[a-z_0-9]+)").f' '"small"'
expect slow "p.memory.allocators[0].live_at_exit_bytes" $((140 * MIB))
"$CUTOP" -b -n 1 --leak-age 0.1 -- "$tensors" every:20 small:60 >"$T/slow.text" 2>&1
check "an estimate is marked: $(cat "$T/slow.text")" grep -q '^ *~[0-9]* *~[0-9.]*M  *small+0x' "$T/slow.text"

# ---- lines of Python

mkdir -p "$T/app"
cat >"$T/app/train.py" <<-'END'
	import ctypes, sys, time
	c10 = ctypes.CDLL(sys.argv[1])
	c10.tensor_new.restype = ctypes.c_void_p
	c10.tensor_new.argtypes = [ctypes.c_int, ctypes.c_size_t]
	c10.tensor_free.argtypes = [ctypes.c_int, ctypes.c_void_p]
	kept = []
	def forward():
	    return c10.tensor_new(0, 2 << 20)
	def step():
	    kept.append(c10.tensor_new(0, 1 << 20))
	    c10.tensor_free(0, forward())
	weights = c10.tensor_new(0, 30 << 20)
	for _ in range(60):
	    step()
	    time.sleep(0.02)
END
# Not a script of its name (pyenv's): what that starts is not looked at ahead.
python=$(python3 -c 'import sys; print(sys.executable)')
watch python --leak-age 0.1 --library "$bin_e2e/torch/libc10.so" --library "$double/libcudart.so.13" --library "$double/libcuda.so.1" -- \
	"$python" "$T/app/train.py" "$bin_e2e/torch/libc10_cuda.so"
expect python '[p.memory.allocators[0].sites[] | [.site, .allocations, .live_at_exit_bytes]] | sort' \
	"[[\"<module> at train.py:12 (python)\",1,$((30 * MIB))],[\"forward at train.py:8 (python)\",60,0],[\"step at train.py:10 (python)\",60,$((60 * MIB))]]"
expect python '[p.memory.allocators[0].sites[] | select(.rising_bytes > 0) | .site]' '["step at train.py:10 (python)"]'
expect_nothing_lost python

# ---- no memory

watch short -- "$tensors" keep:$((20 * MIB)) grow:3 ask:$((1 << 40)) ask:$((1 << 40))
expect short '[.events[] | select(.allocator)] | length' 1
expect short '.events[] | select(.allocator) | [.kind, .asked_bytes, .allocated_bytes, .repeated]' "[\"out-of-memory\",$((1 << 40)),$((23 * MIB)),1]"
expect short '.events[] | select(.allocator) | .free_in_segments_bytes == .reserved_bytes - .allocated_bytes and .largest_gap_bytes > 0' true
expect short '[.events[] | select(.allocator) | .sites[] | [(.site | capture("^(?<f>[a-z_0-9]+)").f), .live_bytes]]' "[[\"keep\",$((20 * MIB))],[\"leak\",$((3 * MIB))]]"
expect short '.events[] | select(.allocator) | .text | test("^pytorch: out of memory: 1.0T asked for at ask")' true
expect short 'p.memory.allocators[0].out_of_memory' 2
# Of small ones it is an estimate that holds most, and says so.
watch small -- "$tensors" small:200 keep:$((20 * MIB)) ask:$((1 << 40))
expect small '[.events[] | select(.allocator) | .sites[] | [(.site | capture("^(?<f>[a-z_0-9]+)").f), .sampled]]' '[["small",true],["keep",null]]'
expect small '.events[] | select(.allocator) | .text | test(" are in tensors, ~[0-9.]+M from small[+]")' true
near small '.events[] | select(.allocator) | .sites[0].live_bytes' $((200 * MIB))

# ---- a real libc10.so: its reports of the CPU's memory are seen, each of them, and are not VRAM

if /usr/bin/python3 -c 'import torch' 2>/dev/null; then
	cat >"$T/cpu.py" <<-'END'
		import torch
		from torch.profiler import profile, ProfilerActivity
		kept = []
		with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as p:
		    for i in range(50):
		        kept.append(torch.ones(1000 + i) * 2)
		print(sum(1 for event in p.profiler.kineto_results.events() if event.name() == "[memory]"))
	END
	"$CUTOP" -v -b -n 1 -- /usr/bin/python3 "$T/cpu.py" >"$T/cpu.out" 2>"$T/cpu.err"
	events=$(grep -x '[0-9][0-9]*' "$T/cpu.out")
	check "PyTorch's profiler counts $events: $(grep PyTorch "$T/cpu.err")" \
		grep -q "PyTorch told $events times of memory that is on no CUDA device" "$T/cpu.err"
	check "no tensor of the CPU's is VRAM: $(cat "$T/cpu.out")" sh -c "! grep -q TENSORS '$T/cpu.out'"
else
	echo "not tried: a real libc10.so (Debian: python3-torch)"
fi

# ---- a flood, and a recording

watch flood -- "$tensors" churn:200000
expect_nothing_lost flood
expect flood '[p.memory.allocators[0] | .handed_out, .taken_back, .live_at_exit_bytes]' '[200000,200000,0]'
"$CUTOP" record -o "$T/run.cutop" -- "$tensors" seed:5 random:1500 </dev/null >/dev/null 2>"$T/record.err" || fail "record: $(cat "$T/record.err")"
watch replayed --replay "$T/run.cutop"
CUDA_DOUBLE_DEVICES=4 "$tensors" seed:5 random:1500 tell </dev/null >"$T/alone.told"
expect replayed '[p.memory.allocators[] | [.device, .live_at_exit_bytes, .handed_out]]' \
	"$(jq -c 'map([.device, .allocated_bytes, .handed_out])' "$T/alone.told")"
finish
