#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One perf link per function, as on kernels before 6.6: cutop quits at once, and
# its helper process, which takes the links away one by one, is gone within a
# minute.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

# Other libraries than the double's would only cost time: /usr/local is out of sight, where that can be had.
printf '%s\n' '#!/bin/sh' 'mount -t tmpfs none /usr/local' "exec $CUTOP \"\$@\"" >"$T/cutop-alone"
printf '%s\n' '#!/bin/sh' "exec unshare -m $T/cutop-alone \"\$@\"" >"$T/cutop"
chmod +x "$T/cutop" "$T/cutop-alone"
case $CUTOP$double in
*/usr/local/*) ;;
*) unshare -m true 2>/dev/null && CUTOP=$T/cutop ;;
esac

# While it is watched, the program lists the helpers that are there for the double.
# shellcheck disable=SC2016
list='"$1" pairs 100 256
	for comm in $(grep -lx cutop-probes /proc/[0-9]*/comm); do
		readlink "${comm%comm}"fd/* | grep -qxF "$2" && echo "$comm"
	done >"$3"
	date +%s%N >"$4"'
export CUTOP_ATTACH=perf
watch perf --library "$double/libcudart.so.13" -- sh -c "$list" sh "$workload" "$double/libcudart.so.13" "$T/ours" "$T/end"
quit=$((($(date +%s%N) - $(cat "$T/end")) / 1000000))
unset CUTOP_ATTACH
expect perf '.processes[0].memory | [.allocations, .frees]' '[100,100]'
echo "quit within $quit ms of the command's end"

helper=$(head -n 1 "$T/ours")
check "a helper holds the perf links" [ -n "$helper" ]
deadline=$(($(date +%s) + 60))
others=
while grep -qxF cutop-probes "$helper" 2>/dev/null && [ "$(date +%s)" -lt $deadline ]; do
	sleep 0.1
	others="$others$(grep -lx cutop-probes /proc/[0-9]*/comm 2>/dev/null | grep -vxF "$helper")"
done
if [ "$(date +%s)" -lt $deadline ] || [ -z "$others" ]; then
	check "the helper is gone within a minute" [ "$(date +%s)" -lt $deadline ]
else
	echo "not judged: how long the helper takes, while others take theirs away, too"
fi

finish
