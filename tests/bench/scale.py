#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What cutop itself costs as what it watches grows: CPU time (user and system, of all its threads, in per cent of one
core), memory, what was lost, and how long the screen takes to answer a key. Loads are the workload's "calls", "churn",
"crowd" and "spawn", on the double. Each row is one run of cutop.

SECONDS: how long each load is measured (30); LARGEST: the most live allocations (1000000)."""
import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

BUILD = os.environ.get("top_builddir", ".")
CUTOP = os.environ.get("CUTOP", f"{BUILD}/src/cutop")
WORKLOAD = f"{BUILD}/tests/workloads/bin/workload"
LIBRARY = f"{BUILD}/tests/double/lib/libcudart.so.13"
SECONDS = float(os.environ.get("SECONDS", "30"))
LARGEST = int(os.environ.get("LARGEST", "1000000"))
BASE = ["--library", LIBRARY, "-d", "1"]


def cpu_seconds(pid):
    """On the CPU so far, all threads: /proc/PID/stat counts in ticks of 10 ms, which is too coarse."""
    ns = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
            ns += int(file.read().split()[0])
    return ns / 1e9


def anonymous_bytes(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            if line.startswith("Anonymous:"):
                return int(line.split()[1]) * 1024
    return 0


class Batch:
    """cutop -b -f json over a load; its documents go to a file, the load's output to another."""

    def __init__(self, folder, *load):
        self.documents = f"{folder}/documents"
        self.said = f"{folder}/said"
        with open(self.said, "w") as said:
            self.process = subprocess.Popen([CUTOP, "-b", "-f", "json", "-o", self.documents, *BASE, "--", WORKLOAD,
                                             *map(str, load)], stdout=said, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid

    def wait_full(self):
        while "full" not in open(self.said).read():
            if self.process.poll() is not None:
                sys.exit("scale: the load ended early")
            time.sleep(0.1)
        time.sleep(2)

    def measure(self, seconds):
        cpu, begin = cpu_seconds(self.pid), time.monotonic()
        time.sleep(seconds)
        return 100 * (cpu_seconds(self.pid) - cpu) / (time.monotonic() - begin)

    def end(self):
        self.process.wait()
        with open(self.documents) as file:
            last = json.loads(file.read().splitlines()[-1])
        said = [json.loads(line) for line in open(self.said) if line.startswith("{")]
        return last, said


def lost(document):
    return sum(document["lost"].values())


def growth(folder):
    print(f"\none process with live allocations, one freed and one made in its place up to 100,000 times a second, {SECONDS:.0f} s")
    print(f"{'live':>9} {'pairs/s':>9} {'CPU':>7} {'CPU, none':>10} {'anonymous':>10} {'bytes each':>10} {'lost':>5}  books")
    least = None
    count = 100
    while count <= LARGEST:
        quiet = Batch(folder, "churn", count, 10, 0)
        quiet.wait_full()
        idle = quiet.measure(6)
        quiet.end()
        batch = Batch(folder, "churn", count, int(SECONDS + 4), 100000)
        batch.wait_full()
        cpu = batch.measure(SECONDS)
        memory = anonymous_bytes(batch.pid)
        document, said = batch.end()
        least = least or memory
        each = f"{(memory - least) / (count - 100):.0f}" if count > 100 else "-"
        books = document["processes"][0]["memory"]
        right = all(books[name] == said[0][name] for name in ("allocations", "frees")) and not books["live_bytes"]
        pairs = (said[0]["allocations"] - count) / said[0]["seconds"]
        print(f"{count:>9} {pairs:>9.0f} {cpu:>6.2f}% {idle:>9.2f}% {memory / 2**20:>9.1f}M {each:>10} {lost(document):>5}  "
              f"{'right' if right else 'WRONG'}", flush=True)
        count *= 10


def processes(folder):
    print(f"\nprocesses at once, each with 100 launches a second and copies, {SECONDS:.0f} s")
    print(f"{'processes':>9} {'CPU':>7} {'anonymous':>10} {'lost':>5}  launches")
    for count in (1, 10, 50, 200):
        batch = Batch(folder, "crowd", count, int(SECONDS + 6), 100)
        time.sleep(3)
        cpu = batch.measure(SECONDS)
        memory = anonymous_bytes(batch.pid)
        document, said = batch.end()
        right = document["totals"]["launches"] == sum(one["launches"] for one in said)
        print(f"{count:>9} {cpu:>6.2f}% {memory / 2**20:>9.1f}M {lost(document):>5}  {'right' if right else 'WRONG'}", flush=True)


def short(folder):
    count = int(5000 * SECONDS / 60)
    batch = Batch(folder, "spawn", count, int(SECONDS))
    cpu = batch.measure(SECONDS - 1)
    document, said = batch.end()
    totals = document["totals"]
    right = totals["launches"] == 10 * count and totals["leaked_bytes"] == 1000 * count
    print(f"\nshort processes, 5,000 a minute for {SECONDS:.0f} s: {totals['processes'] + totals['processes_omitted'] - 1} of {count} "
          f"seen, {lost(document)} lost, totals {'right' if right else 'WRONG'}, CPU {cpu:.2f}%")


def names(folder):
    """From a program's start to the first snapshot with both of its allocations; what cutop did before that is not counted."""
    library, bin_folder = f"{folder}/liblarge.so", f"{BUILD}/tests/e2e/bin"
    script = os.path.join(os.path.dirname(__file__), "../python/libraries.py")
    subprocess.run([f"{bin_folder}/fat", "names", f"{bin_folder}/libfat.so", library, "700000", "700000"], check=True)
    print("\na Python program with a library of 700,000 functions, whose names have 140 MB: s to its first snapshot (to reach: 1), "
          "cutop's CPU until then (to reach: 0.4), its largest size")
    for _ in range(3):
        with subprocess.Popen([CUTOP, "-b", "-f", "json", "--library", LIBRARY, "-d", "0.1"], stdout=subprocess.PIPE,
                              text=True, stderr=subprocess.DEVNULL) as cutop:
            snapshots = (json.loads(line) for line in cutop.stdout if line.startswith("{"))
            next(snapshots)
            cpu, begin = cpu_seconds(cutop.pid), time.monotonic()
            with subprocess.Popen([sys.executable, script, LIBRARY, library], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(LIBRARY)}) as program:
                for snapshot in snapshots:
                    if any(one["pid"] == program.pid and one["memory"]["allocations"] for one in snapshot["processes"]):
                        break
                seconds, cpu = time.monotonic() - begin, cpu_seconds(cutop.pid) - cpu
                program.stdin.close()
            with open(f"/proc/{cutop.pid}/status") as file:
                peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
            print(f"  {seconds:.2f} s, {cpu:.3f} s, {peak / 1000:.0f} MB, lost {lost(snapshot)}", flush=True)
            cutop.terminate()
            cutop.stdout.read()


class Screen:
    """The screen at 200x60 on a terminal of its own, over a load."""

    def __init__(self, *load):
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            os.environ["TERM"] = "xterm-256color"
            os.execv(CUTOP, [CUTOP, "--no-config", *BASE, "--", WORKLOAD, *map(str, load)])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
        select.select([self.terminal], [], [], 60)

    def read(self, seconds):
        """Reads what comes within that time; returns when the first of it came, or None."""
        first, end = None, time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.terminal], [], [], left)[0]:
                break
            os.read(self.terminal, 65536)
            first = first or time.monotonic()
        return first

    def measure(self, seconds):
        cpu, begin = cpu_seconds(self.pid), time.monotonic()
        self.read(seconds)
        return 100 * (cpu_seconds(self.pid) - cpu) / (time.monotonic() - begin)

    def keys(self, count):
        """ms from a key to the first of the drawing that answers it, sorted."""
        times = []
        for i in range(count):
            self.read(0.05)
            begin = time.monotonic()
            os.write(self.terminal, b"1234567"[i % 7:i % 7 + 1])
            if not select.select([self.terminal], [], [], 5)[0]:
                sys.exit("scale: the screen does not answer")
            times.append(1000 * (time.monotonic() - begin))
        return sorted(times)

    def end(self):
        try:
            while True:
                os.write(self.terminal, b"q")
                while select.select([self.terminal], [], [], 1)[0]:
                    if not os.read(self.terminal, 65536):
                        raise OSError
        except OSError:
            pass
        os.waitpid(self.pid, 0)


def rates(folder):
    print(f"\ncutop's own CPU, {SECONDS:.0f} s each")
    long = int(SECONDS + 60)
    for title, load, most in (("50,000 launches a second", ("calls", int(SECONDS + 6), 2, 50000), 3),
                              ("a process that does nothing", ("churn", 10, int(SECONDS + 6), 0), 0.5)):
        batch = Batch(folder, *load)
        time.sleep(3)
        cpu = batch.measure(SECONDS)
        document, said = batch.end()
        made = f", {said[0]['launches'] / (SECONDS + 6):.0f} made" if "launches" in said[0] else ""
        print(f"  {title + made:<50} batch  {cpu:6.2f}%  (to reach: under {most}%) lost {lost(document)}", flush=True)
        screen = Screen(load[0], *(long if word == int(SECONDS + 6) else word for word in load[1:]))
        screen.read(4)
        cpu = screen.measure(SECONDS)
        print(f"  {title:<50} screen {cpu:6.2f}%  (to reach: under {most}%)", flush=True)
        screen.end()


def answers():
    print("\na key of the screen, ms from its byte to the first byte of the answer, 100 keys (to reach: 50)")
    print(f"  {'':<50} {'p50':>6} {'p99':>6} {'max':>6}")
    for title, load in (("a process that does nothing", ("churn", 10, 600, 0)),
                        (f"{LARGEST} live, 100,000 allocated and freed a second", ("churn", LARGEST, 600, 100000)),
                        ("50,000 launches a second", ("calls", 600, 2, 50000)),
                        ("200 processes", ("crowd", 200, 600, 20))):
        screen = Screen(*load)
        screen.read(4 + (load[1] > 10000) * 15)
        times = screen.keys(100)
        print(f"  {title:<50} {times[50]:6.1f} {times[98]:6.1f} {times[99]:6.1f}", flush=True)
        screen.end()


def main():
    if os.geteuid():
        print("scale: needs root, to attach probes", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        parts = {"growth": lambda: growth(folder), "processes": lambda: processes(folder), "short": lambda: short(folder), "names": lambda: names(folder),
                 "rates": lambda: rates(folder), "answers": answers}
        for name in sys.argv[1:] or parts:
            parts[name]()
    return 0


sys.exit(main())
