#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tarball of make portable: it needs nothing but glibc, of the version that it says, holds what it is to hold and
# nothing of the place where it was built, and runs where it was unpacked, with an empty environment, in a folder where
# there is nothing else. make portable builds it first, unless $CUTOP_PORTABLE names one.
CUTOP_TEST_LIMIT=${CUTOP_TEST_LIMIT:-3600}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
for tool in unshare tmux; do
	command -v $tool >/dev/null || skip "needs $tool (Debian: apt install util-linux tmux)"
done
# shellcheck source=tests/e2e/tarball.sh
. "$(dirname "$0")/tarball.sh"
tarball_build "$(uname -m)"
tarball_check

# ---- the unit ----
if command -v systemd-analyze >/dev/null; then
	sed "s,/usr/local/bin/cutop,$top/bin/cutop," "$top/lib/systemd/system/cutop.service" >"$T/cutop.service"
	systemd-analyze verify --man=no "$T/cutop.service" >"$T/verify" 2>&1
	check "systemd does not take the unit: $(cat "$T/verify")" [ $? = 0 ]
	check "systemd says of the unit: $(cat "$T/verify")" [ ! -s "$T/verify" ]
else
	echo "no systemd-analyze: the unit is not verified"
fi

# ---- it runs there ----
version=$(env -i "$top/bin/cutop" --version)
check "its version: $version" [ "$version" = "$("$CUTOP" --version)" ]
# The shared libraries that it may use, and nothing else: no descriptions of terminals, no users, no copy that is installed.
libraries_below "$T/root" "$top/bin/cutop"
mkdir -p "$T/root/proc" "$T/root/sys" "$T/root/dev" "$T/root/tmp"
at="/any where/$(basename "$top")"
cat >"$T/inside" <<'END'
root=$1 TERM=$2
shift 2
mount --rbind /proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" || exit
exec env -i TERM="$TERM" "$(command -v chroot)" "$root" "$@"
END
# inside TERMINAL COMMAND...
inside() {
	unshare -m --propagation private sh "$T/inside" "$T/root" "$@"
}
inside dumb "$at/bin/cutop" doctor >"$T/doctor" 2>&1
check "doctor: $(cat "$T/doctor")" [ $? = 0 ]
inside dumb "$at/bin/cutop" -b -f json -n 1 -d 3 demo >"$T/demo.out" 2>"$T/demo.err"
check "the demonstration: $(cat "$T/demo.err")" [ $? = 0 ]
tail -n 1 "$T/demo.out" >"$T/demo.json"
check "it is no recording: $(cat "$T/demo.err")" sh -c "! grep 'from a recording' '$T/demo.err'"
expect_lost_none demo
expect demo '[.processes[].kernels[].launches] | add > 0' true
expect demo '.processes | length > 3' true
echo "launches in an empty root: $(jq '[.processes[].kernels[].launches] | add' "$T/demo.json")"
# Terminals that nobody describes there but cutop itself.
for terminal in xterm xterm-256color tmux-256color screen linux vt100; do
	mux new-session -d -s t -x 110 -y 30 "unshare -m --propagation private sh '$T/inside' '$T/root' $terminal '$at/bin/cutop' demo 2>&1; sleep 60"
	check "the screen on a terminal $terminal" see 'trainer'
	mux kill-session -t t
done
finish
