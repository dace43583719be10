# SPDX-License-Identifier: GPL-2.0-or-later
"""Allocates in every way that Python code can be run, and notes where it was.

    python oracle.py LIBRARY NOTES [CASE...]

LIBRARY is a CUDA runtime. Each call of its cudaMalloc() is noted in the folder NOTES, in a file for each process, as a line of
JSON with its bytes and its stack as Python knows it, innermost first: what traceback.extract_stack() goes through, taken while
the call is under way. Nothing is freed. Runs on Python 3.8 and later. With the file NOTES/wait there, it begins once that is gone.
"""
import ctypes
import functools
import gc
import json
import os
import signal
import sys
import threading
import time
import types

INNER, OUTER = 48, 16   # frames that are compared of more than there is room for

library = sys.argv[1]
notes = sys.argv[2]
cuda = ctypes.CDLL(library)             # releases the GIL
cuda_held = ctypes.PyDLL(library)       # holds it
libc = ctypes.CDLL(None)
sizes = iter(range(1000, 100000000))
sizes_lock = threading.Lock()
files = {}


def frames_of(frame):
    stack = []
    while frame is not None:
        code = frame.f_code
        stack.append([code.co_filename.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), frame.f_lineno or 0,
                      getattr(code, "co_qualname", code.co_name)])
        frame = frame.f_back
    if len(stack) > INNER + OUTER:
        stack[INNER:-OUTER] = [["", 0, "(frames are left out)"]]
    return stack


def note(result, function, arguments):
    """Called by ctypes when the function has returned, below whoever called it."""
    assert result == 0
    pid = os.getpid()
    if pid not in files:
        files[pid] = os.open(os.path.join(notes, "%d.notes" % pid), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    line = json.dumps({"bytes": arguments[1].value, "stack": frames_of(sys._getframe(1))}) + "\n"
    os.write(files[pid], line.encode())
    return 0


cuda.cudaMalloc.errcheck = note
cuda_held.cudaMalloc.errcheck = note
malloc = cuda.cudaMalloc
malloc_held = cuda_held.cudaMalloc
pointers = []


def arguments():
    with sizes_lock:
        size = next(sizes)
    pointers.append(ctypes.c_void_p())
    return ctypes.pointer(pointers[-1]), ctypes.c_size_t(size)


cases = []


def case(function):
    cases.append(function)
    return function


@case
def plain():
    malloc(*arguments())
    malloc_held(*arguments())
    for _ in range(20):
        malloc(*arguments())
    for _ in range(3): malloc(*arguments()); malloc_held(*arguments())


def decorate(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        malloc(*arguments())
        return function(*args, **kwargs)
    return wrapper


@case
@decorate
def decorated():
    malloc(*arguments())


@case
def lambdas():
    (lambda: malloc(*arguments()))()
    f = lambda g: g(
        *arguments())
    f(malloc)
    functools.partial(malloc)(*arguments())


@case
def comprehensions():
    [malloc(*arguments()) for _ in range(3)]
    {malloc(*arguments()): 1 for _ in range(2)}
    list(malloc(*arguments()) for _ in range(3))
    [[malloc_held(*arguments()) for _ in range(2)] for _ in range(2)]


def thing_class():
    class Meta(type):
        def __call__(cls, *args):
            malloc(*arguments())
            return super().__call__(*args)


    class Thing(metaclass=Meta):
        malloc(*arguments())

        def __init__(self):
            malloc(*arguments())

        @property
        def value(self):
            return malloc(*arguments())

        def __getattr__(self, name):
            return malloc(*arguments())

        @staticmethod
        def still():
            malloc(*arguments())

        @classmethod
        def of_class(cls):
            malloc(*arguments())

        def __del__(self):
            malloc(*arguments())

        def __len__(self):
            malloc(*arguments())
            return 3

        def __enter__(self):
            malloc(*arguments())

        def __exit__(self, *_):
            malloc(*arguments())
    return Thing


@case
def classes():
    Thing = thing_class()
    thing = Thing()
    thing.value
    thing.missing
    thing.still()
    thing.of_class()
    len(thing)
    with thing:
        malloc(*arguments())
    del thing

    class Local:
        class Inner:
            def go(self):
                malloc(*arguments())
    Local.Inner().go()
    for _ in range(30):
        Thing()


def generator(n):
    for _ in range(n):
        malloc(*arguments())
        yield
    malloc_held(*arguments())


def delegate(n):
    yield from generator(n)
    malloc(*arguments())


@case
def generators():
    for _ in generator(3):
        malloc(*arguments())
    for _ in delegate(3):
        pass
    half = delegate(3)
    next(half)
    half.close()
    sent = generator(2)
    next(sent)
    try:
        sent.throw(ValueError)
    except ValueError:
        malloc(*arguments())


@case
def handlers():
    try:
        raise KeyError
    except KeyError:
        malloc(*arguments())
    finally:
        malloc(*arguments())
    try:
        try:
            1 / 0
        finally:
            malloc(*arguments())
    except ZeroDivisionError as error:
        malloc(*arguments())
        del error


def down(n):
    if n:
        down(n - 1)
        return
    malloc(*arguments())


def up_and_down(n):
    malloc(*arguments())
    if n:
        up_and_down(n - 1)
    malloc_held(*arguments())


@case
def recursion():
    for n in (1, 5, 40, 60, 61, 62, 63, 64, 65, 100, 400):
        down(n)
    up_and_down(40)


@case
def callbacks():
    sorted([3, 1, 2], key=lambda x: malloc(*arguments()) or x)
    list(map(lambda x: malloc(*arguments()), range(3)))
    functools.reduce(lambda a, b: malloc(*arguments()) or b, range(3))
    max([1, 2], key=lambda x: malloc_held(*arguments()) or x)

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    def compare(a, b):
        malloc(*arguments())
        malloc_held(*arguments())
        return a[0] - b[0]
    numbers = (ctypes.c_int * 4)(4, 2, 3, 1)
    libc.qsort(numbers, ctypes.c_size_t(4), ctypes.c_size_t(4), compare)

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    def nested(a, b):
        libc.qsort((ctypes.c_int * 2)(2, 1), ctypes.c_size_t(2), ctypes.c_size_t(4), compare)
        return 0
    libc.qsort((ctypes.c_int * 2)(2, 1), ctypes.c_size_t(2), ctypes.c_size_t(4), nested)


@case
def weak():
    import weakref
    thing = types.SimpleNamespace()

    class Target:
        pass
    target = Target()
    thing.ref = weakref.ref(target, lambda _: malloc(*arguments()))
    del target
    gc.collect()


@case
def threads():
    def work(n):
        malloc(*arguments())
        down(n)
        for _ in generator(2):
            pass
    for n in range(3):
        thread = threading.Thread(target=work, args=(n,))
        thread.start()
        thread.join()
    together = [threading.Thread(target=lambda: [work(n) for n in range(12)]) for _ in range(8)]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join()


@case
def foreign_threads():
    """Threads that C has made, and that come to Python by a callback."""
    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    def body(_):
        malloc(*arguments())
        down(3)
        malloc_held(*arguments())
        return None
    for _ in range(3):
        thread = ctypes.c_ulong()
        assert libc.pthread_create(ctypes.byref(thread), None, body, None) == 0
        libc.pthread_join(thread, None)


@case
def coroutines():
    import asyncio

    async def inner(n):
        malloc(*arguments())
        await asyncio.sleep(0)
        malloc_held(*arguments())
        if n:
            await inner(n - 1)

    async def numbers():
        for n in range(3):
            malloc(*arguments())
            yield n

    async def main():
        await asyncio.gather(inner(1), inner(2))
        async for _ in numbers():
            malloc(*arguments())
        await asyncio.get_event_loop().run_in_executor(None, lambda: malloc(*arguments()))
    asyncio.run(main())


@case
def executed():
    exec("malloc(*arguments())")
    exec("\n\n\ndef f():\n    malloc(*arguments())\nf()\nmalloc(*arguments())\n", globals())
    eval("malloc(*arguments())")
    exec(compile("malloc(*arguments())\n", "no such file.py", "exec"), globals())
    exec(compile("def g():\n  malloc(*arguments())\ng()\n", "/tmp/ipykernel_4242/1.py", "exec"), globals())


@case
def freed():
    """Code that is made and freed in a loop, at one address, but with other names and lines each time."""
    for n in range(60):
        scope = {"malloc": malloc, "arguments": arguments}
        exec("%sdef f%d():\n  malloc(*arguments())\nf%d()\n" % ("\n" * (n % 7), n % 3, n % 3), scope)
        del scope
        gc.collect()
    for n in range(60):
        exec(compile("malloc(*arguments())\n", "<cell %d>" % n, "exec"), globals())


@case
def imported():
    folder = os.path.join(notes, "modules-%d" % os.getpid())
    os.mkdir(folder)
    with open(os.path.join(folder, "oracle_imported.py"), "w") as out:
        out.write("import __main__ as m\n\nm.malloc(*m.arguments())\ndef f():\n    m.malloc(*m.arguments())\nf()\n")
    sys.path.insert(0, folder)
    import oracle_imported
    oracle_imported.f()
    __import__("importlib").reload(oracle_imported)
    sys.path.pop(0)


@case
def signals():
    def handler(number, frame):
        malloc(*arguments())
        down(2)
    signal.signal(signal.SIGUSR1, handler)
    for _ in range(3):
        os.kill(os.getpid(), signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)


@case
def traced():
    busy = []

    def tracer(frame, event, arg):
        if frame.f_code.co_name == "target" and not busy:
            busy.append(1)
            malloc(*arguments())
            busy.pop()
        return tracer

    def target():
        malloc(*arguments())
        return 1
    sys.settrace(tracer)
    target()
    sys.settrace(None)


@case
def names():
    """In characters of one, two and four bytes, long ones, and files whose names are no UTF-8."""
    for name in ("é", "naïve_Ünlaut", "имя", "名前", "𝒻𝓊𝓃𝒸", "x" * 90, "y" * 130, "ж" * 100, "ф" * 400):
        exec("def %s():\n  malloc(*arguments())\n%s()\n" % (name, name), globals())
    for file in ("/tmp/grün/é.py", "/tmp/путь/файл.py", "/tmp/路/文.py", "/tmp/😀/𝒻.py", "/tmp/" + "long/" * 30 + "end.py",
                 "/tmp/" + "длинно/" * 60 + "конец.py", b"/tmp/\xff\xfe.py".decode("utf-8", "surrogateescape")):
        exec(compile("def f():\n  malloc(*arguments())\nf()\n", file, "exec"), globals())


@case
def long_code():
    """Functions whose tables of lines are longer than what is copied at once."""
    for lines in (300, 1800, 6000):
        body = "".join("  x = 1\n" for _ in range(lines))
        exec(compile("def f():\n  malloc(*arguments())\n%s  malloc(*arguments())\n%s  malloc(*arguments())\nf()\n" % (body, body),
                     "/tmp/long%d.py" % lines, "exec"), globals())
    exec(compile("def f():\n  malloc(*arguments())\n%s  malloc(*arguments())\nf()\n" % ("\n" * 70000), "/tmp/far.py", "exec"), globals())
    exec(compile("def f():\n  malloc(\n%s*arguments())\nf()\n" % ("\n" * 300), "/tmp/spread.py", "exec"), globals())


@case
def forked():
    malloc(*arguments())
    pid = os.fork()
    if not pid:
        malloc(*arguments())
        down(3)
        inner = os.fork()
        if not inner:
            malloc(*arguments())
            threads()
            os._exit(0)
        os.waitpid(inner, 0)
        os._exit(0)
    os.waitpid(pid, 0)
    malloc(*arguments())


@case
def warm():
    """Long enough for Python to specialize its code."""
    class Made:
        def __init__(self):
            self.value = malloc(*arguments())
    for _ in range(120):
        Made()
        down(2)
        for _ in generator(1):
            pass


def main():
    chosen = sys.argv[3:]
    while os.path.exists(os.path.join(notes, "wait")):
        time.sleep(0.01)
    for function in cases:
        if not chosen or function.__name__ in chosen:
            function()


main()
