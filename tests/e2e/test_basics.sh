#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The case study: three buffers of 8,000,000 bytes, two kernels a thousand times each, one buffer forgotten.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

watch leak -- "$workload" case-study leak
check "exit status of the command is ours" [ "$status" = 0 ]
expect leak 'p.memory.allocations' 3
expect leak 'p.memory.frees' 2
expect leak 'p.memory.leaked_bytes' 8000000
expect leak 'p.memory.live_bytes' 0
expect leak 'p.memory.peak_bytes' 24000000
expect leak '[p.kernels[].launches] | sort' '[1000,1000]'
expect leak '[p.kernels[].name] | sort' '["saxpy","vectorAdd"]'
expect leak 'p.memory.map | map([.size, .state, .kind])' '[[8000000,"leaked","device"]]'
expect leak 'p.watched_from' '"start"'
expect leak 'p.state' '"exited"'
expect_nothing_lost leak

watch fine -- "$workload" case-study
expect fine 'p.memory.allocations' 3
expect fine 'p.memory.frees' 3
expect fine 'p.memory.leaked_bytes' 0
expect fine 'copies("D2H"; "sync").bytes' 8000000
expect_nothing_lost fine

finish
