/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of the table of checks in doctor_checks.c, and checks that are in other files. */
#ifndef DOCTOR_CHECK_H
#define DOCTOR_CHECK_H

#include "doctor/doctor.h"

struct check {
	enum doctor_section section;
	/* The name of its findings, in JSON; NULL: each has its own */
	const char *name;
	/* One of these is set: it looks at the machine, at each shown file, or at each process. */
	void (*machine)(struct doctor *doctor, const struct check *check);
	void (*file)(struct doctor *doctor, const struct check *check,
		     const struct doctor_file *file);
	void (*process)(struct doctor *doctor, const struct check *check,
			const struct doctor_process *process);
};

/* Adds a finding of @check, under the check's own name. */
#define FOUND(state, advice, ...) \
	doctor_add(doctor, check->section, check->name, state, advice, __VA_ARGS__)

/* doctor_harm.c */
void check_written(struct doctor *doctor, const struct check *check);
void check_untried(struct doctor *doctor, const struct check *check,
		   const struct doctor_file *file);
void check_translated(struct doctor *doctor, const struct check *check,
		      const struct doctor_process *process);

/* doctor_program_checks.c */
void check_readable(struct doctor *doctor, const struct check *check,
		    const struct doctor_file *file);
void check_functions(struct doctor *doctor, const struct check *check,
		     const struct doctor_file *file);
void check_stripped(struct doctor *doctor, const struct check *check,
		    const struct doctor_file *file);
void check_refused(struct doctor *doctor, const struct check *check,
		   const struct doctor_file *file);
void check_stepped(struct doctor *doctor, const struct check *check,
		   const struct doctor_file *file);
void check_unanswered(struct doctor *doctor, const struct check *check);
void check_any_file(struct doctor *doctor, const struct check *check);
void check_unreadable(struct doctor *doctor, const struct check *check);
void check_named(struct doctor *doctor, const struct check *check,
		 const struct doctor_process *process);
void check_shadow_stack(struct doctor *doctor, const struct check *check,
			const struct doctor_process *process);

#endif
