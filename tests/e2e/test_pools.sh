#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Pools that tell nothing of their blocks, XLA's and llama.cpp's: what cutop books of stand-ins with their names is what those have
# in their own books, by device, with nested calls, requests without memory, calls left by a jump, and a pool of host memory of the
# same class, which is in no book. Blocks have the line of Python that made them. The pool's own memory is held at the end.
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

for form in bfc ggml; do
	mkfifo "$T/$form.go"
	"$CUTOP" -b -f json -d 0.1 --tensor-sites all -- "$bin_e2e/pools-$form" "$T/$form.told" <"$T/$form.go" >"$T/$form.out" 2>"$T/$form.err" &
	cutop=$!
	exec 9>"$T/$form.go"
	for n in 1 2 3; do
		echo >&9
		check "$form: the program tells nothing: $(cat "$T/$form.err")" wait_for 60 told "$form" "$n"
		check "$form $n: $(diff "$T/$form.want" "$T/$form.got")" wait_for 30 equal "$form" "$n"
		expect "$form" '[p.memory.allocators[] | .name] | unique' "[\"$form\"]"
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
"$CUTOP" -b -n 1 -f text --library "$plugin" --library "$double/libcuda.so.1" -- /usr/bin/python3 "$T/train.py" "$plugin" >"$T/text.out" 2>&1
check "the text does not tell of blocks: $(cat "$T/text.out")" grep -q '^blocks: 100K were live at the end' "$T/text.out"
finish
