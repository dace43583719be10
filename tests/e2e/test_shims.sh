#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries that stand before the driver, or before the runtime, and call the real ones (tests/e2e/shim.c): each call counts
# once, as the program made it. What is counted with such a library is held against what is counted without.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

helpers=$top_builddir/tests/e2e/bin
mixed=$helpers/mixed_calls
shim=$helpers/libshim.so
interposer=$helpers/libinterposer.so
[ -x "$shim" ] || skip "the library is not built"
cp "$shim" "$T/libshim-first.so"
cp "$shim" "$T/libshim-second.so"
cp "$shim" "$T/libshim-third.so"

# What a program did, without times and addresses. A shim's own name for what it allocates is not the program's.
books='[.processes[] |
	{ kernels: ([.kernels[] | [.name, .launches, .graph_launches]] | sort),
	  calls: ([.calls[] | [.call, .calls, .failures]] | sort),
	  memory: (.memory | [.allocations, .frees, .leaked_bytes, .peak_bytes, .failed_allocations, .failed_frees, .unknown_frees, .double_frees]),
	  copies: ([.copies[] | [.direction, .mode, .calls, .bytes]] | sort),
	  failures: ([.failures[] | [.call, .error, .count]] | sort), inexact }]'

# Known ahead: that is another test's affair.
known="--library $double/libcuda.so.1"

# same NAME PRELOAD HOW [cutop options] -- COMMAND...: the same books with and without the shims
same() {
	case=$1
	preload=$2
	how=$3
	shift 3
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	watch plain-$case $options -- "$@"
	# shellcheck disable=SC2086
	case $options in
	*driver*) runtime= ;;
	*) runtime="--library $double/libcudart.so.13" ;;
	esac
	# shellcheck disable=SC2086
	watch "shim-$case" $known $runtime --library $(echo "$preload" | sed 's/:/ --library /g') $options -- env LD_PRELOAD="$preload" SHIM="$how" SHIM_SEEN="$T/seen-$case" "$@"
	jq -S "$books" "$T/plain-$case.json" >"$T/plain.books"
	jq -S "$books" "$T/shim-$case.json" >"$T/shim.books"
	check "$case: it was loaded" test -e "$T/seen-$case"
	check "$case ($preload, $how$options): $(diff "$T/plain.books" "$T/shim.books" | head -n 20)" cmp -s "$T/plain.books" "$T/shim.books"
	expect_nothing_lost "shim-$case"
}

# ---- before the driver: runtime's launches and the program's own, 1,500 in all
for how in call jump other; do
	same "$how-mix" "$shim" $how -- "$mixed" mix 500
	same "$how-exact" "$shim" $how --exact-launches -- "$mixed" mix 500
	same "$how-driver" "$shim" $how -- "$workload" driver-launch 1000
	same "$how-only" "$shim" $how -l driver -- "$mixed" mix 500
	same "$how-never" "$shim" $how --returns=never -- "$mixed" mix 500
done
expect shim-call-mix '[p.kernels[].launches] | add' 1500

# ---- memory, copies, waits, threads
same books "$shim" call -- "$workload" case-study
same leaks "$shim" call -- "$workload" case-study leak
same managed "$shim" other -- "$workload" pairs 50 4096
same copies "$shim" call -- "$workload" copies
same threads "$shim" call -- "$workload" launches 3000 4
same reset "$shim" call -- "$workload" reset

# ---- one that refuses the 101st launch, at which the program ends: it failed, and counts
# shellcheck disable=SC2086
watch refuse $known --library "$shim" -- env LD_PRELOAD="$shim" SHIM=refuse "$workload" -k driver-launch 300
expect refuse '[p.kernels[].launches] | add' 101
expect refuse 'failure("cuLaunchKernel"; "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")' 1
# shellcheck disable=SC2086
watch refuse-exact $known --library "$shim" --exact-launches -- env LD_PRELOAD="$shim" SHIM=refuse "$workload" -k driver-launch 300
expect refuse-exact 'failure("cuLaunchKernel"; "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")' 1
expect refuse-exact '[p.kernels[].launches] | add' 101

# ---- several, one before the other
for how in call jump; do
	same "two-$how" "$T/libshim-first.so:$T/libshim-second.so" $how -- "$mixed" mix 300
	same "three-$how" "$T/libshim-first.so:$T/libshim-second.so:$T/libshim-third.so" $how -- "$mixed" mix 300
	same "two-never-$how" "$T/libshim-first.so:$T/libshim-second.so" $how --returns=never -- "$mixed" mix 300
done

# Another tool's return probes put the kernel's trampoline where a jump leaves the return address: those of sessions at calls that
# nothing encloses, others at all.
for links in session multi; do
	CUTOP_ATTACH=$links
	export CUTOP_ATTACH
	[ "$(attach_method)" = $links ] || { unset CUTOP_ATTACH; continue; }
	begin others-$links --library "$shim" --library "$T/libshim-first.so" --library "$T/libshim-second.so" --library "$interposer" \
		$known --library "$double/libcudart.so.13"
	unset CUTOP_ATTACH
	same $links-never-jump "$shim" jump --returns=never -- "$mixed" mix 300
	same $links-two-never-jump "$T/libshim-first.so:$T/libshim-second.so" jump --returns=never -- "$mixed" mix 300
	same $links-runtime-never-jump "$interposer" jump --returns=never -- "$workload" launches 500
	end
done

# ---- in the program itself: no code could be nearer to what calls it
watch near-plain -- "$mixed" mix 500
for options in '' --exact-launches --returns=never '-l driver'; do
	# shellcheck disable=SC2086
	case $options in
	*driver*) runtime= ;;
	*) runtime="--library $double/libcudart.so.13" ;;
	esac
	# shellcheck disable=SC2086
	watch near $known $runtime $options -- "$helpers/mixed_calls_shim" mix 500
	expect near '[p.kernels[] | [.name, .launches]] | sort' "$(jq -c '[.processes[0].kernels[] | [.name, .launches]] | sort' "$T/near-plain.json")"
done

# ---- before the runtime
for how in call jump other; do
	same "runtime-$how" "$interposer" $how -- "$workload" launches 2000
	same "runtime-books-$how" "$interposer" $how -- "$workload" case-study
	same "runtime-never-$how" "$interposer" $how --returns=never -- "$workload" launches 500
done
same both "$interposer:$shim" call -- "$mixed" mix 500

# ---- a line per call in a trace
for options in '' -E --pairs; do
	for how in call jump other; do
		# shellcheck disable=SC2086
		"$CUTOP" trace $options -f json -o "$T/plain.trace" -- "$mixed" mix 100 2>"$T/trace.err" || fail "trace: $(cat "$T/trace.err")"
		# shellcheck disable=SC2086
		"$CUTOP" trace $known --library "$double/libcudart.so.13" --library "$shim" $options -f json -o "$T/shim.trace" -- env LD_PRELOAD="$shim" SHIM=$how "$mixed" mix 100 2>"$T/trace.err" ||
			fail "trace: $(cat "$T/trace.err")"
		for one in plain shim; do
			jq -r 'select(.call) | .call' "$T/$one.trace" | sort | uniq -c >"$T/$one.lines"
		done
		check "trace $options, $how: $(diff "$T/plain.lines" "$T/shim.lines")" cmp -s "$T/plain.lines" "$T/shim.lines"
	done
done

finish
