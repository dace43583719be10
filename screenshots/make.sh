#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the pictures in this folder from the running program: cutop demo in
# tmux, one picture per pane, and a short film for the README. Needs root (for
# probes), tmux and python3. Run by `make screenshots`.
set -eu

build=${top_builddir:-.}
here=$(cd "$(dirname "$0")" && pwd)
columns=110
rows=34
T=$(mktemp -d)
tm="tmux -L cutop-screenshots -f /dev/null"
trap '$tm kill-server 2>/dev/null || true; rm -rf "$T"' EXIT

# A terminal of 256 colours and UTF-8, whatever this one is.
start() {
	$tm new-session -d -s shot -x "$columns" -y "$rows" \
		"env LANG=C.UTF-8 LC_ALL=C.UTF-8 TERM=screen-256color COLORTERM= $build/src/cutop demo --no-config $*"
	$tm set -g status off
}

# Waits for text on the screen: nothing is pictured before it is there.
await() {
	i=0
	until $tm capture-pane -p -t shot | grep -q -- "$1"; do
		i=$((i + 1))
		[ $i -lt 150 ] || { echo "screenshots: '$1' did not come up" >&2; exit 1; }
		sleep 0.1
	done
}

keys() {
	for key; do
		$tm send-keys -t shot "$key"
		sleep 0.3
	done
}

picture() {	# name title
	sleep 1
	$tm capture-pane -e -N -p -t shot >"$T/$1"
	python3 "$here/ansi2svg.py" -t "cutop: $2" "$columns" "$rows" "$here/$1.svg" "$T/$1"
	echo "$here/$1.svg"
}

start -d 0.5
await trainer
sleep 22	# history for the plots, and for the leaker to be suspected
keys 0 g
picture findings "what is wrong, in a sentence each"
keys 1
picture memory "the VRAM map of a process"
keys 2
picture kernels "kernel launches by name"
keys Enter Down z Enter
await 'Shape of the last launch'
picture details "all that is known of a kernel"
keys Escape Escape Escape
keys B g 3
picture copies "copies by direction"
keys L g 1
picture leaks "sorted by leaked bytes"
keys E g 4
picture failures "failed calls by error name"
keys M g 5
picture calls "every call's time"
keys L g Down 6 Enter Enter	# the leak in Python, with its stack
picture sites "call sites that hold memory"
keys Escape Escape
keys 7
picture log "what happened"
keys 0 M g
n=10
while [ $n -lt 21 ]; do
	$tm capture-pane -e -N -p -t shot >"$T/film.$n"
	case $n in
	11) keys 1 ;;
	12) keys 2 ;;
	13) keys Enter Enter ;;
	14) keys Escape Escape ;;
	15) keys B g 3 ;;
	18) keys L g 6 ;;
	esac
	sleep 0.5
	n=$((n + 1))
done
python3 "$here/ansi2svg.py" -t "cutop demo" -s 0.9 "$columns" "$rows" "$here/demo.svg" "$T"/film.*
echo "$here/demo.svg"
keys q

# With a recording of PyTorch on a real GPU in $RECORDING, what that showed.
[ -n "${RECORDING:-}" ] || exit 0
i=0
while $tm has-session -t shot 2>/dev/null; do
	i=$((i + 1))
	[ $i -lt 100 ] || { echo "screenshots: the demonstration does not end" >&2; exit 1; }
	sleep 0.1
done
$tm new-session -d -s shot -x "$columns" -y "$rows" \
	"env LANG=C.UTF-8 LC_ALL=C.UTF-8 TERM=screen-256color COLORTERM= $build/src/cutop --no-config --replay '$RECORDING'"
$tm set -g status off
keys 1
await fragmentation
keys Space
picture h200 "PyTorch on an H200, replayed"
keys q
