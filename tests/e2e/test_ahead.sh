#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What COMMAND comes to run is known before it does: through env(1) and others that start a program, scripts, shells, Python's
# packages, chroot. The program's first calls, before main(), are counted, and no process is late. Nothing
# waits for cutop, which would hide that it comes too late.
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
ahead env env LD_LIBRARY_PATH="$fresh" "$first"
fresh
ahead "env -i" env -i "LD_LIBRARY_PATH=$fresh" "$first"
fresh
ahead "env -u" env -u HOME -u PATH LD_LIBRARY_PATH="$fresh" "$first"
fresh
ahead "env -S" env -S "LD_LIBRARY_PATH=$fresh $first"
fresh
cp "$held_plugin" "$fresh"
ahead LD_PRELOAD env LD_PRELOAD="$fresh/libheld.so" true

fresh
cp "$held_plugin" "$fresh"
ahead "LD_LIBRARY_PATH and dlopen()" env LD_LIBRARY_PATH="$fresh" "$top_builddir/tests/e2e/bin/held" libheld.so

# ---- programs that start a program
for how in "nice -n 1" "nice --adjustment=1" nohup "timeout -k 5 20" "setsid -w" "stdbuf -o L" "taskset -c 0" "nice -n 1 timeout 20 nohup"; do
	command -v "${how%% *}" >/dev/null || continue
	fresh
	# shellcheck disable=SC2086
	ahead "$how" env LD_LIBRARY_PATH="$fresh" $how "$first"
done

# ---- scripts and shells
fresh
printf '#!/bin/sh\n# a comment, with %s in it\nexport LD_LIBRARY_PATH="%s"\nif true; then\n\t%s | cat\nfi\n' /nowhere "$fresh" "'$first'" >"$T/script"
chmod +x "$T/script"
ahead "a script" "$T/script"
fresh
ahead "sh -c" sh -c "cd / && LD_LIBRARY_PATH=$fresh '$first' >/dev/null; exit 0"
fresh
printf "nice -n 1 '%s'\n" "$first" >"$T/plain"
ahead "sh FILE" env LD_LIBRARY_PATH="$fresh" sh -e "$T/plain"
fresh
printf '#!/usr/bin/env -S LD_LIBRARY_PATH=%s %s\n' "$fresh" "$first" >"$T/env-script"
chmod +x "$T/env-script"
ahead "a script of env -S" "$T/env-script"

# ---- the words of RPATH
fresh
mkdir -p "$fresh/bin" "$fresh/lib64"
cp "$first-origin" "$fresh/bin/first"
mv "$fresh"/libcud* "$fresh/lib64"
fresh=$fresh/lib64
ahead '$ORIGIN and $LIB' "${fresh%/lib64}/bin/first"

# ---- Python: a virtual environment with a wheel's libraries, loaded by ctypes
if command -v python3 >/dev/null && python3 -m venv --without-pip "$T/venv" 2>/dev/null; then
	packages=$(echo "$T"/venv/lib/python3*/site-packages)
	mkdir -p "$packages/nvidia/cuda_runtime/lib"
	number=$((number + 1))
	fresh=$packages/nvidia/cuda_runtime/lib
	private_double "$fresh"
	cp "$held_plugin" "$fresh"
	printf '#!%s/venv/bin/python3\nimport ctypes\nctypes.CDLL("%s/libheld.so")\n' "$T" "$fresh" >"$T/load.py"
	chmod +x "$T/load.py"
	ahead "a script for Python" "$T/load.py"
	rm "$fresh"/libcud*
	private_double "$fresh"
	ahead "python FILE" env PYTHONDONTWRITEBYTECODE=1 "$T/venv/bin/python3" "$T/load.py"
	fresh
	mkdir -p "$T/path/nvidia/cu13/lib"
	mv "$fresh"/* "$T/path/nvidia/cu13/lib"
	fresh=$T/path/nvidia/cu13/lib
	cp "$held_plugin" "$fresh"
	ahead PYTHONPATH env PYTHONPATH="$T/path" "$T/venv/bin/python3" -c "import ctypes; ctypes.CDLL('$fresh/libheld.so')"
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

# ---- chroot
number=$((number + 1))
root=$T/root
mkdir -p "$root/lib64" "$root/opt"
private_double "$root/opt"
fresh=$root/opt
libraries_below "$root" "$first"
cp "$first" "$root/first"
[ -e "$root/lib64/ld-linux-x86-64.so.2" ] || cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64" 2>/dev/null
ahead chroot env LD_LIBRARY_PATH=/opt chroot "$root" /first

# ---- what is not known ahead is not taken for known: it is late, or not seen at all if it ends first
fresh
cp "$held_plugin" "$fresh"
watch unknown -- sh -c '"$0" "$1"' "$top_builddir/tests/e2e/bin/held" "$fresh/libheld.so"
expect unknown '[.processes[] | select(.memory.allocations > 0) | .watched_from] - ["attach"]' '[]'
finish
