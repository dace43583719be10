#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Tensors on the screen, of a program with the stand-in for PyTorch's allocator: what is drawn and listed, what keys do, and what is
# said of a program that ran before.
# shellcheck source=/dev/null disable=SC2154
. "${top_srcdir:-.}/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/terminal.sh"
tensors=$top_builddir/tests/e2e/bin/tensors
[ -x "$tensors" ] || skip "the helpers are not built"
CUDA_DOUBLE_DEVICES=4
export CUDA_DOUBLE_DEVICES

screen_start 120 40
shell "$CUTOP --no-config -d 0.3 --leak-age 0.5 -- $tensors seed:5 random:3000 every:40 grow:100000"
check "the columns come" see 'TENSORS   CACHE'
keys 1
check "tensors are listed" see '^ *0x[0-9a-f]* .* tensor .* live .* site_[0-3]+0x'
check "segments are drawn" see '0x[0-9a-f]* .*░░│'
check "what rises is told" see '~[0-9.]*M rising'
check "and drawn" see '▒▒▒'
keys z
check "figures of each device" see 'pytorch dev 3 '
check "a row for each device" see '^dev 3 '
check "the block at the cursor is marked" see '│*●●'
keys Enter
check "details of a block have its stack" see '→ site_[0-3]+0x'
check "and say whose it is" see "by  *pytorch's allocator"
check "and its segment" see 'The segment that it is in'
keys Escape
check "Esc: the list" gone '→ site_'
keys a
check "a: the driver's allocations" see ' device .* live .*cudaMalloc\| device .* live .* site_'
check "no tensor is listed" gone ' tensor '
keys 6
check "sites of the driver" see 'SUSPECT'
keys a
check "sites of tensors" see 'RISING  *BLOCKS'
check "the leak is the one that rises" see '^.*leak+0x.*~[0-9.]*M'
keys q y
check "the shell is back" shell_back

shell clear
"$tensors" seed:5 random:3000 every:60 to:"$T/told" tell grow:100000 >"$T/out" 2>&1 </dev/null &
wait_for 30 [ -s "$T/told" ]
shell "$CUTOP --no-config -d 0.3 -p $!"
keys 1
check "late: what is not known is told" see 'in blocks from before cutop watched'
check "late: new blocks are drawn" see '▓█\|█▓'
keys q
check "late: the shell is back" shell_back
kill $!
finish
