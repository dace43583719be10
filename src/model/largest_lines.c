/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line is what a site is called by: sites whose stacks lead to it by different ways are one. */
#include "model/largest_lines.h"

#include <stdlib.h>

#include "cuda/calls.h"
#include "util/saturated.h"
#include "util/utf8.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

struct held {
	const struct site *site; /* of a line: the one that holds most */
	uint64_t bytes, count;
	bool sampled; /* they are estimates */
};

static int line_order(const void *left, const void *right)
{
	const struct held *a = left, *b = right;
	int order = ORDER(a->site->shown->address, b->site->shown->address);

	if (!order)
		order = ORDER(b->bytes, a->bytes);
	return order ? order : ORDER(a->site->index, b->site->index);
}

static int size_order(const void *left, const void *right)
{
	const struct held *a = left, *b = right;
	int order = ORDER(b->bytes, a->bytes);

	return order ? order : ORDER(a->site->index, b->site->index);
}

/* What each site holds, by index. */
static void sum_sites(const struct ledger *ledger, int device, struct held *list)
{
	struct book_cursor cursor;
	struct alloc_node *node;

	book_walk(&ledger->book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		if (node->state != NODE_LIVE || !KIND_IS_VRAM(node->kind) || !node->bytes ||
		    (device != CUTOP_DEVICE_UNKNOWN && node->device != device))
			continue;
		list[node->site].site = ledger->sites.list[node->site];
		list[node->site].bytes = add_saturated(list[node->site].bytes, node->bytes);
		list[node->site].count++;
	}
}

/* Makes lines of the sites, the largest first. Returns how many there are. */
static size_t sum_lines(struct held *list, size_t sites)
{
	size_t i, used = 0, count = 0;

	for (i = 0; i < sites; i++)
		if (list[i].site)
			list[used++] = list[i];
	if (!used)
		return 0;
	qsort(list, used, sizeof(*list), line_order);
	for (i = 0; i < used; i++) {
		if (!count || list[count - 1].site->shown != list[i].site->shown) {
			list[count++] = list[i];
			continue;
		}
		list[count - 1].bytes = add_saturated(list[count - 1].bytes, list[i].bytes);
		list[count - 1].count += list[i].count;
		list[count - 1].sampled |= list[i].sampled;
	}
	qsort(list, count, sizeof(*list), size_order);
	return count;
}

/* Lists the lines of @sites sites, which are in @list by index, and frees that. */
static void lines_take(const struct program *program, struct held *list, size_t sites,
		       struct snap_detail *detail)
{
	size_t i, count = sum_lines(list, sites);

	for (i = 0; i < count && i < LINES_MAX; i++) {
		struct snap_line *line = &detail->lines[i];
		char text[sizeof(line->text)];

		*line = (struct snap_line){
			.live = list[i].bytes,
			.allocations = list[i].count,
			.sampled = list[i].sampled,
			.site = list[i].site->address,
			.stack = list[i].site->stack_id,
		};
		sites_describe(list[i].site, &program->names, text, sizeof(text));
		utf8_clean(text, line->text, sizeof(line->text));
	}
	detail->line_count = i;
	detail->lines_omitted = count - i;
	free(list);
}

void largest_lines(const struct program *program, int device, struct snap_detail *detail)
{
	const struct ledger *ledger = &program->ledger;
	struct held *list = calloc(ledger->sites.count + 1, sizeof(*list));

	if (!list)
		return;
	if (!ledger->checkpointed)
		sum_sites(ledger, device, list);
	lines_take(program, list, ledger->sites.count, detail);
}

void largest_lines_of(const struct program *program, const struct site_table *sites,
		      struct snap_detail *detail)
{
	struct held *list = calloc(sites->count + 1, sizeof(*list));
	size_t i;

	for (i = 0; list && i < sites->count; i++)
		if (sites->list[i]->live)
			list[i] = (struct held){ sites->list[i], sites->list[i]->live,
						 sites->list[i]->live_count,
						 sites->list[i]->sampled };
	if (list)
		lines_take(program, list, sites->count, detail);
}
