#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the runtime's code is in programs that nvcc made, found in stripped
# copies and held against what nm says of the originals: all of the interface
# is inside, and nothing of the program, whatever is linked before and behind,
# by any linker. Skipped (77) without nvcc.
: "${top_builddir:=$(pwd)}"

[ -n "${NVCC:-}" ] || { echo "SKIP: no nvcc"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "SKIP: looks at code of x86-64"; exit 77; }
for tool in strip nm ar; do
	command -v $tool >/dev/null || { echo "SKIP: needs $tool"; exit 77; }
done

T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 1
status=0
fail() {
	echo "FAIL: $*"
	status=1
}

# ---- sources

cat >main.cu <<'END'
#include <cstdio>
__global__ void kernel(float *p) { *p = 1; }
extern int other(int);
static float *one(size_t n) { float *p = 0; if (cudaMalloc(&p, n)) puts("cudaMalloc"); return p; }
int main(int argc, char **) { one(4); kernel<<<1, 1>>>(0); return other(argc) + (int)cudaDeviceSynchronize(); }
END
# Functions and templates of all sizes; names of the runtime's functions as texts.
cat >other.cu <<'END'
#include <cstdio>
#include <algorithm>
#include <map>
#include <string>
#include <vector>
template <int N> __attribute__((noinline)) int chain(int x) { return chain<N - 1>(x * N + 1) + printf("%d", N); }
template <> __attribute__((noinline)) int chain<0>(int x) { return x; }
static const char *const names[] = {"cudaMalloc", "cudaMalloc_ptsz", "cudaFree"};
int other(int x)
{
	std::map<std::string, std::vector<int>> m;
	for (auto name : names) m[name].push_back(chain<200>(x));
	std::vector<int> v(100, x);
	std::sort(v.begin(), v.end(), [](int a, int b) { return a % 7 < b % 7; });
	float *p = 0;
	if (cudaMallocManaged(&p, 4)) throw std::string("cudaMallocManaged");
	return (int)m.size() + v[3] + (int)cudaFree(p);
}
END
# A program's own functions with the C library's names, which the runtime then calls.
cat >libc.c <<'END'
#include <stddef.h>
static char heap[1 << 20]; static size_t used;
#define FILLER(n) __attribute__((noinline)) int filler##n(int x) { return x * n + (int)used; }
FILLER(1) FILLER(2) FILLER(3) FILLER(4)
static void *take(size_t n) { void *p = heap + used; used += (n + 15) & ~15ul; return p; }
void *malloc(size_t n) { return take(n + filler1(0) * 0); }
void *calloc(size_t n, size_t m) { return take(n * m); }
void *realloc(void *p, size_t n) { char *q = take(n), *o = p; for (size_t i = 0; p && i < n && o + i < heap + used; i++) q[i] = o[i]; return q; }
void free(void *p) { (void)p; }
long time(long *t) { if (t) *t = filler2(1); return 1; }
int listen(int a, int b) { return filler3(a) + filler4(b); }
END
cat >tail.c <<'END'
#include <stdio.h>
#define F(n) __attribute__((noinline)) int tail##n(int x) { return x > 3 ? printf("%d", x) : x * n; }
F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9)
int tail(int x) { return tail1(x) + tail2(x) + tail3(x) + tail4(x) + tail5(x) + tail6(x) + tail7(x) + tail8(x) + tail9(x); }
END
echo 'extern "C" int tail(int); int other(int x) { return tail(x); }' >tailed.cu
# The runtime found in a program whose code is larger than what is read at a time
awk 'BEGIN { for (i = 0; i < 9000; i++) { printf ".globl big%d\n.type big%d,@function\nbig%d:\n.cfi_startproc\n", i, i, i
	if (i) printf "call big%d\n", i - 1
	printf ".fill 600,1,0x90\nret\n.cfi_endproc\n.size big%d,.-big%d\n", i, i } print ".section .note.GNU-stack,\"\",@progbits" }' >big.s
${CC:-cc} -c -o big.o big.s || exit 1
${CC:-cc} -O2 -c libc.c tail.c || exit 1
ar rc liblibc.a libc.o && ar rc libtail.a tail.o || exit 1

# ---- looking

# symbols FILE: its functions, the runtime's own (of NVIDIA's one object) marked
symbols() {
	nm "$1" | awk '
		$2 !~ /^[tTwWi]$/ { next }
		{ whose = "program" }
		$3 ~ /^libcudart_static_/ { whose = "inner" }
		$3 ~ /^(__)?cuda[A-Z]/ { whose = "interface" }
		$3 == "__cudaUnregisterBinaryUtil" { whose = "program" } # by nvcc, in each program
		{ print $1, whose, $3 }' |
		sort
}

# look NAME: the range in the stripped copy of NAME
look() {
	count=$((count + 1))
	strip -o "$1.stripped" "$1" || { fail "$1: strip"; return; }
	symbols "$1" >"$1.symbols"
	middle=$(awk '$3 == "cudaMalloc" { print $1 }' "$1.symbols")
	offset=$(($(offset_of "$1.stripped" "0x$middle")))
	range=$("$top_builddir/tests/unit/runtime_range" "$1.stripped" "$offset") || { fail "$1: nothing was found"; return; }
	# shellcheck disable=SC2086
	set -- "$1" $range
	shifted=$((0x$middle - offset))
	start=$(printf %016x $(($2 + shifted))) end=$(printf %016x $(($3 + shifted)))
	awk -v start="$start" -v end="$end" -v name="$1" '
		$1 "" >= start && $1 "" < end { inside[$2]++; if ($2 == "program") print name ": " $3 " of the program is inside" }
		!($1 "" >= start && $1 "" < end) { outside[$2]++; if ($2 == "interface") print name ": " $3 " is outside" }
		END { printf "%s: %d of the interface, %d inner ones inside, %d outside\n", name, inside["interface"], inside["inner"], outside["inner"] >"/dev/stderr" }' \
		"$1.symbols" >wrong
	[ ! -s wrong ] || fail "$(head -n 5 wrong)"
	[ "$(awk '$2 == "interface"' "$1.symbols" | wc -l)" -gt 200 ] || fail "$1: nm lists too few functions of the interface"
}

# offset_of FILE ADDRESS: where in the file the code at ADDRESS is
offset_of() {
	readelf -lW "$1" | awk '$1 == "LOAD" && $0 ~ /R E/ { print $2, $3, $5 }' | while read -r offset address size; do
		[ $(($2)) -lt $((address)) ] || [ $(($2)) -ge $((address + size)) ] || echo $(($2 - address + offset))
	done
}

# none NAME OFFSET: nothing is found
none() {
	count=$((count + 1))
	strip -o "$1.stripped" "$1"
	! range=$("$top_builddir/tests/unit/runtime_range" "$1.stripped" "$2") || fail "$1: $range was found around $2"
}

# cut NAME: from wherever in the program's large part, the whole range is found, or none: what is read may end within it
cut() {
	count=$((count + 1))
	middle=$(awk '$3 == "cudaMalloc" { print $1 }' "$1.symbols")
	offset=$(($(offset_of "$1.stripped" "0x$middle")))
	whole=$("$top_builddir/tests/unit/runtime_range" "$1.stripped" "$offset") || { fail "$1: nothing was found"; return; }
	shifted=$((0x$middle - offset))
	awk '$3 ~ /^big[0-9]*[02468]0$/ { print $3, $1 }' "$1.symbols" >places
	found=0 places=0
	while read -r symbol address; do
		distance=$((0x$address - 0x$middle))
		distance=${distance#-}
		# Where the window's end comes near.
		[ $distance -gt $((5 << 18)) ] && [ $distance -lt $((10 << 18)) ] || continue
		places=$((places + 1))
		range=$("$top_builddir/tests/unit/runtime_range" "$1.stripped" $((0x$address - shifted))) || continue
		found=$((found + 1))
		[ "$range" = "$whole" ] || fail "$1: from $symbol $range, which is not $whole"
	done <places
	echo "$1: from $places places found $found times"
	[ $found -gt 0 ] && [ $found -lt $places ] || fail "$1: no place was near, or all"
}

count=0
# build NAME ARGUMENT...
build() {
	name=$1
	shift
	"$NVCC" -w -o "$name" "$@" >nvcc.out 2>&1 || { echo "not built: $name: $(tail -n 1 nvcc.out)"; return 1; }
}

build plain main.cu other.cu && look plain
build debug -g -O0 main.cu other.cu && look debug
build fast -O2 -Xcompiler -O2 main.cu other.cu && look fast
build sections -O2 -Xcompiler -O2,-ffunction-sections -Xlinker --gc-sections other.cu main.cu && look sections
build fixed -Xcompiler -fno-pie -Xlinker -no-pie main.cu other.cu && look fixed
build branches -Xcompiler -O2,-fcf-protection=full main.cu other.cu && look branches
build stdlib -Xcompiler -O2,-static-libgcc,-static-libstdc++ main.cu other.cu && look stdlib
build before -Xlinker ./tail.o main.cu tailed.cu && look before
build behind -cudart static main.cu tailed.cu -Xlinker -lcudart_static,-ldl,-lrt,-lpthread,-L.,-ltail && look behind
"$NVCC" -w -c main.cu >nvcc.out 2>&1 && "$NVCC" -w -c tailed.cu >>nvcc.out 2>&1 && "$NVCC" -w -c other.cu >>nvcc.out 2>&1 || fail "$(cat nvcc.out)"
build own main.o tailed.o libc.o tail.o && look own
build own-behind main.o tailed.o -Xlinker -lcudart_static,-ldl,-lrt,-lpthread,./libc.o,./tail.o && look own-behind
build own-exit main.o tailed.o -Xlinker -lcudart_static,-ldl,-lrt,-lpthread,./tail.o,./libc.o,-lc_nonshared && look own-exit
build big-before big.o main.o other.o && look big-before
build big-behind main.o other.o -Xlinker -lcudart_static,-ldl,-lrt,-lpthread,./big.o && look big-behind
[ ! -f big-before ] || cut big-before
[ ! -f big-behind ] || cut big-behind
build dynamic -Xlinker --export-dynamic main.o other.o && look dynamic
build library -shared -Xcompiler -fPIC main.cu other.cu && look library
build library-symbolic -shared -Xcompiler -fPIC -Xlinker -Bsymbolic main.cu other.cu libc.c && look library-symbolic
for linker in gold lld; do
	command -v "ld.$linker" >/dev/null || continue
	build "$linker" -Xcompiler "-fuse-ld=$linker" main.o other.o && look "$linker"
	build "$linker-behind" -Xcompiler "-fuse-ld=$linker" main.o tailed.o -Xlinker -lcudart_static,-ldl,-lrt,-lpthread,./libc.o,./tail.o &&
		look "$linker-behind"
done

# ---- where there is none, or none can be told

build shared -cudart shared main.o other.o && none shared $(($(offset_of shared 0x"$(nm shared | awk '$3 == "main" { print $1 }')")))
build whole -Xcompiler -static main.o tailed.o tail.o && none whole $(($(offset_of whole 0x"$(nm whole | awk '$3 == "main" { print $1 }')")))
# Far from the runtime
[ ! -f big-behind ] || none big-behind $(($(offset_of big-behind 0x"$(nm big-behind | awk '$3 == "big8999" { print $1 }')")))

[ "$count" -ge 15 ] || fail "only $count programs were looked at"
exit $status
