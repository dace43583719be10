# SPDX-License-Identifier: GPL-2.0-or-later
"""Uses torch.cuda's memory in one way, and stops at given moments to tell what PyTorch says of it.

    python3 torch_memory.py SCENARIO FOLDER [SEED]

SCENARIO is the name of a function below. At each moment a line of JSON goes to the pipe FOLDER/tell, and the program stands still
until a line comes from FOLDER/go (torch_compare.py); null is the last one. A moment has, for each device, what PyTorch's allocator
says; "held_bytes", what all devices' memory in use should be; and the tensors that a line of this file keeps, with that line.
"""
import json
import os
import random
import sys
import threading

import torch

MIB = 1 << 20
NATIVE = torch.cuda.get_allocator_backend() == "native"
CACHING = NATIVE and os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING", "0") == "0"


def line_of(mark):
    """The number of the line of this file that ends in the comment."""
    with open(__file__, encoding="utf-8") as lines:
        return next(number for number, line in enumerate(lines, 1) if line.endswith("# %s\n" % mark))


def tensor(size, device=0):
    return torch.empty(size, dtype=torch.uint8, device="cuda:%d" % device)


def largest_gap(segments):
    """The longest run of bytes that are in no tensor. A block that was freed and waits for another stream is in none."""
    largest = 0
    for segment in segments:
        run = 0
        for block in segment["blocks"]:
            run = 0 if block["state"] == "active_allocated" else run + block["size"]
            largest = max(largest, run)
    return largest


def device_figures(device, segments):
    stats = torch.cuda.memory_stats(device)
    active = [block for segment in segments for block in segment["blocks"] if block["state"] == "active_allocated"]
    blocks = [block["size"] for block in active]
    figures = {
        "device": device,
        "was_used": stats["allocation.all.allocated"] > 0,
        "allocated_bytes": stats["allocated_bytes.all.current"],
        "reserved_bytes": stats["reserved_bytes.all.current"],
        "blocks": len(blocks),
        "free_in_segments_bytes": sum(segment["total_size"] for segment in segments) - sum(blocks),
        "largest_gap_bytes": largest_gap(segments),
        "list": sorted((block["address"], block["size"]) for block in active),
    }
    # PyTorch's own figures must agree, or there is nothing to compare with.
    assert sum(blocks) == figures["allocated_bytes"]
    assert len(blocks) == stats["allocation.all.current"]
    assert sum(segment["total_size"] for segment in segments) == figures["reserved_bytes"]
    return figures


class Teller:
    """Stops the program at moments."""

    def __init__(self, tell, go):
        self.tell, self.go = tell, go
        self.sites = {}

    def keeps(self, line, size, count):
        """@line now keeps @count tensors of @size bytes in all."""
        self.sites[line] = [size, count]

    def stop(self, name, held=None, reserved=()):
        """@held: bytes in use, where PyTorch does not know. @reserved: what it reserved when it last told, where that has changed since."""
        moment = {"moment": name, "pid": os.getpid(), "devices": [], "reserved_before": list(reserved),
                  "sites": [{"line": line, "live_bytes": site[0], "blocks": site[1]} for line, site in self.sites.items()]}
        every = range(torch.cuda.device_count())
        if CACHING:
            segments = torch.cuda.memory_snapshot()
            moment["devices"] = [device_figures(device, [segment for segment in segments if segment["device"] == device]) for device in every]
            moment["held_bytes"] = sum(device["reserved_bytes"] for device in moment["devices"])
        elif NATIVE:
            moment["held_bytes"] = held
        else:
            moment["held_bytes"] = sum(torch.cuda.memory_allocated(device) for device in every)
        self.tell.write(json.dumps(moment) + "\n")
        self.tell.flush()
        if not self.go.readline():
            sys.exit("nobody listens any more")


def any_size(chance):
    """1 byte to 64 MiB: every order of magnitude is as likely."""
    return int(2 ** chance.uniform(0, 26))


def churn(chance, count, kept, limit, devices=1):
    """Allocates and frees in random order, @limit tensors at most."""
    for _ in range(count):
        if kept and (len(kept) >= limit or chance.random() < 0.45):
            kept.pop(chance.randrange(len(kept)))
        else:
            kept.append(tensor(any_size(chance), chance.randrange(devices)))


def bytes_of(tensors):
    return sum(one.numel() for one in tensors)


def scenario_random(teller, seed):
    """Tensors of all sizes on all devices, in random order."""
    chance, kept = random.Random(seed), []
    for part in range(8):
        churn(chance, 300, kept, 100, torch.cuda.device_count())
        if part % 3 == 2:
            torch.cuda.empty_cache()
            for device in range(torch.cuda.device_count()):
                kept.append(tensor(any_size(chance), device))
        teller.stop("after %d steps" % (300 * (part + 1)), bytes_of(kept))
    kept.clear()
    teller.stop("all are freed", 0)


def scenario_threads(teller, seed):
    """Threads that allocate and free at once, on one device."""
    kept = [[] for _ in range(4)]
    for part in range(3):
        threads = [threading.Thread(target=churn, args=(random.Random(seed * 100 + part * 10 + number), 500, mine, 30))
                   for number, mine in enumerate(kept)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        teller.stop("part %d" % (part + 1), sum(map(bytes_of, kept)))
    kept.clear()
    teller.stop("all are freed", 0)


def scenario_autograd(teller, _seed):
    """Elementwise steps forward and backward: the backward ones run in autograd's own thread."""
    weight = torch.ones(1000, 300, device="cuda", requires_grad=True)
    teller.stop("a weight")
    for step in range(3):
        value = weight
        for _ in range(10):
            value = (value * 1.5 + 1).sigmoid()
        loss = value.sum()
        teller.stop("step %d, forward" % (step + 1))
        loss.backward()
        teller.stop("step %d, backward" % (step + 1))
        with torch.no_grad():
            weight -= weight.grad * 0.1
        weight.grad = None
        del value, loss
        teller.stop("step %d, updated" % (step + 1))


def scenario_streams(teller, _seed):
    """Tensors that other streams use when they are freed: their blocks wait for an event."""
    streams = [torch.cuda.Stream() for _ in range(4)]
    kept = []
    for number, stream in enumerate(streams):
        with torch.cuda.stream(stream):
            kept += [tensor(3 * MIB + number), tensor(1000 + number), tensor(30 * MIB)]
    teller.stop("twelve tensors", bytes_of(kept))
    for number, one in enumerate(kept):
        one.record_stream(streams[(number + 1) % 4])
    del one
    kept = kept[::2]
    if CACHING:
        teller.stop("six are freed, and wait")
    torch.cuda.synchronize()
    kept.append(tensor(7 * MIB))
    teller.stop("one more, after they waited", bytes_of(kept))
    kept.clear()
    torch.cuda.synchronize()
    kept.append(tensor(100))
    teller.stop("one is left", bytes_of(kept))


def scenario_loader(teller, _seed):
    """Batches from other processes, by way of pinned memory."""
    from torch.utils.data import DataLoader, TensorDataset

    loader = DataLoader(TensorDataset(torch.zeros(64, 100000)), batch_size=8, num_workers=2, pin_memory=True)
    kept = []
    for number, (batch,) in enumerate(loader):
        kept.append(batch.to("cuda", non_blocking=True))
        if number % 3 == 2:
            teller.stop("batch %d" % (number + 1))
    del kept, batch
    teller.stop("all are freed")


def scenario_graphs(teller, _seed):
    """Captured work has memory in a pool of its own, which lives as long as the graph."""
    weight = torch.zeros(1000000, device="cuda")
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    teller.stop("before")
    with torch.cuda.graph(first):
        middle = weight * 2
        result = middle + 1
        del middle
    teller.stop("one graph")
    with torch.cuda.graph(second, pool=first.pool()):
        other = (result * 3).exp()
    teller.stop("two graphs in one pool")
    for _ in range(5):
        first.replay()
        second.replay()
    torch.cuda.synchronize()
    teller.stop("replayed")
    kept = tensor(50 * MIB)
    teller.stop("a tensor besides")
    del first, result
    teller.stop("one graph is gone")
    del second, other
    torch.cuda.empty_cache()
    kept = tensor(60 * MIB)
    teller.stop("both are gone")
    del kept


def scenario_shortage(teller, _seed):
    """1 TiB cannot be had: PyTorch gives its unused segments back before it says so."""
    kept = [tensor(size * MIB) for size in (1, 5, 30, 50, 3)]
    del kept[1::2]
    teller.stop("before", bytes_of(kept))
    for attempt in range(2):
        try:
            kept.append(tensor(1 << 40))
            sys.exit("1 TiB was there")
        except (torch.OutOfMemoryError, RuntimeError):
            pass
        teller.stop("%d failed" % (attempt + 1), bytes_of(kept))
    kept.append(tensor(20 * MIB))
    teller.stop("after", bytes_of(kept))


def scenario_emptied(teller, _seed):
    """empty_cache() changes what is reserved, and PyTorch tells only when it next allocates or frees."""
    kept = [tensor(size * MIB) for size in (1, 20, 30, 2)]
    del kept[1:3]
    teller.stop("some are cached", bytes_of(kept))
    before = [torch.cuda.memory_reserved(device) for device in range(torch.cuda.device_count())]
    torch.cuda.empty_cache()
    teller.stop("emptied", bytes_of(kept), before)
    kept.append(tensor(100))
    teller.stop("told", bytes_of(kept))


def scenario_leak(teller, _seed):
    """A line that keeps 1 MiB at each step, among others that do not."""
    kept, line = [], line_of("the leak")
    for step in range(32):
        work = tensor(2 * MIB + 512 * step)
        kept.append(torch.empty(MIB, dtype=torch.uint8, device="cuda"))  # the leak
        del work
        if step % 8 == 7:
            teller.keeps(line, (step + 1) * MIB, step + 1)
            teller.stop("%d steps" % (step + 1), bytes_of(kept))
    kept.clear()
    teller.keeps(line, 0, 0)
    teller.stop("all are freed", 0)


def scenario_attached(teller, seed):
    """cutop starts at the first moment: what is older it learns when it is freed."""
    chance = random.Random(seed)
    old, new = [], []
    churn(chance, 200, old, 50)
    teller.stop("attach")
    churn(chance, 200, new, 50)
    teller.stop("older ones are there", bytes_of(old + new))
    old.clear()
    churn(chance, 50, new, 50)
    teller.stop("older ones are gone", bytes_of(new))
    new.clear()
    torch.cuda.empty_cache()
    new.append(tensor(3 * MIB))
    teller.stop("a new segment", bytes_of(new))


def main():
    scenario, folder = sys.argv[1:3]
    torch.cuda.init()
    with open(os.path.join(folder, "tell"), "w", encoding="utf-8") as tell, open(os.path.join(folder, "go"), encoding="utf-8") as go:
        globals()["scenario_" + scenario](Teller(tell, go), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
        tell.write("null\n")


main()
