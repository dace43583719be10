#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A Prometheus of its own scrapes cutop over a cast of programs that train, leak,
# copy and fail, until all is asked: its answers are what the programs did, and
# every query of the dashboard and of the alert rules has data.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli.sh
. "$(dirname "$0")/cli.sh"
command -v prometheus >/dev/null && command -v promtool >/dev/null ||
	skip "needs prometheus (Debian: apt install --no-install-recommends prometheus)"
command -v python3 >/dev/null || skip "needs python3"
rules=$top_srcdir/contrib/prometheus/cutop.rules.yml
board=$top_srcdir/contrib/grafana/cutop.json
ask="python3 $top_srcdir/tests/e2e/prometheus.py"
metrics="python3 $top_srcdir/tests/e2e/metrics.py"
# Longer than any machine takes for the questions; the programs are ended after the last of them.
seconds=900
own_user 61347
mkdir "$T/own/torch"
cp "$top_builddir"/tests/e2e/bin/torch/lib*.so "$T/own/torch" && cp "$top_builddir/tests/e2e/bin/tensors" "$T/own" || skip "the helpers are not built"
chmod -R a+rX "$T/own"

check "the rules are well formed" promtool check rules "$rules"
cp "$top_srcdir/contrib/prometheus/cutop.rules.yml" "$top_srcdir/contrib/prometheus/cutop.test.yml" "$T"
check "the rules do what they say" promtool test rules "$T/cutop.test.yml"

# ---- cutop, and a driver that knows a device ----
CUDA_DOUBLE_NVML=$T/nvml
export CUDA_DOUBLE_NVML
echo "device UUID=GPU-1 NAME=NVIDIA_H100 BUS=0:17:0 TOTAL=85899345920 USED=1000000000 UTIL=97 TEMP=64 POWER=412300" >"$T/nvml"
LD_LIBRARY_PATH=$double/nvml "$CUTOP" -b -v -d 0.5 --leak-age 1 --listen 127.0.0.1:0 -u "$own_uid" --library "$own_lib" --library "$T/own/torch/libc10.so" \
	>"$T/cutop.out" 2>"$T/cutop.err" &
cutop=$!
address() {
	url=$(sed -n 's/^cutop: metrics are at //p' "$1")
	[ -n "$url" ]
}
wait_for 20 address "$T/cutop.err" || fail "not served: $(cat "$T/cutop.err")"
target=${url#http://}
target=${target%/metrics}

# ---- Prometheus ----
cat >"$T/prometheus.yml" <<END
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ['$T/cutop.rules.yml']
scrape_configs:
  - job_name: cutop
    static_configs: [{targets: ['$target']}]
END
port=$(python3 -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/data" --web.listen-address="127.0.0.1:$port" \
	--log.level=warn 2>"$T/prometheus.err" &
api=http://127.0.0.1:$port
ready() {
	python3 -c "import urllib.request as r; r.urlopen('$api/-/ready', timeout=5)" 2>/dev/null
}
wait_for 60 ready || { fail "Prometheus does not begin: $(cat "$T/prometheus.err")"; finish; }
check "it is up" $ask wait "$api" 30 'up{job="cutop"} == 1'

# $1: a query, $2: its value
expect_answer() {
	got=$($ask value "$api" "$1" 2>&1)
	check "$1 is '$got', not $2" [ "$got" = "$2" ]
}

# ---- what programs did, exactly ----
# Short ones first: their series begin with all they did.
as_own "$workload" case-study leak >/dev/null
as_own "$workload" launches 500 >/dev/null
check "two programs came and went" $ask wait "$api" 30 'count(cutop_process_running{command="workload"}) == 2'
check "and their figures" $ask wait "$api" 30 'sum(cutop_process_running{command="workload"}) == 0'
expect_answer 'sum(cutop_process_memory_leaked_bytes{command="workload"})' 8000000
expect_answer 'max(cutop_process_memory_peak_bytes{command="workload"})' 24000000
expect_answer 'sum(cutop_process_allocations_total{command="workload"})' 3
expect_answer 'max(cutop_process_launches_total{command="workload"})' 2000
expect_answer 'sum(cutop_process_launches_total{command="workload"})' 2500
expect_answer 'sum(cutop_process_kernel_launches_total{command="workload"})' 2500
expect_answer 'cutop_calls_total{call="cudaLaunchKernel",layer="runtime"}' 2500
expect_answer 'sum(cutop_lost_total)' 0
as_own "$workload" launches 700 >/dev/null
check "one more" $ask wait "$api" 30 'sum(cutop_process_launches_total{command="workload"}) == 3200'
expect_answer 'resets(cutop_calls_total{call="cudaLaunchKernel"}[5m])' 0

# ---- the play ----
as_own "$workload" demo "$seconds" >"$T/play.out" 2>&1 &
play=$!
as_own env CUDA_DOUBLE_MEMORY=8G "$T/own/tensors" random:200 ask:$((1 << 40)) every:100 grow:$((seconds * 9)) </dev/null >"$T/tensors.out" 2>&1 &
tensors=$!
$ask wait "$api" 60 "count(cutop_process_running{command=~\"trainer|loop|leaker|copier|failing|inference\"} > 0) >= 5" ||
	fail "the cast is not seen"
check "a leak is suspected" $ask wait "$api" 60 'sum by (command) (cutop_process_memory_suspect_bytes{command="leaker"}) > 1048576'
check "tensors rise, by call site" $ask wait "$api" 60 'cutop_process_site_tensors_rising_bytes{command="tensors",site=~"leak.*"} > 1048576'
check "the alert of it waits" $ask wait "$api" 30 'ALERTS{alertname="CudaTensorsRising",alertstate="pending",command="tensors"}'
expect_answer 'sum(cutop_process_allocator_out_of_memory_total{command="tensors",allocator="pytorch"})' 1
expect_answer 'count(cutop_process_tensors_bytes)' 1
# The driver says what one of them uses.
pid=$(pgrep -u "$own_uid" -f '^\./leaker')
cat "$T/nvml" - <<END >"$T/nvml.new" && mv "$T/nvml.new" "$T/nvml"
process 0 $pid 900000000
END
check "untracked bytes" $ask wait "$api" 30 "cutop_process_untracked_bytes{pid=\"$pid\",command=\"leaker\"} > 0"
check "the alert of it waits" $ask wait "$api" 30 'ALERTS{alertname="CudaMemoryLeakGrowing",alertstate="pending",command="leaker"}'
check "failing calls are an alert" $ask wait "$api" 30 'ALERTS{alertname="CudaCallsFail",command="failing"}'
check "what leaked is an alert" $ask wait "$api" 30 'ALERTS{alertname="CudaMemoryLeaked",alertstate="firing",command="workload"}'
check "the call site by name" $ask wait "$api" 10 'cutop_process_site_suspect_bytes{command="leaker",site=~".*(leaker|workload).*"} > 0'
check "every query has data" $ask all "$api" "$board" "$rules"
check "the play was going on" kill -0 "$play"
kill -0 "$tensors" || fail "tensors: $(cat "$T/tensors.out")"
pkill -u "$own_uid"
wait "$play" "$tensors"
$ask wait "$api" 60 'sum(cutop_process_running) == 0' || fail "the cast is still there"
# Nothing of the play is left out of the sums.
expect_answer 'sum(cutop_lost_total)' 0
expect_answer 'max(resets(cutop_process_launches_total[5m]))' 0
expect_answer 'max(resets(cutop_calls_total[5m]))' 0
expect_answer 'max(resets(cutop_process_kernel_launches_total[5m]))' 0
check "scrapes were taken whole" [ "$($ask value "$api" 'sum(up == 0 or up * 0)')" = 0 ]
check "the alert of a device that is in use does not" [ -z "$($ask value "$api" 'ALERTS{alertname="CudaDeviceNearlyFull"}')" ]
check "Prometheus has nothing to say: $(cat "$T/prometheus.err")" [ ! -s "$T/prometheus.err" ]

# ---- more clients than there is room for ----
check "idle clients are shown the door" $metrics hold 127.0.0.1 "${target##*:}" 200 25

# ---- and when it is gone ----
kill -TERM "$cutop"
wait "$cutop"
check "it is down" $ask wait "$api" 30 'ALERTS{alertname="CutopDown",alertstate="pending"}'
finish
