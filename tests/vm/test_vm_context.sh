#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux 7, from the backports of Debian 13, in a virtual machine: sessions there have what cutop reads of them.
# shellcheck source=tests/vm/lib.sh
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/vm/lib.sh"

vm_run -s trixie-backports -t 800 -- test_basics test_loading
