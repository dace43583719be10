#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A made-up cluster of five machines, whose recordings are played, served, and scraped by a Prometheus with
# the recording rules: what the dashboard's fleet asks is answered as it was put into the recordings, for
# pods, devices and machines, and the rules have no more series than there are of these.
# shellcheck source=tests/e2e/lib.sh disable=SC2317
. "$(dirname "$0")/lib.sh"
command -v prometheus >/dev/null || skip "needs prometheus (Debian: apt install --no-install-recommends prometheus)"
command -v python3 >/dev/null || skip "needs python3"
[ -x "$top_builddir/tests/bench/fleet_record" ] || skip "the benches are not built (make check-long does that)"
fleet="python3 $top_srcdir/tests/bench/fleet.py"
export CUTOP top_builddir
TMPDIR=$T
export TMPDIR
is_there() {
	pgrep -f "$T/cutop-fleet" >/dev/null
}
# The process that makes names readable ends after its exporter.
is_gone() {
	! is_there
}
$fleet check 5 >"$T/fleet.out" 2>&1
status=$?
cat "$T/fleet.out"
check "the fleet's figures" [ "$status" = 0 ]
check "they were looked at" grep -q '^[4-9][0-9] checks, 0 failed$' "$T/fleet.out"
check "none of it still runs" wait_for 10 is_gone

# ---- interrupted ----
$fleet check 3 >"$T/fleet.out" 2>&1 &
fleet=$!
wait_for 60 is_there || fail "it does not begin: $(cat "$T/fleet.out")"
kill -TERM "$fleet"
wait "$fleet"
check "interrupted, none of it still runs" wait_for 10 is_gone
check "its files are gone" [ -z "$(find "$T" -name 'cutop-fleet*')" ]
finish
