#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The container, really built by contrib/container/Containerfile, and run with what contrib/kubernetes/daemonset.yaml
# gives it and nothing more: it serves what a CUDA program of the machine does, outside of any container.
#
# CUTOP_IMAGE=NAME runs that image instead of building one. Where the image that it is built from cannot be pulled,
# debootstrap makes one.
CUTOP_TEST_LIMIT=${CUTOP_TEST_LIMIT:-2400}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# Docker before 23 knows no CAP_BPF.
command -v podman >/dev/null || skip "needs podman (Debian: apt install podman netavark crun)"
runtime=
# crun wants control groups of one version only.
if [ -d /sys/fs/cgroup/unified ] && command -v runc >/dev/null; then
	runtime='--runtime runc'
fi
engine() {
	# shellcheck disable=SC2086
	podman $runtime "$@"
}
# A root that may not raise limits is root, too.
limits="--ulimit=nofile=$(ulimit -Hn) --ulimit=nproc=4096"
podman info >/dev/null 2>&1 || skip "podman does not work here: $(podman info 2>&1 | tail -n 1)"
python3 -c 'import yaml' 2>/dev/null || skip "needs python3-yaml"

# ---- the image ----
image=${CUTOP_IMAGE:-}
if [ -z "$image" ]; then
	image=cutop-test
	base=$(sed -n 's/^ARG BASE=//p' "$top_srcdir/contrib/container/Containerfile")
	if ! engine image inspect "$base" >/dev/null 2>&1 && ! engine pull -q "$base" >"$T/pull" 2>&1; then
		base=cutop-test-base
		if ! engine image inspect "$base" >/dev/null 2>&1; then
			command -v debootstrap >/dev/null || skip "the base image cannot be pulled, and there is no debootstrap: $(tail -n 1 "$T/pull")"
			debootstrap --variant=minbase bookworm "$T/base" "${CUTOP_MIRROR:-http://deb.debian.org/debian}" >"$T/log" 2>&1 ||
				skip "no base image, and debootstrap fails: $(tail -n 1 "$T/log")"
			rm -f "$T"/base/var/cache/apt/archives/*.deb
			tar -c -C "$T/base" . | engine import - "$base" >"$T/log" || { fail "podman import"; finish; }
			rm -rf "$T/base"
		fi
		echo "the base image is made by debootstrap"
	fi
	# shellcheck disable=SC2086
	if ! engine build -q $limits --build-arg "BASE=$base" -f "$top_srcdir/contrib/container/Containerfile" -t "$image" "$top_srcdir" >"$T/log" 2>&1; then
		tail -n 20 "$T/log"
		fail "podman build"
		finish
	fi
	pass
fi
# Not what the machine has of a build, but what was built there.
# shellcheck disable=SC2086
check "the image's program is of another version" [ "$(engine run --rm $limits "$image" --version)" = "$("$CUTOP" --version)" ]

# ---- run as the manifest says ----
container=cutop-test-$$
undo() {
	engine rm -f "$container" >/dev/null 2>&1
}
trap 'undo; clean_up' EXIT

# The options of podman for the manifest, one per line.
python3 - "$top_srcdir/contrib/kubernetes/daemonset.yaml" >"$T/options" <<'END'
import sys, yaml
pod = yaml.safe_load(open(sys.argv[1]))['spec']['template']
spec, notes = pod['spec'], pod['metadata']['annotations']
box, = spec['containers']
rights = box['securityContext']
out = ['--user=%d' % rights['runAsUser'], '--memory=' + box['resources']['limits']['memory'].replace('Gi', 'g')]
out += ['--cap-drop=' + c for c in rights['capabilities']['drop']] + ['--cap-add=' + c for c in rights['capabilities']['add']]
assert rights['privileged'] is False and rights['readOnlyRootFilesystem'] is True and spec['hostPID'] is True
out += ['--read-only', '--pid=host']
if not rights['allowPrivilegeEscalation']:
    out.append('--security-opt=no-new-privileges')
if notes['container.apparmor.security.beta.kubernetes.io/' + box['name']] == 'unconfined':
    out.append('--security-opt=apparmor=unconfined')
if rights['seccompProfile']['type'] == 'Unconfined':
    out.append('--security-opt=seccomp=unconfined')
out.append('--publish=127.0.0.1::%d' % box['ports'][0]['containerPort'])
print('\n'.join(out))
END
python3 - "$top_srcdir/contrib/kubernetes/daemonset.yaml" >"$T/arguments" <<'END'
import sys, yaml
print('\n'.join(yaml.safe_load(open(sys.argv[1]))['spec']['template']['spec']['containers'][0]['args']))
END
check "the manifest drops all and adds four" [ "$(grep -c '^--cap' "$T/options")" = 5 ]

# begin [MORE OPTIONS]: true if it answers that it is healthy
begin() {
	engine rm -f "$container" >/dev/null 2>&1
	# shellcheck disable=SC2046,SC2086
	engine run -d --name "$container" $limits "$@" $(cat "$T/options") "$image" $(cat "$T/arguments") >"$T/log" 2>&1 || return 1
	address=$(engine port "$container" 9400/tcp)
	wait_for 60 healthy
}
healthy() {
	code=$(curl -s -m 5 -o "$T/health" -w '%{http_code}' "http://$address/healthz") && [ "$code" = 200 ] && return 0
	# One that ended does not get well.
	[ "$(engine inspect -f '{{.State.Running}}' "$container" 2>/dev/null)" = false ] && tries=1
	return 1
}
if ! begin; then
	# daemonset.yaml speaks of that: profiles older than the capability know only CAP_SYS_ADMIN.
	echo "not with this runtime's own seccomp profile: $(engine logs "$container" 2>&1 | tail -n 1)"
	engine logs "$container" >"$T/logs" 2>&1
	check "cutop says what forbids it: $(cat "$T/logs")" grep -q 'seccomp filter is in force' "$T/logs"
	begin --security-opt=seccomp=unconfined || { fail "it does not run: $(cat "$T/log"; engine logs "$container" 2>&1)"; finish; }
fi
echo "healthz: $(cat "$T/health")"
pid=$(engine inspect -f '{{.State.Pid}}' "$container")
check "its capabilities: $(grep CapEff "/proc/$pid/status")" grep -qx "CapEff:	000000c000080004" "/proc/$pid/status"
check "it can get none" grep -qx "NoNewPrivs:	1" "/proc/$pid/status"

# ---- programs of the machine ----
private_double "$T/double"
cp "$workload" "$T/early"
cp "$workload" "$T/outside"
# scraped REGEX: until a line of the metrics matches
scraped() {
	for _ in $(seq 40); do
		curl -s -m 10 "http://$address/metrics" >"$T/metrics" && grep -q "$1" "$T/metrics" && return 0
		sleep 0.5
	done
	return 1
}
# The first makes its library known, which lies where nobody could know it ahead.
LD_LIBRARY_PATH=$T/double "$T/early" loop 60 >/dev/null 2>&1 &
check "a program that runs is seen" scraped '^cutop_process_launches_total{.*command="early".*} [1-9]'
check "the program ends well" sh -c "LD_LIBRARY_PATH='$T/double' '$T/outside' launches 1000 >/dev/null"
check "its launches: $(engine logs "$container" 2>&1 | tail -n 5)" scraped '^cutop_process_launches_total{.*command="outside".*} 1000$'
grep '^cutop_process_launches_total{.*command="outside"' "$T/metrics"
engine logs "$container" >"$T/logs" 2>&1
check "nothing lost" sh -c "! grep '^cutop_lost_total.* [1-9]' '$T/metrics'"
check "libraries that running programs load are seen" sh -c "! grep 'are not seen' '$T/logs'"
engine stop -t 20 "$container" >/dev/null
status=$(engine inspect -f '{{.State.ExitCode}}' "$container")
check "it ends by SIGTERM: $status" [ "$status" = 143 ]
finish
