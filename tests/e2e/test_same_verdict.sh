#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a program leaks and what a cache holds is the same however cutop came to watch it: started below it, by its number, with
# all others, from a recording; whichever layer was seen; and if cutop looks only after the program has ended and its files are
# gone. Where the caller of the runtime cannot be known, neither is said.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
bin_e2e=$top_builddir/tests/e2e/bin
[ -x "$bin_e2e/tensors" ] || skip "the helpers are not built"
MIB=1048576

# ---- four programs: PyTorch's allocator as it is and without its reports, a pool of one's own, and a leak

# files: all that they load, where nobody else's probes are. The runtime and the driver are in folders of their own.
files() {
	rm -rf "$T/files"
	mkdir -p "$T/files/cache" "$T/files/pool" "$T/files/torch" "$T/files/runtime" "$T/files/driver"
	cp -L "$double/libcudart.so.13" "$T/files/runtime"
	cp -L "$double/libcuda.so.1" "$T/files/driver"
	cp "$bin_e2e/torch/libc10.so" "$bin_e2e/torch/libc10_cuda.so" "$bin_e2e/tensors" "$T/files/torch"
	cp "$bin_e2e/libc10_cuda.so" "$bin_e2e/c10" "$T/files/cache"
	# A file is called as the kernel sees it.
	cp "$bin_e2e/libc10_cuda.so" "$T/files/pool/libpool.so"
	ln -s libpool.so "$T/files/pool/libc10_cuda.so"
	cp "$bin_e2e/c10" "$T/files/pool/pooled"
	cp "$bin_e2e/c10" "$T/files/cache/leaky"
}

# program NUMBER: runs it instead of this shell
cat >"$T/program" <<END
folder=\$(echo 'torch cache pool cache' | cut -d ' ' -f \$1)
LD_LIBRARY_PATH=$T/files/\$folder:$T/files/runtime:$T/files/driver
export LD_LIBRARY_PATH
case \$1 in
1) exec $T/files/torch/tensors keep:4194304 ;;
2) exec $T/files/cache/c10 m:$((20 * MIB)) m:$((2 * MIB)) ;;
3) exec $T/files/pool/pooled m:7000 own:11 ;;
4) exec $T/files/cache/leaky own:5 own:6 m:$((20 * MIB)) ;;
esac
END

cat >"$T/all" <<END
for number in 1 2 3 4; do sh '$T/program' \$number </dev/null; done
END

# last NAME WANTED: leaked, held, suspect and live bytes of each program, in the end
last() {
	grep '^{"schema".*}$' "$T/$1.out" | tail -n 1 >"$T/$1.json"
	expect "$1" '[.processes[] | select(.memory.allocations > 0) |
		(.command + " " + (.arguments // "") | capture("'"$T"'/files/[a-z]*/(?<name>[a-z0-9]*)").name) as $name |
		[$name, (.memory | .leaked_bytes, .held_bytes, .suspect_bytes, .live_bytes)]] | sort' "$2"
}
wanted="[[\"c10\",0,$((22 * MIB)),0,0],[\"leaky\",11,$((20 * MIB)),0,0],[\"pooled\",11,7000,0,0],[\"tensors\",0,$((16 * MIB)),0,0]]"
# Of the tensors, the allocator itself tells whose the memory is.
unknown="[[\"c10\",0,0,$((22 * MIB)),0],[\"leaky\",0,0,$((20 * MIB + 11)),0],[\"pooled\",0,0,7011,0],[\"tensors\",0,$((16 * MIB)),0,0]]"

# As it is told by native stacks, which need no frame pointers on x86-64
by_stack=$wanted
[ "$(uname -m)" = x86_64 ] || by_stack=$unknown

# What is probed ahead: the driver and what tells of tensors; and the runtime, whose calls hide the driver's
driver="--library $T/files/driver/libcuda.so.1 --library $T/files/torch/libc10.so"
both="--library $T/files/runtime/libcudart.so.13 $driver"

# start NAME OPTIONS...: starts it; what it shows is in $T/NAME.out, what it records in $T/NAME.cutop
start() {
	name=$1
	shift
	"$CUTOP" record -o "$T/$name.cutop" -v -b -f json -d 0.1 --leak-ignore 'libpool*' "$@" >"$T/$name.out" 2>"$T/$name.err" &
	cutop=$!
}

# begun: its probes are in place
begun() {
	check "$name: nothing is shown" wait_for 30 grep -qs '^{' "$T/$name.out"
}

# same WANTED: what it showed last, and what its recording shows
same() {
	wait $cutop
	last "$name" "$1"
	"$CUTOP" -b -f json --replay "$T/$name.cutop" >"$T/$name-replayed.out" 2>&1
	last "$name-replayed" "$1"
}

# seen: all four have ended, as it shows
seen() {
	tail -n 2 "$T/$name.out" | grep '}$' | tail -n 1 | jq -e '[.processes[] | select(.state == "exited" and .memory.allocations > 0 and
		(.command | startswith("'"$T"'")))] | length == 4' >/dev/null 2>&1
}

# ends WANTED: it shows all four, and is ended
ends() {
	check "$name: it does not show all: $(tail -n 1 "$T/$name.out" | jq -c '[.processes[] | .command, .state, .memory.allocations]' 2>&1)" wait_for 30 seen
	kill -INT $cutop
	same "$1"
}

files

# ---- started below it: with both layers, either, and without stacks

# shellcheck disable=SC2086
start command $both -- sh "$T/all"
same "$wanted"
# shellcheck disable=SC2086
start command-driver -l driver $both -- sh "$T/all"
same "$by_stack"
# shellcheck disable=SC2086
start command-runtime -l runtime $both -- sh "$T/all"
same "$wanted"
# shellcheck disable=SC2086
start command-bare --stacks=never $both -- sh "$T/all"
same "$wanted"
# The runtime's calls, and nothing that shows who called it: no guess
# shellcheck disable=SC2086
start unknown -l driver --stacks=never $both -- sh "$T/all"
same "$unknown"
"$CUTOP" --replay "$T/unknown.cutop" -b --fail-on-leak >"$T/unknown.text" 2>"$T/unknown.err"
check "unknown: exit status $?: $(cat "$T/unknown.err")" grep -q 'cannot answer: memory is live at the end that the runtime allocated for a library' "$T/unknown.err"
check "unknown: $(cat "$T/unknown.text")" grep -q '^no certain leak' "$T/unknown.text"

# ---- by their numbers

mkfifo "$T/go"
pids=
for number in 1 2 3 4; do
	sh -c "read -r _; exec sh '$T/program' $number" <"$T/go" &
	pids="$pids,$!"
done
exec 9>"$T/go"
# shellcheck disable=SC2086
start attached $both -p "${pids#,}"
begun
printf '\n\n\n\n' >&9
ends "$wanted"
exec 9>&-

# ---- with all others: while cutop looks, and when it looks only after they have ended

# shellcheck disable=SC2086
start all $both
begun
sh "$T/all"
ends "$wanted"

# after NAME WANTED OPTIONS...
after() {
	name=$1
	result=$2
	shift 2
	start "$name" "$@"
	begun
	kill -STOP $cutop
	sh "$T/all"
	case $name in
	*gone) rm -rf "$T/files" ;;
	esac
	kill -CONT $cutop
	ends "$result"
	[ -e "$T/files" ] || files
}
# shellcheck disable=SC2086
after files-gone "$wanted" $both
# The runtime was mapped before it could be probed: what it did is seen in the driver, if that is watched by default.
if ! grep -q 'probes by perf links' "$T/command.err"; then
	# shellcheck disable=SC2086
	after unprobed "$by_stack" $driver
	# Nor can the way to the driver be read then.
	# shellcheck disable=SC2086
	after unprobed-gone "$unknown" $driver
fi

# ---- Python, whose native callers are not looked for unless asked for: tensors, which tell of themselves, a cache, and a pool

python=$(command -v python3)
if [ "$python" ] && "$python" -c 'import ctypes' 2>/dev/null; then
	cat >"$T/files/torch/tensors.py" <<-'END'
		import ctypes, sys
		function = getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2])
		function.restype = ctypes.c_void_p
		function(*map(ctypes.c_size_t, map(int, sys.argv[3:])))
	END
	cp "$T/files/torch/tensors.py" "$T/files/cache/cache.py"
	cp "$T/files/torch/tensors.py" "$T/files/pool/pool.py"
	cat >"$T/all" <<-END
		LD_LIBRARY_PATH=$T/files/runtime:$T/files/driver
		export LD_LIBRARY_PATH
		$python $T/files/torch/tensors.py $T/files/torch/libc10_cuda.so tensor_new 0 4194304
		$python $T/files/cache/cache.py $T/files/cache/libc10_cuda.so c10_malloc $((20 * MIB))
		$python $T/files/pool/pool.py $T/files/pool/libpool.so c10_malloc 7000
	END
	of_python="[[\"cache\",0,$((20 * MIB)),0,0],[\"pool\",0,7000,0,0],[\"tensors\",0,$((16 * MIB)),0,0]]"
	# shellcheck disable=SC2086
	start python $both -- sh "$T/all"
	same "$of_python"
	# shellcheck disable=SC2086
	start python-driver -l driver $both -- sh "$T/all"
	same "[[\"cache\",0,0,$((20 * MIB)),0],[\"pool\",0,0,7000,0],[\"tensors\",0,$((16 * MIB)),0,0]]"
	if [ "$by_stack" = "$wanted" ]; then
		# shellcheck disable=SC2086
		start python-stacks -l driver --stacks $both -- sh "$T/all"
		same "$of_python"
	fi
else
	echo "not tried: Python with ctypes (Debian: apt install python3)"
fi
finish
