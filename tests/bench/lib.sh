# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the benchmarks share. Source it first. It ends the benchmark (77) without root, and gives a folder $out, which goes with
# the shell, the build folder $build, $rounds, and the double's runtime, $library, and driver, $driver. $form is the folder of
# the double whose driver has NVIDIA's entries, or empty where that is not built. $pid, where a benchmark sets it, runs in the
# background and ends with it.
#
#   measure MODE COMMAND...     adds the line of figures that it prints to those of the mode; it must succeed
#   least MODE COLUMN           the least figure of all rounds
set -u

build=${top_builddir:-.}
# shellcheck disable=SC2034
rounds=${ROUNDS:-5}
# shellcheck disable=SC2034
library=$build/tests/double/lib/libcudart.so.13
# shellcheck disable=SC2034
driver=$build/tests/double/lib/libcuda.so.1
# shellcheck disable=SC2034
form=$build/tests/double/forms/driver
[ -e "$form/libcuda.so.1" ] || form=

if [ "$(id -u)" != 0 ]; then
	echo "bench: needs root, to attach probes" >&2
	exit 77
fi

out=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM

measure() {
	mode=$1
	shift
	"$@" >>"$out/$mode" || { echo "bench: $mode failed: $*" >&2; exit 1; }
}

least() {
	sort -n -k "$2,$2" "$out/$1" | head -n 1 | cut -d ' ' -f "$2"
}
