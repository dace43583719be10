/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines, looked up in a process of its own: it may read the files it is
 * handed, and nothing else. Whatever a hostile file makes of the DWARF reader
 * (a crash, an endless loop, all memory) befalls that process, which is then
 * replaced; that file has no lines from there on, all others have. Questions are answered later,
 * in their order, and never keep the caller waiting.
 *
 * To replace it is charged to the user whose file it was (allowance.h), and so is time that takes long. Files of a user who
 * has used up what there is have no lines until some has come back. Lines that are not told for any of this are counted.
 */
#ifndef NAMES_RESOLVER_H
#define NAMES_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/util.h"

#define RESOLVER_PATH_LEN	240	/* longer paths lose their beginning */
#define RESOLVER_COMES_BACK	(30 * NSEC_PER_SEC)
#define RESOLVER_ENDS_MAX	16	/* times that files of one user may end the process, one soon after the other */

struct resolver;

/*
 * Nothing runs yet: the process is started when there is something to ask. @memory: bytes that it may take. @comes_back: ns after
 * which a user's files may end it once more. @notes: where to tell of what ends it, or NULL. NULL without memory.
 */
struct resolver *resolver_new(uint64_t memory, uint64_t comes_back, const struct notes *notes);
void resolver_free(struct resolver *resolver);

/*
 * Hands over the file open at @fd and its debug file at @debug_fd (-1: none),
 * both of which stay the caller's; @name, for notes, is copied. Returns the number to ask by, or 0 if lines
 * cannot be had.
 */
uint32_t resolver_add(struct resolver *resolver, int fd, int debug_fd, const char *name);

/*
 * The same with files that come, perhaps, by the other end of @socket, one message with one or two descriptors. It stays the
 * caller's. @owners: the users whose the two files are. They go with the process that takes them: see resolver_forgot().
 */
uint32_t resolver_add_lent(struct resolver *resolver, int socket, const uint32_t owners[2], const char *name);

/* Lets go of @file, once what was asked of it is answered. Its number means nothing any more. */
void resolver_drop(struct resolver *resolver, uint32_t file);

/* True if @file had to go, for there were too many, or for a process that it was lent to ended: it may be added again. */
bool resolver_forgot(const struct resolver *resolver, uint32_t file);

/*
 * Asks for the line at @offset of @file. Returns true if an answer with @cookie
 * will come, whether it is known or not.
 */
bool resolver_ask(struct resolver *resolver, uint32_t file, uint64_t offset, uint64_t cookie);

/*
 * Passes on the answers that have come: @answer is called with the path (as
 * DWARF has it; NULL: not known) and the line. Waits up to @timeout_ms for the last of them, and not longer than
 * @idle_ms while the process does nothing: it sleeps where a file is not delivered, then.
 */
void resolver_answers(struct resolver *resolver, int timeout_ms, int idle_ms,
		      void (*answer)(void *context, uint64_t cookie, const char *path, unsigned int line),
		      void *context);

/* Gives up what was asked and has no answer yet, without a call: it counts as lost. */
void resolver_give_up(struct resolver *resolver);

/* How many lines were asked for in vain: their file ended the process, its user has nothing left, there was no room or time. */
uint64_t resolver_lost(const struct resolver *resolver);

#endif
