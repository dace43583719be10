/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "names/demangle.h"
#include "trace/trace_types.h"
#include "util/utf8.h"

/* What a hostile program can make us remember of it. */
#define KERNELS_MAX	200000
#define SITES_MAX	500000
#define STACKS_MAX	200000
#define BLOCKS_MAX	4000000
#define MODULES_MAX	4096

static char *clean_copy(const char *text, size_t len)
{
	char *raw = strndup(text, len), *clean;

	if (!raw)
		return NULL;
	/* A byte that is no character becomes '?', so that what comes out is no longer. */
	clean = malloc(len + 1);
	if (clean)
		utf8_clean(raw, clean, len + 1);
	free(raw);
	return clean;
}

/* ---- images ---- */

static void kernels_free(struct trace_image *image)
{
	struct trace_kernel *kernel, *next;

	HASH_ITER(hh, image->kernels, kernel, next) {
		HASH_DEL(image->kernels, kernel);
		free(kernel->symbol);
		free(kernel->full);
		free(kernel->brief);
		free(kernel);
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
	struct trace_stream *stream, *next_stream;
	struct trace_stack *stack, *next_stack;
	struct trace_site *site, *next_site;

	kernels_free(image);
	blocks_free(image);
	HASH_ITER(hh, image->sites, site, next_site) {
		HASH_DEL(image->sites, site);
		free(site->name);
		free(site);
	}
	HASH_ITER(hh, image->stacks, stack, next_stack) {
		HASH_DEL(image->stacks, stack);
		free(stack->frames);
		free(stack);
	}
	HASH_ITER(hh, image->streams, stream, next_stream) {
		HASH_DEL(image->streams, stream);
		free(stream);
	}
	free(image->modules);
	HASH_DEL(images->list, image);
	if (images->last == image)
		images->last = NULL;
	free(image);
}

void trace_images_free(struct trace_images *images)
{
	struct trace_image *image, *next;

	size_t i;

	HASH_ITER(hh, images->list, image, next)
		image_free(images, image);
	for (i = 0; i < CUTOP_EXTRA_MAX; i++) {
		free(images->extras[i].symbol);
		free(images->extras[i].brief);
		free(images->extras[i].full);
	}
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
	HASH_ADD(hh, images->list, image, sizeof(image->image), image);
	images->last = image;
	return image;
}

/* ---- names ---- */

static struct trace_kernel *kernel_find(struct trace_image *image, uint64_t function)
{
	struct trace_kernel *kernel;

	HASH_FIND(hh, image->kernels, &function, sizeof(function), kernel);
	if (kernel || HASH_COUNT(image->kernels) >= KERNELS_MAX)
		return kernel;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return NULL;
	kernel->function = function;
	HASH_ADD(hh, image->kernels, function, sizeof(kernel->function), kernel);
	return kernel;
}

static void kernel_forget_names(struct trace_kernel *kernel)
{
	free(kernel->full);
	free(kernel->brief);
	kernel->full = kernel->brief = NULL;
	kernel->has_types = false;
}

/* The same order of sources as the model's: what the program said is better than what a file says. */
static unsigned int source_rank(unsigned int source)
{
	return source == NAME_REGISTERED || source == NAME_DRIVER ? 3 : source == NAME_SYMBOL ? 2 : 1;
}

static void kernel_name(struct trace_image *image, uint64_t function, uint64_t stub, unsigned int source,
			const char *name, size_t len)
{
	struct trace_kernel *kernel = kernel_find(image, function);
	unsigned int rank = source_rank(source);
	char *symbol;

	if (!kernel)
		return;
	if (stub)
		kernel->stub = stub;
	kernel_forget_names(kernel);
	len = strnlen(name, len);
	if (!len || (kernel->symbol && rank < kernel->rank))
		return;
	symbol = clean_copy(name, len);
	if (!symbol)
		return;
	free(kernel->symbol);
	kernel->symbol = symbol;
	kernel->rank = rank;
}

/* A kernel that nobody named: where its stub lies in which file. */
static char *kernel_place(const struct trace_image *image, const struct trace_kernel *kernel)
{
	uint64_t address = kernel->stub ? kernel->stub : kernel->function;
	char *text = NULL;
	size_t i;
	int len;

	for (i = 0; i < image->module_count; i++) {
		const struct trace_module *module = &image->modules[i];

		if (address >= module->start && address < module->end) {
			len = asprintf(&text, "%s+0x%" PRIx64, module->file, address - module->start + module->offset);
			return len < 0 ? NULL : text;
		}
	}
	len = asprintf(&text, "0x%" PRIx64, address);
	return len < 0 ? NULL : text;
}

const struct trace_kernel *trace_kernel_of(struct trace_image *image, uint64_t function)
{
	struct trace_kernel *kernel = kernel_find(image, function);

	if (!kernel || kernel->brief)
		return kernel;
	if (kernel->symbol) {
		kernel->full = demangle_full(kernel->symbol);
		kernel->brief = kernel->full ? demangle_short(kernel->full) : NULL;
	} else {
		kernel->brief = kernel_place(image, kernel);
	}
	if (!kernel->brief)
		return NULL;
	kernel->has_types = kernel->full && trace_types_read(kernel->full, kernel->types, &kernel->type_count);
	return kernel;
}

static void site_name(struct trace_image *image, const struct rec_text *record)
{
	uint64_t address = record->address;
	struct trace_site *site;
	char *name;

	HASH_FIND(hh, image->sites, &address, sizeof(address), site);
	if (!site && HASH_COUNT(image->sites) >= SITES_MAX)
		return;
	name = clean_copy(record->text, record->text_len);
	if (!name)
		return;
	if (!site) {
		site = calloc(1, sizeof(*site));
		if (!site) {
			free(name);
			return;
		}
		site->address = address;
		HASH_ADD(hh, image->sites, address, sizeof(site->address), site);
	}
	free(site->name);
	site->name = name;
}

const char *trace_site_name(const struct trace_image *image, uint64_t address)
{
	struct trace_site *site;

	HASH_FIND(hh, image->sites, &address, sizeof(address), site);
	return site ? site->name : NULL;
}

static void stack_keep(struct trace_image *image, const struct rec_stack *record)
{
	uint64_t id = record->stack;
	struct trace_stack *stack;

	HASH_FIND(hh, image->stacks, &id, sizeof(id), stack);
	if (stack || HASH_COUNT(image->stacks) >= STACKS_MAX)
		return;
	stack = calloc(1, sizeof(*stack));
	if (stack)
		stack->frames = calloc(record->count ? record->count : 1, sizeof(*stack->frames));
	if (!stack || !stack->frames) {
		free(stack);
		return;
	}
	stack->id = id;
	stack->count = record->count;
	memcpy(stack->frames, record->frames, record->count * sizeof(*stack->frames));
	HASH_ADD(hh, image->stacks, id, sizeof(stack->id), stack);
}

const struct trace_stack *trace_stack_of(const struct trace_image *image, uint64_t id)
{
	struct trace_stack *stack;

	HASH_FIND(hh, image->stacks, &id, sizeof(id), stack);
	return stack;
}

static void module_keep(struct trace_image *image, const struct rec_module *record)
{
	struct trace_module *module = NULL, *list;
	char raw[CUTOP_FILE_LEN];
	size_t i;

	if (record->end <= record->start)
		return;
	/* A file mapped where another was takes its place. */
	for (i = 0; i < image->module_count && !module; i++)
		if (image->modules[i].start < record->end && record->start < image->modules[i].end)
			module = &image->modules[i];
	if (!module) {
		if (image->module_count >= MODULES_MAX)
			return;
		list = realloc(image->modules, (image->module_count + 1) * sizeof(*list));
		if (!list)
			return;
		image->modules = list;
		module = &list[image->module_count++];
	}
	module->start = record->start;
	module->end = record->end;
	module->offset = record->offset;
	memcpy(raw, record->file, sizeof(raw));
	raw[sizeof(raw) - 1] = 0;
	utf8_clean(raw, module->file, sizeof(module->file));
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

static bool text_fits(const struct rec_text *record, size_t size)
{
	return size >= sizeof(*record) && record->text_len <= size - sizeof(*record);
}

static void extra_keep(struct trace_images *images, const struct rec_text *text)
{
	struct trace_extra *extra;

	if (!CUTOP_IS_EXTRA(text->address) || text->flags >= EXTRA_RESULT_COUNT)
		return;
	extra = &images->extras[text->address - CUTOP_EXTRA];
	if (extra->symbol)
		return;
	extra->symbol = clean_copy(text->text, text->text_len);
	if (extra->symbol)
		demangle_both(extra->symbol, &extra->brief, &extra->full);
	extra->result = (enum extra_result)text->flags;
}

void trace_images_record(struct trace_images *images, const struct rec_hdr *record, size_t size)
{
	struct trace_image *image;
	char comm[CUTOP_COMM_LEN];

	switch (record->type) {
	case REC_PROCESS: {
		const struct rec_process *process = (const void *)record;

		if (size < sizeof(*process))
			return;
		image = trace_image_of(images, record);
		if (!image)
			return;
		image->tgid = record->tgid;
		image->parent_tgid = process->parent_tgid;
		memcpy(comm, process->comm, sizeof(comm));
		comm[sizeof(comm) - 1] = 0;
		utf8_clean(comm, image->comm, sizeof(image->comm));
		return;
	}
	case REC_END:
		image = image_find(images, record->image);
		if (image)
			image_free(images, image);
		return;
	case REC_KERNEL: {
		const struct rec_kernel *kernel = (const void *)record;

		if (size < sizeof(*kernel) || kernel->name_len > size - sizeof(*kernel))
			return;
		image = trace_image_of(images, record);
		if (image)
			kernel_name(image, kernel->function, kernel->stub, kernel->source, kernel->name, kernel->name_len);
		return;
	}
	case REC_NAME: {
		const struct rec_text *text = (const void *)record;

		if (!text_fits(text, size))
			return;
		image = trace_image_of(images, record);
		if (image)
			kernel_name(image, text->address, 0, text->flags, text->text, text->text_len);
		return;
	}
	case REC_EXTRA: {
		const struct rec_text *text = (const void *)record;

		if (text_fits(text, size))
			extra_keep(images, text);
		return;
	}
	case REC_SITE:
		/* Lines are looked up on the side, and may be found when the image has ended. */
		image = image_find(images, record->image);
		if (image && text_fits((const void *)record, size))
			site_name(image, (const void *)record);
		return;
	case REC_STACK: {
		const struct rec_stack *stack = (const void *)record;

		if (size < sizeof(*stack) || stack->count > (size - sizeof(*stack)) / sizeof(stack->frames[0]))
			return;
		image = trace_image_of(images, record);
		if (image)
			stack_keep(image, stack);
		return;
	}
	case REC_MODULE:
		image = size >= sizeof(struct rec_module) ? trace_image_of(images, record) : NULL;
		if (image)
			module_keep(image, (const void *)record);
		return;
	case REC_RESET:
		image = size >= sizeof(struct rec_reset) ? image_find(images, record->image) : NULL;
		if (image)
			reset(image, (const void *)record);
		return;
	}
}
