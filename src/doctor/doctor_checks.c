/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the facts mean: a line per thing that cutop needs or can make use of,
 * with what to do about it. Pure, so that kernels and rights that are not those
 * of the machine at hand can be judged in tests.
 */
#include "doctor/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"

const char *const doctor_state_names[DOCTOR_PROBLEM + 1] = {
	[DOCTOR_OK] = "ok",
	[DOCTOR_NOTE] = "note",
	[DOCTOR_UNKNOWN] = "unknown",
	[DOCTOR_WARNING] = "warning",
	[DOCTOR_PROBLEM] = "problem",
};

const char *const doctor_section_names[SECTION_PROCESSES + 1] = {
	[SECTION_KERNEL] = "kernel",
	[SECTION_RIGHTS] = "rights",
	[SECTION_GPU] = "gpu",
	[SECTION_LIBRARIES] = "libraries",
	[SECTION_PROCESSES] = "processes",
};

#define TEXT_MAX	6000	/* a path, and what is said of it */

void doctor_add(struct doctor *doctor, enum doctor_section section, const char *name, enum doctor_state state,
		const char *advice, const char *format, ...)
{
	struct doctor_check *more = realloc(doctor->checks, (doctor->check_count + 1) * sizeof(*more));
	char text[TEXT_MAX], clean[TEXT_MAX];
	struct doctor_check *check;
	va_list args;

	if (!more) {
		doctor->no_memory = true;
		return;
	}
	doctor->checks = more;
	check = &more[doctor->check_count];
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	check->section = section;
	check->name = name;
	check->state = state;
	check->text = strdup(utf8_clean(text, clean, sizeof(clean)));
	check->advice = advice ? strdup(utf8_clean(advice, clean, sizeof(clean))) : NULL;
	if (!check->text || (advice && !check->advice)) {
		free(check->text);
		free(check->advice);
		doctor->no_memory = true;
		return;
	}
	doctor->check_count++;
}

#define KERNEL(name, state, advice, ...) doctor_add(doctor, SECTION_KERNEL, name, state, advice, __VA_ARGS__)
#define RIGHTS(name, state, advice, ...) doctor_add(doctor, SECTION_RIGHTS, name, state, advice, __VA_ARGS__)
#define GPU(name, state, advice, ...) doctor_add(doctor, SECTION_GPU, name, state, advice, __VA_ARGS__)

#define RIGHTS_NEEDED_FIRST "what the kernel says can be known with CAP_BPF and CAP_PERFMON only"

/* ---- the kernel ---- */

static void check_method(struct doctor *doctor, const struct kernel_facts *kernel)
{
	struct kernel_features features;
	struct reason why = { "" };

	if (kernel_features_decide(&features, kernel, doctor->facts.forced, &why)) {
		KERNEL("attach_method", DOCTOR_PROBLEM, doctor->facts.forced ? "unset CUTOP_ATTACH" :
		       "use Linux 5.15 or newer, built with CONFIG_DEBUG_INFO_BTF=y", "%s", why.text);
		return;
	}
	switch (features.method) {
	case ATTACH_SESSION:
		KERNEL("attach_method", DOCTOR_OK, NULL, "session: one link probes entries and returns of many "
		       "functions; launches pay for a return probe only when it is likely to be news");
		break;
	case ATTACH_MULTI:
		KERNEL("attach_method", DOCTOR_OK, NULL, "multi: one link probes many functions; every launch pays "
		       "for its return probe (Linux 6.13 would not)");
		break;
	default:
		KERNEL("attach_method", DOCTOR_WARNING, "use Linux 6.6 or newer",
		       "perf: a link per function, which takes seconds to undo; a helper process does that, and "
		       "functions that are counted only are not probed");
	}
	if (!features.sleepable)
		KERNEL("strings", DOCTOR_NOTE, NULL,
		       "kernel names that are not in memory stay unread (Linux 6.0 reads them)");
	if (!features.find_vma)
		KERNEL("overlays", DOCTOR_NOTE, NULL, "a file seen through two overlay mounts counts twice (Linux "
		       "5.17 tells that it is one)");
}

static void check_loading(struct doctor *doctor)
{
	const struct doctor_facts *facts = &doctor->facts;

	if (!facts->tried) {
		KERNEL("programs", DOCTOR_UNKNOWN, NULL,
		       "whether the kernel takes the BPF programs: " RIGHTS_NEEDED_FIRST);
		return;
	}
	if (facts->load_error) {
		KERNEL("programs", DOCTOR_PROBLEM, "see the kernel's log (dmesg) and kernel lockdown", "%s",
		       facts->load_why.text);
		return;
	}
	KERNEL("programs", DOCTOR_OK, NULL, "the BPF programs load (%.0f ms, ring buffer of %llu KiB)",
	       (double)facts->load_time / NSEC_PER_MSEC, (unsigned long long)(facts->ring_bytes >> 10));
}

static void check_watching(struct doctor *doctor)
{
	static const char *const events[] = { [TRIAL_EXEC] = "start", [TRIAL_EXIT] = "end", [TRIAL_FORK] = "fork" };
	const struct doctor_facts *facts = &doctor->facts;
	bool refused = false;
	int i;

	if (!facts->tried || facts->load_error)
		return;
	for (i = TRIAL_EXEC; i <= TRIAL_FORK; i++) {
		if (facts->watch_errors[i] >= 0)
			continue;
		refused = true;
		KERNEL("processes", DOCTOR_PROBLEM, "see kernel lockdown", "the %s of processes cannot be watched: %s",
		       events[i], strerror(-facts->watch_errors[i]));
	}
	if (!refused)
		KERNEL("processes", DOCTOR_OK, NULL, "start, fork and end of processes can be watched");
	if (facts->watch_errors[TRIAL_MMAP] < 0)
		KERNEL("loading", DOCTOR_WARNING, "mount -t tracefs tracefs /sys/kernel/tracing, and let cutop read it "
		       "(CAP_DAC_READ_SEARCH), or give cutop CAP_SYS_ADMIN",
		       "libraries that running programs load cannot be watched for: no tracepoint sys_enter_mmap (%s)",
		       strerror(-facts->watch_errors[TRIAL_MMAP]));
	else if (facts->watch_errors[TRIAL_MMAP] == LOADING_FUNCTION)
		KERNEL("loading", DOCTOR_OK, NULL, "libraries that running programs load are noticed (function "
		       "ksys_mmap_pgoff)");
	else if (facts->watch_errors[TRIAL_MMAP] == LOADING_TOUCH)
		KERNEL("loading", DOCTOR_OK, NULL, "libraries that running programs load are noticed (touch of a file's "
		       "page, tracepoints mm_filemap_map_pages and mm_filemap_fault)");
	else
		KERNEL("loading", DOCTOR_OK, NULL, "libraries that running programs load are noticed (tracepoint "
		       "sys_enter_mmap, which makes each system call of all programs some nanoseconds dearer)");
}

/* Which programs have no return probes where those of a program like theirs were seen to kill it. */
static const char *spared(const struct doctor_facts *facts)
{
	struct kernel_features features;

	return !kernel_features_decide(&features, &facts->kernel, facts->forced, NULL) && features.method == ATTACH_SESSION ?
	       "such programs have none, and what they allocate is not known" :
	       "none are placed, and what programs allocate is not known (see --returns)";
}

/* Versions are only believed where nothing could be tried: kernels have backports. */
static void check_harm(struct doctor *doctor)
{
	const struct doctor_facts *facts = &doctor->facts;
	unsigned int version = kernel_version(facts->kernel.release);
	bool suspect = version >= KERNEL_AT(6, 11, 0) && version < KERNEL_AT(6, 14, 0);
	bool shadow_suspect = version >= KERNEL_AT(6, 6, 0) && version < KERNEL_AT(6, 11, 0);

	if (facts->selftest.seccomp == VERDICT_FINE)
		KERNEL("seccomp", DOCTOR_OK, NULL, "return probes do no harm to programs under a strict seccomp "
		       "filter (tried)");
	else if (facts->selftest.seccomp == VERDICT_KILLS)
		KERNEL("seccomp", DOCTOR_WARNING, "update the kernel to 6.14 or a later 6.12 or 6.13",
		       "return probes kill programs under a strict seccomp filter (tried): %s", spared(facts));
	else if (suspect)
		KERNEL("seccomp", DOCTOR_WARNING, "run cutop doctor with CAP_BPF and CAP_PERFMON to have it tried",
		       "return probes may kill programs under a strict seccomp filter: Linux 6.11 to early 6.13 do "
		       "that");
	else
		KERNEL("seccomp", DOCTOR_OK, NULL, "return probes do no harm under seccomp with this version (not "
		       "tried)");
	if (!facts->shadow_stacks)
		return;
	if (facts->selftest.shadow_stack == VERDICT_KILLS)
		KERNEL("shadow_stacks", DOCTOR_WARNING, "update the kernel to 6.11 or newer",
		       "return probes kill programs that use a shadow stack (tried): where one runs, none are placed");
	else if (facts->selftest.shadow_stack == VERDICT_UNKNOWN && shadow_suspect)
		KERNEL("shadow_stacks", DOCTOR_WARNING, "update the kernel to 6.11 or newer",
		       "return probes kill programs that use a shadow stack (this processor has them): Linux 6.6 to "
		       "6.10");
	else
		KERNEL("shadow_stacks", DOCTOR_OK, NULL, "return probes and shadow stacks go together with this "
		       "%s", facts->selftest.shadow_stack == VERDICT_FINE ? "kernel (tried)" : "version");
}

static void check_kernel(struct doctor *doctor)
{
	const struct doctor_facts *facts = &doctor->facts;
	const struct kernel_facts *kernel = &facts->kernel;

	if (kernel_version(kernel->release) < KERNEL_AT(5, 15, 0))
		KERNEL("version", DOCTOR_PROBLEM, "use Linux 5.15 or newer", "Linux %s is too old", kernel->release);
	else
		KERNEL("version", DOCTOR_OK, NULL, "Linux %s", kernel->release);
	if (kernel->btf)
		KERNEL("btf", DOCTOR_OK, NULL, "BTF is there (/sys/kernel/btf/vmlinux)");
	else
		KERNEL("btf", DOCTOR_PROBLEM, "use a kernel built with CONFIG_DEBUG_INFO_BTF=y",
		       "no BTF in /sys/kernel/btf/vmlinux");
	check_method(doctor, kernel);
	if (facts->own_pids)
		KERNEL("pid_namespace", DOCTOR_PROBLEM, "start the container with the machine's (--pid=host; in Kubernetes hostPID: "
		       "true)", "we run in a pid namespace of our own: processes have other numbers than the kernel tells");
	if (!strcmp(facts->lockdown, "confidentiality"))
		KERNEL("lockdown", facts->tried && !facts->load_error ? DOCTOR_WARNING : DOCTOR_PROBLEM,
		       "boot without lockdown=confidentiality", "kernel lockdown is at confidentiality: BPF programs "
		       "may not read memory");
	else if (facts->lockdown[0])
		KERNEL("lockdown", DOCTOR_OK, NULL, "kernel lockdown: %s", facts->lockdown);
	if (!facts->jit)
		KERNEL("jit", DOCTOR_WARNING, "sysctl net.core.bpf_jit_enable=1", "BPF programs are interpreted, not "
		       "compiled");
	check_loading(doctor);
	check_watching(doctor);
	check_harm(doctor);
	/* The process that reads source lines may take as much again. */
	KERNEL("names_memory", facts->memory_max / 4 < facts->names_bytes ? DOCTOR_WARNING : DOCTOR_OK,
	       facts->memory_max / 4 < facts->names_bytes ? "a smaller --names-memory, or a higher limit of the control group" : NULL,
	       "names of functions from files take %llu MiB at most (--names-memory)", (unsigned long long)(facts->names_bytes >> 20));
	/* The ring, the maps and the links are charged to our control group. */
	if (facts->memory_max / 4 < facts->ring_bytes)
		KERNEL("memory", DOCTOR_WARNING, "a smaller --ring-size, or a higher limit",
		       "our control group may use %llu KiB of memory, and the ring buffer alone is %llu KiB",
		       (unsigned long long)(facts->memory_max >> 10), (unsigned long long)(facts->ring_bytes >> 10));
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
	[RIGHT_READ_SEARCH] = { DOCTOR_WARNING, "reads libraries in private homes, and tracefs" },
	[RIGHT_ADMIN] = { DOCTOR_NOTE, "needed only where tracefs is not mounted" },
};

static const struct right_use admin_places = { DOCTOR_PROBLEM, "places the probes, as on kernels before 6.6 no lesser right does" };

static void check_rights(struct doctor *doctor)
{
	const struct doctor_facts *facts = &doctor->facts;
	unsigned int held = facts->rights.effective, i;
	bool admin = held & 1u << RIGHT_ADMIN;
	struct kernel_features features;
	char advice[PATH_MAX + 256], others[256];
	bool singly = !kernel_features_decide(&features, &facts->kernel, facts->forced, NULL) && features.method == ATTACH_PERF;

	snprintf(advice, sizeof(advice), "sudo cutop ..., or: setcap cap_bpf,cap_perfmon,cap_sys_ptrace,"
		 "cap_dac_read_search%s+ep %s", singly ? ",cap_sys_admin" : "", facts->program);
	for (i = 0; i < RIGHT_COUNT; i++) {
		const struct right_use *right = singly && i == RIGHT_ADMIN ? &admin_places : &rights[i];
		const char *name = kernel_right_names[i];

		if (held & 1u << i) {
			RIGHTS(name, DOCTOR_OK, NULL, "%s held: %s", name, right->use);
		} else if (admin && i <= RIGHT_PERFMON) {
			RIGHTS(name, DOCTOR_OK, NULL, "%s not held, CAP_SYS_ADMIN stands in: %s", name, right->use);
		} else if (facts->rights.bounding & 1u << i || right->without == DOCTOR_NOTE) {
			RIGHTS(name, right->without, right->without == DOCTOR_NOTE ? NULL : advice,
			       "%s missing: %s", name, right->use);
		} else {
			snprintf(others, sizeof(others), "it is out of reach in here (bounding set): start the "
				 "container or service with it (docker run --cap-add %s)", name + strlen("CAP_"));
			RIGHTS(name, right->without, others, "%s missing: %s", name, right->use);
		}
	}
}

/* ---- the GPU ---- */

static void check_entries(struct doctor *doctor)
{
	const struct entry_facts *entries = &doctor->facts.entries;

	if (!entries->asked)
		return;
	if (!entries->elsewhere)
		GPU("entry_points", DOCTOR_OK, NULL, "libcuda.so.1 hands out its functions where they are probed (%u, tried)",
		    entries->given);
	else
		GPU("entry_points", DOCTOR_WARNING, "tell cutop's authors the version of the driver", "libcuda.so.1 hands out %u "
		    "of %u functions at addresses that are not probed, %s among them: such calls of cuBLAS, cuDNN, NCCL and "
		    "of stripped programs are not seen", entries->elsewhere, entries->given, entries->first);
}

static void check_gpu(struct doctor *doctor)
{
	const struct doctor_facts *facts = &doctor->facts;

	if (facts->driver[0])
		GPU("driver", DOCTOR_OK, NULL, "%s", facts->driver);
	else
		GPU("driver", DOCTOR_NOTE, NULL, "no NVIDIA driver is loaded (no /proc/driver/nvidia/version); cutop "
		    "needs none");
	if (facts->nvml.path[0])
		GPU("nvml", DOCTOR_OK, NULL, "%s", facts->nvml.path);
	else
		GPU("nvml", DOCTOR_NOTE, NULL, "no totals of devices: %s", facts->nvml.why.text);
	check_entries(doctor);
}

/* Which instructions probes are cheap on. */
static void check_forms(struct doctor *doctor)
{
	const struct forms *forms = &doctor->facts.forms;
	char list[512] = "";
	int form;

	for (form = FORM_OTHER + 1; form < FORM_COUNT; form++)
		if (forms->verdicts[form] == FORM_EMULATED)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", list[0] ? ", " : "", form_names[form]);
	KERNEL("emulation", forms->tried ? DOCTOR_OK : DOCTOR_UNKNOWN, NULL, "%s emulated under a probe, others are single-stepped (%s)",
	       list[0] ? list : "no instruction is", forms->tried ? "tried" : "not tried: what every kernel emulates");
}

void doctor_check_machine(struct doctor *doctor)
{
	check_kernel(doctor);
	check_forms(doctor);
	check_rights(doctor);
	check_gpu(doctor);
}

/* ---- files ---- */

#if defined(__aarch64__)
#define STEPPING_IS_A_DANGER true	/* DataDog/datadog-agent#54291 */
#else
#define STEPPING_IS_A_DANGER false
#endif

static void check_file(struct doctor *doctor, const struct doctor_file *file)
{
	const unsigned int *counts = file->functions.counts;

	if (file->kind == FILE_UNREADABLE) {
		doctor_add(doctor, SECTION_LIBRARIES, "unreadable", file->wanted ? DOCTOR_PROBLEM : DOCTOR_WARNING,
			   NULL, "%s: %s", file->path, file->why.text);
		return;
	}
	if (file->wanted && file->kind == FILE_NOTHING)
		doctor_add(doctor, SECTION_LIBRARIES, "nothing", DOCTOR_PROBLEM, "name a file that defines CUDA "
			   "functions",
			   "%s: defines no function that cutop knows", file->path);
	if (file->kind == FILE_STRIPPED && !layer_is_known(LAYER_DRIVER))
		doctor_add(doctor, SECTION_LIBRARIES, "stripped", DOCTOR_NOTE, NULL,
			   "%s: its CUDA calls are made at the driver layer, which cutop does not probe", file->path);
	if (file->why.text[0])
		doctor_add(doctor, SECTION_LIBRARIES, "refused", DOCTOR_PROBLEM, NULL, "%s: %s", file->path,
			   file->why.text);
	else if (counts[FUNCTION_REFUSED])
		doctor_add(doctor, SECTION_LIBRARIES, "refused", DOCTOR_WARNING, NULL,
			   "%s: the kernel refuses probes on %u function%s; their calls are not seen", file->path,
			   counts[FUNCTION_REFUSED], counts[FUNCTION_REFUSED] == 1 ? "" : "s");
	if (file->functions.points[POINT_STEPPED] && STEPPING_IS_A_DANGER)
		doctor_add(doctor, SECTION_LIBRARIES, "single_stepped", DOCTOR_WARNING,
			   "give --no-single-step, which leaves these functions out, if a program fails under cutop",
			   "%s: %u function%s single-stepped; on some arm64 machines a single-stepped program was seen to go on at a "
			   "wrong address", file->path, file->functions.points[POINT_STEPPED],
			   file->functions.points[POINT_STEPPED] == 1 ? " is" : "s are");
	else if (file->functions.points[POINT_STEPPED])
		doctor_add(doctor, SECTION_LIBRARIES, "single_stepped", DOCTOR_NOTE, NULL,
			   "%s: %u function%s single-stepped: each call of one costs some 10 us more in a virtual machine", file->path,
			   file->functions.points[POINT_STEPPED], file->functions.points[POINT_STEPPED] == 1 ? " is" : "s are");
	if (counts[FUNCTION_MISSING])
		doctor_add(doctor, SECTION_LIBRARIES, "missing", DOCTOR_WARNING,
			   "if it is NVIDIA's own, tell cutop's authors its version and build id",
			   "%s: lacks %u function%s that CUDA %u.%u declares", file->path, counts[FUNCTION_MISSING],
			   counts[FUNCTION_MISSING] == 1 ? "" : "s", file->version / 1000, file->version % 1000 / 10);
}

void doctor_check_files(struct doctor *doctor)
{
	bool any = false;
	size_t i;

	for (i = 0; i < doctor->file_count; i++) {
		const struct doctor_file *file = doctor->files[i];

		any = any || file->found.count;
		if (file_is_shown(file))
			check_file(doctor, file);
	}
	if (!any)
		doctor_add(doctor, SECTION_LIBRARIES, "none", DOCTOR_NOTE, "--library PATH, if it lies in an unusual "
			   "place",
			   "no CUDA library was found; one is probed when a program loads it");
}

/* ---- processes ---- */

void doctor_check_processes(struct doctor *doctor)
{
	bool may_look = doctor->facts.rights.effective & 1u << RIGHT_PTRACE;
	size_t i;

	if (doctor->unreadable && may_look)
		doctor_add(doctor, SECTION_PROCESSES, "unreadable", DOCTOR_NOTE, NULL, "%u of %u processes could not "
			   "be looked into: %s more rights than cutop", doctor->unreadable, doctor->looked_at,
			   doctor->unreadable == 1 ? "it has" : "they have");
	else if (doctor->unreadable)
		doctor_add(doctor, SECTION_PROCESSES, "unreadable", DOCTOR_WARNING, "give cutop CAP_SYS_PTRACE",
			   "%u of %u processes could not be looked into", doctor->unreadable, doctor->looked_at);
	for (i = 0; i < doctor->process_count; i++) {
		const struct doctor_process *process = &doctor->processes[i];

		if (process->named && process->error)
			doctor_add(doctor, SECTION_PROCESSES, "process", DOCTOR_PROBLEM, process->error == -EACCES && !may_look ?
				   "give cutop CAP_SYS_PTRACE, or run it as root" : NULL, "process %d cannot be "
				   "looked into: %s",
				   process->pid, process->error == -EACCES && may_look ? "it has more rights than cutop" :
				   strerror(-process->error));
		if (process->shadow_stack && (doctor->facts.selftest.shadow_stack == VERDICT_KILLS ||
		    (doctor->facts.selftest.shadow_stack == VERDICT_UNKNOWN &&
		     kernel_version(doctor->facts.kernel.release) < KERNEL_AT(6, 11, 0))))
			doctor_add(doctor, SECTION_PROCESSES, "process", DOCTOR_WARNING, "update the kernel to 6.11 or newer",
				   "process %d uses a shadow stack, and a return probe would kill it: none are placed",
				   process->pid);
	}
}

enum doctor_state doctor_worst(const struct doctor *doctor)
{
	enum doctor_state worst = DOCTOR_OK;
	size_t i;

	for (i = 0; i < doctor->check_count; i++)
		if (doctor->checks[i].state > worst)
			worst = doctor->checks[i].state;
	return worst;
}
