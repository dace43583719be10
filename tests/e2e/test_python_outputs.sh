#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where lines of Python are to be seen: the report at the end of COMMAND, folded stacks, traces as JSON and for Chrome, metrics,
# a recording played again, and the screen's panes. What is a line, and which: test_python.sh.
# shellcheck source=/dev/null disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cli.sh"

interpreter=$(sh "$top_srcdir/tests/python/interpreters.sh" | awk '$2 == "/" { print $3; exit }')
[ "$interpreter" ] || skip "needs Python 3.8 to 3.14 with ctypes (Debian: apt install python3)"
private_double "$T/double"
export LD_LIBRARY_PATH="$T/double"
program=$T/train.py

# Three lines that leave memory behind, the ways to one of which differ; calls that fail; names that are odd.
cat >"$program" <<'END'
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
def make_buffer(size):
    pointer = ctypes.c_void_p()
    cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size))               # 5
    return pointer
def load():
    return make_buffer(5000)                                                    # 8
def grow():
    return make_buffer(3000)                                                    # 10
def weights():
    cuda.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(700))      # 12
def big():
    make_buffer(1 << 60)                                                        # 14
def twice():
    pointer = make_buffer(100)
    cuda.cudaFree(pointer)
    cuda.cudaFree(pointer)                                                      # 18
load()
grow()
weights()
big()
twice()
exec(compile("def odd():\n    cuda.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(50))\nodd()", 'odd "\\;\n\033[2J.py', "exec"))
if len(sys.argv) > 2:
    print("done", flush=True)
    open(sys.argv[2]).read()
END

# ---- the report ----

"$CUTOP" -b --library "$library" -- "$interpreter" "$program" "$library" >"$T/report.out" 2>"$T/report.err"
sed -n '/BLOCKS/,/^leaked/s/ *$//p' "$T/report.out" >"$T/report"
cat >"$T/report.expected" <<'END'
           BYTES  SHARE   BLOCKS  CALL                  SITE
            5000  57.1%        1  cudaMalloc            make_buffer at train.py:5 (python)
                                                          load at train.py:8 (python)
                                                          <module> at train.py:19 (python)
            3000  34.3%        1  cudaMalloc            make_buffer at train.py:5 (python)
                                                          grow at train.py:10 (python)
                                                          <module> at train.py:20 (python)
             700   8.0%        1  cudaMalloc            weights at train.py:12 (python)
                                                          <module> at train.py:21 (python)
              50   0.6%        1  cudaMalloc            odd at odd "\;??[2J.py:2 (python)
                                                          <module> at odd "\;??[2J.py:3 (python)
                                                          <module> at train.py:24 (python)
leaked 8750 bytes (8.5K) in 4 allocations
END
check "the report: $(diff "$T/report.expected" "$T/report")" cmp -s "$T/report.expected" "$T/report"

# ---- folded stacks: with native frames where those are known ----

cat >"$T/folded.expected" <<'END'
<module> (train.py);load (train.py);make_buffer at train.py:5 (python) 5000
<module> (train.py);grow (train.py);make_buffer at train.py:5 (python) 3000
<module> (train.py);weights at train.py:12 (python) 700
<module> (train.py);<module> (odd "\:??[2J.py);odd at odd "\:??[2J.py:2 (python) 50
END
for more in "" --stacks; do
	# shellcheck disable=SC2086
	"$CUTOP" -b -f folded --folded-by leaked $more --library "$library" -- "$interpreter" "$program" "$library" 2>"$T/folded.err" |
		sed 's/^[^;]*;//; s/^\(_start[^;]*;\)*\(__libc_start[^;]*;\)*//; s/;[^;]*(python);.* \([0-9]*\)$/&/; s/\((python)\);.* \([0-9]*\)$/\1 \2/' >"$T/folded"
	check "folded $more: $(diff "$T/folded.expected" "$T/folded") $(cat "$T/folded.err")" cmp -s "$T/folded.expected" "$T/folded"
done

# ---- traces ----

cat >"$T/calls.expected" <<'END'
["cudaMalloc","make_buffer at train.py:5","load at train.py:8","<module> at train.py:19"]
["cudaMalloc","make_buffer at train.py:5","grow at train.py:10","<module> at train.py:20"]
["cudaMalloc","weights at train.py:12","<module> at train.py:21"]
["cudaMalloc","make_buffer at train.py:5","big at train.py:14","<module> at train.py:22"]
["cudaMalloc","make_buffer at train.py:5","twice at train.py:16","<module> at train.py:23"]
["cudaFree","twice at train.py:17","<module> at train.py:23"]
["cudaFree","twice at train.py:18","<module> at train.py:23"]
["cudaMalloc","odd at odd \"\\;??[2J.py:2","<module> at odd \"\\;??[2J.py:3","<module> at train.py:24"]
END
run json trace --stacks -f json --library "$library" -- "$interpreter" "$program" "$library"
run chrome trace --stacks -f chrome --library "$library" -- "$interpreter" "$program" "$library"
jq -c 'select(.call) | [.call] + (.stack | map(select(test("\\(python\\)$")) | sub(" \\(python\\)$"; "")))' "$T/json.out" >"$T/json.calls"
jq -c '.traceEvents[] | select(.ph == "X") | [.name] + (.args.stack | map(select(test("\\(python\\)$")) | sub(" \\(python\\)$"; "")))' \
	"$T/chrome.out" >"$T/chrome.calls"
for format in json chrome; do
	check "trace, $format: $(diff "$T/calls.expected" "$T/$format.calls")" cmp -s "$T/calls.expected" "$T/$format.calls"
done
check "chrome: $(python3 "$top_srcdir/tests/e2e/trace_check.py" chrome "$T/chrome.out" 2>&1)" \
	python3 "$top_srcdir/tests/e2e/trace_check.py" chrome "$T/chrome.out"

# ---- metrics ----

metrics() {
	name=$1
	shift
	"$CUTOP" -b -n 1 --library "$library" "$@" -- "$interpreter" "$program" "$library" 2>"$T/$name.err" |
		sed -n '/^# HELP cutop_build/,$p' >"$T/$name.metrics"
	sed -n 's/^cutop_process_site_leaked_bytes{.*,site=\(.*\)} /\1 /p' "$T/$name.metrics" >"$T/$name.sites"
}
cat >"$T/sites.expected" <<'END'
"make_buffer at train.py:5 (python)" 8000
"weights at train.py:12 (python)" 700
"odd at odd \"\\;??[2J.py:2 (python)" 50
END
metrics all -f openmetrics
check "metrics: $(diff "$T/sites.expected" "$T/all.sites")" cmp -s "$T/sites.expected" "$T/all.sites"
check "they are well formed" python3 "$top_srcdir/tests/e2e/metrics.py" parse openmetrics "$T/all.metrics"
metrics one -f prometheus --top-sites 1
check "the one that leaks most: $(cat "$T/one.sites")" [ "$(cat "$T/one.sites")" = '"make_buffer at train.py:5 (python)" 8000' ]
if command -v promtool >/dev/null; then
	check "promtool: $(promtool check metrics <"$T/one.metrics" 2>&1)" promtool check metrics <"$T/one.metrics"
fi
metrics none -f prometheus --top-sites 0
check "none is asked for" [ "$(grep -c process_site "$T/none.metrics")" = 0 ]

# ---- recordings: all that a program of threads, forks, generators and code that goes does ----

mkdir "$T/notes"
"$CUTOP" record -o "$T/oracle.cutop" -b -f json -d 0.2 --library "$library" -- "$interpreter" "$top_srcdir/tests/python/oracle.py" \
	"$library" "$T/notes" >"$T/oracle.all" 2>"$T/oracle.err"
grep '^{"schema"' "$T/oracle.all" >"$T/oracle.live"
check "record: $(cat "$T/oracle.err")" [ -s "$T/oracle.live" ]
run replay --replay "$T/oracle.cutop" -b -f json
expect_status replay 0
# A snapshot that was made as COMMAND ended is replayed, and was not printed.
check "what was seen is replayed" [ -z "$(diff "$T/replay.out" "$T/oracle.live" | grep '^>' | cut -c 1-300)" ]
tail -n 1 "$T/oracle.live" >"$T/oracle.json"
tail -n 1 "$T/replay.out" >"$T/replay.json"
for name in oracle replay; do
	jq -c '.processes[] | .pid as $pid | .sites[] | [$pid, .site, .stack, .frames, .leaked_bytes]' "$T/$name.json" >"$T/$name.sites"
done
check "the same sites and frames" cmp -s "$T/oracle.sites" "$T/replay.sites"
expect replay '[.processes[].sites[].frames[] | select(.language == "python")] | length > 500' true

# ---- the screen ----

command -v tmux >/dev/null || { finish; exit; }
. "$top_srcdir/tests/e2e/terminal.sh"
mkfifo "$T/hold"
"$CUTOP" record -o "$T/train.cutop" --library "$library" -- "$interpreter" "$program" "$library" >"$T/record.out" 2>&1
screen_start 100 30
looked_at() {
	check "$1: it shows" see ' FAILED COMMAND'
	keys 6
	check "$1: sites" see 'make_buffer at train.py:5 (python) '
	check "$1: no stack at first" [ "$(seen | grep -c 'load at train.py')" = 0 ]
	keys z
	keys Enter
	check "$1: its ways" see '^ ← grow at train.py:10 (python) ← <module>'
	check "$1: a way's stack" see '^   load at train.py:8 (python) '
	check "$1: the arrow is before what the site is called by" see '^ → make_buffer at train.py:5 (python) '
	keys Escape b
	check "$1: by function" see '^ .*make_buffer (train.py)  .* 7.8K '
	keys b
	check "$1: by file" see '^ .*train.py (/'
	keys b
	check "$1: by library" see '^ .*libffi'
	keys b
	check "$1: each stack" see '  STACK$'
	keys b Escape Escape
	check "$1: each again" see 'make_buffer at train.py:5 (python) '
	keys 7
	check "$1: the log" see 'cudaMalloc of 1.0E at make_buffer at train.py:5 (python)'
}
shell clear
shell "$CUTOP --no-config -d 0.3 --library $library -- $interpreter $program $library $T/hold"
looked_at live
keys 1
check "live: memory" see 'weights at train.py:12 (python)'
# It waits for that.
echo >"$T/hold"
check "live: it ends" see 'command ended'
keys q
check "live: the shell is back" shell_back
shell clear
shell "$CUTOP --no-config --replay $T/train.cutop"
looked_at replay
keys q
check "replay: the shell is back" shell_back
finish
