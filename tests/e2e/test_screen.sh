#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The screen in a real terminal (tmux), over programs on the double: what it shows, what keys do,
# and that the terminal is restored however cutop ends.
# shellcheck source=/dev/null disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/terminal.sh"

# A terminal it needs, and says so.
"$CUTOP" </dev/null >"$T/out" 2>"$T/err"
check "no terminal: exit 2" [ $? = 2 ]
check "no terminal: names --batch" grep -q -e '--batch' "$T/err"

screen_start 120 40
stty_save before

# One that it cannot use, too, before COMMAND runs.
for terminal in "" nosuch-terminal; do
	shell clear
	shell "TERM=$terminal $CUTOP -- touch $T/ran; echo status \$?."
	check "TERM='$terminal': it says so" see 'use --batch'
	check "TERM='$terminal': the status" see 'status 1'
	check "TERM='$terminal': nothing is run" [ ! -e "$T/ran" ]
done
shell clear
shell "$start"
check "the screen comes" see 'probes'
for subcommand in leaker trainer failing copier; do
	"$T/$name" "$subcommand" 120 >/dev/null 2>&1 &
done
check "a process shows" see "$name trainer"
check "all show" see '4 processes'

keys L
check "L sorts by leaked" see 'LEAKED▼'
check "the leaker is above the trainer" above 'leaker 120' 'trainer 120'
keys P
check "P sorts by pid" see 'PID▼'
keys I
check "I inverts" see 'PID▲'
keys M
check "M sorts by live" see 'LIVE▼'
keys F6
check "F6 asks" see 'Sort by'
keys Escape
check "Esc closes" gone 'Sort by'

check "pane: findings" see 'asynchronous H2D copies'
keys 1 /
keys trainer Enter
check "search selects" see '7 Log.* [0-9][0-9]* cast'
keys 2
check "pane: kernels" see 'softmax'
keys 1
check "pane: memory" see 'ADDRESS'
keys 3
check "pane: copies" see 'THROUGHPUT'
keys 4
check "pane: failures" see 'No call has failed'
keys 5
check "pane: calls" see 'cudaMalloc'
keys 6
check "pane: sites" see 'SITE .*LIVE'
keys 7
check "pane: log" see 'WHAT HAPPENED'
keys 2 z
check "z: full height" gone 'leaker 120'
keys Escape
check "Esc: back" see 'leaker 120'
keys Enter Enter
check "Enter: details of a kernel" see 'Time of the launch call on the CPU'
keys Escape
check "Esc: the list" see 'KERNEL  '
keys Escape
keys F1
check "help" see 'freeze the view'
keys Escape
keys F2
check "settings" see 'First pane'
keys Escape

# shellcheck disable=SC1003
keys '\'
keys failing
check "filter as it is typed" gone 'leaker 120'
keys Enter
check "the filter stays in sight" see 'filter failing (3 hidden)'
keys Escape Escape
check "Esc ends the filter" see 'leaker 120'

# What a terminal sends for a key that its description lacks, and what is pasted, are no keys.
keys 2
keys -l "$(printf '\033[1;5Z\033]0;17q\007\033O5\033[[B')"
keys n
check "an unknown key is none" see 'nothing to search for'
check "and leaves the pane alone" see 'KERNEL  '
check "and the order" gone 'H2D/s▼'
# shellcheck disable=SC1003
keys '\'
keys -l "$(printf 'fai\033[31mling\033[0m')"
check "colours pasted into a filter are left out" see 'Filter failing█'
keys Escape
keys -l '['
keys 1
check "Esc and [ are two keys" see 'ADDRESS'
check "the filter is gone" see 'leaker 120'

printf '\033[20;10Hsomebody has written this' >"$(mux display -p -t t '#{pane_tty}')"
check "somebody writes over the screen" see 'somebody has written this'
keys C-l
check "Ctrl-L draws it anew" gone 'somebody has written this'

keys Space
check "freeze" see 'FROZEN'
frozen=$(seen | grep 'launch ')
sleep 1
check "nothing moves" [ "$frozen" = "$(seen | grep 'launch ')" ]
keys Space
check "unfreeze" gone 'FROZEN'
keys x
check "baseline" see 'since [0-9]'
keys x
keys t
keys t
keys d
check "delay asks" see 'Delay'
keys Escape
keys Space
check "freeze again" see 'FROZEN'
keys w
check "w writes" see 'wrote cutop-'
keys w
check "and again, what is the same second's, beside it" see 'wrote cutop-[0-9]*-[0-9]*-2.json'
keys Space
check "and it is JSON" [ "$(jq -s '[.[].schema]' -c "$T"/cutop-*.json)" = '[1,1]' ]

# A signal to two of them, named before it is sent.
keys / failing Enter
keys T
keys / copier Enter
keys T
check "tags: their number" see '2 tagged'
keys F9
check "tags: the menu is about both" see 'Signal to 2 processes'
keys Enter
check "tags: the question names them" see "[0-9] $name *"
keys y
check "tags: both got it" see 'SIGTERM sent to 2 processes'
check "tags: both end" see '2 processes\|killed by SIGTERM.*'
check "tags: and no others" [ "$(pgrep -c -f "$T/$name (leaker|trainer) 120")" = 2 ]

for size in "80 24" "40 10" "20 5" "10 3" "1 1" "200 60" "120 40"; do
	# shellcheck disable=SC2086
	set -- $size
	mux resize-window -t t -x "$1" -y "$2"
	sleep 0.3
done
check "resized, it still runs" see 'probes'

keys C-z
check "Ctrl-Z gives the shell back" shell_back
stty_save stopped
check "Ctrl-Z: the terminal is as before" cmp "$T/before" "$T/stopped"
shell fg
check "fg brings the screen back" see 'processes .*probes'
kill -STOP "$(cutop_pid)"
check "stopped by force: the shell" shell_back
shell clear
shell fg
check "fg brings the screen back again" see 'processes .*probes'
keys 7
check "and keys are read" see 'WHAT HAPPENED'
keys q
check "q ends it" shell_back
shell "echo status \$?"
check "q: status 0" see 'status 0'
stty_save after-q
check "q: the terminal is as before" cmp "$T/before" "$T/after-q"

for signal in TERM INT HUP SEGV ABRT BUS; do
	shell clear
	shell "$start"
	check "$signal: the screen comes" see 'probes'
	killed=$(cutop_pid)
	kill -"$signal" "$killed"
	check "$signal: it ends" wait_for 30 ended "$killed"
	check "$signal: the shell is back" shell_back
	shell clear
	shell "echo status \$?."
	stty_save "after-$signal"
	check "$signal: the terminal is as before" cmp "$T/before" "$T/after-$signal"
done
shell "$start; echo status \$?."
check "TERM again" see 'probes'
kill -TERM "$(cutop_pid)"
check "TERM: status 143" see 'status 143'
shell clear
shell "$start; echo status \$?."
check "SEGV again" see 'probes'
kill -SEGV "$(cutop_pid)"
check "SEGV: status 139" see 'status 139'

# A terminal without a screen apart for programs: the keys do not stay below what the shell writes.
shell clear
shell "TERM=vt100 $start; echo status \$?."
check "vt100: the screen comes" see 'F1 Help'
keys q
check "vt100: the status" see 'status 0'
check "vt100: the last line is the shell's" gone 'F1 Help\|Search'

# COMMAND: its end does not end the screen, its status is ours, and what it wrote comes after.
shell clear
shell "$CUTOP --no-config -d 0.3 --library $double/libcudart.so.13 -- sh -c '$workload case-study leak; echo from the command; exit 7'; echo status \$?."
check "COMMAND: it shows" see 'command ended'
check "COMMAND: what it writes does not disturb" gone 'from the command'
keys q
check "COMMAND: its status" see 'status 7'
check "COMMAND: what it wrote" see 'from the command'
check "COMMAND: the leak report" see 'leaked [0-9]* bytes'

# Cleared from the list, what it leaked still counts.
shell clear
shell "$CUTOP --no-config -d 0.3 --fail-on-leak -- $workload case-study leak; echo status \$?."
check "a leak: it shows" see 'command ended'
check "a leak: in the totals" see '7.6M leaked'
keys X
check "X clears the list" see ' 0 processes'
check "X: the totals keep the leak" see '7.6M leaked'
keys q
check "X: --fail-on-leak still finds it" see 'status 3\.'

# The details of a site have the ways to it, each with its stack.
shell clear
shell clear
shell "$CUTOP --no-config -d 0.3 -- $T/$name leaker 120; echo status \$?."
check "Ctrl-C: the screen" see 'VRAM  *[1-9].* live'
keys C-c
check "Ctrl-C asks while COMMAND runs" see 'The command still runs'
keys Escape
check "which one may refuse" gone 'The command still runs'
keys / abc C-c
check "it asks also while something is typed" see 'The command still runs'
keys C-c
check "a second one is the answer, and the leaks are told" see 'leaked [0-9]* bytes'
check "COMMAND was ended" see 'status 143'
shell clear
shell "$CUTOP --no-config -d 0.3 -- $top_builddir/tests/e2e/bin/site_calls"
check "stacks: it shows" see 'command ended'
keys 6
check "stacks: sites" see 'make+.* at site_calls.c:'
keys z
keys Enter
check "stacks: the ways" see '← second+0x[0-9a-f]* at site_calls.c:'
check "stacks: the way" see '^ *third+0x[0-9a-f]* at site_calls.c:.* (site_calls)'
keys q
check "stacks: the shell is back" shell_back
# What is never to be shown as a site may stand in the settings file.
printf '[screen]\npane = Sites\nsite_skip = make second*\n' >"$T/skipping"
shell clear
shell "$CUTOP --config $T/skipping --site-skip 'fir*' -d 0.3 -- $top_builddir/tests/e2e/bin/site_calls"
check "site_skip: it shows" see 'command ended'
check "site_skip: callers are the sites" see '^ *third+0x.* at site_calls.c:'
check "site_skip: both are left out" [ "$(seen | grep -cE '^.?(make|second|first)[+]')" = 0 ]
keys q
check "site_skip: the shell is back" shell_back
# So may descriptions of pools.
echo 'pool' >"$T/nameless.pool"
printf '[screen]\npool = %s\n' "$T/nameless.pool" >"$T/pooling"
shell clear
shell "$CUTOP --config $T/pooling -- true"
check "pool: the file is not read" see "nameless.pool:1: a pool has a name"
check "pool: the shell is back" shell_back

# --help breaks its lines between words, where the terminal is narrow.
mux resize-window -t t -x 70 -y 24
sleep 0.3
shell clear
shell "$CUTOP --help"
check "--help in 70 columns" see '^ \{31\}and why something is not$'
mux resize-window -t t -x 120 -y 40

# As many colours as the terminal has: 24 bits, 256, 8, none.
# colors PATTERN VARIABLES: what it draws has PATTERN (a basic regular expression), drawn with VARIABLES set
colors() {
	shell clear
	shell "env $2 $start"
	see 'probes' && see 'PID' || return 2
	mux capture-pane -e -t t -p | grep -q -e "$1"
	found=$?
	keys q
	shell_back && return $found
}
check "24-bit colours" colors '48;2;43;49;56m' COLORTERM=truecolor
check "256 colours" colors '48;5;236m' COLORTERM=
check "24 bits from the terminal outside, in GNU screen" colors '48;5;236m' 'TERM=screen-256color TMUX= COLORTERM=truecolor'
check "8 colours" colors '\[36m' 'TERM=screen TMUX= COLORTERM='
no_colors() {
	colors "$@"
	[ $? = 1 ]
}
check "8 colours: no others" no_colors '[34]8;[25];' 'TERM=screen TMUX= COLORTERM='
check "NO_COLOR" no_colors '\[[34][0-8][;m]' 'NO_COLOR=1 COLORTERM=truecolor'

# A process that only the driver lists is a row like others; not where others are asked for.
sleep 1000 &
idle=$!
printf 'device UUID=GPU-1 NAME=H100 BUS=0:1:0 TOTAL=85899345920 USED=5000000000\nprocess 0 %s 3221225472\n' $idle >"$T/nvml"
driver="LD_LIBRARY_PATH=$(realpath "$double/nvml") CUDA_DOUBLE_NVML=$T/nvml"
shell clear
shell "$driver $CUTOP --no-config -d 0.3 --sort used"
check "listed: the screen comes" see 'probes'
keys '\'
keys "pid:$idle" Enter
check "listed: its row" see "^ *$idle .*3.0G.* sleep *\$"
keys '\'
keys C-u nosuch Enter
check "listed: it is filtered" gone "^ *$idle .* sleep"
keys q
shell_back
shell clear
shell "$driver $start"
check "others: the screen comes" see 'probes'
check "others: the driver has answered" see 'H100'
check "others: no row" sh -c "! tmux -S $socket capture-pane -t t -p | grep -q '^ *$idle .* sleep'"
keys q
shell_back
kill $idle

# In ASCII nothing else is shown.
shell clear
shell "LC_ALL=C $start --ascii"
check "ascii: the screen comes" see 'probes'
sleep 0.5
check "ascii: only that" sh -c "! tmux -S $socket capture-pane -t t -p | LC_ALL=C grep -q '[^ -~]'"
keys q
finish
