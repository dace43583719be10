#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What bash completes for cutop; and that bash, zsh and fish propose what options and the first word take.
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
offers '--top-kernels --top-sites --trace --tensor-sites --theme' --t
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

# What an option takes is what it says when it is given something else.
takes() {
	"$CUTOP" "$1" '?' 2>&1 | sed -n "s/.* takes \(.*\), not '?'.*/\1/p; s/.*; there are \(.*\); see .*/\1/p" |
		sed 's/ \(or\|and\) / /; s/,//g'
}

# proposes SHELL OPTION WANT GOT
proposes() {
	[ "$4" = "$3" ] || { echo "FAIL: $1 proposes '$4' for $2, not '$3'"; failed=1; }
}

# The table of themes, which the message does not come from; all else that is told comes from the tables that are read by.
[ "$(takes --theme)" = "$("$top_builddir/tests/unit/tables" | sed -n 's/^theme\t//p' | tr '\n' ' ' | sed 's/ $//')" ] ||
	{ echo "FAIL: --theme tells of other themes than there are"; failed=1; }
for option in --format --folded-by --layer --returns --color --theme; do
	want=$(takes $option)
	[ "$(echo "$want" | wc -w)" -ge 3 ] || { echo "FAIL: $option does not say what it takes: '$want'"; failed=1; }
	offers "$want" "$option" =
	proposes fish $option "$want" "$(sed -n "s/.* -l ${option#--} .* -a '\([^']*\)'.*/\1/p" "$top_srcdir/completions/cutop.fish")"
	proposes zsh $option "$want" "$(grep -e "^	'[^[]*$option[^a-z-]" "$top_srcdir/completions/_cutop" | sed -n "s/.*:(\(.*\))'.*/\1/p")"
done
modes=$("$CUTOP" --help | sed -n 's/^       cutop \([a-z]*\) .*/\1/p' | sort | tr '\n' ' ' | sed 's/ $//')
offers "$modes" ''
proposes fish 'the first word' "$modes" "$(sed -n 's/.*__fish_is_first_token -a \([a-z]*\) .*/\1/p' "$top_srcdir/completions/cutop.fish" |
	sort | tr '\n' ' ' | sed 's/ $//')"
proposes zsh 'the first word' "$modes" "$(sed -n 's/.*:mode:((\(.*\))).*/\1/p' "$top_srcdir/completions/_cutop" |
	sed 's/\([a-z]*\)\\:"[^"]*"/\1/g' | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')"
[ $failed = 0 ] && echo "bash completes as it should"
exit $failed
