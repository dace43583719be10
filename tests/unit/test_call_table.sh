#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The call table, held against what the toolkit at hand has of CUDA: its runtime, its
# stub of libcuda.so and its headers. Each name of the table exists, and what exists
# and is not in the table is in tests/checks/excluded-calls.
set -u
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
home=${CUDA_HOME:-/usr/local/cuda}
files=
for name in cuda cudaEGL cudaGL cudaProfiler cudaVDPAU cuda_runtime_api cuda_egl_interop cuda_gl_interop cuda_profiler_api cuda_vdpau_interop; do
	[ -r "$home/include/$name.h" ] && files="$files $home/include/$name.h"
done
runtime=
stub=
for candidate in "$home"/lib64/libcudart.so "$home"/targets/*/lib/libcudart.so; do
	[ -e "$candidate" ] && runtime=$candidate
done
for candidate in "$home"/lib64/stubs/libcuda.so "$home"/targets/*/lib/stubs/libcuda.so; do
	[ -e "$candidate" ] && stub=$candidate
done
[ -n "$files$runtime$stub" ] || { echo "SKIP: no toolkit of CUDA in $home"; exit 77; }
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
status=0

sh "$top_srcdir/tests/checks/table.sh" >"$T/table"
for kind in runtime driver; do
	awk -F ';' -v layer="LAYER_$(echo $kind | tr '[:lower:]' '[:upper:]')" '$2 == layer { print $1 }' "$T/table" | sort >"$T/$kind"
	[ -s "$T/$kind" ] || { echo "FAIL: no function of the $kind in the table"; status=1; }
done
twice=$(sort "$T/driver" "$T/runtime" | uniq -d)
[ -z "$twice" ] || { echo "FAIL: twice in the table: $twice"; status=1; }

# shellcheck disable=SC2086	# no name has a blank
sh "$top_srcdir/tests/checks/calls.sh" $runtime $stub $files >"$T/calls" || status=1
cat "$T/calls"

# Functions that this version of CUDA does not declare, as their lines say.
version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\)$/\1/p' "$home/include/cuda.h")
awk -F ';' -v version="${version:-0}" '
	function said(option,  part) {
		if (!match($5, "CALL_" option "\\([0-9]+(, [0-9]+)?\\)"))
			return 0
		split(substr($5, RSTART, RLENGTH), part, /[^0-9]+/)
		return part[2] * 1000 + part[3] * 10
	}
	said("SINCE") > version || (said("UNTIL") && said("UNTIL") < version) ||
		(said("NOT_IN") && said("NOT_IN") == version - version % 1000) { print $1 }' "$T/table" | sort >"$T/elsewhere"
grep -F CALL_UNDECLARED "$T/table" | cut -d ';' -f 1 >"$T/undeclared"

# known LIBRARY: names that it exports, that headers name, and that its kind has in other versions of CUDA
known() {
	{
		nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }'
		# shellcheck disable=SC2086
		grep -ohE '\bcu(da)?[A-Z][A-Za-z0-9_]*' $files
		cat "$T/elsewhere" "$T/undeclared"
	} | sort -u
}

for kind in runtime driver; do
	library=$runtime
	[ $kind = runtime ] || library=$stub
	[ -n "$library" ] || continue
	known "$library" >"$T/known"
	unknown=$(comm -13 "$T/known" "$T/$kind" | sed 's/_pt[sd][sz]$//' | sort -u | comm -13 "$T/known" -)
	[ -z "$unknown" ] || { echo "FAIL: no function of CUDA's $kind: $(echo "$unknown" | tr "\n" " ")"; status=1; }
	early=$(nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u | comm -12 - "$T/elsewhere")
	[ -z "$early" ] || { echo "FAIL: $library has what CUDA $version has not, says the table: $(echo "$early" | tr "\n" " ")"; status=1; }
done
exit $status
