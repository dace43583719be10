/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_programs.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/identity.h"
#include "model/record_layout.h"
#include "trace/trace_types.h"

/* What a hostile program can make us remember of it. */
#define BLOCKS_MAX	4000000
static const struct name_limits name_limits = { .kernels = 200000, .places = 500000, .stacks = 200000, .bytes = 256u << 20 };

/* ---- images ---- */

static void types_free(struct trace_image *image)
{
	struct trace_types *types, *next;

	HASH_ITER(hh, image->types, types, next) {
		HASH_DEL(image->types, types);
		free(types);
	}
}

static void blocks_free(struct trace_image *image)
{
	struct trace_block *block, *next;

	HASH_ITER(hh, image->blocks, block, next) {
		HASH_DEL(image->blocks, block);
		free(block);
	}
}

static void image_free(struct trace_images *images, struct trace_image *image)
{
	struct trace_stream *stream, *next;

	names_free(&image->names);
	types_free(image);
	blocks_free(image);
	HASH_ITER(hh, image->streams, stream, next) {
		HASH_DEL(image->streams, stream);
		free(stream);
	}
	HASH_DEL(images->list, image);
	if (images->last == image)
		images->last = NULL;
	free(image);
}

void trace_images_free(struct trace_images *images)
{
	struct trace_image *image, *next;

	HASH_ITER(hh, images->list, image, next)
		image_free(images, image);
	extra_names_free(&images->extras);
}

static struct trace_image *image_find(struct trace_images *images, uint32_t number)
{
	struct trace_image *image = images->last;

	if (image && image->image == number)
		return image;
	HASH_FIND(hh, images->list, &number, sizeof(number), image);
	if (image)
		images->last = image;
	return image;
}

struct trace_image *trace_image_of(struct trace_images *images, const struct rec_hdr *hdr)
{
	struct trace_image *image = image_find(images, hdr->image);

	if (image)
		return image;
	image = calloc(1, sizeof(*image));
	if (!image)
		return NULL;
	image->image = hdr->image;
	image->tgid = hdr->tgid;
	strcpy(image->comm, "?");
	names_init(&image->names, &name_limits);
	HASH_ADD(hh, images->list, image, sizeof(image->image), image);
	images->last = image;
	return image;
}

/* ---- names ---- */

const struct trace_types *trace_types_of(struct trace_image *image, const struct kernel_name *kernel)
{
	uint64_t function = kernel->function;
	struct trace_types *types;

	HASH_FIND(hh, image->types, &function, sizeof(function), types);
	if (!types) {
		types = calloc(1, sizeof(*types));
		if (!types)
			return NULL;
		types->function = function;
		types->version = kernel->version - 1;
		HASH_ADD(hh, image->types, function, sizeof(types->function), types);
	}
	if (types->version != kernel->version) {
		types->version = kernel->version;
		types->are_known = kernel->symbol && trace_types_read(kernel->full, types->list, &types->count);
	}
	return types->are_known ? types : NULL;
}

/* ---- allocations ---- */

void trace_allocated(struct trace_image *image, const struct rec_call *call)
{
	uint64_t address = call->memory.address;
	struct trace_block *block;

	if (call->result || !address || call->flags & TRACED_CAPTURED)
		return;
	HASH_FIND(hh, image->blocks, &address, sizeof(address), block);
	if (!block) {
		if (HASH_COUNT(image->blocks) >= BLOCKS_MAX)
			return;
		block = calloc(1, sizeof(*block));
		if (!block)
			return;
		block->address = address;
		HASH_ADD(hh, image->blocks, address, sizeof(block->address), block);
	}
	block->bytes = call->memory.bytes;
	block->time = call->hdr.time;
	block->device = call->device;
	block->call = call->call;
}

bool trace_freed(struct trace_image *image, const struct rec_call *call, struct trace_block *freed)
{
	uint64_t address = call->memory.address;
	struct trace_block *block;

	if (call->result || !address || call->flags & TRACED_CAPTURED)
		return false;
	HASH_FIND(hh, image->blocks, &address, sizeof(address), block);
	if (!block)
		return false;
	*freed = *block;
	HASH_DEL(image->blocks, block);
	free(block);
	return true;
}

/* A device's allocations ended, but for those of no context. Those of a single context cannot be told apart here: they stay. */
static void reset(struct trace_image *image, const struct rec_reset *record)
{
	struct trace_block *block, *next;

	/* Nor is it known here whether the runtime holds the context that a release seemed to end. */
	if (record->context || (record->call < CALL_COUNT && call_descs[record->call].class == CLASS_CONTEXT &&
				call_descs[record->call].a != CONTEXT_RESET))
		return;
	HASH_ITER(hh, image->blocks, block, next) {
		if (record->device != CUTOP_DEVICE_UNKNOWN && block->device != record->device)
			continue;
		if (block->call < CALL_COUNT && call_descs[block->call].class == CLASS_ALLOC &&
		    (!KIND_CAN_LEAK(call_descs[block->call].a) || call_descs[block->call].flags & CALL_NO_CONTEXT))
			continue;
		HASH_DEL(image->blocks, block);
		free(block);
	}
}

/* ---- records ---- */

static void begin(struct trace_image *image, const struct rec_process *record)
{
	image->tgid = record->hdr.tgid;
	image->parent_tgid = record->parent_tgid;
	identity_comm(record->comm, image->comm);
}

void trace_images_record(struct trace_images *images, const struct rec_hdr *raw, size_t size)
{
	union record record;
	size_t fixed = record_read(&record, raw, size);
	const char *tail = (const char *)raw + fixed;
	struct trace_image *image;

	if (!fixed)
		return;
	switch (record.hdr.type) {
	case REC_EXTRA:
		extra_names_learn(&images->extras, &record.text, tail);
		return;
	case REC_PROCESS:
	case REC_KERNEL:
	case REC_NAME:
	case REC_STACK:
	case REC_MODULE:
		image = trace_image_of(images, &record.hdr);
		break;
	case REC_END:
	case REC_RESET:
	case REC_SITE:		/* lines are looked up on the side, and may be found when the image has ended */
		image = image_find(images, record.hdr.image);
		break;
	default:
		return;
	}
	if (!image)
		return;
	if (record.hdr.type == REC_PROCESS)
		begin(image, &record.process);
	else if (record.hdr.type == REC_END)
		image_free(images, image);
	else if (record.hdr.type == REC_RESET)
		reset(image, &record.reset);
	else
		names_record(&image->names, &record.hdr, tail);
}
