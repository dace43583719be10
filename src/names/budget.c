/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sum, and a list of items in the order of use. Tables are separate mappings: they grow without
 * copying, are returned to the kernel when they are freed, and are not inherited by a forked helper
 * (MADV_DONTFORK).
 */
#include "names/budget.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

TAILQ_HEAD(budget_list, budget_item);

struct budget {
	struct budget_counts counts;
	struct budget_list list; /* the least recently used first */
};

struct budget *budget_new(uint64_t limit, uint64_t reserved)
{
	struct budget *budget = calloc(1, sizeof(*budget));

	if (!budget)
		return NULL;
	budget->counts.limit = limit;
	budget->counts.used = budget->counts.peak = reserved;
	TAILQ_INIT(&budget->list);
	return budget;
}

void budget_free(struct budget *budget)
{
	free(budget);
}

bool budget_take(struct budget *budget, uint64_t bytes)
{
	struct budget_counts *counts = budget ? &budget->counts : NULL;
	struct budget_item *item;

	if (!budget)
		return true;
	/* A request that can never fit drops nothing. */
	while (bytes <= counts->limit && counts->used > counts->limit - bytes &&
	       (item = TAILQ_FIRST(&budget->list))) {
		budget_hold(budget, item);
		counts->dropped++;
		item->drop(item->context, item);
	}
	if (bytes > counts->limit || counts->used > counts->limit - bytes) {
		counts->refused++;
		return false;
	}
	counts->used += bytes;
	if (counts->used > counts->peak)
		counts->peak = counts->used;
	return true;
}

void budget_give(struct budget *budget, uint64_t bytes)
{
	if (budget)
		budget->counts.used -= bytes;
}

void budget_use(struct budget *budget, struct budget_item *item)
{
	if (!budget)
		return;
	budget_hold(budget, item);
	TAILQ_INSERT_TAIL(&budget->list, item, link);
	item->listed = true;
}

void budget_hold(struct budget *budget, struct budget_item *item)
{
	if (!budget || !item->listed)
		return;
	TAILQ_REMOVE(&budget->list, item, link);
	item->listed = false;
}

struct budget_counts budget_counts(const struct budget *budget)
{
	return budget ? budget->counts : (struct budget_counts){ 0 };
}

/* ---- tables ---- */

static size_t whole_pages(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

int budget_table_grow(struct budget_table *table, size_t size)
{
	size_t more;
	void *data;

	if (size <= table->size)
		return 0;
	/*
	 * Grow by a quarter at least, so that a table that grows in small steps is not remapped for
	 * each; by what is asked for, if there is no room for more.
	 */
	more = whole_pages(size > table->size + table->size / 4 ? size :
								  table->size + table->size / 4);
	if (!budget_take(table->budget, more - table->size)) {
		more = whole_pages(size);
		if (!budget_take(table->budget, more - table->size))
			return -ENOSPC;
	}
	if (table->data)
		data = mremap(table->data, table->size, more, MREMAP_MAYMOVE);
	else
		data = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED) {
		budget_give(table->budget, more - table->size);
		return -ENOMEM;
	}
	if (!table->data)
		madvise(data, more, MADV_DONTFORK);
	table->data = data;
	table->size = more;
	return 0;
}

void budget_table_trim(struct budget_table *table, size_t size)
{
	size = whole_pages(size);
	if (!size) {
		budget_table_free(table);
	} else if (size < table->size && !munmap(table->data + size, table->size - size)) {
		budget_give(table->budget, table->size - size);
		table->size = size;
	}
}

void budget_table_free(struct budget_table *table)
{
	if (!table->data)
		return;
	munmap(table->data, table->size);
	budget_give(table->budget, table->size);
	table->data = NULL;
	table->size = 0;
}
