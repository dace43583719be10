#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 6.12, from the backports of Debian 12, in a virtual machine: multi links, but none that chooses its returns, and
# return probes that are a system call.
# shellcheck source=tests/vm/lib.sh
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/vm/lib.sh"

vm_run -s bookworm-backports -t 900 -- test_basics test_loading
