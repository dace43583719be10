/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One walk in order of addresses joins an allocation to the previous span if the gap is small. When
 * there are too many spans, the limit for "small" doubles and the spans are joined again. So gaps
 * between spans are at least as long as any inside one. Until then a span has a single state: if
 * neighbours differ, a new span begins, so that a drawing shows which is which. Of the process that
 * is looked at, the allocations themselves are listed as well, unless there are very many.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/model_state.h"
#include "model/pieces.h"
#include "util/saturated.h"

/* With so few allocations, a process has spans before anything asks for them. */
#define CHEAP_MAX 4096
/* The same of all processes together */
#define CHEAP_SUM 65536

struct spans {
	struct snap_span *list; /* room for 2 * SPANS_MAX */
	size_t count;
	uint64_t gap;
};

void model_focus(struct model *model, uint32_t program)
{
	model->focus = program;
	model->has_focus = true;
}

static void spans_join(struct spans *spans)
{
	size_t i, kept = 0;
	int state;

	spans->gap = spans->gap ? spans->gap * 2 : 512;
	for (i = 1; i < spans->count; i++) {
		struct snap_span *last = &spans->list[kept], *span = &spans->list[i];

		if (span->start - last->end > spans->gap) {
			spans->list[++kept] = *span;
			continue;
		}
		last->end = span->end;
		for (state = 0; state < ALLOC_STATE_COUNT; state++)
			last->bytes[state] = add_saturated(last->bytes[state], span->bytes[state]);
	}
	spans->count = kept + 1;
}

static bool begins_span(const struct spans *spans, const struct snap_span *last,
			const struct piece *piece, enum alloc_state state)
{
	if (!last || piece->address < last->end)
		return !last;
	return piece->address - last->end > spans->gap || (!spans->gap && !last->bytes[state]);
}

static void spans_add(struct spans *spans, const struct piece *piece, enum alloc_state state)
{
	struct snap_span *last = spans->count ? &spans->list[spans->count - 1] : NULL;
	uint64_t end = add_saturated(piece->address, piece->bytes);

	if (begins_span(spans, last, piece, state)) {
		while (spans->count == 2 * SPANS_MAX)
			spans_join(spans);
		last = &spans->list[spans->count++];
		*last = (struct snap_span){ .start = piece->address, .end = piece->address };
	}
	if (end > last->end)
		last->end = end;
	last->bytes[state] = add_saturated(last->bytes[state], piece->bytes);
}

static bool has_drawn(const struct build *build, const struct program *program)
{
	size_t count = program->ledger.book.count;

	return program->number == build->model->focus && count && count <= ALLOCATIONS_DRAWN_MAX;
}

/* Room for each allocation of the process that is in focus; without any, it is not drawn singly. */
static int drawn_begin(struct build *build, const struct program *program,
		       struct snap_process *process)
{
	size_t count = program->ledger.book.count;

	if (!has_drawn(build, program))
		return 0;
	process->drawn = arena_alloc(build->arena, count, sizeof(*process->drawn));
	return process->drawn ? 0 : -ENOMEM;
}

/* Physical memory that is mapped more than once has more pieces than there is room for. */
static void drawn_add(struct build *build, const struct program *program,
		      struct snap_process *process, const struct piece *piece,
		      enum alloc_state state)
{
	const struct alloc_node *node = piece->node;
	const struct snap_site *site = &process->sites[node->site];

	if (!process->drawn)
		return;
	if (process->drawn_count == program->ledger.book.count) {
		process->drawn = NULL;
		process->drawn_count = 0;
		return;
	}
	process->drawn[process->drawn_count++] = (struct snap_alloc){
		.address = piece->address,
		.bytes = piece->bytes,
		.age = node->state == NODE_LIVE ? subtract_saturated(build->now, node->born) :
						  node->born,
		.site = site->site,
		.site_address = site->address,
		.stack_id = site->stack_id,
		.device = node->device,
		.call = node->call,
		.kind = node->kind,
		.state = (uint8_t)state,
		.in_cache = site->in_cache,
	};
}

size_t build_cheap_max(size_t processes)
{
	size_t share = CHEAP_SUM / (processes + 1);

	return share < CHEAP_MAX ? share : CHEAP_MAX;
}

static bool has_spans(const struct build *build, const struct program *program)
{
	const struct model *model = build->model;

	return model->has_focus &&
	       (program->ledger.book.count <= build->cheap_max || program->number == model->focus);
}

int build_spans(struct build *build, struct program *program, struct snap_process *process)
{
	struct spans spans = { .count = 0 };
	struct pieces pieces;
	struct piece piece;

	if (!has_spans(build, program))
		return 0;
	spans.list = malloc(2 * SPANS_MAX * sizeof(*spans.list));
	if (!spans.list)
		return -ENOMEM;
	if (drawn_begin(build, program, process)) {
		free(spans.list);
		return -ENOMEM;
	}
	pieces_begin(&pieces, program);
	while (pieces_next(&pieces, &piece)) {
		const struct alloc_node *node = piece.node;
		enum alloc_state state;

		if (!node || !KIND_CAN_LEAK(node->kind) || !piece.bytes)
			continue;
		state = build_state(build, program, &process->sites[node->site], node);
		if (state == ALLOC_SAVED)
			continue;
		spans_add(&spans, &piece, state);
		drawn_add(build, program, process, &piece, state);
	}
	while (spans.count > SPANS_MAX)
		spans_join(&spans);
	process->spans = arena_alloc(build->arena, spans.count, sizeof(*process->spans));
	if (process->spans) {
		memcpy(process->spans, spans.list, spans.count * sizeof(*process->spans));
		process->span_count = spans.count;
	}
	free(spans.list);
	return process->spans ? 0 : -ENOMEM;
}
