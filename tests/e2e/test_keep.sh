#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What keys change on the screen stays for the next time where there is a settings file, which W makes; not after "keep_changes = no" and
# with --no-config. A recording is shown, or a shell that calls nothing of CUDA's.
# shellcheck source=/dev/null disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/terminal.sh"
recording=$top_srcdir/tests/recordings/python.cutop
file=$T/rc/cutop/cutoprc
screen="env XDG_CONFIG_HOME=$T/rc $CUTOP --replay $recording"

# Waits until the settings file has a line: what changes is written beside the snapshots.
has_line() {
	wait_for 10 grep -qx "$1" "$file"
}

screen_start 100 30
shell "$screen"
check "the screen comes" see 'Quit'
keys 2 K q
check "it ends" shell_back
check "nothing is written" [ ! -e "$file" ]

shell clear
shell "$screen"
check "the screen comes again" see 'Quit'
keys 2 W
check "W says where it saves" see "saved $file"
keys q
check "it ends" shell_back
check "the pane is kept" has_line 'pane = Kernels'
check "the rest is as it was" has_line 'sort = live'
shell clear
shell "$screen"
check "the kept pane is shown" see 'KERNEL'
keys q
check "it ends" shell_back

shell clear
shell "env XDG_CONFIG_HOME=$T/rc $CUTOP -d 0.2 --sort pid -p $$"
check "a live screen comes" see 'No CUDA program'
keys t
check "what a key changes is written while it runs" has_line 'tree = yes'
check "what an option says is not" has_line 'sort = live'
keys 3 q
check "it ends" shell_back
check "what was changed last is kept, too" has_line 'pane = Copies'

shell clear
cp "$file" "$T/before"
shell "$screen --no-config"
check "--no-config: the screen comes" see 'Quit'
keys 5 q
check "it ends" shell_back
check "the file is as before" cmp -s "$file" "$T/before"

shell clear
printf '[screen]\nkeep_changes = no\n' >"$file"
shell "$screen"
check "after keep_changes = no: the screen comes" see 'Quit'
keys 2 q
check "it ends" shell_back
check "and writes nothing" [ "$(wc -l <"$file")" = 2 ]

shell clear
printf '[screen]\ntheme = lihgt\n' >"$file"
shell "$screen"
check "a mistake in the file: it is told" see "theme cannot be 'lihgt'"
keys 2 q
check "and it is told that nothing is saved" see 'settings are not saved: .*lihgt'
check "the file is left as it is" grep -qx 'theme = lihgt' "$file"

shell clear
echo >"$T/occupied"
shell "env XDG_CONFIG_HOME=$T/occupied $CUTOP --replay $recording"
check "no place for a file: the screen comes" see 'Quit'
keys W q
check "it is told that nothing could be saved" see "settings are not saved: .*$T/occupied"
finish
