# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what cutop says of PyTorch's memory with what PyTorch says of it, byte for byte.

    python3 torch_compare.py CUTOP ROOT FOLDER LIBRARIES [NAME...]

ROOT is a tree with PyTorch, FOLDER a folder below it, with torch_memory.py, for the pipes, LIBRARIES the programs' LD_LIBRARY_PATH there
(torch_cuda.sh). A NAME is SCENARIO or SCENARIO:MODE, with MODE of the table below; default: all. Prints a line for each comparison that
fails and one for each run, and exits 1 if any failed. SEED in the environment is that of what is random.
"""
import json
import os
import select
import subprocess
import sys
import threading
import time

PATIENCE = 120

# name: environment, and whether PyTorch's own allocator is at work, so that it reports
MODES = {
    "native": ({}, True),
    "expandable": ({"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}, True),
    "async": ({"PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"}, False),
    "uncached": ({"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}, False),
}
BOTH = ("native", "expandable")
SCENARIOS = {
    "random": tuple(MODES),
    "threads": tuple(MODES),
    "autograd": tuple(MODES),
    "streams": tuple(MODES),
    "loader": BOTH,
    "graphs": BOTH,
    "shortage": tuple(MODES),
    "emptied": BOTH,
    "leak": tuple(MODES),
    "attached": BOTH,
}
FIGURES = ("allocated_bytes", "reserved_bytes", "blocks", "free_in_segments_bytes", "largest_gap_bytes")
OF_GAPS = ("free_in_segments_bytes", "largest_gap_bytes")
# What is older than cutop's start at a moment of the scenario "attached"
OLD = {"older ones are there": "blocks", "older ones are gone": "segments"}


class Cutop:
    """A running cutop; its documents are counted as they come."""

    def __init__(self, arguments, log):
        self.changed = threading.Condition()
        self.count, self.document, self.ended = 0, None, False
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.document = json.loads(line)
                self.count += 1
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def snapshot(self):
        """One that was taken after the call: the next one may have been under way."""
        with self.changed:
            wanted = self.count + 2
            if not self.changed.wait_for(lambda: self.count >= wanted or self.ended, PATIENCE) or self.count < wanted:
                raise RuntimeError("cutop ended, or prints no more")
            return self.document

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Program:
    """torch_memory.py's end of the pipes. They are open for both ways, so that neither side waits for the other to open them."""

    def __init__(self, folder):
        self.names = [os.path.join(folder, name) for name in ("tell", "go")]
        for name in self.names:
            os.mkfifo(name)
        self.tell, self.go = (os.open(name, os.O_RDWR) for name in self.names)
        self.text = b""

    def moment(self, is_alive):
        """The next moment, or None after the last."""
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self.text:
            if select.select([self.tell], [], [], 0.5)[0]:
                self.text += os.read(self.tell, 1 << 16)
            elif not is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the program ended, or tells nothing")
        line, self.text = self.text.split(b"\n", 1)
        return json.loads(line)

    def go_on(self):
        os.write(self.go, b"\n")

    def close(self):
        for pipe, name in zip((self.tell, self.go), self.names):
            os.close(pipe)
            os.unlink(name)


class Run:
    """A scenario in a mode: what was compared, and what failed."""

    def __init__(self, name, reports):
        self.name, self.reports = name, reports
        self.compared, self.failed = 0, 0
        self.moment = ""

    def check(self, what, told, expected):
        """@expected may be a tuple: one of them, then."""
        self.compared += 1
        if told not in expected if isinstance(expected, tuple) else told != expected:
            self.failed += 1
            print("FAIL: %s, %s: %s: cutop says %s, PyTorch %s" % (self.name, self.moment, what, told, expected))

    def compare(self, moment, document):
        self.moment = moment["moment"]
        old = OLD.get(self.moment)
        process = next((process for process in document["processes"] if process["pid"] == moment["pid"]), None)
        if process is None:
            self.check("the process", None, "is there")
            return
        memory = process["memory"]
        if moment["held_bytes"] is not None and not old:
            self.check("live_bytes", memory["live_bytes"], moment["held_bytes"])
        # Reports are lost where a ring overflows: then nothing here would mean anything.
        self.check("lost", {cause: count for cause, count in document["lost"].items() if count}, {})
        allocators = {one["device"]: one for one in memory.get("allocators", []) if one["name"] == "pytorch"}
        self.check("devices", sorted(allocators), sorted(device["device"] for device in moment["devices"] if device["was_used"])
                   if self.reports else [])
        for device in moment["devices"]:
            ordinal = device["device"]
            if ordinal in allocators:
                self.compare_device(moment, device, allocators[ordinal], old)

    def compare_device(self, moment, device, told, old):
        for figure in FIGURES:
            expected = device[figure]
            if old == "blocks" and figure == "blocks":
                self.check("device %d, at most as many blocks" % device["device"], told["blocks"] <= expected, True)
                continue
            if old and figure in OF_GAPS:
                expected = (expected, None) if old == "segments" else None
            if figure == "reserved_bytes" and moment["reserved_before"]:
                expected = (expected, moment["reserved_before"][device["device"]])
            self.check("device %d, %s" % (device["device"], figure), told.get(figure), expected)
        self.compare_blocks(device, told, old)
        if device["device"] == 0:
            for site in moment["sites"]:
                place = " at torch_memory.py:%d " % site["line"]
                sites = [one for one in told.get("sites", []) if place in one["site"]]
                self.check("live_bytes" + place, sum(one["live_bytes"] for one in sites), site["live_bytes"])

    def compare_blocks(self, device, told, old):
        """Each block, by its address and size. Of those that are older than cutop's start none is known."""
        self.check("device %d, blocks not listed" % device["device"], told["map_omitted"], 0)
        expected = {tuple(block) for block in device["list"]}
        listed = {(int(block["address"], 16), block["size"]) for block in told["map"]}
        self.check("device %d, blocks that PyTorch has not" % device["device"], sorted(listed - expected), [])
        if old != "blocks":
            self.check("device %d, blocks that cutop has not" % device["device"], sorted(expected - listed), [])


def command(root, folder, libraries, mode, scenario):
    inside = "/" + os.path.relpath(folder, root)
    settings = dict(MODES[mode][0], LD_LIBRARY_PATH=libraries, CUDA_DOUBLE_DEVICES="2", HOME="/root", LC_ALL="C.UTF-8", PATH="/usr/bin:/bin",
                    OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    return ["chroot", root, "/usr/bin/env", "-i", *("%s=%s" % setting for setting in settings.items()),
            "python3", "%s/torch_memory.py" % inside, scenario, inside, os.environ.get("SEED", "1")]


def follow(run, program, watched, cutop, started):
    """Compares at each moment. @started: the program, where cutop is to be attached at its first moment."""
    while True:
        moment = program.moment(lambda: started.poll() is None if started else not watched.ended)
        if moment is None:
            return watched
        if started and watched is None:
            watched = cutop("-p", str(moment["pid"]))
            watched.snapshot()
        else:
            run.compare(moment, watched.snapshot())
        program.go_on()


def run_one(cutop_path, root, folder, libraries, scenario, mode):
    run = Run("%s:%s" % (scenario, mode), MODES[mode][1])
    program = Program(folder)
    arguments = command(root, folder, libraries, mode, scenario)
    started = watched = None
    with open(os.path.join(folder, "log"), "w+", encoding="utf-8") as log:
        def cutop(*more):
            # All messages go to standard error, since documents go to standard output; so do the program's.
            return Cutop([cutop_path, "-b", "-f", "json", "--map", "all", "-d", "0.25", *more], log)

        try:
            if scenario == "attached":
                started = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            else:
                watched = cutop("--", "sh", "-c", 'exec "$@" >&2', "sh", *arguments)
            watched = follow(run, program, watched, cutop, started)
            if started:
                run.check("exit status", started.wait(PATIENCE), 0)
        except (RuntimeError, OSError, subprocess.TimeoutExpired, ValueError) as error:
            run.failed += 1
            print("FAIL: %s, after %s: %s" % (run.name, run.moment or "no moment", error))
        finally:
            if started and started.poll() is None:
                started.kill()
                started.wait()
            if watched:
                watched.end()
            program.close()
        if run.failed:
            log.seek(0)
            sys.stdout.writelines("    " + line for line in log.readlines()[-10:])
    print("%s: %s: %d comparisons, %d failed" % ("FAIL" if run.failed else "ok", run.name, run.compared, run.failed), flush=True)
    return run.failed == 0


def main():
    cutop_path, root, folder, libraries = sys.argv[1:5]
    chosen = []
    for name in sys.argv[5:] or SCENARIOS:
        scenario, _, mode = name.partition(":")
        if scenario not in SCENARIOS or (mode and mode not in MODES):
            sys.exit("%s: there is no such scenario; those are %s, the modes %s" % (name, " ".join(SCENARIOS), " ".join(MODES)))
        chosen += [(scenario, one) for one in ([mode] if mode else SCENARIOS[scenario])]
    results = [run_one(cutop_path, root, folder, libraries, scenario, mode) for scenario, mode in chosen]
    print("%d of %d runs agree" % (sum(results), len(results)))
    sys.exit(0 if all(results) else 1)


main()
