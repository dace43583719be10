#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Python lines as call sites, under the interpreters at hand (tests/python/interpreters.sh): the stack of each allocation must be
# the one that Python itself had at that moment, frame by frame, from the start of a program and attached to one that runs;
# which frame is shown as the site; recordings; interpreters that are not known.
# Of the interpreters the system's, the oldest and the newest are tried; with CUTOP_TEST_PYTHON=all, all.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

python=$top_srcdir/tests/python
interpreters=$(sh "$python/interpreters.sh")
[ "$interpreters" ] || skip "needs Python 3.8 to 3.14 with ctypes (Debian: apt install python3)"
[ "${CUTOP_TEST_PYTHON:-}" = all ] ||
	interpreters=$( (echo "$interpreters" | head -n 1; echo "$interpreters" | sort -V | sed -n '1p; $p') | awk '!seen[$0]++')
python3=$(command -v python3) || skip "needs python3 to compare"
private_double "$T/double"

# place ROOT: the library and the tests as seen from ROOT, in $seen_library and $seen_python; its notes in $notes
place() {
	if [ "$1" = / ]; then
		seen_library=$library seen_python=$python notes=$T/notes
		real_library=$library
	else
		rm -rf "$1/tmp/cutop-test"
		mkdir -p "$1/tmp/cutop-test"
		cp "$T/double"/* "$python"/*.py "$1/tmp/cutop-test"
		seen_library=/tmp/cutop-test/libcudart.so.13 seen_python=/tmp/cutop-test notes=$1/tmp/cutop-test/notes
		real_library=$1/tmp/cutop-test/libcudart.so.13
	fi
	rm -rf "$notes"
	mkdir -p "$notes"
}

# compared NAME: the stacks of $T/NAME.json are those noted
compared() {
	"$python3" "$python/compare.py" "$T/$1.json" "$notes" >"$T/$1.compared"
	result=$?
	check "$1: $(tail -n 20 "$T/$1.compared")" [ "$result" = 0 ]
	# What could not be read stands there as such, or not at all: then it would differ.
	expect "$1" '.lost | [.python_frames, .ring_full, .memory] | add' 0
}

# ---- every interpreter, from the start ----

count=0
while read -r version root interpreter; do
	count=$((count + 1))
	name=$count-$version
	place "$root"
	shown_notes=$notes
	[ "$root" = / ] || shown_notes=/tmp/cutop-test/notes
	if [ "$root" = / ]; then
		# Not by env: the interpreter that COMMAND is has probes before it starts, one that it runs may be late.
		LD_LIBRARY_PATH=$T/double watch "$name" --library "$real_library" -- "$interpreter" "$seen_python/oracle.py" \
			"$seen_library" "$shown_notes"
	else
		watch "$name" --library "$real_library" -- env LD_LIBRARY_PATH=/tmp/cutop-test chroot "$root" "$interpreter" \
			"$seen_python/oracle.py" "$seen_library" "$shown_notes"
	fi
	check "$name: status $status: $(tail -n 3 "$T/$name.err")" [ "$status" = 0 ]
	compared "$name"
	[ "$root" = / ] || rm -rf "$root/tmp/cutop-test"
done <<END
$interpreters
END

# ---- attached to one that runs ----

set -- $(echo "$interpreters" | head -n 1)
interpreter=$3
place /
touch "$notes/wait"
LD_LIBRARY_PATH=$T/double "$interpreter" "$python/oracle.py" "$library" "$notes" &
running=$!
# Its maps show the library once it has come to where it waits.
check "attach: Python does not start" wait_for 20 grep -qs libcudart "/proc/$running/maps"
"$CUTOP" doctor -p "$running" --library "$library" >"$T/doctor.out" 2>&1
check "doctor: $(cat "$T/doctor.out")" grep -q 'lines of its Python 3\.[0-9]* code as call sites' "$T/doctor.out"
begin attach --library "$library" -p "$running" --duration 600
rm "$notes/wait"
wait "$running"
end
tail -n 1 "$T/attach.out" | jq -c ".processes |= map(select(.pid == $running))" >"$T/attach.json"
# Children are not followed with -p.
find "$notes" -name '*.notes' ! -name "$running.notes" -delete
compared attach

# ---- as one of all the machine's processes: its children are Python, too ----

place /
begin whole --library "$library" -c "*$T/*" --duration 600
LD_LIBRARY_PATH=$T/double "$interpreter" "$python/oracle.py" "$library" "$notes"
end
tail -n 1 "$T/whole.out" >"$T/whole.json"
compared whole

# What follows is about what cutop makes of frames, on any kernel: on an emulated machine each start takes 20 s.
[ -z "${CUTOP_TEST_KERNEL_ONLY:-}" ] || finish

# ---- programs: which frame is the site

packages=$T/venv/lib/python3.99/site-packages
mkdir -p "$packages/torch/nn" "$packages/runner" "$T/lib/python3.99" "$T/app/vendored"
cat >"$packages/torch/nn/module.py" <<'END'
from torch import oracle_sites as m
def forward():
    return m.malloc()
END
touch "$packages/torch/__init__.py" "$packages/torch/nn/__init__.py"
cat >"$packages/runner/__init__.py" <<'END'
import torch.nn.module
import ownlib
def run():
    torch.nn.module.forward()
def direct():
    ownlib.call(torch.nn.module.forward)
END
cat >"$T/lib/python3.99/ownlib.py" <<'END'
def call(function):
    function()
END
cat >"$T/app/vendored/helper.py" <<'END'
def help(function):
    function()
END
cat >"$packages/torch/oracle_sites.py" <<'END'
import ctypes, itertools, os
cuda = ctypes.CDLL(os.environ["LIBRARY"])
sizes = itertools.count(1)
def malloc():
    pointer = ctypes.c_void_p()
    assert cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(next(sizes))) == 0
END
cat >"$T/app/train.py" <<'END'
import threading
import torch.nn.module, runner, vendored.helper
def step():
    torch.nn.module.forward()                           # 1
def through():
    runner.run()                                        # 2
step()
through()
vendored.helper.help(torch.nn.module.forward)           # 3
thread = threading.Thread(target=runner.run); thread.start(); thread.join()  # 4: no frame of the program's
thread = threading.Thread(target=runner.direct); thread.start(); thread.join()  # 5
thread = threading.Thread(target=torch.nn.module.forward); thread.start(); thread.join()  # 6: frameworks only
END
train="env LIBRARY=$library PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$packages:$T/lib/python3.99:$T/app $interpreter $T/app/train.py"

# ---- calls that fail

cat >"$T/failing.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
pointer = ctypes.c_void_p()
def big():
    cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(1 << 60))
def twice():
    cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(100))
    cuda.cudaFree(pointer)
    cuda.cudaFree(pointer)
def wrong():
    cuda.cudaMemcpy(ctypes.c_void_p(1), None, ctypes.c_size_t(3), 7)
def first():
    big()
big()
first()
twice()
wrong()
END
# The native site before it has its name, too, in a program that does nothing else.
cat >"$T/only.py" <<'END'
import ctypes, sys
ctypes.CDLL(sys.argv[1]).cudaSetDevice(1000)
END

# ---- graphs, by the line that instantiates them

cat >"$T/graphs.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
graph, exec1, exec2 = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cudaGraphCreate(ctypes.byref(graph), 0) == 0
def instantiate(into):
    assert cuda.cudaGraphInstantiate(ctypes.byref(into), graph, ctypes.c_ulonglong(0)) == 0
def step():
    for _ in range(5):
        assert cuda.cudaGraphLaunch(exec1, None) == 0
instantiate(exec1)
step()
assert cuda.cudaGraphExecDestroy(exec1) == 0
instantiate(exec1)
assert cuda.cudaGraphInstantiateWithFlags(ctypes.byref(exec2), graph, ctypes.c_ulonglong(0)) == 0
step()
END

# ---- code that a library makes: the line is the program's that it runs for

cat >"$T/generated.py" <<'END'
import ctypes, dataclasses, functools, itertools, sys
cuda, sizes = ctypes.CDLL(sys.argv[1]), itertools.count(1)
malloc, size = functools.partial(cuda.cudaMalloc, ctypes.byref(ctypes.c_void_p())), ctypes.c_size_t
def run(file, text="def f():\n    malloc(size(next(sizes)))\n"):
    space = dict(globals())
    exec(compile(text, file, "exec"), space)
    space["f"]()
def step(file):
    run(file)
for name in ("/tmp/torchinductor_ana/qy/cqy2n.py", "<eval_with_key>.3", "fx_generated_2.py", "<decorator-gen-5>", "<attrs generated init m.C>",
             "<string>", "<stdin>", "/tmp/ipykernel_42/1.py"):
    step(name)
@dataclasses.dataclass
class Batch:
    data: int = dataclasses.field(default_factory=functools.partial(malloc, size(9)))
Batch()
END

# ---- below many frames of a framework's the program's line is the outermost

cat >"$packages/torch/deep.py" <<'END'
from torch import oracle_sites as m
def down(n):
    return down(n - 1) if n else m.malloc()
END
cat >"$T/app/deep.py" <<'END'
import torch.deep
for depth in (10, 44, 45, 46, 47, 59, 60, 61, 62, 63, 100, 200, 900):
    torch.deep.down(depth)
END

# ---- no memory: the lines that hold most, whatever way led there

cat >"$T/hungry.py" <<'END'
import ctypes, sys
sys.path.insert(0, sys.argv[2])
from site_malloc import cuda, malloc
def weights():
    return malloc(5)
def twice():
    weights()
cuda.cudaFree(weights())
weights()
twice()
for size in range(1, 12):
    exec(compile("\n" * size + "malloc(size)", "layers.py", "exec"))
cuda.cudaFree(ctypes.c_void_p(0x1000))
malloc(1 << 30)
END
mkdir -p "$T/hungry/site-packages"
cat >"$T/hungry/site-packages/site_malloc.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
def malloc(size):
    pointer = ctypes.c_void_p()
    cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size << 20))
    return pointer
END

# ---- what leaks, for the report, folded stacks and recordings

cat >"$T/leak.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
def make_buffer(size):
    pointer = ctypes.c_void_p()
    cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size))
class Model:
    def grow(self):
        make_buffer(3000)
Model().grow()
make_buffer(50)
END

# ---- all of these below one cutop, and what options change below another

queue sites $train
queue failing "$interpreter" "$T/failing.py" "$library"
queue only "$interpreter" "$T/only.py" "$library"
queue graphs "$interpreter" "$T/graphs.py" "$library"
queue hungry env PYTHONDONTWRITEBYTECODE=1 "$interpreter" "$T/hungry.py" "$library" "$T/hungry/site-packages"
queue generated "$interpreter" "$T/generated.py" "$library"
queue deep $(echo "$train" | sed 's|/train\.py$|/deep.py|')
queue plain "$workload" case-study leak
watch_queue all --library "$library" --library "$double/libcudart.so.13"
queue native $train
queue only-native "$interpreter" "$T/only.py" "$library"
queue graphs-native "$interpreter" "$T/graphs.py" "$library"
watch_queue all-native --no-python --stacks=never --library "$library"
queue skipped $train
watch_queue all-skipped --site-skip '*/vendored/*' --site-skip '*/runner/*' --library "$library"
queue text-failing "$interpreter" "$T/failing.py" "$library"
queue text-hungry env PYTHONDONTWRITEBYTECODE=1 "$interpreter" "$T/hungry.py" "$library" "$T/hungry/site-packages"
queue_end text
"$CUTOP" -b -n 1 --library "$library" -- sh "$T/text.sh" >"$T/text.out" 2>&1
queue graphs-again "$interpreter" "$T/graphs.py" "$library"
queue leak "$interpreter" "$T/leak.py" "$library"
queue_end recorded
"$CUTOP" record -o "$T/recorded.cutop" --library "$library" -- sh "$T/recorded.sh" >"$T/record.out" 2>&1

# ---- which frame is the site ----

# expect_sites NAME SITES: the allocations of that run, by their sizes
expect_sites() {
	site_lines=$(jq -r '.processes[].memory.map | sort_by(.size)[].site' "$T/$1.json")
	check "$1: $site_lines" [ "$site_lines" = "$2" ]
}
expect_sites sites 'step at train.py:4 (python)
through at train.py:6 (python)
help at helper.py:2 (python)
run at __init__.py:4 (python)
direct at __init__.py:6 (python)
malloc at oracle_sites.py:6 (python)'
# The whole stack is there all the same, and the native way in before it.
expect sites 'p.sites[] | select(.site | test("^step ")) | [.stack[1:][] | sub("\\.py.*"; "")]' \
	'["malloc at oracle_sites","forward at module","step at train","<module> at train"]'
expect sites 'p.sites[] | select(.site | test("^step ")) | .frames[3]' \
	"{\"language\":\"python\",\"function\":\"step\",\"file\":\"$T/app/train.py\",\"line\":4}"
expect sites '[p.sites[] | .frames[0] | .language] | unique' '["native"]'
expect sites '[p.sites[] | (.stack | length) == (.frames | length)] | all' true
expect sites 'p.sites | length' 6
expect_sites skipped 'step at train.py:4 (python)
through at train.py:6 (python)
<module> at train.py:9 (python)
malloc at oracle_sites.py:6 (python)
malloc at oracle_sites.py:6 (python)
malloc at oracle_sites.py:6 (python)'
expect native '[.processes[].memory.map[].site] | [length, (unique | map(test("ffi")))]' '[6,[true]]'
expect native '[p.sites[] | has("stack")] | any' false
expect native 'p.sites | length' 1

# ---- code that a library makes ----

own=$("$interpreter" -c 'import sys; print("<module> at generated.py:16 (python)" if sys.version_info >= (3, 11) else "__init__ at <string>:2 (python)")')
expect_sites generated "run at generated.py:7 (python)
run at generated.py:7 (python)
run at generated.py:7 (python)
run at generated.py:7 (python)
run at generated.py:7 (python)
f at <string>:2 (python)
f at <stdin>:2 (python)
f at 1.py:2 (python)
$own"
expect generated '[p.sites[] | select(.stack[1] == "f at cqy2n.py:2 (python)") | .stack[2:][] | sub(" at .*py:"; ":")]' '["run:7 (python)","step:9 (python)","<module>:12 (python)"]'

# ---- deep stacks ----

expect deep '[.processes[].memory.map[].site] | [length, unique[]]' '[13,"<module> at deep.py:3 (python)"]'
# All of 64 frames are there; of more the innermost 48 and the outermost 16, however many there were.
expect deep '[p.sites[] | [(.frames[1:] | length, (map(.function) | index("(frames are left out)"))), .allocations]] | sort | .[-2:]' \
	'[[64,null,1],[65,48,5]]'
expect_nothing_lost deep

# ---- calls that fail ----

expect failing '[.events[] | select(.kind == "out-of-memory" or .kind == "failure" or .kind == "double-free").text | sub(" on device.*|: an argument.*|: the copy.*"; "") |
	sub("0x[0-9a-f]*"; "P")]' '["cudaMalloc of 1.0E at big at failing.py:5 (python): out of memory","cudaFree in twice at failing.py:9 (python) failed: cudaErrorInvalidValue (1)","cudaFree of P, which was freed before, called from twice at failing.py:9 (python)","cudaMemcpy in wrong at failing.py:11 (python) failed: cudaErrorInvalidMemcpyDirection (21)"]'
expect_nothing_lost failing
# The first of each kind, by its line and the way there.
expect failing '[p.failures[] | [.call, .count, .site]] | sort' '[["cudaFree",1,"twice at failing.py:9 (python)"],["cudaMalloc",2,"big at failing.py:5 (python)"],["cudaMemcpy",1,"wrong at failing.py:11 (python)"]]'
expect failing '[p.failures[] | select(.call == "cudaFree") | .frames[1:][] | [.language, .function, .line]]' \
	'[["python","twice",9],["python","<module>",16]]'
expect failing '[p.failures[], (.events[] | select(.kind == "out-of-memory" or .kind == "double-free")) | (.stack | length) == (.frames | length) and
	.frames[0].language == "native" and .frames[1].language == "python"] | unique' '[true]'
expect failing '[.events[] | select(.kind == "double-free") | .frames[1] | [.function, .file, .line]]' "[[\"twice\",\"$T/failing.py\",9]]"
expect failing '[.events[] | select(.kind == "out-of-memory") | [.stack[1:][] | sub(".*py:"; "")]]' '[["5 (python)","14 (python)"]]'
check "text: failures: $(cat "$T/text.out")" grep -q '^  cudaMalloc  *2  cudaErrorMemoryAllocation (2)  first in big at failing.py:5 (python)' "$T/text.out"
check "text: a double free" grep -q 'which was freed before, called from twice at failing.py:9 (python)$' "$T/text.out"

expect only '[p.failures[] | [.call, .site, (.stack[0] | test("ffi")), (.frames[0].module | test("ffi"))]]' \
	'[["cudaSetDevice","<module> at only.py:2 (python)",true,true]]'
expect only-native '[p.failures[] | [.call, (.site | test("ffi")), has("stack"), .frames[0].language]]' '[["cudaSetDevice",true,false,"native"]]'

# ---- graphs ----

queued_status graphs 0
expect graphs '[p.graphs[] | [.call, .instantiated, .live, .launches, .site, [.frames[1:][].line]]] | sort_by(.[5])' \
	'[["cudaGraphInstantiate",1,0,5,"instantiate at graphs.py:6 (python)",[6,10]],["cudaGraphInstantiate",1,1,5,"instantiate at graphs.py:6 (python)",[6,13]],["cudaGraphInstantiateWithFlags",1,1,0,"<module> at graphs.py:14 (python)",[14]]]'
expect graphs '[p.graphs[] | .frames[0].language] | unique' '["native"]'
expect_nothing_lost graphs
expect graphs-native '[p.graphs[] | has("stack")] | any' false
expect graphs-native '[p.graphs[].instantiated] | add' 3
"$CUTOP" -b --replay "$T/recorded.cutop" >"$T/graphs.txt"
check "graphs: text: $(cat "$T/graphs.txt")" grep -q '^  *1  *1  *5  instantiate at graphs.py:6 (python)$' "$T/graphs.txt"

# ---- no memory ----

expect hungry '[.events[] | select(.kind == "out-of-memory") | .sites[] | [.live_bytes / 1048576, .allocations, (.site | sub(" [(]python[)]"; ""))]]' \
	'[[11,1,"<module> at layers.py:12"],[10,2,"weights at hungry.py:5"],[10,1,"<module> at layers.py:11"],[9,1,"<module> at layers.py:10"],[8,1,"<module> at layers.py:9"],[7,1,"<module> at layers.py:8"],[6,1,"<module> at layers.py:7"],[5,1,"<module> at layers.py:6"],[4,1,"<module> at layers.py:5"],[3,1,"<module> at layers.py:4"]]'
expect hungry '[.events[] | select(.kind == "out-of-memory") | .sites_omitted, .site]' '[2,"<module> at hungry.py:14 (python)"]'
expect hungry '[.events[] | select(.kind == "out-of-memory") | .sites[1].frames[1:][:2][] | [.function, .line]]' '[["malloc",5],["weights",5]]'
expect hungry '[.events[] | select(.kind == "unknown-free") | [.text, .frames[1].line]]' \
	'[["cudaFree of 0x1000, where no allocation is known to begin, called from <module> at hungry.py:13 (python)",13]]'
check "text: the lines that hold most: $(cat "$T/text.out")" [ "$(grep -c '^  *[0-9.]*M in [12] allocations* from .* (python)$' "$T/text.out")" = 10 ]
check "text: how many more" grep -q '^  *and 2 more call sites$' "$T/text.out"

"$CUTOP" trace --stacks -t --library "$library" -- "$interpreter" "$T/failing.py" "$library" >"$T/trace.out" 2>"$T/trace.err"
sed -n '/^  *[a-z<>]* at failing/{s/^ *//;p}; /cudaM[a-z]*(/{s/.* \(cuda[A-Za-z]*\)(.*/\1/;p}' "$T/trace.out" | head -n 7 >"$T/trace"
cat >"$T/trace.expected" <<'END'
cudaMalloc
big at failing.py:5 (python)
<module> at failing.py:14 (python)
cudaMalloc
big at failing.py:5 (python)
first at failing.py:13 (python)
<module> at failing.py:15 (python)
END
check "trace: $(diff "$T/trace.expected" "$T/trace") $(cat "$T/trace.err")" cmp -s "$T/trace.expected" "$T/trace"

# ---- native frames before Python's ----

cat >"$T/mixed.py" <<'END'
import ctypes, sys
native = ctypes.CDLL(sys.argv[1])
def down(depth):
    if depth:
        return down(depth - 1)
    native.native_outer(ctypes.c_size_t(100))
down(2)
END
watch mixed --stacks --library "$library" -- env LD_LIBRARY_PATH="$T/double" "$interpreter" "$T/mixed.py" \
	"$(cd "$top_builddir" && pwd)/tests/e2e/bin/libnative.so"
expect mixed 'p.sites[] | .site' '"down at mixed.py:6 (python)"'
expect mixed 'p.sites[] | [.stack[] | sub("[+ ].*"; "")] | .[:2] + [.[] | select(test("^down|^<module>"))]' \
	'["native_inner","native_outer","down","down","down","<module>"]'
expect mixed 'p.sites[] | [.frames[] | .language] | join(" ") | test("^native native (native )*(python ?){4}( native)*$")' true
expect_nothing_lost mixed

# ---- frames that are none ----

# It calls at once, so it is COMMAND's own program, which is known ahead.
LD_LIBRARY_PATH=$T/double watch hostile --library "$library" -- "$top_builddir/tests/e2e/bin/hostile"
check "hostile: status $status" [ "$status" = 0 ]
# One line for each: its number, and its site, or that it is the native one.
cat >"$T/hostile.expected" <<'END'
sound at sound.py:7 (python)
sound at sound.py:7 (python)
sound at sound.py:7 (python)
native
native
native
native
native
? at sound.py:7 (python)
? at sound.py:7 (python)
sound at sound.py (python)
sound at sound.py (python)
sound at ?:7 (python)
native
native
native
sound at sound.py:7 (python)
sound at sound.py:7 (python)
END
jq -r '.processes[].memory.map | sort_by(.size)[].site | sub("^call[+].*"; "native")' "$T/hostile.json" >"$T/hostile.sites"
check "hostile: $(diff "$T/hostile.expected" "$T/hostile.sites")" cmp -s "$T/hostile.expected" "$T/hostile.sites"
# Each that could not be read is counted once; a thread without frames is none of these.
expect hostile '.lost.python_frames' 12
# The native frame, 64 of Python's, and the marks that frames are missing between and behind them.
expect hostile '[p.sites[] | .stack // [] | length] | max' 67

# ---- the report, folded stacks, recordings ----

"$CUTOP" -b --replay "$T/recorded.cutop" -f json >"$T/replay.out"
tail -n 1 "$T/replay.out" | jq -c ".processes |= map(select(.pid == $(cat "$T/leak.pid")))" >"$T/replay.json"
expect replay 'p.sites[0] | [.site, .leaked_bytes, (.stack[1:] | length), .frames[1].line]' '["make_buffer at leak.py:5 (python)",3000,3,5]'
"$CUTOP" -b --replay "$T/recorded.cutop" | sed -n '/BLOCKS/,$p' | sed 's/ *$//; s/Model\.grow/grow/' >"$T/report"
cat >"$T/report.expected" <<END
           BYTES  SHARE   BLOCKS  CALL                  SITE
            3000  98.4%        1  cudaMalloc            make_buffer at leak.py:5 (python)
                                                          grow at leak.py:8 (python)
                                                          <module> at leak.py:9 (python)
              50   1.6%        1  cudaMalloc            make_buffer at leak.py:5 (python)
                                                          <module> at leak.py:10 (python)
leaked 3050 bytes (3.0K) in 2 allocations
END
check "the report: $(diff "$T/report.expected" "$T/report")" cmp -s "$T/report.expected" "$T/report"
"$CUTOP" -b --replay "$T/recorded.cutop" -f folded --folded-by leaked | sed 's/^[^;]*;//; s/;[^;]* \([0-9]*\)$/ \1/; s/Model\.grow/grow/' >"$T/folded"
cat >"$T/folded.expected" <<END
<module> (leak.py);grow (leak.py);make_buffer at leak.py:5 (python) 3000
<module> (leak.py);make_buffer at leak.py:5 (python) 50
END
check "folded: $(cat "$T/folded")" cmp -s "$T/folded.expected" "$T/folded"

# ---- a program without an interpreter, and one with an interpreter that is not known ----

expect plain '[p.sites[].frames[].language] | unique' '["native"]'
expect_nothing_lost all

for old in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.7.*/bin/python3; do
	[ -x "$old" ] || continue
	"$CUTOP" -b -v -n 1 -f json --library "$library" -- "$old" "$T/leak.py" "$library" >"$T/old.out" 2>"$T/old.err"
	tail -n 1 "$T/old.out" >"$T/old.json"
	check "old: $(cat "$T/old.err")" grep -q 'frames are not read: CPython 3\.7 is not known' "$T/old.err"
	expect old '[p.sites[].site | test("python\\)")] | any' false
	expect old 'p.memory.leaked_bytes' 3050
	echo 'input()' >>"$T/leak.py"
	mkfifo "$T/hold"
	"$old" "$T/leak.py" "$library" <"$T/hold" &
	running=$!
	exec 9>"$T/hold"
	check "old: does not start" wait_for 20 grep -qs libcudart "/proc/$running/maps"
	"$CUTOP" doctor -p "$running" --library "$library" >"$T/doctor.out" 2>&1
	echo >&9
	exec 9>&-
	wait "$running"
	check "old: doctor: $(cat "$T/doctor.out")" grep -q 'its Python code as call sites: .*: CPython 3\.7 is not known' "$T/doctor.out"
	break
done

finish
