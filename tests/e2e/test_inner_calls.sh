#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The driver's calls that the runtime makes inside functions of its own that are not probed: they are no calls of the
# program's, but teach what they teach. What the program calls by the driver itself is shown beside them.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

e2e_bin=$top_builddir/tests/e2e/bin
calls='[p.calls[] | [.call, .calls, .failures]] | sort'
launches='[p.kernels[] | [.name, .launches, .grid[0]]] | sort'
books='p.memory | [.allocations, .frees, .peak_bytes, .leaked_bytes]'
worked='["cudaDeviceSynchronize",1,0],["cudaFree",1,0],["cudaLaunchKernel",20,0],["cudaMalloc",1,0]'

# All of them, known ahead: one cutop sees many programs.
known="--library $double/libcudart.so.13 --library $double/libcuda.so.1 --library $e2e_bin/inner_calls-static"

# trace_queue NAME [options]: what each of the queued programs calls by the driver is in $T/ITS-NAME.driver; all else, in $T/ITS-NAME.calls
trace_queue() {
	whole=$1
	shift
	queue_end "$whole"
	"$CUTOP" trace -f json -o "$T/$whole.trace" "$@" -- sh "$T/$whole.sh" 2>"$T/$whole.err" || fail "trace $whole: $(cat "$T/$whole.err")"
	for name in $programs; do
		jq -r --argjson pid "$(cat "$T/$name.pid")" 'select(.call and .pid == $pid) | .call' "$T/$whole.trace" >"$T/$name.lines"
		grep '^cu[A-Z]' "$T/$name.lines" | sort | uniq -c | awk '{ print $2, $1 }' >"$T/$name.driver"
		grep -v '^cu[A-Z]' "$T/$name.lines" | uniq -c | awk '{ print $2, $1 }' >"$T/$name.calls"
	done
}

# ---- the runtime as a library, and linked into the program

for method in session multi; do
	export CUTOP_ATTACH="$method"
	[ -n "$(attach_method)" ] || { echo "not tried with CUTOP_ATTACH=$method: not in this kernel"; continue; }
	for program in inner_calls inner_calls-static; do
		for first in query module load thread; do
			[ $first = thread ] && then=load || then=
			# shellcheck disable=SC2086
			queue $program-$first "$e2e_bin/$program" $first $then work
		done
	done
	watch_queue inner $known
	expect inner '.processes | length' 8
	expect inner '.totals.failures' 0
	expect_nothing_lost inner
	for program in inner_calls inner_calls-static; do
		for first in query module load thread; do
			name=$program-$first
			queued_status $name 0
			expect $name "$calls" "[$worked]"
			# The kernel's handle was looked up inside such a function: each launch is one all the same, and has its name.
			expect $name "$launches" '[["odd",20,20]]'
			expect $name "$books" '[1,1,1000,0]'
			expect $name '.processes[].failures' '[]'
			expect $name 'p.devices' '[0]'
		done
	done
done
unset CUTOP_ATTACH

for more in "" --exact-launches --returns=never; do
	# What the program calls itself is its own, before and after the runtime's calls of the same functions.
	for program in inner_calls inner_calls-static; do
		queue own-$program "$e2e_bin/$program" init load init work lookup query init
	done
	# Of a failure nothing else tells: once.
	if [ -z "$more" ]; then
		for program in inner_calls inner_calls-static; do
			queue failing-$program env CUDA_DOUBLE_FAIL=cuInit:1:100 "$e2e_bin/$program" query query work
		done
	fi
	# shellcheck disable=SC2086
	watch_queue own $known $more
	expect_nothing_lost own
	for program in inner_calls inner_calls-static; do
		expect own-$program '[p.calls[] | [.call, .calls]] | sort' \
			'[["cuDeviceGetCount",3],["cuInit",3],["cuLaunchKernel",5],["cuModuleGetFunction",1],["cuModuleLoadData",1],["cudaDeviceSynchronize",1],["cudaFree",1],["cudaLaunchKernel",20],["cudaMalloc",1]]'
		expect own-$program '[p.kernels[] | [.name, .launches]] | sort' '[["cube",5],["odd",20]]'
		if [ -z "$more" ]; then
			expect failing-$program '[p.failures[] | [.call, .error, .count]]' '[["cuInit","CUDA_ERROR_NO_DEVICE",1]]'
			expect failing-$program "$calls" "[[\"cuInit\",1,1],$worked]"
		fi
	done
done

# --calls leaves out other functions: cudaFuncGetAttributes has none of these groups, cuLibraryLoadData has one.
queue groups-shared "$e2e_bin/inner_calls" load
queue groups-static "$e2e_bin/inner_calls-static" load
watch_queue groups $known --calls modules
expect groups-shared 'p.calls' '[]'
expect groups-static 'p.calls' '[]'
# The driver's layer shows all that reaches it.
queue driver-shared "$e2e_bin/inner_calls" init load work
queue driver-static "$e2e_bin/inner_calls-static" init load work
watch_queue driver --library "$double/libcuda.so.1" -l driver
for name in driver-shared driver-static; do
	expect $name '[call("cuInit"), call("cuCtxSetCurrent"), call("cuLibraryGetKernel"), call("cuMemAlloc_v2") | .calls]' '[2,1,1,1]'
	expect $name "$launches" '[["odd",20,20]]'
done

for more in "" -E --pairs; do
	for program in inner_calls inner_calls-static; do
		if [ -z "$more" ]; then
			queue twice-$program env CUDA_DOUBLE_FAIL=cuInit:1:100 "$e2e_bin/$program" query query work
		fi
		queue traced-$program "$e2e_bin/$program" module load work
	done
	# shellcheck disable=SC2086
	trace_queue traced $known $more
	# ---- in a trace, too, where __cudaInitModule is the only one of these that has no probe
	for program in inner_calls inner_calls-static; do
		queued_status traced-$program 0
		check "$program: trace $more shows $(tr '\n' ' ' <"$T/traced-$program.driver")" [ ! -s "$T/traced-$program.driver" ]
		check "$program: trace $more has $(tr '\n' ' ' <"$T/traced-$program.calls")" grep -q '^cudaFuncGetAttributes ' "$T/traced-$program.calls"
		if [ -z "$more" ]; then
			check "$program: its work is traced" grep -q '^cudaLaunchKernel 20' "$T/twice-$program.calls"
			check "$program: a failure is traced twice" [ ! -s "$T/twice-$program.driver" ]
		fi
		queue modules-$program "$e2e_bin/$program" init load work lookup
	done
	# shellcheck disable=SC2086
	trace_queue modules $known $more --calls modules,devices,kernels
	case $more in --pairs) twice=2 ;; *) twice=1 ;; esac
	for program in inner_calls inner_calls-static; do
		queued_status modules-$program 0
		check "$program: trace $more of modules shows $(tr '\n' ' ' <"$T/modules-$program.driver")" \
			[ "$(awk -v n=$twice '{ print $1, $2 / n }' "$T/modules-$program.driver" | tr '\n' ' ')" = \
				"cuDeviceGetCount 1 cuInit 1 cuLaunchKernel 5 cuModuleLoadData 1 " ]
	done
done
for program in inner_calls inner_calls-static; do
	queue failing-$program env CUDA_DOUBLE_FAIL=cuInit:1:100 "$e2e_bin/$program" query query work
done
# shellcheck disable=SC2086
trace_queue failing $known --calls devices,memory
for program in inner_calls inner_calls-static; do
	check "$program: a failure is traced" [ "$(cat "$T/failing-$program.driver")" = "cuInit 1" ]
done

# ---- where the runtime's functions cannot be found, the driver is all there is

if command -v strip >/dev/null; then
	strip -o "$T/stripped" "$e2e_bin/inner_calls-static"
	before=${LD_LIBRARY_PATH-}
	export LD_LIBRARY_PATH="$double"
	watch stripped -- "$T/stripped" load work
	# What follows runs on the same libraries, also on another form of the double.
	[ -n "$before" ] || unset LD_LIBRARY_PATH
	expect stripped "$launches" '[["odd",20,20]]'
	expect stripped "$books" '[1,1,1000,0]'
	expect_nothing_lost stripped
else
	echo "not tried: stripped programs (no strip)"
fi
watch private -- "$e2e_bin/mixed_calls" private 1 "$e2e_bin/libprivate.so"
expect private '[call("cuInit"), call("cuLibraryGetKernel") | [.calls, .layer]]' '[[1,"driver"],[1,"driver"]]'

# ---- programs that nvcc built: it has __cudaInitModule called before main, which finds their managed variables

libraries="--library $double/libcudart.so.13 --library $double/libcuda.so.1"
built=
for program in vector_add managed streams; do
	[ -x "$bin/$program" ] || { echo "not tried: $program, which nvcc builds"; continue; }
	built="$built $program"
	[ -x "$bin/$program-static" ] || continue
	built="$built $program-static"
	libraries="$libraries --library $bin/$program-static"
done
if [ -n "$built" ]; then
	for name in $built; do
		queue $name "$bin/$name"
	done
	# shellcheck disable=SC2086
	watch_queue built $libraries
	expect_nothing_lost built
	for name in $built; do
		queued_status $name 0
		expect $name '[p.calls[].layer] | unique' '["runtime"]'
		queue $name "$bin/$name"
	done
	# shellcheck disable=SC2086
	trace_queue built $libraries
	for name in $built; do
		check "$name: trace has $(tr '\n' ' ' <"$T/$name.calls")" [ -s "$T/$name.calls" ]
		check "$name: trace shows $(tr '\n' ' ' <"$T/$name.driver")" [ ! -s "$T/$name.driver" ]
	done
fi

finish
