#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Tensors in every output: while a program waits, what the exporter serves and what flame graphs weigh is what the JSON document
# says; what was recorded is replayed as it was.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/cli.sh
. "$top_srcdir/tests/e2e/cli.sh"
tensors=$top_builddir/tests/e2e/bin/tensors
[ -x "$tensors" ] || skip "the helpers are not built"
command -v python3 >/dev/null || skip "needs python3"
CUDA_DOUBLE_DEVICES=4 CUDA_DOUBLE_MEMORY=8G
export CUDA_DOUBLE_DEVICES CUDA_DOUBLE_MEMORY

# ---- metrics ----

# sums FILE: of each figure of metrics a line, by device; only what is about allocators, and cutop_ left out
sums() {
	sed -n 's/^cutop_process_\(allocator_[a-z_]*\){.*allocator="\([a-z]*\)",device="\([0-9]*\)"} /\1 \2 \3 /p
		s/^cutop_process_\(tensors\|cache\)_bytes{[^}]*} /\1 /p' "$1" | sort
}

# The same of the newest document.
document() {
	tail -n 1 "$T/live.out" >"$T/live.json"
	jq -r '.processes[] | .memory as $m |
		"tensors \($m.tensors_bytes)", "cache \($m.cache_bytes)",
		($m.allocators[] | . as $a | {
			allocated_bytes: .allocated_bytes, reserved_bytes: .reserved_bytes, free_in_segments_bytes: .free_in_segments_bytes,
			largest_gap_bytes: .largest_gap_bytes, fragmentation_ratio: .fragmentation, blocks: .blocks, rising_bytes: .rising_bytes,
			out_of_memory_total: .out_of_memory, handed_out_total: .handed_out
		} | to_entries[] | select(.value != null) | "allocator_\(.key) \($a.name) \($a.device) \(.value)")' "$T/live.json" | sort
}

# Whole numbers as they are, others to six digits: the two printers round differently.
rounded() {
	awk '{ if ($NF ~ /[.e]/) $NF = sprintf("%.6f", $NF) } 1'
}

scrape() {
	python3 -c "import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1], timeout=10).read().decode())" "$url" >"$T/scraped" 2>/dev/null
}

agree() {
	scrape || return 1
	sums "$T/scraped" | rounded >"$T/got"
	document 2>/dev/null | rounded >"$T/want"
	[ -s "$T/want" ] && cmp -s "$T/want" "$T/got"
}

# site_sum METRIC: what it says of all sites together
site_sum() {
	sed -n "s/^cutop_process_site_$1{.*} //p" "$T/scraped" | awk '{ n += $1 } END { printf "%d", n }'
}

of_document() {
	jq -r "$1" "$T/live.json"
}

mkfifo "$T/go"
# It grows for four seconds: a busy machine gives cutop fewer looks at that than it asks for.
"$CUTOP" -v -b -f json -d 0.1 --tensor-sites all --leak-age 0.1 --listen 127.0.0.1:0 -- "$tensors" to:"$T/told" seed:4 random:2000 ask:$((1 << 40)) every:20 \
	grow:200 tell wait <"$T/go" >"$T/live.out" 2>"$T/live.err" &
cutop=$!
exec 9>"$T/go"
wait_for 30 grep -qs . "$T/told" || fail "the program told nothing: $(cat "$T/live.err")"
url=$(sed -n 's/^cutop: metrics are at //p' "$T/live.err")
wait_for 30 agree
check "metrics are not what JSON says: $(diff "$T/want" "$T/got")" cmp -s "$T/want" "$T/got"
check "four devices: $(cat "$T/got")" [ "$(grep -c '^allocator_allocated_bytes pytorch [0-3] [1-9]' "$T/got")" = 4 ]
check "gaps are known: $(cat "$T/got")" [ "$(grep -c '^allocator_fragmentation_ratio ' "$T/got")" = 4 ]
check "no memory: $(cat "$T/got")" grep -qx 'allocator_out_of_memory_total pytorch 0 1' "$T/got"
check "it rises: $(cat "$T/got")" grep -q '^allocator_rising_bytes pytorch 0 [1-9]' "$T/got"
# There are fewer sites than places.
check "sites hold all" [ "$(site_sum tensors_bytes)" = "$(of_document '[.processes[].memory.allocators[].sites[].live_bytes] | add')" ]
check "sites rise as they do" [ "$(site_sum tensors_rising_bytes)" = "$(of_document '[.processes[].memory.allocators[].sites[].rising_bytes] | add')" ]
check "what rises is leak: $(grep rising "$T/scraped")" grep -q '^cutop_process_site_tensors_rising_bytes{.*,site="leak[^"]*"} [1-9]' "$T/scraped"
exec 9>&-
wait "$cutop"

# ---- recordings, and flame graphs of them ----

"$CUTOP" record --stacks --tensor-sites all --leak-age 0.1 -o "$T/run.cutop" -b -f json -d 0.1 -- "$tensors" seed:5 random:500 ask:$((1 << 40)) every:20 grow:60 \
	</dev/null >"$T/run.all" 2>"$T/run.err"
grep '^{"schema"' "$T/run.all" >"$T/run.live"
"$CUTOP" --replay "$T/run.cutop" -b -f json >"$T/run.replayed" 2>"$T/replay.err"
check "the replay: $(cat "$T/replay.err")" [ ! -s "$T/replay.err" ]
check "what was seen is replayed" [ -z "$(diff "$T/run.live" "$T/run.replayed" | grep '^<' | cut -c 1-300)" ]
check "snapshots were seen" [ "$(wc -l <"$T/run.live")" -gt 3 ]
tail -n 1 "$T/run.replayed" >"$T/run.json"
expect run 'p.memory.allocators[0].out_of_memory' 1

# weighed WEIGHT: the sum of its lines, each of which is a stack
weighed() {
	"$CUTOP" --replay "$T/run.cutop" -b -f folded --folded-by "$1" >"$T/$1.folded" 2>"$T/$1.err"
	bad=$(grep -c -v -E '^tensors \([0-9]+\)(;[^;]+)+ [1-9][0-9]*$' "$T/$1.folded")
	check "$1: every line is a folded stack: $(cat "$T/$1.folded")" [ "$bad" = 0 ]
	sum=$(awk '{ n += $NF } END { printf "%d", n }' "$T/$1.folded")
}
weighed tensors
expect run '[p.memory.allocators[].live_at_exit_bytes] | add' "$sum"
check "ways to tensors: $(cat "$T/tensors.folded")" grep -qE ';main \(tensors\);leak( at [^;]*)? \(tensors\);' "$T/tensors.folded"
weighed rising
expect run '[p.memory.allocators[].rising_bytes] | add' "$sum"
check "what rises is leak: $(cat "$T/rising.folded")" [ "$(grep -c -v ';leak' "$T/rising.folded")" = 0 ]
run none -b -f folded --folded-by tensors -- "$workload" pairs 5 100
check "why there are none: $(cat "$T/none.err")" grep -q 'no tensors are live, or no allocator that cutop knows' "$T/none.err"
finish
