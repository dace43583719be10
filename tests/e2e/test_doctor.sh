#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cutop doctor: libraries of NVIDIA's and odd ones, processes of every kind, without rights, with few, and with wrong
# options.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"
helpers=$top_builddir/tests/e2e/bin
[ -x "$helpers/loader" ] || skip "the helpers are not built"
toolkit=/usr/local/cuda/lib64
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"

# $1: name, rest: arguments; leaves $T/NAME.json, $status
doctor() {
	name=$1
	shift
	run "$name" doctor -f json "$@"
	mv "$T/$name.out" "$T/$name.json"
	check "$name: no single document: $(cat "$T/$name.err")" [ "$(jq -s length "$T/$name.json")" = 1 ]
}

# The library whose path ends with $2 in the document of $1; $3: filter on it, $4: value. Others may be at work here.
expect_library() {
	expect "$1" "[.libraries[] | select(.path | endswith(\"$2\"))] | if length == 1 then .[0] else error(\"\\(length) libraries\") end | $3" "$4"
}

# Starts what is given, in the background; its pid in $started.
start_one() {
	"$@" >"$T/started" 2>&1 </dev/null &
	started=$!
}

maps() {
	grep -qs "$2" "/proc/$1/maps"
}

# ---- the machine ----

# Not beside the file server of test_absent_server.sh, which does not answer.
exec 8>"$top_builddir/tests/e2e/silent.lock"
flock 8 || fail "no lock"
doctor whole
exec 8>&-
expect_status whole 0
expect whole .can_watch true
expect whole '[.schema, .tool, .mode]' '[1,"cutop","doctor"]'
expect whole '[.problems[] | select(.state == "problem")]' '[]'
for name in version btf attach_method programs cost processes seccomp; do
	expect whole "[.checks[] | select(.name == \"$name\").state]" '["ok"]'
done
expect whole '[.checks[] | select(.section == "rights" and .state == "ok").name] | sort | join(" ")' \
	'"CAP_BPF CAP_DAC_READ_SEARCH CAP_PERFMON CAP_SYS_ADMIN CAP_SYS_PTRACE"'
expect whole '[.checks[] | select(.name == "seccomp").text | test("do no harm")]' '[true]'
expect_clean "doctor"
method=$(attach_method)
check_jq "the attach method is $method" --arg m "$method" '.checks[] | select(.name == "attach_method").text | startswith($m)' \
	"$T/whole.json"
if have_sessions; then
	CUTOP_ATTACH=multi run multi doctor -p $$
	expect_status multi 0
	check "CUTOP_ATTACH=multi: $(cat "$T/multi.out")" grep -q '  ok       multi: ' "$T/multi.out"
fi

# ---- NVIDIA's own ----

if [ -e $toolkit/libcudart.so.13 ]; then
	cudart=$(realpath $toolkit/libcudart.so.13)
	doctor nvidia -p $$ --library "$cudart"
	expect_status nvidia 0
	expect_library nvidia "$cudart" '[.kind, .version, .state]' '["runtime","13.0","ok"]'
	expect_library nvidia "$cudart" '.functions.probed > 300' true
	expect_library nvidia "$cudart" '.functions | .probed + .off == .table - .absent' true
	expect_library nvidia "$cudart" '[.functions.list[] | select(.call == "cudaMalloc") | [.state, .probe]]' '[["probed","entry"]]'
	expect_library nvidia "$cudart" '[.functions.list[] | select(.call == "cudaThreadExit").state]' '["absent"]'
	expect_library nvidia "$cudart" .passes_launches_on true
	id=$(readelf -n "$cudart" 2>/dev/null | sed -n 's/.*Build ID: //p')
	expect_library nvidia "$cudart" .build_id "\"$id\""
else
	echo "no CUDA toolkit: NVIDIA's own libraries are not looked at"
fi

older=$(realpath "$top_builddir/tests/double/lib12/libcudart.so.12")
doctor older -p $$ --library "$older"
expect_library older "$older" .passes_launches_on false
run older-text doctor -p $$ --library "$older"
check "where its launches are counted" grep -q 'refuses some launches itself: counted here and at the driver' "$T/older-text.out"

# ---- odd libraries ----

if [ "$(uname -m)" = x86_64 ]; then
	mkdir "$T/odd"
	cat >"$T/odd.c" <<'END'
#define FUNCTION(name) ".globl " #name "\n.type " #name ",@function\n" #name ":\n"
__asm__(".text\n"
	FUNCTION(cudaMalloc) "push %rbp\nmov %rsp,%rbp\npop %rbp\nxor %eax,%eax\nret\n"
	FUNCTION(cudaFree) FUNCTION(cudaFreeHost) "push %rbx\npop %rbx\nret\n"
	FUNCTION(cudaMemcpy) "endbr64\nret\n"
	FUNCTION(cudaSetDevice) "mov %rsp,%rax\nret\n"
	FUNCTION(cudaDeviceReset) "jmp cudaMalloc@PLT\n"
	FUNCTION(cudaMemset) "hlt\nret\n");
END
	"${CC:-cc}" -shared -fPIC -Wl,-soname,libcudart.so.12 -o "$T/odd/libcudart.so.12.4.127" "$T/odd.c"
	doctor odd -p $$ --library "$T/odd/libcudart.so.12.4.127"
	expect_status odd 0
	expect_library odd /libcudart.so.12.4.127 '[.version, .state]' '["12.4","ok"]'
	expect_library odd /libcudart.so.12.4.127 '.functions.probed' 7
	run odd-text doctor -p $$ --library "$T/odd/libcudart.so.12.4.127"
	check "slow functions are listed: $(cat "$T/odd-text.out")" \
		grep -q 'slow to probe.*cudaMemcpy cudaMemset cudaSetDevice' "$T/odd-text.out"
fi
printf 'no ELF file' >"$T/text"
doctor text --library "$T/text"
expect_status text 1
expect_library text /text .kind '"nothing"'
head -c 3000 "$double/libcudart.so.13" >"$T/libcudart.so.cut"
doctor cut --library "$T/libcudart.so.cut"
expect_status cut 1
check_jq "a broken library: $(jq -c .problems "$T/cut.json")" '.problems | any(.text | test("/libcudart.so.cut: "))' "$T/cut.json"
doctor gone --library "$T/gone"
expect_status gone 1
check_jq "a library that is not there" '.problems | any(.text | test("gone: No such file"))' "$T/gone.json"

# ---- processes ----

start_one "$workload" loop 3600
shared=$started
start_one env LD_LIBRARY_PATH="$double" "$workload-static" loop 3600
static=$started
start_one "$helpers/loader" "$double/libcuda.so.1" say ready wait "$T/end"
driver=$started
hostile=$(printf 'loop\033[2J\377\n')
start_one env "LD_LIBRARY_PATH=$double" "$helpers/loader" "$double/libcudart.so.13" say "$hostile" wait "$T/end"
strange=$started
start_one unshare --fork --pid --mount-proc "$workload" loop 3600
unshared=$started
for pid in "$shared" "$static" "$driver" "$strange"; do
	check "$pid does not start" wait_for 10 maps "$pid" libcuda
done
check "the process in a namespace does not start" wait_for 10 pgrep -P "$unshared" -x workload >/dev/null
inner=$(pgrep -P "$unshared" -x workload)
check "$inner does not start" wait_for 10 maps "$inner" libcuda
doctor all
expect_status all 0
expect_of all "$shared" .uses '["runtime_shared","driver"]'
expect_of all "$shared" '.seen[0]' '"runtime calls (libcudart.so.13)"'
expect_of all "$shared" '[.user, (.command | endswith("/workload")), .arguments]' '["root",true,"loop 3600"]'
expect_of all "$shared" '[.not_seen[] | select(test("before cutop"))] | length' 1
expect_of all "$static" .uses '["runtime_linked_in","driver"]'
expect_of all "$static" '.seen[0]' '"runtime calls (linked into workload-static)"'
expect_of all "$driver" .uses '["driver"]'
expect_of all "$driver" '.seen | length' 1
expect_of all "$strange" '.arguments | test("loop.\\[2J")' true
expect_of all "$inner" '[.own_pid_namespace, .ns_pid]' '[true,1]'
expect_library all "$double/libcudart.so.13" '.kind' '"runtime"'
expect_library all "$double/libcudart.so.13" ".pids | contains([$shared, $strange, $inner])" true
expect_library all "$double/libcudart.so.13" ".pids | index($static)" null
expect_library all "$workload-static" '[.kind, (.functions.probed > 300)]' '["runtime_linked_in",true]'
expect_library all "$double/libcuda.so.1" '[.kind, .state]' '["driver","ok"]'
expect_library all "$double/libcuda.so.1" '.pids | length >= 5' true
run all-text doctor
check "control bytes of processes reach the output" [ "$(tr -d '\n -~\200-\377' <"$T/all-text.out" | wc -c)" = 0 ]
check "a process is not in the text" grep -q "^  $shared " "$T/all-text.out"

doctor one -p "$static"
expect_status one 0
expect one '[.processes[].pid]' "[$static]"
expect one '[.libraries[].kind] | sort' '["driver","runtime_linked_in"]'
doctor none -p $$
expect_status none 0
expect_of none $$ '.uses' '[]'
expect_of none $$ '[.not_seen[] | select(test("no CUDA library"))] | length' 1
doctor layer -p "$shared" -l runtime --calls memory
expect_library layer "$double/libcuda.so.1" '.functions.probed' 0
expect_of layer "$shared" .seen '["runtime calls (libcudart.so.13)"]'
expect_library layer "$double/libcudart.so.13" '[.functions.list[] | select(.call == "cudaMalloc" or .call == "cudaMemcpy").state]' \
	'["probed","off"]'

# A program that nvcc made, stripped: its runtime has no symbols left.
if [ -n "${NVCC:-}" ]; then
	cat >"$T/stripped.cu" <<'END'
#include <unistd.h>
int main()
{
	cudaFree(0);
	pause();
}
END
	"$NVCC" -o "$T/stripped" "$T/stripped.cu" >"$T/nvcc.out" 2>&1 && strip "$T/stripped"
	start_one env "LD_LIBRARY_PATH=$double" "$T/stripped"
	stripped=$started
	check "the stripped program does not start" wait_for 20 maps "$stripped" libcuda.so.1
	doctor stripped -p "$stripped"
	expect_of stripped "$stripped" .uses '["driver"]'
	expect_of stripped "$stripped" .symbols false
	expect_of stripped "$stripped" '[.seen[] | select(test("it uses no runtime, or one without symbols"))] | length' 1
	expect_of stripped "$stripped" '[.not_seen[] | select(test("names of kernels"))] | length' 1
	kill "$stripped"
else
	echo "no nvcc: no stripped program is looked at"
fi

# ---- with few rights, and without ----

cp "$CUTOP" "$T/cutop"
chmod 755 "$T/cutop"
few() {
	name=$1
	shift
	"$@" "$T/cutop" doctor -f json >"$T/$name.json" 2>"$T/$name.err"
	status=$?
}
# shellcheck disable=SC2086
few without $nobody
expect_status without 1
expect without .can_watch false
expect without '[.checks[] | select(.name == "CAP_BPF") | .state, (.advice | test("setcap cap_bpf.*/cutop"))]' '["problem",true]'
expect without '[.checks[] | select(.name == "programs").state]' '["unknown"]'
expect without '.processes_unreadable > 0' true
# Their own processes can be looked into without any right.
# shellcheck disable=SC2086
start_one $nobody "$helpers/loader" "$double/libcudart.so.13" say ready wait "$T/end"
own=$started
if wait_for 10 maps "$own" libcudart; then
	# shellcheck disable=SC2086
	few own $nobody
	expect_of own "$own" '.seen[0]' '"runtime calls (libcudart.so.13)"'
fi
# shellcheck disable=SC2086
few few $nobody --inh-caps=+bpf,+perfmon --ambient-caps=+bpf,+perfmon
expect_status few 0
expect few .can_watch true
expect few '[.checks[] | select(.name == "programs" or .name == "processes").state]' '["ok","ok"]'
expect few '[.checks[] | select(.name == "CAP_SYS_PTRACE").state]' '["warning"]'
# The first process of a pid namespace hears nothing less.
kill -KILL "$shared" "$static" "$inner"
touch "$T/end"
wait

# ---- wrong ----

start_one sleep 0
wait "$started"
refused 1 "there is no process $started" doctor -p "$started"
refused 1 'there is no process' doctor -f json -p 4194303
refused 2 'takes no --delay' doctor -d 1
refused 2 'takes no --batch' doctor -b
refused 2 "prints text or json" doctor -f csv
refused 2 'takes no command' doctor -- true
refused 2 'takes no command' doctor -p $$ more
refused 2 "option '--nope'" doctor --nope
run output doctor -p $$ -o "$T/report"
expect_status output 0
check "-o: $(head -n 1 "$T/report")" grep -q '^cutop .* can watch here' "$T/report"
check "-o prints nothing" [ ! -s "$T/output.out" ]
"$CUTOP" doctor -p $$ >/dev/full 2>"$T/full.err"
status=$?
expect_status full 1
expect_line full 'No space left'
run plain doctor -p $$
check "colour where there is no terminal" [ "$(tr -d '\n -~\200-\377' <"$T/plain.out" | wc -c)" = 0 ]
run color doctor -p $$ -C always
check "no colour with -C always" grep -q "$(printf '\033\[1m')" "$T/color.out"
expect_clean "all of this"
finish
