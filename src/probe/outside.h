/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files, and memory of other processes. A dead file server, or userfaultfd, may keep sleeping for ever whatever opens, reads or
 * closes such a file or touches such memory; so all of this is done by errands (errand/errand.h), and cutop's own process gets what
 * can be read without waiting: of a file on a local file system a descriptor of its own, of any other a copy in memory of the parts
 * that matter, and a place (O_PATH) to put probes on.
 *
 * Functions that return an int say 0 or a negative errno, among them -EAGAIN: it takes long, and the answer may be had later by
 * the same call (errands_news()); -EBUSY, -ETIMEDOUT: see errand_ask().
 */
#ifndef PROBE_OUTSIDE_H
#define PROBE_OUTSIDE_H

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "cutop_event.h"
#include "errand/errand.h"
#include "names/debugfile.h"
#include "probe/elfcopy.h"
#include "probe/maps.h"

struct outside {
	struct errands *errands;	/* NULL: everything is done in the calling process */
	int identifier;			/* bpf_identifier(), or -1 */
	enum errand_patience patience;	/* of functions that are not told */
};

/* The jobs, for errands_start(). */
extern errand_job *const outside_jobs[];
extern const size_t outside_job_count;

struct seen_file {
	int fd;			/* the file, or a copy of the parts that were asked for; never to be written to */
	int place;		/* of a copy: the file itself, O_PATH; else -1 */
	struct stat st;		/* the file's own, as it was when it was opened */
	struct file_id id;
	bool identified;	/* id is known */
	bool own;		/* it was opened by our own mounts, not by another process's */
	bool layered;		/* by an overlay mount */
	__u32 magic;		/* of its file system */
	char *path;		/* by which it may be opened again, or is known to the user */
};

void seen_close(struct seen_file *seen);

/* The descriptor that probes are placed by. */
static inline int seen_place(const struct seen_file *seen)
{
	return seen->place >= 0 ? seen->place : seen->fd;
}

/*
 * Opens the regular file at @path. @want: what a copy has to have (COPY_...). -EINVAL: it is no regular file. @seen is
 * empty if that fails, here and below.
 */
int outside_open(const struct outside *outside, const char *path, unsigned int want, enum errand_patience patience,
		 struct seen_file *seen);

/* The same with what the starter of cutop may open (util/starter.h): for what is named by the starter, or found by what is. */
int outside_open_named(const struct outside *outside, const char *path, unsigned int want, enum errand_patience patience,
		       struct seen_file *seen);

/* The same, as the starter if it is @named, with the path, for the user, that links lead to. */
int outside_open_real(const struct outside *outside, const char *path, bool named, unsigned int want, struct seen_file *seen);

/* The same of the file at @fd, which is a place (O_PATH) or open and on a local file system. @path is what it is called then. */
int outside_open_again(const struct outside *outside, int fd, bool is_place, const char *path, unsigned int want,
		       struct seen_file *seen);

/* The same by a path that others chose: no magic link is followed. */
int outside_open_cached(const struct outside *outside, const char *path, unsigned int want, struct seen_file *seen);

/* Opens what @entry of @pid maps, by our own mounts if it is there, too: through others it would hold those of a container. */
int outside_open_mapped(const struct outside *outside, pid_t pid, const struct maps_entry *entry, unsigned int want,
			struct seen_file *seen);

/* The same for the link @link in /proc/@pid ("exe", "fd/7"). @name: what its last component must begin with, or NULL; else -ESTALE. */
int outside_open_link(const struct outside *outside, pid_t pid, const char *link, const char *name, unsigned int want,
		      struct seen_file *seen);

/* Opens the debug file of the file @of: debug_file_open(). @pid: whose root is looked below before ours. @path: as that process calls it. */
int outside_open_debug(const struct outside *outside, const struct seen_file *of, pid_t pid, const char *path, struct seen_file *seen);

/* maps_visit() of @pid. -ENOENT, -ESRCH: it is gone. */
int outside_maps(const struct outside *outside, pid_t pid, int (*visit)(void *context, const struct maps_entry *entry),
		 void *context);

/* The words of /proc/@pid/cmdline or environ, each ended by NUL, @max bytes at most. A new string, or NULL with *@error set. */
char *outside_arguments(const struct outside *outside, pid_t pid, size_t max, size_t *len, int *error);
char *outside_environment(const struct outside *outside, pid_t pid, size_t max, size_t *len, int *error);

/* Reads @count words of 8 bytes at @addresses of @pid, up to the first that is not there; the others stay as they were. */
int outside_words(const struct outside *outside, pid_t pid, const uint64_t *addresses, size_t count, uint64_t *words);

/*
 * Reads the name that @record tells of, in the process, which was started at @start_time (CLOCK_BOOTTIME, ns), or in the file; @known
 * is where that was found, or NULL. Returns 0 with *@name, a new string, and *@in_memory set.
 */
int outside_name(const struct outside *outside, const struct rec_name_at *record, uint64_t start_time, const char *known,
		 char **name, bool *in_memory);

/* Calls @visit for each path that matches @pattern (glob(7)), a program's closure (closure_visit()), a command (ahead_visit()); these two as the starter. */
struct closure_settings;
struct ahead_start;
typedef void path_visit(void *context, const char *path);
int outside_glob(const struct outside *outside, const char *pattern, path_visit *visit, void *context);
int outside_closure(const struct outside *outside, const char *program, const struct closure_settings *settings, path_visit *visit,
		    void *context);
int outside_ahead(const struct outside *outside, char *const *words, const struct ahead_start *start, path_visit *visit,
		  void *context);

/*
 * Has the pages of the file @seen, a copy, kept in memory that have the @count places at @offsets: the kernel reads them to place
 * probes, and again whenever a process maps the file, in both cases with locks held that others wait for. Returns 0 with
 * *@hold for errand_release(). A file that is no copy needs none: *@hold is -1.
 */
int outside_hold(const struct outside *outside, const struct seen_file *seen, const uint64_t *offsets, size_t count, int *hold);

/* The same for the probes of @functions. */
struct elf_functions;
int outside_hold_functions(const struct outside *outside, const struct seen_file *seen, const struct elf_functions *functions, int *hold);

/* Has the files @seen and @debug (NULL: none), copies or not, sent to who holds the other end of @socket, without passing through us. */
int outside_lend(const struct outside *outside, const struct seen_file *seen, const struct seen_file *debug, int socket);

/* What to tell the user of @error, from a function that opens a file. */
const char *outside_error(int error);

/* True for what is answered with -EAGAIN or -EBUSY: it may be tried again. */
static inline bool outside_is_later(int error)
{
	return error == -EAGAIN || error == -EBUSY;
}

#endif
