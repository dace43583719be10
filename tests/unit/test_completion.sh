#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash completes for cutop.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$(pwd)}"
: "${CUTOP:=$top_builddir/src/cutop}"
command -v bash >/dev/null || { echo "SKIP: needs bash"; exit 77; }
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
ln -s "$(realpath "$CUTOP")" "$T/cutop"
mkdir "$T/folder"
: >"$T/file"
failed=0

# offers EXPECTED WORDS...: what is proposed for the last of them, one behind the other
offers() {
	want=$1
	shift
	got=$(cd "$T" && PATH=$T:$PATH COMPLETION=$top_srcdir/completions/cutop.bash bash --norc --noprofile -c '
		. "$COMPLETION"
		complete -p cutop >/dev/null || exit
		COMP_WORDS=(cutop "$@") COMP_CWORD=$#
		_cutop
		echo ${COMPREPLY[@]}' completion "$@" 2>&1)
	[ "$got" = "$want" ] || { echo "FAIL: cutop $*: '$got', not '$want'"; failed=1; }
}

offers 'demo doctor record trace' ''
offers 'trace' tr
offers '--batch' --ba
offers '--top-kernels --trace --theme' --t
offers 'json' -f js
offers 'json' --format js
offers 'json' --format = js
offers 'text json csv folded openmetrics prometheus chrome' --format =
offers 'mono' demo --theme m
offers 'leaked' -s lea
offers 'live,leaked' -s live,lea
offers 'peak,live' -s peak,li
offers '' -s live,liv
offers 'copies' trace --calls cop
offers 'memory,copies' trace --calls memory,cop
offers 'file folder' -o f
offers 'folder' --config fo
offers 'root' --run-as roo
offers '' -d ''
offers 'file folder' -b -- cat f
[ $failed = 0 ] && echo "bash completes as it should"
exit $failed
