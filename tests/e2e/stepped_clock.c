// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loaded before the C library (LD_PRELOAD): a wall clock that is wrong by as many seconds as the
 * file $STEP says, as after somebody set it, or after the machine slept. The other clocks go on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
	const char *path = getenv("STEP");
	int result = (int)syscall(SYS_clock_gettime, clock, now);
	long seconds = 0;
	FILE *file;

	if (clock != CLOCK_REALTIME || !path)
		return result;
	file = fopen(path, "re");
	if (!file)
		return result;
	if (fscanf(file, "%ld", &seconds) == 1)
		now->tv_sec += seconds;
	fclose(file);
	return result;
}
