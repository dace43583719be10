#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that read the code of others and run a translation of it, valgrind first of all: to them a breakpoint is code, and the
# program ends by SIGTRAP. What cutop says of it, and where nothing happens to them. Most of it is tried
# with a program that has the name of one and runs as ever. What valgrind itself meets cannot be told beside another
# cutop that probes everything.
# shellcheck disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
helpers=$top_builddir/tests/e2e/bin
[ -x "$helpers/loader" ] || skip "the helpers are not built"
[ "$(attach_method)" != perf ] || skip "perf links go when the guard has taken them away"
command -v pgrep >/dev/null || skip "needs pgrep (Debian: apt install procps)"
case $(uname -m) in
aarch64) machine=arm64 ;;
*) machine=amd64 ;;
esac
mkdir "$T/fake" "$T/tiny"
cp "$helpers/loader" "$T/fake/memcheck-$machine-linux"
cp "$helpers/loader" "$T/bystander$$"
fake=$T/fake/memcheck-$machine-linux
lib=$T/tiny/libcudart.so.99
cp "$helpers/libcudart.so.99" "$lib"
private_double "$T/lib"
cp "$workload" "$T/translated$$"
workload=$T/translated$$

told() {	# NAME TEXT N: there are N lines with it
	[ "$(grep -c "$2" "$T/$1.err")" = "$3" ]
}

# ---- it is told of, on standard error, in the document, and in a recording; once for its file, however often that is started

begin tell -c "*bystander$$*" --library "$lib"
load tell "$fake" "$lib" malloc 1 close open "$lib" malloc 1 say ready wait "$T/tell.go"
first=$loader
check "tell: nothing is said: $(cat "$T/tell.err")" wait_for 20 told tell "process $first is translated (valgrind): .*SIGTRAP" 1
check "tell: with what to do: $(cat "$T/tell.err")" told tell 'is translated.*--pid' 1
touch "$T/tell.go"
wait "$first"
# Other programs are not.
"$T/bystander$$" "$lib" malloc 1 >/dev/null
for _ in $(seq 3); do
	"$fake" "$lib" >/dev/null
done
end
expect tell "[.events[] | select(.kind == \"translated\") | [.pid, (.text | test(\"SIGTRAP\"))]] | map(select(.[0] == $first))" "[[$first,true]]"
check "tell: more than once: $(cat "$T/tell.err")" told tell "is translated" 1

# One that had the library before it was probed.
load early "$fake" "$lib" say ready wait "$T/early.go"
"$CUTOP" record -o "$T/early.cutop" -c "*bystander$$*" --library "$lib" 2>"$T/early.err" &
cutop=$!
check "early: nothing is said: $(cat "$T/early.err")" wait_for 20 told early "process $loader is translated" 1
kill -TERM $cutop
wait $cutop
"$CUTOP" --replay "$T/early.cutop" -b -n 1 -f json >"$T/early.json" 2>/dev/null
expect early "[.events[] | select(.kind == \"translated\" and .pid == $loader)] | length" 1

# ---- doctor finds it
"$CUTOP" doctor -f json -p "$loader" --library "$lib" >"$T/doctor.json" 2>"$T/doctor.err"
expect doctor "[.checks[] | select(.name == \"translated\") | .state, (.text | test(\"process $loader is translated .valgrind\")), (.advice | test(\"--pid\"))]" '["warning",true,true]'
touch "$T/early.go"
wait "$loader"

# ---- with -p the breakpoints are in no other program

"$T/bystander$$" "$lib" wait "$T/pids.go" &
one=$!
"$T/bystander$$" "$lib" wait "$T/pids.go" &
two=$!
has_sessions=
"$CUTOP" -b -v -n 1 -- true 2>&1 >/dev/null | grep -q 'by session links' && has_sessions=1
if [ "$has_sessions" ]; then
	for pids in $one $one,$two; do
		begin "pids$pids" -p "$pids" --library "$lib"
		"$fake" "$lib" malloc 1 >/dev/null
		end
		check "-p $pids: something is said: $(cat "$T/pids$pids.err")" told "pids$pids" 'is translated' 0
	done
else
	echo "not tried: -p, where links are for all processes"
fi

# ---- the screen says it at once
if command -v tmux >/dev/null; then
	mux new-session -d -s t -x 120 -y 30 "exec env LC_ALL=C.UTF-8 '$CUTOP' --no-config -c '*bystander$$*' --library '$lib'"
	wait_for 30 sh -c "tmux -S '$socket' capture-pane -t t -p | grep -q PID"
	load seen "$fake" "$lib" say ready wait "$T/seen.go"
	check "the screen says nothing" see "process $loader is translated (valgrind)"
	touch "$T/seen.go"
	wait "$loader"
	mux kill-server
fi

# ---- valgrind itself

LD_LIBRARY_PATH=$T/lib
export LD_LIBRARY_PATH
translate() {
	valgrind -q --tool=none "$workload" -k pairs 3 100 >/dev/null 2>&1
}
# Whether a cutop runs that this test did not start.
beside_another() {
	ps -e -o pgid= -o comm= | awk -v ours="$(ps -o pgid= -p $$)" '$2 == "cutop" && $1 != ours + 0 { found = 1 } END { exit !found }'
}
unharmed() {
	translate && return 0
	beside_another || return 1
	echo "not told: another cutop runs, and may have ended valgrind's program"
}
bare() {
	python3 "$top_srcdir/tests/e2e/breakpoints.py" none "$1" "$library" && return 0
	beside_another || return 1
	echo "not told: another cutop runs, and may have these breakpoints"
}
"$workload" loop 100000 >/dev/null 2>&1 &
one=$!
"$workload" loop 100000 >/dev/null 2>&1 &
two=$!
"$workload" loop 100000 >/dev/null 2>&1 &
three=$!
for process in $one $two $three; do
	wait_for 20 grep -q "$T/lib/libcuda.so.1" /proc/$process/maps
done
[ "$has_sessions" ] && for pids in $one $one,$two; do
	begin "real$pids" -p "$pids" --library "$library"
	command -v python3 >/dev/null && check "-p $pids: breakpoints in process $three" bare $three
	! command -v valgrind >/dev/null || check "-p $pids: valgrind's program is ended" unharmed
	end
	expect "real$pids" "[.processes[] | select(.pid == $one) | .calls | length > 0] == [true]" true
done
kill $one $two $three
wait $one $two $three 2>/dev/null
if command -v valgrind >/dev/null; then
	begin ended -c "*translated$$*" --library "$library"
	translate
	check "valgrind's program runs on: $?" [ $? = 133 ]
	check "valgrind: nothing is said: $(cat "$T/ended.err")" wait_for 20 told ended "is translated (valgrind): .*SIGTRAP" 1
	end
fi

expect_clean "all of this"
finish
