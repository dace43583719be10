#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# interpreters.sh - the Python interpreters at hand whose frames can be read: a line for each with its version, the root it runs in,
# and its path there.
#
# CUTOP_TEST_PYTHONS: folders of roots, as fetch.sh makes them, separated by colons.
tell() {
	version=$(env -u PYTHONPATH -u PYTHONHOME $3 "$2" -c 'import ctypes, sys; print("%d.%d" % sys.version_info[:2]) if sys.maxsize > 2**32 else 0' 2>/dev/null)
	case $version in
	3.8 | 3.9 | 3.1[0-4]) echo "$version $1 $2" ;;
	esac
}

seen=
for python in /usr/bin/python3 /usr/local/bin/python3.[0-9]* "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
	[ -x "$python" ] || continue
	file=$(readlink -f "$python")
	case " $seen " in
	*" $file "*) continue ;;
	esac
	seen="$seen $file"
	tell / "$file" ''
done
IFS=:
for root in ${CUTOP_TEST_PYTHONS:-}; do
	IFS=' '
	for python in "$root"/usr/bin/python3.[0-9]*; do
		[ -x "$python" ] && tell "$root" "${python#"$root"}" "chroot $root"
	done
done
