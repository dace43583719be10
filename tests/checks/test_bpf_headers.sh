#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every header of bpf/ compiles alone, and all of them in another order than they need each other in.
exec make -s -C "${top_builddir:-.}" check-bpf-headers
