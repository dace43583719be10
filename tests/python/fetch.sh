#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fetch.sh -o FOLDER [SUITE...] - Python as suites of Debian have it (bullseye, bookworm, trixie, sid), each in a root of its own,
# FOLDER/SUITE, to be run there by chroot(1). Nothing is installed. Prints the roots that could be made, separated by colons:
# CUTOP_TEST_PYTHONS of interpreters.sh. Exit status 77 if none could.
set -u

folder=''
while getopts o: opt; do
	case $opt in
	o) folder=$OPTARG ;;
	*) exit 125 ;;
	esac
done
shift $((OPTIND - 1))
[ "$folder" ] || exit 125
here=$(cd "$(dirname "$0")" && pwd)
export VM_CACHE=${VM_CACHE:-$folder/cache}
mkdir -p "$folder" "$VM_CACHE"

declare -A packages=([bullseye]=python3.9 [bookworm]=python3.11 [trixie]=python3.13 [sid]=python3.14)
roots=''
for suite in "${@:-bullseye trixie sid}"; do
	for name in $suite; do
		root=$folder/$name
		python=${packages[$name]:-}
		[ "$python" ] || exit 125
		if [ ! -x "$root/usr/bin/$python" ]; then
			rm -rf "$root"
			mkdir -p "$root.debs" "$root"/usr/{bin,sbin,lib,lib64} "$root/tmp" "$root/proc"
			"$here/../vm/packages.sh" -d -a amd64 -s "$name" -o "$root.debs" "$python" || continue
			# Where the suite has no folders of its own beside /usr, what is in them comes to lie there.
			for link in bin sbin lib lib64; do ln -sfn usr/$link "$root/$link"; done
			for package in "$root.debs"/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink; done
			rm -rf "$root.debs"
		fi
		chroot "$root" "/usr/bin/$python" -c 'import ctypes' >/dev/null || { echo "${0##*/}: $python of $name does not run" >&2; continue; }
		roots=$roots${roots:+:}$root
	done
done
[ "$roots" ] || exit 77
echo "$roots"
