#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds traces against what is known of them.

  trace_check.py match LOG TRACE.json [enter|pairs]   a JSON trace against what a program wrote down
  trace_check.py chrome TRACE.json                    a Chrome trace against its format; prints a summary

Says what is wrong and ends with 1, or says nothing and ends with 0.
"""
import collections
import json
import sys

NAMES = {"call": ["call"], "enter": ["enter"], "pairs": ["enter", "exit"]}
# What is known only when a call has returned.
AT_RETURN = {"address", "bytes"}

# Parameters that point to results, and whose name does not say so.
OUT = {("cudaEventCreate", "event"), ("cudaMemGetInfo", "free"), ("cudaGetDevice", "device"), ("cuModuleLoadData", "module"),
       ("cuMemAddressReserve", "ptr")}


def fail(text):
    print(text)
    sys.exit(1)


def by_thread(lines):
    threads = collections.defaultdict(list)
    for line in lines:
        threads[line["tid"]].append(line)
    return threads


def calls_of(path):
    """The calls of a trace, and its last line."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if not lines or "lost" not in lines[-1]:
        fail(f"{path}: the last line does not say what was lost")
    calls = lines[:-1]
    if lines[-1]["calls"] != len(calls):
        fail(f"{path}: {len(calls)} calls, and the last line says {lines[-1]['calls']}")
    return calls, lines[-1]["lost"]


def compare(want, got, moment):
    where = f"{want['call']} {want['arguments']}: {got}"
    if got["call"] != want["call"] or got["event"] != moment:
        fail(f"another call: {where}")
    if moment != "enter":
        if got["code"] != want["code"] or ("result" not in got) or got["duration_seconds"] < 0:
            fail(f"result: {where}")
    elif "code" in got or "duration_seconds" in got:
        fail(f"a result at entry: {where}")
    for name, value in want["arguments"].items():
        if moment == "enter":
            frees = "Free" in want["call"] or want["call"] == "cuMemRelease"
            is_out = name.startswith("p") and name != "ptr" or (want["call"], name) in OUT
            if (name in AT_RETURN and not frees) or is_out:
                continue
        if got["arguments"].get(name) != value:
            fail(f"argument {name} is {got['arguments'].get(name)}, not {value}: {where}")


def match(log, trace, moments):
    with open(log, encoding="utf-8") as file:
        want = by_thread(json.loads(line) for line in file)
    calls, _ = calls_of(trace)
    got = by_thread(calls)
    if set(want) != set(got):
        fail(f"threads {sorted(want)} called, {sorted(got)} are in the trace")
    for tid, lines in want.items():
        expected = [(line, moment) for line in lines for moment in moments]
        for (line, moment), seen in zip(expected, got[tid]):
            compare(line, seen, moment)
        if len(expected) != len(got[tid]):
            fail(f"{len(expected)} lines are due for thread {tid}, {len(got[tid])} there")


def slices_nest(track, slices):
    """Complete slices of a track lie side by side or inside each other."""
    open_ends = []
    for begin, end, name in sorted(slices, key=lambda s: (s[0], -s[1])):
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            fail(f"{name} at {begin} overlaps what lies before it on track {track}")
        open_ends.append(end)


def chrome(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    tracks, names, depth, threads, streams, named = collections.defaultdict(list), {}, collections.Counter(), set(), {}, set()
    count, latest = 0, collections.Counter()
    for event in document["traceEvents"]:
        for key in ("ph", "name", "pid", "tid"):
            if key not in event:
                fail(f"no {key}: {event}")
        track = (event["pid"], event["tid"])
        if event["ph"] == "M":
            if event["name"] not in ("process_name", "thread_name") or not isinstance(event["args"]["name"], str):
                fail(f"metadata: {event}")
            names[track] = event["args"]["name"]
            if event["name"] == "thread_name" and event["tid"] >= 1 << 30:
                streams[track] = event["args"]["name"]
            elif event["name"] == "thread_name":
                named.add(event["args"]["name"])
            continue
        if not isinstance(event["ts"], (int, float)) or event["ts"] < 0:
            fail(f"time: {event}")
        if event["ph"] == "X":
            if event["dur"] < 0:
                fail(f"duration: {event}")
            # In whole nanoseconds: sums of decimal fractions are none.
            begin = round(event["ts"] * 1000)
            tracks[track].append((begin, begin + round(event["dur"] * 1000), event["name"]))
        elif event["ph"] == "i":
            if event["s"] != "t":
                fail(f"scope: {event}")
        elif event["ph"] in "BE":
            # Perfetto takes what lies before the event before it on a track for an error.
            now = round(event["ts"] * 1000)
            if now < latest[track]:
                fail(f"back in time on track {track}: {event}")
            latest[track] = now
            depth[track] += 1 if event["ph"] == "B" else -1
            if depth[track] not in (0, 1):
                fail(f"an end without a beginning, or none: {event}")
        else:
            fail(f"phase: {event}")
        if track[1] >= 1 << 30:
            if track not in streams:
                fail(f"a stream's track without a name: {event}")
        else:
            threads.add(track)
            count += event["ph"] != "E"
    for track, slices in tracks.items():
        slices_nest(track, slices)
    if any(depth.values()):
        fail("not every beginning has an end")
    for pid, _ in threads:
        if (pid, pid) not in names:
            fail(f"process {pid} has no name")
    data = document["otherData"]
    print(json.dumps({"calls": count, "said": data["calls"], "threads": len(threads), "streams": sorted(streams.values()),
                      "named": sorted(named), "processes": len({pid for pid, _ in threads}), "lost": sum(data["lost"].values())}))


if sys.argv[1] == "match":
    match(sys.argv[2], sys.argv[3], NAMES[sys.argv[4] if len(sys.argv) > 4 else "call"])
else:
    chrome(sys.argv[2])
