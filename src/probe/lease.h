/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches the content of a probed file. A probe is a breakpoint at an offset, and the kernel writes
 * it over whatever is there: if the file were rewritten in place, breakpoints would end up in the
 * middle of other instructions, and programs would misbehave. So probes have to be removed before
 * anything writes.
 */
#ifndef PROBE_LEASE_H
#define PROBE_LEASE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct guard {
	int fd; /* ours; -1: no file is guarded */
	/*
	 * opened with O_PATH, because the file's server may not answer: the server is never asked
	 */
	bool is_place;
	/* And the kernel's cached attributes cannot be had without asking it */
	bool is_blind;
	pid_t owner; /* the process that is signalled when the lease is broken */
	/*
	 * a process that opens it for writing waits for us; if false, the file is checked now and
	 * then
	 */
	bool leased;
	int64_t size, seconds, nanoseconds; /* of its last change */
};

/*
 * Blocks the signal that reports a broken lease, and returns a descriptor that polls readable when
 * one comes, or a negative errno. To be called before there is another thread.
 */
int guard_signals_open(void);

/* True if a signal came since the last call. */
bool guard_signals_read(int fd);

/*
 * Guards the file @seen; the kernel signals @owner when the lease is broken. Never fails: a file
 * that cannot be leased is checked now and then, as far as that is possible.
 */
struct seen_file;
void guard_open(struct guard *guard, const struct seen_file *seen, pid_t owner);

/*
 * fstat(2) of the file without waiting for a server: what the kernel has cached. Returns false if
 * that cannot be had.
 */
struct stat;
bool guard_stat(const struct guard *guard, struct stat *st);

/* What another process needs to guard the same open file. */
struct guard_state {
	int64_t size, seconds, nanoseconds;
	uint8_t leased, is_place, is_blind, pad[5];
};

struct guard_state guard_state(const struct guard *guard);

/*
 * Guards the file open at @fd, which the guard takes over, continuing from another process's
 * @state.
 */
void guard_adopt(struct guard *guard, int fd, const struct guard_state *state);

/* From now on the kernel signals @owner. */
void guard_own(struct guard *guard, pid_t owner);

/* Ends the lease for every process that shares the open file from guard_open(), and closes it. */
void guard_close(struct guard *guard);

/* True if a process wants to write to the file and waits for guard_let(), or has written. */
bool guard_is_touched(const struct guard *guard);

/* Lets the waiting writer continue. */
void guard_let(struct guard *guard);

/*
 * True once no process has the file open for writing any more, as far as the file system tells;
 * then it is guarded again.
 */
bool guard_again(struct guard *guard);

#endif
