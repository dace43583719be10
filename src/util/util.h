/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small things that every room needs: time, notes to the user, file helpers. */
#ifndef UTIL_UTIL_H
#define UTIL_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/stat.h>
#include <time.h>

#define NSEC_PER_SEC 1000000000ull

/* The range that users may ask for, in seconds. */
#define DELAY_SECONDS_MIN 0.01

/* Per cent of its processor time that a program may pay for being watched: --budget */
#define BUDGET_USUAL       10
#define BUDGET_PERCENT_MAX 10000
#define SECONDS_MAX        1e9
#define NSEC_PER_MSEC      1000000ull

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
/* Negative, 0 or positive as @a is less than, equal to or more than @b. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/*
 * Nanoseconds of a clock (CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME) as the kernel itself,
 * and so a BPF program, reads it. In a time namespace (time_namespaces(7)) system calls of ours see
 * other values: clock_own_ns() returns those, for deadlines given to system calls and for times in
 * /proc.
 */
uint64_t clock_ns(int clock);
uint64_t clock_own_ns(int clock);

/* The processor time that the process @pid has used, ns; 0: unknown. */
uint64_t process_work_ns(pid_t pid);

/* What /proc/PID/stat says (proc(5)) of a process, or of a thread. */
struct process_stat {
	char comm[64];
	char state;
	uint32_t parent;
	uint64_t started; /* ns, CLOCK_BOOTTIME, as precisely as /proc's clock ticks */
};

/* Returns false, with zeros, if it is gone. */
bool process_stat_read(pid_t pid, struct process_stat *stat);

/*
 * Where explanations go. note() writes one line to standard error if the user asked for
 * explanations (-v); warn_user() always does. Both take printf formats without a newline, and clean
 * control characters out of what they print.
 */
struct notes {
	bool verbose;
	bool quiet; /* the screen is up: nothing may be written to the terminal */
};

void note(const struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void warn_user(const struct notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A reason for a failure, to be shown in one line. reason_set() returns @error
 * so that callers can say: return reason_set(why, -ENOENT, "...").
 */
struct reason {
	char text[512];
};

int reason_set(struct reason *reason, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The one way to say that @path (NULL: standard output) cannot be written because of @error, a
 * negative errno, which reason_unwritten() returns.
 */
int reason_unwritten(struct reason *reason, const char *path, int error);
void warn_unwritten(const struct notes *notes, const char *path, int error);

/*
 * The width of the terminal that @stream goes to, in cells; 0: not a terminal, or its width is
 * unknown.
 */
int stream_width(FILE *stream);

/*
 * Reads a whole small file (one in /proc) into a new NUL-terminated buffer of at most @max bytes.
 * Stores its length in *@len unless that is NULL. Returns NULL with errno set on failure. The
 * caller frees it.
 */
char *file_read(const char *path, size_t max, size_t *len);

/* The last component of @path: what follows its last slash. */
const char *path_base(const char *path);

/*
 * Makes a file in memory that no process can run (from Linux 6.3 on). Returns a descriptor that
 * accepts seals, or a negative errno.
 */
int file_in_memory(const char *name);

/*
 * Opens the regular file at @path for reading. Anything else that a hostile program may have put
 * there is not opened even for a moment, since opening can act: a watchdog starts, a tape rewinds,
 * a FIFO's writer finds a reader. Returns a descriptor or a negative errno, -EINVAL for what is not
 * a regular file.
 */
int file_open_regular(const char *path);
/*
 * Finds the file (O_PATH) at a path that another process chose. Uses only names that the kernel has
 * cached (Linux 5.12), so that nothing gets mounted on the way, and follows none of /proc's magic
 * links. Returns a descriptor, -EAGAIN if the cache does not lead there, or another negative errno.
 */
int file_place_cached(const char *path);

/*
 * True if our effective rights suffice for @mode. access(2) would check the real user's rights
 * instead, and ignore those that the program's file gives.
 */
bool file_is_open_to(const char *path, int mode);

/* What to tell a user who named something that is not a regular file. */
#define FILE_NOT_REGULAR "is not a regular file; the path of a library or program itself is needed"

/* True if both are the same file: the same inode of the same file system. */
bool file_is_same(const struct stat *a, const struct stat *b);

/* The same for the file of @place, a descriptor opened with O_PATH, which is closed. */
int file_reopen_regular(int place);

/*
 * Opens @path to write it from its start, and creates it if it does not exist. Opening a FIFO waits
 * for its reader, as usual; while it waits, SIGINT and the like, unless they are ignored, end the
 * program although they are blocked: there is nothing to clean up yet. Returns a descriptor or a
 * negative errno.
 */
int file_create(const char *path);

/*
 * Gives up all capabilities, and the right to gain any: for a child that needs none. Returns 0 or a
 * negative errno.
 */
int capabilities_clear(void);

/* The same, but CAP_LEASE is kept where it is held. */
int capabilities_keep_lease(void);

/*
 * As strcasecmp(3) and strncasecmp(3) in the locale "C": in others, of Turkish for example, I and i
 * are different letters.
 */
int ascii_casecmp(const char *a, const char *b);
int ascii_ncasecmp(const char *a, const char *b, size_t len);

/* "SIGKILL"; NULL: a signal that has no name here. */
const char *signal_name(int number);

/* printf into a new string; NULL without memory. The caller frees it. */
char *format_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * In a child whose code may loop or hang: SIGALRM ends the child after @seconds, even if the parent
 * never does.
 */
void child_limit(unsigned int seconds);

#endif
