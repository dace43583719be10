/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory the symbol tables of watched programs' files, and what is kept of files that were examined, may take
 * together. Where there is no room, what was used least recently is dropped: it can be read again.
 *
 * Everywhere a budget may be NULL: then there is no limit.
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
	/* Frees it and gives its bytes back. It is on no list any more. */
	void (*drop)(void *context, struct budget_item *item);
	void *context;
	bool listed;
};

struct budget_counts {
	uint64_t limit, used, peak;	/* bytes */
	uint64_t dropped;		/* items, so far */
	uint64_t refused;		/* times that there was no room, with nothing left to drop */
};

/* @limit in bytes; of these, @reserved are always taken: what is needed while a file is read. NULL without memory. */
struct budget *budget_new(uint64_t limit, uint64_t reserved);

/* Everything that was put on its list must be gone. */
void budget_free(struct budget *budget);

/* Takes @bytes; drops items where there is no room otherwise. Returns false if there still is none: nothing is taken then. */
bool budget_take(struct budget *budget, uint64_t bytes);
void budget_give(struct budget *budget, uint64_t bytes);

/* Puts @item, whose bytes are taken, on the list of what may be dropped, as used now; or marks it as used now. */
void budget_use(struct budget *budget, struct budget_item *item);

/* Takes @item off the list, if it is on it. Its bytes stay taken. */
void budget_hold(struct budget *budget, struct budget_item *item);

struct budget_counts budget_counts(const struct budget *budget);

/*
 * Memory for a table that grows. It counts against a budget, and no forked helper gets it: what a hostile file does to one of
 * those is to find as little as can be.
 */
struct budget_table {
	struct budget *budget;
	char *data;
	size_t size;			/* bytes of it */
};

/* Makes room for @size bytes in all. What was there stays. Returns 0, -ENOSPC if the budget has no room, or -ENOMEM. */
int budget_table_grow(struct budget_table *table, size_t size);

/* Gives back what is behind the first @size bytes. */
void budget_table_trim(struct budget_table *table, size_t size);
void budget_table_free(struct budget_table *table);

#endif
