#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prometheus 2.42 (Debian 12): what the server scrapes as OpenMetrics, promtool of the same package cannot check: "check metrics" reads the
# older text format only, and refuses the types info, stateset and gaugehistogram with status 1. An exporter whose output it accepts must
# not use them, or be asked for the older format.
. "$(dirname "$0")/lib.sh"
package main/p/prometheus/prometheus_2.42.0+ds-5+deb12u1_amd64.deb 81d59a24fce84f7fbe97a45a4f2914b6a5881b5cd1db2a6a0e129e515e1a5f55
cd "$packages" || exit 1
cat >metrics <<-'END'
	# HELP library The library that is watched.
	# TYPE library info
	library_info{version="13.0"} 1
	# EOF
END
cat >serve.py <<-'END'
	import http.server

	class Metrics(http.server.BaseHTTPRequestHandler):
	    def do_GET(self):
	        body = open("metrics", "rb").read()
	        self.send_response(200)
	        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
	        self.send_header("Content-Length", str(len(body)))
	        self.end_headers()
	        self.wfile.write(body)

	    def log_message(self, *arguments):
	        pass

	server = http.server.HTTPServer(("127.0.0.1", 0), Metrics)
	print(server.server_port, flush=True)
	server.serve_forever()
END
mkfifo port
python3 serve.py >port &
exporter=$!
read -r port <port
own=$((port % 20000 + 30000))
printf '%s\n' 'scrape_configs: [{job_name: a, scrape_interval: 1s, static_configs: [{targets: ["127.0.0.1:'"$port"'"]}]}]' >config
usr/bin/prometheus --config.file=config --storage.tsdb.path=data --web.listen-address="127.0.0.1:$own" >log 2>&1 &
server=$!
trap 'kill $exporter $server; wait; rm -rf "$packages"' EXIT
seen=nothing
for i in $(seq 150); do
	seen=$(curl -fsS "http://127.0.0.1:$own/api/v1/query?query=library_info" 2>/dev/null | grep -o '"version":"13.0"') && break
	sleep 0.2
done
usr/bin/promtool --version | head -n 1
state "the server" "$seen" '"version":"13.0"'
said=$(usr/bin/promtool check metrics <metrics 2>&1)
state "promtool" "$? $(echo "$said" | grep -o 'unknown metric type "[a-z]*"')" '1 unknown metric type "info"'
finish
