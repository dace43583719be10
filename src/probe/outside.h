/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Access to files, and to memory of other processes. A dead file server, or userfaultfd, may keep a
 * process asleep for ever that opens, reads or closes such a file or touches such memory. So all of
 * this is done by errands (errand/errand.h), and cutop's own process gets only what can be read
 * without waiting: for a file on a local file system a descriptor; for any other file a copy in
 * memory of the parts that matter, and a place (O_PATH) to put probes on.
 * Functions that return an int return 0 or a negative errno, among them -EAGAIN: it takes long, and
 * the same call may have the answer later (errands_news()); for -EBUSY and -ETIMEDOUT see
 * errand_ask().
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
#include "errand/again.h"
#include "errand/errand.h"
#include "names/symbols.h"
#include "probe/elfcopy.h"
#include "probe/maps.h"

struct outside {
	struct errands *errands; /* NULL: everything is done in the calling process */
	struct again *again;     /* what waits for them; NULL: nothing does */
	int identifier;          /* bpf_identifier(), or -1 */
	/* How long to wait, for functions whose caller does not say */
	enum errand_patience patience;
};

/* The jobs, for errands_start(). */
extern errand_job *const outside_jobs[];
extern const size_t outside_job_count;

struct seen_file {
	/* The file, or a copy of the parts that were asked for; never written to */
	int fd;
	int place;      /* for a copy: the file itself, O_PATH; else -1 */
	struct stat st; /* the file's own status, as of when it was opened */
	struct file_id id;
	bool identified; /* id is known */
	bool own;        /* opened through our own mounts, not through another process's */
	bool layered;    /* on an overlay mount */
	__u32 magic;     /* the magic number of its file system */
	char *path;      /* the path to open it by again, or to show to the user */
};

void seen_close(struct seen_file *seen);

/* The descriptor to place probes by. */
static inline int seen_place(const struct seen_file *seen)
{
	return seen->place >= 0 ? seen->place : seen->fd;
}

/*
 * Opens the regular file at @path. @named: with the starting user's rights (util/starter.h), for
 * files that this user names, and files found through those. @want: what a copy has to contain
 * (COPY_...). -EINVAL: it is not a regular file. On failure @seen is empty, here and below.
 */
int outside_open(const struct outside *outside, const char *path, bool named, unsigned int want,
		 enum errand_patience patience, struct seen_file *seen);

/* The same; the path in @seen is the one that links lead to, for messages. */
int outside_open_real(const struct outside *outside, const char *path, bool named,
		      unsigned int want, struct seen_file *seen);

/*
 * The same for the file at @fd, which is a place (O_PATH), or open and on a local file system.
 * @path is its name then.
 */
int outside_open_again(const struct outside *outside, int fd, bool is_place, const char *path,
		       unsigned int want, struct seen_file *seen);

/* The same for a path that another process chose: no magic link is followed. */
int outside_open_cached(const struct outside *outside, const char *path, unsigned int want,
			struct seen_file *seen);

#define OUTSIDE_NO_USER UINT32_MAX

/* The user whose process @pid is; OUTSIDE_NO_USER if there is none. */
uint32_t outside_user_of(pid_t pid);

/*
 * Opens what @entry of @pid maps, through our own mounts if it is there, too: through others the
 * descriptor would keep a container's mounts in use.
 */
int outside_open_mapped(const struct outside *outside, pid_t pid, const struct maps_entry *entry,
			unsigned int want, struct seen_file *seen);

/*
 * The same for the link @link in /proc/@pid ("exe", "fd/7"). If @name is not NULL and the last
 * component does not begin with it: -ESTALE.
 */
int outside_open_link(const struct outside *outside, pid_t pid, const char *link, const char *name,
		      unsigned int want, struct seen_file *seen);

/*
 * Opens the debug file of @of: debug_file_open(). @pid: the process whose root is searched before
 * ours. @path: the file's path as that process sees it.
 */
int outside_open_debug(const struct outside *outside, const struct seen_file *of, pid_t pid,
		       const char *path, struct seen_file *seen);

/*
 * maps_visit() of @pid, as its mappings were at @since (CLOCK_MONOTONIC, ns) or later; 0: a late
 * answer to an earlier question will do. -ENOENT, -ESRCH: it is gone.
 */
int outside_maps(const struct outside *outside, pid_t pid, uint64_t since,
		 int (*visit)(void *context, const struct maps_entry *entry), void *context);

/*
 * The words of /proc/@pid/cmdline, each ended by NUL, @max bytes at most; what it shows of its devices
 * (cuda/visible_devices.h). A new string, or NULL with *@error set.
 */
char *outside_arguments(const struct outside *outside, pid_t pid, size_t max, size_t *len,
			int *error);
char *outside_devices(const struct outside *outside, pid_t pid, size_t *len, int *error);

/*
 * Reads @count words of 8 bytes at @addresses of @pid, up to the first that is not in memory; the
 * others stay unchanged.
 */
int outside_words(const struct outside *outside, pid_t pid, const uint64_t *addresses, size_t count,
		  uint64_t *words);

/*
 * Reads the name that @record tells of, from the process, which was started at @start_time
 * (CLOCK_BOOTTIME, ns), or from the file; @known is a path of that file, or NULL. Returns 0 with
 * *@name, a new string, and *@in_memory set.
 */
int outside_name(const struct outside *outside, const struct rec_name_at *record,
		 uint64_t start_time, const char *known, char **name, bool *in_memory);

/*
 * Calls @visit for each path that matches @pattern (glob(7)), or for what a command may load
 * (ahead_visit(), with the starting user's rights).
 */
typedef void path_visit(void *context, const char *path);
int outside_glob(const struct outside *outside, const char *pattern, path_visit *visit,
		 void *context);
int outside_ahead(const struct outside *outside, const char *program, const char *library_path,
		  const char *preload, path_visit *visit, void *context);

/*
 * Keeps the pages that hold the places of @functions's probes in the file @seen, a copy, in memory:
 * the kernel reads them to place probes, and again whenever a process maps the file, both times with
 * locks held that other processes wait for. Returns 0 with *@hold for errand_release(). A file that
 * is not a copy needs none: *@hold is -1.
 */
struct elf_functions;
int outside_hold_functions(const struct outside *outside, const struct seen_file *seen,
			   const struct elf_functions *functions, int *hold);

/*
 * Has the files @seen and @debug (NULL: none), copies or not, sent to the process at the other end
 * of @socket, without passing through us.
 */
int outside_lend(const struct outside *outside, const struct seen_file *seen,
		 const struct seen_file *debug, int socket);

/* What to tell the user about @error from a function that opens a file. */
const char *outside_error(int error);

/* True for errors that mean that the call may succeed later: -EAGAIN, -EBUSY. */
static inline bool outside_is_later(int error)
{
	return error == -EAGAIN || error == -EBUSY;
}

#endif
