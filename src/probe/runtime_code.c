/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library is recognized by its name (DT_SONAME), since its inner functions may have no symbols. A
 * runtime that is linked into a program is one object of NVIDIA's archive, so its code is one
 * contiguous piece: it begins and ends with symbols that have the archive's names for inner
 * functions, and contains no other symbols. A stripped program has no such symbols, and no such
 * piece is found.
 */
#include "probe/runtime_code.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "probe/elfinfo.h"

static bool is_prefix(const char *prefix, const char *name)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/*
 * True for a name of the interface, or one that the archives of CUDA 9 to 13 give to inner
 * functions.
 */
static bool is_runtimes(const char *name)
{
	return name && (is_prefix("cuda", name) || is_prefix("__cuda", name) ||
			is_prefix("libcudart_static_", name));
}

/*
 * The search for the piece around @middle: first for its limits, the nearest foreign symbols, then
 * for the runtime's symbols in between.
 */
struct search {
	/* @middle, and the gap between foreign symbols around it: from @after up to @before */
	uint64_t middle, after, before;
	struct code_span span;
};

/* True if the gap would be smaller with the function @symbol. */
static bool is_nearer(void *context, const struct elf_symbol *symbol)
{
	const struct search *search = context;

	return symbol->is_function &&
	       ((symbol->offset > search->middle && symbol->offset < search->before) ||
		(symbol->offset < search->middle && symbol->offset + symbol->size > search->after));
}

static int stranger_visit(void *context, const struct elf_symbol *symbol)
{
	struct search *search = context;

	if (!is_nearer(search, symbol) || is_runtimes(symbol->name))
		return 0;
	if (symbol->offset > search->middle && symbol->offset < search->before)
		search->before = symbol->offset;
	if (symbol->offset < search->middle && symbol->offset + symbol->size > search->after)
		search->after = symbol->offset + symbol->size;
	return 0;
}

static bool is_in_gap(void *context, const struct elf_symbol *symbol)
{
	const struct search *search = context;

	return symbol->is_function && symbol->offset >= search->after &&
	       symbol->offset < search->before;
}

static int own_visit(void *context, const struct elf_symbol *symbol)
{
	struct search *search = context;
	uint64_t end = symbol->offset + symbol->size;

	if (!is_in_gap(search, symbol) || !is_runtimes(symbol->name))
		return 0;
	if (symbol->offset < search->span.start)
		search->span.start = symbol->offset;
	if (end > search->span.end)
		search->span.end = end < search->before ? end : search->before;
	return 0;
}

/* Finds the median of the runtime's functions; false: there is none. */
static bool middle_find(const struct elf_functions *found, uint64_t *middle)
{
	size_t count = 0, i;

	for (i = 0; i < found->count; i++)
		count += !CUTOP_IS_EXTRA(found->list[i].call) &&
			 call_descs[found->list[i].call].layer == LAYER_RUNTIME;
	if (!count)
		return false;
	count /= 2;
	for (i = 0; i < found->count; i++) {
		if (CUTOP_IS_EXTRA(found->list[i].call) ||
		    call_descs[found->list[i].call].layer != LAYER_RUNTIME)
			continue;
		*middle = found->list[i].offset;
		if (!count--)
			break;
	}
	return true;
}

bool runtime_code_find(int fd, const struct elf_functions *found, struct code_span *span)
{
	struct search search = { .before = UINT64_MAX, .span = { .start = UINT64_MAX } };
	struct elf_info info;

	if (!middle_find(found, &search.middle) || elfinfo_read(fd, &info, NULL))
		return false;
	if (is_prefix("libcudart", info.soname)) {
		*span = (struct code_span){ .start = 0, .end = UINT64_MAX >> 1 };
		return true;
	}
	if (elffile_labels(fd, is_nearer, stranger_visit, &search, NULL) ||
	    elffile_labels(fd, is_in_gap, own_visit, &search, NULL))
		return false;
	*span = search.span;
	return span->start < span->end;
}
