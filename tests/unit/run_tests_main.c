// SPDX-License-Identifier: GPL-2.0-or-later
/* The main() of programs of tests that have none of their own. */
#include "run_tests.h"

int main(void)
{
	return tests_run();
}
