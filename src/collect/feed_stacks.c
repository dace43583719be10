/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of stacks, and those that refer to one: BPF's number of a stack becomes the model's, once
 * the model was told of it.
 */
#include <stdlib.h>
#include <string.h>

#include "collect/feed_internal.h"
#include "cutop_allocator.h"
#include "cutop_unwind.h"

static void stack_feed(struct feed *feed, const struct rec_stack *record, size_t size, bool is_copy)
{
	struct rec_stack *stack = stacks_add(feed->stacks, record, size, is_copy);
	uint32_t i;

	if (!stack)
		return;
	for (i = 0; i < stack->count; i++)
		if (stack->frames[i] == PLACE_CUT)
			site_names_cut(feed->sites, stack->hdr.program, (pid_t)stack->hdr.tgid,
				       feed_tell, feed);
		else
			site_feed(feed, &stack->hdr, stack->frames[i]);
	record_sink_put(feed->sink, &stack->hdr, stack->hdr.size);
	free(stack);
}

/* A stack that was copied, to be walked here. */
static void copy_feed(struct feed *feed, const struct rec_stack_copy *record, size_t size)
{
	struct rec_stack *stack = feed->native ? native_stacks_walk(feed->native, record, size) :
						 NULL;

	if (stack)
		stack_feed(feed, stack, stack->hdr.size, true);
	free(stack);
}

static void python_feed(struct feed *feed, const struct rec_hdr *hdr, size_t size)
{
	/* Where it went from there is the first of its frames. */
	if (hdr->type == REC_PYTHON_STACK && size >= sizeof(struct rec_python_stack))
		site_feed(feed, hdr, ((const struct rec_python_stack *)hdr)->site);
	python_stacks_record(feed->python, hdr, size, feed_tell, feed);
}

/*
 * Makes the site of a call that failed known: of a Python program, its line, and by which way.
 * Returns the stack, or 0.
 */
static uint64_t failed_site(struct feed *feed, const struct rec_hdr *hdr, __u64 *site)
{
	uint64_t stack = *site;

	if (!(stack & (PYTHON_STACK | NATIVE_STACK))) {
		site_feed(feed, hdr, *site);
		return 0;
	}
	*site = stacks_shown(feed->stacks, hdr->program, stack);
	return stacks_record_id(feed->stacks, hdr->program, stack);
}

static void fail_feed(struct feed *feed, const struct rec_fail_at *record, size_t size)
{
	struct rec_fail_at at = { .function = 0 };

	memcpy(&at, record, size < sizeof(at) ? size : sizeof(at));
	at.stack = failed_site(feed, &at.fail.hdr, &at.fail.site);
	at.fail.hdr.size = at.function ? sizeof(at) :
			   at.stack    ? offsetof(struct rec_fail_at, function) :
					 sizeof(at.fail);
	record_sink_put(feed->sink, &at.fail.hdr, at.fail.hdr.size);
}

/* A free that failed: perhaps a double free, whose site the log shows. */
static void free_feed(struct feed *feed, const struct rec_free *record)
{
	struct rec_free_at at = { .free = *record };

	at.stack = failed_site(feed, &at.free.hdr, &at.free.site);
	if (at.stack)
		at.free.hdr.size = sizeof(at);
	record_sink_put(feed->sink, &at.free.hdr, at.free.hdr.size);
}

static void alloc_feed(struct feed *feed, const struct rec_alloc *record, size_t size)
{
	struct rec_alloc alloc;

	site_feed(feed, &record->hdr, record->site);
	if (!record->stack || size != sizeof(alloc)) {
		record_sink_put(feed->sink, &record->hdr, size);
		return;
	}
	alloc = *record;
	alloc.stack = stacks_record_id(feed->stacks, record->hdr.program, record->stack);
	record_sink_put(feed->sink, &alloc.hdr, size);
}

/* A block, or a request that found no memory, of a framework's allocator. */
static void block_feed(struct feed *feed, const struct rec_block *record)
{
	struct rec_block block = *record;

	if (block.site)
		site_feed(feed, &block.hdr, block.site);
	if (block.stack)
		block.stack = stacks_record_id(feed->stacks, block.hdr.program, block.stack);
	record_sink_put(feed->sink, &block.hdr, sizeof(block));
}

static void short_feed(struct feed *feed, const struct rec_short *record)
{
	struct rec_short shortage = *record;

	site_feed(feed, &shortage.hdr, shortage.site);
	if (shortage.stack)
		shortage.stack =
			stacks_record_id(feed->stacks, shortage.hdr.program, shortage.stack);
	record_sink_put(feed->sink, &shortage.hdr, sizeof(shortage));
}

static void instantiated_feed(struct feed *feed, const struct rec_instantiated *record)
{
	struct rec_instantiated made = *record;

	site_feed(feed, &made.hdr, made.site);
	if (made.stack)
		made.stack = stacks_record_id(feed->stacks, made.hdr.program, made.stack);
	record_sink_put(feed->sink, &made.hdr, sizeof(made));
}

/* A traced call. Its stack is known by another number once it was cut. */
static void call_feed(struct feed *feed, const struct rec_call *record, size_t size)
{
	/* The larger of the two types: the ring cannot be written to */
	struct rec_call_kernel call;

	if (size < sizeof(*record) || size > sizeof(call) || !record->stack) {
		record_sink_put(feed->sink, &record->hdr, size);
		return;
	}
	memcpy(&call, record, size);
	call.call.stack = stacks_record_id(feed->stacks, record->hdr.program, record->stack);
	record_sink_put(feed->sink, &call.call.hdr, size);
}

bool feed_stacks_take(struct feed *feed, const struct rec_hdr *hdr, size_t size)
{
	const void *data = hdr;

	switch (hdr->type) {
	case REC_ALLOC: alloc_feed(feed, data, size); return true;
	case REC_INSTANTIATED:
		if (size >= sizeof(struct rec_instantiated))
			instantiated_feed(feed, data);
		return true;
	case REC_BLOCK:
		if (size >= sizeof(struct rec_block))
			block_feed(feed, data);
		return true;
	case REC_SHORT:
		if (size >= sizeof(struct rec_short))
			short_feed(feed, data);
		return true;
	case REC_CALL: call_feed(feed, data, size); return true;
	case REC_STACK: stack_feed(feed, data, size, false); return true;
	case REC_STACK_COPY: copy_feed(feed, data, size); return true;
	case REC_STACK_PART:
		if (feed->native)
			native_stacks_part(feed->native, data, size);
		return true;
	case REC_PYTHON_CODE:
	case REC_PYTHON_TABLE:
	case REC_PYTHON_STACK: python_feed(feed, hdr, size); return true;
	case REC_FREE:
		if (!((const struct rec_free *)data)->result)
			return false;
		free_feed(feed, data);
		return true;
	case REC_FAIL: fail_feed(feed, data, size); return true;
	}
	return false;
}
