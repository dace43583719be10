/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cutop doctor: gathers, judges, prints. */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "app/errands.h"
#include "app/session.h"
#include "util/rights.h"

#define DOCTOR_PRINTER(constant, name) [FORMAT_##constant] = doctor_##name,

static int report_print(const struct doctor *doctor, FILE *out)
{
	const struct options *options = doctor->options;
	static int (*const printers[FORMAT_COUNT])(
		FILE *, const struct doctor *,
		const struct out_options *) = { DOCTOR_FORMATS(DOCTOR_PRINTER) };
	struct out_options out_options = {
		.version = PACKAGE_VERSION,
		.color = options_want_color(options, out),
		.ascii = options->ascii,
	};

	out_options.width = stream_width(out);
	return printers[options->format](out, doctor, &out_options);
}

static int report_write(const struct doctor *doctor)
{
	const char *path = doctor->options->output;
	FILE *out = path ? fopen(path, "we") : stdout;
	int err;

	if (!out) {
		err = -errno;
		warn_unwritten(&doctor->notes, path, err);
		return err;
	}
	err = report_print(doctor, out);
	if (out != stdout && fclose(out) && !err)
		err = -errno;
	/* A reader that has closed the pipe has seen enough: no error */
	if (err && err != -EPIPE)
		warn_unwritten(&doctor->notes, path, err);
	return err == -EPIPE ? 0 : err;
}

int doctor_run(const struct options *options)
{
	struct doctor doctor = {
		.options = options,
		.notes.verbose = options->verbose,
		.choice = { .groups = options->groups, .layers = options->layers },
		.outside = { .identifier = -1, .patience = ERRAND_MEDIUM },
	};
	struct reason why = { "" };
	int status = EXIT_FAILED;

	if (rights_raise(&why)) {
		warn_user(&doctor.notes, "%s", why.text);
		return EXIT_FAILED;
	}
	if (session_pids_check(&doctor.notes, options->pids, options->pid_count))
		return EXIT_FAILED;
	if (errands_begin(&doctor.outside.errands, NULL, false, &why)) {
		warn_user(&doctor.notes, "%s", why.text);
		return EXIT_FAILED;
	}
	doctor_facts_read(&doctor);
	doctor_nvml_ask(&doctor.facts.nvml);
	doctor_files_find(&doctor);
	doctor_processes_find(&doctor);
	doctor_files_try(&doctor);
	doctor_check_machine(&doctor);
	doctor_check_files(&doctor);
	doctor_check_processes(&doctor);
	if (doctor.no_memory)
		warn_user(&doctor.notes, "no memory");
	else if (!report_write(&doctor) && doctor_worst(&doctor) < DOCTOR_PROBLEM)
		status = EXIT_DONE;
	errands_stop(doctor.outside.errands);
	doctor_free(&doctor);
	return status;
}
