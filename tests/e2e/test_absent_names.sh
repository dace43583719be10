#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names that are not in memory when a kernel is first launched: a probe has to
# wait for them. Several programs wait at once, on one processor, where each runs
# the same probes while the others do.
. "${top_srcdir:-.}/tests/e2e/lib.sh"

program=$top_builddir/tests/e2e/bin/absent_names
processor=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

cat >"$T/several" <<END
for i in 1 2 3 4 5 6; do
	taskset -c $processor "$program" "$T/names.\$i" "program_\$i" &
	waited="\$waited \$!"
done
for pid in \$waited; do
	wait \$pid || exit 1
done
END

watch several --library "$top_builddir/tests/double/lib/libcudart.so.13" -- sh "$T/several"
check "status $status: $(cat "$T/several.err")" [ "$status" = 0 ]
expect_nothing_lost several
expect several '[.processes[] | select(.kernels | length > 0)] | length' 6
expect several '[.processes[] | select(.kernels | length > 0) | .kernels | sort_by(.name) | [.[] | [.name, .launches]]] | sort' \
	"$(jq -nc '[range(1; 7) as $p | [range(20) as $i | ["program_\($p)_\("0\($i)"[-2:])" + ("x" * ($i * 150) // ""), $i + 1]]]')"
for method in multi perf; do
	CUTOP_ATTACH=$method
	export CUTOP_ATTACH
	[ -n "$(attach_method)" ] || continue
	watch $method -- "$program" "$T/names.0" program_0
	expect_nothing_lost $method
	expect $method 'p.kernels | sort_by(.name) | [.[] | .launches]' "$(jq -nc '[range(1; 21)]')"
	expect $method '[p.kernels[].name | startswith("program_0_")] | all' true
done

# Told of before the call it belongs to, though it was not there when that was made.
unset CUTOP_ATTACH
for how in "" --pairs --entries; do
	"$CUTOP" trace $how -o "$T/trace" -- "$program" "$T/names.0" program_0 2>"$T/trace.err"
	check "trace $how names them all: $(grep -c 'kernel=program_0_' "$T/trace")" \
		[ "$(grep 'kernel=' "$T/trace" | grep -vc 'kernel=program_0_[0-9][0-9]x*[,)]')" = 0 ]
	check "trace $how has them" grep -q 'kernel=program_0_19x' "$T/trace"
done
finish
