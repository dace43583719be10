# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of the command line, of exit statuses and of bad input.
cli_tests = \
	tests/e2e/test_options.sh \
	tests/e2e/test_status.sh
TESTS += $(cli_tests)
EXTRA_DIST += $(cli_tests) tests/e2e/cli.sh
