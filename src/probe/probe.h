/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probing: from files to attached functions. A target is a file that defines hooked functions.
 * Targets are found before they are used (ld.so.cache, the usual places, what processes map, what
 * COMMAND needs) and when a program starts or loads an unknown file. Probes sit on the file's
 * inode, so later processes miss nothing; a process that had mapped the file before is marked late.
 * Targets are told apart by the inode that the kernel probes, so two overlay mounts of one file are
 * one target.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/bpf_settings.h"
#include "probe/choice.h"
#include "probe/extra_functions.h"
#include "probe/kernel.h"
#include "probe/outside.h"
#include "util/util.h"

struct probe;
struct target;

struct probe_settings {
	struct bpf_settings bpf;
	const uint32_t *pids; /* -p: only these processes */
	size_t pid_count;
	unsigned int groups; /* bits of enum call_group */
	const char *method;  /* forced attach method, or NULL */
	enum returns_choice returns;
	/* A launch is counted at the driver alone if the runtime passes all on: probe_sets.h */
	bool launches_once;
	bool spares; /* there are probes to give up: probe/probe_sets.h */
	/* Leaves out functions whose probe would be single-stepped */
	bool no_single_step;
	const struct notes *notes;
	/* reads files and memory of other processes; NULL: the calling process does. Borrowed */
	struct errands *errands;
	/* Functions to probe besides the table's, or NULL. Borrowed */
	struct extra_functions *extras;
	/*
	 * Called for each of them when it is found: its number (CUTOP_EXTRA and up), its symbol,
	 * and how its result shows a failure.
	 */
	void (*on_extra)(void *context, unsigned int call, const char *symbol,
			 enum extra_result result);
	/* Called for a program that ran before its library was probed: what was missed of it. */
	void (*on_late)(void *context, uint32_t program, enum late missed);
	/* Called for what the user should know about the process @tgid; 0: about no process. */
	void (*on_notice)(void *context, enum notice notice, uint32_t tgid, const char *text);
	void *context;
};

struct probe_counts {
	unsigned int targets;
	unsigned int attached; /* functions */
	/* Functions of targets that could not be probed, or were left out */
	unsigned int missing;
	/* how many of the attached ones have their probe at which point */
	unsigned int points[POINT_COUNT];
	struct unprobed unprobed; /* which allocations cannot be seen because of that */
	/*
	 * Files with functions of the table that a watched process ran or mapped before they were
	 * probed
	 */
	unsigned int late;
};

/* Loads the BPF programs; attaches nothing yet. Returns 0 or a negative errno with @why set. */
int probe_open(struct probe **probe, const struct probe_settings *settings, struct reason *why);

/*
 * Has the BPF side report processes that start and end, and libraries that running ones load (the
 * latter may be impossible: that is noted). Returns 0 or a negative errno with @why set.
 */
int probe_watch(struct probe *probe, struct reason *why);

/* What shows the libraries that running programs load. */
enum loading_way {
	LOADING_FUNCTION, /* the kernel's function ksys_mmap_pgoff() */
	LOADING_TOUCH,    /* the tracepoints mm_filemap_map_pages and mm_filemap_fault */
};

/* Since probe_watch(): that, or the negative errno that says why nothing does. */
int probe_loading(const struct probe *probe);

/* Has @fd, a link of another module, closed along with the probes. */
int probe_adopt_link(struct probe *probe, int fd);

/*
 * Looks after the probed files: replaces the probes on a file that was written to, and on all files
 * if the process that held the links has ended. Call it ten times a second at least.
 */
void probe_tend(struct probe *probe);

/*
 * Counts a loss of @cause, one of those that the BPF side counts, too. probe/outside.h returns
 * -ETIMEDOUT for LOST_UNANSWERED.
 */
void probe_lost(struct probe *probe, enum lost_cause cause);

/* Detaches everything, links in parallel. */
void probe_close(struct probe *probe);

/* As the settings have them. */
const struct notes *probe_notes(const struct probe *probe);

/* How files and memory of others are read. Borrowed. */
const struct outside *probe_outside(const struct probe *probe);

/* How probes are placed on this kernel. */
enum attach_method probe_method(const struct probe *probe);

struct probe_counts probe_counts(const struct probe *probe);

bool probe_watches_driver(const struct probe *probe);

/* Which instructions the kernel emulates under a probe. Borrowed. */
const struct forms *probe_forms(const struct probe *probe);

/* What a hit of a probe takes a program, ns: hit_cost_measure(). */
uint64_t probe_hit_cost(const struct probe *probe);

/* True if the driver's calls are not probed, and its own allocations are not noticed either. */
bool probe_misses_driver(const struct probe *probe);

/*
 * Adds the file at @path, which the user names, as a target; waits for it for long. Returns 1 if it
 * is one (new or known), 0 if it defines no hooked function, or a negative errno with @why set.
 */
int probe_add_path(struct probe *probe, const char *path, struct reason *why);

/* Adds targets among the files that watched processes map now. */
void probe_find_running(struct probe *probe);

/*
 * Finds the driver in ld.so.cache. It comes before what processes map: forwarders to it are left
 * alone then.
 */
void probe_find_driver(struct probe *probe);

/* Finds targets before COMMAND exists, and in ld.so.cache and the usual places. */
void probe_find_ahead(struct probe *probe);

/*
 * Adds the files of settings.extras: those given by path, with what they need, and those given by a
 * name found in ld.so.cache. @library_path as below. Returns 0 or a negative errno with @why set:
 * the path is no file, or the file has no such function.
 */
int probe_add_extras(struct probe *probe, const char *library_path, struct reason *why);

/* While @patient, files may take longer: before COMMAND runs, its libraries should be probed. */
void probe_patient(struct probe *probe, bool patient);

/*
 * Adds the program at @path and what it will load, as far as that can be known: ahead_visit().
 * @library_path, @preload: LD_LIBRARY_PATH, LD_PRELOAD, or NULL.
 */
void probe_add_program(struct probe *probe, const char *path, const char *library_path,
		       const char *preload);

/* Adds @tgid to the listed processes, or removes it; see bpf_settings.only_listed. */
int probe_list_process(struct probe *probe, uint32_t tgid, bool listed);

/*
 * Makes the process @tgid known before its first call: see probe/late.h for what is
 * returned.
 */
int probe_watch_idle(struct probe *probe, uint32_t tgid, uint32_t uid, struct rec_process *process);

/*
 * @program is not to be shown: from here on its calls are not looked at, and what it loses is not
 * counted. With @ignored false the mark is removed, after the program's end.
 */
void probe_ignore(struct probe *probe, uint32_t program, bool ignored);

/*
 * True if @program's process has since run another program: what /proc says is then about that one.
 */
bool probe_has_left(const struct probe *probe, uint32_t program);

/* A program started, or a file was mapped: checks whether the file is a target, and attaches. */
void probe_on_exec(struct probe *probe, const struct rec_exec *record);

void probe_on_mmap(struct probe *probe, const struct rec_mmap *record);

/*
 * For one of these there is no time: it is counted, and asked for by the next process that maps it.
 */
void probe_leave_out(struct probe *probe, const struct rec_hdr *record);

/* Whether such a record is of a program of a user who is not watched. */
bool probe_is_of_other(const struct probe *probe, const struct rec_hdr *record);

/*
 * Returns a path under which the file @id could be opened when it was last
 * examined, or NULL. Borrowed.
 */
const char *probe_file_path(const struct probe *probe, const struct file_id *id);

/*
 * The mount namespace of @pid: its inode number (namespaces(7)); 0: the process is gone, or we may
 * not look.
 */
uint64_t mounts_of(pid_t pid);

/* The file of @target was opened through the mounts of @pid; 0: our own. */
void unused_anchor(struct target *target, pid_t pid);

#endif
