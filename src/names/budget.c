/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sum, and a list of items in the order of use.
 */
#include "names/budget.h"

#include <stdlib.h>

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
