#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What cutop costs a real program, the real PyTorch on the double: 48 small parameters, of which AdamW changes one after the other.
# One process runs its steps all the time, cutop is attached to it and detached again, mode after mode. Needs the tree of
# tests/python/torch_cuda.sh, which fetches 1.4 GB: CUTOP_TORCH_TREE, or torch-tree in the build folder.
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

if [ ! -e "${CUTOP_TORCH_TREE:-$build/torch-tree}/made" ]; then
	echo "not measured: PyTorch (tests/python/torch_cuda.sh --tree makes its tree, of 1.4 GB)"
	exit
fi
# PyTorch 2.6 is for CUDA 12; CUDA 13's runtime passes each launch on to the driver, as the double does, and is known by its number.
mkdir "$out/double"
cp "$build"/tests/double/lib12/*.so* "$out/double"
python3 - "$out/double/libcudart.so.12" <<-'END' || exit
	import re, struct, sys
	code = open(sys.argv[1], "rb").read()
	# A store of the number at a register's address
	code, count = re.subn(b"(\xc7[\x00-\x03\x06\x07])" + re.escape(struct.pack("<I", 12060)), b"\\g<1>" + struct.pack("<I", 13000), code)
	if count != 1:
	    sys.exit("bench: the double's version is not where it was")
	open(sys.argv[1], "wb").write(code)
END
export CUTOP_TORCH_DOUBLE="$out/double"
# On a machine with a GPU the driver is found first, in ld.so.cache.
export SLOWDOWN_OPTIONS="--library ${CUTOP_TORCH_TREE:-$build/torch-tree}/opt/cutop-double/libcuda.so.1"
program=$(cd "$(dirname "$0")/../gpu" && pwd)/slowdown.py
export SLOWDOWN_COMMAND="sh '$(cd "$(dirname "$0")/../python" && pwd)/torch_cuda.sh' --program '$program'"
export SLOWDOWN_ROUNDS="$rounds" SLOWDOWN_SECONDS="${SLOWDOWN_SECONDS:-3}"
cd "$build" || exit
python3 "$program" "$build/src/cutop" small >"$out/torch" && python3 "$program" --table "$out/torch"
