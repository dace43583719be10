# SPDX-License-Identifier: GPL-2.0-or-later
# End-to-end tests: cutop on real programs that run on the double.
e2e_tests = \
	tests/e2e/test_basics.sh
TESTS += $(e2e_tests)
EXTRA_DIST += $(e2e_tests) tests/e2e/lib.sh
