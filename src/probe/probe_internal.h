/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What probe.c, which keeps the targets, written_files.c, which tends them, and discover.c, which finds files, share. */
#ifndef PROBE_PROBE_INTERNAL_H
#define PROBE_PROBE_INTERNAL_H

#include <linux/types.h>
#include <sys/stat.h>
#include <uthash.h>

#include "cutop_python.h"
#include "probe/attach.h"
#include "probe/keeper.h"
#include "probe/lease.h"
#include "probe/outside.h"
#include "probe/probe.h"
#include "probe/unused.h"

#define LOADERS_MAX	8	/* that threads wait in: one, most often */

struct target {
	struct file_id id;
	struct attachment attachment;	/* its links are the keeper's, and -1 here, unless it had no room for them */
	uint32_t shelf;		/* the keeper's number for them; another one each time that they are placed */
	struct guard guard;
	int hold;		/* outside_hold(): pages kept in memory while the probes are there; -1: none */
	uint16_t library;	/* its number in cookies */
	bool lifted;		/* the file is being written to, or translated: no probes on it for now */
	struct translator *translators;	/* processes for which it has none, as long as they run: translation.c */
	size_t translator_count;
	uint64_t yield_until;	/* CLOCK_MONOTONIC, when to look whether it may have probes again */
	bool met;		/* a process told of it; the others were found ahead, or named */
	bool is_candidate;	/* unused.c's, as the next */
	unsigned int unused;	/* looks in a row that found no process that maps it */
	uint64_t mounts;	/* the mount namespace that it was opened through, if that is not ours; 0: it is, or not known */
	pid_t member;		/* a process in there */
	char *path;
	size_t aliases;
	int python;		/* its number in probe.pythons, from 1; 0: no interpreter whose frames are read */
	struct target *next;
};

/* What could not be looked at, because it takes long: probe_try_again(). */
struct later {
	enum { LATER_PATH, LATER_NAMED, LATER_LOADER, LATER_MAPPED, LATER_PROCESS, LATER_EXEC, LATER_MMAP } what;
	union {
		struct rec_hdr hdr;
		struct rec_exec exec;
		struct rec_mmap mmap;
		struct {
			pid_t pid;			/* of PROCESS, too */
			struct maps_entry entry;	/* its path is the one below */
		} mapped;
	};
	char *path;		/* PATH, NAMED, LOADER, MAPPED */
	struct later *next;
};

struct python_elf;

struct examined_key {
	uint64_t device, inode, size, changed;
};

struct examined {
	struct examined_key key;
	struct target *target;	/* NULL: not a target */
	struct file_id id;
	char *path;
	struct probe *probe;
	struct budget_item item;	/* on the list only if it is no target */
	uint64_t taken;		/* bytes of the budget */
	UT_hash_handle hh;	/* by key */
	UT_hash_handle by_id;
};

struct probe {
	struct bpf bpf;
	struct outside outside;
	struct later *later, **later_end;
	size_t later_count;
	unsigned int later_news;	/* errands_news() when they were tried last */
	struct probe_settings settings;
	struct target *targets;
	struct examined *examined;
	struct examined *by_id;
	struct probe_counts counts;
	uint16_t last_library;	/* number given to a target */
	struct keeper *keeper;	/* holds the links */
	uint32_t last_shelf;
	uint64_t keeper_retry;	/* CLOCK_MONOTONIC, when to start it again; 0: it was not tried in vain */
	bool stepped_warned;	/* the user knows of single-stepping on arm64 */
	uint64_t looked;	/* CLOCK_MONOTONIC, when files that were written to were looked at */
	struct unused unused;
	struct translator *translators;	/* told of lately */
	size_t translators_told;
	struct translator_limit {
		uint64_t since;		/* CLOCK_MONOTONIC, when the time began for which these count */
		unsigned int shown, hidden;
	} translator_limit;
	struct file_id loaders[LOADERS_MAX];	/* loader.c: those that are probed */
	size_t loader_count;
	int loader_holds[LOADERS_MAX];	/* as target.hold */
	struct python_elf *pythons[PYTHON_FILES_MAX];	/* pythons.c; NULL: free */
	int *adopted;		/* links of others, see probe_adopt_link() */
	size_t adopted_count;
};

/* How a file that is examined came to our notice. */
struct sighting {
	const struct rec_hdr *record;	/* a process's, which runs or maps the file; NULL: it was found otherwise */
	pid_t mounts_of;	/* the process through whose mounts it was opened; 0: through ours */
};

/*
 * Examines @seen, found as @path and by @sighting (NULL: named, or found ahead). Returns 1 if it is a target, 0 if it is none,
 * or a negative errno with @why set.
 */
int probe_examine(struct probe *probe, const struct seen_file *seen, const char *path, const struct sighting *sighting,
		  struct reason *why);

/*
 * Attaches to the functions of the file @seen, which is @target's, and marks who has it mapped already, @record's process
 * (or NULL) among them. As probe_examine(), without 1.
 */
int probe_attach(struct probe *probe, struct target *target, const struct seen_file *seen, const char *path,
		 const struct rec_hdr *record, struct reason *why);

/* Adds what @attachment has to the counts, or takes it away (@sign -1). */
void probe_count(struct probe *probe, const struct attachment *attachment, int sign);

/* The file of @target was met again, with another size or time: its probes go if it was written to, and come back when that is done. */
void target_tend(struct probe *probe, struct target *target);

/* Keeps @later, whose path is copied, for probe_try_again(). Nothing is kept where there are too many. */
void probe_keep(struct probe *probe, const struct later *later, const char *path);

/* Tries again what was kept, if an errand has come to its end since. */
void probe_try_again(struct probe *probe);

/* Tells the user, and the log. */
void probe_notice(struct probe *probe, enum notice notice, uint32_t tgid, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#define FORGET_MAX	32	/* at a time: it takes the kernel milliseconds, in which nothing is read */

/* Gives up @targets, FORGET_MAX at most, which are on no other list: takes their probes off, and frees them. */
void probe_forget(struct probe *probe, struct target *targets);

struct bpf *probe_bpf(struct probe *probe);
#define EXAMINED_MAX	16384	/* as many as the map `files` holds */

/* Keeps that the file of @key, which is @id and found as @path, was examined. NULL without memory. */
struct examined *examined_add(struct probe *probe, const struct examined_key *key, const struct file_id *id, const char *path);
void examined_forget(struct probe *probe, struct examined *file);
/* The same of all that are one of @targets. */
void examined_forget_of(struct probe *probe, const struct target *targets);
void examined_clear(struct probe *probe);

/* No process needs to tell of the file any more, unless it is a target and the process a translator. */
void probe_know(struct probe *probe, const struct file_id *id, bool is_target);

/* The processes that links can be limited to, so that others have no breakpoints; none: they cannot be. */
struct attach_pids probe_pids(const struct probe *probe);

/* The probes of @target are gone, or were taken off: it has none until it is renewed. */
void target_lift(struct probe *probe, struct target *target);

/* probe_add_path() of the probe @context, which notes what goes wrong, and is tried again if it takes long. */
void probe_add_quietly(void *context, const char *path);

/* The same as the starter of cutop (util/starter.h). */
void probe_add_named(void *context, const char *path);

#endif
