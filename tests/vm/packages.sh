#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# packages.sh - fetch packages of Debian that this machine is not set up for.
#
#   packages.sh [-d] -a ARCHITECTURE -s SUITE -o DIRECTORY PACKAGE...
#
# Another suite's (bookworm-backports) or architecture's (arm64) packages, with -d all that they depend on, are left in
# DIRECTORY; nothing is installed, and nothing of the system's own apt is changed: lists and state are in a folder of
# our own, $VM_CACHE/apt. The mirror is the one that the system's own suite comes from; that of another distribution is named
# by $VM_DEBIAN_MIRROR or $VM_UBUNTU_MIRROR.
#
# Exit status 77, with the reason on standard error, when they cannot be had.
set -u -o pipefail

skip() { echo "${0##*/}: $*" >&2; exit 77; }

architecture='' suite='' directory='' dependencies=''
while getopts a:ds:o: opt; do
    case $opt in
    a) architecture=$OPTARG ;;
    d) dependencies=1 ;;
    s) suite=$OPTARG ;;
    o) directory=$OPTARG ;;
    *) exit 125 ;;
    esac
done
shift $((OPTIND - 1))
[ "$architecture" ] && [ "$suite" ] && [ "$directory" ] && [ $# -gt 0 ] && [ "${VM_CACHE:-}" ] || exit 125

command -v apt-get >/dev/null || skip "no apt-get here to fetch $*"
# The mirror that the system's own suite comes from, if it is of the distribution that is asked for.
# shellcheck source=/dev/null
read -r id release <<<"$(. /etc/os-release && echo "${ID:-none} ${VERSION_CODENAME:-}")"
# shellcheck disable=SC2016
own=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v release="$release" '$1 == release && $2 == "main" && $3 ~ /(debian|ubuntu)\/?$/ { print $3; exit }')
case $suite in
jammy* | noble*)
    distribution=Ubuntu mirror=${VM_UBUNTU_MIRROR:-} package=ubuntu-keyring
    keyring=${VM_UBUNTU_KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
    [ "$architecture" = amd64 ] || skip "Ubuntu's packages for $architecture are on another mirror"
    [ "$id" != ubuntu ] || mirror=${mirror:-$own}
    ;;
*)
    distribution=Debian mirror=${VM_DEBIAN_MIRROR:-} package=debian-archive-keyring
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ "$id" = ubuntu ] || mirror=${mirror:-$own}
    ;;
esac
[ "$mirror" ] || skip "apt knows no mirror of $distribution for $suite (VM_${distribution^^}_MIRROR names one)"
[ -e "$keyring" ] || skip "needs $keyring, to know packages of $suite by (package $package)"

state=$(realpath -m "$VM_CACHE")/apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$directory/partial" || exit 125
: >"$state/status"
# One file a suite and architecture, so that whoever else fetches at the same time has the same before him.
sources=$state/$suite-$architecture.list
echo "deb [arch=$architecture signed-by=$keyring] $mirror $suite main" >"$sources"
# What a suite for backports depends on is in the suite that it is for.
case $suite in
*-backports) echo "deb [arch=$architecture signed-by=$keyring] $mirror ${suite%-backports} main" >>"$sources" ;;
esac

apt() {
    apt-get -qq -o "Dir::Etc::sourcelist=$sources" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$state/lists" \
        -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache" -o "Dir::Cache::archives=$directory" \
        -o "APT::Architecture=$architecture" -o "APT::Architectures::=$architecture" -o "APT::Default-Release=$suite" \
        -o APT::Sandbox::User=root -o APT::Update::Post-Invoke-Success::= -o Acquire::Retries=2 -o APT::Get::List-Cleanup=false \
        "$@" >"$state/log.$$" 2>&1
}
says() { sed -n 's/^E: //p' "$state/log.$$" | tail -n 1; rm -f "$state/log.$$"; }

get() {
    if [ "$dependencies" ]; then
        apt install -y --download-only --no-install-recommends "$@"
    else
        (cd "$directory" && apt download "$@")
    fi
}

exec 9>"$state/lock" || exit 125
flock 9
# Lists of an earlier run do, unless what they name is gone.
get "$@" || { apt update && get "$@"; } || skip "cannot fetch $* of $suite for $architecture: $(says)"
rm -rf "$state/log.$$" "$directory/partial" "$directory/lock"
