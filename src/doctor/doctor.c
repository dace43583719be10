/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cutop doctor: gathers, judges, prints. Here is what the kernel, /proc and /sys say about this
 * machine and our rights, and what can be tried.
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "app/session.h"
#include "probe/kernel.h"
#include "util/rights.h"
#include "util/utf8.h"

/* ---- facts ---- */

/* The first line of a file, cleaned. Empty if it cannot be read. */
static void line_read(const char *path, char *out, size_t size)
{
	char *text = file_read(path, 4096, NULL);

	out[0] = 0;
	if (!text)
		return;
	text[strcspn(text, "\n")] = 0;
	utf8_clean(text, out, size);
	free(text);
}

/* The active mode stands in brackets: "none [integrity] confidentiality". */
static void lockdown_read(char *out, size_t size)
{
	char line[128], *open, *close;

	out[0] = 0;
	line_read("/sys/kernel/security/lockdown", line, sizeof(line));
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	*close = 0;
	snprintf(out, size, "%s", open + 1);
}

/* A setting of sysctl(8), or -1 if it cannot be read. */
static int setting_read(const char *path)
{
	char line[32];

	line_read(path, line, sizeof(line));
	return line[0] ? atoi(line) : -1;
}

/* Begins as a session does, with no process listed: nothing is watched, and nothing is probed. */
static void session_try(struct doctor *doctor)
{
	struct doctor_facts *facts = &doctor->facts;
	const struct probe_settings settings = {
		.bpf = {
			.only_listed = true,
			.follow_children = true,
			.only_uid = (uint32_t)-1,
			.ring_bytes = doctor->options->ring_bytes,
			.layers = doctor->choice.layers,
		},
		.method = facts->forced,
		.returns = RETURNS_ALWAYS,
		.notes = &doctor->notes,
	};
	struct kernel_features features;

	if (kernel_features_decide(&features, &facts->kernel, facts->forced, NULL) ||
	    !kernel_rights_suffice(facts->rights.effective))
		return;
	facts->tried = true;
	facts->load_error = probe_open(&doctor->probe, &settings, &facts->load_why);
	if (facts->load_error)
		return;
	facts->hit_cost = probe_hit_cost(doctor->probe);
	facts->watch_error = probe_watch(doctor->probe, &facts->watch_why);
	facts->loading = probe_loading(doctor->probe);
	facts->forms = *probe_forms(doctor->probe);
}

static void machine_read(struct doctor *doctor)
{
	struct doctor_facts *facts = &doctor->facts;
	ssize_t n;

	kernel_facts_read(&facts->kernel);
	forms_default(&facts->forms);
	facts->forced = getenv("CUTOP_ATTACH");
	facts->rights = kernel_rights_read();
	n = readlink("/proc/self/exe", facts->program, sizeof(facts->program) - 1);
	facts->program[n > 0 ? n : 0] = 0;
	lockdown_read(facts->lockdown, sizeof(facts->lockdown));
	facts->jit = setting_read("/proc/sys/net/core/bpf_jit_enable");
	facts->leases = setting_read("/proc/sys/fs/leases-enable");
	facts->lease_break = setting_read("/proc/sys/fs/lease-break-time");
	facts->own_pids = !kernel_pids(NULL);
	line_read("/proc/driver/nvidia/version", facts->driver, sizeof(facts->driver));
	session_try(doctor);
}

/* ---- the mode ---- */

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
	machine_read(&doctor);
	doctor_files_find(&doctor);
	doctor_processes_find(&doctor);
	doctor_files_judge(&doctor);
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
