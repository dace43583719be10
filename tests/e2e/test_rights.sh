#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Rights: what cutop holds once it has started, as root and with the file capabilities that README names; that this is
# enough to watch a program of another user in a private home; that COMMAND has the rights of who started cutop.
# shellcheck disable=SC2154,SC2016,SC2086
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
command -v setcap >/dev/null || skip "needs setcap (Debian: apt install libcap2-bin)"
command -v setpriv >/dev/null || skip "needs setpriv (Debian: apt install util-linux)"
sites=$top_builddir/tests/e2e/bin/site_calls

# What README tells to set.
named=$(sed -n 's/^sudo setcap \([a-z_,]*\)+ep .*/\1/p' "$top_srcdir/README.md")
check "README names the capabilities" [ -n "$named" ]
mkdir "$T/bin"
cp "$CUTOP" "$T/bin/cutop"
chmod 755 "$T/bin" "$T/bin/cutop"
setcap "$named+ep" "$T/bin/cutop" 2>/dev/null || skip "file capabilities cannot be set in $T"
setpriv --reuid=65534 --regid=65534 --clear-groups "$T/bin/cutop" --version >/dev/null 2>&1 || skip "file capabilities do not count in $T"
# The double where everybody may read it: cutop is to follow LD_LIBRARY_PATH, which the loader takes from such programs.
private_double "$T/lib"
chmod -R a+rX "$T/lib"

# Kernels between 6.6 and 6.12 would need a fifth, if libbpf 1.1 did not get an answer from src/probe/module_types.c.
if ldd "$CUTOP" | grep -q libbpf; then
	LD_DEBUG=bindings LD_BIND_NOW=1 "$CUTOP" --version 2>&1 | grep 'bpf_btf_get_next_id' >"$T/bound"
	check "libbpf asks cutop for modules" grep -q "binding file [^ ]*libbpf[^ ]* .* to $CUTOP " "$T/bound"
	check "and no other function of that name" [ "$(wc -l <"$T/bound")" = 1 ]
fi

# mask NUMBER...: these capabilities, as /proc/PID/status has them. linux/capability.h has the numbers.
mask() {
	sum=0
	for bit; do
		sum=$((sum | 1 << bit))
	done
	printf '%016x\n' $sum
}
# lease and checkpoint_restore
lease=28
override=1 read_search=2 kill=5 ptrace=19 perfmon=38 bpf=39 restore="28 40"
four="$read_search $ptrace $perfmon $bpf"

# field FILE NAME: that line's word
field() {
	awk -v name="$2:" '$1 == name { print $2 }' "$1"
}
# Every thread of the process $1 is confined.
is_confined() {
	for task in /proc/"$1"/task/*/status; do
		[ "$(field "$task" Seccomp 2>/dev/null)" = 2 ] || return 1
	done
}
# holds WHAT PID CAPABILITIES: so does every thread of it, and can get no more
holds() {
	wait_for 20 is_confined "${2:-none}" || { fail "$1: not confined"; return; }
	for task in /proc/"$2"/task/*/status; do
		cat "$task" >"$T/status" 2>/dev/null || continue	# a thread that has ended
		got=$(for name in CapPrm CapEff CapInh CapAmb NoNewPrivs Seccomp; do field "$T/status" $name; done | paste -sd ' ')
		check "$1: holds $got" [ "$got" = "$3 $3 $(mask) $(mask) 1 2" ]
	done
}

# as WHO: the words before a command that have that user run it, in $as
as() {
	case $1 in
	root) as= ;;
	nobody) as="setpriv --reuid=65534 --regid=65534 --clear-groups" ;;
	*) as="setpriv --reuid=$1 --regid=$1 --clear-groups" ;;
	esac
}

# ---- a program of user 4242, in a home that is closed to others
private_double "$T/home/lib"
cp "$sites" "$T/home/sites"
chown -R 4242:4242 "$T/home"
chmod -R go= "$T/home"
check "the home is not closed" sh -c "! setpriv --reuid=65534 --regid=65534 --clear-groups cat '$T/home/sites' >/dev/null 2>&1"
mkfifo "$T/in"
chown 4242 "$T/in"

# ---- files that the starter names are opened with the starter's rights
mkdir "$T/private"
printf '[screen]\ntheme=TOPSECRET\n' >"$T/private/settings"
"$CUTOP" record -o "$T/private/recording" -- "$sites" 1 >/dev/null 2>&1
check "there is no recording" [ -s "$T/private/recording" ]
chmod -R go= "$T/private"
as nobody
$as "$T/bin/cutop" --replay "$T/private/recording" -b >"$T/stolen" 2>&1
check "a private recording: status $?: $(cat "$T/stolen")" grep -q 'cannot replay .*Permission denied' "$T/stolen"
TERM=xterm $as script -qec "$T/bin/cutop --config $T/private/settings" /dev/null >"$T/stolen" 2>&1 </dev/null
check "a private settings file: $(cat "$T/stolen")" grep -q 'Permission denied' "$T/stolen"
check "nothing of it is told" sh -c "! grep -q TOPSECRET '$T/stolen'"

# Libraries, those of functions, and what such a library needs: its loader would find that by a path in it.
cp -L "$library" "$T/private/libcudart.so.13"
$as "$T/bin/cutop" -b -n 1 --library "$T/private/libcudart.so.13" >"$T/stolen" 2>&1
check "a private library: status $?: $(cat "$T/stolen")" grep -q 'library .*: Permission denied' "$T/stolen"
$as "$T/bin/cutop" -b -n 1 --probe "$T/private/libcudart.so.13:cudaMalloc" >"$T/stolen" 2>&1
check "a private library's function: status $?: $(cat "$T/stolen")" grep -q 'probe .*: Permission denied' "$T/stolen"
$as "$T/bin/cutop" doctor -f json --library "$T/private/libcudart.so.13" >"$T/stolen" 2>&1
check "a private library, doctor" grep -q 'library .*: Permission denied' "$T/stolen"
mkdir "$T/lent"
cp "$T/lib/libcudart.so.13" "$T/lib/libcuda.so.1" "$T/lent"
ln -s "$T/private/libcudart.so.13" "$T/lent/libcudart.so.12"
$as "$T/bin/cutop" -b -v -n 1 -d 0.1 -p $$ --library "$T/lent/libcudart.so.13" >/dev/null 2>"$T/lent.err"
check "a library of one's own: $(cat "$T/lent.err")" grep -q "lent/libcudart.so.13: .* attached" "$T/lent.err"
check "what it needs: $(cat "$T/lent.err")" grep -q "lent/libcuda.so.1: .* attached" "$T/lent.err"
LD_LIBRARY_PATH=$T/private $as "$T/bin/cutop" -b -v -o /dev/null -- "$bin/workload" --help >/dev/null 2>"$T/lent.err"
check "what COMMAND would find: $(cat "$T/lent.err")" sh -c "! grep -q 'private/libcudart.so.13: .* attached' '$T/lent.err'"

# A program says where its debug file lies, and its owner what lies there.
mkdir "$T/lent/.debug"
objcopy --only-keep-debug "$sites" "$T/private/sites.debug"
cp "$sites" "$T/lent/sites"
strip "$T/lent/sites"
(cd "$T/lent" && objcopy --add-gnu-debuglink="$T/private/sites.debug" sites)
for who in theirs ours; do
	case $who in
	theirs) ln -s "$T/private/sites.debug" "$T/lent/.debug/sites.debug" ;;
	ours) rm "$T/lent/.debug/sites.debug" && install -m 644 "$T/private/sites.debug" "$T/lent/.debug/sites.debug" ;;
	esac
	LD_LIBRARY_PATH=$T/lent $as "$T/bin/cutop" -b -f json -n 1 -- "$T/lent/sites" 1 >"$T/$who.json" 2>"$T/$who.err"
	named=$(jq -c '[.processes[].sites[] | .site | test("site_calls.c:[0-9]+|make")] | any' "$T/$who.json")
	[ "$who" = theirs ] || check "the starter's debug file is not read: $(cat "$T/$who.err")" [ "$named" = true ]
	[ "$who" = ours ] || check "a private debug file is read: $(jq -c '[.processes[].sites[].site]' "$T/$who.json")" [ "$named" = false ]
done

# What describes terminals is the system's.
if command -v tic >/dev/null; then
	infocmp -x xterm | sed 's/^xterm|/cutop-own|/' >"$T/own.info"
	mkdir -p "$T/lent/.terminfo"
	tic -x -o "$T/lent/.terminfo" "$T/own.info" 2>/dev/null
	chmod -R a+rX "$T/lent"
	for where in TERMINFO="$T/lent/.terminfo" TERMINFO_DIRS="$T/lent/.terminfo" HOME="$T/lent"; do
		env TERM=cutop-own "$where" $as script -qec "$T/bin/cutop --no-config --duration 0.1" /dev/null >"$T/stolen" 2>&1 </dev/null
		check "$where: is read: $(head -c 300 "$T/stolen")" grep -q "terminal 'cutop-own' is not known" "$T/stolen"
		# That it would be read without rights.
		env TERM=cutop-own "$where" $as script -qec "$CUTOP --no-config --duration 0.1" /dev/null >"$T/stolen" 2>&1 </dev/null
		check "$where: is not read at all: $(head -c 300 "$T/stolen")" sh -c "! grep -q 'is not known' '$T/stolen'"
	done
fi

# sites NAME PID: that process is seen, from its first call, with all names
sites_expect() {
	jq -c ".processes |= map(select(.pid == $2))" "$T/$1.all" >"$T/$1.json"
	expect "$1" 'p | [.user, .watched_from, .state, .inexact]' '["4242","start","running",false]'
	expect "$1" 'p.memory | [.allocations, .live_bytes]' '[4,12100]'
	expect "$1" '[p.sites[] | .live_bytes] | add' 12100
	expect "$1" '[p.sites[].site | test("^make[+]0x[0-9a-f]+ at site_calls.c:[0-9]+ [(]sites[)]$")] | unique' '[true]'
}

# watcher WHO: watches as that, and starts such a program after cutop has given up what it does not need
watcher() {
	who=$1
	cutop_file=$CUTOP
	[ "$who" = root ] || cutop_file=$T/bin/cutop
	# A running program makes the library known. The user nobody may not name it.
	mkfifo "$T/$who.holder"
	chown 4242 "$T/$who.holder"
	as 4242
	LD_LIBRARY_PATH=$T/home/lib $as "$T/home/sites" 1 wait <"$T/$who.holder" &
	holder=$!
	exec 4>"$T/$who.holder"
	wait_for 20 grep -q "$T/home/lib/libcudart.so.13" /proc/$holder/maps
	as "$who"
	$as "$cutop_file" -b -v -f json -d 0.1 -u 4242 >"$T/$who.out" 2>"$T/$who.err" &
	cutop=$!
	if [ "$who" = root ]; then
		holds "$who" $cutop "$(mask $four $restore)"
		check "root: nor may it get more" [ "$(field /proc/$cutop/status CapBnd)" = "$(mask $four $restore)" ]
	else
		holds "$who" $cutop "$(mask $four)"
	fi
	as 4242
	LD_LIBRARY_PATH=$T/home/lib $as "$T/home/sites" 1 wait <"$T/in" &
	program=$!
	exec 3>"$T/in"
	sites_seen() {
		newest "[.processes[] | select(.pid == $program and .memory.allocations == 4)] | length == 1" "$who" &&
			tail -n 1 "$T/$who.out" | grep -q 'at site_calls.c'
	}
	check "$who: what another user runs is not seen: $(cat "$T/$who.err")" wait_for 20 sites_seen
	# What may be lost holds what it takes to read files and memory of others, and nothing open but its socket. At work it has
	# the file as well, and what identifies it; another test's file may take it long.
	errands=$(pgrep -P $cutop -x cutop-errands)
	check "$who: no process does errands" [ -n "$errands" ]
	errands_are_bare() {
		for errand in $errands $(pgrep -P "${errands:-1}" -x cutop-errands); do
			! ls -l /proc/"$errand"/fd | grep -e '->' | grep -qv -e 'socket:' -e 'anon_inode:.signalfd' || return 1
		done
	}
	check "$who: errands have open: $(ls -l /proc/"$errands"/fd)" wait_for 60 errands_are_bare
	for errand in $errands $(pgrep -P "${errands:-1}" -x cutop-errands); do
		if [ "$who" = root ]; then
			holds "$who, errands" "$errand" "$(mask $read_search $ptrace 40)"
		else
			holds "$who, errands" "$errand" "$(mask $read_search $ptrace)"
		fi
		check "$who: errands map: $(grep anon_inode /proc/"$errand"/maps)" sh -c "! grep -q anon_inode /proc/$errand/maps"
	done
	# The process that holds the links may release leases on others' files, and the one that reads lines of source nothing.
	guard=$(pgrep -P $cutop -x cutop-guard)
	check "$who: no process holds the links" [ -n "$guard" ]
	# Built with a sanitizer, it keeps what that needs.
	if [ "$who" = root ]; then
		is_sanitized || holds "$who, guard" "$guard" "$(mask $lease)"
	else
		is_sanitized || holds "$who, guard" "$guard" "$(mask)"
	fi
	lines=$(pgrep -P $cutop -x cutop-lines)
	check "$who: nobody reads lines" [ -n "$lines" ]
	holds "$who, lines" "$lines" "$(mask)"
	kill -INT $cutop
	wait $cutop
	tail -n 1 "$T/$who.out" >"$T/$who.all"
	exec 3>&- 4>&-
	wait $program $holder
	sites_expect "$who" $program
	check "$who: a right was missing: $(cat "$T/$who.err")" sh -c "! grep -Ei 'permission|give up|refuse system' '$T/$who.err'"
}
watcher root
watcher nobody

# earlier NAME LIBRARIES WORDS...: a program that runs before cutop does, started so, is found by its libraries
earlier() {
	name=$1
	libraries=$2
	shift 2
	"$@" 1 wait <"$T/in" &
	program=$!
	exec 3>"$T/in"
	wait_for 20 grep -q "$libraries/libcuda.so.1" /proc/$program/maps
	as nobody
	$as "$T/bin/cutop" -b -v -n 1 -d 0.1 -p $program >/dev/null 2>"$T/earlier.err"
	check "$name: $(cat "$T/earlier.err")" grep -q "$libraries/libcudart.so.13: .* attached" "$T/earlier.err"
	exec 3>&-
	wait $program
}

# ---- one that runs before cutop does
as 4242
earlier "a process of another user that ran before" "$T/home/lib" env LD_LIBRARY_PATH="$T/home/lib" $as "$T/home/sites"

# ---- one that changed its root: maps has paths from elsewhere, and map_files, which would help, needs a right that nobody has
mkdir -p "$T/jail/lib"
libraries_below "$T/jail" "$sites" "$double/libcudart.so.13" "$double/libcuda.so.1"
private_double "$T/jail/lib"
cp "$sites" "$T/jail/sites"
earlier "a process with a root of its own" "$T/jail/lib" env LD_LIBRARY_PATH=/lib chroot "$T/jail" /sites

# ---- COMMAND has the rights, and the environment, of who started cutop
rights='grep -E "^(Uid|Gid|Groups|Cap...|NoNewPrivs|Seccomp):" /proc/self/status; ulimit -n; echo "$LD_LIBRARY_PATH|$TMPDIR"'
export LD_LIBRARY_PATH="$T/lib" TMPDIR=/nowhere
for who in root nobody; do
	as $who
	$as sh -c "$rights" >"$T/plain"
	cutop_file=$CUTOP
	[ $who = root ] || cutop_file=$T/bin/cutop
	$as "$cutop_file" -b -o /dev/null -- sh -c "$rights" >"$T/command" 2>"$T/command.err"
	check "$who: COMMAND's rights differ: $(diff "$T/plain" "$T/command")" cmp -s "$T/plain" "$T/command"
done
check "COMMAND ran as nobody" grep -q '^Uid:.65534' "$T/command"
# Its library is known ahead, though that variable is kept from cutop itself.
cp "$bin/workload" "$T/program"
$as "$T/bin/cutop" -b -f json -n 1 -- "$T/program" case-study leak >"$T/ahead.json" 2>"$T/ahead.err"
expect ahead 'p | [.watched_from, .memory.leaked_bytes, .user]' '["start",8000000,"nobody"]'
unset LD_LIBRARY_PATH TMPDIR
# Ambient capabilities are the starter's own: COMMAND keeps them, cutop does not.
cp "$CUTOP" "$T/bin/plain"
setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+bpf,+perfmon,+kill --ambient-caps=+bpf,+perfmon,+kill -- \
	"$T/bin/plain" -b -o /dev/null -- grep CapAmb /proc/self/status >"$T/ambient" 2>&1
check "COMMAND keeps what is ambient: $(cat "$T/ambient")" grep -q "CapAmb:.$(mask $kill $perfmon $bpf)" "$T/ambient"

# ---- other modes. One that runs COMMAND as somebody else has to be able to end it.
holds_in() {	# NAME CAPABILITIES cutop's options
	name=$1
	want=$2
	shift 2
	start "$name" "$@"
	holds "$name" $cutop "$want"
	kill -TERM $cutop 2>/dev/null
	wait $cutop
}
holds_in trace "$(mask $four $restore)" trace -o "$T/x"
holds_in record "$(mask $four $restore)" record -o "$T/x"
holds_in command "$(mask $kill $four $restore)" -b -o /dev/null -- sleep 100
holds_in listen "$(mask $four $restore)" -b --listen 127.0.0.1:0
holds_in replaced "$(mask 0 $override 3 $four $restore)" -b -f prometheus -o "$T/x"

# ---- the screen keeps what its keys take, unless it is to touch nothing
if command -v tmux >/dev/null; then
	own_user 4243
	as 4243
	LD_LIBRARY_PATH=$T/own/lib $as "$workload" loop 3600 >/dev/null &
	victim=$!
	mux new-session -d -s t -x 120 -y 30 "exec env LC_ALL=C.UTF-8 '$CUTOP' --no-config -p $victim"
	check "the screen shows it" see "$victim 4243"
	holds screen "$(mux list-panes -t t -F '#{pane_pid}')" "$(mask 0 $override 3 $kill $four $restore)"
	mux send-keys -t t F9
	check "F9 asks" see 'SIGTERM\|15'
	mux send-keys -t t Enter
	check "and asks again, or sends" see "signal 15 sent\|y/n\|(y)\|Send\|send"
	mux send-keys -t t y
	check "F9 ends another user's process" wait_for 10 sh -c "! kill -0 $victim 2>/dev/null || grep -q 'State:.Z' /proc/$victim/status"
	mux kill-server
fi
expect_clean "all of this"
finish
