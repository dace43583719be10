#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One perf link per function, as on kernels before 6.6: cutop quits at once, and
# its guard, whose links the kernel takes away one by one, is gone within 30
# seconds. Both are promises with a time in them; tests/vm/test_vm.sh asks the
# kernel that has no better way.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

# Other libraries than the double's would only cost time: /usr/local is out of sight, where that can be had.
printf '%s\n' '#!/bin/sh' 'mount -t tmpfs none /usr/local' "exec $CUTOP \"\$@\"" >"$T/cutop-alone"
printf '%s\n' '#!/bin/sh' "exec unshare -m $T/cutop-alone \"\$@\"" >"$T/cutop"
chmod +x "$T/cutop" "$T/cutop-alone"
case $CUTOP$double in
*/usr/local/*) ;;
*) unshare -m true 2>/dev/null && CUTOP=$T/cutop ;;
esac

# While it is watched, the program tells which guard holds its cutop's links.
# shellcheck disable=SC2016
list='"$1" pairs 100 256
	pgrep -P $PPID -x cutop-guard >"$2"
	date +%s%N >"$3"'
command -v pgrep >/dev/null || skip "needs pgrep (Debian: apt install procps)"
export CUTOP_ATTACH=perf

# A library met on the way, of three functions: cutop has kept the right to probe it.
tiny=$top_builddir/tests/e2e/bin/libcudart.so.99
# Only our own program's libraries: perf links take seconds for each that others run with.
cp "$top_builddir/tests/e2e/bin/loader" "$T/met-loader"
begin met -c '*met-loader*'
load met "$T/met-loader" "$tiny" say ready wait "$T/go" malloc 3 free
check "met: the library is not probed: $(cat "$T/met.err")" wait_for 90 grep -q "libcudart.so.99: 3 functions attached" "$T/met.err"
touch "$T/go"
wait "$loader"
check "met: the end of the process is not seen" wait_for 20 newest '.processes | any(.state != "running")'
end
expect_of met "$loader" '.memory | [.allocations, .frees]' '[3,3]'

watch perf --library "$double/libcudart.so.13" -- sh -c "$list" sh "$workload" "$T/ours" "$T/end"
ended=$(date +%s%N)
quit=$(((ended - $(cat "$T/end")) / 1000000))
expect perf '.processes[0].memory | [.allocations, .frees]' '[100,100]'
echo "quit within $quit ms of the command's end"

# Others' guards make ours wait: what the kernel does for one it does for one at a time.
guard=$(cat "$T/ours")
check "a guard holds the perf links" [ -n "$guard" ]
deadline=$(($(date +%s) + 60))
others=
while grep -qxF cutop-guard "/proc/$guard/comm" 2>/dev/null && [ "$(date +%s)" -lt $deadline ]; do
	sleep 0.1
	others="$others$(pgrep -P 1 -x cutop-guard | grep -vx "$guard")"
done
took=$((($(date +%s%N) - ended) / 1000000))
echo "its probes were gone after $took ms"
if [ $took -lt 30000 ] || [ -z "$others" ]; then
	check "the guard is gone within 30 seconds" [ $took -lt 30000 ]
else
	echo "not judged: how long the guard takes, while others take theirs away, too"
fi

# The screen, by its key, with no probes on libraries of others. The machine may be busy: one of some tries has to hold what is
# promised.
if command -v python3 >/dev/null; then
	tries=
	for try in 1 2 3 4 5; do
		ms=$(python3 "$top_srcdir/tests/e2e/quit.py" "$CUTOP" --no-config -p $$ --library "$double/libcudart.so.13") || break
		tries="$tries $ms"
		[ "$ms" -ge 200 ] || break
	done
	echo "the screen quit within$tries ms"
	check "the screen quits in under 200 ms (try $try)" [ "${ms:-1000}" -lt 200 ]
fi
unset CUTOP_ATTACH

finish
