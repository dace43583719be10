#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads metrics as a strict reader would, and treats a server of them badly.

metrics.py parse openmetrics|prometheus FILE   every rule of the format that cutop could break
metrics.py monotone FILE FILE...               no counter went down from one file to the next
metrics.py attack HOST PORT                    garbage, slow clients, 50 at once; the server answers after each
metrics.py wait HOST PORT SECONDS LINE FILE   until a scrape, left in FILE, has LINE; any if that is empty
metrics.py hold HOST PORT N SECONDS            N clients that say nothing, and how long one that does has to wait
"""
import math
import re
import socket
import sys
import threading
import time

NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(r'(%s)(?:\{(%s(?:,%s)*)\})? (\S+)' % (NAME, LABEL, LABEL))
SUFFIXES = {'counter': ['_total'], 'gauge': [''], 'info': ['_info'], 'histogram': ['_bucket', '_sum', '_count']}


class Bad(Exception):
    pass


def need(what, text):
    if not what:
        raise Bad(text)


def parse(form, path):
    """Returns {series: value} of a file, and {family: type}."""
    with open(path, encoding='utf-8', errors='strict') as stream:
        lines = stream.read().split('\n')
    need(lines.pop() == '', 'the last line has no end')
    if form == 'openmetrics':
        need(lines.pop() == '# EOF', 'it does not end in # EOF')
    families, series, current, units, helped = {}, {}, None, {}, set()
    for line in lines:
        need(line and not any(ord(c) < 32 or ord(c) == 127 for c in line), 'odd line %r' % line)
        if line.startswith('#'):
            word = line.split(' ', 3)
            need(len(word) == 4 and word[3], 'empty %r' % line)
            if word[1] == 'TYPE':
                need(word[2] not in families, 'family %s comes twice' % word[2])
                need(word[3] in SUFFIXES and (form == 'openmetrics' or word[3] != 'info'), 'type in %r' % line)
                current = word[2]
                families[current] = word[3]
            elif word[1] == 'HELP':
                need(word[2] not in helped, 'HELP of %s comes twice' % word[2])
                helped.add(word[2])
            else:
                need(word[1] == 'UNIT' and form == 'openmetrics', 'what is %r' % line)
                need(word[2] == current and current.endswith('_' + word[3]), 'unit in %r' % line)
                units[current] = word[3]
            continue
        match = SAMPLE.fullmatch(line)
        need(match, 'no sample: %r' % line)
        name, labels, value = match.groups()
        kind = families.get(current)
        need(kind, 'a sample before its family: %r' % line)
        suffixes = SUFFIXES[kind]
        if form == 'prometheus' and kind in ('counter', 'gauge'):
            suffixes = ['']
            need(kind == 'gauge' or current.endswith('_total'), 'a counter without _total: %s' % current)
        need(any(name == current + s for s in suffixes), '%s stands in the family %s' % (name, current))
        key = name + '{' + (labels or '') + '}'
        need(key not in series, 'twice: %s' % key)
        names = re.findall(r'([a-zA-Z0-9_]+)="', re.sub(r'"(?:[^"\\]|\\.)*"', '""', labels or ''))
        need(len(names) == len(set(names)), 'a label twice: %r' % line)
        number = float(value)
        need(not math.isnan(number) and (kind == 'gauge' or number >= 0), 'value in %r' % line)
        need(('_bytes' not in name and '_seconds' not in name) or form == 'prometheus' or current in units,
             'no unit: %s' % current)
        series[key] = number
    need(set(families) <= helped, 'no help: %s' % (set(families) - helped))
    buckets(series)
    return series, families


def buckets(series):
    """A histogram's buckets grow, and end in +Inf, which is the count."""
    last = {}
    for key, value in series.items():
        if '_bucket{' not in key:
            continue
        base = re.sub(r',?le="[^"]*"', '', key)
        bound = float(re.search(r'le="([^"]*)"', key).group(1))
        before = last.get(base, (-math.inf, 0))
        need(bound > before[0] and value >= before[1], 'buckets out of order: %s' % key)
        last[base] = (bound, value)
    for base, (bound, value) in last.items():
        need(bound == math.inf and series[base.replace('_bucket{', '_count{')] == value, 'no +Inf: %s' % base)


def monotone(paths):
    last = {}
    for path in paths:
        series, families = parse('openmetrics', path)
        for key, value in series.items():
            family = key.split('{')[0]
            if family.endswith(('_total', '_bucket', '_count')):
                need(value >= last.get(key, 0), '%s went from %s to %s' % (key, last.get(key), value))
        # What is gone may come again, and begin anew.
        last = series


def ask(host, port, path='/metrics', headers='', limit=20):
    with socket.create_connection((host, port), limit) as connection:
        connection.sendall(('GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n' % (path, headers)).encode())
        answer = b''
        while True:
            part = connection.recv(65536)
            if not part:
                break
            answer += part
    head, body = answer.split(b'\r\n\r\n', 1)
    need(len(body) == int(re.search(rb'Content-Length: (\d+)', head).group(1)), 'the answer is cut')
    return int(head.split()[1]), body


def alive(host, port, after):
    status, body = ask(host, port)
    need(status == 200 and b'cutop_build_info' in body, 'no answer after %s: %d' % (after, status))


GARBAGE = [
    b'\r\n\r\n', b'\0' * 1000, b'GET', b'GET / HTTP/9.9\r\n\r\n', b'GET ' + b'/' * 100000 + b' HTTP/1.1\r\n\r\n',
    b'GET /metrics HTTP/1.1\r\n' + b'A: b\r\n' * 5000 + b'\r\n', b'GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: ' + b';,q=' * 500 + b'\r\n\r\n',
    b'POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nxxxx', b'GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n',
    b'GET /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n', bytes(range(256)) * 100,
    b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + b'\xaa' * 200, b'GET /%00%ff%2e%2e HTTP/1.1\r\nHost: localhost\r\n\r\n',
]


# The address and port of clients that are not to take the places of those at 127.0.0.1.
OTHER = ('127.0.0.2', 0)


def attack(host, port):
    for number, garbage in enumerate(GARBAGE):
        with socket.create_connection((host, port), 10) as connection:
            # Half a request may be waited for: nobody has to answer it.
            connection.settimeout(0.1)
            try:
                connection.sendall(garbage)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
            except OSError:
                pass
        alive(host, port, 'garbage %d' % number)
    # Clients at another address that begin, and take their time.
    slow = []
    for number in range(60):
        connection = socket.create_connection((host, port), 10, OTHER)
        connection.sendall(b'GET /metr'[:number % 10])
        slow.append(connection)
    alive(host, port, '60 slow clients')
    for connection in slow:
        connection.close()
    # One that asks and does not read.
    deaf = socket.create_connection((host, port), 10)
    deaf.sendall(b'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n')
    alive(host, port, 'a client that does not read')
    deaf.close()
    # Many that leave in the middle of a request: their places are free at once.
    for _ in range(10):
        leaving = [socket.create_connection((host, port), 10, OTHER) for _ in range(60)]
        for connection in leaving:
            connection.sendall(b'GET /metrics HTTP/1.1\r\n')
        for connection in leaving:
            connection.close()
    alive(host, port, '600 that left')
    crowd(host, port, 50)
    alive(host, port, 'a crowd')


def crowd(host, port, count):
    answers = []

    def one():
        try:
            answers.append(ask(host, port, limit=60)[0])
        except Exception as error:
            answers.append(repr(error))

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    need(answers == [200] * count, 'a crowd got %s' % set(answers))


def hold(host, port, count, seconds):
    """More clients at one address than may be there, which say nothing: others are answered at once."""
    idle = [socket.create_connection((host, port), 10, OTHER) for _ in range(count)]
    began = time.monotonic()
    alive(host, port, '%d idle clients' % count)
    need(time.monotonic() - began < seconds, 'it took %.1f s' % (time.monotonic() - began))
    for connection in idle:
        connection.close()


def wait(host, port, seconds, line, path):
    end = time.monotonic() + seconds
    while True:
        try:
            status, body = ask(host, port)
            with open(path, 'wb') as stream:
                stream.write(body)
            if status == 200 and (not line or line.encode() in body.split(b'\n')):
                return
        except ConnectionError:
            pass
        need(time.monotonic() < end, 'in vain')
        time.sleep(0.1)


def main():
    what, rest = sys.argv[1], sys.argv[2:]
    try:
        if what == 'parse':
            parse(*rest)
        elif what == 'monotone':
            monotone(rest)
        elif what == 'attack':
            attack(rest[0], int(rest[1]))
        elif what == 'wait':
            wait(rest[0], int(rest[1]), float(rest[2]), rest[3], rest[4])
        elif what == 'hold':
            hold(rest[0], int(rest[1]), int(rest[2]), float(rest[3]))
        else:
            sys.exit(__doc__)
    except (Bad, OSError, ValueError) as error:
        sys.exit('metrics.py %s: %s' % (' '.join(sys.argv[1:]), error))


main()
