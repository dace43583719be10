/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cutop doctor: what works here, what does not, and what to do about it.
 *
 * It is gathered in two steps, so that what is concluded can be tested without
 * the machines it is true of: facts (doctor_facts.c, doctor_files.c,
 * doctor_processes.c), and judgement of them (doctor_checks.c,
 * doctor_functions.c), which is pure. doctor_text.c and doctor_json.c print the
 * same report.
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "probe/loading.h"
#include "probe/dry_run.h"
#include "cuda/versions.h"
#include "cli/options.h"
#include "print/print.h"
#include "probe/elfinfo.h"
#include "probe/forms.h"
#include "probe/kernel.h"
#include "probe/outside.h"
#include "probe/selftest.h"

/* ---- the machine ---- */

/* Where cuGetProcAddress() of libcuda.so.1 says that the table's functions are. */
struct entry_facts {
	bool asked;			/* there is one, and it answered */
	unsigned int given, elsewhere;	/* functions it gives; in some version at an address that is not probed */
	char first[64];			/* of those elsewhere */
};

/* NVIDIA's management library, as the collector finds it. */
struct nvml_facts {
	char path[PATH_MAX];		/* libnvidia-ml.so.1; empty: it cannot be used */
	struct reason why;		/* then */
};

struct doctor_facts {
	struct kernel_facts kernel;
	const char *forced;		/* attach method asked for, or NULL */
	struct kernel_rights_held rights;
	char program[PATH_MAX];		/* our own file */
	char lockdown[32];		/* "none", "integrity", "confidentiality"; empty: the kernel does not say */
	int jit;			/* net.core.bpf_jit_enable; -1: not known */
	int leases, lease_break;	/* fs.leases-enable; fs.lease-break-time, in seconds; -1: not known */
	bool shadow_stacks;		/* the processor has them */
	bool own_pids;			/* we are in a pid namespace of our own */
	uint64_t ring_bytes, memory_max;	/* memory_max: of our control group; UINT64_MAX: none */
	uint64_t names_bytes;
	char driver[256];		/* first line of /proc/driver/nvidia/version; empty: no driver */
	struct nvml_facts nvml;
	struct entry_facts entries;
	struct forms forms;		/* tried, or what every kernel emulates */

	bool tried;			/* we may load programs, so that what follows is known */
	int load_error;			/* negative errno, 0: loaded */
	struct reason load_why;
	uint64_t load_time;		/* ns */
	int watch_errors[DRY_RUN_MMAP + 1];	/* by enum dry_run_event: as dry_run_watch() returns */
	struct selftest selftest;
};

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,		/* neither good nor bad */
	DOCTOR_UNKNOWN,		/* cannot be known with our rights */
	DOCTOR_WARNING,		/* something is lost */
	DOCTOR_PROBLEM,		/* nothing can be watched, or harm would be done */
};

extern const char *const doctor_state_names[DOCTOR_PROBLEM + 1];	/* "ok", "note", ... */

enum doctor_section { SECTION_KERNEL, SECTION_RIGHTS, SECTION_GPU, SECTION_LIBRARIES, SECTION_PROCESSES, SECTION_COUNT };

extern const struct doctor_section_desc {
	const char *name, *title;	/* in JSON, and as a heading of text */
} doctor_sections[SECTION_COUNT];

/* What a check found: a line of the report. */
struct doctor_finding {
	enum doctor_section section;
	const char *name;	/* static */
	enum doctor_state state;
	char *text, *advice;	/* advice: what to do about it, or NULL */
};

/* ---- functions of one file ---- */

/* What became of a line of the table in one file. */
enum function_state {
	FUNCTION_ABSENT,	/* not in the file, and nothing says that it should be */
	FUNCTION_NOT_DECLARED,	/* not in it, and rightly so: its version has no such function */
	FUNCTION_MISSING,	/* not in it, though its version has it */
	FUNCTION_OFF,		/* in it, not probed: its group is off (--calls) */
	FUNCTION_UNTRIED,	/* in it, and nothing was tried */
	FUNCTION_LEFT_OUT,	/* in it, not probed: --no-single-step, or it lies inside another function's instruction */
	FUNCTION_ALIAS,		/* another name of one that is probed */
	FUNCTION_REFUSED,	/* the kernel does not take a probe there */
	FUNCTION_ATTACHED,
	FUNCTION_STATE_COUNT,
};

extern const char *const function_state_names[FUNCTION_STATE_COUNT];

struct doctor_function {
	enum function_state state;
	enum start start;	/* of those in the file */
	enum point point;	/* the same: where its probe is or would be */
	unsigned int past;	/* POINT_PAST: bytes from its entry to its probe */
	uint16_t alias_of;	/* FUNCTION_ALIAS */
	int error;		/* FUNCTION_REFUSED: negative errno */
};

struct doctor_functions {
	struct doctor_function list[CALL_COUNT];
	unsigned int counts[FUNCTION_STATE_COUNT];
	unsigned int starts[START_OTHER + 1];	/* of those with an address of their own */
	unsigned int points[POINT_COUNT];	/* of those of them that are asked for */
	unsigned int table;			/* lines of the file's layers */
	unsigned int layers;			/* bits of enum call_layer */
};

/* What a file is to us. */
enum file_kind {
	FILE_NOTHING,
	FILE_RUNTIME,	/* libcudart */
	FILE_DRIVER,	/* libcuda.so.1 */
	FILE_LINKED,	/* a program or library with a runtime linked in, that kept its symbols */
	FILE_STRIPPED,	/* the same without symbols: its calls are seen at the driver layer only */
	FILE_UNREADABLE,
};

extern const char *const file_kind_names[FILE_UNREADABLE + 1];

/*
 * Judges the functions of a file: @found in it with their points chosen, @starts of theirs (found->count), and
 * what a trial @attached (NULL: none was made). @version and @major_only as in
 * call_declared(); @whole: the file is a library that should have all of its version.
 */
void functions_judge(struct doctor_functions *functions, const struct elf_functions *found, const enum start *starts,
		     const struct dry_run_attached *attached, const struct attach_choice *choice,
		     unsigned int version, bool major_only, bool whole);

/* What the kernel's refusal to probe a function means. */
const char *refusal_text(int error);

/* True if the table has lines of @layer. */
bool layer_is_known(enum call_layer layer);

struct doctor_file {
	dev_t device;
	ino_t inode;
	enum file_kind kind;
	char *path;
	char **names;			/* further ones */
	size_t name_count;
	struct seen_file seen;		/* fd -1: closed */
	bool searched;			/* for a runtime without symbols */
	bool wanted;			/* by --library */
	const struct doctor_file *same;	/* the kernel says it is this one: two overlay mounts of one file */
	struct elf_info info;
	struct elf_functions found;
	unsigned int version;		/* of the runtime, as cudaRuntimeGetVersion() returns it; 0: unknown */
	bool major_only;
	char driver_version[32];	/* as in "libcuda.so.580.65.06"; empty: unknown */
	unsigned int python;		/* the version of the Python interpreter that it has (0x030b), or 1: that is not known; 0: it has none */
	struct reason python_why;	/* why its frames are not read; empty: they are */
	struct doctor_functions functions;
	bool tried;
	bool translated;		/* not tried, for a process that is translated has it mapped */
	uint64_t attach_time;		/* ns */
	struct reason why;		/* why nothing could be attached, or the file not be read; empty: no trouble */
	unsigned int processes;		/* that map it */
};

/* True if @call is of a layer that the file has: what functions_judge() looked at. */
bool function_is_held_to(const struct doctor_file *file, unsigned int call);

bool file_is_shown(const struct doctor_file *file);
enum doctor_state file_state(const struct doctor_file *file);

/* ---- processes ---- */

enum process_use {
	USE_SHARED = 1,		/* libcudart.so */
	USE_LINKED = 2,		/* a runtime linked in, with symbols */
	USE_STRIPPED = 4,	/* one without */
	USE_DRIVER = 8,		/* libcuda.so.1 */
};

struct doctor_process {
	pid_t pid;
	uint32_t uid, ns_pid;
	char *user, *command, *arguments, *container;
	bool own_pid_ns, own_mount_ns;	/* other namespaces than ours */
	bool named;			/* by -p */
	int error;			/* its mappings cannot be read: negative errno */
	bool seccomp;			/* under a filter */
	bool shadow_stack;
	const char *translator;		/* what runs a translation of its code, or NULL: translator_kind() */
	bool has_symbols;		/* of the program: kernels that it registered before us have names */
	unsigned int uses;		/* bits of enum process_use */
	unsigned int layers;		/* bits of enum call_layer: what is probed */
	struct doctor_file **files;	/* of interest, that it maps; borrowed */
	size_t file_count;
	const struct doctor_file *python;	/* the one with a Python interpreter, or NULL; borrowed */
};

/* The sentences on what of @process cutop sees and what not. Both return a new string, or NULL at the end. */
char *process_sees(const struct doctor_process *process, unsigned int index);
char *process_misses(const struct doctor_process *process, const struct doctor_facts *facts, unsigned int index);

/* ---- the report ---- */

struct doctor {
	const struct options *options;
	struct notes notes;
	struct doctor_facts facts;
	struct attach_choice choice;
	struct dry_run *dry_run;
	struct doctor_finding *findings;
	size_t finding_count;
	struct outside outside;
	unsigned int unanswered;	/* files that could not be looked at: no file server delivers them */
	struct doctor_check *checks;
	size_t check_count;
	struct doctor_file **files;	/* all that were looked at */
	size_t file_count;
	void *file_index;
	struct doctor_process *processes;
	size_t process_count;
	unsigned int looked_at, unreadable;	/* processes */
	bool no_memory;
};

/* Adds a line; @advice may be NULL, @format makes the text. Both are cleaned. */
void doctor_add(struct doctor *doctor, enum doctor_section section, const char *name, enum doctor_state state,
		const char *advice, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Loads libcuda.so.1 in a process of its own and asks it. Where that does not work, @facts says so (asked). */
void doctor_entries_ask(struct entry_facts *facts);
void doctor_nvml_ask(struct nvml_facts *facts);

/* Steps, in their order. */
void doctor_facts_read(struct doctor *doctor);
void doctor_files_find(struct doctor *doctor);
void doctor_processes_find(struct doctor *doctor);
void doctor_files_try(struct doctor *doctor);

/* Pure: from facts to findings, by the table of checks. */
void doctor_check_machine(struct doctor *doctor);
void doctor_check_files(struct doctor *doctor);
void doctor_check_processes(struct doctor *doctor);
enum doctor_state doctor_worst(const struct doctor *doctor);

/* Finds or makes the record of the file @seen, which it takes; @path is a name of it. NULL: no memory. */
struct doctor_file *doctor_file_add(struct doctor *doctor, struct seen_file *seen, const char *path);
void doctor_file_search(struct doctor *doctor, struct doctor_file *file);	/* for a runtime without symbols */

/* Counts a file that could not be opened for the reason @error, if that is that nothing delivers it. */
void doctor_file_refused(struct doctor *doctor, int error);

/* A printer for each of DOCTOR_FORMATS; they return 0 or a negative errno. */
#define DOCTOR_DECLARATION(constant, name) \
	int doctor_##name(FILE *stream, const struct doctor *doctor, const struct out_options *options);
DOCTOR_FORMATS(DOCTOR_DECLARATION)
#undef DOCTOR_DECLARATION

void doctor_free(struct doctor *doctor);

/* Runs the mode. Returns the exit status. */
int doctor_run(const struct options *options);

#endif
