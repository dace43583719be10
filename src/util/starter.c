/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes two capabilities out of the thread's effective set for a while, then puts back those that
 * are permitted.
 */
#include "util/starter.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READS_ALL (1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH)

_Static_assert(CAP_DAC_OVERRIDE < 32 && CAP_DAC_READ_SEARCH < 32, "both are in the first word");

bool starter_has_less(void)
{
	/* The kernel sets this if the file that is run gives rights (security/commoncap.c). */
	return getauxval(AT_SECURE);
}

/*
 * Makes @right effective if it is permitted, and takes away the other rights of READS_ALL. Sets
 * *@before to those of them that were effective.
 */
static int reading_set(uint32_t right, uint32_t *before)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	if (before)
		*before = data[0].effective & READS_ALL;
	data[0].effective = (data[0].effective & ~READS_ALL) | (data[0].permitted & right);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int starter_begin(uint32_t *kept)
{
	*kept = 0;
	return starter_has_less() ? reading_set(0, kept) : 0;
}

void starter_end(uint32_t kept)
{
	if (kept)
		reading_set(kept, NULL);
}
