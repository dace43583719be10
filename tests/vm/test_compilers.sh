#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The BPF programs as every other clang that is installed compiles them: the kernel takes them here, by each kind of link, and in
# virtual machines with Linux 6.1 and 6.12. Compilers differ in what they leave out because they can prove it, and in how much stack
# they need; the verifier proves less, and allows 512 bytes.
# shellcheck source=tests/vm/lib.sh
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/vm/lib.sh"
[ "$(id -u)" = 0 ] || { echo "SKIP: needs root to load BPF programs"; exit 77; }

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# load VERIFIER [KIND...]: with each set of options
cat >"$stage/load" <<'END'
verifier=$1 out=$1.out
shift
for kind in "${@:-}"; do
	for options in "" -w -f; do
		$verifier -l 500000 $options $kind >"$out" 2>&1 || { tail -n 5 "$out"; echo "FAIL: $options $kind"; exit 1; }
		echo "$(uname -r) $kind $options: $(grep '^sum' "$out")"
	done
done
END
failed=0
tried=0
used=$("$(sed -n 's/^S\["CLANG"\]="\(.*\)"$/\1/p' "$top_builddir/config.status")" -dumpversion)
for clang in $(compgen -c | grep -xE 'clang-[0-9]+' | sort -uV); do
	[ "$("$clang" -dumpversion)" != "$used" ] || continue
	tried=$((tried + 1))
	echo "== $("$clang" --version | head -n 1)"
	build=$stage/$clang
	mkdir "$build"
	if ! (cd "$build" && "$top_srcdir/configure" --quiet CLANG="$(command -v "$clang")" &&
		make -j "$(nproc)" bpf/cutop.skel.h && make -j "$(nproc)" tests/bench/verifier) >"$stage/log" 2>&1; then
		tail -n 20 "$stage/log"
		echo "FAIL: $clang: no verifier is built"
		failed=1
		continue
	fi
	sh "$stage/load" "$build/tests/bench/verifier" session multi perf || failed=1
	for suite in "" "-s bookworm-backports"; do
		# shellcheck disable=SC2086
		bash "$top_srcdir/tests/vm/run-vm.sh" -m 1024 $suite -t 300 -f "$build/tests/bench/verifier:/t/verifier" -f "$stage/load:/t/load" -- \
			'sh /t/load /t/verifier'
		case $? in
		0) ;;
		77) echo "not tried: the machine cannot be had" ;;
		*) failed=1 ;;
		esac
	done
done
[ $tried != 0 ] || { echo "SKIP: no other clang is installed (Debian 12: apt install clang-19)"; exit 77; }
exit $failed
