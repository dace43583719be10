#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How much longer a program's steps take while cutop watches it.

    slowdown.py CUTOP [KIND...]   measures, and prints a line of JSON for each kind: the median step in µs, by mode
    slowdown.py --table FILE      prints those lines as a table, each mode with its ratio to the steps without
    slowdown.py --run KIND        the program: prints the time of each block of steps; reads what to do

One process runs steps all the time. cutop is attached to it and detached again, mode after mode, several rounds, so that every mode
meets the same process, clocks and temperatures. Kinds: train and forward (PyTorch), jax, and loop, which needs no package: libcudart by
ctypes. small, only if it is asked for, is a training without products of matrices, which the double cannot begin. A kind whose package or device is missing is left out, with the reason on standard error.

SLOWDOWN_SECONDS: how long a mode is measured in a round (1.5). SLOWDOWN_ROUNDS (2). SLOWDOWN_COMMAND: what runs this file as the program
that is watched. SLOWDOWN_OPTIONS: further options of cutop's, but with -l runtime.
"""
import json
import os
import select
import shlex
import signal
import statistics
import subprocess
import sys
import threading
import time

NO_DEVICE = 3
BLOCK_SECONDS = 0.04    # long enough that reading the clock and printing do not count
READY_SECONDS = 60
SETTLE_SECONDS = 6      # for so long the launches of a program that ran before are seen at both layers
BUDGET_SECONDS = 25     # until what is too dear was given up, and seconds of windows for launches
WHOLE = ["--budget", "0"]
MODES = (
    ("without", None),
    ("all is watched", WHOLE),
    ("-l runtime", WHOLE + ["-l", "runtime"]),
    ("-l driver", WHOLE + ["-l", "driver"]),
    # Of train and small only, since they take time:
    ("--budget 10, as usual", []),
    ("no python, no stacks", WHOLE + ["--no-python", "--stacks=never"]),
    ("all sites, -l both", WHOLE + ["-l", "both", "--tensor-sites=all"]),
)
OF_ALL = 4              # modes that are measured with each kind
PROFILER = "torch.profiler"


# ---- the program that is watched


def missing(why):
    print(json.dumps({"missing": why}), flush=True)
    sys.exit(NO_DEVICE)


def steps_of_torch(kind):
    try:
        import torch
    except Exception as error:  # a broken installation raises whatever it likes
        missing("no PyTorch: %s" % str(error).split("\n")[0][:80])
    if not torch.cuda.is_available():
        missing("PyTorch %s has no device" % torch.__version__)
    torch.manual_seed(0)
    if kind == "train":
        model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(24)]).cuda()
        optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
        x = torch.randn(64, 512, device="cuda")

        def step():
            loss = model(x).square().mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    elif kind == "small":
        parameters = [torch.nn.Parameter(torch.randn(512, device="cuda")) for _ in range(48)]
        optimizer = torch.optim.AdamW(parameters, foreach=False)

        def step():
            optimizer.zero_grad(set_to_none=True)
            for parameter in parameters:
                parameter.grad = parameter * 0.5
            optimizer.step()
    else:
        layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, norm_first=True)
        model = torch.nn.TransformerEncoder(layer, 8, enable_nested_tensor=False).cuda().half().eval()
        x = torch.randn(4, 64, 512, device="cuda", dtype=torch.half)

        def step():
            # The layers' fused path would be a few launches; a mask keeps to what most models do.
            with torch.no_grad():
                model(x, mask=torch.zeros(64, 64, device="cuda", dtype=torch.half))

    profiler = []

    def profile(on):
        from torch.profiler import ProfilerActivity
        from torch.profiler import profile as make

        if on:
            profiler.append(make(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]))
            profiler[0].__enter__()
        elif profiler:
            profiler.pop().__exit__(None, None, None)

    # The double has no room for the events of the profiler.
    return step, torch.cuda.synchronize, None if kind == "small" else profile


def steps_of_jax():
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    try:
        import jax
    except Exception as error:
        missing("no JAX: %s" % str(error).split("\n")[0][:80])
    try:
        device = jax.local_devices(backend="gpu")[0]
    except RuntimeError:
        missing("JAX %s has no device" % jax.__version__)
    function = jax.jit(lambda x: jax.numpy.sin(x) * 1.01 + 0.1)
    x = jax.device_put(jax.numpy.ones((256, 256)), device)
    last = [x]

    def step():
        y = x
        for _ in range(50):
            y = function(y)
        last[0] = y

    return step, lambda: last[0].block_until_ready(), None


def steps_of_loop():
    import ctypes

    library = None
    for name in ("libcudart.so.13", "libcudart.so.12", "libcudart.so"):
        try:
            library = ctypes.CDLL(name)
            break
        except OSError:
            pass
    if library is None:
        missing("no libcudart")
    pointer, size = ctypes.c_void_p(), ctypes.c_size_t(1 << 16)
    if library.cudaMalloc(ctypes.byref(pointer), size):
        missing("the runtime has no device")

    def step():
        for _ in range(20):
            library.cudaMemsetAsync(pointer, 0, size, None)
        other = ctypes.c_void_p()
        library.cudaMalloc(ctypes.byref(other), size)
        library.cudaFree(other)

    return step, library.cudaDeviceSynchronize, None


def run(kind):
    step, wait, profile = steps_of_jax() if kind == "jax" else steps_of_loop() if kind == "loop" else steps_of_torch(kind)
    for _ in range(30):
        step()
    wait()
    began, count = time.perf_counter(), 0
    while time.perf_counter() - began < BLOCK_SECONDS * 5:
        step()
        count += 1
    wait()
    count = max(int(count * BLOCK_SECONDS / (time.perf_counter() - began)), 1)
    print(json.dumps({"ready": os.getpid(), "profiler": profile is not None}), flush=True)
    while True:
        if select.select([sys.stdin], [], [], 0)[0]:
            word = sys.stdin.readline().strip()
            if word not in ("on", "off"):
                return 0
            profile(word == "on")
            print(json.dumps({"profiling": word}), flush=True)
        began = time.perf_counter()
        for _ in range(count):
            step()
        wait()
        # µs a step
        print("%.2f" % ((time.perf_counter() - began) / count * 1e6), flush=True)


# ---- measuring


class Program:
    def __init__(self, kind):
        command = shlex.split(os.environ.get("SLOWDOWN_COMMAND", "")) or [sys.executable, os.path.abspath(__file__)]
        self.process = subprocess.Popen(command + ["--run", kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.read = b""     # select() knows nothing of what a buffered stream has read, hence lines are taken apart here

    def line(self, seconds):
        """The next line, or None at the end of output or of the time."""
        while b"\n" not in self.read:
            if not select.select([self.process.stdout], [], [], seconds)[0]:
                return None
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                return None
            self.read += more
        line, self.read = self.read.split(b"\n", 1)
        return line.decode(errors="replace")

    def object(self, seconds=READY_SECONDS):
        """The next line that is an object of JSON."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            line = self.line(max(limit - time.monotonic(), 0))
            if line is None:
                return {"missing": "it ended, or took longer than %d s" % seconds}
            if line.startswith("{"):
                return json.loads(line)
        return {"missing": "it took longer than %d s" % seconds}

    def tell(self, word):
        self.process.stdin.write(word.encode() + b"\n")
        self.process.stdin.flush()

    def steps(self, seconds):
        """The times of the blocks that begin and end in the next @seconds."""
        times = []
        self.line(READY_SECONDS)        # that block had begun before
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            line = self.line(READY_SECONDS)
            if line is None:
                break
            if line[:1].isdigit():
                times.append(float(line))
        return times

    def drain(self):
        """Forgets the blocks that ended meanwhile."""
        while self.line(0) is not None:
            pass

    def end(self):
        try:
            self.tell("end")
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def measured_under(program, cutop, options, pid, seconds):
    extra = [] if "runtime" in options else shlex.split(os.environ.get("SLOWDOWN_OPTIONS", ""))
    watcher = subprocess.Popen([cutop, "-b", "-f", "json", "-p", str(pid)] + extra + options, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        # The first snapshot: the probes are in place. From then on its output must be read, or it waits.
        if not watcher.stdout.readline():
            why = watcher.stderr.read().decode(errors="replace").strip().split("\n")[-1]
            raise RuntimeError("cutop does not watch it: %s" % (why or "status %d" % watcher.wait()))
        threading.Thread(target=watcher.stdout.read, daemon=True).start()
        program.drain()
        if not options:
            program.steps(BUDGET_SECONDS)
            program.drain()
            seconds *= 4
        elif "-l" not in options:
            program.steps(SETTLE_SECONDS)
            program.drain()
        times = program.steps(seconds)
    finally:
        watcher.send_signal(signal.SIGINT)
        watcher.wait()
    return times


def measure(cutop, kind, seconds, rounds):
    program = Program(kind)
    try:
        ready = program.object()
        if "ready" not in ready:
            print("%s: %s" % (kind, ready.get("missing", "it says nothing")), file=sys.stderr)
            return None
        times = {}
        for _ in range(rounds):
            for mode, options in MODES if kind in ("train", "small") else MODES[:OF_ALL]:
                if options is None:
                    program.drain()
                    times.setdefault(mode, []).extend(program.steps(seconds))
                else:
                    times.setdefault(mode, []).extend(measured_under(program, cutop, options, ready["ready"], seconds))
            if ready["profiler"]:
                program.tell("on")
                program.object()
                times.setdefault(PROFILER, []).extend(program.steps(seconds))
                program.tell("off")
                program.object()
        if not all(times.values()):
            raise RuntimeError("the program ended: %s" % ", ".join(mode for mode in times if not times[mode]))
        return {"kind": kind, "step_us": {mode: round(statistics.median(blocks), 2) for mode, blocks in times.items()},
                "blocks": {mode: len(blocks) for mode, blocks in times.items()}}
    finally:
        program.end()


def table(path):
    with open(path, encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream if line.startswith("{")]
    modes = [mode for mode, _ in MODES] + [PROFILER]
    print("µs a step, medians, and how many times as long as without cutop (one process, attach and detach in turn):")
    print("%-9s" % "" + "".join("%22s" % mode for mode in modes))
    for row in rows:
        step = row["step_us"]
        print("%-9s" % row["kind"] + "".join("%22s" % ("%.0f (%.2f)" % (step[mode], step[mode] / step["without"]) if mode in step else "-")
                                             for mode in modes))


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "--run":
        return run(arguments[1])
    if len(arguments) == 2 and arguments[0] == "--table":
        table(arguments[1])
        return 0
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    seconds, rounds = float(os.environ.get("SLOWDOWN_SECONDS", 1.5)), int(os.environ.get("SLOWDOWN_ROUNDS", 2))
    found = 0
    for kind in arguments[1:] or ("train", "forward", "jax", "loop"):
        try:
            result = measure(arguments[0], kind, seconds, rounds)
        except RuntimeError as error:
            print("%s: %s" % (kind, error), file=sys.stderr)
            continue
        if result:
            print(json.dumps(result), flush=True)
            found += 1
    return 0 if found else NO_DEVICE


if __name__ == "__main__":
    sys.exit(main())
