# SPDX-License-Identifier: GPL-2.0-or-later
# For findings/*.sh: pinned packages in a temporary folder, and a comparison of what was seen with what is stated.
# shellcheck shell=sh
set -u
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
failed=0

# package PATH SHA256: unpacks a package of Debian's archive, a path below its pool, into $packages
package() {
	file=$packages/$(basename "$1")
	for archive in http://deb.debian.org/debian https://snapshot.debian.org/archive/debian/20250601T000000Z; do
		curl -fsSL -o "$file" "$archive/pool/$1" && break
	done
	if ! echo "$2  $file" | sha256sum -c --quiet; then
		echo "SKIP: $1 cannot be had, or is another"
		exit 77
	fi
	dpkg-deb -x "$file" "$packages"
	rm "$file"
}

# state WHAT SEEN STATED
state() {
	echo "$1: $2"
	if [ "$2" != "$3" ]; then
		echo "CHANGED: it was: $3"
		failed=1
	fi
}

finish() {
	[ $failed = 0 ] && echo "as stated"
	exit $failed
}
