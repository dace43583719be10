#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A made-up cluster: many exporters, each of which plays a recording of fleet_record, scraped by one real Prometheus.

fleet.py [EXPORTERS [SECONDS]]   what it costs, and how long the dashboard's queries take (default 200 exporters, whose
                                 recordings last SECONDS, default 600)
fleet.py check EXPORTERS         what the queries of the dashboard's fleet answer is what was put in

Needs prometheus and some 40 MB of memory for an exporter, with what Prometheus takes for its series.
"""
import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get('top_builddir', os.getcwd())
sys.path.insert(0, os.path.join(SOURCE, 'tests', 'e2e'))
import prometheus  # noqa: E402

RULES = os.path.join(SOURCE, 'contrib', 'prometheus', 'cutop.rules.yml')
BOARD = os.path.join(SOURCE, 'contrib', 'grafana', 'cutop.json')
SLOW = 1.0  # seconds
RUNS = 5
FIGURES = {'rate': 0, 'oom': 0, 'failed': 0, 'leaked': 0, 'fragmentation': 0.0}


class Fleet:
    """What runs, and the folder that it uses: all of it goes at the end."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='cutop-fleet.')
        self.children = []
        self.nodes = {}  # by instance
        self.exporters = []
        self.facts = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, words, name):
        with open(self.path(name), 'wb') as out:
            child = subprocess.Popen(words, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=name == 'prometheus.err')
        self.children.append(child)
        return child

    def close(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
        for child in self.children:
            child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def progress(text):
    print('# ' + text, file=sys.stderr, flush=True)


def until(what, seconds, done):
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            sys.exit('fleet.py: %s: not within %d s' % (what, seconds))
        time.sleep(0.2)


# ---- the cluster ----

def facts_read(text):
    """{'free': {device: bytes}, 'lost': n, 'running': n, 'pods': {(pod, command): figures}} of a node."""
    facts = {'free': {}, 'pods': {}}
    for words in (line.split() for line in text.splitlines()):
        if words[0] == 'free':
            facts['free'][words[1]] = int(words[2])
        elif len(words) == 2:
            facts[words[0]] = int(words[1])
        else:
            pod = facts['pods'].setdefault(('' if words[1] == '-' else words[1], words[2]), dict(FIGURES))
            if words[0] == 'fragmentation':
                pod[words[0]] = max(pod[words[0]], float(words[3]))
            else:
                pod[words[0]] += int(words[3])
    return facts


def exporters_start(fleet, count, seconds, step, delay):
    """Recordings first: they begin at about the same time."""
    maker = os.path.join(BUILD, 'tests', 'bench', 'fleet_record')
    for node in range(1, count + 1):
        words = [maker, str(node), str(seconds), str(step), fleet.path('%d.cutop' % node)]
        fleet.facts[node] = facts_read(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
    bytes_all = sum(os.path.getsize(fleet.path('%d.cutop' % node)) for node in fleet.facts)
    progress('%d recordings of %d s, %.0f MB' % (count, seconds, bytes_all / 1e6))
    cutop = os.environ.get('CUTOP', os.path.join(BUILD, 'src', 'cutop'))
    for node in fleet.facts:
        fleet.exporters.append(fleet.start([cutop, '-b', '-v', '-d', str(delay), '--replay', fleet.path('%d.cutop' % node),
                                            '--listen', '127.0.0.1:0'], '%d.err' % node))
    for node in fleet.facts:
        until('exporter %d' % node, 60, lambda: address(fleet, node))
        fleet.nodes[address(fleet, node)] = node


def address(fleet, node):
    with open(fleet.path('%d.err' % node), encoding='utf-8') as stream:
        match = re.search(r'metrics are at http://(.*)/metrics', stream.read())
    return match and match.group(1)


def prometheus_start(fleet, interval, evaluation):
    with open(fleet.path('prometheus.yml'), 'w', encoding='utf-8') as out:
        out.write('global: {scrape_interval: %ds, evaluation_interval: %ds}\n' % (interval, evaluation))
        out.write("rule_files: ['%s']\nscrape_configs:\n  - job_name: cutop\n    static_configs: [{targets: %s}]\n" %
                  (RULES, json.dumps(list(fleet.nodes))))
    for _ in range(5):
        with __import__('socket').socket() as free:
            free.bind(('127.0.0.1', 0))
            port = free.getsockname()[1]
        child = fleet.start(['prometheus', '--config.file=' + fleet.path('prometheus.yml'), '--storage.tsdb.path=' + fleet.path('data'),
                             '--web.listen-address=127.0.0.1:%d' % port, '--log.level=warn'], 'prometheus.err')
        url = 'http://127.0.0.1:%d' % port
        while child.poll() is None:
            try:
                urllib.request.urlopen(url + '/-/ready', timeout=5).close()
                return child, url
            except OSError:
                time.sleep(0.2)
    with open(fleet.path('prometheus.err'), encoding='utf-8') as stream:
        sys.exit('fleet.py: Prometheus does not begin: %s' % stream.read())


def one(url, query):
    result = prometheus.ask(url, query)
    return float(result[0]['value'][1]) if result else 0.0


# ---- what it costs ----

def process_times(pid):
    """CPU seconds, and resident bytes."""
    with open('/proc/%d/stat' % pid, encoding='utf-8') as stream:
        words = stream.read().rsplit(')', 1)[1].split()
    ticks = os.sysconf('SC_CLK_TCK')
    return (int(words[11]) + int(words[12])) / ticks, int(words[21]) * os.sysconf('SC_PAGESIZE')


def own_metrics(url):
    with urllib.request.urlopen(url + '/metrics', timeout=20) as answer:
        return answer.read().decode()


def metric(text, name):
    values = [float(v) for v in re.findall(r'^%s(?:\{[^}]*\})? (\S+)$' % name, text, re.M)]
    return max(values) if values else math.nan


def fetch(instance):
    request = urllib.request.Request('http://%s/metrics' % instance)
    began = time.monotonic()
    with urllib.request.urlopen(request, timeout=60) as answer:
        size = len(answer.read())
    return size, time.monotonic() - began


def asked(url, query, is_range):
    """Seconds, samples that were looked at, series in the answer."""
    now = time.time()
    arguments = {'query': query, 'stats': 'all'}
    if is_range:
        arguments.update(start=now - 3600, end=now, step=15)
    else:
        arguments.update(time=now)
    whole = '%s/api/v1/query%s?%s' % (url, '_range' if is_range else '', urllib.parse.urlencode(arguments))
    began = time.monotonic()
    try:
        with urllib.request.urlopen(whole, timeout=180) as answer:
            text = answer.read()
    except OSError:  # Prometheus gives up after two minutes
        return time.monotonic() - began, -1, -1
    seconds = time.monotonic() - began
    data = json.loads(text)['data']
    return seconds, data['stats']['samples']['totalQueryableSamples'], len(data['result'])


def panels():
    """(row, panel, query, as a range) in the order of the dashboard, with everything chosen."""
    with open(BOARD, encoding='utf-8') as stream:
        board = json.load(stream)
    row = ''
    for panel in sorted(board['panels'], key=lambda p: (p['gridPos']['y'], p['gridPos']['x'])):
        if panel['type'] == 'row':
            row = panel['title']
        for target in panel.get('targets', []):
            query = target['expr'].replace('$__rate_interval', '1m').replace('$__range', '1h')
            yield row, panel['title'], re.sub(r'\$(instance|command|pod)', '.*', query), target.get('range', False)


def queries_measure(server, url):
    """
    Prometheus' CPU time includes what it scrapes meanwhile; the least of it is nearest to what the query takes. Samples
    and series -1: no answer.
    """
    print('\n| row | panel | sent as | median, s | worst | CPU, s | samples | series | over %g s |\n|---|---|---|---|---|---|---|---|---|' % SLOW)
    slow = []
    for row, panel, query, sent_as_range in panels():
        for is_range in [False, True] if sent_as_range else [False]:
            runs, cpu = [], []
            for _ in range(RUNS):
                before = process_times(server.pid)[0]
                runs.append(asked(url, query, is_range))
                cpu.append(process_times(server.pid)[0] - before)
                if runs[-1][0] > 20 * SLOW:
                    break
            times = [run[0] for run in runs]
            late = statistics.median(times) > SLOW
            mark = 'YES' if late else 'once' if max(times) > SLOW else ''
            print('| %s | %s | %s | %.3f | %.3f | %.2f | %d | %d | %s |' % (row.split(':')[0], panel, 'range' if is_range else 'instant',
                  statistics.median(times), max(times), min(cpu), runs[-1][1], runs[-1][2], mark), flush=True)
            if late and row.startswith('Fleet'):
                slow.append(panel)
    return slow


def bench(fleet, count, seconds):
    exporters_start(fleet, count, seconds, 15, 15)
    server, url = prometheus_start(fleet, 15, 15)
    until('all are scraped', 300, lambda: one(url, 'sum(max_over_time(up[5m]))') == count)
    progress('all were scraped; %d are up' % one(url, 'sum(up)'))
    first = time.monotonic()
    before = [process_times(child.pid) for child in fleet.exporters + [server]]
    samples = metric(own_metrics(url), 'prometheus_tsdb_head_samples_appended_total')
    time.sleep(120)
    span = time.monotonic() - first
    after = [process_times(child.pid) for child in fleet.exporters + [server]]
    text = own_metrics(url)
    samples = metric(text, 'prometheus_tsdb_head_samples_appended_total') - samples
    cpu = [100 * (b[0] - a[0]) / span for a, b in zip(before, after)]
    resident = [b[1] / 1e6 for b in after]
    per = [float(s['value'][1]) for s in prometheus.ask(url, 'scrape_samples_scraped')]
    sizes = [fetch(instance) for instance in list(fleet.nodes)[::max(1, count // 40)]]
    print('| | median | most |\n|---|---|---|')
    print('| series of an exporter | %d | %d |' % (statistics.median(per), max(per)))
    print('| a scrape, MB | %.2f | %.2f |' % (statistics.median(s[0] for s in sizes) / 1e6, max(s[0] for s in sizes) / 1e6))
    print('| a scrape alone, ms | %.1f | %.1f |' % (statistics.median(s[1] for s in sizes) * 1e3, max(s[1] for s in sizes) * 1e3))
    print("| a scrape beside the others, ms (Prometheus' own measure) | %.1f | %.1f (99 of 100: %.1f) |" % tuple(
        1e3 * one(url, 'quantile(%g, max_over_time(scrape_duration_seconds[2m]))' % q) for q in (0.5, 1, 0.99)))
    print('| CPU of an exporter, %% of a core | %.2f | %.2f |' % (statistics.median(cpu[:-1]), max(cpu[:-1])))
    print('| resident memory of an exporter, MB | %.1f | %.1f |' % (statistics.median(resident[:-1]), max(resident[:-1])))
    print('\n| of Prometheus | |\n|---|---|')
    print('| exporters up | %d of %d |' % (one(url, 'sum(up)'), count))
    print('| scrapes that failed in two minutes, %% | %.1f |' % (100 * (1 - one(url, 'avg(avg_over_time(up[2m]))'))))
    print('| load of the machine, one minute, and cores | %.1f, %d |' % (os.getloadavg()[0], os.cpu_count()))
    print('| series, all | %d |' % metric(text, 'prometheus_tsdb_head_series'))
    print('| of these recorded by the rules | %d |' % one(url, 'count({__name__=~"cutop:.+"})'))
    for result in sorted(prometheus.ask(url, 'count by (__name__) ({__name__=~"cutop:.+"})'), key=lambda r: r['metric']['__name__']):
        print('| - %s | %s |' % (result['metric']['__name__'], result['value'][1]))
    print('| samples per second | %d |' % (samples / span))
    print('| CPU, %% of a core | %.0f |' % cpu[-1])
    print('| resident memory, MB | %.0f |' % resident[-1])
    for group in ('cutop', 'cutop-fleet'):
        print('| evaluating the group %s, s | %.3f |' % (group, metric(text, r'prometheus_rule_group_last_duration_seconds\{rule_group="[^"]*;%s"\}' % group)))
    for name in ('memory_live_bytes', 'memory_suspect_bytes', 'allocator_fragmentation_ratio', 'allocator_out_of_memory_total'):
        print('| series of cutop_process_%s | %d |' % (name, one(url, 'count(cutop_process_%s)' % name)))
    slow = queries_measure(server, url)
    print('\nplayed for %d s of %d; exporters up at the end: %d' % (time.monotonic() - first, seconds, one(url, 'sum(up)')))
    if slow:
        sys.exit('fleet.py: over %g s: %s' % (SLOW, ', '.join(slow)))


# ---- what the queries say ----

class Check:
    def __init__(self, fleet, url):
        self.fleet, self.url, self.failed, self.count = fleet, url, 0, 0
        self.queries = {panel: [] for _, panel, _, _ in panels()}
        for row, panel, query, _ in panels():
            if row.startswith('Fleet'):
                self.queries[panel].append(query)

    def same(self, what, got, wanted):
        self.count += 1
        if got != wanted:
            self.failed += 1
            print('FAIL: %s: %r, not %r' % (what, got, wanted))

    def answer(self, panel, *labels, which=0):
        """[(node, labels..., value)] of a panel's query, by value."""
        result = [(self.fleet.nodes[s['metric']['instance']],) + tuple(s['metric'].get(name, '') for name in labels) +
                  (float(s['value'][1]),) for s in prometheus.ask(self.url, self.queries[panel][which])]
        return sorted(result, key=lambda line: -line[-1])

    def pods(self, figure):
        """[(node, pod, command, value)] of those that have some, by value."""
        lines = [(node,) + pod + (float(figures[figure]),) for node, facts in self.fleet.facts.items()
                 for pod, figures in facts['pods'].items() if figures[figure]]
        return sorted(lines, key=lambda line: -line[-1])

    def top(self, what, panel, figure, which=0, most=20):
        """Equal ones may come in any order, and be cut off anywhere."""
        got, wanted = self.answer(panel, 'pod', 'command', which=which), self.pods(figure)
        self.same('%s: how many' % what, len(got), min(most, len(wanted)))
        self.same('%s: values' % what, [line[-1] for line in got], [line[-1] for line in wanted[:most]])
        self.same('%s: what is not so' % what, [line for line in got if line not in wanted], [])


def check(fleet, count):
    seconds = 40
    exporters_start(fleet, count, seconds, 1, 1)
    _, url = prometheus_start(fleet, 1, 1)
    until('the recordings end', seconds + 60, lambda:
          one(url, 'count(cutop_snapshot_time_seconds - cutop_start_time_seconds >= %d)' % seconds) == count)
    ended = time.time()
    until('the rules have seen that', 30, lambda: one(url, 'min(timestamp(cutop:instance_snapshot_age_seconds))') > ended + 2)
    test = Check(fleet, url)
    test.same('no record was refused', one(url, 'sum(cutop_lost_total{cause="bad_records"})'), 0.0)
    test.same('running', one(url, 'sum(cutop_command_running_processes)'), float(sum(f['running'] for f in fleet.facts.values())))

    # What leaks rises by its rate in each step, from some step on: the first two windows tell nothing.
    rates = test.pods('rate')
    leaking = test.answer('Pods that leak most', 'pod', 'command')
    known = {line[:3]: line[3] for line in rates}
    test.same('who leaks most, in this order', [known.get(line[:3]) for line in leaking], [rate[3] for rate in rates[:10]])
    for line in leaking:
        steps = line[-1] / known.get(line[:3], 1)
        test.same('%s leaks its rate times the steps' % (line,), (steps == int(steps), 0.6 * seconds < steps <= seconds), (True, True))

    free = sorted(((node, device, float(left)) for node, facts in fleet.facts.items() for device, left in facts['free'].items()),
                  key=lambda line: line[-1])[:10]
    got = test.answer('Least VRAM left', 'device')[::-1]
    test.same('least VRAM left', [line[-1] for line in got], [line[-1] for line in free])
    test.same('on which device', got[:count], free[:count])

    got = test.answer('Most fragmented allocators', 'pod', 'command')
    known = {line[:3]: line[3] for line in test.pods('fragmentation')}
    test.same('fragmentation', ['%.5f' % line[3] for line in got], ['%.5f' % ratio for ratio in sorted(known.values())[:-11:-1]])
    test.same('of what', [line for line in got if abs(known.get(line[:3], -1) - line[3]) > 1e-5], [])

    test.top('out of memory', 'Out of memory, within an hour', 'oom')
    test.top('refused', 'Out of memory, within an hour', 'failed', which=1)
    test.top('left behind', 'Left behind, within an hour', 'leaked')
    test.same('all that was left behind', one(url, 'sum(cutop:pod_leaked_bytes:sum1h)'), sum(line[-1] for line in test.pods('leaked')))
    test.same('all requests without memory', one(url, 'sum(cutop:pod_out_of_memory:increase1h)'), sum(line[-1] for line in test.pods('oom')))

    losing = {node for node, facts in fleet.facts.items() if facts['lost']}
    got = test.answer('Machines that lose events')
    test.same('who loses events', {line[0] for line in got if line[1] > 0}, losing)
    test.same('they stand still', len(test.answer('Oldest figures')), min(10, count))
    for query in test.queries['VRAM of all machines']:
        test.same(query, one(url, query) > 0, True)

    # Bounded: pods and devices, whatever their processes are.
    pods = sum(len(facts['pods']) for facts in fleet.facts.values())
    for result in prometheus.ask(url, 'count by (__name__) ({__name__=~"cutop:.+"})'):
        name, series = result['metric']['__name__'], int(result['value'][1])
        most = 8 * count if 'device' in name else count if 'instance' in name else pods
        test.same('%s has at most %d series' % (name, most), series <= most, True)
    labels = {name for series in prometheus.ask(url, '{__name__=~"cutop:.+"}') for name in series['metric']}
    test.same('labels', sorted(labels), ['__name__', 'command', 'device', 'instance', 'pod'])
    print('%d checks, %d failed' % (test.count, test.failed))
    return test.failed


def main():
    words = sys.argv[1:]
    is_check = words[:1] == ['check']
    numbers = [int(word) for word in words[is_check:]]
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    fleet = Fleet()
    try:
        if is_check:
            sys.exit(bool(check(fleet, numbers[0])))
        bench(fleet, *(numbers + [200, 600][len(numbers):]))
    finally:
        fleet.close()


main()
