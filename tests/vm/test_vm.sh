#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian 12's own kernel, 6.1, in a virtual machine: neither session nor multi links, so that each function has a
# link of its own. The books have to be the same.
# shellcheck source=tests/vm/lib.sh
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/vm/lib.sh"

vm_run -t 900 -- test_attach_methods test_loading
