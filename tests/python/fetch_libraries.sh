#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fetch_libraries.sh FOLDER - PyCUDA and Numba as Debian 12 has them, with what they need, unpacked into FOLDER; nothing is
# installed. CUDA's toolkit, which PyCUDA's package depends on, is left out but for libcurand (42 MB, non-free), which PyCUDA is linked to:
# the double stands in for the driver. Exit status 77, and why, where they cannot be had.
set -u

folder=$1
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" || exit 1
folder=$(cd "$folder" && pwd)
for tool in apt-get dpkg-deb; do
	command -v "$tool" >/dev/null || { echo "needs $tool"; exit 77; }
done

# The mirrors that the machine uses, with all components.
apt-get indextargets --format '$(REPO_URI) $(SUITE) $(ORIGIN) $(CODENAME)' 'Created-By: Packages' 2>/dev/null |
	awk '$3 == "Debian" && $4 ~ /^bookworm/ && !seen[$1 $2]++ { print "deb", $1, $2, "main contrib non-free" }' >"$folder/apt/sources.list"
[ -s "$folder/apt/sources.list" ] || { echo "apt-get knows no mirror of Debian 12 (apt-get update)"; exit 77; }
apt() {
	timeout --foreground 120 apt-get -q -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User=root \
		-o Acquire::Retries=0 -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 "$@" >>"$folder/apt/log" 2>&1
}
apt update || { echo "the mirror does not answer"; exit 77; }
cd "$folder/apt" || exit 1
apt download python3-pycuda libcurand10 libboost-python1.74.0 libboost-thread1.74.0 python3-pytools python3-appdirs python3-decorator \
	python3-mako python3-markupsafe python3-platformdirs python3-typing-extensions python3-numba python3-llvmlite python3-numpy \
	python3-pkg-resources libblas3 liblapack3 libgfortran5 libquadmath0 || { echo "not all packages can be had"; exit 77; }
for package in *.deb; do
	dpkg-deb -x "$package" "$folder" || { echo "$package cannot be unpacked"; exit 77; }
done
rm -rf "$folder/apt"
