#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The mouse, and signals to processes, in a real terminal (tmux): a click does
# what its key does, F9's signal goes to the process that was chosen, after it
# was confirmed, and to no other; the terminal gets its mouse back.
# shellcheck source=/dev/null disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/terminal.sh"

# start_one SUBCOMMAND: a process of ours; its pid is in $started
start_one() {
	"$T/$name" "$1" 120 >/dev/null 2>&1 &
	started=$!
}
# is_selected SUBCOMMAND: its name stands in the line above the pane, where that of the selected one stands
is_selected() {
	wait_for 10 selected "$1"
}
selected() {
	seen | grep -q "7 Log.* $1 $name "
}
state_of() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}
stopped() {
	[ "$(state_of "$1")" = T ]
}
running() {
	! stopped "$1"
}

# What is in the first line changes, without a key or a click.
goes_on() {
	first_line=$(seen | head -n 1)
	wait_for 10 has_changed
}
has_changed() {
	[ "$(seen | head -n 1)" != "$first_line" ]
}

screen_start 120 40
shell "$start"
check "the screen comes" see 'probes'
keys 1
start_one trainer
trainer=$started
start_one leaker
leaker=$started
start_one copier
copier=$started
check "all show" see '3 processes'
check "the mouse is asked for" wait_for 10 mouse_on

# ---- clicks and the wheel ----

click "$(row_of 'PID USER')" "$(col_of 'PID USER')"
check "a title: sorted by it" see 'PID▼'
click "$(row_of 'PID▼')" "$(col_of 'PID▼')"
check "again: inverted" see 'PID▲'
click "$(row_of "copier 120")" 5
check "a row: selected" is_selected "$copier"
check "the screen goes on after a click" goes_on
click "$(row_of "trainer 120")" 60
check "another row" is_selected "$trainer"
wheel down "$(row_of "trainer 120")" 20
check "the wheel: the next row" is_selected "$leaker"
wheel up "$(row_of "trainer 120")" 20
check "and back" is_selected "$trainer"
for button in 1 2 66 67; do
	mouse $button 8 20 M
	mouse $button 8 20 m
	check "the screen goes on after button $button, of which nothing depends" goes_on
done
click "$(row_of '2 Kernels')" "$(col_of '2 Kernels')"
check "a pane's name" see 'softmax'
click "$(row_of 'KERNEL  ')" "$(col_of 'LAUNCHES')"
check "a pane's title" see 'LAUNCHES▼'
click "$(row_of 'KERNEL  ')" "$(col_of 'LAUNCHES▼')"
check "again: inverted" see 'LAUNCHES▲'
row=$(row_of 'leaker 120')
double_click "$row" 5
check "two clicks: into the pane" see 'Enter Details'
row=$(row_of ' vectorAdd ')
double_click "$row" 20
check "and two on a row of it: its details" see 'Shape of the last launch'
keys Escape Escape
check "and back" gone 'Enter Details'
click 40 "$(col_of 'Help')"
check "a key of the bottom line" see 'Up and Down scroll\|this help'
click 3 3
check "a click: the help is gone" gone 'this help'

keys F6
check "a menu" see 'Enter sort'
click "$(row_of 'kernel launches in all')" 60
check "its line: sorted by it" see 'LAUNCHES▼'
check "and it is closed" gone 'Enter sort'
keys F6
check "a menu again" see 'Enter sort'
click 2 2
check "a click beside it closes it" gone 'Enter sort'

# ---- signals ----

click "$(row_of 'leaker 120')" 5
check "the leaker is selected" is_selected "$leaker"
keys F9
check "F9 asks which" see "Signal to $leaker $name"
keys Escape
check "Esc: none" gone 'Signal to'
keys F9
check "F9 again" see "Signal to $leaker"
click "$(row_of 'SIGSTOP ')" 60
check "a click chooses" see "Send SIGSTOP to $leaker $name"
keys n
check "what is not confirmed is not sent" gone 'Send SIGSTOP'
check "it runs" sh -c "! grep -q ') T ' /proc/$leaker/stat"
keys F9
check "F9 once more" see 'Signal to'
keys Down Down Down Down Enter
check "the fifth is SIGSTOP" see 'Send SIGSTOP'
keys y
check "y sends it" see "SIGSTOP sent to $leaker"
check "it is stopped" wait_for 10 stopped "$leaker"
check "the others are not" sh -c "! grep -q ') T ' /proc/$trainer/stat /proc/$copier/stat"
keys F9
check "F9: to end it" see 'Signal to'
keys End Home Down Down Down Enter
check "the fourth is SIGKILL" see 'Send SIGKILL'
keys y
# The name is cut: the columns leave 14 cells of this width to it.
check "it has ended" see "× $name l"
keys F9
check "no signal to what has ended" see "process $leaker has exited"
check "the others run" kill -0 "$trainer" "$copier"
keys q
check "q ends it" shell_back
check "the mouse is the terminal's again" wait_for 10 mouse_off

# ---- who has set the clock meanwhile has not made another process of it ----

shell clear
shell "env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$top_builddir/tests/e2e/bin/stepped_clock.so STEP=$T/step $start"
check "the screen comes" see "^ *$trainer "
keys 1
click "$(row_of "^ *$trainer ")" 5
check "the trainer is selected" is_selected "$trainer"
for step in 7200 -7200; do
	echo $step >"$T/step"
	hour=$(date -d "@$(($(date +%s) + step))" +%H)
	check "a step of $step s: it is later, or earlier" see " $hour:[0-5][0-9]:[0-5][0-9] "
	check "it runs" wait_for 10 running "$trainer"
	keys F9
	check "a step of $step s: F9" see "Signal to $trainer"
	keys Down Down Down Down Enter
	check "a step of $step s: SIGSTOP" see 'Send SIGSTOP'
	keys y
	check "a step of $step s: it is sent" see "SIGSTOP sent to $trainer"
	check "a step of $step s: it is stopped" wait_for 10 stopped "$trainer"
	kill -CONT "$trainer"
done
keys q
check "q ends it" shell_back

# ---- without ----

shell clear
shell "$start --no-mouse --readonly"
check "--no-mouse: the screen comes" see 'probes'
check "--no-mouse: it is not asked for" mouse_off
keys F9
check "--readonly: no signal" see 'no signals with --readonly'
keys q
check "q ends it, too" shell_back
finish
