#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The driver layer: a program that uses the driver API alone, libraries with a runtime of their own
# that cannot be seen, and programs that call both layers; each act is counted once, whichever
# layers are watched.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

e2e_bin=$top_builddir/tests/e2e/bin
driver_calls=$e2e_bin/driver_calls
mixed_calls=$e2e_bin/mixed_calls
kernels='[p.kernels[] | [.name, .launches, .failures]] | sort'
books='p.memory | [.allocations, .frees, .live_allocations, .leaked_bytes, .unknown_frees, .failed_allocations]'

# ---- a program without any runtime

for method in session multi; do
	export CUTOP_ATTACH="$method"
	[ -n "$(attach_method)" ] || { echo "not tried with CUTOP_ATTACH=$method: not in this kernel"; continue; }
	for layer in both driver; do
		CUDA_DOUBLE_DEVICES=2 watch basic -l "$layer" -- "$driver_calls" basic
		check "basic: status $status" [ "$status" = 0 ]
		pitch=$(sed -n 's/^pitch //p' "$T/basic.out")
		# Without the 2,000 managed bytes, which may lie on no device: CUDA C++ programming guide, unified memory
		vram=$((1000 + 10 * pitch + 500 + 600 + 16 * 8 * 2 * 4 + 4 * 4 * 4 * 2 + (256 + 64 + 16) * 4))
		expect basic "$books" '[11,11,0,0,0,1]'
		expect basic 'p.memory.peak_bytes' "$vram"
		expect basic '[p.calls[] | select(.call | test("Alloc|Create")) | [.call, .calls, .failures]] | sort' \
			'[["cuArray3DCreate_v2",1,0],["cuArrayCreate_v2",1,0],["cuMemAllocAsync",1,0],["cuMemAllocFromPoolAsync",1,0],["cuMemAllocHost_v2",1,0],["cuMemAllocManaged",1,0],["cuMemAllocPitch_v2",1,0],["cuMemAlloc_v2",2,1],["cuMemHostAlloc",1,0],["cuMemPoolCreate",1,0],["cuMipmappedArrayCreate",1,0]]'
		expect basic '[p.calls[].layer] | unique' '["driver"]'
		expect basic '[p.copies[] | [.direction, .mode, .calls, .bytes]] | sort' \
			'[["D2D","sync",1,30],["D2H","async",1,60],["D2H","sync",2,52],["H2D","async",1,50],["H2D","sync",3,82]]'
		expect basic "$kernels" '[["cube",9,0],["square",105,0]]'
		expect basic '[p.kernels[].signature] | unique' '["cube(float*)","square(float*, int)"]'
		expect basic '[p.kernels[].device] | unique' '[0]'
		expect basic 'failure("cuModuleGetFunction"; "CUDA_ERROR_NOT_FOUND")' 1
		expect basic 'failure("cuMemAlloc_v2"; "CUDA_ERROR_OUT_OF_MEMORY")' 1
		expect basic '.totals.failures' 2
		expect_nothing_lost basic
		CUDA_DOUBLE_DEVICES=2 watch basic -l "$layer" --exact-launches -- "$driver_calls" basic
		expect basic "$kernels" '[["cube",9,0],["square",105,0]]'
		expect_nothing_lost basic
	done
done
unset CUTOP_ATTACH

# ---- all else: one cutop for what is asked of it in the same way

libraries="--library $double/libcudart.so.13 --library $double/libcuda.so.1 --library $e2e_bin/libsecond.so"
queue contexts env CUDA_DOUBLE_DEVICES=2 "$driver_calls" contexts
queue virtual env CUDA_DOUBLE_DEVICES=2 "$driver_calls" virtual
queue pool env CUDA_DOUBLE_DEVICES=2 "$mixed_calls" pool
queue popped "$mixed_calls" popped
for group in plain exact never; do
	case $group in plain) more= ;; exact) more=--exact-launches ;; never) more=--returns=never ;; esac
	queue second-$group "$mixed_calls" second 5000 "$e2e_bin/libsecond.so"
	if [ $group != never ]; then
		queue shapes-$group "$driver_calls" shapes
		queue callback-$group "$mixed_calls" callback 20
		queue mix-both-$group "$mixed_calls" mix 1000
	fi
	if [ $group = plain ]; then
		queue table-both "$mixed_calls" table
		queue private-both "$mixed_calls" private 500 "$e2e_bin/libprivate.so"
	fi
	# shellcheck disable=SC2086
	watch_queue $group $libraries $more
	expect_nothing_lost $group
	expect $group '.totals.launches == ([.processes[].kernels[].launches] | add)' true
done
for layer in driver runtime; do
	case $layer in driver) libraries="--library $double/libcuda.so.1" ;; *) libraries="--library $double/libcudart.so.13" ;; esac
	queue mix-$layer-plain "$mixed_calls" mix 1000
	queue table-$layer "$mixed_calls" table
	queue private-$layer "$mixed_calls" private 500 "$e2e_bin/libprivate.so"
	[ $layer = driver ] || queue unseen env CUDA_DOUBLE_DEVICES=2 "$driver_calls" basic
	# shellcheck disable=SC2086
	watch_queue layer-$layer -l $layer $libraries
	expect_nothing_lost layer-$layer
	expect layer-$layer '.totals.launches == ([.processes[].kernels[].launches] | add)' true
done
watch mix-driver-exact -l driver --exact-launches -- "$mixed_calls" mix 1000
expect mix-driver-exact '.totals.launches' 3000
expect_nothing_lost mix-driver-exact

# The last shape of each way to launch.
for more in plain exact; do
	expect shapes-$more '[p.kernels[] | [.name, .launches, .grid, .block, .shared_bytes]] | sort' \
		'[["a",6,[9,8,7],[6,5,4],32],["b",3,[7,1,1],[16,1,1],96],["c",2,[2,1,1],[64,2,1],0]]'
	expect shapes-$more '[.processes[].inexact]' '[false]'
done
CUDA_DOUBLE_DEVICES=2 CUDA_DOUBLE_FAIL=cuLaunchKernel:50:1 watch failing --exact-launches -- "$driver_calls" basic
expect failing 'kernel("square") | [.launches, .failures]' '[50,1]'

expect unseen '.processes | length' 0

# ---- contexts and devices

expect contexts "$books" '[6,1,0,15100,0,0]'
expect contexts '[p.memory.map[] | [.size, .device, .state]] | sort' \
	'[[100,0,"leaked"],[1000,1,"leaked"],[2000,1,"leaked"],[4000,0,"leaked"],[8000,1,"leaked"]]'
expect contexts '[.events[] | select(.kind == "reset") | .text | sub(" ended.*: "; ": ")]' \
	'["cuCtxDestroy_v2 of device 1: 10.7K leaked","cuDevicePrimaryCtxRelease_v2 of device 0: 4.0K leaked"]'
expect contexts 'p.devices' '[0,1]'
# Who held the primary context before cutop came holds it still when what came later is released.
mkfifo "$T/lines"
"$driver_calls" late <"$T/lines" >"$T/late.said" &
late=$!
exec 9>"$T/lines"
wait_for 10 grep -q ready "$T/late.said" || fail "late: the program does not start"
patience=10
begin late -p $late --library "$double/libcuda.so.1" 9>&-
echo >&9
wait_for 10 awk '/ready/ { n++ } END { exit n < 2 }' "$T/late.said" || fail "late: the program does not go on"
echo >&9
exec 9>&-
wait $late
end
expect late 'p.watched_from' '"attach"'
expect late 'p.memory | [.allocations, .frees, .leaked_bytes, .peak_bytes]' '[2,2,0,3000]'
expect late '[.events[] | select(.kind == "reset")]' '[]'
expect_nothing_lost late

expect pool 'p.devices' '[1]'
expect pool "$books" '[1,1,0,0,0,0]'
# ---- launches inside another call, by a callback, followed to their end or not; in a trace they leave no room for that call
for more in plain exact; do
	expect callback-$more '[p.kernels[] | [.name, .launches]]' '[["odd",40]]'
	expect callback-$more 'call("cudaLaunchHostFunc").calls' 20
done
"$CUTOP" trace -f json -- "$mixed_calls" callback 20 >"$T/callback.json" 2>"$T/callback.err"
check "a callback's launches are not traced" [ "$(grep -c '"call":"cudaLaunchKernel"' "$T/callback.json")" = 40 ]
check "nor is it said what is missing" [ "$(jq 'select(.lost).lost.traced_calls' "$T/callback.json")" = 20 ]
expect popped "$books" '[1,1,0,0,0,0]'
expect popped '[.events[] | select(.kind == "leak" or .kind == "reset")]' '[]'

# A program that sees the machine's devices under other numbers, by its own list or of those of its container, and stays until
# its environment was read; or that has written a title over that, and has a copy of it or not.
mkfifo "$T/hold"
numbered() {
	numbered=$1
	shift
	env "$@" HOLD="$T/hold" CUDA_DOUBLE_DEVICES=2 "$CUTOP" -b -f json -d 0.05 -- "$driver_calls" contexts >"$T/$numbered.out" 2>&1 &
	cutop=$!
	check "$numbered: no document" wait_for 20 grep -q '"allocations":6' "$T/$numbered.out"
	: >"$T/hold"
	wait $cutop
	tail -n 1 "$T/$numbered.out" >"$T/$numbered.json"
	expect_nothing_lost "$numbered"
}
places='[p.memory.map[] | [.size, .device]] | sort'
numbered visible CUDA_VISIBLE_DEVICES=6,3
numbered given NVIDIA_VISIBLE_DEVICES=6,3 CUDA_VISIBLE_DEVICES=1,0
# The list that it has set itself before its first call
numbered set CUDA_VISIBLE_DEVICES=0,1 CHOOSE=6,3
for name in visible given set; do
	expect $name 'p.devices' '[3,6]'
	expect $name "$places" '[[100,6],[1000,3],[2000,3],[4000,6],[8000,3]]'
done
numbered chosen CUDA_VISIBLE_DEVICES=
[ -e /proc/driver/nvidia/gpus ] || numbered chosen-uuid CUDA_VISIBLE_DEVICES=GPU-1,GPU-2
for name in chosen chosen-uuid; do
	[ -e "$T/$name.json" ] || continue
	expect $name 'p.devices' '[]'
	expect $name "$places | map(.[1]) | unique" '[null]'
done
if command -v python3 >/dev/null; then
	cat >"$T/titled.py" <<-'END'
		import ctypes, sys
		cuda = ctypes.CDLL(sys.argv[1])
		start, end = map(int, open("/proc/self/stat").read().rsplit(")", 1)[1].split()[45:49:3])
		title = lambda text: (ctypes.memset(start, 0, end - start), ctypes.memmove(start, text, min(len(text), end - start - 1)))
		title(b"worker 3 of 8")
		copy = (ctypes.c_char_p * 3)(b"A=1", b"CUDA_VISIBLE_DEVICES=5", None)
		if sys.argv[3] == "copied": ctypes.c_void_p.in_dll(ctypes.CDLL(None), "environ").value = ctypes.addressof(copy)
		assert cuda.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(100)) == 0
		open(sys.argv[2]).read()
		title(b"idle")
		open(sys.argv[2]).read()
		title(b"")
		ctypes.CDLL(None).prctl(15, b"named")
		open(sys.argv[2]).read()
	END
	for name in titled copied; do
		"$CUTOP" -b -f json -d 0.05 --library "$double/libcudart.so.13" -- python3 "$T/titled.py" "$double/libcudart.so.13" "$T/hold" $name >"$T/$name.out" 2>&1 &
		cutop=$!
		check "$name: no document" wait_for 20 grep -q '"allocations":1' "$T/$name.out"
		: >"$T/hold"
		check "$name: its next title" wait_for 20 grep -q '"command":"idle","arguments":""' "$T/$name.out"
		: >"$T/hold"
		check "$name: its arguments are cleared" wait_for 20 grep -q '"command":"named","arguments":""' "$T/$name.out"
		: >"$T/hold"
		wait $cutop
		tail -n 1 "$T/$name.out" >"$T/$name.json"
		expect $name '[p.command, p.arguments, ([.events[] | select(.kind == "start").command])]' '["named","",["worker 3 of 8"]]'
	done
	expect titled '[p.devices, p.memory.map[0].size, p.memory.map[0].device]' '[[],100,null]'
	expect copied '[p.devices, p.memory.map[0].size, p.memory.map[0].device]' '[[5],100,5]'
fi

# ---- physical memory and its mappings

expect virtual "$books" '[4,3,0,2097152,0,0]'
expect virtual 'p.memory.peak_bytes' 2097152
at=$(sed -n 's/^left at //p' "$T/virtual.out")
expect virtual '[p.memory.map[] | [.address, .size, .kind, .device, .state]]' "[[\"$at\",2097152,\"physical\",1,\"leaked\"]]"
expect virtual '[p.calls[] | select(.call | test("Map$|Unmap|Retain")) | [.call, .calls]] | sort' \
	'[["cuDevicePrimaryCtxRetain",1],["cuMemMap",5],["cuMemRetainAllocationHandle",1],["cuMemUnmap",3]]'

# ---- both layers in one program

for layer in both driver; do
	for more in plain exact; do
		expect mix-$layer-$more '[p.kernels[] | [.name, .launches]] | group_by(.[0]) | map([.[0][0], (map(.[1]) | add)])' '[["cube",1000],["odd",2000]]'
	done
done
expect mix-runtime-plain '[p.kernels[] | [.name, .launches]]' '[["odd",1000]]'

# ---- each call of the runtime that is known to make one of the driver: one or the other is counted

while read -r runtime driver; do
	for pair in $driver; do
		echo "${pair%=*} ${pair#*=}" >>"$T/table.driver"
	done
	echo "${runtime%=*} ${runtime#*=}" >>"$T/table.runtime"
done <<END
cudaLaunchKernel=1 cuLaunchKernel=1
cudaLaunchKernelExC=1 cuLaunchKernelEx=1
cudaLaunchCooperativeKernel=1 cuLaunchCooperativeKernel=1
cudaMalloc=1 cuMemAlloc_v2=1
cudaMallocPitch=1 cuMemAllocPitch_v2=1
cudaMallocManaged=1 cuMemAllocManaged=1
cudaMallocAsync=1 cuMemAllocAsync=1
cudaMallocFromPoolAsync=1 cuMemAllocFromPoolAsync=1
cudaMallocHost=1 cuMemHostAlloc=1
cudaHostAlloc=1 cuMemHostAlloc=1
cudaFree=3 cuMemFree_v2=3
cudaFreeHost=2 cuMemFreeHost=2
cudaFreeAsync=2 cuMemFreeAsync=2
cudaMemcpy=4 cuMemcpyHtoD_v2=1 cuMemcpyDtoH_v2=1 cuMemcpyDtoD_v2=1 cuMemcpy=1
cudaMemcpyAsync=3 cuMemcpyHtoDAsync_v2=1 cuMemcpyDtoHAsync_v2=1 cuMemcpyDtoDAsync_v2=1
cudaMemcpy2D=1 cuMemcpy2DUnaligned_v2=1
cudaMemcpy2DAsync=1 cuMemcpy2DAsync_v2=1
cudaMemcpyToSymbol=1 cuLibraryGetGlobal=1 cuMemcpyHtoD_v2=1
cudaMemcpyFromSymbol=1 cuLibraryGetGlobal=1 cuMemcpyDtoH_v2=1
cudaMemset=1 cuMemsetD8_v2=1
cudaMemsetAsync=1 cuMemsetD8Async=1
cudaDeviceSynchronize=1 cuCtxSynchronize_v2=1
cudaStreamCreate=1 cuStreamCreate=1
cudaStreamCreateWithFlags=1 cuStreamCreate=1
cudaStreamSynchronize=1 cuStreamSynchronize=1
cudaStreamDestroy=2 cuStreamDestroy_v2=2
cudaEventCreate=2 cuEventCreate=2
cudaEventRecord=2 cuEventRecord=2
cudaEventSynchronize=1 cuEventSynchronize=1
cudaEventElapsedTime=1 cuEventElapsedTime_v2=1
cudaGraphInstantiate=1 cuGraphInstantiateWithFlags=1
cudaGraphLaunch=1 cuGraphLaunch=1
cudaGraphAddKernelNode=1 cuGraphAddKernelNode_v2=1
cudaMemPoolCreate=1 cuMemPoolCreate=1
cudaDeviceReset=1 cuDevicePrimaryCtxReset=1
END
# What the table does not name: set-up, and graph handles.
others='cudaSetDevice|cudaGraphCreate|cudaGraphDestroy|cudaGraphExecDestroy|cuGraphCreate|cuGraphDestroy|cuGraphExecDestroy'
others="$others|cuInit|cuCtxSetCurrent|cuDevicePrimaryCtxRetain|cuLibraryLoadData|cuLibraryGetKernel|cuDeviceGetCount"
for layer in runtime both driver; do
	queued_status table-$layer 0
	case $layer in driver) which=driver ;; *) which=runtime ;; esac
	awk '{ n[$1] += $2 } END { for (c in n) print c, n[c] }' "$T/table.$which" | sort >"$T/table.expected"
	jq -r '.processes[].calls[] | [.call, .calls] | join(" ")' "$T/table-$layer.json" | grep -Ev "^($others) " | sort >"$T/table.got"
	check "table, $layer: $(diff "$T/table.expected" "$T/table.got")" cmp -s "$T/table.expected" "$T/table.got"
	expect table-$layer "$books" '[7,7,0,0,0,0]'
done

# ---- a runtime nobody can see, beside one that everybody sees

for layer in both driver; do
	queued_status private-$layer 0
	expect private-$layer '[p.kernels[] | [.name, .launches, .grid[0]]] | sort' '[["hidden",500,5],["odd",500,1]]'
	expect private-$layer "$books" '[500,500,0,0,0,0]'
	expect private-$layer 'call("cuMemAlloc_v2") | [.calls, .layer]' '[500,"driver"]'
done
expect private-runtime '[p.kernels[] | [.name, .launches]]' '[["odd",500]]'
expect private-runtime "$books" '[0,0,0,0,0,0]'

# ---- two that everybody sees: each launch of the driver's belongs to the one that it comes from

for more in plain exact never; do
	expect second-$more '[p.kernels[] | [.name, .launches]] | sort' '[["hidden",5000],["odd",5000]]'
	expect second-$more '[p.calls[] | select(.call | test("Launch")) | [.call, .calls]] | sort' \
		'[["cudaLaunchCooperativeKernel",5000],["cudaLaunchKernel",5000]]'
done

# ---- programs of the runtime, one after the other, have the same books in all three

programs="'$workload' case-study leak"
set -- --library "$double/libcudart.so.13"
for program in vector_add vector_add-static streams managed leak leak-static; do
	[ -x "$bin/$program" ] || continue
	programs="$programs; '$bin/$program'"
	case $program in *-static) set -- "$@" --library "$bin/$program" ;; esac
done
for layer in runtime driver both; do
	watch "layer-$layer" -l "$layer" "$@" -- sh -c "$programs"
	jq -c '.processes | sort_by(.start_time) | .[] | [.command, (.memory | .allocations, .frees, .peak_bytes, .leaked_bytes),
		([.kernels[] | [.name, .launches, .grid, .block]] | sort),
		([.copies[] | [.direction, .mode, .calls, .bytes]] | sort)]' "$T/layer-$layer.json" >"$T/layer-$layer.books"
	expect_nothing_lost "layer-$layer"
	expect "layer-$layer" '[.processes[].watched_from] | unique' '["start"]'
done
check "no program was seen" [ "$(grep -c . "$T/layer-runtime.books")" = "$(echo "$programs" | tr ';' '\n' | wc -l)" ]
check "the driver layer differs: $(diff "$T/layer-runtime.books" "$T/layer-driver.books")" \
	cmp -s "$T/layer-runtime.books" "$T/layer-driver.books"
check "both layers differ: $(diff "$T/layer-runtime.books" "$T/layer-both.books")" cmp -s "$T/layer-runtime.books" "$T/layer-both.books"
finish
