# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what cutop says of Python stacks with what the program noted of them (oracle.py).

    python3 compare.py DOCUMENT NOTES [FIRST]

DOCUMENT is a snapshot as JSON, NOTES the folder of the notes. For each process and stack, the bytes and the number of the allocations must
be the same, and no stack may be on one side only. Prints how many calls were compared; or what differs, and exits 1.
"""
import collections
import json
import os
import sys


def noted(folder):
    found = {}
    for name in os.listdir(folder):
        if not name.endswith(".notes"):
            continue
        sums = found.setdefault(int(name.split(".")[0]), collections.defaultdict(lambda: [0, 0]))
        with open(os.path.join(folder, name), encoding="utf-8") as lines:
            for line in lines:
                entry = json.loads(line)
                stack = tuple((clean(file), number, clean(name)) for file, number, name in entry["stack"])
                sums[stack][0] += entry["bytes"]
                sums[stack][1] += 1
    return found


def clean(text):
    """As cutop shows it: a question mark for each byte that is no UTF-8; long paths by their end, long names by their beginning."""
    return text.replace("\ufffd", "?")


def told(document):
    found = {}
    for process in document["processes"]:
        sums = found.setdefault(process["pid"], collections.defaultdict(lambda: [0, 0]))
        for site in process["sites"]:
            frames = [frame for frame in site.get("frames", []) if frame.get("language") == "python"]
            stack = tuple((frame.get("file", ""), frame.get("line", 0), frame.get("function", "")) for frame in frames)
            sums[stack][0] += site["leaked_bytes"] + site["live_bytes"]
            sums[stack][1] += site["allocations"]
    return found


def same(a, b):
    """Two frames are: what was cut counts as far as it goes."""
    return a[1] == b[1] and (a[0] == b[0] or (len(b[0]) > 100 and a[0].endswith(b[0]))) and \
        (a[2] == b[2] or (len(b[2]) > 100 and a[2].startswith(b[2])))


def show(stack):
    return " < ".join("%s %s:%s" % (name[:60], file[-40:], line) for file, line, name in stack[:8]) + \
        (" ... %d frames" % len(stack) if len(stack) > 8 else "")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    expected, got = noted(sys.argv[2]), told(document)
    calls = wrong = 0
    for pid, stacks in expected.items():
        shown = got.get(pid, {})
        left = dict(shown)
        for stack, sums in stacks.items():
            calls += sums[1]
            match = stack if stack in left else next((other for other in left if len(other) == len(stack) and
                                                      all(same(a, b) for a, b in zip(stack, other))), None)
            if match is None or left[match] != sums:
                wrong += sums[1]
                print("%d: %d calls, %d bytes: %s" % (pid, sums[1], sums[0], show(stack)))
                print("   cutop: %s" % (left[match] if match else "no such stack"))
            if match is not None:
                del left[match]
        for stack, sums in left.items():
            wrong += sums[1]
            print("%d: only cutop has %d calls, %d bytes: %s" % (pid, sums[1], sums[0], show(stack)))
    print("%d calls compared, %d differ" % (calls, wrong))
    sys.exit(wrong != 0 or not calls)


main()
