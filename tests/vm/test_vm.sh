#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian 12's own kernel, 6.1, in a virtual machine: neither session nor multi links, so that a helper process holds a
# link per function. The books have to be the same, and the lines of Python programs.
# shellcheck source=tests/vm/lib.sh
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/vm/lib.sh"

# This machine's Python, with as much of its library as is imported there.
python=$(readlink -f /usr/bin/python3)
options=() names=(test_attach_methods test_basics test_loading)
if [ -d "/usr/lib/${python##*/}" ]; then
	stage=$(mktemp -d)
	trap 'rm -rf "$stage"' EXIT
	(cd "/usr/lib/${python##*/}" && find . \( -name test -o -name __pycache__ -o -name idlelib -o -name lib2to3 -o -name 'config-*' \) -prune \
		-o -type f -print0 | tar -c --null -T - -f -) | tar -x -C "$stage"
	options+=(-f "$python" -f "$python:/usr/bin/python3" -f "$stage:/usr/lib/${python##*/}" -f "$top_srcdir/tests/python:/t/src/tests/python")
	names+=(test_python)
else
	echo "no Python of Debian's here: its lines are not tried" >&2
fi
vm_run -t 900 "${options[@]}" -- "${names[@]}"
