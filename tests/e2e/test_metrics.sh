#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Metrics: the two formats by a strict reader and by promtool, files that are
# replaced, the server and those who treat it badly.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli.sh
. "$(dirname "$0")/cli.sh"
command -v python3 >/dev/null || skip "needs python3"
metrics="python3 $top_srcdir/tests/e2e/metrics.py"

# The value of the series $2 in the file $1.
value() {
	awk -v s="$2" 'index($0, s " ") == 1 { print $NF }' "$1"
}

# The sum of a metric of processes named workload.
sum() {
	awk -v s="$2{" 'index($0, s) == 1 && /,command="workload"/ { n += $NF } END { print n + 0 }' "$1"
}

expect_value() {
	got=$(value "$1" "$2")
	check "$2 is '$got', not $3" [ "$got" = "$3" ]
}

# ---- a snapshot on standard output ----
"$CUTOP" -b -f openmetrics -n 1 -- "$workload" case-study leak >"$T/leak.all" 2>"$T/err"
check "with COMMAND: status" [ $? = 0 ]
sed -n '/^# HELP cutop_build/,$p' "$T/leak.all" >"$T/leak.om"
check "OpenMetrics is well formed" $metrics parse openmetrics "$T/leak.om"
pid=$(sed -n 's/^cutop_process_running{pid="\([0-9]*\)".*/\1/p' "$T/leak.om")
who="pid=\"$pid\",command=\"workload\",user=\"root\""
expect_value "$T/leak.om" "cutop_process_memory_leaked_bytes{$who,device=\"0\"}" 8000000
expect_value "$T/leak.om" "cutop_process_memory_peak_bytes{$who,device=\"0\"}" 24000000
expect_value "$T/leak.om" "cutop_process_memory_live_bytes{$who,device=\"0\"}" 0
expect_value "$T/leak.om" "cutop_process_allocations_total{$who}" 3
expect_value "$T/leak.om" "cutop_process_frees_total{$who}" 2
check "the call site that leaks" grep -q "^cutop_process_site_leaked_bytes{$who,site=\"[^\"]*workload[^\"]*\"} 8000000" "$T/leak.om"

# ---- a file, replaced as a whole ----
"$CUTOP" -b -f openmetrics -d 0.05 -n 20 -o "$T/file.om" 2>"$T/err" &
writer=$!
wait_for 20 [ -s "$T/file.om" ] || fail "no file: $(cat "$T/err")"
parts=0
while kill -0 "$writer" 2>/dev/null; do
	[ "$(tail -n 1 "$T/file.om")" = '# EOF' ] || parts=$((parts + 1))
done
check "a reader found a part of the file $parts times" [ $parts = 0 ]
wait "$writer"
check "no temporary file stays" [ "$(find "$T" -name 'file.om*' | wc -l)" = 1 ]
check "others may read it" [ "$(stat -c %a "$T/file.om")" = "$(umask -S | awk -F'[=,]' '{ print "6" ($4 ~ /r/ ? 4 : 0) ($6 ~ /r/ ? 4 : 0) }')" ]
ln -s file.om "$T/link.om"
rm "$T/file.om"
echo old >"$T/file.om"
chmod 640 "$T/file.om"
"$CUTOP" -b -f prometheus -n 1 -d 0.05 -o "$T/link.om" 2>"$T/err"
check "a link stays a link" [ -L "$T/link.om" ]
check "what it leads to is new, with its old rights" [ "$(stat -c %a "$T/file.om")" = 640 ]
check "the text format is well formed" $metrics parse prometheus "$T/file.om"
ln -s later.om "$T/early.om"
"$CUTOP" -b -f prometheus -n 1 -d 0.05 -o "$T/early.om" 2>"$T/err"
check "a link to what is not there yet stays one" [ -L "$T/early.om" ]
check "and is followed" $metrics parse prometheus "$T/later.om"
run full -b -f openmetrics -n 1 -d 0.05 -o /dev/full
expect_status full 1
expect_line full 'cannot write /dev/full: No space left'
run null -b -f openmetrics -n 1 -d 0.05 -o /dev/null
expect_status null 0
check "/dev/null is none that is replaced" [ -c /dev/null ]
refused 1 'cannot write /nonexistent/x.prom: No such file' -b -f prometheus -o /nonexistent/x.prom

# ---- the server ----
own_user 61348
"$CUTOP" -b -v --listen 0 -d 0.1 --top-kernels 1 -u "$own_uid" --library "$own_lib" >"$T/server.out" 2>"$T/server.err" &
server=$!
address() {
	url=$(sed -n 's/^cutop: metrics are at //p' "$1")
	[ -n "$url" ]
}
wait_for 20 address "$T/server.err" || fail "not served: $(cat "$T/server.err")"
port=${url%/metrics}
port=${port##*:}
base=${url%/metrics}
get() {
	curl -s -m 20 "$@" "$url"
}
served() {
	[ "$(curl -s -m 20 -o /dev/null -w '%{http_code}' "$base/$1")" = "$2" ]
}
if command -v curl >/dev/null; then
	wait_for 20 served healthz 200 || fail "/healthz: $(curl -s "$base/healthz")"
	check "/" served '' 200
	check "/nothing" served nothing 404
	check "a POST is refused" [ "$(get -o /dev/null -w '%{http_code}' -d x)" = 405 ]
	check "HEAD" [ "$(get -I -o /dev/null -w '%{http_code} %{size_download}')" = '200 0' ]
	check "OpenMetrics, whatever a client accepts" [ "$(get -o /dev/null -w '%{content_type}' -H 'Accept: text/plain')" = 'application/openmetrics-text; version=1.0.0; charset=utf-8' ]
	as_own "$workload" launches 1000 >/dev/null
	as_own "$workload" failures >/dev/null 2>&1
	ended() {
		get >"$T/now" && [ "$(grep -c '^cutop_process_running{.*,command="workload"' "$T/now")" = 2 ] &&
			[ "$(sum "$T/now" cutop_process_running)" = 0 ]
	}
	wait_for 20 ended || fail "two processes: $(grep running "$T/now")"
	check "launches of both" [ "$(sum "$T/now" cutop_process_launches_total)" = 1003 ]
	check "the kernel of most launches by name" grep -q 'kernel_launches_total{.*,kernel=".*"} ' "$T/now"
	get >"$T/om.1"
	as_own "$workload" case-study leak >/dev/null
	CUDA_DOUBLE_OOM_AT=1 as_own "$workload" launches 500 >/dev/null
	three() {
		get >"$T/om.2"
		[ "$(grep -c '^cutop_process_running{.*,command="workload"' "$T/om.2")" = 4 ]
	}
	wait_for 20 three || fail "four processes"
	check "well formed" $metrics parse openmetrics "$T/om.1"
	"$CUTOP" -b -f prometheus -n 1 -- "$workload" case-study leak 2>"$T/err" | sed -n '/^# HELP cutop_build/,$p' >"$T/text.1"
	check "in the older format, too" $metrics parse prometheus "$T/text.1"
	sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' "$T/text.1" >"$T/families"
	undescribed=$(while read -r family; do grep -q "\`$family\`" "$top_srcdir/docs/metrics.md" || echo "$family"; done <"$T/families")
	check "docs/metrics.md says nothing of: $undescribed" [ -z "$undescribed" ]
	check "no counter goes down" $metrics monotone "$T/om.1" "$T/om.2"
	if command -v promtool >/dev/null; then
		check "promtool: $(promtool check metrics <"$T/text.1" 2>&1)" promtool check metrics <"$T/text.1"
	else
		echo "no promtool (Debian: apt install prometheus): its check is left out"
	fi
else
	echo "no curl: what it would ask is left out"
	wait_for 20 $metrics attack 127.0.0.1 "$port" 2>/dev/null
fi
check "it stands what it is sent" $metrics attack 127.0.0.1 "$port"
check "nothing is printed unless asked for" [ ! -s "$T/server.out" ]

# ---- whose port it is ----
refused 1 "cannot listen on 127.0.0.1:$port: Address already in use" -b --listen "$port"
run inuse -b -v --listen "$port"
check "nothing was attached before" [ "$(wc -l <"$T/inuse.err")" = 1 ]
refused 1 "cannot listen on 192.0.2.1:$port: .*no such address" -b --listen "192.0.2.1:$port"
refused 2 'IPv6 address in brackets' -b --listen "::1:$port"
refused 2 '\[ADDR:\]PORT' -b --listen ":$port"
refused 2 'a port up to 65535' -b --listen 127.0.0.1:http
refused 2 "takes no --listen" doctor --listen 9400
kill -TERM "$server"
wait "$server"
check "ended by SIGTERM: $?" [ $? = 143 ]
check "the port is free again" python3 -c "import socket; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(('127.0.0.1', $port))"

# ---- IPv6, with COMMAND, and with a format ----
if [ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6; then
	"$CUTOP" -b -v --listen '[::1]:0' -f json -n 1 -- sh -c 'sleep 30 & wait' >"$T/six.out" 2>"$T/six.err" &
	server=$!
	wait_for 20 address "$T/six.err" || fail "IPv6: $(cat "$T/six.err")"
	check "an address in brackets: $url" [ "${url%:*}" = 'http://[::1]' ]
	port=${url%/metrics}
	check "IPv6 answers" $metrics wait ::1 "${port##*:}" 20 '' "$T/six"
	kill -TERM "$server"
	wait "$server"
	check "with -f it prints as well" grep -q '^{"schema"' "$T/six.out"
else
	echo "this machine has no IPv6: left out"
fi
finish
