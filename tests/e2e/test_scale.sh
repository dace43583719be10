#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Much at once, at default settings: every core launching and copying as fast as
# it can, a million live allocations, hundreds of processes, thousands of short
# ones. Nothing is lost, and every count is the workload's own. CUTOP_TEST_SECONDS:
# how long the load lasts (5).
CUTOP_TEST_LIMIT=1500
. "${top_srcdir:-.}/tests/e2e/lib.sh"

seconds=${CUTOP_TEST_SECONDS:-5}
cores=$(nproc)
library=$double/libcudart.so.13
said() {
	grep '^{"'"$2" "$T/$1.out"
}

# ---- launches and copies
watch calls -- "$workload" calls "$seconds" "$cores"
check "calls: status $status" [ "$status" = 0 ]
expect calls '[p.kernels[].launches] | add' "$(said calls launches | jq .launches)"
expect calls '.totals.launches' "$(said calls launches | jq .launches)"
expect calls '[p.copies[] | [.direction, .mode, .calls]] | sort' "$(said calls launches | jq -c '.copies | sort')"
expect calls '[p.copies[] | .bytes == 64 * .calls] | all' true
expect calls 'call("cudaDeviceSynchronize").calls' "$(said calls launches | jq .syncs)"
expect calls 'p.watched_from' '"start"'
expect_nothing_lost calls

# ---- a million allocations, and others in their place
watch churn -d 1 -- "$workload" -k churn 1000000 "$seconds" 100000
expect churn 'p.memory.allocations' "$(said churn allocations | jq .allocations)"
expect churn 'p.memory.frees' "$(said churn allocations | jq .frees)"
expect churn 'p.memory | [.live_bytes, .live_allocations, .unknown_frees, .double_frees]' '[0,0,0,0]'
expect churn 'p.memory | [(.map | length), .map_omitted]' '[1000,999000]'
expect churn 'p.memory.leaked_bytes == ([p.sites[].leaked_bytes] | add)' true
expect_nothing_lost churn

# ---- two hundred processes
watch crowd --library "$library" -- "$workload" crowd 200 $((seconds / 3 + 1)) 20
check "crowd: status $status" [ "$status" = 0 ]
expect crowd '[.processes[] | select(.kernels | length > 0)] | length' 200
expect crowd '.totals.launches' "$(said crowd launches | jq -s 'map(.launches) | add')"
expect crowd '[.processes[].copies[] | .calls] | add' "$(said crowd launches | jq -s '[.[].copies[][2]] | add')"
expect crowd '[.processes[].memory | .live_bytes + .leaked_bytes] | add' 0
expect_nothing_lost crowd

# ---- short ones: what cannot be listed any more still counts
count=$((5000 * seconds / 60))
[ $count -gt 1200 ] || count=1200
watch spawn --library "$library" -d 5 -- "$workload" spawn $count $((seconds < 20 ? 0 : seconds))
check "spawn: status $status" [ "$status" = 0 ]
expect spawn '.totals | [.processes + .processes_omitted, .processes]' "[$((count + 1)),1000]"
expect spawn '.totals | [.launches, .leaked_bytes, .live_bytes]' "[$((10 * count)),$((1000 * count)),0]"
expect spawn '[.processes[] | select(.memory.allocations > 0) | [.memory.allocations, .memory.frees, .memory.leaked_bytes, .kernels[0].launches, .watched_from]] | unique' \
	'[[4,3,1000,10,"start"]]'
expect spawn '[.processes[].state] | unique' '["exited"]'
expect_nothing_lost spawn
finish
