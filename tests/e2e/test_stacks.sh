#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --stacks: an allocation's site is its whole stack. One allocating function reached by four stacks,
# with frame pointers and without, from a program that lives a millisecond; the figures without
# the option; and stacks whose mappings cannot be looked up.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

program=$top_builddir/tests/e2e/bin/site_calls
bare=$top_builddir/tests/e2e/bin/site_calls-nofp
source=$top_srcdir/tests/e2e/site_calls.c
line_of() {
	grep -n "$1 \\*/" "$source" | cut -d : -f 1
}
call=$(line_of 'the call')
one=$(line_of 'the first way')
two=$(line_of 'the second way')
three=$(line_of 'the third way')
main=$(line_of 'the three')

# frames JQ: the frames of the program itself but _start, without offsets, joined
frames='[.stack[] | select(test("\\(site_calls") and (startswith("_start+") | not)) | sub("\\+0x[0-9a-f]+ at"; "") | sub(" \\(.*"; "")] | join(" < ")'
make="make site_calls.c:$call"

# ---- four ways, with their bytes
watch ways --stacks -- "$program" 3
expect ways "p.sites | map([($frames), .leaked_bytes, .allocations]) | sort | .[]" "[\"$make < first site_calls.c:$one < main site_calls.c:$main\",300,3]
[\"$make < second site_calls.c:$two < main site_calls.c:$main\",3000,3]
[\"$make < second site_calls.c:$two < third site_calls.c:$three < main site_calls.c:$main\",3000,3]
[\"$make < third site_calls.c:$three < main site_calls.c:$main\",30000,3]"
expect ways '[p.sites[] | .site == .stack[0]] | all' true
# The way in through the C library is part of it; nothing stands there that is no code of a file.
expect ways '[p.sites[].stack | (.[-1] | startswith("_start+")) and (.[-2] | test("\\(libc\\.so\\.6\\)$|^libc\\.so\\.6\\+"))] | all' true
expect ways '[p.sites[].stack[] | test("^0x")] | any' false
expect ways 'p.memory.leaked_bytes' 36300
expect ways '.lost.stacks' 0
expect_nothing_lost ways

# ---- without the option: the same; with =never one site, no stacks
watch plain -- "$program" 3
check "without the option sites are others: $(jq -c '[.processes[].sites[].stack]' "$T/plain.json")" \
	[ "$(jq -S '[.processes[].sites[] | [.stack, .leaked_bytes, .allocations]] | sort' "$T/plain.json")" = \
	"$(jq -S '[.processes[].sites[] | [.stack, .leaked_bytes, .allocations]] | sort' "$T/ways.json")" ]
expect_nothing_lost plain
watch never --stacks=never -- "$program" 3
expect never '[p.sites[] | [.leaked_bytes, .allocations, .stack]]' '[[36300,12,null]]'
expect_nothing_lost never

# ---- code without frame pointers: the same ways
watch short --stacks -- "$bare" 200
expect short "p.sites | map([($frames), .allocations]) | sort | .[]" "[\"$make < first site_calls.c:$one < main site_calls.c:$main\",200]
[\"$make < second site_calls.c:$two < main site_calls.c:$main\",200]
[\"$make < second site_calls.c:$two < third site_calls.c:$three < main site_calls.c:$main\",200]
[\"$make < third site_calls.c:$three < main site_calls.c:$main\",200]"
expect short '[p.sites[].site | test("^make\\+0x[0-9a-f]+ at site_calls.c:'"$call"' ")] | all' true
expect short 'p.sites | length' 4
expect short '[p.sites[].allocations] | add' 800
expect short '[p.sites[].leaked_bytes] | add' 2420000
expect short '[p.sites[].stack[0] | test("^make\\+")] | all' true
expect_nothing_lost short

# ---- the site is named by its innermost frame that is not left out
watch skip --stacks --site-skip make --site-skip 'second*' -- "$program" 3
expect skip 'p.sites | map([(.site | sub("\\+0x.*"; "")), (.stack[0] | sub("\\+0x.*"; "")), .leaked_bytes]) | sort | map(join(" "))' \
	'["first make 300","main make 3000","third make 3000","third make 30000"]'

# ---- typed wrappers of CUDA's header: their callers are the sites
if [ -n "${NVCC:-}" ] && "$NVCC" -g -O0 -cudart shared -o "$T/typed" "$top_srcdir/tests/e2e/typed.cu" 2>"$T/typed.err"; then
	typed=$top_srcdir/tests/e2e/typed.cu
	grows=$(grep -n 'growing' "$typed" | cut -d : -f 1)
	shares=$(grep -n 'sharing' "$typed" | cut -d : -f 1)
	LD_LIBRARY_PATH=$double watch typed --stacks -- "$T/typed"
	expect typed 'p.sites | map([(.site | sub("\\+0x[0-9a-f]+ "; " ")), (.stack[0] | sub("\\+0x.*"; "")), .leaked_bytes]) | sort | map(map(tostring) | join(", "))' \
		"[\"grow at typed.cu:$grows (typed), cudaMalloc, 1000\",\"grow at typed.cu:$grows (typed), cudaMalloc, 2000\",\"share at typed.cu:$shares (typed), cudaMallocManaged, 300\"]"
	launches=$(grep -n 'launching' "$typed" | cut -d : -f 1)
	# A launch that failed is none of the kernel's own function on the host, nor of the stub that this calls.
	expect typed '[p.failures[] | [.call, (.site | sub("\\+0x[0-9a-f]+ "; " ")), .kernel]]' \
		"[[\"cudaLaunchKernel\",\"launch at typed.cu:$launches (typed)\",\"fill\"]]"
else
	echo "typed wrappers are not tried: no nvcc: $(head -n 3 "$T/typed.err" 2>/dev/null)"
fi

# ---- failed calls have a stack, unless none is taken
watch failed -- "$workload" failures
expect failed 'p.failures | length > 3 and all(.stack | length > 3)' true
# A launch has its kernel's name, too, also in the log; other calls have none.
expect failed '[p.failures[] | select(.call == "cudaLaunchKernel") | [.error, .kernel]] | sort' \
	'[["cudaErrorInvalidConfiguration","saxpy"],["cudaErrorInvalidDeviceFunction","failures"]]'
expect failed '[p.failures[] | select(.call != "cudaLaunchKernel" and has("kernel"))]' '[]'
expect failed '[.events[].text | select(test("^cudaLaunchKernel of saxpy in failures[+]0x[0-9a-f]+ at [a-z_]+[.]c:[0-9]+ [(]workload[)] failed"))] | length' 1
watch silent --stacks=never -- "$workload" failures
expect silent 'p.failures | length > 3 and all(has("stack") | not)' true

# ---- a stack that calls back into hooked code, and one below other hooked calls: no trampoline in it
own_runtime=$top_builddir/tests/e2e/bin/own_runtime
watch nested --stacks -- "$workload" nested
expect nested '[p.sites[].stack[] | test("^0x|uprobes")] | any' false
expect nested '[p.sites[].allocations] | add' 11
watch nest --stacks -- "$own_runtime" nest 200
expect nest '[p.sites[].stack[] | test("^0x|uprobes")] | any' false
expect nest '[p.sites[].stack[0] | test("^nest\\+")] | all' true

# ---- threads allocate at once: nothing is lost, and their ways are few
watch threads --stacks -- "$workload" threads 8 200
expect threads '.lost.stacks' 0
expect threads '([p.sites[].allocations] | add) == p.memory.allocations' true

# ---- ever new ways: stacks that find no room are counted, and take none from anything else
# Built with a thread sanitizer, cutop takes in less than the program makes.
ways=20000
! is_sanitized || ways=6000
watch ever --map none -- "$top_builddir/tests/e2e/bin/many_ways" $ways
expect ever 'p | [.memory.allocations, .memory.frees, .inexact]' "[$ways,$ways,false]"
expect ever '([p.sites[].allocations] | add)' $ways
expect ever '.lost | del(.stacks) | with_entries(select(.value > 0))' '{}'
is_sanitized || expect ever '.self.resident_bytes < 300e6' true

# ---- while the address space is locked most of the time, by a program that is gone when it is looked at
locked=$top_builddir/tests/e2e/bin/locked_calls
# The tree of mappings that can be read all the same is Linux 6.1's.
if uname -r | awk -F. '{ exit !($1 > 6 || ($1 == 6 && $2 >= 1)) }'; then
	"$CUTOP" -b -v -f json -d 600 --stacks -c 'locked_calls*' --library "$double/libcudart.so.13" >"$T/locked.out" 2>"$T/locked.err" &
	cutop=$!
	check "locked: cutop does not start" wait_for 20 grep -qs 'libcuda.so.1: .*attached' "$T/locked.err"
	kill -STOP "$cutop"
	for _ in $(seq 15); do
		"$locked" || fail "locked_calls: status $?"
	done
	kill -CONT "$cutop"
	kill -INT "$cutop"
	wait "$cutop"
	tail -n 1 "$T/locked.out" >"$T/locked.json"
	expect locked '.processes | length' 15
	expect locked '[.processes[].sites[] | [.leaked_bytes, .allocations]] | unique' '[[100,1]]'
	expect locked '[.processes[].sites[].stack | length >= 3 and all(test("^0x") | not)] | all' true
	# Of these programs: others that this cutop sees may lose what they like.
	expect locked '[.processes[].inexact] | any' false
	expect locked '.lost | [.names, .processes, .bad_records, .memory] | add' 0
fi

finish
