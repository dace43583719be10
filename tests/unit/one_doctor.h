/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fixture of suites about what doctor concludes: a machine on which everything works. */
#ifndef UNIT_ONE_DOCTOR_H
#define UNIT_ONE_DOCTOR_H

#include <string.h>

#include "doctor/doctor.h"
#include "run_tests.h"

static struct doctor doctor;
static struct options options;

#define ALL_RIGHTS ((1u << RIGHT_COUNT) - 1)

/* A machine on which everything works. */
static inline void setup(void)
{
	memset(&doctor, 0, sizeof(doctor));
	memset(&options, 0, sizeof(options));
	doctor.options = &options;
	doctor.facts = (struct doctor_facts){
		.kernel = { .release = "6.18.44-x",
			    .btf = true,
			    .loop = true,
			    .multi = true,
			    .session = true },
		.rights = { ALL_RIGHTS, ALL_RIGHTS },
		.program = "/usr/bin/cutop",
		.jit = 1,
		.leases = 1,
		.lease_break = 45,
		.tried = true,
	};
}

static inline void teardown(void)
{
	doctor_free(&doctor);
}

static inline const struct doctor_finding *finding_of(const char *name)
{
	size_t i;

	for (i = 0; i < doctor.finding_count; i++)
		if (!strcmp(doctor.findings[i].name, name))
			return &doctor.findings[i];
	return NULL;
}

static inline void expect(const char *name, enum doctor_state state, const char *text,
			  const char *advice)
{
	const struct doctor_finding *finding = finding_of(name);

	ck_assert_msg(finding != NULL, "nothing is said of %s", name);
	ck_assert_msg(finding->state == state, "%s is %s: %s", name,
		      doctor_state_names[finding->state], finding->text);
	ck_assert_msg(strstr(finding->text, text) != NULL, "%s: no '%s' in '%s'", name, text,
		      finding->text);
	if (!advice)
		ck_assert_msg(!finding->advice, "%s: %s", name, finding->advice);
	else
		ck_assert_msg(finding->advice && strstr(finding->advice, advice), "%s: %s", name,
			      finding->advice);
}

#endif
