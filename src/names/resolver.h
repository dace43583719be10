/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines, and the rules to unwind stacks by, looked up in a separate process that may read
 * the files it is given, and nothing else. Whatever a hostile file does to the DWARF reader (a
 * crash, an endless loop, all memory) affects that process, which is then replaced; that file has
 * no lines and no rules from then on, others keep theirs. Answers come later, in the order of
 * questions; asking never blocks. However often a process is ended, no more than one is started each
 * second. What is missing for any of these reasons is counted. Another such process demangles names
 * (demangle_apart()): its answers are waited for.
 */
#ifndef NAMES_RESOLVER_H
#define NAMES_RESOLVER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cutop_event.h"
#include "util/util.h"

#define RESOLVER_PATH_LEN     240 /* longer paths lose their beginning */
#define RESOLVER_FUNCTION_LEN 1024

struct resolver;
struct unwind_rule; /* cutop_unwind.h */

/*
 * What a resolver is mostly asked: its process is called after it, and notes speak of it. Rules are
 * needed at once, and a line may take seconds to find: so each has a resolver of its own.
 */
enum resolver_use { RESOLVER_LINES, RESOLVER_RULES, RESOLVER_NAMES };

/* A function that was inlined where the code is; an empty string is unknown. */
struct resolver_inlined {
	uint32_t line; /* 0: unknown */
	uint32_t pad;
	char path[RESOLVER_PATH_LEN]; /* where the code in it came from */
	/* Mangled; in C, and of one that would be too long, as the source has it */
	char function[RESOLVER_FUNCTION_LEN];
};

/* What has come for a question. */
struct resolver_reply {
	uint64_t cookie;
	/*
	 * Where the code came from: of the function that it is in, as in DWARF. NULL: unknown, or
	 * not asked for
	 */
	const char *path;
	unsigned int line;
	/* What was inlined there, the innermost first; then the line is that of the call */
	const struct resolver_inlined *inlined;
	size_t inlined_count;
	/* NULL: there is no code at that offset, the rule was lost, or it was not asked for */
	const struct unwind_rule *rule;
};

/*
 * Starts no process yet: that happens when there is something to ask. @memory: bytes that it may
 * use. @notes: where to report what ended it, or NULL. Returns NULL without memory.
 */
struct resolver *resolver_new(enum resolver_use use, uint64_t memory, const struct notes *notes);
void resolver_free(struct resolver *resolver);

/*
 * Hands over the file open at @fd and its debug file at @debug_fd (-1: none), both of which stay
 * the caller's; @name, for notes, is copied. Returns the number to ask by, or 0 if it cannot be
 * asked about.
 */
uint32_t resolver_add(struct resolver *resolver, int fd, int debug_fd, const char *name);

/*
 * The same for files that may arrive at the other end of @socket, in one message with one or two
 * descriptors. @socket stays the caller's. If the process that received them ends, the files are
 * lost: see resolver_forgot().
 */
uint32_t resolver_add_lent(struct resolver *resolver, int socket, const char *name);

/* Drops @file, once the questions about it are answered. Its number means nothing any more. */
void resolver_drop(struct resolver *resolver, uint32_t file);

/* True if @file is lost because the process that it was lent to ended: it may be added again. */
bool resolver_forgot(const struct resolver *resolver, uint32_t file);

/*
 * Asks for the line at @offset of @file. Returns true if there will be an answer with @cookie,
 * known or not.
 */
bool resolver_ask(struct resolver *resolver, uint32_t file, uint64_t offset, uint64_t cookie);

/*
 * Asks for the rule to unwind by at @offset of @file; @after_call as for cfi_find(). Returns true
 * if there will be an answer with @cookie, known or not.
 */
bool resolver_ask_rule(struct resolver *resolver, uint32_t file, uint64_t offset, bool after_call,
		       uint64_t cookie);

/*
 * Passes on the answers that have come: @answer is called for each; what it is given is only lent.
 * Waits up to @timeout_ms for the last of them, but no longer than @idle_ms while the process uses
 * no processor time: then it sleeps on a file that does not arrive.
 */
void resolver_answers(struct resolver *resolver, int timeout_ms, int idle_ms,
		      void (*answer)(void *context, const struct resolver_reply *reply),
		      void *context);

/* Gives up all open questions, without calling back: they count as lost. */
void resolver_give_up(struct resolver *resolver);

/*
 * How many lines were asked for in vain: their file ended the process, or there was no room or
 * time.
 */
uint64_t resolver_lost(const struct resolver *resolver);

#endif
