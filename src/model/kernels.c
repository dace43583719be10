/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of kernels in one image. A launch names its function by an address (the
 * host stub, or a handle); records say which mangled name that is. The best
 * source wins, whenever it comes. What has no name is shown as the file that
 * maps it and the offset in it; a handle, which no file maps, as the place where
 * it is launched; and failing that as its address.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/internal.h"
#include "names/demangle.h"

static int kernel_compare(const struct kernel_name *a, const struct kernel_name *b)
{
	return (a->function > b->function) - (a->function < b->function);
}

TREE_GENERATE(kernel_tree, kernel_name, link, kernel_compare)

static size_t text_bytes(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static void forget_shown(struct image *image, struct kernel_name *kernel)
{
	image->name_bytes -= text_bytes(kernel->full) + text_bytes(kernel->brief);
	free(kernel->full);
	free(kernel->brief);
	kernel->full = kernel->brief = NULL;
}

static struct kernel_name *find(struct image *image, uint64_t function)
{
	struct kernel_name key = { .function = function };

	return RB_FIND(kernel_tree, &image->kernels, &key);
}

static struct kernel_name *find_or_add(struct image *image, uint64_t function, int *error)
{
	struct kernel_name *kernel = find(image, function);

	*error = 0;
	if (kernel)
		return kernel;
	if (image->kernel_count >= KERNELS_MAX) {
		image->inexact = true;
		return NULL;
	}
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel) {
		*error = -ENOMEM;
		return NULL;
	}
	kernel->function = function;
	RB_INSERT(kernel_tree, &image->kernels, kernel);
	image->kernel_count++;
	return kernel;
}

static int source_rank(unsigned int source, bool truncated)
{
	int rank;

	switch (source) {
	case NAME_REGISTERED:
	case NAME_DRIVER:
		rank = 3;
		break;
	case NAME_SYMBOL:
		rank = 2;
		break;
	default:
		rank = 1;
	}
	return rank * 2 - truncated;
}

int kernels_name(struct image *image, uint64_t function, uint64_t stub, unsigned int source, bool truncated,
		 const char *name, size_t len)
{
	int error, rank = source_rank(source, truncated);
	struct kernel_name *kernel = find_or_add(image, function, &error);
	char *symbol;

	if (!kernel)
		return error;
	if (stub && stub != kernel->stub) {
		kernel->stub = stub;
		forget_shown(image, kernel);
	}
	len = strnlen(name, len);
	if (!len || (kernel->symbol && rank < kernel->rank))
		return 0;
	symbol = image->name_bytes + len < NAME_BYTES_MAX ? clean_copy(name, len) : NULL;
	if (!symbol)
		return -ENOMEM;
	image->name_bytes += text_bytes(symbol) - text_bytes(kernel->symbol);
	free(kernel->symbol);
	kernel->symbol = symbol;
	kernel->rank = rank;
	forget_shown(image, kernel);
	return 0;
}

int kernels_place(struct image *image, const struct rec_launched_at *record)
{
	struct kernel_name *kernel;
	int error;

	/* The runtime's call of the driver: it says nothing of the kernel, but where the runtime is at work. */
	if (call_descs[record->call].layer == LAYER_DRIVER && kernels_is_runtime(image, record->site)) {
		image->runtime_launched = true;
		return 0;
	}
	kernel = find_or_add(image, record->function, &error);
	if (!kernel)
		return error;
	kernel->site = record->site;
	kernel->shares_site = call_descs[record->call].layer == LAYER_DRIVER;
	if (!kernel->symbol)
		forget_shown(image, kernel);
	return 0;
}

int kernels_module(struct image *image, const struct rec_module *record)
{
	struct kernel_name *kernel;
	struct module *module = NULL;
	char *file;
	size_t i;

	if (record->end <= record->start)
		return 0;
	/* A file mapped where another was takes its place. */
	for (i = 0; i < image->module_count && !module; i++)
		if (image->modules[i].start < record->end && record->start < image->modules[i].end)
			module = &image->modules[i];
	if (!module && image->module_count >= MODULES_MAX)
		return 0;
	file = clean_copy(record->file, sizeof(record->file));
	if (!file)
		return -ENOMEM;
	if (!module) {
		struct module *list = realloc(image->modules, (image->module_count + 1) * sizeof(*list));

		if (!list) {
			free(file);
			return -ENOMEM;
		}
		image->modules = list;
		module = &list[image->module_count++];
	} else {
		free(module->file);
	}
	*module = (struct module){ record->start, record->end, record->offset, file };
	RB_FOREACH(kernel, kernel_tree, &image->kernels)
		if (!kernel->symbol)
			forget_shown(image, kernel);
	return 0;
}

static const struct module *module_of(const struct image *image, uint64_t address)
{
	size_t i;

	for (i = 0; i < image->module_count; i++)
		if (image->modules[i].start <= address && address < image->modules[i].end)
			return &image->modules[i];
	return NULL;
}

uint64_t kernels_stub(struct image *image, uint64_t function)
{
	const struct kernel_name *kernel = find(image, function);

	return kernel && kernel->stub ? kernel->stub : function;
}

bool kernels_is_runtime(const struct image *image, uint64_t address)
{
	const struct module *module = module_of(image, address);

	return module && !strncmp(module->file, "libcudart", strlen("libcudart"));
}

void kernels_describe(const struct image *image, uint64_t address, char *out, size_t size)
{
	const struct module *module = module_of(image, address);

	if (module)
		snprintf(out, size, "%s+0x%" PRIx64, module->file, address - module->start + module->offset);
	else
		snprintf(out, size, "0x%" PRIx64, address);
}

/* A kernel without a name: by its stub, itself, or where it is launched, whichever lies in a file. */
static void place_describe(const struct image *image, const struct kernel_name *kernel, char *out, size_t size)
{
	uint64_t address = kernel->function;
	size_t len;

	if (kernel->stub && module_of(image, kernel->stub))
		address = kernel->stub;
	else if (kernel->site && !module_of(image, address) && module_of(image, kernel->site))
		address = kernel->site;
	kernels_describe(image, address, out, size);
	len = strlen(out);
	if (address == kernel->site && kernel->shares_site)
		snprintf(out + len, size - len, " 0x%" PRIx64, kernel->function);
}

const struct kernel_name *kernels_find(struct image *image, uint64_t function)
{
	struct kernel_name *kernel, *stub;
	const char *symbol;
	char where[128];
	int error;

	kernel = find_or_add(image, function, &error);
	if (!kernel || kernel->brief)
		return kernel;
	if (!kernel->symbol && kernel->stub && kernel->stub != function) {
		/* The stub itself may have been launched, and named, too. */
		stub = find(image, kernel->stub);
		if (stub && stub->symbol) {
			kernel->symbol = strdup(stub->symbol);
			kernel->rank = stub->rank;
			image->name_bytes += text_bytes(kernel->symbol);
		}
	}
	symbol = kernel->symbol;
	if (symbol) {
		kernel->full = demangle_full(symbol);
		kernel->brief = kernel->full ? demangle_short(kernel->full) : NULL;
	}
	/* A short name can stand for a long one. */
	if (!symbol || image->name_bytes + text_bytes(kernel->full) + text_bytes(kernel->brief) > NAME_BYTES_MAX) {
		free(kernel->full);
		free(kernel->brief);
		place_describe(image, kernel, where, sizeof(where));
		kernel->full = strdup(where);
		kernel->brief = strdup(where);
	}
	image->name_bytes += text_bytes(kernel->full) + text_bytes(kernel->brief);
	if (!kernel->full || !kernel->brief) {
		forget_shown(image, kernel);
		return NULL;
	}
	return kernel;
}

void kernels_free(struct image *image)
{
	struct kernel_name *kernel, *next;
	size_t i;

	for (kernel = RB_MIN(kernel_tree, &image->kernels); kernel; kernel = next) {
		next = RB_NEXT(kernel_tree, &image->kernels, kernel);
		RB_REMOVE(kernel_tree, &image->kernels, kernel);
		forget_shown(image, kernel);
		free(kernel->symbol);
		free(kernel);
	}
	for (i = 0; i < image->module_count; i++)
		free(image->modules[i].file);
	free(image->modules);
	image->modules = NULL;
	image->module_count = 0;
}
