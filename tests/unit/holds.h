/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An assertion for the inside of long loops. Check writes its own to a file each time, also when
 * they hold, to say where a test that dies was last: of millions, that takes most of the time.
 */
#ifndef TESTS_HOLDS_H
#define TESTS_HOLDS_H

#include <check.h>

/* holds(condition, format, ...): fails, with that text, if the condition does not hold. */
#define holds(condition, ...) \
	do { \
		if (!(condition)) \
			ck_abort_msg(__VA_ARGS__); \
	} while (0)

#endif
