/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The content of a probed file. A probe is a breakpoint at an offset, and the kernel writes it over
 * whatever is there: if the file were rewritten in place, breakpoints would end up in the middle of
 * other instructions, and programs would misbehave. So probes have to be removed before anything
 * writes.
 */
#ifndef PROBE_GUARDED_H
#define PROBE_GUARDED_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct guard;
struct seen_file;
struct stat;

struct guarded {
	int fd; /* ours; -1: none */
	/*
	 * opened with O_PATH, because the file's server may not answer: the server is never asked
	 */
	bool is_place;
	/* And the kernel's cached attributes cannot be had without asking it */
	bool is_blind;
	bool leased;     /* a process that opens it for writing waits for the guard */
	uint32_t number; /* the guard's for its links, a new one each time they are placed */
	int64_t size;
	struct timespec changed;
};

/*
 * Watches the file @seen; if a lease can be had, the kernel tells @guard when it is broken. Never
 * fails: guarded_is_touched() finds changes of other files, as far as that is possible.
 */
void guarded_open(struct guarded *file, const struct seen_file *seen, const struct guard *guard);
void guarded_close(struct guarded *file);

/*
 * fstat(2) of the file without waiting for a server: what the kernel has cached. Returns false if
 * that cannot be had.
 */
bool guarded_stat(const struct guarded *file, struct stat *st);

/* True if a process wants to write to the file, or has. */
bool guarded_is_touched(const struct guarded *file);

/* Gives up the lease: a waiting writer continues. */
void guarded_let(struct guarded *file);

/*
 * True once no process has the file open for writing any more, as far as the file system tells;
 * then it is watched again.
 */
bool guarded_again(struct guarded *file, const struct guard *guard);

#endif
