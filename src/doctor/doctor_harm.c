/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks for what probes may do to programs: docs/faults.md and docs/do-no-harm.md. */
#include "doctor/doctor_check.h"

void check_written(struct doctor *doctor, const struct check *check)
{
	const struct doctor_facts *facts = &doctor->facts;

	if (!facts->leases)
		FOUND(DOCTOR_WARNING, "sysctl fs.leases-enable=1",
		      "a library that is written over in place is noticed "
		      "100 ms late: what loads it meanwhile may crash");
	else if (facts->lease_break >= 0)
		FOUND(DOCTOR_OK, NULL,
		      "the probes are off a library before it is written over in place (another user's: "
		      "with CAP_LEASE), also while cutop is stopped; if cutop-guard is stopped as well, as in a frozen control group, the "
		      "writer waits %d s (fs.lease-break-time) and then writes under the probes",
		      facts->lease_break);
}

void check_untried(struct doctor *doctor, const struct check *check, const struct doctor_file *file)
{
	if (file->translated)
		FOUND(DOCTOR_NOTE, NULL,
		      "%s: nothing was tried, for the sake of a process that is translated",
		      file->path);
}

void check_translated(struct doctor *doctor, const struct check *check,
		      const struct doctor_process *process)
{
	if (process->translator)
		FOUND(DOCTOR_WARNING, "end it before cutop is started, or watch others by --pid",
		      "process %d is translated (%s): probes are code to that, and are likely to end it by SIGTRAP",
		      process->pid, process->translator);
}
