#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""PyTorch and Triton on a GPU, and what cutop says of them.

    python_check.py torch TRACE                     works for a second, and writes what PyTorch's profiler saw (CUPTI) to TRACE
    python_check.py triton                          launches a kernel of its own eleven times
    python_check.py compare WHAT OWN CUTOP [TRACE]  a line of PASS, FAIL or NOTE for each figure

OWN is what the first two print as their last line. Exit status 3: there is no such package, or no device.
"""
import json
import sys

NO_DEVICE = 3
TRITON_LAUNCHES = 11


def leave(program, why):
    print(json.dumps({"program": program, "no_device": why, "error": ""}))
    sys.exit(NO_DEVICE)


def torch_import(program):
    try:
        import torch
    except Exception as error:  # a broken installation raises whatever it likes
        leave(program, "no PyTorch: %s" % str(error).split("\n")[0][:80])
    try:
        if not torch.cuda.is_available():
            leave(program, "PyTorch %s has no device" % torch.__version__)
    except Exception as error:
        leave(program, "PyTorch: %s" % str(error).split("\n")[0][:80])
    return torch


# ---- the programs


def train(torch):
    """What a step of a training does: products, a convolution, a norm, copies both ways. Returns what must be finite."""
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16 * 30 * 30, 10)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(20):
        images = torch.randn(8, 3, 32, 32).cuda()
        labels = torch.randint(0, 10, (8,)).cuda()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def run_torch(trace):
    torch = torch_import("torch")
    import math
    from torch.profiler import ProfilerActivity, profile

    torch.cuda.init()
    # All that reaches the device is inside, so that the profiler's counts are the process's.
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        loss = train(torch)
        torch.cuda.synchronize()
    seen.export_chrome_trace(trace)
    stats = torch.cuda.memory_stats()
    print(json.dumps({
        "program": "torch", "no_device": "", "error": "" if math.isfinite(loss) else "the loss is %r" % loss,
        "version": torch.__version__, "cuda": torch.version.cuda,
        "handed_out": stats["allocation.all.allocated"], "peak_allocated_bytes": torch.cuda.max_memory_allocated(),
        "peak_reserved_bytes": torch.cuda.max_memory_reserved(), "out_of_memory": stats["num_ooms"],
        "segments": stats["segment.all.allocated"],
    }))
    return 0 if math.isfinite(loss) else 1


def run_triton():
    torch = torch_import("triton")
    try:
        import triton
        import triton.language as tl
    except Exception as error:
        leave("triton", "no Triton: %s" % str(error).split("\n")[0][:80])

    @triton.jit
    def cutop_check_add(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(y + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)

    count = 1 << 16
    x, y = torch.ones(count, device="cuda"), torch.zeros(count, device="cuda")
    for _ in range(TRITON_LAUNCHES):
        cutop_check_add[(count // 256,)](x, y, count, BLOCK=256)
    right = bool((y == TRITON_LAUNCHES).all().item())
    print(json.dumps({"program": "triton", "no_device": "", "error": "" if right else "a sum is wrong", "version": triton.__version__,
                      "kernels": {"cutop_check_add": TRITON_LAUNCHES}}))
    return 0 if right else 1


# ---- the comparison


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


def compare_kernels(verdicts, kernels, profiled):
    told = {}
    for kernel in kernels:
        for name in {kernel.get("signature"), kernel.get("name"), kernel.get("symbol")}:
            told[name] = told.get(name, 0) + kernel["launches"] - kernel.get("failures", 0)
    launched = sum(kernel["launches"] - kernel.get("failures", 0) for kernel in kernels)
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


def compare_allocator(verdicts, own, process):
    told = [one for one in process["memory"].get("allocators", []) if one["name"] == "pytorch" and one["device"] == 0]
    if not told:
        verdicts.say("FAIL", "cutop has nothing of PyTorch's allocator")
        return
    for figure in ("handed_out", "peak_allocated_bytes", "peak_reserved_bytes", "out_of_memory"):
        verdicts.expect(figure, told[0].get(figure), own[figure], "PyTorch")


def compare(what, own_path, cutop_path, trace_path):
    verdicts = Verdicts(what)
    own, document = last_object(own_path), last_object(cutop_path)
    if not own or not document:
        verdicts.say("FAIL", "no JSON in %s" % (cutop_path if own else own_path))
        return 2
    processes = [one for one in document["processes"] if one["calls"]]
    if not processes:
        verdicts.say("FAIL", "cutop saw no process that calls CUDA")
        return 0
    process = max(processes, key=lambda one: len(one["calls"]))
    lost = {cause: count for cause, count in document["lost"].items() if count}
    verdicts.expect("records lost", sum(lost.values()), 0, "there should be")
    for name, count in own.get("kernels", {}).items():
        verdicts.expect("launches of %s" % name, sum(one["launches"] for one in process["kernels"] if one["name"] == name), count, "the program")
    nameless = sum(1 for one in process["kernels"] if not one["name"] or one["name"].startswith("0x"))
    verdicts.expect("kernels without a name", nameless, 0, "there should be")
    if "handed_out" in own:
        compare_allocator(verdicts, own, process)
    if trace_path:
        with open(trace_path, encoding="utf-8", errors="replace") as stream:
            trace = json.load(stream)
        compare_kernels(verdicts, process["kernels"], count_events(trace, "kernel"))
        compare_calls(verdicts, process["calls"], count_events(trace, "cuda_runtime"))
    return 0


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "torch":
        return run_torch(arguments[1])
    if arguments == ["triton"]:
        return run_triton()
    if len(arguments) in (4, 5) and arguments[0] == "compare":
        return compare(arguments[1], arguments[2], arguments[3], arguments[4] if len(arguments) == 5 else None)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
