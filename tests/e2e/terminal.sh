# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
# A terminal (tmux) that tests look at and type into. Source it after lib.sh.
#
#   screen_start COLUMNS ROWS   a shell in a terminal of that size
#   shell COMMAND               types it
#   shell_back                  waits until the shell asks for the next command
#   keys KEY...                 as tmux names them
#   gone PATTERN                see's opposite: waits until the screen no longer shows it
#   row_of PATTERN, col_of PATTERN  where that begins, counted from 1
#   click ROW COLUMN, double_click ROW COLUMN, wheel up|down ROW COLUMN
#                               the mouse, as the program has asked the terminal to tell of it
#   mouse_on, mouse_off         whether it has
# $name is a program of our own, and only that: others may test on this machine.
command -v tmux >/dev/null || skip "needs tmux (Debian: apt install tmux)"
patience=10

# screen_start COLUMNS ROWS: a shell in a terminal of that size
screen_start() {
	mux kill-server 2>/dev/null
	mux new-session -d -s t -x "$1" -y "$2" "cd $T; exec env TERM=tmux-256color LC_ALL=C.UTF-8 PS1='ready> ' bash --norc -i"
	mux set -g status off
	mux resize-window -t t -x "$1" -y "$2"
	shell_back
}
keys() {
	mux send-keys -t t "$@"
}
gone() {
	for _ in $(seq $((patience * 10))); do
		seen | grep -q -e "$1" || return 0
		sleep 0.1
	done
	echo "--- still seen: $1"
	seen
	return 1
}
shell() {
	keys "$1" Enter
}
# The prompt alone in its line: those of earlier commands are on the screen as soon as cutop
# leaves it, long before it has ended.
shell_back() {
	see '^ready> *$'
}
stty_save() {
	shell "stty -a > $T/$1"
	wait_for 30 [ -s "$T/$1" ]
}
ended() {
	! kill -0 "$1" 2>/dev/null
}
row_of() {
	seen | grep -n -e "$1" | head -n 1 | cut -d: -f1
}
above() {
	for _ in $(seq 50); do
		a=$(row_of "$1") b=$(row_of "$2")
		[ -n "$a" ] && [ -n "$b" ] && [ "$a" -lt "$b" ] && return 0
		sleep 0.1
	done
	seen
	return 1
}
cutop_pid() {	# the shell's child: processes of one that has ended may be there still
	pgrep -P "$(mux display -p -t t '#{pane_pid}')" -f "^$CUTOP --no-config.*$name"
}
mouse_on() {
	[ "$(mux display -p -t t '#{mouse_standard_flag}#{mouse_button_flag}#{mouse_any_flag}')" != 000 ]
}
mouse_off() {
	! mouse_on
}
# mouse BUTTON ROW COLUMN M|m: the button goes down or up there, in xterm's "SGR" form or its older one (ctlseqs, Mouse
# Tracking), which knows no button that goes up.
mouse() {
	if [ "$(mux display -p -t t '#{mouse_sgr_flag}')" = 1 ]; then
		keys -l "$(printf '\033[<%d;%d;%d%s' "$1" "$3" "$2" "$4")"
	else
		[ "$4" = M ] || set -- 3 "$2" "$3"
		keys -H 1b 5b 4d "$(printf '%x' $(($1 + 32)))" "$(printf '%x' $(($3 + 32)))" "$(printf '%x' $(($2 + 32)))"
	fi
}
click() {
	mouse 0 "$1" "$2" M
	mouse 0 "$1" "$2" m
}
# Two clicks at once, however slow the machine is: both are sent by one command.
double_click() {
	if [ "$(mux display -p -t t '#{mouse_sgr_flag}')" = 1 ]; then
		down=$(printf '\033[<0;%d;%dM' "$2" "$1")
		up=$(printf '\033[<0;%d;%dm' "$2" "$1")
		keys -l "$down$up$down$up"
	else
		at="$(printf '%x' $(($2 + 32))) $(printf '%x' $(($1 + 32)))"
		# shellcheck disable=SC2086
		keys -H 1b 5b 4d 20 $at 1b 5b 4d 23 $at 1b 5b 4d 20 $at 1b 5b 4d 23 $at
	fi
}
wheel() {
	case $1 in
	up) mouse 64 "$2" "$3" M ;;
	*) mouse 65 "$2" "$3" M ;;
	esac
}
col_of() {
	seen | LC_ALL=C.UTF-8 sed -n "/$1/{s/$1.*//;s/./x/g;s/\$/x/;p;q}" | awk '{ print length($0) }'
}
CUTOP=$(realpath "$CUTOP")
# Others may test on this machine: a name of our own, and only that.
name=cast$$
# shellcheck disable=SC2154
ln -s "$workload" "$T/$name"
# shellcheck disable=SC2034,SC2154
start="$CUTOP --no-config -d 0.3 --library $double/libcudart.so.13 -c '$name*'"

