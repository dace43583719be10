#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# binutils 2.40 (Debian 12): the "recursion limit" of its demangler counts letters. c++filt, and nm -C likewise, print a name of 1,025
# letters and more as it was, also if it is one identifier and nothing in it is nested; with -r (--no-recurse-limit) it is demangled.
# Names of kernels made from templates (Thrust, CUTLASS) are often that long.
. "$(dirname "$0")/lib.sh"
package main/b/binutils/binutils-x86-64-linux-gnu_2.40-2_amd64.deb 2d7ea8a570d768224d7f2424abbe6f373d2154865a1fa7f56c80d43ecf492521
package main/b/binutils/libbinutils_2.40-2_amd64.deb fcf55b99e5f8a78f3c8ce9b6957f1024f394cf20c196b100d308a57e43547710
export LD_LIBRARY_PATH="$packages/usr/lib/x86_64-linux-gnu"
filter=$packages/usr/bin/x86_64-linux-gnu-c++filt

# whole LENGTH [OPTION]: of a function with one int, whose mangled name has so many letters, those that are printed
whole() {
	n=$(($1 - 7))
	identifier=$(printf "%${n}s" '' | tr ' ' 'k')
	shown=$("$filter" ${2:+"$2"} "_Z$n${identifier}i")
	[ "$shown" = "$identifier(int)" ] && echo demangled || echo "as it was"
}

"$filter" --version | head -n 1
state "1,024 letters" "$(whole 1024)" demangled
state "1,025 letters" "$(whole 1025)" "as it was"
state "1,025 letters, with -r" "$(whole 1025 -r)" demangled
finish
