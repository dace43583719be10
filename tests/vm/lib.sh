# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests in virtual machines share. Source it with bash.
#
#   vm_run [run-vm.sh's options] -- NAME...   runs tests/e2e/NAME.sh one after the other in a machine with the double, the
#       workloads and the tools that they need; before them, the verifier's work on every BPF program is printed
#       and held to the limit, with each of $vm_verifier's options (by default the tests themselves load them). Exits 77 where
#       the machine cannot be had, 1 if anything failed.
#
# A test that would be skipped in the machine is one that failed: it was chosen because it can run there.
set -u
: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
vm_verifier='-f'
: "${VM_CACHE:=$top_builddir/tests/vm/cache}"
export VM_CACHE

# Debian's own, in place of busybox's, which know fewer options.
vm_tools='bin/dash:/bin/sh usr/bin/mawk:/usr/bin/awk bin/grep bin/sed bin/cat bin/date bin/rm bin/mkdir bin/chmod bin/cp bin/mv
	bin/ln bin/ls bin/sleep bin/readlink bin/touch bin/mktemp bin/mount bin/umount usr/bin/timeout usr/bin/tail
	usr/bin/head usr/bin/sort usr/bin/cut usr/bin/tr usr/bin/wc usr/bin/seq usr/bin/id usr/bin/stat usr/bin/env
	usr/bin/uniq usr/bin/jq usr/bin/unshare usr/bin/find usr/bin/basename usr/bin/dirname'

# vm_helpers NAME...: what was built for tests of these names
vm_helpers() {
	(cd "$top_srcdir/tests/e2e" && grep -oh 'tests/e2e/bin/[A-Za-z0-9_.]*' "${@/%/.sh}" | sort -u)
}

# vm_run_from ROOT BUILD [options] -- NAME...: tools from ROOT (empty: this machine's), programs from BUILD
vm_run_from() {
	local root=$1 build=$2 options=() files=() tool
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	for tool in $vm_tools; do
		case $tool in
		*:*) files+=(-f "$root/$tool") ;;
		*) files+=(-f "$root/$tool:/$tool") ;;
		esac
	done
	for tool in src/cutop tests/bench/verifier tests/workloads/bin/workload tests/double/lib $(vm_helpers "$@"); do
		files+=(-f "$build/$tool:/t/build/$tool")
	done
	files+=(-f "$top_srcdir/tests/e2e:/t/src/tests/e2e")
	# shellcheck disable=SC2016
	bash "$top_srcdir/tests/vm/run-vm.sh" -m 2048 "${options[@]}" "${files[@]}" -- '
		export top_builddir=/t/build top_srcdir=/t/src CUTOP=/t/build/src/cutop CUTOP_TEST_LIMIT=500 CUTOP_TEST_HOLD=10000 CUTOP_TEST_KERNEL_ONLY=yes
		# Debian allows it.
		export CUTOP_TEST_LOADING=function
		failed=0
		uname -a
		for full in '"$vm_verifier"'; do
			/t/build/tests/bench/verifier -l 500000 $full || { echo "FAIL: the verifier"; failed=1; }
		done
		for name in '"$*"'; do
			read began rest </proc/uptime
			/bin/sh /t/src/tests/e2e/$name.sh
			status=$?
			read now rest </proc/uptime
			echo "$name: status $status, from ${began%.*} to ${now%.*} s"
			[ $status = 0 ] || { echo "FAIL: $name"; failed=1; }
		done
		exit $failed'
}

vm_run() {
	vm_run_from "" "$top_builddir" "$@"
}
