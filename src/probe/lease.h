/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches over the content of a probed file. A probe is a breakpoint at an offset, and the kernel puts it there into
 * whatever stands there: written over in place, the file would have breakpoints in the middle of other
 * instructions, and programs would run wrong. So probes are to be gone before anybody writes.
 */
#ifndef PROBE_LEASE_H
#define PROBE_LEASE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct guard {
	int fd;			/* ours; -1: nothing is guarded */
	bool is_place;		/* it is opened with O_PATH, of a file whose server may not answer: that is never asked */
	bool is_blind;		/* and what the kernel knows of it cannot be had without asking */
	pid_t owner;		/* who is told of a broken lease */
	bool leased;		/* who opens it for writing waits for us; else it is looked at now and then */
	int64_t size, seconds, nanoseconds;	/* of its last change */
};

/*
 * Blocks the signal that tells of a broken lease, and returns a descriptor that polls readable when one comes, or a negative
 * errno. To be called before there is another thread.
 */
int guard_signals_open(void);

/* True if a signal came since it was asked last. */
bool guard_signals_read(int fd);

/* Guards the file @seen, and has @owner be told of a broken lease. Never fails: what cannot be leased is looked at, as far as that is possible. */
struct seen_file;
void guard_open(struct guard *guard, const struct seen_file *seen, pid_t owner);

/* fstat(2) of the file, without a wait: as far as the kernel knows. Returns false if that cannot be had. */
struct stat;
bool guard_stat(const struct guard *guard, struct stat *st);

/* What another process has to know to guard the same open file. */
struct guard_state {
	int64_t size, seconds, nanoseconds;
	uint8_t leased, is_place, is_blind, pad[5];
};

struct guard_state guard_state(const struct guard *guard);

/* Guards the file open at @fd, which is the guard's now, from another process's @state on. */
void guard_adopt(struct guard *guard, int fd, const struct guard_state *state);

/* Has @owner be told from now on. */
void guard_own(struct guard *guard, pid_t owner);

/* Ends the lease, for all who have the file from guard_open(), and closes it. */
void guard_close(struct guard *guard);

/* True if a process wants to write to it, and waits for guard_let(), or has written. */
bool guard_is_touched(const struct guard *guard);

/* Lets who waits go on. */
void guard_let(struct guard *guard);

/* True once no process has it open for writing any more, as far as the file system says; then it is guarded again. */
bool guard_again(struct guard *guard);

#endif
