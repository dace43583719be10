/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks of libraries and processes: what is said of each file that has CUDA functions, and of
 * each process that maps one. The table that names them is in doctor_checks.c.
 */
#include "doctor/doctor_check.h"

#include <errno.h>
#include <string.h>

/* ---- files ---- */

#if defined(__aarch64__)
#define STEPPING_IS_A_DANGER true /* DataDog/datadog-agent#54291 */
#else
#define STEPPING_IS_A_DANGER false
#endif

void check_readable(struct doctor *doctor, const struct check *check,
		    const struct doctor_file *file)
{
	if (file->kind == FILE_UNREADABLE)
		FOUND(file->wanted ? DOCTOR_PROBLEM : DOCTOR_WARNING, NULL, "%s: %s", file->path,
		      file->why.text);
}

void check_functions(struct doctor *doctor, const struct check *check,
		     const struct doctor_file *file)
{
	if (file->wanted && file->kind == FILE_NOTHING)
		FOUND(DOCTOR_PROBLEM, "name a file that defines CUDA functions",
		      "%s: defines no function that cutop knows", file->path);
}

void check_stripped(struct doctor *doctor, const struct check *check,
		    const struct doctor_file *file)
{
	if (file->kind == FILE_STRIPPED && !layer_is_known(LAYER_DRIVER))
		FOUND(DOCTOR_NOTE, NULL,
		      "%s: its CUDA calls are made at the driver layer, which cutop does not probe",
		      file->path);
}

void check_refused(struct doctor *doctor, const struct check *check, const struct doctor_file *file)
{
	unsigned int refused = file->functions.counts[FUNCTION_REFUSED];

	if (file->kind == FILE_UNREADABLE)
		return;
	if (file->why.text[0])
		FOUND(DOCTOR_PROBLEM, NULL, "%s: %s", file->path, file->why.text);
	else if (refused)
		FOUND(DOCTOR_WARNING, NULL,
		      "%s: the kernel refuses probes on %u function%s; their calls are not seen",
		      file->path, refused, refused == 1 ? "" : "s");
}

void check_stepped(struct doctor *doctor, const struct check *check, const struct doctor_file *file)
{
	unsigned int stepped = file->functions.points[POINT_STEPPED];

	if (stepped && STEPPING_IS_A_DANGER)
		FOUND(DOCTOR_WARNING,
		      "give --no-single-step, which leaves these functions out, if a program fails under cutop",
		      "%s: %u function%s single-stepped; on some arm64 machines a single-stepped program was seen to go on at a "
		      "wrong address",
		      file->path, stepped, stepped == 1 ? " is" : "s are");
	else if (stepped)
		FOUND(DOCTOR_NOTE, NULL,
		      "%s: %u function%s single-stepped: each call of one costs some 10 us more in a virtual machine",
		      file->path, stepped, stepped == 1 ? " is" : "s are");
}

void check_unanswered(struct doctor *doctor, const struct check *check)
{
	if (doctor->unanswered)
		FOUND(DOCTOR_WARNING, "see what is mounted (findmnt), and that its servers answer",
		      "%u files could not be looked at: their file systems do not answer",
		      doctor->unanswered);
}

void check_any_file(struct doctor *doctor, const struct check *check)
{
	for (size_t i = 0; i < doctor->file_count; i++)
		if (doctor->files[i]->found.count)
			return;
	FOUND(DOCTOR_NOTE, "--library PATH, if it lies in an unusual place",
	      "no CUDA library was found; one is probed when a program loads it");
}

/* ---- processes ---- */

static bool may_look(const struct doctor *doctor)
{
	return doctor->facts.rights.effective & 1u << RIGHT_PTRACE;
}

void check_unreadable(struct doctor *doctor, const struct check *check)
{
	if (doctor->unreadable && may_look(doctor))
		FOUND(DOCTOR_NOTE, NULL,
		      "%u of %u processes could not be looked into: %s more rights than cutop",
		      doctor->unreadable, doctor->looked_at,
		      doctor->unreadable == 1 ? "it has" : "they have");
	else if (doctor->unreadable)
		FOUND(DOCTOR_WARNING, "give cutop CAP_SYS_PTRACE",
		      "%u of %u processes could not be looked into", doctor->unreadable,
		      doctor->looked_at);
}

void check_named(struct doctor *doctor, const struct check *check,
		 const struct doctor_process *process)
{
	bool denied = process->error == -EACCES;

	if (process->named && process->error)
		FOUND(DOCTOR_PROBLEM,
		      denied && !may_look(doctor) ? "give cutop CAP_SYS_PTRACE, or run it as root" :
						    NULL,
		      "process %d cannot be looked into: %s", process->pid,
		      denied && may_look(doctor) ? "it has more rights than cutop" :
						   strerror(-process->error));
}

void check_shadow_stack(struct doctor *doctor, const struct check *check,
			const struct doctor_process *process)
{
	if (process->shadow_stack && doctor->facts.kernel.shadowed_die)
		FOUND(DOCTOR_WARNING, "update the kernel to 6.11 or newer",
		      "process %d uses a shadow stack, and a return probe would kill it: none are placed",
		      process->pid);
}
