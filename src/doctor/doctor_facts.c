/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers what the kernel, /proc and /sys say about this machine and our rights, and tries what can
 * be tried.
 */
#include "doctor/doctor.h"

#include "probe/formtest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/utf8.h"

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

/* The limit of our control group (version 2), or of the nearest ancestor that has one. */
static uint64_t memory_max_read(void)
{
	char *text = file_read("/proc/self/cgroup", 65536, NULL), *group, *slash;
	uint64_t lowest = UINT64_MAX;

	group = text ? strstr(text, "0::/") : NULL;
	if (group) {
		group += 3;
		group[strcspn(group, "\n")] = 0;
	}
	while (group && *group) {
		char *path = format_new("/sys/fs/cgroup%s/memory.max", group), line[64], *end;
		unsigned long long limit;

		if (!path)
			break;
		line_read(path, line, sizeof(line));
		free(path);
		limit = strtoull(line, &end, 10);
		if (end != line && limit < lowest)
			lowest = limit;
		slash = strrchr(group, '/');
		*slash = 0;
	}
	free(text);
	return lowest;
}

static void dry_run_make(struct doctor *doctor)
{
	struct doctor_facts *facts = &doctor->facts;
	struct kernel_features features;
	uint64_t began;
	int i;

	if (kernel_features_decide(&features, &facts->kernel, facts->forced, NULL) ||
	    !kernel_rights_suffice(facts->rights.effective))
		return;
	facts->tried = true;
	began = clock_ns(CLOCK_MONOTONIC);
	facts->load_error = dry_run_open(&doctor->dry_run, &features, doctor->choice.layers,
					 facts->ring_bytes, &facts->load_why);
	facts->load_time = clock_ns(CLOCK_MONOTONIC) - began;
	if (facts->load_error)
		return;
	doctor->outside.identifier = dry_run_identifier(doctor->dry_run);
	for (i = 0; i <= DRY_RUN_MMAP; i++)
		facts->watch_errors[i] = dry_run_watch(doctor->dry_run, (enum dry_run_event)i);
	forms_try(&facts->forms, features.method);
}

void doctor_facts_read(struct doctor *doctor)
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
	facts->ring_bytes = doctor->options->ring_bytes;
	facts->names_bytes = doctor->options->names_bytes;
	facts->memory_max = memory_max_read();
	line_read("/proc/driver/nvidia/version", facts->driver, sizeof(facts->driver));
	dry_run_make(doctor);
}
