#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Replaces the unit tests if configure did not find Check, so that a run without them does not pass.
echo "FAIL: this build was configured without Check, so it has no unit tests."
echo "Install Check (Debian: apt install check), then run ./config.status --recheck && ./config.status, or contrib/setup check."
exit 1
