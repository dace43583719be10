/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times as the screen shows them: time of day, date, and ages. */
#include <stdio.h>
#include <time.h>

#include "util/util.h"
#include "view/view_internal.h"

#define DAY (86400 * NSEC_PER_SEC)

void format_clock(const struct view *view, uint64_t real_ns, char *out, size_t size)
{
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	if (!(view->timezone_fixed ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)) ||
	    !strftime(out, size, "%H:%M:%S", &tm))
		snprintf(out, size, "-");
}

void format_when(const struct view *view, uint64_t real_ns, char *out, size_t size)
{
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	if (!view->shown || view->shown->time < real_ns || view->shown->time - real_ns < DAY)
		format_clock(view, real_ns, out, size);
	else if (view->timezone_fixed ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm))
		snprintf(out, size, "%s %02d", months[tm.tm_mon % 12], tm.tm_mday);
	else
		snprintf(out, size, "-");
}

void format_age(uint64_t ns, char *out, size_t size)
{
	uint64_t seconds = ns / NSEC_PER_SEC;

	if (seconds < 3600)
		snprintf(out, size, "%02u:%02u", (unsigned int)(seconds / 60),
			 (unsigned int)(seconds % 60));
	else if (seconds < 86400)
		snprintf(out, size, "%uh%02um", (unsigned int)(seconds / 3600),
			 (unsigned int)(seconds / 60 % 60));
	else if (seconds < 86400 * 1000)
		snprintf(out, size, "%ud%02uh", (unsigned int)(seconds / 86400),
			 (unsigned int)(seconds / 3600 % 24));
	else
		snprintf(out, size, "%ud", (unsigned int)(seconds / 86400));
}
