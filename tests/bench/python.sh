#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What Python's frames add to an allocation: cutop with them, to cutop with --no-python, under every interpreter at hand; and
# in a program that has none, where it has to be nothing.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

calls=${CALLS:-20000}
here=$(cd "$(dirname "$0")" && pwd)
load=$build/tests/bench/libpython_load.so
measured=
depths="2 5 10 20 32 64"

sh "$here/../python/interpreters.sh" | while read -r version root python; do
	[ "$root" = / ] || continue
	case " $measured " in
	*" $version "*) continue ;;	# another build of it
	esac
	measured="$measured $version"
	i=0
	while [ $i -lt "$rounds" ]; do
		# shellcheck disable=SC2086
		measure "$version-with" "$build/src/cutop" -b -l runtime -o /dev/null --library "$library" -- \
			"$python" "$here/python_load.py" "$load" "$calls" $depths
		# shellcheck disable=SC2086
		measure "$version-without" "$build/src/cutop" -b -l runtime -o /dev/null --library "$library" --no-python --stacks=never -- \
			"$python" "$here/python_load.py" "$load" "$calls" $depths
		i=$((i + 1))
	done
	case $version in
	3.8 | 3.9 | 3.10) goal=1500 ;;
	*) goal=800 ;;
	esac
	column=0
	line="$version"
	for depth in $depths; do
		column=$((column + 1))
		more=$(awk -v w="$(least "$version-with" $column)" -v o="$(least "$version-without" $column)" 'BEGIN { printf "%.0f", w - o }')
		line="$line $more"
		[ "$depth" = 10 ] && ten=$more
	done
	verdict=ok
	[ "$ten" -le "$goal" ] || verdict=MISSED
	echo "$line $(least "$version-without" 3) $goal $verdict" >>"$out/rows"
done

echo "ns that Python's frames add to an allocation and its free, by frames; least of $rounds rounds of $calls calls"
printf '%-8s %6s %6s %6s %6s %6s %6s   %12s  %s\n' version $depths "10 without" "to reach at 10"
while read -r version two five ten twenty thirty sixty without goal verdict; do
	printf '%-8s %6s %6s %6s %6s %6s %6s   %12s  <= %s %s\n' "$version" "$two" "$five" "$ten" "$twenty" "$thirty" "$sixty" "$without" "$goal" "$verdict"
done <"$out/rows"

i=0
while [ $i -lt "$rounds" ]; do
	measure c-with "$build/src/cutop" -b -l runtime -o /dev/null -- "$build/tests/bench/worker" 100000
	measure c-without "$build/src/cutop" -b -l runtime -o /dev/null --no-python -- "$build/tests/bench/worker" 100000
	i=$((i + 1))
done
awk -v w="$(least c-with 2)" -v o="$(least c-without 2)" 'BEGIN {
	printf "a program without Python, malloc + free: %.0f, with --no-python %.0f: %.2f  <= 1.02 %s\n", w, o, w / o, w / o <= 1.02 ? "ok" : "MISSED"
}'
