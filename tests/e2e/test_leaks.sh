#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Leaks: memory that is kept for a reason is not suspect, memory that is
# forgotten is, while the program runs, at its call site, in its bytes; and what
# a reset or an exit ends is leaked there.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
leaks=$top_builddir/tests/e2e/bin/leaks
[ -x "$leaks" ] || skip "the helpers are not built"

# All at once, since what takes the time is waiting for windows to pass.
scenes='exec >>"$2"; for scene in weights sawtooth ramp drip; do "$1" $scene 7.5 & done; wait; "$1" reset; "$1" exit'
# shellcheck disable=SC2016
"$CUTOP" -b -f json -d 0.1 --leak-age 0.25 --library "$double/libcudart.so.13" -- sh -c "$scenes" sh "$leaks" "$T/said" \
	>"$T/all.json" 2>"$T/err"
status=$?
check "status $status: $(cat "$T/err")" [ "$status" = 0 ]
tail -n 1 "$T/all.json" >"$T/end.json"
expect_lost_none end
expect end '[.processes[].inexact] | any' false

# scene NAME: all that was seen of it while it ran, a document per line, in $T/NAME.jsonl; the end in $T/NAME.json
scene() {
	jq -c ".processes[] | select((.arguments | startswith(\"$1\")) and .state == \"running\")" "$T/all.json" >"$T/$1.jsonl"
	jq -c ".processes |= map(select(.arguments | startswith(\"$1\")))" "$T/end.json" >"$T/$1.json"
}

# What was seen of a scene while it ran, as a list: $1: scene, $2: filter, $3: value
expect_while() {
	got=$(jq -c -s "$2" "$T/$1.jsonl" 2>&1)
	check "$1: $2 is $got, not $3" [ "$got" = "$3" ]
}

# How often the scene allocated, as it said itself.
count_of() {
	sed -n "s/^$1 \([0-9]*\) .*/\1/p" "$T/said"
}

for name in weights sawtooth ramp drip reset exit; do
	scene $name
done

# ---- kept for ever, and rightly
expect_while weights 'length > 30' true
expect_while weights '[.[].memory.suspect_bytes] | max' 0
expect_while weights '[.[].memory.live_bytes] | max' 6553600
expect_while weights '[.[].memory.map[].state] | unique' '["live"]'
expect weights 'p.memory | [.leaked_bytes, .live_bytes, .frees]' '[0,0,100]'

# ---- a cache that is emptied now and then
expect_while sawtooth 'length > 30' true
expect_while sawtooth '[.[].memory.suspect_bytes] | max' 0
expect_while sawtooth '[.[].memory.live_bytes] | max > 50000' true
expect sawtooth 'p.memory | [.leaked_bytes, .allocations == .frees]' '[0,true]'
expect sawtooth 'p.memory.allocations' "$(count_of sawtooth)"

# ---- grows, and has grown up: suspect at most for a while, and no more at the end
# The last snapshot may show it in the middle of freeing all, before it ends.
expect_while ramp 'map(select(.memory.frees == 0)) | .[-1].memory.live_bytes' 102400
expect_while ramp 'map(select(.memory.frees == 0)) | .[-1].memory.suspect_bytes' 0
expect_while ramp '[.[] | select(.memory.live_bytes == 102400 and .memory.suspect_bytes == 0)] | length > 5' true
expect ramp 'p.memory.leaked_bytes' 0

# ---- a little is forgotten among much that comes and goes
leaked=$(($(count_of drip) * 4096))
expect_while drip '[.[].memory.suspect_bytes] | max > 0' true
# Most of what is live there, and never more.
expect_while drip '[.[] | .memory.suspect_bytes as $s | .sites[] | select(.site | test("^leak_block\\b")) |
	if $s > .live_bytes then error("more than is live") else $s / (.live_bytes + 1) end] | max > 0.6' true
expect_while drip '[.[].memory.suspect_bytes % 4096] | unique' '[0]'
expect_while drip '[.[].sites[] | select(.suspect_bytes > 0).site | sub("[.+ ].*"; "")] | unique' '["leak_block"]'
expect_while drip '[.[].memory.map[] | select(.state == "suspect").size] | unique' '[4096]'
expect_while drip '[.[] | .memory.suspect_bytes == ([.sites[].suspect_bytes // 0] | add)] | all' true
expect drip 'p.memory | [.live_bytes, .leaked_bytes]' "[0,$leaked]"
expect drip '[p.sites[] | select(.leaked_bytes > 0) | [(.site | sub("[.+ ].*"; "")), .leaked_bytes]]' "[[\"leak_block\",$leaked]]"
# An exit takes away what was suspect.
expect drip 'p.memory.suspect_bytes // 0' 0
expect end '[.events[] | select(.kind == "leak")] | length > 0' true

# ---- ended by a reset, and by the exit
expect reset 'p.memory | [.leaked_bytes, .frees, .live_bytes]' '[30000,1,0]'
expect reset '[p.sites[] | select(.leaked_bytes > 0) | [(.site | sub("[.+ ].*"; "")), .leaked_bytes]] | unique' '[["reset_block",10000]]'
expect reset '[p.sites[].leaked_bytes] | add' 30000
expect exit 'p.memory | [.leaked_bytes, .frees]' '[21,7]'
expect exit '[p.sites[] | select(.leaked_bytes > 0) | [(.site | sub("[.+ ].*"; "")), .leaked_bytes]]' '[["small_block",21]]'
expect exit '[p.memory.map[] | [.size, .state]] | unique' '[[7,"leaked"]]'

# ---- what a library holds, and pinned memory: one recording of each scene, shown twice
cat >"$T/cublas.c" <<'END'
#include "cuda_double.h"
void *cublas_create(void)
{
	void *handle = 0;
	return cudaMalloc(&handle, 1 << 20) ? 0 : handle;
}
END
cat >"$T/keeps.c" <<'END'
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cuda_double.h"
void *cublas_create(void);
static char pages[1 << 16];
static double now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}
__attribute__((noinline)) static void *make(void)
{
	return cublas_create() ?: (exit(1), NULL);
}
__attribute__((noinline)) static void *stage(void)
{
	void *host = NULL;
	return cudaMallocHost(&host, 1 << 16) ? (exit(1), NULL) : host;
}
int main(int argc, char **argv)
{
	double begin = now();
	struct timespec pause = { 0, 20000000 };
	void *held = !strcmp(argv[1], "once") ? make() : NULL, *pinned = !strcmp(argv[1], "pinned-once") ? stage() : NULL;
	int count = 0;

	for (; now() < begin + 3; count++) {
		if (!strcmp(argv[1], "each"))
			make();
		if (!strcmp(argv[1], "pairs") && (cudaFree(make()) || cudaFreeHost(stage())))
			return 1;
		if (!strcmp(argv[1], "pinned"))
			stage();
		nanosleep(&pause, NULL);
	}
	if (pinned && cudaHostRegister(pages, sizeof(pages), 0))
		return 1;
	return argc < 0 && cudaFree(held);
}
END
# Streams and events, one line each, are not destroyed; others are, some by another thread. What a context's end ends was not
# destroyed either. Then an allocation finds no memory.
cat >"$T/objects.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "cuda_double.h"
#include "cuda_double_driver.h"
#define MUST(call) ((call) ? exit(1) : (void)0)
static cudaEvent_t given[100];
static void *destroy_all(void *unused)
{
	for (int i = 0; i < 100; i++)
		MUST(cudaEventDestroy(given[i]));
	return unused;
}
int main(void)
{
	struct timespec pause = { 0, 10000000 };
	CUlibrary library;
	CUcontext context;
	cudaStream_t stream;
	cudaEvent_t event;
	CUmodule module;
	pthread_t other;
	void *memory;

	for (int i = 0; i < 300; i++) {
		MUST(cudaStreamCreate(&stream)); /* a stream */
		for (int n = 0; n < 4; n++)
			MUST(cudaEventCreateWithFlags(&event, 2)); /* an event */
		MUST(cudaStreamCreateWithFlags(&stream, 1)); /* a paired stream */
		MUST(cudaStreamDestroy(stream));
		MUST(cuEventCreate(&event, 0)); /* a paired event */
		MUST(cuEventDestroy_v2(event));
		nanosleep(&pause, NULL);
	}
	for (int i = 0; i < 50; i++) {
		MUST(cuModuleLoadData(&module, "image")); /* a module */
		if (i % 5)
			MUST(cuModuleUnload(module));
		MUST(cuLibraryLoadData(&library, "image", NULL, NULL, 0, NULL, NULL, 0)); /* a library */
		if (i % 2)
			MUST(cuLibraryUnload(library));
	}
	for (int i = 0; i < 100; i++)
		MUST(cudaEventCreate(&given[i])); /* a given event */
	MUST(pthread_create(&other, NULL, destroy_all, NULL));
	MUST(pthread_join(other, NULL));
	for (int i = 0; i < 6; i++) {
		MUST(cuCtxCreate_v2(&context, 0, 0)); /* a context */
		MUST(cuStreamCreate(&stream, 0)); /* a stream in it */
		if (i >= 4)
			MUST(cuCtxDestroy_v2(context));
	}
	return cudaMalloc(&memory, 1ull << 50) != 2;
}
END
cc() {
	"${CC:-cc}" -g -O1 -I"$top_srcdir/tests/double" "$@" "$double/libcudart.so.13" "$double/libcuda.so.1" -Wl,-rpath,"$double:$T" ||
		fail "it does not build"
}
cc -shared -fPIC -Wl,-soname,libcublas.so.13 -o "$T/libcublas.so.13" "$T/cublas.c"
cc -o "$T/keeps" "$T/keeps.c" "$T/libcublas.so.13"
# What CuPy's pools call for more, by its own name.
cupy=-Dcublas_create=__pyx_f_13cupy_backends_4cuda_3api_7runtime_malloc
cc $cupy -shared -fPIC -Wl,-soname,runtime.cpython.so -o "$T/runtime.cpython.so" "$T/cublas.c"
cc $cupy -o "$T/pools" "$T/keeps.c" "$T/runtime.cpython.so"
"$CUTOP" record -o "$T/cupy.cutop" -- "$T/pools" once 2>"$T/cupy.err" &
cc -o "$T/makes" "$T/objects.c" -pthread
for scene in each once pairs pinned pinned-once; do
	"$CUTOP" record -o "$T/$scene.cutop" -- "$T/keeps" $scene 2>"$T/$scene.err" &
done
"$CUTOP" record -o "$T/objects.cutop" -- "$T/makes" 2>"$T/objects.err" &
wait
# line_of TEXT [FILE]
line_of() {
	grep -nF "$1" "$T/${2:-keeps.c}" | cut -d: -f1
}
# replay STATUS SCENE [OPTIONS]: the end in $T/SCENE.json, the report in $T/SCENE.txt
replay() {
	wanted=$1
	scene=$2
	shift 2
	"$CUTOP" -b -f json --leak-age 0.25 --replay "$T/$scene.cutop" >"$T/$scene.all" 2>>"$T/$scene.err"
	tail -n 1 "$T/$scene.all" >"$T/$scene.json"
	"$CUTOP" -b --leak-age 0.25 "$@" --replay "$T/$scene.cutop" >"$T/$scene.txt" 2>>"$T/$scene.err"
	status=$?
	check "$scene $*: status $status: $(cat "$T/$scene.err")" [ "$status" = "$wanted" ]
}
# says SCENE REGEX
says() {
	check "$1: the report lacks '$2': $(cat "$T/$1.txt")" grep -qE "$2" "$T/$1.txt"
}
site='(.site | sub("[+].* at "; " "))'

# A handle per call: the library holds it, and it rises.
replay 3 each --fail-on-leak
expect each 'p.memory | .leaked_bytes == 0 and .held_rising_bytes > 0 and .held_rising_bytes <= .held_bytes' true
expect each "[p.sites[] | select(.held_rising_bytes) | $site]" "[\"make keeps.c:$(line_of 'return cublas_create()') (keeps)\"]"
says each 'held by libraries, still rising: [0-9]+ bytes \([0-9.]+M\) in [0-9]+ blocks$'
says each 'held by .*libcublas.so.13'
says each 'but [0-9]+ bytes .* of it rose until the end'
check "no event tells of it while it runs" [ "$(jq -s "[.[].events[]? | select(.kind == \"suspect\") | (.text | test(\"most at make.*keeps.c.*, held by \"))] | unique == [true]" "$T/each.all")" = true ]
# Those who wish may allow some of it.
replay 0 each --fail-on-leak=1G
# One for life, and pairs: it is held, or freed.
replay 0 once --fail-on-leak
expect once 'p.memory | [.held_bytes, .held_rising_bytes, .leaked_bytes]' '[1048576,null,0]'
says once '^no leak$'
replay 0 cupy --fail-on-leak
expect cupy 'p.memory | [.held_bytes, .held_rising_bytes, .leaked_bytes]' '[1048576,null,0]'
replay 0 pairs --fail-on-leak=0,host
expect pairs 'p.memory | [.held_bytes, .held_rising_bytes, .leaked_bytes, .host_left_bytes]' '[0,null,0,null]'
says pairs '^no leak$'

# Pinned memory: apart from that of devices.
replay 0 pinned --fail-on-leak
expect pinned 'p.memory | [.leaked_bytes, .live_bytes, .peak_bytes]' '[0,0,0]'
expect pinned 'p | .memory.host_left_bytes == .memory.allocations * 65536' true
expect pinned "[p.sites[] | [$site, .host_left_bytes == .allocations * 65536, .host_blocks == .allocations]]" \
	"[[\"stage keeps.c:$(line_of 'return cudaMallocHost') (keeps)\",true,true]]"
says pinned 'host memory: [0-9]+ bytes \([0-9.]+M\) pinned in [0-9]+ blocks$'
says pinned '100.0% +[0-9]+  cudaMallocHost +stage.*keeps.c'
says pinned '^no leak of VRAM; [0-9]+ bytes \([0-9.]+M\) of pinned host memory were left$'
check "no event tells of it while it runs" [ "$(jq -s "[.[].events[]? | select(.kind == \"suspect\") | (.text | test(\"of pinned host memory may be leaking.*most at stage\"))] | unique == [true]" "$T/pinned.all")" = true ]
check "it was suspect" [ "$(jq -s 'map(.processes[].memory.host_suspect_bytes // 0) | max > 0' "$T/pinned.all")" = true ]
replay 3 pinned --fail-on-leak=1000,host
replay 3 pinned --fail-on-leak=host
replay 0 pinned --fail-on-leak=1G,host
# Kept for life is not suspect while it runs; it is left, as is what is registered.
replay 0 pinned-once --fail-on-leak
expect pinned-once 'p.memory | [.host_left_bytes, .leaked_bytes]' '[131072,0]'
check "it was suspect" [ "$(jq -s 'map(.processes[].memory.host_suspect_bytes // 0) | max' "$T/pinned-once.all")" = 0 ]

# ---- objects: exact by line, also where another thread destroys them, once for both layers; a rising number is told and is no leak of bytes
replay 0 objects --fail-on-leak
expect_lost_none objects
at() {
	line_of "/* $1 */" objects.c
}
expect objects '[p.objects[] | [.kind, (.site | capture("objects.c:(?<line>[0-9]+)").line | tonumber), .call, .made, .live, .left]] | sort' \
	"$(jq -nc '[$ARGS.positional | _nwise(6) | [.[0], (.[1] | tonumber), .[2], (.[3:][] | fromjson)]] | sort' --args \
		stream "$(at "a stream")" cudaStreamCreate 300 300 null \
		stream "$(at "a paired stream")" cudaStreamCreateWithFlags 300 0 null \
		stream "$(at "a stream in it")" cuStreamCreate 6 4 2 \
		event "$(at "an event")" cudaEventCreateWithFlags 1200 1200 null \
		event "$(at "a paired event")" cuEventCreate 300 0 null \
		event "$(at "a given event")" cudaEventCreate 100 0 null \
		module "$(at "a module")" cuModuleLoadData 50 10 null \
		module "$(at "a library")" cuLibraryLoadData 50 25 null \
		context "$(at "a context")" cuCtxCreate_v2 6 4 null)"
expect objects '[p.objects[] | select(.rising) | [.kind, .live]]' '[["event",1200],["stream",300]]'
expect objects '[p.objects[] | select(.rising) | .rising > .live / 2 and .rising < .live] | all' true
# Events are too many for stacks without --stacks.
expect objects '[p.objects[] | select(.kind == "event") | has("stack")] | any' false
check "no event of each tells of them while it runs" [ "$(jq -sr '[.[].events[]? | select(.kind == "suspect") |
	(.text | capture("^[0-9]+ (?<what>[a-z]+) are made and not destroyed.*most at main.*objects.c:(?<line>[0-9]+)") | "\(.what) \(.line)")] |
	unique | join(",")' "$T/objects.all")" = "events $(at "an event"),streams $(at "a stream")" ]
says objects '^ +[0-9]+ +1200 +1200  cudaEventCreateWithFlags +main.*objects.c'
says objects '^no leak$'
says objects '^[0-9]+ streams, events or other objects were made and not destroyed'
says objects '^ +300 +300 +- +[0-9]+  stream +main'
jq -c '.events[] | select(.kind == "out-of-memory")' "$T/objects.all" | tail -n 1 >"$T/short.json"
expect short '[.objects[] | [.kind, .live, (.site | capture("objects.c:(?<line>[0-9]+)").line | tonumber)]]' \
	"[[\"stream\",304,$(at "a stream")],[\"event\",1200,$(at "an event")],[\"context\",4,$(at "a context")]]"
expect short '.text | test("; live in large numbers: 304 streams, most made at main.*, 1200 events, .*, 4 contexts, ")' true

finish
