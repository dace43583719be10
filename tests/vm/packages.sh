#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# packages.sh - fetch packages of Debian that this machine is not set up for.
#
#   packages.sh [-d] -a ARCHITECTURE -s SUITE -o DIRECTORY PACKAGE...
#
# Another suite's (bookworm-backports) or architecture's (arm64) packages, with -d all that they depend on, are left in
# DIRECTORY; nothing is installed, and nothing of the system's own apt is changed: lists and state are in a folder of
# our own, $VM_CACHE/apt, and the mirror is the one that the system's own suite comes from.
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
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v release="$release" '$1 == release && $2 == "main" && $3 ~ /debian\/?$/ { print $3; exit }')
[ "$mirror" ] || skip "apt knows no mirror of Debian"

state=$(realpath -m "$VM_CACHE")/apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$directory/partial" || exit 125
: >"$state/status"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
options=''
[ -e "$keyring" ] && options="signed-by=$keyring"
# One file a suite and architecture, so that whoever else fetches at the same time has the same before him.
sources=$state/$suite-$architecture.list
echo "deb [arch=$architecture${options:+ $options}] $mirror $suite main" >"$sources"
# What a suite for backports depends on is in the suite that it is for.
case $suite in
*-backports) echo "deb [arch=$architecture${options:+ $options}] $mirror ${suite%-backports} main" >>"$sources" ;;
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
