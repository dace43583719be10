#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cutop beside htop and btop, each in a terminal of its own at the same time, 200 by 60, one refresh a second: the share of a core
# that each takes with all its processes, and the bytes a second that it sends to the terminal. COUNT (50) programs with CUDA
# run, and launch kernels.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

seconds=${SECONDS_MEASURED:-20}
for tool in tmux htop btop; do
	command -v $tool >/dev/null || { echo "not measured: the screen beside htop and btop (apt install tmux htop btop)"; exit; }
done
mux() {
	tmux -S "$out/tmux" -f /dev/null "$@"
}
trap 'mux kill-server 2>/dev/null; kill $pids 2>/dev/null; rm -rf "$out"' EXIT
pids=
for _ in $(seq "${COUNT:-50}"); do
	"$build/tests/workloads/bin/workload" loop 300 >/dev/null 2>&1 &
	pids="$pids $!"
done
mkdir -p "$out/config/btop"
echo 'update_ms = 1000' >"$out/config/btop/btop.conf"
mux new-session -d -x 200 -y 60 "env XDG_CONFIG_HOME='$out/config' TERM=tmux-256color LC_ALL=C.UTF-8 script -qfc '$build/src/cutop --no-config --budget 0 --duration $((seconds + 10))' '$out/cutop'"
mux new-session -d -x 200 -y 60 "env TERM=tmux-256color LC_ALL=C.UTF-8 script -qfc 'htop -d 10' '$out/htop'"
mux new-session -d -x 200 -y 60 "env XDG_CONFIG_HOME='$out/config' TERM=tmux-256color LC_ALL=C.UTF-8 script -qfc 'btop --utf-force' '$out/btop'"

# The processor time, in ticks, of what runs below the terminals' script(1) processes with this name, with those that have ended.
ticks() {
	python3 - "$out/$1" <<-'END'
		import os, sys
		procs = {}
		for pid in filter(str.isdigit, os.listdir("/proc")):
		    try:
		        stat = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
		        line = open(f"/proc/{pid}/cmdline").read()
		    except OSError:
		        continue
		    procs[pid] = (stat[1], sum(map(int, stat[11:15])), line)
		roots = [p for p in procs if procs[p][2].startswith("script\0") and sys.argv[1] in procs[p][2]]
		def below(pid):
		    return sum(procs[p][1] + below(p) for p in procs if procs[p][0] == pid)
		print(sum(map(below, roots)))
	END
}

sleep 5	# what each does at its start is not meant
for tool in cutop htop btop; do
	ticks $tool >"$out/$tool.ticks"
	stat -c %s "$out/$tool" >"$out/$tool.bytes"
done
sleep "$seconds"
for tool in cutop htop btop; do
	now=$(ticks $tool)
	size=$(stat -c %s "$out/$tool")
	echo "$tool $now $(cat "$out/$tool.ticks") $size $(cat "$out/$tool.bytes")" |
		awk -v hz="$(getconf CLK_TCK)" -v s="$seconds" '{ printf "%-6s %5.2f %% of a core  %7.0f bytes/s\n", $1, 100 * ($2 - $3) / hz / s, ($4 - $5) / s }'
done
