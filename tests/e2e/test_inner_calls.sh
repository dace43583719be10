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

# traced NAME [options] -- COMMAND...: what it calls by the driver, in $T/NAME.driver; all else in $T/NAME.calls
traced() {
	name=$1
	shift
	"$CUTOP" trace -f json -o "$T/$name.json" "$@" 2>"$T/$name.err" || fail "trace $name: $(cat "$T/$name.err")"
	jq -r 'select(.call) | .call' "$T/$name.json" | grep '^cu[A-Z]' | sort | uniq -c | awk '{ print $2, $1 }' >"$T/$name.driver"
	jq -r 'select(.call) | .call' "$T/$name.json" | grep -v '^cu[A-Z]' | uniq -c | awk '{ print $2, $1 }' >"$T/$name.calls"
}

# ---- the runtime as a library, and linked into the program

for method in session multi; do
	export CUTOP_ATTACH="$method"
	[ -n "$(attach_method)" ] || { echo "not tried with CUTOP_ATTACH=$method: not in this kernel"; continue; }
	for program in inner_calls inner_calls-static; do
		for first in query module load "thread load"; do
			# shellcheck disable=SC2086
			watch inner -- "$e2e_bin/$program" $first work
			expect inner "$calls" "[$worked]"
			# The kernel's handle was looked up inside such a function: each launch is one all the same, and has its name.
			expect inner "$launches" '[["odd",20,20]]'
			expect inner "$books" '[1,1,1000,0]'
			expect inner '.totals.failures' 0
			expect inner 'p.devices' '[0]'
			expect_nothing_lost inner
		done
	done
done
unset CUTOP_ATTACH

for program in inner_calls inner_calls-static; do
	for more in "" --exact-launches --returns=never; do
		# What the program calls itself is its own, before and after the runtime's calls of the same functions.
		# shellcheck disable=SC2086
		watch own $more -- "$e2e_bin/$program" init load init work lookup query init
		expect own '[p.calls[] | [.call, .calls]] | sort' \
			'[["cuDeviceGetCount",3],["cuInit",3],["cuLaunchKernel",5],["cuModuleGetFunction",1],["cuModuleLoadData",1],["cudaDeviceSynchronize",1],["cudaFree",1],["cudaLaunchKernel",20],["cudaMalloc",1]]'
		expect own '[p.kernels[] | [.name, .launches]] | sort' '[["cube",5],["odd",20]]'
		expect_nothing_lost own
	done
	# --calls leaves out other functions: cudaFuncGetAttributes has none of these groups, cuLibraryLoadData has one.
	watch groups --calls modules -- "$e2e_bin/$program" load
	expect groups 'p.calls' '[]'
	# The driver's layer shows all that reaches it.
	watch driver -l driver -- "$e2e_bin/$program" init load work
	expect driver '[call("cuInit"), call("cuCtxSetCurrent"), call("cuLibraryGetKernel"), call("cuMemAlloc_v2") | .calls]' '[2,1,1,1]'
	expect driver "$launches" '[["odd",20,20]]'

	# Of a failure nothing else tells: once.
	CUDA_DOUBLE_FAIL=cuInit:1:100 watch failing -- "$e2e_bin/$program" query query work
	expect failing '[p.failures[] | [.call, .error, .count]]' '[["cuInit","CUDA_ERROR_NO_DEVICE",1]]'
	expect failing "$calls" "[[\"cuInit\",1,1],$worked]"
	CUDA_DOUBLE_FAIL=cuInit:1:100 traced failing --calls devices,memory -- "$e2e_bin/$program" query query work
	check "$program: a failure is traced" [ "$(cat "$T/failing.driver")" = "cuInit 1" ]
	CUDA_DOUBLE_FAIL=cuInit:1:100 traced failing -- "$e2e_bin/$program" query query work
	check "$program: a failure is traced twice" [ ! -s "$T/failing.driver" ]

	# ---- in a trace, too, where __cudaInitModule is the only one of these that has no probe
	for more in "" -E --pairs; do
		# shellcheck disable=SC2086
		traced traced $more -- "$e2e_bin/$program" module load work
		check "$program: trace $more shows $(tr '\n' ' ' <"$T/traced.driver")" [ ! -s "$T/traced.driver" ]
		check "$program: trace $more has $(tr '\n' ' ' <"$T/traced.calls")" grep -q '^cudaFuncGetAttributes ' "$T/traced.calls"
		# shellcheck disable=SC2086
		traced traced $more --calls modules,devices,kernels -- "$e2e_bin/$program" init load work lookup
		case $more in --pairs) twice=2 ;; *) twice=1 ;; esac
		check "$program: trace $more of modules shows $(tr '\n' ' ' <"$T/traced.driver")" \
			[ "$(awk -v n=$twice '{ print $1, $2 / n }' "$T/traced.driver" | tr '\n' ' ')" = \
				"cuDeviceGetCount 1 cuInit 1 cuLaunchKernel 5 cuModuleLoadData 1 " ]
	done
done

# ---- where the runtime's functions cannot be found, the driver is all there is

if command -v strip >/dev/null; then
	strip -o "$T/stripped" "$e2e_bin/inner_calls-static"
	export LD_LIBRARY_PATH="$double"
	watch stripped -- "$T/stripped" load work
	unset LD_LIBRARY_PATH
	expect stripped "$launches" '[["odd",20,20]]'
	expect stripped "$books" '[1,1,1000,0]'
	expect_nothing_lost stripped
else
	echo "not tried: stripped programs (no strip)"
fi
watch private -- "$e2e_bin/mixed_calls" private 1 "$e2e_bin/libprivate.so"
expect private '[call("cuInit"), call("cuLibraryGetKernel") | [.calls, .layer]]' '[[1,"driver"],[1,"driver"]]'

# ---- programs that nvcc built: it has __cudaInitModule called before main, which finds their managed variables

for program in vector_add managed streams; do
	[ -x "$bin/$program" ] || { echo "not tried: $program, which nvcc builds"; continue; }
	for form in "" -static; do
		watch built -- "$bin/$program$form"
		expect built '[p.calls[].layer] | unique' '["runtime"]'
		expect_nothing_lost built
		traced built -- "$bin/$program$form"
		check "$program$form: trace shows $(tr '\n' ' ' <"$T/built.driver")" [ ! -s "$T/built.driver" ]
	done
done

finish
