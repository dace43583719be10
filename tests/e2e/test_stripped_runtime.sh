#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A stripped program with NVIDIA's own static runtime: calls of the driver are
# made by the runtime's code, and their site is where the program called the
# runtime. NVIDIA's runtime does not get beyond cuInit() on the double, so it
# is the site of that, made to fail, which is looked at. Skipped without nvcc.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

[ -n "${NVCC:-}" ] || skip "no nvcc"
[ "$(uname -m)" = x86_64 ] || skip "looks at code of x86-64"
for tool in strip nm readelf; do
	command -v $tool >/dev/null || skip "needs $tool"
done

cat >"$T/three.cu" <<'END'
__attribute__((noinline)) int first(size_t n) { void *p; return cudaMalloc(&p, n) + 1; }
__attribute__((noinline)) int second(size_t n) { void *p; return cudaMallocHost(&p, n) + 2; }
__attribute__((noinline)) int third(size_t n) { void *p; return cudaMallocManaged(&p, n) + 3; }
int main(int argc, char **argv) { return (argc == 1 ? first(1) : argc == 2 ? second(2) : third(3)) == 0; }
END
"$NVCC" -O2 -o "$T/three" "$T/three.cu" >"$T/nvcc.out" 2>&1 || fail "$(cat "$T/nvcc.out")"
strip -o "$T/stripped" "$T/three"
shift_of_code=$(readelf -lW "$T/three" | awk '$1 == "LOAD" && / R E / { print $3, $2 }')
CUDA_DOUBLE_FAIL=cuInit:1:100
LD_LIBRARY_PATH=$double
export CUDA_DOUBLE_FAIL LD_LIBRARY_PATH

# site NAME FUNCTION ARGUMENT...: the site of the failed cuInit() is in FUNCTION
site() {
	name=$1
	function=$2
	shift 2
	watch "$name" -- "$T/stripped" "$@"
	expect "$name" '[p.failures[] | select(.call == "cuInit").error]' '["CUDA_ERROR_NO_DEVICE"]'
	offset=$(jq -r '.processes[0].failures[] | select(.call == "cuInit").site | capture("^stripped\\+(?<at>0x[0-9a-f]+)$").at' "$T/$name.json")
	# shellcheck disable=SC2086
	set -- $shift_of_code
	at=$((${offset:-0} - $2 + $1))
	# The function whose start is the last one before the return address
	nm -n "$T/three" | awk '$2 ~ /^[tTwW]$/ { print $1, $3 }' >"$T/symbols"
	is=$(awk -v at="$(printf %016x $at)" '$1 "" < at { name = $2 } END { print name }' "$T/symbols")
	check "$name: the site is in $is, not in $function" [ "$is" = "$function" ]
	# The frames stay, and say whose they are; what the C library calls back is the runtime's, too.
	expect "$name" '[p.failures[] | select(.call == "cuInit").stack | (.[0], .[1] | test("^stripped.* \\(CUDA runtime\\)$")),
		(map(test("CUDA runtime")) | rindex(true) > 3)]' '[true,true,true]'
}
site first _Z5firstm
site second _Z6secondm one
site third _Z5thirdm one two

finish
