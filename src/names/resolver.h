/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines, looked up in a process of its own: it may read the files it is
 * handed, and nothing else. Whatever a hostile file makes of the DWARF reader
 * (a crash, an endless loop, all memory) befalls that process, which is then
 * replaced; that file has no lines from there on. Questions are answered later,
 * in their order, and never keep the caller waiting.
 */
#ifndef NAMES_RESOLVER_H
#define NAMES_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

#define RESOLVER_PATH_LEN	240	/* longer paths lose their beginning */

struct resolver;

/* Nothing runs yet: the process is started when there is a file to read. */
struct resolver *resolver_new(void);
void resolver_free(struct resolver *resolver);

/*
 * Hands over the file open at @fd and its debug file at @debug_fd (-1: none),
 * both of which stay the caller's. Returns the number to ask by, or 0 if lines
 * cannot be had.
 */
uint32_t resolver_add(struct resolver *resolver, int fd, int debug_fd);

/* Lets go of @file, once what was asked of it is answered. Its number means nothing any more. */
void resolver_drop(struct resolver *resolver, uint32_t file);

/* True if the process that was given @file is gone, and not by this file's fault: it may be added again. */
bool resolver_forgot(const struct resolver *resolver, uint32_t file);

/*
 * Asks for the line at @offset of @file. Returns true if an answer with @cookie
 * will come, whether it is known or not.
 */
bool resolver_ask(struct resolver *resolver, uint32_t file, uint64_t offset, uint64_t cookie);

/*
 * Passes on the answers that have come: @answer is called with the path (as
 * DWARF has it; NULL: not known) and the line. Waits up to @timeout_ms for the last of them.
 */
void resolver_answers(struct resolver *resolver, int timeout_ms,
		      void (*answer)(void *context, uint64_t cookie, const char *path, unsigned int line),
		      void *context);

#endif
