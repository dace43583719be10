#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kernel.sh VERSION - the core of the tests in a virtual machine with a kernel of this series, from a package of Debian or
# Ubuntu that has it; made for .github/workflows/ci.yml, and for trying one by hand. kernel.sh list prints what is known.
#
# Exit status 77, with the reason, where no mirror has the kernel or it cannot be fetched.
#
# version  suite of Debian or Ubuntu   package               seconds   probes there
kernels='
5.15       jammy                       linux-image-generic   300       refused
6.1        bookworm                    linux-image-cloud-amd64 900     perf
6.6        -                           -                     -         multi
6.8        noble                       linux-image-generic   1200      multi
6.12       bookworm-backports          linux-image-cloud-amd64 900     multi
newest     trixie-backports            linux-image-cloud-amd64 900     session'
if [ "${1:-}" = list ]; then
	awk 'NF { print $1 }' <<<"$kernels"
	exit
fi
read -r suite package seconds method <<<"$(awk -v version="${1:-}" '$1 == version { print $2, $3, $4, $5 }' <<<"$kernels")"
if [ -z "$suite" ]; then
	echo "usage: kernel.sh $(awk 'NF { print $1 }' <<<"$kernels" | paste -sd '|' -)|list" >&2
	exit 2
fi
if [ "$suite" = - ]; then
	# Debian's backports had it until 6.12 came; 6.8 and 6.12 are used in the same way.
	echo "SKIP: no suite of Debian or Ubuntu has Linux $1"
	exit 77
fi
# shellcheck source=tests/vm/lib.sh
. "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}/tests/vm/lib.sh"
if [ "$method" = refused ]; then
	echo "Linux $1: $package of $suite; too old, which cutop has to say"
	# shellcheck disable=SC2016
	exec bash "$top_srcdir/tests/vm/run-vm.sh" -m 1024 -s "$suite" -k "$package" -t "$seconds" -f "${top_builddir:-.}/src/cutop:/t/cutop" -- '
		uname -r
		/t/cutop -b -n 1 2>&1 | grep "is too old; cutop needs Linux 6.1 or newer" &&
			/t/cutop doctor | grep "use Linux 6.1 or newer"'
fi
echo "Linux $1: $package of $suite; probes by $method links"
vm_run -s "$suite" -k "$package" -t "$seconds" -- test_basics
