/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probing: from files to attached functions.
 *
 * A target is a file that defines hooked functions. Targets are found ahead of
 * their use (ld.so.cache, the usual places, what processes map, what COMMAND
 * needs) and when a program starts or loads a file not seen before. Probes sit
 * on the file's inode, so later processes miss nothing; a process that had the
 * file mapped before is marked late. A target is told apart by the inode that
 * the kernel probes, so that two overlay mounts of one file are one target.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "names/budget.h"
#include "probe/bpf_settings.h"
#include "probe/choice.h"
#include "probe/extra_functions.h"
#include "probe/kernel.h"
#include "probe/outside.h"
#include "util/util.h"

struct probe;

struct probe_settings {
	struct bpf_settings bpf;
	const uint32_t *pids;		/* -p: only these processes */
	size_t pid_count;
	unsigned int groups;		/* bits of enum call_group */
	const char *method;		/* forced attach method, or NULL */
	enum returns_choice returns;
	bool yields;			/* takes the probes off what a translator has mapped: probe/translation.h */
	bool no_single_step;		/* leaves out functions whose probe would be single-stepped */
	const struct notes *notes;
	struct budget *budget;		/* for what is kept of files; NULL: no limit. Borrowed */
	struct errands *errands;	/* what reads files and memory of others; NULL: we do. Borrowed */
	struct extra_functions *extras;		/* functions to probe besides the table's, or NULL. Borrowed */
	/* Told of each of them once it is found: its number (CUTOP_EXTRA and up), its symbol, how it says that it failed. */
	void (*on_extra)(void *context, unsigned int call, const char *symbol, enum extra_result result);
	/* Told of a program that turns out to have run before its library was probed. */
	void (*on_late)(void *context, uint32_t program);
	/*
	 * Told of a program that @tgid begins to run, @seen, which needs a CUDA library and whose path leads
	 * nowhere here, or elsewhere: it is in a container, and once it has ended its file is out of reach.
	 */
	void (*on_program)(void *context, const struct seen_file *seen, uint32_t tgid);
	/* Told of what the user should know, about the process @tgid; 0: about none. */
	void (*on_notice)(void *context, enum notice notice, uint32_t tgid, const char *text);
	void *context;
};

struct probe_counts {
	unsigned int targets;
	unsigned int attached;		/* functions */
	unsigned int missing;		/* functions found in a target that could not be probed, or were left out */
	unsigned int points[POINT_COUNT];	/* of the attached ones, where their probes are */
	struct unprobed unprobed;	/* what allocations cannot be seen for that */
	unsigned int late;		/* files with functions of the table that a watched process ran or mapped before they were probed */
};

/* Loads the BPF programs; attaches nothing yet. Returns 0 or a negative errno with @why set. */
int probe_open(struct probe **probe, const struct probe_settings *settings, struct reason *why);

/*
 * Has the BPF side tell of processes that start and end, and of libraries that running ones load (which may not be
 * possible: that is noted). Returns 0 or a negative errno with @why set.
 */
int probe_watch(struct probe *probe, struct reason *why);

/* Has @fd, another's link, closed along with the probes. */
int probe_adopt_link(struct probe *probe, int fd);

/*
 * Looks after the probed files: puts the probes on one anew that was written to, and on all if the process that held them was ended.
 * To be called when probe_fd() is readable, which may be another one each time, and ten times a second at least.
 */
void probe_tend(struct probe *probe);
int probe_fd(const struct probe *probe);

/* Counts a loss of this cause, one of those that the BPF side counts, too: LOST_UNANSWERED is -ETIMEDOUT of probe/outside.h. */
void probe_lost(struct probe *probe, enum lost_cause cause);

/* Detaches everything, links in parallel. */
void probe_close(struct probe *probe);

/* As the settings have them. */
struct budget *probe_budget(const struct probe *probe);
const struct notes *probe_notes(const struct probe *probe);

/* How files and memory of others are read. Borrowed. */
const struct outside *probe_outside(const struct probe *probe);

/* How probes are placed on this kernel. */
enum attach_method probe_method(const struct probe *probe);
struct probe_counts probe_counts(const struct probe *probe);

/* True if the driver's calls are not probed, and what they allocate is not noticed either. */
bool probe_misses_driver(const struct probe *probe);

/*
 * Adds the file at @path, which the user names, as a target; waits long for it. Returns 1 if it is one (new or known), 0
 * if it defines no hooked function, or a negative errno with @why set.
 */
int probe_add_path(struct probe *probe, const char *path, struct reason *why);

/* Adds targets from what the processes that are watched map by now. */
void probe_find_running(struct probe *probe);
/* The same before there is any COMMAND, and from ld.so.cache and the usual places. */
void probe_find_ahead(struct probe *probe);

/*
 * Adds the files of settings.extras that are known by path, with what they need, or by name in ld.so.cache.
 * @library_path as below. Returns 0 or a negative errno
 * with @why set: a path that is no file, or that has no such function.
 */
int probe_add_extras(struct probe *probe, const char *library_path, struct reason *why);

/* While @patient, files may take longer: before COMMAND runs, what it needs is to be probed. */
void probe_patient(struct probe *probe, bool patient);

/* Adds the program at @path and all libraries its loader will look for. @library_path: LD_LIBRARY_PATH or NULL. */
void probe_add_program(struct probe *probe, const char *path, const char *library_path);

/* Adds what the command line @words comes to run, as far as that can be known: probe/ahead.h. */
struct ahead_start;
void probe_add_command(struct probe *probe, char *const *words, const struct ahead_start *start);

/* Adds @tgid to, or takes it from, the processes watched when only listed ones are. */
int probe_list_process(struct probe *probe, uint32_t tgid, bool listed);

/*
 * Has the process @tgid, which has made no call yet, known already: see probe/idle_processes.h, which says what is returned.
 */
int probe_watch_idle(struct probe *probe, uint32_t tgid, uint32_t uid, struct rec_process *process);

/* True if the process of @program runs another one by now: what /proc says of it is said of that. */
bool probe_has_left(const struct probe *probe, uint32_t program);

/* A program started, a file was mapped: looks whether it is a target, and attaches. */
void probe_on_exec(struct probe *probe, const struct rec_exec *record);
void probe_on_mmap(struct probe *probe, const struct rec_mmap *record);
/* A program that translates others has mapped a probed file, or one that copies them has begun. */
void probe_on_translator(struct probe *probe, const struct rec_translator *record);

/*
 * Returns a path under which the file @id could be opened when it was last
 * examined, or NULL. Borrowed.
 */
const char *probe_file_path(const struct probe *probe, const struct file_id *id);

#endif
