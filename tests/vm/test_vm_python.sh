#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian 12's own kernel, 6.1, in a virtual machine, where cutop has neither session nor multi links: the lines of Python
# programs.
# shellcheck source=tests/vm/lib.sh
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/vm/lib.sh"

# This machine's Python, with as much of its library as is imported there.
python=$(readlink -f /usr/bin/python3)
library=/usr/lib/${python##*/}
[ -d "$library" ] || {
	echo "no Python of Debian's here"
	exit 77
}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
(cd "$library" && find . \( -name test -o -name __pycache__ -o -name idlelib -o -name lib2to3 -o -name 'config-*' \) -prune \
	-o -type f -print0 | tar -c --null -T - -f -) | tar -x -C "$stage"
vm_verifier=	# test_vm.sh has it
vm_run -t 900 -f "$python" -f "$python:/usr/bin/python3" -f "$stage:$library" -f "$top_srcdir/tests/python:/t/src/tests/python" -- test_python
