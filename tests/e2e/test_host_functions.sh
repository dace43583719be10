#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The site of a launch is the line that launches: never nvcc's stub or the kernel's own function on the host, and never less than
# that line, whatever of these was inlined into it. With and without optimisation and debug information, for kernels and callers
# of all kinds; of failed launches, with --launch-sites, and in traces. Of a program that was running before, too.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

[ -n "${NVCC:-}" ] || skip "no nvcc"
command -v strip >/dev/null || skip "needs strip (Debian: apt install binutils)"
source=$top_srcdir/tests/e2e/host_functions.cu
shapes='plain own hidden named linkage template again twice applied lambda caller overload namesake'
LD_LIBRARY_PATH=$double
export LD_LIBRARY_PATH

for level in 0 1 2 3; do
	"$NVCC" -g -O$level --extended-lambda -cudart shared -o "$T/debug$level" "$source" 2>"$T/debug$level.log" || touch "$T/failed" &
	[ $level != 1 ] || wait $!
done
wait
[ ! -e "$T/failed" ] || skip "it cannot be built: $(cat "$T"/*.log)"
for level in 0 1 2 3; do
	# The same code, without debug information.
	strip --strip-debug -o "$T/plain$level" "$T/debug$level"
	for shape in $shapes; do
		queue "debug$level.$shape" "$T/debug$level" $shape
		queue "plain$level.$shape" "$T/plain$level" $shape
	done
done
watch_queue all --launch-sites --exact-launches --library "$double/libcudart.so.13"
cp "$T/all.sh" "$T/traced.sh"
"$CUTOP" trace --stacks -f json --library "$double/libcudart.so.13" -- sh "$T/traced.sh" >"$T/trace" 2>"$T/trace.err"
check "a trace: $(cat "$T/trace.err")" [ $? = 0 ]
expect_lost_none all

for shape in $shapes; do
	line=$(grep -n "/\* $shape \*/" "$source" | cut -d : -f 1)
	for level in 0 1 2 3; do
		name=debug$level.$shape
		expect $name '[p.failures[].site] == [p.launch_sites[].site]' true
		expect $name "[p.failures[] | .site | test(\" at host_functions[.]cu:$line( in [^ ]*)? [(]debug$level[)]\$\")]" '[true]'
		# The same place in the same function, which is all that is known of it.
		place=$(jq -r '.processes[0].failures[0].site | sub("^.* in "; "") | sub(" at [^ ]*"; "") | sub("debug"; "plain")' "$T/$name.json")
		expect plain$level.$shape '[p.failures[], p.launch_sites[] | .site] | unique' "[\"$place\"]"
		check "a trace has $place" sh -c "jq -r --argjson pid '$(cat "$T/plain$level.$shape.pid")' \
			'select(.pid == \$pid and .call == \"cudaLaunchKernel\").stack[]' '$T/trace' | grep -qxF '$place'"
	done
done

finish
