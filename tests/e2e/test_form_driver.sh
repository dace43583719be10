#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The core of the end-to-end tests on a double with entries as NVIDIA's driver has them: a cmpl, a je and a jmp to the code.
form=driver
core="basics accounting copies launches nesting inner_calls driver trace leaks graphs attach_methods"
. "${top_srcdir:-.}/tests/e2e/forms.sh"
