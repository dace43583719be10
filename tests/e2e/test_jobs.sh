#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of several processes: their ranks, by what launchers set, and their row on the screen, with its sums.
# shellcheck source=/dev/null disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/terminal.sh"
command -v python3 >/dev/null || skip "needs python3"

# Four ranks, as torchrun starts them: each with its number. Rank 2 holds most.
cat >"$T/rank.py" <<END
import ctypes, os, sys
cuda, block = ctypes.CDLL("$double/libcudart.so.13"), ctypes.c_void_p()
cuda.cudaMalloc(ctypes.byref(block), ctypes.c_size_t((64 if os.environ["RANK"] == "2" else 16) << 20))
sys.stdin.read()
END
# They wait until this test lets go.
mkfifo "$T/never"
exec 9<>"$T/never"
cat >"$T/launcher" <<END
exec 3<"$T/never"
for rank in 0 1 2 3; do
	SLURM_PROCID=0 RANK=\$rank python3 -u $T/rank.py --part=\$rank <&3 &
done
wait
END

cat >"$T/others" <<END
OMPI_COMM_WORLD_RANK=3 $bin/workload sync 101 3000
PMI_RANK=12 $bin/workload sync 102 3000
SLURM_PROCID=7 $bin/workload sync 103 3000
RANK=first $bin/workload sync 104 3000
XRANK=5 $bin/workload sync 105 3000
END
watch others --library "$double/libcudart.so.13" --library "$double/libcuda.so.1" -- sh "$T/others"
expect others '[.processes[] | [.arguments, .rank]] | sort' \
	'[["sync 101 3000",3],["sync 102 3000",12],["sync 103 3000",7],["sync 104 3000",null],["sync 105 3000",null]]'

screen_start 160 40
shell "$CUTOP --no-config -d 0.3 --library $double/libcudart.so.13 --library $double/libcuda.so.1 -- sh $T/launcher"
keys M
check "a job has one row, and says which rank has most" see '▶.*python3 -u rank.py ×4, ranks 0-3, most: rank 2'
check "with the sums" see '112M .*×4'
keys Enter
check "Enter: a row each" see '▼ .*rank.py --part=2'
check "of the others, too" see '▼ .*rank.py --part=3'
check "not all together" gone '×4'
keys o
check "o: one row again" see '×4, ranks 0-3'
keys q y
check "the shell is back" shell_back
finish
