#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The core of the end-to-end tests on a double whose functions begin with endbr64, and a push behind it.
# test_graphs is left out: it takes a quarter of the time, and test_form_driver.sh has it. test_attach_methods launches graphs.
form=endbr
core="basics accounting copies launches nesting inner_calls driver trace leaks attach_methods"
. "${top_srcdir:-.}/tests/e2e/forms.sh"
