#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program that registers 50,000 kernels before it launches twenty of them: all
# twenty have their names, the latest they were registered with, and exact
# counts, and nothing is lost.
. "${top_srcdir:-.}/tests/e2e/lib.sh"
registers=$top_builddir/tests/e2e/bin/registers
[ -x "$registers" ] || skip "the helpers are not built"

watch many --library "$double/libcudart.so.13" -- sh -c '"$1" 50000 20 && "$1" 50000 20' sh "$registers"
check "status $status: $(cat "$T/many.err")" [ "$status" = 0 ]
expect_nothing_lost many
split many first second
for name in first second; do
	expect $name 'p.kernels | length' 20
	expect $name '[p.kernels | sort_by(.name)[] | [.name, .launches]]' \
		"$(jq -nc '[range(20) | [("00000\(. * 2500)" | "kern_" + .[-6:]), . + 1]]')"
	expect $name '[p.kernels[] | .signature == .name + "(float*)"] | all' true
done

# A small ring is enough: registrations do not go through it.
watch small --ring-size 64K -- "$registers" 100000 20
check "status $status: $(cat "$T/small.err")" [ "$status" = 0 ]
expect_nothing_lost small
expect small '[p.kernels[].name | test("^kern_[0-9]{6}$")] | [length, all]' '[20,true]'

# As close as functions can lie: more of them in a page of code than one entry of the table holds.
watch close -- "$registers" 50000 20 16
check "status $status: $(cat "$T/close.err")" [ "$status" = 0 ]
expect_nothing_lost close
expect close '[p.kernels | sort_by(.name)[] | [.name, .launches]]' \
	"$(jq -nc '[range(20) | [("00000\(. * 2500)" | "kern_" + .[-6:]), . + 1]]')"

# More kernels than there are slots to count them in, by programs one after another, which get those of the ones before.
watch more -d 0.05 --library "$top_builddir/tests/double/lib/libcudart.so.13" -- \
	sh -c "for i in 1 2 3; do '$registers' 5000 5000 288 3; done"
check "status $status: $(cat "$T/more.err")" [ "$status" = 0 ]
expect_nothing_lost more
expect more '[.processes[] | .kernels | select(length > 0) | [length, (map(.launches) | unique), (map(.name) | unique | length)]]' \
	'[[5000,[3],5000],[5000,[3],5000],[5000,[3],5000]]'
finish
