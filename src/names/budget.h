/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory may be used together by the symbol tables of watched programs' files and by what
 * is kept of examined files. If there is no room, what was used least recently is dropped: it can
 * be read again. A budget may be NULL everywhere: then there is no limit.
 */
#ifndef NAMES_BUDGET_H
#define NAMES_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct budget;

/* Something that is kept and can be dropped. It lies in its owner's own struct. */
struct budget_item {
	TAILQ_ENTRY(budget_item) link;
	/* Frees the item and gives its bytes back. It has been taken off its list. */
	void (*drop)(void *context, struct budget_item *item);
	void *context;
	bool listed;
};

struct budget_counts {
	uint64_t limit, used, peak; /* bytes */
	uint64_t dropped;           /* items dropped so far */
	uint64_t refused;           /* how often there was no room, with nothing left to drop */
};

/*
 * @limit in bytes. @reserved of them always count as taken: they are needed while a file is read.
 * NULL without memory.
 */
struct budget *budget_new(uint64_t limit, uint64_t reserved);

/* All items must have been removed from its list. */
void budget_free(struct budget *budget);

/*
 * Takes @bytes; drops items if there is no room otherwise. Returns false if there still is none;
 * then nothing is taken.
 */
bool budget_take(struct budget *budget, uint64_t bytes);
void budget_give(struct budget *budget, uint64_t bytes);

/*
 * Puts @item, whose bytes are taken, on the list of droppable items as the most recently used; or
 * moves it to that place.
 */
void budget_use(struct budget *budget, struct budget_item *item);

/* Takes @item off the list, if it is on it. Its bytes stay taken. */
void budget_hold(struct budget *budget, struct budget_item *item);

struct budget_counts budget_counts(const struct budget *budget);

#endif
