#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cutop under the rights that its systemd unit gives it, and nothing more: it
# counts what others do. Where they are: systemd-analyze's opinion of the
# unit, the manifests, and the container's list of libraries.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/cli.sh
. "$(dirname "$0")/cli.sh"
unit=$top_builddir/contrib/systemd/cutop.service
command -v setpriv >/dev/null || skip "needs setpriv (Debian: apt install util-linux)"
command -v python3 >/dev/null || skip "needs python3"

# ---- what the unit says ----
check "no placeholder is left in the unit" sh -c "! grep -n '@[a-z]*@' '$unit'"
if command -v systemd-analyze >/dev/null && systemd-analyze security --help 2>/dev/null | grep -q offline; then
	check "the unit is exposed: $(systemd-analyze security --offline=yes --no-pager "$unit" 2>&1 | tail -n 1)" \
		sh -c "systemd-analyze security --offline=yes --threshold=30 --no-pager '$unit' >/dev/null 2>&1"
else
	echo "no systemd-analyze: its opinion of the unit is left out"
fi
grants() {
	sed -n "s/^$1=//p" "$unit" | tr 'A-Z ' 'a-z\n' | sed 's/^cap_/+/' | sort | paste -sd , -
}
caps=$(grants AmbientCapabilities)
check "the four capabilities: $caps" [ "$caps" = +bpf,+dac_read_search,+perfmon,+sys_ptrace ]
check "and none to be had beyond" [ "$caps" = "$(grants CapabilityBoundingSet)" ]

# ---- cutop under these rights ----
# A user of nobody's. The limits that only systemd can set are left out.
cat >"$T/serve.sh" <<END
exec setpriv --reuid 61350 --regid 61350 --clear-groups --no-new-privs --inh-caps=-all,$caps --ambient-caps=-all,$caps \\
	--bounding-set=-all,$caps "$CUTOP" -b -v --listen 127.0.0.1:0 -d 0.2 -u 61351
END
chmod a+rx "$T"
own_user 61351
# A library that nobody could know ahead, in a folder of others' that this user may not read.
chmod 700 "$T/own/lib"
chown -R 61351 "$T/own"
unshare -m sh "$T/serve.sh" >"$T/out" 2>"$T/err" &
server=$!
address() {
	url=$(sed -n 's/^cutop: metrics are at //p' "$T/err")
	[ -n "$url" ]
}
if ! wait_for 20 address; then
	fail "not served: $(cat "$T/err")"
	finish
fi
port=${url%/metrics}
port=${port##*:}
holds() {
	python3 "$top_srcdir/tests/e2e/metrics.py" wait 127.0.0.1 "$port" 90 "$1" "$T/now"
}
check "it answers" holds ''
rights() {
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$server/status"
}
check "it has no other capability: $(rights CapPrm) $(rights CapBnd)" [ "$(rights CapPrm) $(rights CapBnd)" = '000000c000080004 000000c000080004' ]
check "and can get none" [ "$(rights NoNewPrivs)" = 1 ]
check "libraries that running programs load are seen: $(cat "$T/err")" sh -c "! grep -q 'are not seen' '$T/err'"
# The first program makes the library known. It allocates nothing: a free between two functions' probes would be missed.
cp "$workload" "$T/own/early"
as_own "$T/own/early" hang 200000 >/dev/null 2>&1 &
found() {
	[ "$(grep -c "$T/own/lib/lib[a-z.]*so.* functions attached" "$T/err")" = 2 ]
}
wait_for 20 found
check "the libraries are found through the program: $(cat "$T/err")" found
as_own "$workload" launches 1000 >/dev/null
as_own "$workload" case-study leak >/dev/null
check "what was launched" holds 'cutop_calls_total{call="cudaLaunchKernel",layer="runtime"} 3000'
check "what leaked" grep -q '^cutop_process_memory_leaked_bytes{.*command="workload".*} 8000000$' "$T/now"
check "kernels by name" grep -q 'kernel_launches_total{.*kernel="vectorAdd"' "$T/now"
check "nothing lost" sh -c "! grep '^cutop_lost_total.* [1-9]' '$T/now'"
run wrong -b --listen 9400 --top-kernel
check "a wrong option ends with $status, which the unit tries again for ever" grep -q "^RestartPreventExitStatus=$status\$" "$unit"
kill -TERM "$server"
wait "$server"
check "it ends as the unit expects: $?" grep -q "^SuccessExitStatus=.*\b$?" "$unit"

# ---- the manifests ----
if python3 -c 'import yaml' 2>/dev/null; then
	check "the manifests" python3 - "$top_srcdir" <<'END'
import sys, yaml
top = sys.argv[1] + '/contrib/'
load = lambda name: yaml.safe_load(open(top + name))
daemon, monitor = load('kubernetes/daemonset.yaml'), load('kubernetes/podmonitor.yaml')
load('prometheus/cutop.rules.yml')
pod = daemon['spec']['template']['spec']
box = pod['containers'][0]
rights = box['securityContext']
assert pod['hostPID'] and not rights['privileged'] and not rights['allowPrivilegeEscalation']
assert rights['capabilities'] == {'drop': ['ALL'], 'add': ['BPF', 'PERFMON', 'SYS_PTRACE', 'DAC_READ_SEARCH']}
labels = daemon['spec']['template']['metadata']['labels']
assert daemon['spec']['selector']['matchLabels'] == labels == monitor['spec']['selector']['matchLabels']
port = box['ports'][0]
assert monitor['spec']['podMetricsEndpoints'][0]['port'] == port['name'] == box['livenessProbe']['httpGet']['port']
assert box['args'][-1].endswith(':%d' % port['containerPort'])
assert daemon['spec']['template']['metadata']['annotations']['prometheus.io/port'] == str(port['containerPort'])
assert 'volumeMounts' not in box and 'volumes' not in pod
END
else
	echo "no python3-yaml: the manifests are not read"
fi
file=$top_srcdir/contrib/container/Containerfile
check "the container builds by contrib/setup" grep -q 'contrib/setup build && make' "$file"
if command -v dpkg-query >/dev/null; then
	sed -n '/apt-get install/,/rm -rf/p' "$file" | grep -oE '\b(lib[a-z0-9-]+|zlib1g)\b' | grep -v '^lib$' | sort -u >"$T/listed"
	readelf -d "$CUTOP" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | while read -r library; do
		dpkg-query -S "*/$library" 2>/dev/null | sed -n "s/^\([^:]*\):[^ ]* .*linux-gnu\/$library\$/\1/p" | head -n 1
	done | grep -Ev '^(libc6|libgcc-s1|libasan[0-9]*|libubsan[0-9]*|libtsan[0-9]*)$' | sort -u >"$T/needed"
	if [ -s "$T/needed" ]; then
		check "the container has what cutop is linked to: $(comm -3 "$T/needed" "$T/listed" | paste -sd ' ' -)" cmp -s "$T/needed" "$T/listed"
	fi
fi
finish
