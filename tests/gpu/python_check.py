#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What cutop says of a program of python_programs.py, compared with what that program and its framework say of themselves.

    python_check.py WHAT OWN CUTOP [TRACE]   a line of PASS, FAIL or NOTE for each figure

OWN is the program's output, CUTOP the snapshot in JSON, TRACE what PyTorch's profiler wrote.
"""
import json
import sys

UNKNOWN_COPIES = 0.01   # of all copies: how many may have a direction that cutop cannot tell


class Verdicts:
    def __init__(self, what):
        self.what = what

    def say(self, verdict, text):
        print("%s %s: %s" % (verdict, self.what, text))

    def expect(self, figure, cutop, other, whose):
        if cutop == other:
            self.say("PASS", "%s: %s" % (figure, cutop))
        else:
            self.say("FAIL", "%s: cutop says %s, %s %s" % (figure, cutop, whose, other))


def last_object(path):
    found = None
    with open(path, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            if line.startswith("{"):
                try:
                    found = json.loads(line)
                except ValueError:
                    pass
    return found


def count_events(trace, category):
    """How often each name of a category is in a trace of Chrome's form."""
    counts = {}
    for event in trace["traceEvents"]:
        if event.get("cat", "").lower() == category:
            counts[event["name"]] = counts.get(event["name"], 0) + 1
    return counts


def launched_of(kernel):
    """Launches that reached the device, by a call or by a graph."""
    return kernel["launches"] - kernel.get("failures", 0) + kernel.get("graph_launches", 0)


def compare_kernels(verdicts, kernels, profiled):
    told = {}
    for kernel in kernels:
        for name in {kernel.get("signature"), kernel.get("name"), kernel.get("symbol")}:
            told[name] = told.get(name, 0) + launched_of(kernel)
    launched = sum(launched_of(kernel) for kernel in kernels)
    verdicts.expect("launches of all kernels", launched, sum(profiled.values()), "CUPTI")
    same = 0
    for name, count in sorted(profiled.items()):
        if name not in told:
            # Two demanglers may write a name in two ways.
            verdicts.say("NOTE", "only CUPTI has the name %s, %d launches" % (name[:200], count))
        elif told[name] != count:
            verdicts.say("FAIL", "launches of %s: cutop says %d, CUPTI %d" % (name[:200], told[name], count))
        else:
            same += 1
    verdicts.say("PASS" if same or not profiled else "FAIL", "%d of %d kernels have the same name and count in CUPTI and in cutop" % (same, len(profiled)))


def compare_calls(verdicts, calls, profiled):
    """
    Calls in the profiler's window; what the process did before or after it makes cutop's count larger. Runtimes without
    symbols inside cuBLAS and cuDNN make CUPTI's larger: their calls are seen at the driver. Kernels tell whether any is missed.
    """
    told = {call["call"]: call["calls"] for call in calls}
    for name, count in sorted(profiled.items()):
        short = name.split("_v")[0] if name.startswith("cuda") else name
        if short not in told:
            verdicts.say("NOTE", "only CUPTI saw %s, %d times" % (name, count))
        elif told[short] != count:
            verdicts.say("NOTE", "calls of %s: cutop says %d, CUPTI %d" % (short, told[short], count))
        else:
            verdicts.say("PASS", "calls of %s: %d" % (short, count))


def compare_allocators(verdicts, allocators, processes):
    """PyTorch's allocator in each process, by pid."""
    for pid, own in sorted(allocators.items()):
        told = [one for process in processes if process["pid"] == int(pid) for one in process["memory"].get("allocators", [])
                if one["name"] == "pytorch" and one["device"] == 0]
        which = "" if len(allocators) == 1 else " of process %s" % pid
        if not told:
            verdicts.say("FAIL", "cutop has nothing of PyTorch's allocator" + which)
            continue
        for figure, value in sorted(own.items()):
            verdicts.expect(figure + which, told[0].get(figure), value, "PyTorch")


def compare_memory(verdicts, own, memory):
    for figure in ("allocations", "allocated_bytes"):
        if figure in own:
            verdicts.expect(figure, memory[figure], own[figure], "the framework")
    if "least_peak_bytes" in own:
        least, most, peak = own["least_peak_bytes"], own["most_peak_bytes"], memory["peak_bytes"]
        verdicts.say("PASS" if 0 < least <= peak <= most else "FAIL", "peak of memory: cutop says %d, the framework's pool %d to %d" % (peak, least, most))


def compare_health(verdicts, processes):
    """What a healthy program that was watched from its first call must not show."""
    for process in processes:
        which = "" if len(processes) == 1 else " of process %d" % process["pid"]
        verdicts.expect("watched from" + which, process["watched_from"], "start", "it was")
        verdicts.expect("inexact" + which, process["inexact"], False, "it should be")
        failed = ["%s %s" % (one["call"], one["error"]) for one in process["failures"]]
        verdicts.expect("failures" + which, ", ".join(failed), "", "there should be none,")
        copies = sum(one["calls"] for one in process["copies"])
        unknown = sum(one["calls"] for one in process["copies"] if one["direction"] == "unknown" or one.get("device") is None)
        verdicts.say("PASS" if unknown <= UNKNOWN_COPIES * copies else "FAIL",
                     "copies%s without direction or device: %d of %d" % (which, unknown, copies))
        time = process.get("time", {})
        most = max(time.get("share", {}).values(), default=0)
        verdicts.say("PASS" if most <= max(time.get("threads", 1), 1) else "FAIL", "largest share of time%s: %.2f" % (which, most))


def compare(what, own_path, cutop_path, trace_path):
    verdicts = Verdicts(what)
    own, document = last_object(own_path), last_object(cutop_path)
    if not own or not document:
        verdicts.say("FAIL", "no JSON in %s" % (cutop_path if own else own_path))
        return 2
    # Helpers that a framework starts may load the driver and use nothing of it.
    processes = [one for one in document["processes"] if one["kernels"] or one["memory"]["allocations"]]
    if not processes:
        verdicts.say("FAIL", "cutop saw no process that uses the device")
        return 0
    lost = {cause: count for cause, count in document["lost"].items() if count}
    verdicts.expect("records lost", lost, {}, "there should be")
    process = next((one for one in processes if one["pid"] == own.get("pid")), processes[0])
    kernels = process["kernels"]
    for name, count in own.get("kernels", {}).items():
        verdicts.expect("launches of %s" % name, sum(one["launches"] for one in kernels if one["name"] == name), count, "the program")
    for part, count in own.get("kernels_with", {}).items():
        verdicts.expect("launches of %s" % part, sum(one["launches"] for one in kernels if part in one["name"]), count, "the program")
    if "least_launches" in own:
        launches = sum(one["launches"] for one in kernels)
        verdicts.say("PASS" if launches >= own["least_launches"] else "FAIL", "launches: cutop says %d, at least %d" % (launches, own["least_launches"]))
    nameless = sum(1 for one in kernels if not one["name"] or one["name"].startswith("0x"))
    verdicts.expect("kernels without a name", nameless, 0, "there should be")
    compare_allocators(verdicts, own.get("allocators", {}), processes)
    compare_memory(verdicts, own, process["memory"])
    compare_health(verdicts, processes)
    if trace_path:
        with open(trace_path, encoding="utf-8", errors="replace") as stream:
            trace = json.load(stream)
        compare_kernels(verdicts, kernels, count_events(trace, "kernel"))
        compare_calls(verdicts, process["calls"], count_events(trace, "cuda_runtime"))
    return 0


def main():
    arguments = sys.argv[1:]
    if len(arguments) in (3, 4):
        return compare(*arguments, *[None] * (4 - len(arguments)))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
