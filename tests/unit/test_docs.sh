#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --help, the man page and the completions name the same options, and say the same about them; the
# man page contains the program's tables unchanged (tables.c prints them).
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$(pwd)}"
: "${CUTOP:=$top_builddir/src/cutop}"
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
failed=0

options() {
	grep -o -E -- '--[a-z][a-z-]+' | sort -u
}

"$CUTOP" --help | sed -n 's/^  .\{0,4\} *\(--[a-z-]*\).*/\1/p' | options >"$T/help"
[ "$(wc -l <"$T/help")" -ge 20 ] || { echo "FAIL: --help names too few options"; failed=1; }
sed -n '/^\.SH OPTIONS/,/^\.SH WORDS/p' "$top_srcdir/man/cutop.8" | grep -A1 '^\.TP' | sed 's/\\-/-/g' |
	options >"$T/man"
sed -n "s/.*compgen -W '\(--[^']*\)'.*/\1/p" "$top_srcdir/completions/cutop.bash" | options >"$T/bash"
sed -n "s/.* -l \([a-z-]*\).*/--\1/p" "$top_srcdir/completions/cutop.fish" | options >"$T/fish"
grep "^	'" "$top_srcdir/completions/_cutop" | sed 's/\[.*//' | options >"$T/zsh"
for doc in man bash fish zsh; do
	if ! diff "$T/help" "$T/$doc" >"$T/diff"; then
		echo "FAIL: --help (<) and $doc (>) differ:"
		grep '^[<>]' "$T/diff"
		failed=1
	fi
done
# differ WHAT DOC: tells of it if the files WHAT and DOC do
differ() {
	if ! diff "$T/$1" "$T/$2" >"$T/diff"; then
		echo "FAIL: $1 (<) and $2 (>) differ:"
		grep '^[<>]' "$T/diff"
		failed=1
	fi
}

# What completions say of an option is what --help says of it; there it goes on in lines that are set in.
"$CUTOP" --help | awk '
	function tell() { if (name) print name "\t" text; name = "" }
	/^  (-.,|   ) --/ { tell(); match($0, /--[a-z-]+/); name = substr($0, RSTART, RLENGTH); text = substr($0, 32); next }
	name && substr($0, 1, 31) ~ /^ +$/ { text = text " " substr($0, 32); next }
	{ tell() }' | sort >"$T/said"
sed -n "s/.* -l \([a-z-]*\).* -d '\(.*\)'\$/--\1\t\2/p" "$top_srcdir/completions/cutop.fish" | sed "s/\\\\'/'/g" | sort >"$T/said-by-fish"
sed -n "s/^\t'[^[]*\(--[a-z-]*\)[^[a-z]*\[\(.*\)\][^]]*\$/\1\t\2/p" "$top_srcdir/completions/_cutop" | sed "s/'\\\\''/'/g; s/\\\\:/:/g" |
	sort >"$T/said-by-zsh"
[ "$(wc -l <"$T/said")" = "$(wc -l <"$T/help")" ] || { echo "FAIL: --help says nothing of some options"; failed=1; }
differ said said-by-fish
differ said said-by-zsh

# Keys, panes and columns: the tables that make the screen, and the man page.
"$top_builddir/tests/unit/tables" >"$T/tables"
of() {
	sed -n "s/^$1\t//p" "$T/tables"
}
plain() {
	sed "s/\\\\e/\\\\/g; s/\\\\-/-/g; s/\\\\(aq/'/g"
}
sed -n '/^\.SH KEYS/,/^\.SH COLUMNS/p' "$top_srcdir/man/cutop.8" | plain >"$T/man-text"
of key | cut -f1 | sort >"$T/keys"
grep -A1 '^\.TP' "$T/man-text" | sed -n 's/^\.B //p' | sort >"$T/man-keys"
[ "$(wc -l <"$T/keys")" -ge 30 ] || { echo "FAIL: there are too few keys"; failed=1; }
differ keys man-keys
of pane | sed 's/\t/: /; s/$/./' >"$T/panes"
grep -A1 '^\.B [0-9]$' "$T/man-text" | grep '^[A-Z]' >"$T/man-panes"
differ panes man-panes
sed -n '/^\.SH COLUMNS/,/^\.SH EXAMPLES/p' "$top_srcdir/man/cutop.8" | sed -n '/^\.nf/,/^\.fi/p' | plain |
	sed '/^\./d' >"$T/man-columns"
of column | awk -F '\t' '{ printf("%-12s %s\n", $1, $2) }' >"$T/columns"
of column | awk -F '\t' '$3 || $4 { printf("%-12s %-24s %s\n", $1, $3 ? $3 : "-", $4) }' | sed 's/ *$//' >>"$T/columns"
[ "$(wc -l <"$T/columns")" -ge 30 ] || { echo "FAIL: there are too few columns"; failed=1; }
differ columns man-columns

# The columns of each pane, in the order in which the man page has them, and what it says of each begins with the help's words;
# behind "size", which has two
# widths, stands its scale.
sed -n '/^\.SH PANES/,/^\.SH EXAMPLES/p' "$top_srcdir/man/cutop.8" |
	plain | awk '/^\.SS / { pane = substr($0, 5) } said { print said "\t" $0; said = "" }
		named { said = pane "\t" substr($0, 4) } { named = /^\.TP$/ }' >"$T/man-pane-columns"
of pane-column | awk -F '\t' '{ sub(/ 1[KM] .*/, "", $2); print $1 "\t" $2 "\t" toupper(substr($3, 1, 1)) substr($3, 2) "." }' | uniq \
	>"$T/pane-columns"
[ "$(wc -l <"$T/pane-columns")" -ge 40 ] || { echo "FAIL: there are too few columns of panes"; failed=1; }
differ pane-columns man-pane-columns

# The rules of findings: when each finds something, and why that matters.
sed -n '/^\.SH FINDINGS/,/^\.SH EVENTS/p' "$top_srcdir/man/cutop.8" | plain |
	awk 'name { print name "\t" $0 } { name = rule && /^\.B / ? substr($0, 4) : ""; rule = /^\.TP$/ }' >"$T/man-findings"
of finding | awk -F '\t' '{ print $1 "\t" toupper(substr($2, 1, 1)) substr($2, 2) ". " $3 }' >"$T/findings"
[ "$(wc -l <"$T/findings")" -ge 15 ] || { echo "FAIL: there are too few rules of findings"; failed=1; }
differ findings man-findings

# docs/troubleshooting.md has each check of doctor's; those of rights are named after capabilities.
sed -n 's/.*FOUND("\([a-z_]*\)".*/\1/p' "$top_srcdir/src/doctor/doctor_checks.c" | sort -u >"$T/checks"
[ "$(wc -l <"$T/checks")" -ge 20 ] || { echo "FAIL: there are too few checks of doctor's"; failed=1; }
while read -r name; do
	grep -q "^| \`$name\` |" "$top_srcdir/docs/troubleshooting.md" || { echo "FAIL: docs/troubleshooting.md lacks the check $name"; failed=1; }
done <"$T/checks"

# Formats and what folded stacks are weighed by: each has its word in the man page's text of the option.
sed -n '/^\.BR .*format/,/^\.BR .*output/p' "$top_srcdir/man/cutop.8" >"$T/man-formats"
for word in $(of format) $(of folded-by); do
	grep -qw "^\.BR* $word" "$T/man-formats" || { echo "FAIL: the man page does not speak of the format or weight $word"; failed=1; }
done
# What a device does by itself no host call shows: device-updatable nodes (cudaLaunchAttributeDeviceUpdatableKernelNode in
# driver_types.h, CUDA 13.0) and kernels that kernels launch. The man page says so, and calls no count of a graph exact.
sed -n '/^\.SH WHAT IT CANNOT SEE/,/^\.SH DO NO HARM/p' "$top_srcdir/man/cutop.8" | tr '\n' ' ' >"$T/unseen"
for what in 'device\\-updatable' 'dynamic parallelism'; do
	grep -q "$what" "$T/unseen" || { echo "FAIL: WHAT IT CANNOT SEE does not speak of $what"; failed=1; }
done
if sed -n '/^\.SH GRAPHS/,/^\.SH FLAME/p' "$top_srcdir/man/cutop.8" | grep 'counts are exact'; then
	echo "FAIL: no count of a graph is exact where nodes are device-updatable"
	failed=1
fi
[ $failed = 0 ] && echo "--help, man page and completions name the same $(wc -l <"$T/help") options"
exit $failed
