#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The three ways to place probes - session links, multi links, one perf link per
# function - give the same books. What becomes of the third's helper process is
# test_fallback.sh's business.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

odd_calls=$top_builddir/tests/e2e/bin/odd_calls

memory='p.memory | [.allocations, .frees, .live_bytes, .peak_bytes, .leaked_bytes]'
kernels='[p.kernels[] | [.signature, .launches, .failures]] | sort'
copies='[p.copies[] | [.direction, .mode, .calls, .failures, .bytes]] | sort'
calls='[p.calls[] | [.call, .calls, .failures]] | sort'

# Six programs under one cutop: perf links are dear to place and dearer to take away.
# shellcheck disable=SC2016
programs='"$1" case-study leak; "$1" pairs 2000 256; "$1" copies; "$1" threads 8 500
	CUDA_DOUBLE_FAIL=cudaLaunchKernel:68:9 "$2" launches 1000 0
	"$1" graphs fork 100'

# Other libraries than the double's would only cost time: /usr/local is out of sight, where that can be had.
printf '%s\n' '#!/bin/sh' 'mount -t tmpfs none /usr/local' "exec $CUTOP \"\$@\"" >"$T/cutop-alone"
printf '%s\n' '#!/bin/sh' "exec unshare -m $T/cutop-alone \"\$@\"" >"$T/cutop"
chmod +x "$T/cutop" "$T/cutop-alone"
case $CUTOP$double in
*/usr/local/*) ;;
*) unshare -m true 2>/dev/null && CUTOP=$T/cutop ;;
esac

for method in session multi perf; do
	export CUTOP_ATTACH="$method"
	if [ $method != perf ] && [ -z "$(attach_method)" ]; then
		echo "not tried: CUTOP_ATTACH=$method, which this kernel has not"
		continue
	fi
	watch $method --library "$double/libcudart.so.13" -- sh -c "$programs" sh "$workload" "$odd_calls"
	split $method study-$method pairs-$method copies-$method threads-$method launches-$method graphs-$method
	expect $method '.processes | length' 6
	expect_nothing_lost $method

	expect study-$method "$memory" '[3,2,0,24000000,8000000]'
	expect study-$method "$kernels" \
		'[["saxpy(float, float const*, float*, int)",1000,0],["vectorAdd(float const*, float const*, float*, int)",1000,0]]'
	expect study-$method "$copies" '[["H2D","sync",2,0,16000000]]'
	expect study-$method "$calls" '[["cudaDeviceSynchronize",1,0],["cudaFree",2,0],["cudaLaunchKernel",2000,0],["cudaMalloc",3,0],["cudaMemcpy",2,0]]'
	expect study-$method '[p.sites[] | [.allocations, .leaked_bytes]] | sort' '[[1,0],[1,0],[1,8000000]]'

	expect pairs-$method "$memory" '[2000,2000,0,256,0]'
	expect pairs-$method "$calls" '[["cudaFree",2000,0],["cudaMalloc",2000,0]]'

	expect copies-$method "$memory" '[5,5,0,212992,0]'
	# Of one device: a copy by cudaMemcpyPeer that stays within it is D2D (cupti_activity.h, CUDA 13.0).
	expect copies-$method "$copies" '[["D2D","async",3,0,4856],["D2D","sync",2,0,2524],["D2H","async",3,0,5256],["D2H","sync",5,0,19160],["H2D","async",2,0,8292],["H2D","sync",7,0,22192],["H2H","sync",1,0,512],["unknown","async",1,1,0],["unknown","sync",2,2,0]]'
	expect copies-$method '[p.failures[] | [.call, .code, .count]] | sort' '[["cudaMemcpy",21,1],["cudaMemcpy2D",21,1],["cudaMemcpyAsync",21,1]]'

	expect threads-$method 'p.memory | [.allocations, .frees, .failed_allocations, .live_bytes]' '[4000,4000,0,0]'
	expect threads-$method "$kernels" '[["void reduce<double>(double const*, double*, unsigned long)",4000,0]]'

	expect launches-$method "$kernels" '[["odd()",1000,1]]'
	expect launches-$method 'failure("cudaLaunchKernel"; "cudaErrorInvalidConfiguration")' 1
	if [ $method = session ]; then
		expect launches-$method 'kernel("odd") | .returns' '"sampled"'
	else
		expect launches-$method 'kernel("odd") | [.returns, .latency_samples]' '["all",1000]'
	fi
	expect graphs-$method '[p.kernels[] | [.name, .launches, .captured, .graph_launches]] | sort' \
		'[["reduce",1,1,100],["saxpy",1,1,100],["vectorAdd",1,1,100]]'
done
unset CUTOP_ATTACH

finish
