#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests believe of the double and no other test would notice: how its functions begin, in each of its forms, that it
# has the names of NVIDIA's libraries, and that odd_entries.S says of each function where its probe goes.
set -u
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
[ "$(uname -m)" = x86_64 ] || { echo "SKIP: the forms are for x86-64"; exit 77; }
lib=$top_builddir/tests/double/lib
forms=$top_builddir/tests/double/forms
failed=0
T=$(mktemp -d "${TMPDIR:-/tmp}/cutop-test.XXXXXX")
trap 'rm -rf "$T"' EXIT

# empty WHAT LINES: nothing was found
empty() {
	[ -z "$2" ] || { echo "FAIL: $1: $(echo "$2" | head -n 5 | tr '\n' ' ')"; failed=1; }
}

# names LIBRARY: its functions of CUDA's
names() {
	nm -D --defined-only "$1" | awk '$2 ~ /[TWi]/ { sub(/@.*/, "", $3); print $3 }' | grep -E '^(__)?cu(da)?[A-Z]' | sort -u
}

# Each exported function with the bytes that it begins with, one a line: all up to the next symbol.
first_bytes() {
	names "$1" >"$T/names"
	objdump -dw "$1" | awk '
		FNR == NR { wanted[$1] = 1; next }
		/^[0-9a-f]+ <.*>:$/ {
			name = $2
			gsub(/[<>:]/, "", name)
			sub(/@@.*/, "", name)
			if (name in wanted)
				printf "\n%s ", name
			lines = 0
			next
		}
		name in wanted && NF && ++lines <= 6 {
			split($0, field, "\t")
			gsub(/ /, "", field[2])
			printf "%s", field[2]
		}' "$T/names" - | grep .
}

push='(4[01])?5[0-7]'
# cmpl $0x321cba00, flag(%rip); je +12; jmp *pointer(%rip); and at the je's target mov $4, %eax; ret
driver='813d[0-9a-f]{8}00ba1c32740cff25[0-9a-f]{8}[0-9a-f]{12}b804000000c3'
stepped='488b05[0-9a-f]{8}ffe0'
while read -r file bytes; do
	[ -e "$top_builddir/tests/double/$file" ] || { echo "FAIL: $file is not built"; failed=1; continue; }
	first_bytes "$top_builddir/tests/double/$file" >"$T/bytes"
	empty "$file: how functions begin" "$(grep -Ev "^[A-Za-z0-9_]+ $bytes" "$T/bytes")"
	empty "$file: functions that were not looked at" "$(cut -d ' ' -f 1 "$T/bytes" | sort | comm -13 - "$T/names")"
	case $file in
	lib/* | forms/*)
		names "$lib/${file##*/}" | diff - "$T/names" >"$T/diff" || empty "$file has other names" "$(cat "$T/diff")"
		;;
	esac
done <<END
lib/libcudart.so.13 $push
lib/libcuda.so.1 $push
forms/driver/libcudart.so.13 $push
forms/driver/libcuda.so.1 $driver
forms/endbr/libcudart.so.13 f30f1efa$push
forms/endbr/libcuda.so.1 f30f1efa$push
forms/stepped/libcudart.so.13 $stepped
forms/stepped/libcuda.so.1 $stepped
lib11/libcudart.so.11.0 $push
lib12/libcudart.so.12 $push
END

# What odd_entries.S says of its functions must be of functions that are there.
sed -n 's/^# expect \([A-Za-z0-9_]*\) .*/\1/p' "$top_srcdir/tests/double/odd_entries.S" | sort >"$T/expected"
empty "libodd.so: functions of which odd_entries.S says nothing" "$(names "$forms/odd/libodd.so" | grep '^cu' | diff "$T/expected" -)"

# NVIDIA's libraries, where they are, say what the interface is. The toolkit's stub of the driver lacks what is for OpenGL, EGL
# and VDPAU; and the double has what came with CUDA 13.1 to 13.3, as the call table says.
sh "$top_srcdir/tests/checks/table.sh" | sed -n 's/^\([^;]*\);.*CALL_SINCE(13, [1-9]).*/\1/p' | sort >"$T/later"
for theirs in "${CUDA_TOOLKIT:-/usr/local/cuda}/lib64/libcudart.so.13" "${CUDA_TOOLKIT:-/usr/local/cuda}/lib64/stubs/libcuda.so"; do
	[ -e "$theirs" ] || { echo "there is no $theirs"; continue; }
	case $theirs in *cudart*) ours=$lib/libcudart.so.13 ;; *) ours=$lib/libcuda.so.1 ;; esac
	names "$theirs" >"$T/theirs"
	names "$ours" | grep -Ev '^cu(Graphics)?(GL|VDPAU|EGL)|^cu[A-Z].*(EGLSync|EglFrame)$' | comm -23 - "$T/later" | diff "$T/theirs" - >"$T/diff"
	empty "${ours##*/} has other names than NVIDIA's" "$(cat "$T/diff")"
done
[ "$failed" = 0 ] && echo "$(wc -l <"$T/names") functions in the last library"
exit $failed
