#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries that stand in front of the driver, or of the runtime, and call the real ones
# (tests/e2e/shim.c): each call counts once, as the program made it. The figures with such a library
# are compared with those without.
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

# All that a shim may stand before, known ahead: that is another test's affair. In the driver's layer the runtime is not.
driver="--library $double/libcuda.so.1"
runtime="--library $double/libcudart.so.13"
shims="--library $shim --library $T/libshim-first.so --library $T/libshim-second.so --library $T/libshim-third.so"

# same NAME PRELOAD HOW -- COMMAND...: for the next of sames: the same books with and without the shims
same() {
	printf '%s\n' "$*" >>"$T/same"
}

# sames [cutop options]: one cutop runs all that have shims, and another, which knows of none, all that have not
sames() {
	case $* in
	*driver*) with="$driver $shims" without=$driver ;;
	*) with="$driver $shims $runtime --library $interposer" without="$driver $runtime" ;;
	esac
	mv "$T/same" "$T/sames"
	while read -r case preload how _ command; do
		# shellcheck disable=SC2086
		queue "shim-$case" env LD_PRELOAD="$preload" SHIM="$how" SHIM_SEEN="$T/seen-$case" $command
	done <"$T/sames"
	# shellcheck disable=SC2086
	watch_queue shims $with "$@"
	expect_nothing_lost shims
	while read -r case preload how _ command; do
		# shellcheck disable=SC2086
		queue "plain-$case" $command
	done <"$T/sames"
	# shellcheck disable=SC2086
	watch_queue plains $without "$@"
	while read -r case preload how _; do
		jq -S "$books" "$T/plain-$case.json" >"$T/plain.books"
		jq -S "$books" "$T/shim-$case.json" >"$T/shim.books"
		check "$case: it was seen" [ "$(jq length "$T/plain.books")" -gt 0 ]
		check "$case: it was loaded" test -e "$T/seen-$case"
		check "$case ($preload, $how $*): $(diff "$T/plain.books" "$T/shim.books" | head -n 20)" cmp -s "$T/plain.books" "$T/shim.books"
		expect "shim-$case" '[.processes[].inexact] | any' false
	done <"$T/sames"
}

two=$T/libshim-first.so:$T/libshim-second.so
three=$two:$T/libshim-third.so

# ---- before the driver: runtime's launches and the program's own, 1,500 in all; and before the runtime
for how in call jump other; do
	same "$how-mix" "$shim" $how -- "$mixed" mix 500
	same "$how-driver" "$shim" $how -- "$workload" driver-launch 1000
	same "runtime-$how" "$interposer" $how -- "$workload" launches 2000
	same "runtime-books-$how" "$interposer" $how -- "$workload" case-study
done
# ---- memory, copies, waits, threads
same books "$shim" call -- "$workload" case-study
same leaks "$shim" call -- "$workload" case-study leak
same managed "$shim" other -- "$workload" pairs 50 4096
same copies "$shim" call -- "$workload" copies
same threads "$shim" call -- "$workload" launches 3000 4
same reset "$shim" call -- "$workload" reset
# ---- several, one before the other
for how in call jump; do
	same "two-$how" "$two" $how -- "$mixed" mix 300
	same "three-$how" "$three" $how -- "$mixed" mix 300
done
same both "$interposer:$shim" call -- "$mixed" mix 500
# ---- one that refuses the 101st launch, at which the program ends: it failed, and counts
queue refuse env LD_PRELOAD="$shim" SHIM=refuse "$workload" -k driver-launch 300
sames
expect shim-call-mix '[p.kernels[].launches] | add' 1500
expect refuse '[p.kernels[].launches] | add' 101
expect refuse 'failure("cuLaunchKernel"; "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")' 1

# ---- the same with every launch followed, without returns, in the driver's layer
for how in call jump other; do
	same "$how-exact" "$shim" $how -- "$mixed" mix 500
done
queue refuse-exact env LD_PRELOAD="$shim" SHIM=refuse "$workload" -k driver-launch 300
sames --exact-launches
expect refuse-exact 'failure("cuLaunchKernel"; "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")' 1
expect refuse-exact '[p.kernels[].launches] | add' 101

for how in call jump other; do
	same "$how-never" "$shim" $how -- "$mixed" mix 500
	same "runtime-never-$how" "$interposer" $how -- "$workload" launches 500
done
for how in call jump; do
	same "two-never-$how" "$two" $how -- "$mixed" mix 300
done
sames --returns=never

for how in call jump other; do
	same "$how-only" "$shim" $how -- "$mixed" mix 500
done
sames -l driver

# Another tool's return probes put the kernel's trampoline where a jump leaves the return address: those of sessions at calls that
# nothing encloses, others at all.
for links in session multi; do
	CUTOP_ATTACH=$links
	export CUTOP_ATTACH
	[ "$(attach_method)" = $links ] || { unset CUTOP_ATTACH; continue; }
	begin others-$links --library "$shim" --library "$T/libshim-first.so" --library "$T/libshim-second.so" --library "$interposer" \
		$driver $runtime
	unset CUTOP_ATTACH
	same $links-never-jump "$shim" jump -- "$mixed" mix 300
	same $links-two-never-jump "$two" jump -- "$mixed" mix 300
	same $links-runtime-never-jump "$interposer" jump -- "$workload" launches 500
	sames --returns=never
	end
done

# ---- in the program itself: no code could be nearer to what calls it
watch near-plain -- "$mixed" mix 500
for options in '' --exact-launches --returns=never '-l driver'; do
	# shellcheck disable=SC2086
	case $options in
	*driver*) known=$driver ;;
	*) known="$driver $runtime" ;;
	esac
	# shellcheck disable=SC2086
	watch near $known $options -- "$helpers/mixed_calls_shim" mix 500
	expect near '[p.kernels[] | [.name, .launches]] | sort' "$(jq -c '[.processes[0].kernels[] | [.name, .launches]] | sort' "$T/near-plain.json")"
done

# ---- a line per call in a trace
for options in '' -E --pairs; do
	for how in call jump other; do
		queue plain-$how "$mixed" mix 100
	done
	queue_end plain
	# shellcheck disable=SC2086
	"$CUTOP" trace $driver $runtime $options -f json -o "$T/plain.trace" -- sh "$T/plain.sh" 2>"$T/trace.err" || fail "trace: $(cat "$T/trace.err")"
	for how in call jump other; do
		queue shim-$how env LD_PRELOAD="$shim" SHIM=$how "$mixed" mix 100
	done
	queue_end shim
	# shellcheck disable=SC2086
	"$CUTOP" trace $driver $runtime --library "$shim" $options -f json -o "$T/shim.trace" -- sh "$T/shim.sh" 2>"$T/trace.err" ||
		fail "trace: $(cat "$T/trace.err")"
	for how in call jump other; do
		for one in plain shim; do
			queued_status $one-$how 0
			jq -r --argjson pid "$(cat "$T/$one-$how.pid")" 'select(.call and .pid == $pid) | .call' "$T/$one.trace" | sort | uniq -c >"$T/$one.lines"
		done
		check "trace $options, $how: it has lines" [ -s "$T/plain.lines" ]
		check "trace $options, $how: $(diff "$T/plain.lines" "$T/shim.lines")" cmp -s "$T/plain.lines" "$T/shim.lines"
	done
done

finish
