#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Holds names of CUDA's functions against the call table.
#
#   calls.sh [LIBRARY|HEADER]...
#
# Each function that one of these files exports or declares has to be in the table or
# in excluded-calls. A line for each that is not; exit status 1 if there is one.
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

sh "$here/table.sh" | cut -d ';' -f 1 | sort -u >"$T/table"
grep -v '^#' "$here/excluded-calls" | grep . >"$T/excluded"
status=0
if grep -xE -f "$T/excluded" "$T/table" >"$T/both"; then
	sed 's|$|: in the table, and in tests/checks/excluded-calls|' "$T/both"
	status=1
fi
for file; do
	case $file in
	*.h)
		# Prototypes begin with the type of the result; the headers' own #defines have the newer names of some.
		{
			sed -nE 's/^(extern )?.*(CUresult|cudaError_t)[ A-Z_]* (cu[A-Za-z0-9_]*)\(.*/\3/p' "$file"
			sed -nE 's/^[ \t]*#[ \t]*define[ \t]+cu[A-Za-z0-9_]*[ \t]+(cu(da)?[A-Z][A-Za-z0-9]*_(v[0-9]+|pt[sd][sz])(_pt[sd][sz])?)[ \t]*$/\1/p' "$file"
		} | sort -u >"$T/names"
		;;
	*)
		nm -D --defined-only "$file" | awk '{ sub(/@.*/, "", $3); print $3 }' | grep -E '^(__cuda|cu)' | sort -u >"$T/names"
		;;
	esac
	[ -s "$T/names" ] || { echo "$file: no function of CUDA"; status=1; }
	comm -23 "$T/names" "$T/table" | grep -vxE -f "$T/excluded" >"$T/left"
	sed "s|\$| ($file): neither in the table nor in tests/checks/excluded-calls|" "$T/left"
	[ ! -s "$T/left" ] || status=1
	echo "$file: $(wc -l <"$T/names") functions, $(comm -12 "$T/names" "$T/table" | wc -l) in the table"
done
exit $status
