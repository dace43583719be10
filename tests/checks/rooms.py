#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rooms of src/ and what they may know of each other.

Prints which room includes which, and fails on what the layout rules out:
  - a file in src/ beside main.c
  - an include of a room that the Makefile lists below the including one
  - libbpf outside probe/, curses outside view/
  - more than two files that include each other in a circle
  - two files of one name in different rooms, but for the ends of one thing
  - in bpf/, the same of circles and names
Usage: rooms.py [TOP]
"""
import os
import re
import sys

# The two ends of one thing: the BPF side and the user's side of it.
SHARED_NAMES = {'loader', 'loading', 'row_cache', 'arguments', 'stacks', 'trace'}

top = sys.argv[1] if len(sys.argv) > 1 else '.'
errors = []


def read(path):
    with open(os.path.join(top, path), encoding='utf-8') as file:
        return file.read()


def sources(folder):
    for where, folders, names in os.walk(os.path.join(top, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(('.c', '.h')):
                yield os.path.relpath(os.path.join(where, name), top)


def room_of(path):
    parts = path.split('/')
    return 'main' if path == 'src/main.c' else parts[1] if len(parts) > 2 else None


def circles(graph):
    """The strongly connected components of more than two files (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for to in graph.get(node, ()):
            if to not in index:
                visit(to)
                low[node] = min(low[node], low[to])
            elif to in stack:
                low[node] = min(low[node], index[to])
        if low[node] == index[node]:
            ring = []
            while True:
                ring.append(stack.pop())
                if ring[-1] == node:
                    break
            if len(ring) > 2:
                found.append(sorted(ring))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


order = re.findall(r'^include \$\(srcdir\)/src/(\w+)/\1\.mk$', read('Makefile.am'), re.M) + ['main']
files = list(sources('src'))
graph, rooms, names = {}, {}, {}
for path in files + list(sources('bpf')):
    text = read(path)
    room = room_of(path) if path.startswith('src/') else 'bpf'
    if room is None:
        errors.append(f'{path} is in no room')
        continue
    if room != 'bpf' and room not in order:
        errors.append(f'{path}: the Makefile has no room {room}')
        continue
    names.setdefault(re.sub(r'(\.bpf)?\.[ch]$', '', os.path.basename(path)), set()).add(room)
    graph[path] = set()
    for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
        for base in ('src', 'bpf'):
            to = f'{base}/{include}'
            if to in files or (base == 'bpf' and os.path.exists(os.path.join(top, to))):
                graph[path].add(to)
                if room == 'bpf' or base == 'bpf':
                    continue
                other = room_of(to)
                if other != room:
                    rooms.setdefault(room, set()).add(other)
                    if order.index(other) > order.index(room):
                        errors.append(f'{path} includes {include}: {other} stands above {room}')
    if re.search(r'^\s*#\s*include\s+<bpf/(libbpf|bpf)\.h>', text, re.M) and room != 'probe':
        errors.append(f'{path} includes libbpf: that is for probe/ only')
    if re.search(r'^\s*#\s*include\s+<(ncursesw?/)?n?curses\.h>', text, re.M) and room != 'view':
        errors.append(f'{path} includes curses: that is for view/ only')

for ring in circles(graph):
    errors.append('these include each other in a circle: ' + ' '.join(ring))
for name, where in sorted(names.items()):
    if len(where) > 1 and name not in SHARED_NAMES:
        errors.append(f'{name} is the name of files in {" and ".join(sorted(where))}')
for room in order:
    print(f'{room}: {" ".join(sorted(rooms.get(room, ()), key=order.index)) or "-"}')
for error in errors:
    print('FAIL:', error)
sys.exit(1 if errors else 0)
