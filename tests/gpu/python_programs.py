#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Small programs of Python's CUDA packages, each of which says what it did.

    python_programs.py NAME [TRACE]

The last line of output is an object of JSON: what python_check.py compares with cutop's figures. TRACE: where torch and compile
write what PyTorch's profiler got from CUPTI. Exit status 3: there is no such package, or no device.
"""
import json
import os
import sys

NO_DEVICE = 3


class NoDevice(Exception):
    """There is no such package, or no device for it."""


def package(name):
    """Imports a package. A broken installation raises whatever it likes."""
    try:
        return __import__(name)
    except Exception as error:
        raise NoDevice("no %s: %s" % (name, str(error).split("\n")[0][:80])) from error


def torch_import():
    torch = package("torch")
    try:
        if not torch.cuda.is_available():
            raise NoDevice("PyTorch %s has no device" % torch.__version__)
    except RuntimeError as error:
        raise NoDevice("PyTorch: %s" % str(error).split("\n")[0][:80]) from error
    return torch


def allocator_of(torch):
    """What PyTorch's allocator says of itself, by the names that cutop has for it."""
    stats = torch.cuda.memory_stats()
    return {
        "handed_out": stats["allocation.all.allocated"], "out_of_memory": stats["num_ooms"],
        "peak_allocated_bytes": torch.cuda.max_memory_allocated(), "peak_reserved_bytes": torch.cuda.max_memory_reserved(),
    }


def profiled(torch, trace, work):
    """Runs work() under PyTorch's profiler. All that reaches the device is inside, so that the profiler's counts are the process's."""
    from torch.profiler import ProfilerActivity, profile

    torch.cuda.init()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        result = work()
        torch.cuda.synchronize()
    seen.export_chrome_trace(trace)
    return result


def wrong_unless(right, what):
    return "" if right else what


# ---- the programs


def run_torch(trace):
    """Steps of a training: products, a convolution, a norm, copies both ways."""
    torch = torch_import()
    import math

    def train():
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16 * 30 * 30, 10)).cuda()
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(20):
            images = torch.randn(8, 3, 32, 32).cuda()
            labels = torch.randint(0, 10, (8,)).cuda()
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss.item()

    loss = profiled(torch, trace, train)
    return {"version": torch.__version__, "cuda": torch.version.cuda, "allocators": {os.getpid(): allocator_of(torch)},
            "error": wrong_unless(math.isfinite(loss), "the loss is %r" % loss)}


def run_compile(trace):
    """torch.compile with graphs: Triton's kernels, launched by cudaGraphLaunch."""
    torch = torch_import()
    import math

    compiled = torch.compile(lambda x, w: torch.nn.functional.gelu(x @ w).sum() * 2, mode="reduce-overhead")

    def steps():
        x, w = torch.randn(512, 512, device="cuda"), torch.randn(512, 512, device="cuda")
        for _ in range(30):
            result = compiled(x, w)
        return result.item()

    result = profiled(torch, trace, steps)
    return {"version": torch.__version__, "allocators": {os.getpid(): allocator_of(torch)},
            "error": wrong_unless(math.isfinite(result), "the result is %r" % result)}


def child_of_processes(queue, done):
    import torch

    tensor = queue.get()
    tensor += 1
    own = torch.empty(1 << 20, device="cuda")
    torch.cuda.synchronize()
    done.put((os.getpid(), allocator_of(torch), own.numel()))
    done.close()
    done.join_thread()


def run_processes():
    """torch.multiprocessing: a tensor that another process maps, and that process's own."""
    torch = torch_import()
    import torch.multiprocessing as multiprocessing

    multiprocessing.set_start_method("spawn")
    queue, done = multiprocessing.Queue(), multiprocessing.Queue()
    child = multiprocessing.Process(target=child_of_processes, args=(queue, done))
    child.start()
    tensor = torch.zeros(8 << 20, device="cuda")
    queue.put(tensor)
    pid, allocator, _ = done.get(timeout=60)
    child.join()
    torch.cuda.synchronize()
    return {"version": torch.__version__, "allocators": {os.getpid(): allocator_of(torch), pid: allocator},
            "error": wrong_unless(bool((tensor == 1).all().item()), "the child's sum is missing")}


def run_torch_nccl():
    """NCCL in PyTorch, one rank."""
    torch = torch_import()
    import torch.distributed as distributed

    if not distributed.is_nccl_available():
        raise NoDevice("PyTorch %s has no NCCL" % torch.__version__)
    # A file that both ends of the rendezvous know, so that no port is needed.
    os.environ.update(RANK="0", WORLD_SIZE="1")
    meeting = os.path.join(os.environ.get("TMPDIR", "/tmp"), "cutop-gpu-nccl.%d" % os.getpid())
    distributed.init_process_group("nccl", init_method="file://" + meeting, rank=0, world_size=1)
    x = torch.ones(1 << 20, device="cuda")
    distributed.all_reduce(x)
    torch.cuda.synchronize()
    right = float(x[0]) == 1.0
    distributed.destroy_process_group()
    if os.path.exists(meeting):
        os.unlink(meeting)
    return {"version": ".".join(str(part) for part in torch.cuda.nccl.version()), "allocators": {os.getpid(): allocator_of(torch)},
            "error": wrong_unless(right, "a sum is wrong")}


def run_triton():
    """A kernel of Triton's."""
    torch = torch_import()
    triton = package("triton")
    import triton.language as tl

    @triton.jit
    def cutop_check_add(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(y + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)

    count, launches = 1 << 16, 11
    x, y = torch.ones(count, device="cuda"), torch.zeros(count, device="cuda")
    for _ in range(launches):
        cutop_check_add[(count // 256,)](x, y, count, BLOCK=256)
    return {"version": triton.__version__, "kernels": {"cutop_check_add": launches}, "allocators": {os.getpid(): allocator_of(torch)},
            "error": wrong_unless(bool((y == launches).all().item()), "a sum is wrong")}


def run_jax():
    """
    A jitted function without products, so that cuBLAS takes nothing. XLA's pool is most of what the process has of the device: what
    cutop saw at its peak must have the pool in it, and little else.
    """
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    jax = package("jax")
    try:
        device = jax.local_devices(backend="gpu")[0]
    except RuntimeError as error:
        raise NoDevice("JAX %s has no device" % jax.__version__) from error
    function = jax.jit(lambda x: jax.numpy.sin(x) * 1.01 + 0.1)
    calls = 20
    x = y = jax.device_put(jax.numpy.ones((512, 512)), device)
    for _ in range(calls):
        y = function(y)
    keep = [jax.device_put(jax.numpy.ones((1 << 20,)), device) for _ in range(10)]
    y.block_until_ready()
    keep[-1].block_until_ready()
    stats = device.memory_stats() or {}
    pool = stats.get("peak_pool_bytes", stats.get("pool_bytes", 0))
    return {"version": jax.__version__, "least_launches": calls, "least_peak_bytes": pool, "most_peak_bytes": pool + (1 << 20) if pool else 0,
            "error": wrong_unless(x.shape == y.shape, "a shape is wrong")}


def run_cupy():
    """CuPy's pool says by its hooks what it takes from the device."""
    cupy = package("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise NoDevice("CuPy: %s" % str(error)[:80]) from error
    taken = []

    class Hook(cupy.cuda.MemoryHook):
        name = "cutop"

        def alloc_postprocess(self, **told):
            if told["mem_ptr"]:
                taken.append(told["mem_size"])

    with Hook():
        a = cupy.zeros((1000, 1000))
        del a
        b = cupy.zeros((1000, 1000))
        c = cupy.zeros((3000, 3000), dtype=cupy.float32)
        add = cupy.RawKernel('extern "C" __global__ void cutop_add(float *x, int n) { int i = threadIdx.x + blockIdx.x * blockDim.x; '
                             "if (i < n) x[i] += 1; }", "cutop_add")
        for _ in range(7):
            add((100,), (128,), (c, cupy.int32(12800)))
        keep = [cupy.ones((1 << 18,)) for _ in range(10)]
        cupy.cuda.Device().synchronize()
    right = float(c[0, 0]) == 7.0 and b.size == 1000000 and len(keep) == 10
    return {"version": cupy.__version__, "kernels": {"cutop_add": 7}, "allocations": len(taken), "allocated_bytes": sum(taken),
            "error": wrong_unless(right, "a sum is wrong")}


def run_numba():
    """Numba calls the driver for each array."""
    numba = package("numba")
    numpy = package("numpy")
    from numba import cuda

    if not cuda.is_available():
        raise NoDevice("Numba %s has no device" % numba.__version__)

    def cutop_axpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] += a * x[i]

    kernel = cuda.jit(cutop_axpy)
    x, y = cuda.to_device(numpy.ones(1000000)), cuda.to_device(numpy.ones(1000000))
    kernel[1000, 1000](2.0, x, y)
    arrays = [cuda.device_array(1 << 20) for _ in range(12)]
    right = float(y.copy_to_host()[0]) == 3.0
    return {"version": numba.__version__, "kernels_with": {"cutop_axpy": 1}, "allocations": 2 + len(arrays),
            "allocated_bytes": 2 * 8000000 + len(arrays) * (8 << 20), "error": wrong_unless(right, "a sum is wrong")}


PROGRAMS = {"torch": run_torch, "compile": run_compile, "processes": run_processes, "torch-nccl": run_torch_nccl, "triton": run_triton,
            "jax": run_jax, "cupy": run_cupy, "numba": run_numba}
TRACED = ("torch", "compile")


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in PROGRAMS or len(arguments) != (2 if arguments[0] in TRACED else 1):
        print(__doc__, file=sys.stderr)
        return 2
    result = {"program": arguments[0], "pid": os.getpid(), "no_device": "", "error": ""}
    try:
        result.update(PROGRAMS[arguments[0]](*arguments[1:]))
    except NoDevice as why:
        result["no_device"] = str(why)
    print(json.dumps(result))
    return NO_DEVICE if result["no_device"] else 1 if result["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
