#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# NVIDIA's management library, replaced by a double with scripted answers: devices, memory used by
# processes beside what is tracked, a device that is lost, calls that fail or hang, an older
# library, and none at all.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

CUDA_DOUBLE_NVML=$T/nvml
export CUDA_DOUBLE_NVML
new=$double/nvml
old=$double/nvml-old
# What only the driver knows is absent.
silent='[.devices[]?, .processes[].memory | has("name") or has("used_bytes")] | any'
sites=$top_builddir/tests/e2e/bin/site_calls

# says: the driver's answers from standard input, all at once
says() {
	cat >"$T/nvml.new" && mv "$T/nvml.new" "$T/nvml"
}

# ask NAME LIBRARY: what is known with it, as the document NAME
ask() {
	what=$1
	LD_LIBRARY_PATH=$2 watch "$what" -v -- "$workload" pairs 1 100
}

# ---- two devices, which the library does not have in the order of the bus
says <<END
device UUID=GPU-late NAME=NVIDIA_H100 BUS=0:ca:0 TOTAL=85899345920 USED=1000000 UTIL=97 TEMP=64 POWER=412300
device UUID=GPU-early NAME=NVIDIA_T4 BUS=0:17:0 TOTAL=17179869184 USED=5 UTIL=0 TEMP=30 POWER=9500
END
ask two "$new"
expect two '.devices | length' 2
expect two '.devices | map([.device, .name, .uuid])' '[[0,"NVIDIA T4","GPU-early"],[1,"NVIDIA H100","GPU-late"]]'
expect two '.devices[1] | [.used_bytes, .total_bytes, .utilization, .temperature_celsius, .power_watts]' '[1000000,85899345920,0.97,64,412.3]'
expect two '.devices[0] | [.used_bytes, .utilization, .power_watts]' '[5,0,9.5]'
expect two '.devices[0].tracked_bytes' 0
expect two 'p.memory | has("used_bytes")' false
expect_nothing_lost two

# ---- a laptop's card that sleeps is not woken; once it is awake, it is asked
mkdir -p "$T/pci/0000:01:00.0/power"
echo suspended >"$T/pci/0000:01:00.0/power/runtime_status"
CUTOP_TEST_PCI=$T/pci ask asleep "$new"
expect asleep "$silent" false
check "asleep: $(cat "$T/asleep.err")" grep -q 'a device sleeps, and is not woken' "$T/asleep.err"
echo active >"$T/pci/0000:01:00.0/power/runtime_status"
CUTOP_TEST_PCI=$T/pci ask awake "$new"
expect awake '.devices | length' 2

# ---- processes that only the driver lists: graphics and MPS, too, each once, with a name
sleep 1000 &
idle=$!
says <<END
device UUID=GPU-1 NAME=NVIDIA_H100 BUS=0:17:0 TOTAL=85899345920 USED=5000000000
process 0 $idle 3000
graphics 0 $idle 3000
graphics 0 $$ 2000
mps 0 1 1000
END
ask listed "$new"
expect listed '.devices[0].processes | map([.pid, .type, .used_bytes])' "[[$idle,\"C+G\",3000],[$$,\"G\",2000],[1,\"M+C\",1000]]"
expect listed '.devices[0].processes[0] | [.command, .user, has("container")]' "[\"sleep\",\"$(id -un)\",false]"
kill $idle

# ---- a divided device: its parts have memory of their own, and what works in one stands there
says <<END
device UUID=GPU-1 NAME=NVIDIA_H100 BUS=0:1:0 TOTAL=85899345920 USED=5000000000 TEMP=64 POWER=412300 LIMIT=700000
device UUID=GPU-2 NAME=NVIDIA_H100 BUS=0:0:0 TOTAL=85899345920 USED=5 UTIL=0 LIMIT=650500
mig 0 GI=9 CI=0 NAME=NVIDIA_H100_MIG_1g.10gb UUID=MIG-b TOTAL=10200547328 USED=7
mig 0 GI=3 CI=1 NAME=NVIDIA_H100_MIG_1c.3g.40gb UUID=MIG-a TOTAL=42000000000 USED=2000000000
process 0 1 1500000000 3 1
process 0 2 - 9 0
process 1 1 4
END
ask mig "$new"
expect mig '.devices | map(.power_limit_watts)' '[650.5,700]'
expect mig '.devices[0] | has("instances")' false
numbers='map(del(.type, .command, .user, .container))'
expect mig ".devices[0].processes | $numbers" '[{"pid":1,"used_bytes":4}]'
expect mig '.devices[1].instances' '[{"gpu_instance":3,"compute_instance":1,"name":"1c.3g.40gb","uuid":"MIG-a","used_bytes":2000000000,"total_bytes":42000000000,"tracked_bytes":0},{"gpu_instance":9,"compute_instance":0,"name":"1g.10gb","uuid":"MIG-b","used_bytes":7,"total_bytes":10200547328,"tracked_bytes":0}]'
expect mig ".devices[1].processes | $numbers" '[{"pid":1,"gpu_instance":3,"compute_instance":1,"used_bytes":1500000000},{"pid":2,"gpu_instance":9,"compute_instance":0}]'
LD_LIBRARY_PATH=$new "$CUTOP" -b -n 1 -- "$workload" pairs 1 100 >"$T/mig.text"
check "mig text: $(cat "$T/mig.text")" grep -qx 'GPU 1:3:1  MIG 1c.3g.40gb  1.9G of 39.1G used  1.9G untracked' "$T/mig.text"
{ cat "$T/nvml"; echo "fail nvmlDeviceGetGpuInstanceId 15"; } | says
ask mig-failing "$new"
expect mig-failing '[.devices[] | has("instances")] | any' false

# ---- where no place on the bus is known, the library's order stands
says <<END
device NAME=first USED=1
device NAME=second BUS=0:1:0
END
ask order "$new"
expect order '.devices | map([.device, .name])' '[[0,"first"],[1,"second"]]'
expect order '.devices[1] | keys' '["device","name","tracked_bytes"]'

# ---- calls that fail: what is not known is absent, and the rest is there
says <<END
device UUID=GPU-1 NAME=well BUS=0:1:0 TOTAL=10 USED=1 UTIL=1 TEMP=1 POWER=1
device UUID=GPU-2 NAME=lost BUS=0:2:0 TOTAL=20 USED=2 UTIL=2 TEMP=2 POWER=2
device UUID=GPU-3 NAME=$(printf 'odd\033[2J') BUS=0:3:0 TOTAL=30 USED=3
fail nvmlDeviceGetHandleByIndex_v2 15 1
fail nvmlDeviceGetPowerUsage 3
END
ask failing "$new"
expect failing '.devices | map(.uuid)' '["GPU-1","GPU-3"]'
expect failing '.devices[1] | [.name, .used_bytes, has("utilization")]' '["odd?[2J",3,false]'
expect failing '[.devices[] | has("power_watts")] | any' false

says <<END
device NAME=x USED=1
fail nvmlInit_v2 9
END
ask noinit "$new"
expect noinit "$silent" false
check "why: $(cat "$T/noinit.err")" grep -q 'nothing is known of devices: .*Driver Not Loaded (9)' "$T/noinit.err"

says <<END
device NAME=x USED=1
fail nvmlDeviceGetCount_v2 999
END
ask nocount "$new"
expect nocount "$silent" false

# ---- a call that hangs keeps nobody waiting
says <<END
device NAME=x USED=1
hang nvmlDeviceGetMemoryInfo
END
ask hanging "$new"
check "hanging: status $status" [ "$status" = 0 ]
expect hanging "$silent" false
expect hanging 'p.memory.allocations' 1

# ---- a library of long ago, one that is none, and none
says <<END
device UUID=GPU-1 NAME=old BUS=0:9:0 TOTAL=10 USED=1 UTIL=1 TEMP=1 POWER=1
device UUID=GPU-2 NAME=older BUS=0:8:0 TOTAL=10 USED=2
END
ask old "$old"
expect old '.devices | map([.device, .name, .used_bytes])' '[[0,"older",2],[1,"old",1]]'
expect old '.devices[1] | keys' '["device","name","total_bytes","tracked_bytes","used_bytes"]'
mkdir "$T/none"
cp "$double/libcuda.so.1" "$T/none/libnvidia-ml.so.1"
ask foreign "$T/none"
expect foreign "$silent" false
check "foreign: $(cat "$T/foreign.err")" grep -q 'nothing is known of devices: libnvidia-ml.so.1 has no nvmlInit' "$T/foreign.err"
echo nothing >"$T/none/libnvidia-ml.so.1"
ask garbage "$T/none"
expect garbage "$silent" false
# ---- of a program that runs: what it uses, beside what is tracked; then its device is lost; then it is back
# fifo [WORD...]: behind these
fifo() {
	mkfifo "$T/in"
	"$@" "$sites" 7 wait <"$T/in" &
	waiting=$!
	exec 3>"$T/in"
	# its last call is read(2), number 0 on x86-64 and 63 on arm64
	check "the program does not wait" wait_for 20 grep -qs -E '^(0|63) 0x0 ' "/proc/$waiting/syscall"
}
# document JQ: some document has it, the latest becomes $T/live.json
document() {
	[ "$(tail -n 1 "$T/live.out" 2>/dev/null | jq "$1" 2>/dev/null)" = true ]
}
says <<END
device UUID=GPU-1 NAME=H100 BUS=0:1:0 TOTAL=1000000 USED=500000
device UUID=GPU-2 NAME=H100 BUS=0:2:0 TOTAL=1000000 USED=0
END
for library in "$new" "$old"; do
	rm -f "$T/live.out" "$T/live.err"
	LD_LIBRARY_PATH=$library "$CUTOP" -b -v -f json -d 0.1 -c 'site_calls*' --library "$double/libcudart.so.13" >"$T/live.out" 2>"$T/live.err" 3>&- &
	watcher=$!
	check "cutop does not start: $(cat "$T/live.err" 2>/dev/null)" wait_for 20 grep -qs 'libcuda.so.1: .*attached' "$T/live.err"
	fifo
	{
		cat "$T/nvml"
		echo "process 0 $waiting 100000"
		echo "process 1 $waiting 50000"
		echo "process 1 1 77"
		# more than the first question has room for
		i=0
		while [ $i -lt 100 ]; do
			echo "process 1 $((1000000 + i)) 1"
			i=$((i + 1))
		done
	} | says
	check "used and untracked: $(tail -n 1 "$T/live.out" | jq -c '.processes[].memory')" \
		wait_for 20 document '.processes[0].memory | .used_bytes == 150000 and .live_bytes == 84700 and .untracked_bytes == 65300'
	check "tracked: $(tail -n 1 "$T/live.out" | jq -c .devices)" wait_for 20 document '.devices[0] | .tracked_bytes == 84700 and .used_bytes == 500000'
	grep -v '^process 1' "$T/nvml" >"$T/nvml.less"
	{ cat "$T/nvml.less"; echo "process 1 $waiting -"; } | says
	check "not available" wait_for 20 document '.processes[0].memory | has("used_bytes") | not'
	grep -v '^process' "$T/nvml.less" >"$T/nvml.gone"
	if [ "$library" = "$new" ]; then
		{ cat "$T/nvml.gone"; echo "fail nvmlDeviceGetMemoryInfo 15 0"; } | says
		check "lost" wait_for 20 document '(.devices | length) == 2 and (.devices[0] | has("used_bytes") | not) and .devices[0].tracked_bytes == 84700'
	fi
	says <"$T/nvml.gone"
	check "back" wait_for 20 document '.devices[0].used_bytes == 500000'
	kill -INT "$watcher"
	wait "$watcher"
	exec 3>&-
	wait "$waiting"
	rm "$T/in"
done

# ---- a program in a part of a device, which has a name of its own: the library knows of which device
says <<END
device UUID=GPU-1 NAME=H100 BUS=0:1:0 TOTAL=1000000 USED=5 MINOR=4
device UUID=GPU-2 NAME=H100 BUS=0:2:0 TOTAL=1000000 USED=500000 MINOR=3
mig 1 GI=3 CI=0 NAME=H100_MIG_1g.10gb UUID=MIG-a TOTAL=250000 USED=100000
END
rm -f "$T/live.out" "$T/live.err"
LD_LIBRARY_PATH=$new "$CUTOP" -b -v -f json -d 0.1 -c 'site_calls*' --library "$double/libcudart.so.13" >"$T/live.out" 2>"$T/live.err" 3>&- &
watcher=$!
check "cutop does not start: $(cat "$T/live.err" 2>/dev/null)" wait_for 20 grep -qs 'libcuda.so.1: .*attached' "$T/live.err"
fifo env CUDA_VISIBLE_DEVICES=MIG-a
check "on its device: $(tail -n 1 "$T/live.out" | jq -c .devices)" \
	wait_for 20 document '.processes[0].memory.live_bytes == 84700 and ([.devices[].tracked_bytes] == [0, 84700])'
{ cat "$T/nvml"; echo "process 1 $waiting 100000 3 0"; } | says
check "in its part: $(tail -n 1 "$T/live.out" | jq -c .devices)" \
	wait_for 20 document '.devices[1] | .tracked_bytes == 84700 and .instances[0].tracked_bytes == 84700 and .processes[0].gpu_instance == 3'

# ---- the same by the beginning of the device's name, in a container's list, too; or the node of one device is open
mkdir "$T/dev"
: >"$T/dev/nvidia3"
: >"$T/dev/nvidia4"
: >"$T/dev/nvidiactl"
opened() {
	exec unshare -m sh -c 'mount --bind "$0/dev" /dev && exec 7</dev/nvidiactl 8</dev/nvidia3 9<"/dev/$1" && shift && exec "$@"' "$T" "$@"
}
[ -e /proc/driver/nvidia ] || for how in "env CUDA_VISIBLE_DEVICES=GPU-2" "env NVIDIA_VISIBLE_DEVICES=GPU-2" "opened nvidia3" "opened nvidia4"; do
	exec 3>&-
	wait "$waiting"
	rm "$T/in"
	fifo $how
	[ "$how" != "opened nvidia4" ] && on='[1]' || on='[0]'
	check "$how: $(tail -n 1 "$T/live.out" | jq -c '.processes | map([.pid, .devices])')" wait_for 20 document ".processes[] | select(.pid == $waiting) |
		.memory.live_bytes == 84700 and .devices == $on"
done
kill -INT "$watcher"
wait "$watcher"
exec 3>&-
wait "$waiting"
rm "$T/in"

# ---- a program that numbers devices its own way, in a container or by its own choice: it is where the driver lists it
says <<END
device UUID=GPU-1 NAME=H100 BUS=0:1:0 TOTAL=1000000 USED=5
device UUID=GPU-2 NAME=H100 BUS=0:2:0 TOTAL=1000000 USED=500000
END
rm -f "$T/live.out" "$T/live.err"
LD_LIBRARY_PATH=$new "$CUTOP" -b -v -f json -d 0.1 -c 'site_calls*' --library "$double/libcudart.so.13" >"$T/live.out" 2>"$T/live.err" 3>&- &
watcher=$!
check "cutop does not start: $(cat "$T/live.err" 2>/dev/null)" wait_for 20 grep -qs 'libcuda.so.1: .*attached' "$T/live.err"
fifo
check "by its own number: $(tail -n 1 "$T/live.out" | jq -c .devices)" wait_for 20 document '.devices[0].tracked_bytes == 84700'
{ cat "$T/nvml"; echo "process 1 $waiting 100000"; } | says
check "where it is listed: $(tail -n 1 "$T/live.out" | jq -c '[.devices, .processes[0].devices]')" wait_for 20 document '.processes[0].devices == [1] and
	([.devices[].tracked_bytes] == [0, 84700]) and ([.processes[0].memory.map[].device] | unique) == [1]'
kill -INT "$watcher"
wait "$watcher"
exec 3>&-
wait "$waiting"
rm "$T/in"

# ---- a process that chose its device before: it is where the driver lists it, until it is listed on another, too
CUDA_DOUBLE_DEVICES=2 "$workload" loop 3600 >/dev/null &
loop=$!
for on in 1 "0 1"; do
	{
		echo "device UUID=GPU-1 NAME=H100 BUS=0:1:0 TOTAL=1000000 USED=5"
		echo "device UUID=GPU-2 NAME=H100 BUS=0:2:0 TOTAL=1000000 USED=5"
		for number in $on; do echo "process $number $loop 1"; done
	} | says
	rm -f "$T/live.out" "$T/live.err"
	LD_LIBRARY_PATH=$new "$CUTOP" -b -f json -d 0.1 -p "$loop" >"$T/live.out" 2>"$T/live.err" &
	watcher=$!
	if [ "$on" = 1 ]; then
		check "on one device: $(tail -n 1 "$T/live.out" | jq -c '.processes[0] | [.devices, .kernels, .copies]')" wait_for 20 document '.processes[0] |
			.devices == [1] and (.kernels | length) > 0 and (.copies | length) > 0 and ([.kernels[], .copies[], .memory.map[] | .device] | unique) == [1]'
	else
		check "on two devices: $(tail -n 1 "$T/live.out" | jq -c '.processes[0] | [.devices, .kernels, .copies]')" wait_for 20 document '.processes[0] |
			.devices == [0, 1] and (.kernels | length) > 0 and ([.kernels[], .copies[] | .device] | unique) == [null]'
	fi
	kill -INT "$watcher"
	wait "$watcher"
done
kill "$loop"

# ---- text, and columns
says <<END
device UUID=GPU-1 NAME=NVIDIA_H100 BUS=0:1:0 TOTAL=85899345920 USED=20000000000 UTIL=97 TEMP=64 POWER=412300
END
LD_LIBRARY_PATH=$new "$CUTOP" -b -n 1 -- "$workload" pairs 1 100 >"$T/text"
check "text: $(cat "$T/text")" grep -qx 'GPU 0  NVIDIA H100  18.6G of 80.0G used  18.6G untracked  97%  64C  412W' "$T/text"
"$CUTOP" -b -f csv -n 1 -- "$workload" pairs 1 100 >"$T/csv"
check "columns" grep -q ',used,untracked,' "$T/csv"

finish
