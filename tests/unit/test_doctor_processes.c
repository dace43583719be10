/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What doctor says of processes: what is seen of each, what is not, and those it could not read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "one_doctor.h"

static char *joined(const struct doctor_process *process, bool seen)
{
	static char all[4096];
	unsigned int i;
	char *text;

	all[0] = 0;
	for (i = 0; i < 20; i++) {
		text = seen ? process_sees(process, i) : process_misses(process, &doctor.facts, i);
		if (!text)
			return all;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "[%s]", text);
		free(text);
	}
	ck_abort_msg("no end: %s", all);
	return all;
}

#define SEES(text) \
	ck_assert_msg(strstr(joined(&process, true), text), "no '%s': %s", text, \
		      joined(&process, true))
#define MISSES(text) \
	ck_assert_msg(strstr(joined(&process, false), text), "no '%s': %s", text, \
		      joined(&process, false))

FIXTURE(setup, teardown);

TEST(test_processes)
{
	struct doctor_file runtime = { .path = "/lib/libcudart.so.13", .kind = FILE_RUNTIME };
	struct doctor_file *files[1] = { &runtime };
	struct doctor_file python = { .path = "/usr/bin/python3.12" };
	struct doctor_process process = { .pid = 7,
					  .uses = USE_SHARED,
					  .files = files,
					  .file_count = 1,
					  .has_symbols = true,
					  .layers = ~0u };

	SEES("runtime calls (libcudart.so.13)");
	MISSES("before cutop");
	ck_assert_ptr_null(strstr(joined(&process, false), "names of kernels"));
	process.uses |= USE_DRIVER;
	SEES("driver calls that no runtime call made");
	process.has_symbols = false;
	MISSES("names of kernels");
	process.uses = USE_DRIVER;
	SEES("it uses no runtime");
	process.uses = USE_SHARED | USE_DRIVER;
	process.layers = 1u << LAYER_RUNTIME;
	ck_assert_str_eq(joined(&process, true), "[runtime calls (libcudart.so.13)]");
	MISSES("driver calls made directly");
	process.layers = 1u << LAYER_DRIVER;
	ck_assert_str_eq(joined(&process, true), "[driver calls (libcuda.so.1)]");
	MISSES("the runtime layer is not probed");
	ck_assert_ptr_null(strstr(joined(&process, false), "seccomp"));
	doctor.facts.kernel.filtered_die = true;
	MISSES("seccomp");
	python.python = 0x030c;
	process.python = &python;
	SEES("lines of its Python 3.12 code as call sites (python3.12)");
	ck_assert_ptr_null(strstr(joined(&process, false), "Python"));
	reason_set(&python.python_why, -ENOTSUP, "CPython 3.7 is not known: 3.8 to 3.14 are");
	ck_assert_ptr_null(strstr(joined(&process, true), "Python"));
	MISSES("lines of its Python code as call sites: python3.12: CPython 3.7 is not known");
	process = (struct doctor_process){ .pid = 8 };
	ck_assert_str_eq(joined(&process, true), "");
	MISSES("has mapped no CUDA library");
	process.error = -EACCES;
	MISSES("cannot be read: Permission denied");
	ck_assert_ptr_null(strstr(joined(&process, false), "no CUDA library"));
}

TEST(test_process_checks)
{
	struct doctor_process processes[2] = {
		{ .pid = 7, .named = true, .error = -EACCES },
		{ .pid = 8, .shadow_stack = true },
	};

	uint32_t rights = doctor.facts.rights.effective;

	doctor.processes = processes;
	doctor.process_count = 2;
	doctor.looked_at = 9;
	doctor.unreadable = 2;
	doctor_check_processes(&doctor);
	expect("unreadable", DOCTOR_NOTE,
	       "2 of 9 processes could not be looked into: they have more rights", NULL);
	/* Who has the right is not told to get it. */
	expect("process", DOCTOR_PROBLEM, "process 7 cannot be looked into: it has more rights",
	       NULL);
	ck_assert_uint_eq(doctor.finding_count, 2);
	doctor.facts.rights.effective = 0;
	doctor.facts.kernel.shadowed_die = true;
	doctor_check_processes(&doctor);
	ck_assert_uint_eq(doctor.finding_count, 5);
	ck_assert_int_eq(doctor.findings[2].state, DOCTOR_WARNING);
	ck_assert_ptr_nonnull(strstr(doctor.findings[3].advice, "CAP_SYS_PTRACE"));
	ck_assert_ptr_nonnull(strstr(doctor.findings[4].text, "process 8 uses a shadow stack"));
	doctor.processes = NULL;
	doctor.process_count = 0;
	doctor.facts.rights.effective = rights;
	doctor.unreadable = 1;
	doctor_check_processes(&doctor);
	ck_assert_ptr_nonnull(
		strstr(doctor.findings[5].text,
		       "1 of 9 processes could not be looked into: it has more rights"));
}
