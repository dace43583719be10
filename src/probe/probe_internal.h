/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What probe.c, which keeps the targets, shares with discover.c, which finds files, and others. */
#ifndef PROBE_PROBE_INTERNAL_H
#define PROBE_PROBE_INTERNAL_H

#include <linux/types.h>
#include <sys/stat.h>
#include <uthash.h>

#include "cutop_python.h"
#include "probe/attach.h"
#include "probe/guard.h"
#include "probe/late.h"
#include "probe/probe_sets.h"
#include "probe/outside.h"
#include "probe/probe.h"

struct target {
	struct file_id id;
	struct attachment attachment; /* without links: the guard holds them */
	struct guarded file;
	/* outside_hold_functions(): pages kept in memory while the probes are there; -1: none */
	int hold;
	uint16_t library; /* the file's number in cookies */
	/* the file is being written to: it has no probes for now */
	bool lifted;
	/* its probes found no place, and are tried again then: CLOCK_MONOTONIC */
	uint64_t no_room_until;
	bool counts;         /* in probe.counts.targets */
	unsigned int unused; /* successive looks that found no process mapping it */
	/* The mount namespace that it was opened through; 0: our own, or unknown */
	uint64_t mounts;
	pid_t member; /* a process in that namespace */
	char *path;
	size_t aliases;
	size_t forwarders; /* its functions that have no probe since they only jump to others */
	struct launches launches;
	struct probe_set spares[SPARE_COUNT]; /* with a budget: probe_sets.h */
	unsigned int spared;                  /* bits of those without probes for now */
	unsigned int unwanted, given;         /* what users say, in spares_settle() */
	unsigned int layers;                  /* bits of enum call_layer: whose functions it has */
	/* its index in probe.pythons + 1; 0: it has no interpreter whose frames are read */
	int python;
	struct target *next;
};

/* A file that could not be examined because it takes long: probe_keep(). */
struct later {
	enum {
		LATER_PATH,
		LATER_NAMED,
		LATER_MAPPED,
		LATER_PROCESS,
		LATER_EXEC,
		LATER_MMAP,
		LATER_MAPPER
	} what;
	union {
		struct rec_hdr hdr;
		struct rec_exec exec;
		struct rec_mmap mmap;
		struct {
			pid_t pid;               /* of PROCESS, too */
			struct maps_entry entry; /* its path is the one below */
		} mapped;
		/* late_mark(): a process that may map a file, and that file */
		struct {
			pid_t pid;
			struct late_file file;
			uint64_t since; /* CLOCK_MONOTONIC */
		} mapper;
	};
	const char *path; /* PATH, NAMED, MAPPED, MAPPER */
};

struct python_elf;

struct examined_key {
	uint64_t device, inode, size, changed;
};

struct examined {
	struct examined_key key;
	struct target *target; /* NULL: not a target */
	struct file_id id;
	char *path;
	UT_hash_handle hh;
};

struct probe {
	struct bpf bpf;
	struct outside outside;
	struct again again; /* what waits for errands */
	struct probe_settings settings;
	struct target *targets;
	struct examined *examined;
	struct probe_counts counts;
	uint16_t last_library; /* the last number given to a target */
	struct guard *guard;   /* the process that holds the links */
	/* CLOCK_MONOTONIC, when to try again to start the guard; 0: no attempt has failed */
	uint64_t guard_retry;
	bool stepped_warned;     /* the user was told about single-stepping on arm64 */
	uint64_t looked;         /* CLOCK_MONOTONIC, when written files were last checked */
	unsigned int marked_all; /* how often a process was found that is late as a whole */
	/* The BPF side's counts when launches_tend() last looked */
	__u32 taught_handles, unknown_handles;
	uint64_t unused_look; /* CLOCK_MONOTONIC, when there may be a file to give up: probe.c */
	pid_t translated[TRANSLATED_TOLD]; /* translators that the user was told of */
	unsigned int translated_count;
	bool refused_told;                            /* that a file may not be read */
	struct python_elf *pythons[PYTHON_FILES_MAX]; /* pythons.c; NULL: free */
	int *adopted;                                 /* links of others, see probe_adopt_link() */
	size_t adopted_count;
	int loading; /* probe_loading() */
};

/* How cutop came to know of a file that it examines. */
struct sighting {
	/* the record of a process that runs or maps the file; NULL: found in another way */
	const struct rec_hdr *record;
	pid_t mounts_of; /* the process through whose mounts it was opened; 0: our own */
};

/*
 * The target whose inode @id has, or NULL: a file that was written over is the same target, with
 * another size.
 */
struct target *target_find(struct probe *probe, const struct file_id *id);

/*
 * Makes the file @seen a target: *@target. Returns as probe_attach(); after an error *@target is NULL,
 * unless its probes find no place for now, and are tried again.
 */
int target_new(struct probe *probe, const struct seen_file *seen, const char *path,
	       const struct sighting *sighting, struct target **target, struct reason *why);

/* Adds @attachment to the counts, or subtracts it (@sign -1). */
void probe_count(struct probe *probe, const struct attachment *attachment, int sign);

/*
 * The file of @target was met again, with another size or time: removes its probes if it was
 * written to; they come back when that is done.
 */
void target_tend(struct probe *probe, struct target *target);

/* Has @later, whose path is copied, tried again: again.h. */
void probe_keep(struct probe *probe, const struct later *later, const char *path);

/* Tells the user, and the log. */
void probe_notice(struct probe *probe, enum notice notice, uint32_t tgid, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* at a time: the kernel takes milliseconds for each, during which no record is read */
#define FORGET_MAX GUARD_DROP_MAX

struct bpf *probe_bpf(struct probe *probe);
#define EXAMINED_MAX 16384 /* as many as the map `files` holds */

/* Forgets all examined files that belong to one of @targets. */
void examined_forget_of(struct probe *probe, const struct target *targets);
void examined_clear(struct probe *probe);

/*
 * True for errors that another try may not meet: too many files are open, memory is short, or the
 * guard was ended.
 */
static inline bool error_passes(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -EPIPE;
}

/*
 * Tells BPF that processes need not report the file any more, unless it is a target and the process
 * a translator.
 */
void probe_know(struct probe *probe, const struct file_id *id, bool is_target);

/*
 * The processes that links can be limited to, so that others have no breakpoints; none if that is
 * impossible.
 */
struct attach_pids probe_pids(const struct probe *probe);

/*
 * Places probes on @functions of @target's file, which is open at @fd, and hands their links over
 * to the guard as @number's. Returns 0 with @attachment, or a negative errno with @why set. Undo
 * both with guard_drop().
 */
int links_place(struct probe *probe, const struct target *target, int fd,
		const struct elf_functions *functions, struct attachment *attachment,
		uint32_t number, struct reason *why);

/*
 * probe_add_path() of the probe @context; failures are noted, and a file that takes long is tried
 * again.
 */
void probe_add_quietly(void *context, const char *path);

#endif
