#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# torch_cuda.sh [NAME...] - what cutop says of PyTorch's memory, against what PyTorch itself says of it: the real one, built for CUDA
# 12.4, on the double. To be run by hand, in a build folder, as root: it fetches 1.4 GB and keeps 4 GB. NAMEs are those of
# torch_compare.py. --program FILE [ARGUMENTS] instead of NAMEs runs a Python program in the tree, --tree only makes it.
#
# PyTorch is Debian 13's python3-torch-cuda (contrib, with NVIDIA's libraries from non-free), in a tree of its own, which is made when it is
# not there: $CUTOP_TORCH_TREE, or torch-tree in the build folder. It is never installed on the machine. What a tensor needs is
# there, and no more: neither the driver, nor the toolkit's headers and static libraries. For the runtime and the driver there is the
# double (lib12), for cuDNN, which Debian does not have, a library whose functions fail. So no kernel computes anything, and matmul
# fails, but memory is handed out as on a GPU. CUTOP is the cutop to test.
set -u

: "${top_builddir:=$(pwd)}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CUTOP:=$top_builddir/src/cutop}"
tree=${CUTOP_TORCH_TREE:-$top_builddir/torch-tree}
double=${CUTOP_TORCH_DOUBLE:-$top_builddir/tests/double/lib12}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
triplet=x86_64-linux-gnu

skip() {
	echo "SKIP: $*"
	exit 77
}

[ "$(uname -m)" = x86_64 ] || skip "python3-torch-cuda is for x86-64"
[ "$(id -u)" = 0 ] || skip "needs root"
[ -e "$double/libcudart.so.12" ] || skip "the double is not built: make double"
for tool in apt-get chroot debootstrap nm python3 unshare; do
	command -v "$tool" >/dev/null || skip "needs $tool (Debian: apt install debootstrap binutils python3)"
done
[ -e "$keyring" ] || skip "needs $keyring (Debian: apt install debian-archive-keyring)"

# ---- the tree

# Packages that python3-torch-cuda depends on and no tensor needs, as names or beginnings of names: three fifths of all bytes.
without='nvidia- libnvidia- libcuda1 libcudart12 libnpp libnvblas libnvfatbin libnvjpeg libcufftw libcusolvermg libnvvm libcupti-dev libcub-dev
	libcu++-dev libthrust-dev libcuinj libaccinj libtorch-cuda-test update-glx glx- pciutils pci.ids libpci3 libkmod dpkg-dev libdpkg-perl perl
	libperl libgdbm binutils libbinutils libgprofng libctf libsframe make patch adduser ca-certificates openssl curl libcurl
	libbenchmark python3-numpy-dev ocl-icd python3-requests python3-urllib3 python3-certifi python3-idna python3-chardet
	python3-charset-normalizer python3-inflect python3-jaraco python3-typeguard python3-autocommand python3-more-itertools python3-dateutil'

in_tree() {
	chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}

# Packages are unpacked, not installed: their scripts would ask for licences and look for GPUs.
make_tree() {
	# shellcheck disable=SC2016
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
		awk '$2 == "Debian" && $1 ~ /debian\/?$/ { print $1; exit }')
	[ -n "$mirror" ] || skip "apt-get knows no mirror of Debian (apt-get update)"
	echo "making $tree: 1.4 GB to fetch"
	mkdir -p "$tree"
	if ! debootstrap --variant=minbase --keyring="$keyring" --components=main,contrib,non-free trixie "$tree" "$mirror" >"$tree.log" 2>&1 ||
		! in_tree apt-get -q update >>"$tree.log" 2>&1; then
		tail -n 5 "$tree.log"
		skip "no tree of Debian 13 can be made"
	fi
	in_tree apt-get -q --no-install-recommends -s install python3-torch-cuda 2>>"$tree.log" | awk -v without="$without" '
		BEGIN { count = split(without, list, /[ \t\n]+/) }
		$1 == "Inst" {
			for (i = 1; i <= count && index($2, list[i]) != 1; i++)
				;
			if (i > count)
				print $2
		}' >"$tree/packages"
	grep -qx python3-torch-cuda "$tree/packages" || skip "python3-torch-cuda cannot be had: $tree.log"
	mkdir -p "$tree/debs"
	# shellcheck disable=SC2016
	in_tree sh -c 'cd /debs && apt-get -q -o APT::Sandbox::User=root download $(cat /packages)' >>"$tree.log" 2>&1 ||
		skip "not all packages can be had: $tree.log"
	for package in "$tree"/debs/*.deb; do
		dpkg-deb -x "$package" "$tree" >>"$tree.log" 2>&1 || { echo "FAIL: $package cannot be unpacked"; exit 1; }
	done
	rm -rf "$tree/debs"
	touch "$tree/made"
}

[ -e "$tree/made" ] || make_tree
# shellcheck disable=SC2154
trap 'status=$?; rm -rf "$tree/tmp/cutop-torch.$$"; exit $status' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
work=$tree/tmp/cutop-torch.$$
mkdir -p "$work" "$tree/opt/cutop-double" || exit 1
cp "$double"/*.so* "$tree/opt/cutop-double" || exit 1

# PyTorch's libraries are bound at once (BIND_NOW), so that all of cuDNN's functions must be there: 3000 is CUDNN_STATUS_NOT_SUPPORTED.
{
	for library in "$tree/usr/lib/$triplet"/libtorch_*.so.2.6; do
		nm -D --undefined-only "$library"
	done
} | awk '$2 ~ /^cudnn[A-Z]/ { sub(/@.*/, "", $2); print $2 }' | sort -u |
	sed 's/.*/int &(void);\nint &(void)\n{\n\treturn 3000;\n}/' >"$work/cudnn.c"
"${CC:-cc}" -shared -fPIC -Wl,-soname,libcudnn.so.9 -o "$tree/opt/cutop-double/libcudnn.so.9" "$work/cudnn.c" || exit 1

# ---- the programs

# libblas.so.3 and liblapack.so.3 are links that Debian's alternatives make.
libraries=/opt/cutop-double:/usr/lib/$triplet/blas:/usr/lib/$triplet/lapack

# in_mounts COMMAND...: with a /proc in the tree that no one else sees, and that goes with the command
in_mounts() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t proc proc "$1/proc" && shift && exec "$@"' sh "$tree" "$@"
}

case ${1:-} in
--tree)
	echo "$tree: PyTorch $(in_mounts chroot "$tree" /usr/bin/env LD_LIBRARY_PATH="$libraries" python3 -c 'import torch; print(torch.__version__)')"
	;;
--program)
	shift
	cp "$1" "$work" || exit 1
	program=/tmp/cutop-torch.$$/$(basename "$1")
	shift
	in_mounts chroot "$tree" /usr/bin/env LD_LIBRARY_PATH="$libraries" python3 "$program" "$@"
	;;
*)
	[ -x "$CUTOP" ] || skip "$CUTOP is not built"
	cp "$top_srcdir/tests/python/torch_memory.py" "$work" || exit 1
	in_mounts python3 "$top_srcdir/tests/python/torch_compare.py" "$CUTOP" "$tree" "$work" "$libraries" "$@"
	;;
esac
