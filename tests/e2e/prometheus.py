#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks a Prometheus through its HTTP API.

prometheus.py value URL QUERY             the one value of QUERY; nothing if there is no series
prometheus.py wait URL SECONDS QUERY      until QUERY has a result
prometheus.py all URL DASHBOARD RULES     every query of the dashboard and of the rules is answered, with data;
                                          of an alert, what it compares to its thresholds
"""
import json
import re
import sys
import time
import urllib.parse
import urllib.request

# No workload makes these; they are asked, and may be empty.
MAY_BE_EMPTY = re.compile(r'graph_launches')


def ask(url, query):
    whole = url + '/api/v1/query?' + urllib.parse.urlencode({'query': query})
    try:
        with urllib.request.urlopen(whole, timeout=60) as answer:
            return json.load(answer)['data']['result']
    except urllib.error.HTTPError as error:
        sys.exit('%s: %s' % (query, json.load(error).get('error')))


def series(url, matcher, label):
    whole = url + '/api/v1/label/%s/values?' % label + urllib.parse.urlencode({'match[]': matcher})
    with urllib.request.urlopen(whole, timeout=20) as answer:
        return json.load(answer)['data']


def filled(query):
    """A dashboard's query as Grafana would send it, with everything chosen."""
    query = query.replace('$__rate_interval', '30s').replace('$__range', '5m')
    return re.sub(r'\$(instance|command|pod)', '.*', query)


def dashboard(path):
    with open(path, encoding='utf-8') as stream:
        board = json.load(stream)
    ids = [panel['id'] for panel in board['panels']]
    assert len(ids) == len(set(ids)), 'two panels of one id'
    variables = {v['name'] for v in board['templating']['list']}
    for panel in board['panels']:
        for target in panel.get('targets', []):
            used = set(re.findall(r'\$\{?([a-z]\w*)', target['expr'] + panel['datasource']['uid']))
            assert used <= variables, 'unknown variables: %s' % (used - variables)
            yield panel['title'], filled(target['expr'])


def rules(path):
    """The alerts' expressions, and what is recorded. No YAML reader is needed for a file that promtool has checked."""
    with open(path, encoding='utf-8') as stream:
        text = stream.read()
    for name, query in re.findall(r'- alert: (\w+)\n\s+expr: (.+)\n', text):
        yield name, re.sub(r' (>|==) [0-9.]+', '', query)
    for name in re.findall(r'- record: (\S+)\n', text):
        yield name, name


def every(url, board, alerts):
    failed = 0
    queries = list(dashboard(board)) + list(rules(alerts))
    for title, query in queries:
        if not ask(url, query) and not MAY_BE_EMPTY.search(query):
            print('no data: %s: %s' % (title, query))
            failed += 1
    with open(board, encoding='utf-8') as stream:
        for variable in json.load(stream)['templating']['list']:
            match = re.match(r'label_values\((.*), (\w+)\)', variable.get('definition', ''))
            if match and match.group(2) != 'pod' and not series(url, filled(match.group(1)), match.group(2)):
                print('no values: %s' % variable['name'])
                failed += 1
    print('%d queries, %d without data' % (len(queries), failed))
    sys.exit(bool(failed))


def main():
    what, url, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    if what == 'all':
        every(url, *rest)
    if what == 'wait':
        end = time.monotonic() + float(rest[0])
        while not ask(url, rest[1]):
            if time.monotonic() > end:
                sys.exit('nothing for %s' % rest[1])
            time.sleep(0.5)
        return
    result = ask(url, rest[0])
    if len(result) > 1:
        sys.exit('%d series for %s' % (len(result), rest[0]))
    if result:
        print(result[0]['value'][1])


if __name__ == '__main__':
    main()
