#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes demo.cutop anew, which `cutop demo` replays where it may not place probes: twelve seconds of some of the
# demonstration's cast on the double. To be run as root in the build folder, after the form of recordings changed.
set -eu
top_srcdir=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$(pwd)/src:$PATH
T=/tmp/demo
mkdir "$T"
trap 'rm -rf "$T"' EXIT
cp tests/workloads/bin/cutop-demo tests/workloads/bin/train.py tests/double/lib/libcudart.so.13 tests/double/lib/libcuda.so.1 "$T"
cd "$T"
cat >cast <<'END'
export CUDA_DOUBLE_DEVICES=2 CUDA_DOUBLE_COPY_BANDWIDTH=12G WORKLOAD_SECONDS=13
role() {
	WORKLOAD_SUBCOMMAND=$2 CUDA_DOUBLE_KERNEL_TIME=$3 bash -c 'exec -a "$0" ./cutop-demo' "$1" &
}
role ./inference server 25us
CUDA_DOUBLE_KERNEL_TIME=0 /usr/bin/python3 train.py 13 ./libcudart.so.13 &
role ./leaker leaker 5us
role ./copier copier 0
role ./failing failing 0
wait
END
unshare -u sh -c 'hostname workstation && exec cutop record -o demo.cutop --leak-age 1 --duration 12 \
	--library ./libcudart.so.13 --library ./libcuda.so.1 -- bash cast'
cp demo.cutop "$top_srcdir/tests/workloads/demo.cutop"
