#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# slowest.sh [N]: the N (20) tests that took longest when they last ran in this build folder, in seconds. A test's log is
# made when it begins, and its result is written when it ends.
for result in tests/*/*.trs; do
	log=${result%.trs}.log
	begun=$(stat -c %W "$log" 2>/dev/null) && ended=$(stat -c %Y "$result" 2>/dev/null) || continue
	# A file system that does not know when a file was made says 0.
	[ "$begun" -gt 0 ] && echo "$((ended - begun)) ${result%.trs}"
done | sort -rn | head -n "${1:-20}"
