#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A library that nothing leads to (a plugin's, by dlopen(3)): where the kernel allows it the thread that loads waits until it is
# probed, and the calls of its constructor are counted. What else the program does is not touched: no system call is
# interrupted, no signal, tracer or cgroup is to be seen. Where the kernel does not allow it, the process is late, and says so.
# CUTOP_TEST_HOLD, in milliseconds, has cutop wait for longer: an emulated machine takes ten times as long to place probes.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

held=$top_builddir/tests/e2e/bin/held
held_plugin=$top_builddir/tests/e2e/bin/libheld.so
[ -x "$held" ] && [ -e "$held_plugin" ] || skip "the helpers are not built"

# plugin FOLDER: the plugin and its libraries there, which no process has had in hand; its path is $plugin
plugin() {
	private_double "$1"
	plugin=$1/libheld.so
	cp "$held_plugin" "$plugin"
}

# harmless NAME: the program met nothing
harmless() {
	for line in 'interrupted 0' 'signals 0' 'TracerPid:	0' 'cgroup unchanged'; do
		check "$1: not '$line': $(cat "$T/$1.out")" grep -qx "$line" "$T/$1.out"
	done
}

# milliseconds NAME: how long its longest load took, rounded up
milliseconds() {
	awk '/^loaded / && $3 > most { most = $3 } END { print int(most) + 1 }' "$T/$1.out"
}

plugin "$T/plugin"
watch plugin --hold -v -- "$held" "$plugin"
harmless plugin
if grep -q -e '--hold: this kernel .* lets no thread wait' "$T/plugin.err"; then
	echo "this kernel lets no thread wait: libraries met on the way are late, as marked"
	# It may be gone before cutop has looked. What is seen of it is marked.
	expect plugin '[.processes[] | select(.memory.allocations > 0) | .watched_from] - ["attach"]' '[]'
	finish
fi
check "nothing waits: $(cat "$T/plugin.err")" grep -q 'threads that load a library wait' "$T/plugin.err"

rounds='1 2 3 4 5 6 7 8'
[ -z "${CUTOP_TEST_HOLD:-}" ] || rounds='1 2'

# ---- exact from the first call on, over and over: what is a matter of luck fails sooner or later
exact() {
	expect "$1" 'p.watched_from' '"start"'
	expect "$1" 'p.memory | [.allocations, .frees, .leaked_bytes]' '[2,1,4096]'
	expect_nothing_lost "$1"
}
exact plugin
for i in $rounds; do
	plugin "$T/again-$i"
	watch "again-$i" --hold -- "$held" "$plugin"
	exact "again-$i"
	harmless "again-$i"
done
# By a program that a script starts, with an environment that is not ours, and that is a child of a child.
plugin "$T/nested"
watch nested --hold -- env -i sh -c "'$held' '$plugin'; exit 0"
exact nested
# Several at a time, each with a plugin of its own.
set --
for i in 1 2 3 4; do
	plugin "$T/side-$i"
	set -- "$@" "$plugin"
done
# shellcheck disable=SC2016
watch side --hold -- sh -c 'for plugin; do "$0" "$plugin" & done; wait' "$held" "$@"
expect side '[.processes[] | [.watched_from, .memory.allocations, .memory.frees]] | unique' '[["start",2,1]]'
expect side '.processes | length' 4
# A library that was looked at is not waited for again.
watch again --hold -- "$held" "$T/nested/libheld.so"
exact again

# ---- off
plugin "$T/off"
watch off -v -- "$held" "$plugin"
harmless off
check "without --hold: $(cat "$T/off.err")" sh -c '! grep -q "threads that load" "$1"' - "$T/off.err"

# ---- a cutop that does not answer: the program goes on after the bound, once, and is late
plugin "$T/stopped-1"
first=$plugin
plugin "$T/stopped-2"
"$CUTOP" -b -f json -n 1 --hold -- sh -c 'touch "$1/ready"; while [ ! -e "$1/go" ]; do sleep 0.05; done; "$0" "$2" "$3"; touch "$1/done"' \
	"$held" "$T" "$first" "$plugin" >"$T/stopped.out" 2>"$T/stopped.err" &
cutop=$!
check "the program does not start" wait_for 60 test -e "$T/ready"
kill -STOP $cutop
touch "$T/go"
check "the program does not go on while cutop is stopped" wait_for 60 test -e "$T/done"
kill -CONT $cutop
wait $cutop
grep '^{"schema"' "$T/stopped.out" | tail -n 1 >"$T/stopped.json"
harmless stopped
check "it waits $(milliseconds stopped) ms for a cutop that is stopped" [ "$(milliseconds stopped)" -lt $((${CUTOP_TEST_HOLD:-50} + 450)) ]
expect stopped '[.processes[] | select(.memory.allocations > 0) | .watched_from] - ["attach"]' '[]'

# ---- a thread that comes before all others
if command -v chrt >/dev/null && chrt -f 1 true 2>/dev/null; then
	plugin "$T/first"
	watch first --hold -- chrt -f 1 "$held" "$plugin"
	harmless first
	check "it waits, and lets nothing else run" [ "$(milliseconds first)" -lt 45 ]
fi
finish
