#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks the double of the CUDA libraries and the workloads that run on it.
#
#   check-double.sh [BUILDDIR]
#
# BUILDDIR (or $DOUBLE_BUILDDIR) is where make built tests/double/lib and
# tests/workloads/bin.  Without one the script builds both itself, in a
# directory of its own.  Ends with 0, 1, or 77 when nothing can be checked.

set -u
here=$(cd "$(dirname "$0")" && pwd)
srcdir=$(cd "$here/../.." && pwd)
build=${1:-${DOUBLE_BUILDDIR:-}}
passed=0
failed=0
skipped=0

skip_all()
{
	echo "SKIP: $*"
	exit 77
}

ok()
{
	passed=$((passed + 1))
	echo "ok: $*"
}

not_ok()
{
	failed=$((failed + 1))
	echo "NOT OK: $*"
}

skip()
{
	skipped=$((skipped + 1))
	echo "skip: $*"
}

# check NAME COMMAND...: the command succeeds
check()
{
	name=$1
	shift
	if out=$("$@" 2>&1); then
		ok "$name"
	else
		not_ok "$name${out:+: $out}"
	fi
}

# empty NAME OUTPUT: nothing was found
empty()
{
	if [ -z "$2" ]; then
		ok "$1"
	else
		not_ok "$1: $(echo "$2" | head -5 | tr '\n' ' ')"
	fi
}

[ "$(uname -m)" = x86_64 ] || skip_all "the double is for x86-64"
for tool in objdump nm readelf awk; do
	command -v $tool >/dev/null || skip_all "no $tool"
done

work=$(mktemp -d "${TMPDIR:-/tmp}/check-double.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

# The fragments are make but for automake's conditionals.
if [ -z "$build" ]; then
	command -v "${CC:-cc}" >/dev/null || skip_all "no compiler"
	command -v make >/dev/null || skip_all "no make"
	build=$work/build
	mkdir -p "$build"
	{
		echo "srcdir = $srcdir"
		echo "VPATH = $srcdir"
		echo "CC = ${CC:-cc}"
		echo "MKDIR_P = mkdir -p"
		nvcc=${NVCC:-$(command -v nvcc)} && echo "NVCC = $nvcc"
		echo "all: programs"
		sed 's/^if HAVE_NVCC/ifdef NVCC/' \
			"$srcdir/tests/double/double.mk" \
			"$srcdir/tests/workloads/workloads.mk"
		# shellcheck disable=SC2016
		echo 'programs: $(DOUBLE_LIBS) $(WORKLOADS) $(WORKLOADS_CU)'
	} >"$build/Makefile"
	if ! make -s -C "$build" >"$work/log" 2>&1; then
		tail -20 "$work/log"
		not_ok "the double and the workloads build"
		exit 1
	fi
	ok "the double and the workloads build"
fi

lib=$build/tests/double/lib
bin=$build/tests/workloads/bin
[ -e "$lib/libcudart.so.13" ] || skip_all "$lib/libcudart.so.13 is not built"
[ -x "$bin/workload" ] || skip_all "$bin/workload is not built"
LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
unset CUDA_DOUBLE_FAIL CUDA_DOUBLE_DELAY CUDA_DOUBLE_KERNEL_TIME \
	CUDA_DOUBLE_DEVICES CUDA_DOUBLE_MEMORY CUDA_DOUBLE_COPY_BANDWIDTH

#
# The files
#

# Interface functions whose first instruction is not a push.
no_push()
{
	objdump -d --no-show-raw-insn "$1" | awk '
		/^[0-9a-f]+ <.*>:$/ {
			name = $2
			gsub(/[<>:]/, "", name)
			sub(/@@.*/, "", name)
			if (getline <= 0)
				exit
			if (name ~ /^(__cuda|cuda|cu)[A-Z][A-Za-z0-9_]*$/ && $2 != "push")
				print name
		}'
}

# Jumps from one interface function to the start of another.
tail_jumps()
{
	objdump -d --no-show-raw-insn "$1" | awk '
		/^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name) }
		name ~ /^(__cuda|cuda|cu)[A-Z]/ && $2 == "jmp" &&
		$NF ~ /^<(__cuda|cuda|cu)[A-Z][A-Za-z0-9_]*(@plt)?(@@.*)?>$/ {
			print name ">" $NF
		}' | grep -v '^__cudaLaunchKernel\(_ptsz\)\?><cudaLaunchKernel'
}

for file in "$lib/libcudart.so.13" "$lib/libcuda.so.1" "$bin/workload-static"; do
	base=$(basename "$file")
	empty "$base: every interface function begins with a push" "$(no_push "$file")"
	empty "$base: no function jumps to another" "$(tail_jumps "$file")"
done

for soname in libcudart.so.13 libcuda.so.1; do
	check "$soname: SONAME" sh -c \
		"readelf -d '$lib/$soname' | grep -q 'SONAME.*\\[$soname\\]'"
done
check "libcudart.so.13 needs libcuda.so.1 and finds it beside itself" sh -c "
	readelf -d '$lib/libcudart.so.13' | grep -q 'NEEDED.*libcuda.so.1' &&
	readelf -d '$lib/libcudart.so.13' | grep -Eq 'R(UN)?PATH.*ORIGIN'"
check "cudaMalloc has the version libcudart.so.13" sh -c \
	"nm -D '$lib/libcudart.so.13' | grep -q ' cudaMalloc@@libcudart.so.13$'"
empty "libcudart.so.13: no other names or versions" "$(nm -D --defined-only \
	"$lib/libcudart.so.13" | awk '$2 == "T" { print $3 }' |
	grep -Ev '^(__)?cuda[A-Z].*@@libcudart.so.13$')"
empty "libcuda.so.1: no other names" "$(nm -D --defined-only "$lib/libcuda.so.1" |
	awk '{ print $3 }' | grep -Ev '^cu[A-Z]')"
empty "each function has an address of its own" "$(for f in libcudart.so.13 libcuda.so.1; do
	nm -D --defined-only "$lib/$f" | awk '$2 == "T" { print $1 }' | sort | uniq -d
	done)"
check "workload-static has cudaMalloc as a local symbol" sh -c \
	"nm '$bin/workload-static' | grep -q ' t cudaMalloc$'"
check "workload-static does not need libcudart.so.13" sh -c \
	"! readelf -d '$bin/workload-static' | grep -q 'NEEDED.*libcudart'"

# NVIDIA's libraries, where they are, say what the interface is.
for pair in libcudart.so.13:/usr/local/cuda/lib64/libcudart.so.13 \
	libcuda.so.1:/usr/local/cuda/lib64/stubs/libcuda.so; do
	ours=$lib/${pair%%:*}
	theirs=${pair#*:}
	if [ -e "$theirs" ]; then
		names='$2 ~ /[TWi]/ && $3 ~ /^(__cuda|cuda|cu)[A-Z]/ { sub(/@.*/, "", $3); print $3 }'
		nm -D --defined-only "$theirs" | awk "$names" | sort -u >"$work/theirs"
		nm -D --defined-only "$ours" | awk "$names" | sort -u >"$work/ours"
		empty "${pair%%:*} exports the names that NVIDIA's does" \
			"$(diff "$work/theirs" "$work/ours")"
	else
		skip "${pair%%:*} against NVIDIA's names: no $theirs"
	fi
done

#
# The programs
#

for w in workload workload-static; do
	for args in case-study 'case-study leak' 'pairs 1000 256' 'pairs 10 2000000' \
		'-l handle launches 1000' '-l direct launches 1000' \
		'-l exc launches 1000' 'launches 100 4' copies 'threads 4 500' \
		kinds '-k kinds' failures double-free unknown-free reset fork exec \
		'exec -l direct launches 3' arrays ipc 'graphs memory 5' short 'hang 50' 'sync 10 100' nested \
		'driver-launch 5' 'loop 1' 'trainer 1' 'leaker 1' 'copier 1' \
		'failing 1' 'stress-launch 1 2'; do
		# shellcheck disable=SC2086
		check "$w $args" timeout 60 "$bin/$w" $args
	done
done
check "copies between two devices" env CUDA_DOUBLE_DEVICES=2 "$bin/workload" copies

for p in async_alloc graph leak managed streams vector_add zero_copy; do
	for form in '' -static; do
		if [ -x "$bin/$p$form" ]; then
			check "nvcc's $p$form" timeout 60 "$bin/$p$form"
		else
			skip "nvcc's $p$form: not built"
		fi
	done
done

#
# The scripts.  That the Nth call can be made to fail and there is no call
# after it pins a workload's exact count.
#

# calls COUNT FUNCTION WORKLOAD...
calls()
{
	n=$1
	function=$2
	shift 2
	for w in workload workload-static; do
		if [ "$n" -gt 0 ] && CUDA_DOUBLE_FAIL=$function:$n:999 \
			"$bin/$w" "$@" >/dev/null 2>&1; then
			not_ok "$w $*: fewer than $n calls to $function"
		elif ! CUDA_DOUBLE_FAIL=$function:$((n + 1))+:999 \
			"$bin/$w" "$@" >/dev/null 2>&1; then
			not_ok "$w $*: more than $n calls to $function"
		else
			ok "$w $*: $n calls to $function"
		fi
	done
}

calls 3 cudaMalloc case-study
calls 3 cuMemAlloc_v2 case-study
calls 3 cudaFree case-study
calls 2 cudaFree case-study leak
calls 3 cudaMemcpy case-study
calls 2 cuMemcpyHtoD_v2 case-study
calls 1 cuMemcpyDtoH_v2 case-study
calls 2000 cudaLaunchKernel case-study
calls 2000 cuLaunchKernel case-study
calls 2 __cudaGetKernel case-study
calls 2 cuLibraryGetKernel case-study
calls 100 cudaMalloc pairs 100 256
calls 100 cudaFree pairs 100 256
calls 100 cudaLaunchKernelExC -l exc launches 100
calls 0 cudaLaunchKernel -l exc launches 100
calls 100 cuLaunchKernelEx -l exc launches 100
calls 400 cudaLaunchKernel launches 100 4
calls 8 cudaMemcpy copies
calls 5 cudaMemcpyAsync copies
calls 3 cudaMalloc copies
calls 1 cuMemcpy2DAsync_v2 copies
calls 11 cuMemcpy2DUnaligned_v2 arrays
calls 4 cuMemcpy2DAsync_v2 arrays
calls 10 cudaLaunchKernel driver-launch 5
calls 20 cuLaunchKernel driver-launch 5
calls 1000 cudaMalloc threads 4 250
calls 1000 cudaFree threads 4 250

# error CODE NAME ENVIRONMENT WORKLOAD...: it ends saying it met that error
error()
{
	code=$1
	name=$2
	setting=$3
	shift 3
	out=$(env "$setting" "$bin/workload" "$@" 2>&1)
	case $out in
	*"error $code") ok "$name" ;;
	*) not_ok "$name: $out" ;;
	esac
}

error 2 "the third cudaMalloc fails with 2" CUDA_DOUBLE_FAIL=cudaMalloc:3:2 pairs 10 256
error 2 "a driver call's failure reaches the runtime's caller" \
	CUDA_DOUBLE_FAIL=cuMemAlloc_v2:5:2 pairs 10 256
error 700 "a sticky error stays" CUDA_DOUBLE_FAIL=cudaLaunchKernel:10:700 launches 20
error 719 "a sticky error of the driver stays" \
	CUDA_DOUBLE_FAIL=cuLaunchKernel:10:719 case-study
error 2 "memory runs out at the limit" CUDA_DOUBLE_MEMORY=20M case-study
check "and not below it" env CUDA_DOUBLE_MEMORY=24M "$bin/workload" case-study
error 2 "kept memory runs out" CUDA_DOUBLE_MEMORY=1M -k pairs 100 20000
check "allocations of 12 GiB are possible" "$bin/workload" pairs 3 12884901888
error 2 "two of them are not" CUDA_DOUBLE_MEMORY=16G -k pairs 2 12884901888
error 100 "without a device the first call says so" CUDA_DOUBLE_DEVICES=0 pairs 1 1

# took AT-LEAST-MS ENVIRONMENT WORKLOAD...
took()
{
	least=$1
	setting=$2
	shift 2
	start=$(date +%s%N)
	env "$setting" "$bin/workload" "$@" >/dev/null 2>&1
	ms=$((($(date +%s%N) - start) / 1000000))
	if [ "$ms" -ge "$least" ]; then
		ok "$setting $*: at least $least ms"
	else
		not_ok "$setting $*: $ms ms, at least $least expected"
	fi
}

took 100 CUDA_DOUBLE_DELAY=cudaMalloc=10ms pairs 10 256
took 100 CUDA_DOUBLE_KERNEL_TIME=1ms launches 100
took 100 CUDA_DOUBLE_KERNEL_TIME=10ms sync 10 0
took 200 CUDA_DOUBLE_COPY_BANDWIDTH=100M case-study

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
