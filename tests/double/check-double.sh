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
		echo "AWK = awk"
		echo "OBJCOPY = objcopy"
		echo "X86_64 = yes"
		nvcc=${NVCC:-$(command -v nvcc)} && echo "NVCC = $nvcc"
		echo "all: programs"
		sed 's/^if HAVE_NVCC/ifdef NVCC/; s/^if X86_64/ifdef X86_64/' \
			"$srcdir/tests/double/double.mk" \
			"$srcdir/tests/workloads/workloads.mk"
		# shellcheck disable=SC2016
		echo 'programs: $(DOUBLE_LIBS) $(DOUBLE_FORMS) $(DOUBLE_OLDER) $(WORKLOADS) $(WORKLOADS_CU)'
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

# check_libraries FOLDER PREFIX: what both libraries say of themselves
check_libraries()
{
	at=$1
	for soname in libcudart.so.13 libcuda.so.1; do
		check "$2$soname: SONAME" sh -c \
			"readelf -d '$at/$soname' | grep -q 'SONAME.*\\[$soname\\]'"
	done
	check "$2libcudart.so.13 needs libcuda.so.1 and finds it beside itself" sh -c "
		readelf -d '$at/libcudart.so.13' | grep -q 'NEEDED.*libcuda.so.1' &&
		readelf -d '$at/libcudart.so.13' | grep -Eq 'R(UN)?PATH.*ORIGIN'"
	check "$2cudaMalloc has the version libcudart.so.13" sh -c \
		"nm -D '$at/libcudart.so.13' | grep -q ' cudaMalloc@@libcudart.so.13$'"
	empty "$2libcudart.so.13: no other names or versions" "$(nm -D --defined-only \
		"$at/libcudart.so.13" | awk '$2 == "T" { print $3 }' |
		grep -Ev '^(__)?cuda[A-Z].*@@libcudart.so.13$')"
	empty "$2libcuda.so.1: no other names" "$(nm -D --defined-only "$at/libcuda.so.1" |
		awk '{ print $3 }' | grep -Ev '^cu[A-Z]')"
	empty "$2each function has an address of its own" "$(for f in libcudart.so.13 libcuda.so.1; do
		nm -D --defined-only "$at/$f" | awk '$2 == "T" { print $1 }' | sort | uniq -d
		done)"
}

check_libraries "$lib" ""
check "workload-static has cudaMalloc as a local symbol" sh -c \
	"nm '$bin/workload-static' | grep -q ' t cudaMalloc$'"
check "workload-static does not need libcudart.so.13" sh -c \
	"! readelf -d '$bin/workload-static' | grep -q 'NEEDED.*libcudart'"

# Each exported function with the bytes that it begins with, one a line: all up to the next symbol.
first_bytes()
{
	nm -D --defined-only "$1" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' >"$work/exported"
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
		}' "$work/exported" - | grep .
}

# has_form NAME LIBRARY REGEX: every function exported begins with these bytes
has_form()
{
	first_bytes "$2" >"$work/bytes"
	empty "$1" "$(grep -Ev "^[A-Za-z0-9_]+ $3" "$work/bytes")"
	check "$1: all of them are looked at" [ "$(wc -l <"$work/bytes")" = "$(wc -l <"$work/exported")" ]
}

forms=$build/tests/double/forms
push='(4[01])?5[0-7]'
# cmpl $0x321cba00, flag(%rip); je +12; jmp *pointer(%rip); and at the je's target mov $4, %eax; ret
driver_entry='813d[0-9a-f]{8}00ba1c32740cff25[0-9a-f]{8}[0-9a-f]{12}b804000000c3'
stepped_entry='488b05[0-9a-f]{8}ffe0'
built_forms=
for form in driver endbr stepped; do
	if [ ! -e "$forms/$form/libcudart.so.13" ]; then
		skip "the form $form: not built"
		continue
	fi
	built_forms="$built_forms $form"
	case $form in
	driver) runtime_entry=$push driver_form=$driver_entry ;;
	endbr) runtime_entry=f30f1efa$push driver_form=f30f1efa$push ;;
	stepped) runtime_entry=$stepped_entry driver_form=$stepped_entry ;;
	esac
	has_form "$form: the runtime's functions begin as they should" "$forms/$form/libcudart.so.13" "$runtime_entry"
	has_form "$form: the driver's functions begin as they should" "$forms/$form/libcuda.so.1" "$driver_form"
	check_libraries "$forms/$form" "$form: "
	for soname in libcudart.so.13 libcuda.so.1; do
		empty "$form: $soname: no function jumps to another" "$(tail_jumps "$forms/$form/$soname")"
		nm -D --defined-only "$lib/$soname" | sed 's/.* //' | sort >"$work/plain"
		nm -D --defined-only "$forms/$form/$soname" | sed 's/.* //' | sort >"$work/form"
		empty "$form: $soname exports the same names" "$(diff "$work/plain" "$work/form")"
		empty "$form: $soname: functions are aligned to 16 bytes" "$(nm -D --defined-only "$forms/$form/$soname" |
			awk '$2 == "T" && $1 !~ /0$/')"
	done
done

# The libraries of older versions of CUDA: their names and versions, a program that is linked to them, what doctor says.
cat >"$work/older.c" <<END
#include <stdio.h>
#include <string.h>
int cudaRuntimeGetVersion(int *), cudaDriverGetVersion(int *), cudaMalloc(void **, size_t), cudaFree(void *), PROPERTIES(void *, int);
int cudaMemset(void *, int, size_t), cudaThreadSynchronize(void), cudaPointerGetAttributes(void *, const void *);
int main(void)
{
	/* name, UUID, LUID, mask, eight sizes: CUDA Runtime API of that version, struct cudaDeviceProp */
	union { char name[256]; int words[512]; } prop;
	/* the same, struct cudaPointerAttributes: type, device, two addresses; what follows is not the library's */
	struct { int type, device; void *here, *on_host; long after; } pointer = { .after = 5 };
	int runtime = 0, driver = 0, processors, threads;
	void *at = NULL;

	if (cudaMalloc(&at, 4096) || cudaMemset(at, 0, 4096) || cudaThreadSynchronize() ||
	    cudaPointerGetAttributes(&pointer, at) || pointer.type != 2 || pointer.here != at || pointer.after != 5 || cudaFree(at) ||
	    cudaRuntimeGetVersion(&runtime) || cudaDriverGetVersion(&driver) || PROPERTIES(&prop, 0))
		return 1;
	memcpy(&processors, prop.name + 388, sizeof(processors));
	memcpy(&threads, prop.name + 624, sizeof(threads));
	printf("%d %d %d %d\\n", runtime, driver, processors, threads);
	return 0;
}
END
# check_older FOLDER SONAME VERSION NUMBER PROPERTIES
check_older()
{
	at=$build/tests/double/$1
	if [ ! -e "$at/$2" ]; then
		skip "$2: not built"
		return
	fi
	check "$2: SONAME" sh -c "readelf -d '$at/$2' | grep -q 'SONAME.*\\[$2\\]'"
	empty "$2: no other names or versions" "$(nm -D --defined-only "$at/$2" | awk '$2 == "T" { print $3 }' | grep -Ev "^(__)?cuda[A-Z].*@@$2\$")"
	empty "$2: every interface function begins with a push" "$(no_push "$at/$2")"
	empty "$1/libcuda.so.1: no function of CUDA 13 under an older name" "$(nm -D --defined-only "$at/libcuda.so.1" | grep -E ' cuCtx(GetDevice|Synchronize)_v2$')"
	if "${CC:-cc}" -o "$work/older" -DPROPERTIES="$5" "$work/older.c" "$at/$2" -Wl,-rpath-link,"$at" 2>"$work/log"; then
		check "$2: a program asks for its version" sh -c "readelf -V '$work/older' | grep -q 'Name: $2'"
		said=$(LD_LIBRARY_PATH=$at "$work/older" 2>&1)
		check "$2: a program that is linked to it runs: $said" [ "$said" = "$4 $4 64 2048" ]
	else
		not_ok "$2: a program links to it: $(tail -n 3 "$work/log")"
	fi
	if [ -x "$build/src/cutop" ]; then
		check "$2: doctor tells its version" sh -c "'$build/src/cutop' doctor -p $$ --library '$at/$2' | grep -q 'CUDA runtime $3, .*, 0 processes'"
	else
		skip "$2: what doctor says: there is no cutop"
	fi
}
check_older lib11 libcudart.so.11.0 11.8 11080 cudaGetDeviceProperties
check_older lib12 libcudart.so.12 12.6 12060 cudaGetDeviceProperties_v2
for name in cuGLInit cuGLCtxCreate_v2 cuGraphicsGLRegisterBuffer cuVDPAUGetDevice cuGraphicsVDPAURegisterVideoSurface; do
	check "libcuda.so.1 has $name" sh -c "nm -D --defined-only '$lib/libcuda.so.1' | grep -q ' T $name$'"
done

# By cuGetProcAddress() a program gets the form of the version that it asks for.
cat >"$work/entry.c" <<END
#include <dlfcn.h>
#include <stddef.h>
int cuGetProcAddress_v2(const char *, void **, int, unsigned long, int *);
int main(void)
{
	static const char *const names[][2] = { { "cuCtxGetDevice", "cuCtxGetDevice_v2" }, { "cuCtxSynchronize", "cuCtxSynchronize_v2" } };

	for (int i = 0; i < 2; i++) {
		void *older = NULL, *newer = NULL;

		if (cuGetProcAddress_v2(names[i][0], &older, 12020, 1, NULL) || cuGetProcAddress_v2(names[i][0], &newer, 13000, 1, NULL) ||
		    older != dlsym(RTLD_DEFAULT, names[i][0]) || newer != dlsym(RTLD_DEFAULT, names[i][1]))
			return 1;
	}
	return 0;
}
END
check "cuGetProcAddress() gives the form of a version: it compiles" "${CC:-cc}" -D_GNU_SOURCE -o "$work/entry" "$work/entry.c" "$lib/libcuda.so.1"
check "cuGetProcAddress() gives the form of a version" "$work/entry"

# What odd_entries.S says of its functions must be of functions that are there.
if [ -e "$forms/odd/libodd.so" ]; then
	sed -n 's/^# expect \([A-Za-z0-9_]*\) .*/\1/p' "$srcdir/tests/double/odd_entries.S" | sort >"$work/expected"
	nm -D --defined-only "$forms/odd/libodd.so" | sed 's/.* //' | grep '^cu' | sort >"$work/odd"
	empty "libodd.so: every function has a line that says where its probe goes" "$(diff "$work/expected" "$work/odd")"
else
	skip "libodd.so: not built"
fi

# NVIDIA's libraries, where they are, say what the interface is.
for pair in libcudart.so.13:/usr/local/cuda/lib64/libcudart.so.13 \
	libcuda.so.1:/usr/local/cuda/lib64/stubs/libcuda.so; do
	ours=$lib/${pair%%:*}
	theirs=${pair#*:}
	if [ -e "$theirs" ]; then
		names='$2 ~ /[TWi]/ && $3 ~ /^(__cuda|cuda|cu)[A-Z]/ { sub(/@.*/, "", $3); print $3 }'
		nm -D --defined-only "$theirs" | awk "$names" | sort -u >"$work/theirs"
		# The toolkit's stub of the driver lacks what is for OpenGL, EGL and VDPAU; and the double has what came with
		# CUDA 13.1 to 13.3, as the call table says.
		sh "$srcdir/tests/checks/table.sh" | sed -n 's/^\([^;]*\);.*CALL_SINCE(13, [1-9]).*/\1/p' >"$work/later"
		nm -D --defined-only "$ours" | awk "$names" | grep -Ev '^cu(Graphics)?(GL|VDPAU|EGL)|^cu[A-Z].*(EGLSync|EglFrame)$' |
			grep -vxF -f "$work/later" | sort -u >"$work/ours"
		empty "${pair%%:*} exports the names that NVIDIA's does" \
			"$(diff "$work/theirs" "$work/ours")"
	else
		skip "${pair%%:*} against NVIDIA's names: no $theirs"
	fi
done

#
# The programs
#

# check_programs PREFIX MORE...: what the workloads do, on the libraries that LD_LIBRARY_PATH names
check_programs()
{
	prefix=$1
	shift
	for w in workload workload-static; do
		for args in case-study 'case-study leak' 'pairs 1000 256' 'pairs 10 2000000' \
			'-l handle launches 1000' '-l direct launches 1000' \
			'-l exc launches 1000' 'launches 100 4' copies 'threads 4 500' \
			kinds '-k kinds' failures double-free unknown-free reset fork exec \
			'exec -l direct launches 3' arrays ipc 'graphs memory 5' short 'hang 50' 'sync 10 100' nested \
			'driver-launch 5' "$@"; do
			# shellcheck disable=SC2086
			check "$prefix$w $args" timeout 60 "$bin/$w" $args
		done
	done
	check "${prefix}copies between two devices" env CUDA_DOUBLE_DEVICES=2 "$bin/workload" copies
}

check_programs "" 'loop 1' 'trainer 1' 'leaker 1' 'copier 1' 'failing 1' 'stress-launch 1 2'
# Here without those that run for as long as they are told: they make no further calls.
for form in $built_forms; do
	LD_LIBRARY_PATH=$forms/$form
	for soname in libcudart.so.13 libcuda.so.1; do
		check "$form: the workload loads $soname of this form" sh -c \
			"ldd '$bin/workload' | grep -qF '=> $forms/$form/$soname ('"
	done
	check_programs "$form: "
done
LD_LIBRARY_PATH=$lib

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
