/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the facts mean: a line for each thing that cutop needs or can use, with what to do about it.
 * Pure, so that tests can judge kernels and rights other than those of the machine at hand.
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

/* Adds a finding to the section that the function is about. */
#define FOUND(name, state, advice, ...) \
	doctor_add(doctor, section, name, state, advice, __VA_ARGS__)

#define RIGHTS_NEEDED_FIRST "what the kernel says can be known with CAP_BPF and CAP_PERFMON only"

/* ---- the kernel ---- */

/* Whether probes can be placed at all, and how. */
static bool features_of(const struct doctor_facts *facts, struct kernel_features *features,
			struct reason *why)
{
	return !kernel_features_decide(features, &facts->kernel, facts->forced, why);
}

static void check_kernel(struct doctor *doctor)
{
	const enum doctor_section section = SECTION_KERNEL;
	const struct doctor_facts *facts = &doctor->facts;
	const char *release = facts->kernel.release;

	if (kernel_is_too_old(&facts->kernel))
		FOUND("version", DOCTOR_PROBLEM, "use Linux 6.1 or newer", "Linux %s is too old",
		      release);
	else
		FOUND("version", DOCTOR_OK, NULL, "Linux %s", release);
	if (facts->kernel.btf)
		FOUND("btf", DOCTOR_OK, NULL, "BTF is there (/sys/kernel/btf/vmlinux)");
	else
		FOUND("btf", DOCTOR_PROBLEM, "use a kernel built with CONFIG_DEBUG_INFO_BTF=y",
		      "no BTF in /sys/kernel/btf/vmlinux");
}

static void check_method(struct doctor *doctor)
{
	const enum doctor_section section = SECTION_KERNEL;
	struct kernel_features features;
	struct reason why = { "" };

	if (!features_of(&doctor->facts, &features, &why)) {
		FOUND("attach_method", DOCTOR_PROBLEM,
		      doctor->facts.forced ?
			      "unset CUTOP_ATTACH" :
			      "use Linux 6.1 or newer, built with CONFIG_DEBUG_INFO_BTF=y",
		      "%s", why.text);
		return;
	}
#if !defined(__x86_64__)
	FOUND("native_stacks", DOCTOR_NOTE, NULL,
	      "a call site is one address, as unwinding needs x86-64; --stacks follows frame pointers");
#endif
	switch (features.method) {
	case ATTACH_SESSION:
		FOUND("attach_method", DOCTOR_OK, NULL,
		      "session: one link probes entries and returns of many "
		      "functions; launches pay for a return probe only when it is likely to be news");
		break;
	case ATTACH_MULTI:
		FOUND("attach_method", DOCTOR_OK, NULL,
		      "multi: one link probes many functions; every launch pays "
		      "for its return probe (Linux 6.13 would not)");
		break;
	default:
		FOUND("attach_method", DOCTOR_WARNING, "use Linux 6.6 or newer",
		      "perf: a link per function, which takes seconds to undo; functions that are counted "
		      "only are not probed");
	}
}

/* What may keep BPF programs from loading, and whether they do. */
static void check_loaded(struct doctor *doctor)
{
	const enum doctor_section section = SECTION_KERNEL;
	const struct doctor_facts *facts = &doctor->facts;

	if (facts->own_pids)
		FOUND("pid_namespace", DOCTOR_PROBLEM,
		      "start the container with the machine's (--pid=host; in Kubernetes hostPID: "
		      "true)",
		      "we run in a pid namespace of our own: processes have other numbers than the kernel tells");
	if (!strcmp(facts->lockdown, "confidentiality"))
		FOUND("lockdown",
		      facts->tried && !facts->load_error ? DOCTOR_WARNING : DOCTOR_PROBLEM,
		      "boot without lockdown=confidentiality",
		      "kernel lockdown is at confidentiality: BPF programs "
		      "may not read memory");
	else if (facts->lockdown[0])
		FOUND("lockdown", DOCTOR_OK, NULL, "kernel lockdown: %s", facts->lockdown);
	if (!facts->jit)
		FOUND("jit", DOCTOR_WARNING, "sysctl net.core.bpf_jit_enable=1",
		      "BPF programs are interpreted, not compiled");
	if (!facts->tried) {
		FOUND("programs", DOCTOR_UNKNOWN, NULL,
		      "whether the kernel takes the BPF programs: " RIGHTS_NEEDED_FIRST);
		return;
	}
	if (facts->load_error) {
		FOUND("programs", DOCTOR_PROBLEM,
		      "see the kernel's log (dmesg) and kernel lockdown", "%s",
		      facts->load_why.text);
		return;
	}
	FOUND("programs", DOCTOR_OK, NULL, "the BPF programs load (ring buffer of %llu KiB)",
	      (unsigned long long)(doctor->options->ring_bytes >> 10));
}

static void check_cost(struct doctor *doctor)
{
	const enum doctor_section section = SECTION_KERNEL;

	if (doctor->facts.hit_cost)
		FOUND("cost", DOCTOR_OK, NULL,
		      "a call that is probed takes a program some %.1f us longer; of its time it pays "
		      "no more than --budget allows, unless all is asked for (--budget 0)",
		      (double)doctor->facts.hit_cost / 1000);
}

/* Processes, and what they load. */
static void check_watching(struct doctor *doctor)
{
	const enum doctor_section section = SECTION_KERNEL;
	const struct doctor_facts *facts = &doctor->facts;

	if (!facts->tried || facts->load_error)
		return;
	if (facts->watch_error) {
		FOUND("processes", DOCTOR_PROBLEM, "see kernel lockdown", "%s",
		      facts->watch_why.text);
		return;
	}
	FOUND("processes", DOCTOR_OK, NULL, "start, fork and end of processes can be watched");
	if (facts->loading < 0)
		FOUND("loading", DOCTOR_WARNING, "use Linux 6.12 or newer",
		      "libraries that running programs load later are not noticed: this kernel lets no "
		      "program trace ksys_mmap_pgoff (%s)",
		      strerror(-facts->loading));
	else if (facts->loading == LOADING_FUNCTION)
		FOUND("loading", DOCTOR_OK, NULL,
		      "libraries that running programs load are noticed (function "
		      "ksys_mmap_pgoff)");
	else
		FOUND("loading", DOCTOR_OK, NULL,
		      "libraries that running programs load are noticed (touch of a file's "
		      "page, tracepoints mm_filemap_map_pages and mm_filemap_fault)");
}

/* What probes may do to programs: docs/faults.md and docs/do-no-harm.md. */
static void check_harm(struct doctor *doctor)
{
	const enum doctor_section section = SECTION_KERNEL;
	const struct doctor_facts *facts = &doctor->facts;

	if (facts->kernel.filtered_die)
		FOUND("seccomp", DOCTOR_WARNING,
		      "update the kernel to 6.14 or a later 6.12 or 6.13; or, where no program that uses CUDA is "
		      "filtered, give --returns=always",
		      "return probes kill programs under a seccomp filter with this version of the kernel: none are "
		      "placed");
	else
		FOUND("seccomp", DOCTOR_OK, NULL,
		      "return probes do no harm to programs under a seccomp filter");
	if (facts->kernel.shadowed_die)
		FOUND("shadow_stacks", DOCTOR_WARNING, "update the kernel to 6.11 or newer",
		      "return probes kill programs that use a shadow stack: where one runs, none are placed");
	if (!facts->leases)
		FOUND("written_over", DOCTOR_WARNING, "sysctl fs.leases-enable=1",
		      "a library that is written over in place is noticed "
		      "100 ms late: what loads it meanwhile may crash");
	else if (facts->lease_break >= 0)
		FOUND("written_over", DOCTOR_OK, NULL,
		      "the probes are off a library before it is written over in place (another user's: "
		      "with CAP_LEASE), also while cutop is stopped; if cutop-guard is stopped as well, as in a frozen control group, the "
		      "writer waits %d s (fs.lease-break-time) and then writes under the probes",
		      facts->lease_break);
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

static void check_rights(struct doctor *doctor)
{
	const enum doctor_section section = SECTION_RIGHTS;
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
			FOUND(name, DOCTOR_OK, NULL, "%s held: %s", name, right->use);
		} else if (admin && i <= RIGHT_PERFMON) {
			FOUND(name, DOCTOR_OK, NULL, "%s not held, CAP_SYS_ADMIN stands in: %s",
			      name, right->use);
		} else if (facts->rights.bounding & 1u << i || right->without == DOCTOR_NOTE) {
			FOUND(name, right->without, right->without == DOCTOR_NOTE ? NULL : advice,
			      "%s missing: %s", name, right->use);
		} else {
			snprintf(others, sizeof(others),
				 "it is out of reach in here (bounding set): start the "
				 "container or service with it (docker run --cap-add %s)",
				 name + strlen("CAP_"));
			FOUND(name, right->without, others, "%s missing: %s", name, right->use);
		}
	}
}

void doctor_check_machine(struct doctor *doctor)
{
	check_kernel(doctor);
	check_method(doctor);
	check_loaded(doctor);
	check_cost(doctor);
	check_watching(doctor);
	check_harm(doctor);
	check_rights(doctor);
	if (doctor->facts.driver[0])
		doctor_add(doctor, SECTION_GPU, "driver", DOCTOR_OK, NULL, "%s",
			   doctor->facts.driver);
	else
		doctor_add(
			doctor, SECTION_GPU, "driver", DOCTOR_NOTE, NULL,
			"no NVIDIA driver is loaded (no /proc/driver/nvidia/version); cutop needs none");
}

/* ---- files ---- */

#if defined(__aarch64__)
#define STEPPING_IS_A_DANGER true /* DataDog/datadog-agent#54291 */
#else
#define STEPPING_IS_A_DANGER false
#endif

static void check_file(struct doctor *doctor, const struct doctor_file *file)
{
	const enum doctor_section section = SECTION_LIBRARIES;
	unsigned int stepped = file->functions.points[POINT_STEPPED];

	if (file->kind == FILE_UNREADABLE)
		FOUND("unreadable", file->wanted ? DOCTOR_PROBLEM : DOCTOR_WARNING, NULL, "%s: %s",
		      file->path, file->why.text);
	if (file->wanted && file->kind == FILE_NOTHING)
		FOUND("nothing", DOCTOR_PROBLEM, "name a file that defines CUDA functions",
		      "%s: defines no function that cutop knows", file->path);
	if (stepped && STEPPING_IS_A_DANGER)
		FOUND("single_stepped", DOCTOR_WARNING,
		      "give --no-single-step, which leaves these functions out, if a program fails under cutop",
		      "%s: %u function%s single-stepped; on some arm64 machines a single-stepped program was seen to go on at a "
		      "wrong address",
		      file->path, stepped, stepped == 1 ? " is" : "s are");
	else if (stepped)
		FOUND("single_stepped", DOCTOR_NOTE, NULL,
		      "%s: %u function%s single-stepped: each call of one costs some 10 us more in a virtual machine",
		      file->path, stepped, stepped == 1 ? " is" : "s are");
}

void doctor_check_files(struct doctor *doctor)
{
	const enum doctor_section section = SECTION_LIBRARIES;
	bool any = false;

	for (size_t i = 0; i < doctor->file_count; i++) {
		any = any || doctor->files[i]->found.count;
		if (file_is_shown(doctor->files[i]))
			check_file(doctor, doctor->files[i]);
	}
	if (doctor->unanswered)
		FOUND("unanswered", DOCTOR_WARNING,
		      "see what is mounted (findmnt), and that its servers answer",
		      "%u files could not be looked at: their file systems do not answer",
		      doctor->unanswered);
	if (!any)
		FOUND("none", DOCTOR_NOTE, "--library PATH, if it lies in an unusual place",
		      "no CUDA library was found; one is probed when a program loads it");
}

/* ---- processes ---- */

static void check_process(struct doctor *doctor, const struct doctor_process *process,
			  bool may_look)
{
	const enum doctor_section section = SECTION_PROCESSES;
	bool denied = process->error == -EACCES;

	if (process->named && process->error)
		FOUND("process", DOCTOR_PROBLEM,
		      denied && !may_look ? "give cutop CAP_SYS_PTRACE, or run it as root" : NULL,
		      "process %d cannot be looked into: %s", process->pid,
		      denied && may_look ? "it has more rights than cutop" :
					   strerror(-process->error));
	if (process->refused)
		FOUND("refused", DOCTOR_WARNING,
		      "mount it with -o allow_root (FUSE), export it with no_root_squash (NFS), or run a copy from another file system",
		      "process %d maps %s, which cutop may not read: what it does there is not seen",
		      process->pid, process->refused);
	if (process->translator)
		FOUND("translated", DOCTOR_WARNING,
		      "end it before cutop is started, or watch others by --pid",
		      "process %d is translated (%s): probes are code to that, and are likely to end it by SIGTRAP",
		      process->pid, process->translator);
	if (process->shadow_stack && doctor->facts.kernel.shadowed_die)
		FOUND("process", DOCTOR_WARNING, "update the kernel to 6.11 or newer",
		      "process %d uses a shadow stack, and a return probe would kill it: none are placed",
		      process->pid);
}

void doctor_check_processes(struct doctor *doctor)
{
	const enum doctor_section section = SECTION_PROCESSES;
	bool may_look = doctor->facts.rights.effective & 1u << RIGHT_PTRACE;

	if (doctor->unreadable && may_look)
		FOUND("unreadable", DOCTOR_NOTE, NULL,
		      "%u of %u processes could not be looked into: %s more rights than cutop",
		      doctor->unreadable, doctor->looked_at,
		      doctor->unreadable == 1 ? "it has" : "they have");
	else if (doctor->unreadable)
		FOUND("unreadable", DOCTOR_WARNING, "give cutop CAP_SYS_PTRACE",
		      "%u of %u processes could not be looked into", doctor->unreadable,
		      doctor->looked_at);
	for (size_t i = 0; i < doctor->process_count; i++)
		check_process(doctor, &doctor->processes[i], may_look);
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
