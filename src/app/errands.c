/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/errands.h"

#include "probe/outside.h"
#include "util/rights.h"

static int rights_to_read(void)
{
	return rights_drop(RIGHTS_READ, NULL);
}

int errands_begin(struct errands **errands, const struct notes *notes, bool patient,
		  struct reason *why)
{
	const struct errands_settings settings = {
		.jobs = outside_jobs,
		.job_count = outside_job_count,
		.give_up = rights_to_read,
		.notes = notes,
		.patient = patient,
	};

	return errands_start(errands, &settings, why);
}
