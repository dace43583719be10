#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the programs of test_native_stacks.sh and their libraries.
#   build_native_stacks.sh SOURCES DOUBLE FOLDER [compiler options]
# SOURCES is the folder of sources, DOUBLE that of the double's libraries, FOLDER is made. Nothing is left there of what fails.
# Without a C++ compiler ($CXX, else g++ or clang++) native_stacks_cxx is left out.
set -eu
sources=$1/tests/e2e
headers=$1/tests/double
double=$2
folder=$3
shift 3
new=$folder.new
rm -rf "$new" "$folder"
mkdir -p "$new"
trap 'rm -rf "$new"' EXIT

base='-D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -fasynchronous-unwind-tables -fno-optimize-sibling-calls'
compile() {
	# shellcheck disable=SC2086
	${CC:-cc} -std=c17 $base "-I$headers" "$@"
}
# Bound lazily: so the first call of each function goes through the dynamic linker.
link="-Wl,-z,lazy -Wl,-rpath,\$ORIGIN -Wl,-rpath,$(realpath "$double") $double/libcudart.so.13"
library="-shared -fPIC $link"

next=
for number in 5 4 3 2 1; do
	# shellcheck disable=SC2086
	compile "$@" -DNUMBER=$number -o "$new/libnative_stacks-$number.so" "$sources/native_stacks_library.c" $next $library \
		-Wl,-soname,libnative_stacks-$number.so
	next="$new/libnative_stacks-$number.so -Wl,-rpath-link,$new"
done
# shellcheck disable=SC2086
compile "$@" -DFRAME=1000 -o "$new/libnative_stacks-first.so" "$sources/native_stacks_library.c" $library
# shellcheck disable=SC2086
compile "$@" -DFRAME=3000 -o "$new/libnative_stacks-second.so" "$sources/native_stacks_library.c" $library
# shellcheck disable=SC2086
compile "$@" -foptimize-sibling-calls -DWATCHED -o "$new/libnative_stacks-watched.so" "$sources/native_stacks_library.c" $library \
	-Wl,-soname,libnative_stacks-watched.so
# shellcheck disable=SC2086
compile "$@" -DRESOLVED -o "$new/libnative_stacks-resolved.so" "$sources/native_stacks_library.c" $library \
	-Wl,-soname,libnative_stacks-resolved.so
# shellcheck disable=SC2086
compile "$@" -rdynamic -o "$new/native_stacks" "$sources/native_stacks.c" "$sources/native_stacks_odd.c" "$sources/native_stacks_notes.c" \
	$next "$new/libnative_stacks-watched.so" "$new/libnative_stacks-resolved.so" $link -ldl -pthread

for cxx in ${CXX:-g++ clang++}; do
	command -v "$cxx" >/dev/null || continue
	compile "$@" -c -o "$new/notes.o" "$sources/native_stacks_notes.c"
	# shellcheck disable=SC2086
	"$cxx" -std=c++17 $base "$@" -o "$new/native_stacks_cxx" "$sources/native_stacks_cxx.cc" "$new/notes.o" $link -pthread
	rm "$new/notes.o"
	break
done
mv "$new" "$folder"
