/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small things that every room needs: time, notes to the user, file helpers. */
#ifndef UTIL_UTIL_H
#define UTIL_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define NSEC_PER_SEC	1000000000ull

/* What users may ask for, in seconds. */
#define DELAY_SECONDS_MIN 0.01
#define SECONDS_MAX	1e9
#define NSEC_PER_MSEC	1000000ull

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * Nanoseconds of a clock (CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME) as the kernel's own code reads it, and so BPF
 * programs do. In a time namespace (time_namespaces(7)) our own calls see others: clock_own_ns() has what they
 * see, for deadlines given to system calls, and for times in /proc.
 */
uint64_t clock_ns(int clock);
uint64_t clock_own_ns(int clock);

/*
 * Where explanations go. note() writes one line to standard error if the user
 * asked for them (-v); warn_user() always does. Both take printf formats
 * without a newline, and clean control characters out of what they print.
 */
struct notes {
	bool verbose;
	bool quiet;	/* the screen is up: nothing may be written to the terminal */
};

void note(const struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void warn_user(const struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * A reason for a failure, to be shown in one line. reason_set() returns @error
 * so that callers can say: return reason_set(why, -ENOENT, "...").
 */
struct reason {
	char text[512];
};

int reason_set(struct reason *reason, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * The one way to say that @path (NULL: standard output) cannot be written, for @error, a negative errno, which
 * reason_unwritten() returns.
 */
int reason_unwritten(struct reason *reason, const char *path, int error);
void warn_unwritten(const struct notes *notes, const char *path, int error);

/* The width of the terminal that @stream goes to; 0: it is none, or does not say. */
int stream_width(FILE *stream);

/*
 * Reads a whole small file (a file in /proc) into a new NUL-terminated buffer
 * of at most @max bytes. Stores its length in *@len unless NULL. Returns NULL
 * with errno set on failure. The caller frees it.
 */
char *file_read(const char *path, size_t max, size_t *len);

/*
 * Opens the regular file at @path for reading. Whatever else a hostile program puts there is not opened even for a
 * moment, since that can act: a watchdog begins to run, a tape rewinds, a FIFO's writer finds a reader. Returns a
 * descriptor or a negative errno, -EINVAL for what is no regular file.
 */
int file_open_regular(const char *path);
/*
 * Finds the file (O_PATH) at a path that another process chose: only by what the kernel has in memory (Linux 5.12), so that nothing
 * is mounted on the way; and by no link of /proc's. Returns a descriptor, -EAGAIN where that does not lead there, or
 * another negative errno.
 */
int file_place_cached(const char *path);

/*
 * Whether the rights that we have now are enough for @mode (as for access(2), which
 * asks for those of who started us, and leaves out what the program's file was given).
 */
bool file_is_open_to(const char *path, int mode);

/* What there is to say to a user who named such a thing. */
#define FILE_NOT_REGULAR	"is not a regular file; the path of a library or program itself is needed"

/* Whether both are of one file: the same inode of the same file system. */
bool file_is_same(const struct stat *a, const struct stat *b);

/* The same for what @place stands for, a descriptor opened with O_PATH, which is closed. */
int file_reopen_regular(int place);

/*
 * Opens @path to be written from its start, and makes it if it is not there. A
 * FIFO waits for its reader, as everywhere; SIGINT and the like end the program
 * meanwhile although they are blocked: before there is anything to clean up.
 * Returns a descriptor or a negative errno.
 */
int file_create(const char *path);

/* Gives up all capabilities, and the right to gain any: for a child that needs none. Returns 0 or a negative errno. */
int capabilities_clear(void);

/* printf into a new string; NULL without memory. The caller frees it. */
char *format_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* In a child that runs code which may go astray: SIGALRM ends it after @seconds, whatever the parent does with that. */
void child_limit(unsigned int seconds);

#endif
