/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the facts mean: a line for each thing that cutop needs or can use, with what to do about it.
 * Pure, so that tests can judge kernels and rights other than those of the machine at hand. A check
 * is a function and a line in the table at the end, which says in which section and under which
 * name its findings appear.
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor_check.h"
#include "util/utf8.h"

const char *const doctor_state_names[DOCTOR_PROBLEM + 1] = {
	[DOCTOR_OK] = "ok",           [DOCTOR_NOTE] = "note",       [DOCTOR_UNKNOWN] = "unknown",
	[DOCTOR_WARNING] = "warning", [DOCTOR_PROBLEM] = "problem",
};

const struct doctor_section_desc doctor_sections[SECTION_COUNT] = {
	[SECTION_KERNEL] = { "kernel", "kernel" },
	[SECTION_RIGHTS] = { "rights", "rights" },
	[SECTION_GPU] = { "gpu", "GPU" },
	[SECTION_LIBRARIES] = { "libraries", "libraries" },
	[SECTION_PROCESSES] = { "processes", "processes" },
};

#define TEXT_MAX 6000 /* a path, and a sentence about it */

void doctor_add(struct doctor *doctor, enum doctor_section section, const char *name,
		enum doctor_state state, const char *advice, const char *format, ...)
{
	struct doctor_finding *more =
		realloc(doctor->findings, (doctor->finding_count + 1) * sizeof(*more));
	char text[TEXT_MAX], clean[TEXT_MAX];
	struct doctor_finding *finding;
	va_list args;

	if (!more) {
		doctor->no_memory = true;
		return;
	}
	doctor->findings = more;
	finding = &more[doctor->finding_count];
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	finding->section = section;
	finding->name = name;
	finding->state = state;
	finding->text = strdup(utf8_clean(text, clean, sizeof(clean)));
	finding->advice = advice ? strdup(utf8_clean(advice, clean, sizeof(clean))) : NULL;
	if (!finding->text || (advice && !finding->advice)) {
		free(finding->text);
		free(finding->advice);
		doctor->no_memory = true;
		return;
	}
	doctor->finding_count++;
}

#define RIGHTS_NEEDED_FIRST "what the kernel says can be known with CAP_BPF and CAP_PERFMON only"

/* ---- the kernel ---- */

/* Whether probes can be placed at all, and how. */
static bool features_of(const struct doctor_facts *facts, struct kernel_features *features,
			struct reason *why)
{
	return !kernel_features_decide(features, &facts->kernel, facts->forced, why);
}

static void check_version(struct doctor *doctor, const struct check *check)
{
	const char *release = doctor->facts.kernel.release;

	if (kernel_is_too_old(&doctor->facts.kernel))
		FOUND(DOCTOR_PROBLEM, "use Linux 6.1 or newer", "Linux %s is too old", release);
	else
		FOUND(DOCTOR_OK, NULL, "Linux %s", release);
}

static void check_btf(struct doctor *doctor, const struct check *check)
{
	if (doctor->facts.kernel.btf)
		FOUND(DOCTOR_OK, NULL, "BTF is there (/sys/kernel/btf/vmlinux)");
	else
		FOUND(DOCTOR_PROBLEM, "use a kernel built with CONFIG_DEBUG_INFO_BTF=y",
		      "no BTF in /sys/kernel/btf/vmlinux");
}

static void check_method(struct doctor *doctor, const struct check *check)
{
	struct kernel_features features;
	struct reason why = { "" };

	if (!features_of(&doctor->facts, &features, &why)) {
		FOUND(DOCTOR_PROBLEM,
		      doctor->facts.forced ?
			      "unset CUTOP_ATTACH" :
			      "use Linux 6.1 or newer, built with CONFIG_DEBUG_INFO_BTF=y",
		      "%s", why.text);
		return;
	}
	switch (features.method) {
	case ATTACH_SESSION:
		FOUND(DOCTOR_OK, NULL,
		      "session: one link probes entries and returns of many "
		      "functions; launches pay for a return probe only when it is likely to be news");
		break;
	case ATTACH_MULTI:
		FOUND(DOCTOR_OK, NULL,
		      "multi: one link probes many functions; every launch pays "
		      "for its return probe (Linux 6.13 would not)");
		break;
	default:
		FOUND(DOCTOR_WARNING, "use Linux 6.6 or newer",
		      "perf: a link per function, which takes seconds to undo; a helper process does that, and "
		      "functions that are counted only are not probed");
	}
}

static void check_native_stacks(struct doctor *doctor, const struct check *check)
{
#if !defined(__x86_64__)
	FOUND(DOCTOR_NOTE, NULL,
	      "a call site is one address, as unwinding needs x86-64; --stacks follows frame pointers");
#else
	(void)doctor;
	(void)check;
#endif
}

static void check_pid_namespace(struct doctor *doctor, const struct check *check)
{
	if (doctor->facts.own_pids)
		FOUND(DOCTOR_PROBLEM,
		      "start the container with the machine's (--pid=host; in Kubernetes hostPID: "
		      "true)",
		      "we run in a pid namespace of our own: processes have other numbers than the kernel tells");
}

static void check_lockdown(struct doctor *doctor, const struct check *check)
{
	const struct doctor_facts *facts = &doctor->facts;

	if (!strcmp(facts->lockdown, "confidentiality"))
		FOUND(facts->tried && !facts->load_error ? DOCTOR_WARNING : DOCTOR_PROBLEM,
		      "boot without lockdown=confidentiality",
		      "kernel lockdown is at confidentiality: BPF programs "
		      "may not read memory");
	else if (facts->lockdown[0])
		FOUND(DOCTOR_OK, NULL, "kernel lockdown: %s", facts->lockdown);
}

static void check_jit(struct doctor *doctor, const struct check *check)
{
	if (!doctor->facts.jit)
		FOUND(DOCTOR_WARNING, "sysctl net.core.bpf_jit_enable=1",
		      "BPF programs are interpreted, not compiled");
}

static void check_programs(struct doctor *doctor, const struct check *check)
{
	const struct doctor_facts *facts = &doctor->facts;

	if (!facts->tried) {
		FOUND(DOCTOR_UNKNOWN, NULL,
		      "whether the kernel takes the BPF programs: " RIGHTS_NEEDED_FIRST);
		return;
	}
	if (facts->load_error) {
		FOUND(DOCTOR_PROBLEM, "see the kernel's log (dmesg) and kernel lockdown", "%s",
		      facts->load_why.text);
		return;
	}
	FOUND(DOCTOR_OK, NULL, "the BPF programs load (%.0f ms, ring buffer of %llu KiB)",
	      (double)facts->load_time / NSEC_PER_MSEC,
	      (unsigned long long)(facts->ring_bytes >> 10));
}

static void check_watching(struct doctor *doctor, const struct check *check)
{
	static const char *const events[] = {
		[DRY_RUN_EXEC] = "start", [DRY_RUN_EXIT] = "end", [DRY_RUN_FORK] = "fork"
	};
	const struct doctor_facts *facts = &doctor->facts;
	bool refused = false;
	int i;

	if (!facts->tried || facts->load_error)
		return;
	for (i = DRY_RUN_EXEC; i <= DRY_RUN_FORK; i++) {
		if (facts->watch_errors[i] >= 0)
			continue;
		refused = true;
		FOUND(DOCTOR_PROBLEM, "see kernel lockdown",
		      "the %s of processes cannot be watched: %s", events[i],
		      strerror(-facts->watch_errors[i]));
	}
	if (!refused)
		FOUND(DOCTOR_OK, NULL, "start, fork and end of processes can be watched");
}

static void check_loading(struct doctor *doctor, const struct check *check)
{
	const struct doctor_facts *facts = &doctor->facts;

	if (!facts->tried || facts->load_error)
		return;
	if (facts->watch_errors[DRY_RUN_MMAP] < 0)
		FOUND(DOCTOR_WARNING, "use Linux 6.12 or newer",
		      "libraries that running programs load later are not noticed: this kernel lets no "
		      "program trace ksys_mmap_pgoff (%s)",
		      strerror(-facts->watch_errors[DRY_RUN_MMAP]));
	else if (facts->watch_errors[DRY_RUN_MMAP] == LOADING_FUNCTION)
		FOUND(DOCTOR_OK, NULL,
		      "libraries that running programs load are noticed (function "
		      "ksys_mmap_pgoff)");
	else
		FOUND(DOCTOR_OK, NULL,
		      "libraries that running programs load are noticed (touch of a file's "
		      "page, tracepoints mm_filemap_map_pages and mm_filemap_fault)");
}

static void check_seccomp(struct doctor *doctor, const struct check *check)
{
	if (doctor->facts.kernel.filtered_die)
		FOUND(DOCTOR_WARNING,
		      "update the kernel to 6.14 or a later 6.12 or 6.13; or, where no program that uses CUDA is "
		      "filtered, give --returns=always",
		      "return probes kill programs under a seccomp filter with this version of the kernel: none are "
		      "placed");
	else
		FOUND(DOCTOR_OK, NULL,
		      "return probes do no harm to programs under a seccomp filter");
}

static void check_shadow_stacks(struct doctor *doctor, const struct check *check)
{
	if (doctor->facts.kernel.shadowed_die)
		FOUND(DOCTOR_WARNING, "update the kernel to 6.11 or newer",
		      "return probes kill programs that use a shadow stack: where one runs, none are placed");
}

/* The process that reads source lines may use the same amount again. */
static void check_names_memory(struct doctor *doctor, const struct check *check)
{
	const struct doctor_facts *facts = &doctor->facts;
	bool tight = facts->memory_max / 4 < facts->names_bytes;

	FOUND(tight ? DOCTOR_WARNING : DOCTOR_OK,
	      tight ? "a smaller --names-memory, or a higher limit of the control group" : NULL,
	      "names of functions from files take %llu MiB at most (--names-memory)",
	      (unsigned long long)(facts->names_bytes >> 20));
}

static void check_memory(struct doctor *doctor, const struct check *check)
{
	const struct doctor_facts *facts = &doctor->facts;

	/* The ring, the maps and the links are charged to our control group. */
	if (facts->memory_max / 4 < facts->ring_bytes)
		FOUND(DOCTOR_WARNING, "a smaller --ring-size, or a higher limit",
		      "our control group may use %llu KiB of memory, and the ring buffer alone is %llu KiB",
		      (unsigned long long)(facts->memory_max >> 10),
		      (unsigned long long)(facts->ring_bytes >> 10));
}

/* Which instructions probes are cheap on. */
static void check_forms(struct doctor *doctor, const struct check *check)
{
	const struct forms *forms = &doctor->facts.forms;
	char list[512] = "";
	int form;

	for (form = FORM_OTHER + 1; form < FORM_COUNT; form++)
		if (forms->verdicts[form] == FORM_EMULATED)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
				 list[0] ? ", " : "", form_names[form]);
	FOUND(forms->tried ? DOCTOR_OK : DOCTOR_UNKNOWN, NULL,
	      "%s emulated under a probe, others are single-stepped (%s)",
	      list[0] ? list : "no instruction is",
	      forms->tried ? "tried" : "not tried: what every kernel emulates");
}

/* ---- rights ---- */

struct right_use {
	enum doctor_state without;
	const char *use;
};

static const struct right_use rights[RIGHT_COUNT] = {
	[RIGHT_BPF] = { DOCTOR_PROBLEM, "loads the BPF programs" },
	[RIGHT_PERFMON] = { DOCTOR_PROBLEM, "places the probes" },
	[RIGHT_PTRACE] = { DOCTOR_WARNING, "reads what other users' processes map" },
	[RIGHT_READ_SEARCH] = { DOCTOR_WARNING, "reads libraries in private homes" },
	[RIGHT_ADMIN] = { DOCTOR_NOTE, "needed only before Linux 6.6" },
};

static const struct right_use admin_places = {
	DOCTOR_PROBLEM, "places the probes, as on kernels before 6.6 no lesser right does"
};

static void check_rights(struct doctor *doctor, const struct check *check)
{
	const struct doctor_facts *facts = &doctor->facts;
	unsigned int held = facts->rights.effective, i;
	bool admin = held & 1u << RIGHT_ADMIN;
	struct kernel_features features;
	char advice[PATH_MAX + 256], others[256];
	bool singly = features_of(facts, &features, NULL) && features.method == ATTACH_PERF;

	snprintf(advice, sizeof(advice),
		 "sudo cutop ..., or: setcap cap_bpf,cap_perfmon,cap_sys_ptrace,"
		 "cap_dac_read_search%s+ep %s",
		 singly ? ",cap_sys_admin" : "", facts->program);
	for (i = 0; i < RIGHT_COUNT; i++) {
		const struct right_use *right = singly && i == RIGHT_ADMIN ? &admin_places :
									     &rights[i];
		const char *name = kernel_right_names[i];

		if (held & 1u << i) {
			doctor_add(doctor, check->section, name, DOCTOR_OK, NULL, "%s held: %s",
				   name, right->use);
		} else if (admin && i <= RIGHT_PERFMON) {
			doctor_add(doctor, check->section, name, DOCTOR_OK, NULL,
				   "%s not held, CAP_SYS_ADMIN stands in: %s", name, right->use);
		} else if (facts->rights.bounding & 1u << i || right->without == DOCTOR_NOTE) {
			doctor_add(doctor, check->section, name, right->without,
				   right->without == DOCTOR_NOTE ? NULL : advice, "%s missing: %s",
				   name, right->use);
		} else {
			snprintf(others, sizeof(others),
				 "it is out of reach in here (bounding set): start the "
				 "container or service with it (docker run --cap-add %s)",
				 name + strlen("CAP_"));
			doctor_add(doctor, check->section, name, right->without, others,
				   "%s missing: %s", name, right->use);
		}
	}
}

/* ---- the GPU ---- */

static void check_driver(struct doctor *doctor, const struct check *check)
{
	if (doctor->facts.driver[0])
		FOUND(DOCTOR_OK, NULL, "%s", doctor->facts.driver);
	else
		FOUND(DOCTOR_NOTE, NULL,
		      "no NVIDIA driver is loaded (no /proc/driver/nvidia/version); cutop needs none");
}

static void check_nvml(struct doctor *doctor, const struct check *check)
{
	if (doctor->facts.nvml.path[0])
		FOUND(DOCTOR_OK, NULL, "%s", doctor->facts.nvml.path);
	else
		FOUND(DOCTOR_NOTE, NULL, "no totals of devices: %s", doctor->facts.nvml.why.text);
}

/* ---- the table ---- */

/* In the order of the report. */
static const struct check checks[] = {
	{ .section = SECTION_KERNEL, .name = "version", .machine = check_version },
	{ .section = SECTION_KERNEL, .name = "btf", .machine = check_btf },
	{ .section = SECTION_KERNEL, .name = "attach_method", .machine = check_method },
	{ .section = SECTION_KERNEL, .name = "native_stacks", .machine = check_native_stacks },
	{ .section = SECTION_KERNEL, .name = "pid_namespace", .machine = check_pid_namespace },
	{ .section = SECTION_KERNEL, .name = "lockdown", .machine = check_lockdown },
	{ .section = SECTION_KERNEL, .name = "jit", .machine = check_jit },
	{ .section = SECTION_KERNEL, .name = "programs", .machine = check_programs },
	{ .section = SECTION_KERNEL, .name = "processes", .machine = check_watching },
	{ .section = SECTION_KERNEL, .name = "loading", .machine = check_loading },
	{ .section = SECTION_KERNEL, .name = "seccomp", .machine = check_seccomp },
	{ .section = SECTION_KERNEL, .name = "shadow_stacks", .machine = check_shadow_stacks },
	{ .section = SECTION_KERNEL, .name = "written_over", .machine = check_written },
	{ .section = SECTION_KERNEL, .name = "names_memory", .machine = check_names_memory },
	{ .section = SECTION_KERNEL, .name = "memory", .machine = check_memory },
	{ .section = SECTION_KERNEL, .name = "emulation", .machine = check_forms },
	{ .section = SECTION_RIGHTS, .machine = check_rights },
	{ .section = SECTION_GPU, .name = "driver", .machine = check_driver },
	{ .section = SECTION_GPU, .name = "nvml", .machine = check_nvml },
	{ .section = SECTION_LIBRARIES, .name = "unreadable", .file = check_readable },
	{ .section = SECTION_LIBRARIES, .name = "nothing", .file = check_functions },
	{ .section = SECTION_LIBRARIES, .name = "stripped", .file = check_stripped },
	{ .section = SECTION_LIBRARIES, .name = "untried", .file = check_untried },
	{ .section = SECTION_LIBRARIES, .name = "refused", .file = check_refused },
	{ .section = SECTION_LIBRARIES, .name = "single_stepped", .file = check_stepped },
	{ .section = SECTION_LIBRARIES, .name = "unanswered", .machine = check_unanswered },
	{ .section = SECTION_LIBRARIES, .name = "none", .machine = check_any_file },
	{ .section = SECTION_PROCESSES, .name = "unreadable", .machine = check_unreadable },
	{ .section = SECTION_PROCESSES, .name = "process", .process = check_named },
	{ .section = SECTION_PROCESSES, .name = "translated", .process = check_translated },
	{ .section = SECTION_PROCESSES, .name = "process", .process = check_shadow_stack },
};

static void section_check(struct doctor *doctor, enum doctor_section section)
{
	for (size_t i = 0; i < ARRAY_LEN(checks); i++)
		if (checks[i].section == section && checks[i].machine)
			checks[i].machine(doctor, &checks[i]);
}

void doctor_check_machine(struct doctor *doctor)
{
	section_check(doctor, SECTION_KERNEL);
	section_check(doctor, SECTION_RIGHTS);
	section_check(doctor, SECTION_GPU);
}

/* Findings about one file stand together; those about all files follow. */
void doctor_check_files(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->file_count; i++)
		for (size_t j = 0; j < ARRAY_LEN(checks) && file_is_shown(doctor->files[i]); j++)
			if (checks[j].file)
				checks[j].file(doctor, &checks[j], doctor->files[i]);
	section_check(doctor, SECTION_LIBRARIES);
}

void doctor_check_processes(struct doctor *doctor)
{
	section_check(doctor, SECTION_PROCESSES);
	for (size_t i = 0; i < doctor->process_count; i++)
		for (size_t j = 0; j < ARRAY_LEN(checks); j++)
			if (checks[j].process)
				checks[j].process(doctor, &checks[j], &doctor->processes[i]);
}

enum doctor_state doctor_worst(const struct doctor *doctor)
{
	enum doctor_state worst = DOCTOR_OK;
	size_t i;

	for (i = 0; i < doctor->finding_count; i++)
		if (doctor->findings[i].state > worst)
			worst = doctor->findings[i].state;
	return worst;
}
