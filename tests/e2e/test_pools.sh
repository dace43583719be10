#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Pools that tell nothing of their blocks, XLA's and llama.cpp's: what cutop books of stand-ins with their names is what those have
# in their own books, by device, with nested calls, requests without memory, calls left by a jump, and a pool of host memory of the
# same class, which is in no book. The same of a pool that only --pool describes. Blocks have the line of Python that made them. The pool's own memory is held at the end.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
bin_e2e=$top_builddir/tests/e2e/bin
[ -x "$bin_e2e/pools-bfc" ] || skip "the helpers are not built"
CUDA_DOUBLE_DEVICES=2 CUDA_DOUBLE_MEMORY=8G
export CUDA_DOUBLE_DEVICES CUDA_DOUBLE_MEMORY

# equal NAME N: the last document has the figures that the program told the N-th time
equal() {
	sed -n "$2p" "$T/$1.told" | jq -S '.[]' >"$T/$1.want"
	grep '}$' "$T/$1.out" | tail -n 1 >"$T/$1.json"
	jq -S '.processes[].memory.allocators[]? | { device, allocated_bytes, reserved_bytes, blocks, handed_out, taken_back, out_of_memory }' "$T/$1.json" >"$T/$1.got"
	[ -s "$T/$1.want" ] && cmp -s "$T/$1.want" "$T/$1.got"
}

told() {
	[ -e "$T/$1.told" ] && [ "$(wc -l <"$T/$1.told")" = "$2" ]
}

cat >"$T/own.pool" <<'P'
# The blocks of a template, with local symbols
pool arena
library libown.so
allocate mine::Arena::take bytes=2 result=1 granule=64
allocate mine::Arena<int>::outer(* bytes=2 result=1 granule=64
free _ZN4mine5ArenaIiE4giveEPv address=1
P
for form in bfc ggml own; do
	name=$form
	set --
	[ $form != own ] || { name=arena; set -- --pool "$T/own.pool"; }
	mkfifo "$T/$form.go"
	"$CUTOP" -b -f json -d 0.1 --tensor-sites all "$@" -- "$bin_e2e/pools-$form" "$T/$form.told" <"$T/$form.go" >"$T/$form.out" 2>"$T/$form.err" &
	cutop=$!
	exec 9>"$T/$form.go"
	for n in 1 2 3; do
		echo >&9
		check "$form: the program tells nothing: $(cat "$T/$form.err")" wait_for 60 told "$form" "$n"
		check "$form $n: $(diff "$T/$form.want" "$T/$form.got")" wait_for 30 equal "$form" "$n"
		expect "$form" '[p.memory.allocators[] | .name] | unique' "[\"$name\"]"
		expect "$form" '[p.memory.allocators[] | .unknown_bytes == 0, .inexact == false] | unique' '[true]'
		expect "$form" '[p.memory.allocators[] | (.sites | map(.live_bytes) | add) == .allocated_bytes, .fragmentation >= 0] | all' true
		expect_nothing_lost "$form"
	done
	exec 9>&-
	wait $cutop
	grep '}$' "$T/$form.out" | tail -n 1 >"$T/$form.json"
	# The host's memory is the pool's, too.
	expect "$form" '[p.memory.host_left_bytes] | add // 0' 0
	# What is live at the end is named; the pool's own memory is no leak.
	expect "$form" 'p.memory.leaked_bytes' 0
	expect "$form" '[p.memory.allocators[].live_at_exit_bytes, p.memory.held_bytes] | .[0] > 0 and add == 134217728' true
done

# ---- what --pool says is kept by a recording, and checked

walk() {
	name=$1
	shift
	"$CUTOP" "$@" -- "$bin_e2e/pools-own" "$T/$name.told" <"$T/lines" >"$T/$name.out" 2>"$T/$name.err"
	status=$?
}
echo >"$T/lines"
walk kept record -o "$T/own.cutop" --pool "$T/own.pool"
check "kept: status $status: $(cat "$T/kept.err")" [ $status = 0 ]
"$CUTOP" --replay "$T/own.cutop" -b -n 1 -f json >"$T/replayed.json" 2>"$T/replayed.err"
expect replayed '[p.memory.allocators[] | .name, .handed_out > 1000] | unique' '[true,"arena"]'

lies() {	# NAME WORD PATTERN
	sed "$2" "$T/own.pool" >"$T/$1.pool"
	walk "$1" -b -n 1 -f json --pool "$T/$1.pool"
	check "$1: status $status: $(cat "$T/$1.err")" [ $status = 0 ]
	check "$1: it is not told: $(jq -c '[.events[]?.text]' "$T/$1.out")" jq -e --arg text "$3" '[.events[]? | select(.kind == "lost") | .text] | any(startswith($text))' "$T/$1.out"
}
lies nowhere 's/ result=1//' 'pool arena: 1000 calls handed out no block'
lies for_good 's/address=1/address=0/' 'pool arena: of 1000 blocks none has come back'

sed "s|libown.so|$bin_e2e/pools/libown.so|; s/4giveEPv/5givenEPv/" "$T/own.pool" >"$T/absent.pool"
walk absent -b -n 1 --pool "$T/absent.pool"
check "absent: status $status" [ $status = 1 ]
check "absent: $(cat "$T/absent.err")" grep -q "pool arena: .*/libown.so:_ZN4mine5ArenaIiE5givenEPv: .* defines no such function" "$T/absent.err"
echo 'pool arena' >"$T/broken.pool"
walk broken -b -n 1 --pool "$T/broken.pool"
check "broken: status $status: $(cat "$T/broken.err")" [ $status = 1 ]
check "broken: $(cat "$T/broken.err")" grep -q "broken.pool:2: pool arena has no line 'allocate SYMBOL bytes=N'" "$T/broken.err"
# A pipe whose writer says nothing: cutop can be ended.
mkfifo "$T/silent.pool"
"$CUTOP" -b -n 1 --pool "$T/silent.pool" >"$T/silent.out" 2>&1 &
pid=$!
exec 9>"$T/silent.pool"
kill -TERM $pid
exec 9>&-
wait $pid
status=$?
check "silent: status $status: $(cat "$T/silent.out")" [ $status = 143 ]

# ---- a line of Python, as JAX's has
[ -x /usr/bin/python3 ] || skip "needs python3"
cat >"$T/train.py" <<'P'
import ctypes, sys
plugin = ctypes.CDLL(sys.argv[1])
plugin.pool_new.restype = plugin.pool_take.restype = ctypes.c_void_p
plugin.pool_new.argtypes = [ctypes.c_int, ctypes.c_size_t]
plugin.pool_take.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
pool = plugin.pool_new(1, 64 << 20)
def layer():
    for _ in range(100):
        plugin.pool_take(pool, 1000, 1)
layer()
P
plugin=$bin_e2e/pools/xla_cuda_plugin.so
# Real plugins take longer to start than it takes to probe them.
"$CUTOP" -b -n 1 -f json --tensor-sites all --library "$plugin" --library "$double/libcuda.so.1" -- /usr/bin/python3 "$T/train.py" "$plugin" \
	>"$T/python.json" 2>"$T/python.err"
expect python '[p.memory.allocators[] | .name, .device, .handed_out, (.sites[0] | .site, .live_at_exit_bytes)] | join(" ")' \
	'"bfc 0 100 layer at train.py:9 (python) 102400"'

# ---- a pool that is older than cutop: what it hands out from there on is booked, also where it lies in memory that is not known
cat >"$T/late.py" <<'P'
import ctypes, sys
plugin = ctypes.CDLL(sys.argv[1])
plugin.pool_new.restype = plugin.pool_take.restype = ctypes.c_void_p
plugin.pool_new.argtypes = [ctypes.c_int, ctypes.c_size_t]
plugin.pool_take.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
plugin.pool_give.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
pool, host = plugin.pool_new(1, 64 << 20), plugin.pool_new(2, 1 << 20)
def layer(count):
    blocks = []
    for _ in range(count):
        blocks.append(plugin.pool_take(pool, 1000, 1))
    return blocks
old = layer(5)
print("ready", flush=True)
sys.stdin.readline()
new = layer(100)
for block in old + new[:40]:
    plugin.pool_give(pool, block)
plugin.pool_take(host, 1000, 1)
sys.stdin.readline()
P
mkfifo "$T/late.in"
/usr/bin/python3 "$T/late.py" "$plugin" <"$T/late.in" >"$T/late.said" &
late=$!
exec 9>"$T/late.in"
check "late: the program does not start" wait_for 20 grep -qx ready "$T/late.said"
. "$top_srcdir/tests/e2e/cli.sh"
begin late -p "$late" --tensor-sites all --library "$plugin" --library "$double/libcuda.so.1"
echo >&9
check "late: blocks are not booked: $(tail -n 1 "$T/late.out" | jq -c '.processes[].memory')" \
	wait_for 30 newest '.processes[0].memory.allocators[0] | [.handed_out, .taken_back, .allocated_bytes] == [100, 40, 61440]'
end late
exec 9>&-
wait "$late"
expect late '[p.memory.allocators[] | .name, .device, .watched_from, .blocks, .inexact, (.sites[0].site)]' \
	'["bfc",null,"attach",60,false,"layer at late.py:11 (python)"]'
expect_nothing_lost late
"$CUTOP" -b -n 1 -f text --library "$plugin" --library "$double/libcuda.so.1" -- /usr/bin/python3 "$T/train.py" "$plugin" >"$T/text.out" 2>&1
check "the text does not tell of blocks: $(cat "$T/text.out")" grep -q '^blocks: 100K were live at the end' "$T/text.out"
finish
