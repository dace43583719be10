# SPDX-License-Identifier: GPL-2.0-or-later
# breakpoints.py none|some PID LIBRARY: waits up to a minute until no function of the process begins otherwise than in its file
# ("none"), or many do ("some"): a breakpoint is a changed byte.
import re, subprocess, sys, time
want, pid, library = sys.argv[1:]
def lines(*command):
    return [line.split() for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines()]
addresses = {int(part[0], 16) for part in lines("nm", "-D", "--defined-only", library)
             if part[1] == "T" and re.match("(__)?cuda", part[2])}
segments = [tuple(int(part[i], 16) for i in (1, 2, 4)) for part in lines("readelf", "-lW", library) if part and part[0] == "LOAD"]
data = open(library, "rb").read()
places = []
for part in map(str.split, open(f"/proc/{pid}/maps")):
    if len(part) < 6 or part[5] != library or "x" not in part[1]:
        continue
    start, end = (int(x, 16) for x in part[0].split("-"))
    at = int(part[2], 16)
    for address in addresses:
        offset = next(o + address - v for o, v, size in segments if v <= address < v + size)
        if at <= offset < at + end - start:
            places.append((start + offset - at, data[offset]))
memory = open(f"/proc/{pid}/mem", "rb", buffering=0)
def changed():
    count = 0
    for address, byte in places:
        memory.seek(address)
        count += memory.read(1)[0] != byte
    return count
end = time.monotonic() + 60
while len(places) > 100 and time.monotonic() < end:
    if (changed() > 100) if want == "some" else (changed() == 0):
        sys.exit(0)
    time.sleep(0.05)
print(f"{changed()} of {len(places)} functions of process {pid} have a breakpoint")
sys.exit(1)
