#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What COMMAND's program loads is known before it does: by its environment, its RPATH, Python's packages. Its first calls, before
# main(), are counted, and no process is late. Nothing waits for cutop, which would hide that it comes too late.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

held_plugin=$top_builddir/tests/e2e/bin/libheld.so
first=$top_builddir/tests/e2e/bin/first
[ -x "$first" ] && [ -e "$held_plugin" ] || skip "the helpers are not built"
number=0

# fresh: a folder with a double that no process has had in hand: $fresh
fresh() {
	number=$((number + 1))
	fresh=$T/fresh-$number
	private_double "$fresh"
}

# ahead WHAT COMMAND...: one process makes the calls of a constructor, two allocations and a free, and all are seen
ahead() {
	what=$1
	shift
	watch ahead -v -- "$@"
	got=$(jq -c '[.processes[] | select(.memory.allocations > 0 or .memory.live_bytes > 0) |
		[.watched_from, .inexact, .memory.allocations, .memory.frees]]' "$T/ahead.json")
	check "$what: $got: $(grep "$fresh" "$T/ahead.err")" [ "$got" = '[["start",false,2,1]]' ]
	check "$what: it was not probed before: $(cat "$T/ahead.err")" grep -q "$fresh/libcudart.so.13: .*attached" "$T/ahead.err"
}

# ---- the environment of COMMAND
fresh
LD_LIBRARY_PATH=$fresh ahead "LD_LIBRARY_PATH" "$first"
fresh
cp "$held_plugin" "$fresh"
LD_PRELOAD=$fresh/libheld.so ahead LD_PRELOAD /bin/true
fresh
cp "$held_plugin" "$fresh"
LD_LIBRARY_PATH=$fresh ahead "LD_LIBRARY_PATH and dlopen()" "$top_builddir/tests/e2e/bin/held" libheld.so

# ---- the words of RPATH
fresh
mkdir -p "$fresh/bin" "$fresh/lib64"
cp "$first-origin" "$fresh/bin/first"
mv "$fresh"/libcud* "$fresh/lib64"
fresh=$fresh/lib64
ahead '$ORIGIN' "${fresh%/lib64}/bin/first"

# ---- Python: a virtual environment with a wheel's libraries, loaded by ctypes
if command -v python3 >/dev/null && python3 -m venv --without-pip "$T/venv" 2>/dev/null; then
	packages=$(echo "$T"/venv/lib/python3*/site-packages)
	mkdir -p "$packages/nvidia/cuda_runtime/lib"
	number=$((number + 1))
	fresh=$packages/nvidia/cuda_runtime/lib
	private_double "$fresh"
	cp "$held_plugin" "$fresh"
	ahead Python "$T/venv/bin/python3" -c "import ctypes; ctypes.CDLL('$fresh/libheld.so')"
	# NCCL's and NVSHMEM's wheels, whose libraries have a runtime inside
	for file in nccl/lib/libnccl.so.2 nvshmem/lib/libnvshmem_host.so.3; do
		mkdir -p "$packages/nvidia/${file%/*}"
		cp "$top_builddir/tests/e2e/bin/libearly.so" "$packages/nvidia/$file"
		LD_LIBRARY_PATH=$double watch wheel -v -- "$T/venv/bin/python3" -c "import ctypes; ctypes.CDLL('$packages/nvidia/$file')"
		expect wheel '[p.watched_from, p.runtime_watched_from, call("cudaMalloc").calls]' '["start","start",2]'
	done
else
	echo "not tried: Python, which has no venv here"
fi

# ---- what is not known ahead is not taken for known: it is late, or not seen at all if it ends first
fresh
cp "$held_plugin" "$fresh"
watch unknown -- sh -c '"$0" "$1"' "$top_builddir/tests/e2e/bin/held" "$fresh/libheld.so"
expect unknown '[.processes[] | select(.memory.allocations > 0) | .watched_from] - ["attach"]' '[]'
finish
