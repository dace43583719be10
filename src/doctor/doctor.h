/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cutop doctor: what works here, what does not, and what to do about it. It works in two steps, so
 * that conclusions can be tested without the machines they are about: gathering facts
 * (doctor.c, doctor_files.c, doctor_processes.c), and judging them (doctor_checks.c), which is pure.
 * doctor_report.c prints the same report as text and as JSON.
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "probe/choice.h"
#include "cli/options.h"
#include "print/print.h"
#include "probe/elffile.h"
#include "probe/forms.h"
#include "probe/kernel.h"
#include "probe/outside.h"
#include "probe/probe.h"

/* ---- the machine ---- */

struct doctor_facts {
	struct kernel_facts kernel;
	const char *forced; /* attach method asked for, or NULL */
	struct kernel_rights_held rights;
	char program[PATH_MAX]; /* our own file */
	char lockdown[32];      /* "none", "integrity", "confidentiality"; empty: unknown */
	int jit;                /* net.core.bpf_jit_enable; -1: unknown */
	/* fs.leases-enable; fs.lease-break-time, in seconds; -1: unknown */
	int leases, lease_break;
	bool own_pids; /* our pid namespace is not the machine's */
	/* First line of /proc/driver/nvidia/version; empty: no driver is loaded */
	char driver[256];
	struct forms forms; /* found by trial, or what every kernel emulates */

	bool tried;     /* we may load programs, so the following is known */
	int load_error; /* negative errno, 0: loaded */
	struct reason load_why;
	uint64_t hit_cost; /* ns that a hit of a probe takes a program */
	int watch_error;   /* of probe_watch(): a negative errno, 0: none */
	struct reason watch_why;
	int loading; /* probe_loading() */
};

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,    /* neither good nor bad */
	DOCTOR_UNKNOWN, /* cannot be found out with our rights */
	DOCTOR_WARNING, /* something is lost */
	DOCTOR_PROBLEM, /* nothing can be watched, or programs would be harmed */
};

extern const char *const doctor_state_names[DOCTOR_PROBLEM + 1]; /* "ok", "note", ... */

enum doctor_section {
	SECTION_KERNEL,
	SECTION_RIGHTS,
	SECTION_GPU,
	SECTION_LIBRARIES,
	SECTION_PROCESSES,
	SECTION_COUNT
};

extern const struct doctor_section_desc {
	const char *name, *title; /* in JSON, and the heading in text */
} doctor_sections[SECTION_COUNT];

/* What a check found: a line of the report. */
struct doctor_finding {
	enum doctor_section section;
	const char *name; /* static */
	enum doctor_state state;
	char *text, *advice; /* advice: what to do about it, or NULL */
};

/* ---- functions of one file ---- */

/* What became of one line of the table in one file. */
enum function_state {
	FUNCTION_ABSENT, /* not in the file */
	/* in it, not probed: --calls, --no-single-step, or inside an instruction of another */
	FUNCTION_OFF,
	FUNCTION_PROBED,
	FUNCTION_STATE_COUNT,
};

extern const char *const function_state_names[FUNCTION_STATE_COUNT];

struct doctor_function {
	enum function_state state;
	enum point point;  /* set if the function is in the file: where its probe is placed */
	unsigned int past; /* POINT_PAST: bytes from its entry to its probe */
};

struct doctor_functions {
	struct doctor_function list[CALL_COUNT];
	unsigned int counts[FUNCTION_STATE_COUNT];
	/* Where the probes of those are that are asked for */
	unsigned int points[POINT_COUNT];
	unsigned int table;  /* lines of the table for the file's layers */
	unsigned int layers; /* bits of enum call_layer */
};

/* What kind of file it is to cutop. */
enum file_kind {
	FILE_NOTHING,
	FILE_RUNTIME, /* libcudart */
	FILE_DRIVER,  /* libcuda.so.1 */
	FILE_LINKED,  /* a program or library with a runtime linked in, that kept its symbols */
	FILE_UNREADABLE,
};

extern const char *const file_kind_names[FILE_UNREADABLE + 1];

/* Judges the functions of a file: @found in it, with their points chosen. */
void functions_judge(struct doctor_functions *functions, const struct elf_functions *found,
		     const struct attach_choice *choice);

struct doctor_file {
	dev_t device;
	ino_t inode;
	enum file_kind kind;
	char *path;
	struct seen_file seen; /* fd -1: closed */
	bool wanted;           /* by --library */
	struct elf_info info;
	struct elf_functions found;
	/* Of the runtime, as cudaRuntimeGetVersion() returns it; 0: unknown */
	unsigned int version;
	bool major_only;
	char driver_version[32]; /* as in "libcuda.so.580.65.06"; empty: unknown */
	/* the version of its Python interpreter (0x030b), or 1: unknown; 0: it has none */
	unsigned int python;
	/* Why the interpreter's frames are not read; empty: they are */
	struct reason python_why;
	const char
		*allocator; /* the allocator in it whose blocks are seen, allocator_names[]; NULL */
	struct doctor_functions functions;
	struct reason why;      /* why the file could not be read; empty: no problem */
	unsigned int processes; /* how many processes map it */
};

/* True if @call belongs to a layer that the file has: functions_judge() considered it. */
bool function_is_held_to(const struct doctor_file *file, unsigned int call);

bool file_is_shown(const struct doctor_file *file);
enum doctor_state file_state(const struct doctor_file *file);

/* ---- processes ---- */

enum process_use {
	USE_SHARED = 1, /* libcudart.so */
	USE_LINKED = 2, /* a runtime linked in, with symbols */
	USE_DRIVER = 4, /* libcuda.so.1 */
};

struct doctor_process {
	pid_t pid;
	uint32_t ns_pid;
	char *user, *command, *arguments, *container;
	bool own_pid_ns; /* its pid namespace is not ours */
	bool named;      /* named with -p */
	int error;       /* its mappings cannot be read: negative errno */
	char *refused;   /* the first file it maps that we may not read, or NULL */
	bool seccomp;    /* it runs under a seccomp filter */
	bool shadow_stack;
	/* The translator that runs its code, or NULL: translator_kind() */
	const char *translator;
	/* The program has symbols: kernels registered before cutop came have names */
	bool has_symbols;
	unsigned int uses;          /* bits of enum process_use */
	unsigned int layers;        /* bits of enum call_layer: what is probed */
	struct doctor_file **files; /* of interest, that it maps; borrowed */
	size_t file_count;
	/* The one that contains a Python interpreter, or NULL; borrowed */
	const struct doctor_file *python;
	const struct doctor_file *allocator; /* one with an allocator; NULL: none */
};

/*
 * Sentences on what cutop sees of @process and what not, one at a time. Both return a new string,
 * or NULL at the end.
 */
char *process_sees(const struct doctor_process *process, unsigned int index);
char *process_misses(const struct doctor_process *process, const struct doctor_facts *facts,
		     unsigned int index);

/* ---- the report ---- */

struct doctor {
	const struct options *options;
	struct notes notes;
	struct doctor_facts facts;
	struct attach_choice choice;
	struct probe *probe; /* a session that watches no process; NULL: there can be none */
	struct doctor_finding *findings;
	size_t finding_count;
	struct outside outside;
	/* Files that could not be examined because their server does not answer */
	unsigned int unanswered;
	struct doctor_file **files; /* all examined files */
	size_t file_count;
	struct doctor_process *processes;
	size_t process_count;
	unsigned int looked_at, unreadable; /* how many processes */
	bool no_memory;
};

/* Adds a line to the report; @advice may be NULL, @format gives the text. Both are cleaned. */
void doctor_add(struct doctor *doctor, enum doctor_section section, const char *name,
		enum doctor_state state, const char *advice, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* The steps, in this order. */
void doctor_files_find(struct doctor *doctor);
void doctor_processes_find(struct doctor *doctor);
void doctor_files_judge(struct doctor *doctor);

/* Pure: turn facts into findings, . */
void doctor_check_machine(struct doctor *doctor);
void doctor_check_files(struct doctor *doctor);
void doctor_check_processes(struct doctor *doctor);
enum doctor_state doctor_worst(const struct doctor *doctor);

/*
 * Finds or creates the entry of the file @seen, which it takes over; @path is one of its names.
 * NULL: no memory.
 */
struct doctor_file *doctor_file_add(struct doctor *doctor, struct seen_file *seen,
				    const char *path);

/* Counts a file that could not be opened if @error says that its server does not answer. */
void doctor_file_refused(struct doctor *doctor, int error);

/* A printer for each of DOCTOR_FORMATS, which returns 0 or a negative errno. */
#define DOCTOR_DECLARATION(constant, name) \
	int doctor_##name(FILE *stream, const struct doctor *doctor, \
			  const struct out_options *options);
DOCTOR_FORMATS(DOCTOR_DECLARATION)
#undef DOCTOR_DECLARATION

void doctor_free(struct doctor *doctor);

/* Runs the mode. Returns the exit status. */
int doctor_run(const struct options *options);

#endif
