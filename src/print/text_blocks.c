/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The allocators of frameworks, in a process's block of text and in the leak report. Sites are
 * summed up by what they are called: the ways to one line matter less than the line.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/text.h"
#include "util/saturated.h"

#define LINES_SHOWN 10

enum {
	INDENT = 2,
	S_LIVE = 13,
	S_RISING = 21,
	S_BLOCKS = 29,
	S_SITE = 31,
	E_BYTES = 16,
	E_SITE = 18
};

/* Sites of one name. */
struct named {
	const char *site;
	uint64_t live, ended, rising, blocks;
	bool sampled;
};

/* Before an estimate. */
static const char *about(bool sampled)
{
	return sampled ? "~" : "";
}

/* At the right of @column: @text, an estimate if @sampled. */
static void print_about(struct line *line, int column, const char *text, bool sampled)
{
	char marked[NUMBER_SIZE + 1];

	snprintf(marked, sizeof(marked), "%s%s", about(sampled), text);
	line_right(line, column, marked);
}

static int name_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	return strcmp(a->site, b->site);
}

static int live_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	uint64_t x = add_saturated(a->live, a->ended), y = add_saturated(b->live, b->ended);

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->site, b->site);
}

static int rising_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	if (a->rising != b->rising)
		return a->rising > b->rising ? -1 : 1;
	return live_order(left, right);
}

/* The sites of @allocators by name, unsorted; the caller frees the list. NULL without memory. */
static struct named *sites_name(const struct snap_allocator *allocators, size_t count,
				size_t *names)
{
	struct named *list;
	size_t i, j, room = 0, out = 0;

	for (i = 0; i < count; i++)
		room += allocators[i].site_count;
	list = calloc(room + 1, sizeof(*list));
	if (!list)
		return NULL;
	for (i = 0, room = 0; i < count; i++)
		for (j = 0; j < allocators[i].site_count; j++) {
			const struct snap_site *site = &allocators[i].sites[j];

			list[room++] = (struct named){ site->site,       site->live,
						       site->held,       site->suspect,
						       site->live_count, site->sampled };
		}
	if (room)
		qsort(list, room, sizeof(*list), name_order);
	for (i = 0; i < room; i++) {
		if (!out || strcmp(list[out - 1].site, list[i].site)) {
			list[out++] = list[i];
			continue;
		}
		list[out - 1].live = add_saturated(list[out - 1].live, list[i].live);
		list[out - 1].ended = add_saturated(list[out - 1].ended, list[i].ended);
		list[out - 1].rising = add_saturated(list[out - 1].rising, list[i].rising);
		list[out - 1].blocks += list[i].blocks;
		list[out - 1].sampled |= list[i].sampled;
	}
	*names = out;
	return list;
}

/* ---- a running process ---- */

static void print_figure(struct line *line, const char *what, double bytes, bool sampled)
{
	char text[NUMBER_SIZE];

	line_format(line, "  %s %s%s", what, about(sampled), text_bytes(bytes, text));
}

static void print_allocator(struct line *line, const struct snap_allocator *allocator)
{
	char text[NUMBER_SIZE];

	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, "TENSORS");
	line_style(line, STYLE_PLAIN);
	if (allocator->device >= 0)
		line_format(line, "  device %d", allocator->device);
	line_format(line, "  %s in %s%zu block%s", text_bytes((double)allocator->allocated, text),
		    at_least(allocator->unknown > 0), allocator->blocks,
		    allocator->blocks == 1 ? "" : "s");
	if (allocator->has_totals && allocator->reserved >= allocator->allocated)
		print_figure(line, "cache", (double)(allocator->reserved - allocator->allocated),
			     false);
	if (allocator->has_gaps && allocator->free_in_segments) {
		print_figure(line, "in one piece", (double)allocator->largest_gap, false);
		line_format(line, "  fragmentation %.0f%%", 100 * allocator->fragmentation);
	}
	if (allocator->rising) {
		line_style(line, STYLE_LEAKED);
		print_figure(line, "rising", (double)allocator->rising, allocator->sampled);
		line_style(line, STYLE_PLAIN);
	}
	if (allocator->shortages)
		line_format(line, "  out of memory %" PRIu64, allocator->shortages);
	line_end(line);
}

static void print_sites(struct line *line, struct named *list, size_t count)
{
	char text[NUMBER_SIZE];
	size_t i, live = 0;

	qsort(list, count, sizeof(*list), live_order);
	while (live < count && list[live].live)
		live++;
	if (!live)
		return;
	line_style(line, STYLE_HEAD);
	line_right(line, S_LIVE, "LIVE");
	line_right(line, S_RISING, "RISING");
	line_right(line, S_BLOCKS, "BLOCKS");
	line_to(line, S_SITE);
	line_text(line, "SITE");
	line_end(line);
	for (i = 0; i < live && i < LINES_SHOWN; i++) {
		print_about(line, S_LIVE, text_bytes((double)list[i].live, text), list[i].sampled);
		line_style(line, list[i].rising ? STYLE_LEAKED : STYLE_PLAIN);
		print_about(line, S_RISING, text_bytes((double)list[i].rising, text),
			    list[i].sampled && list[i].rising);
		line_style(line, STYLE_PLAIN);
		print_about(line, S_BLOCKS, text_count((double)list[i].blocks, text),
			    list[i].sampled);
		line_to(line, S_SITE);
		line_text(line, list[i].site);
		line_end(line);
	}
	if (live > LINES_SHOWN) {
		line_to(line, INDENT);
		line_format(line, "... and %zu more", live - LINES_SHOWN);
		line_end(line);
	}
}

void text_blocks(struct line *line, const struct snap_process *process)
{
	struct named *list;
	size_t i, count;

	if (process->exited)
		return;
	for (i = 0; i < process->allocator_count; i++)
		print_allocator(line, &process->allocators[i]);
	list = process->allocator_count ?
		       sites_name(process->allocators, process->allocator_count, &count) :
		       NULL;
	if (list)
		print_sites(line, list, count);
	free(list);
}

/* ---- at the end ---- */

void text_blocks_end(struct line *line, const struct snap_process *process)
{
	char text[NUMBER_SIZE];
	struct named *list;
	size_t i, count;

	list = sites_name(process->allocators, process->allocator_count, &count);
	if (!list)
		return;
	if (count)
		qsort(list, count, sizeof(*list), rising_order);
	line_style(line, STYLE_HEAD);
	line_right(line, E_BYTES, "RISEN");
	line_right(line, E_BYTES + 10, "LIVE");
	line_to(line, E_SITE + 10);
	line_text(line, "SITE");
	line_end(line);
	for (i = 0; i < count && list[i].rising; i++) {
		snprintf(text, sizeof(text), "%" PRIu64, list[i].rising);
		line_style(line, STYLE_LEAKED);
		print_about(line, E_BYTES, text, list[i].sampled);
		line_style(line, STYLE_PLAIN);
		print_about(line, E_BYTES + 10, text_bytes((double)list[i].ended, text),
			    list[i].sampled);
		line_to(line, E_SITE + 10);
		line_text(line, list[i].site);
		line_end(line);
	}
	free(list);
}
