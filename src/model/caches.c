/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory belongs to the library that asked for it. Its calls lead to the runtime and from there to
 * the driver; which of these were probed in time depends on how the process came under watch, and
 * must not matter. So a call of the driver's by the runtime counts as one of the code that called
 * the runtime, as its stack shows (sites.c). Where there is no such stack, memory of which PyTorch's
 * allocator hands out blocks is that allocator's; of other memory nothing is known.
 *
 * Whether memory of PyTorch's allocator is held by its cache: the allocator normally caches. With
 * PYTORCH_NO_CUDA_MEMORY_CACHING, and with the backend cudaMallocAsync, each of its allocations is
 * a tensor, and a tensor that is live at the end is a leak like any other. The calls come from the
 * same library in all cases, so the sizes have to tell.
 * The cache asks for 2 MiB for tensors of 1 MiB or less, for 20 MiB for tensors of less than 10
 * MiB, and for the next multiple of 2 MiB above that; with expandable segments for 2 or 20 MiB of
 * physical memory. It never asks for anything else: one block of another size, or one from
 * cudaMallocAsync, shows that this process has no cache. Source: PyTorch,
 * c10/core/CachingDeviceAllocator.h, get_allocation_size(); c10/cuda/CUDACachingAllocator.cpp,
 * ExpandableSegment, uncached_allocate().
 * Tensors may have such sizes by chance. So the cache counts as proved only by a block of physical
 * memory, or by 2 or 20 MiB together with a block of another such size: without proof the memory is
 * shown as held, but --fail-on-leak gives no verdict. Where the allocator's own reports are seen
 * (model/blocks.h) nothing has to be judged by sizes: it reports only while its cache is on.
 */
#include "model/caches.h"

#include <linux/types.h>

#include "cutop_calls.h"
#include "cutop_event.h"

#define SMALL_BUFFER (2ull << 20) /* kSmallBuffer */
/* kLargeBuffer; large_segment_size() of the allocator's options */
#define LARGE_BUFFER (20ull << 20)
#define LARGE_MIN    (10ull << 20) /* kMinLargeAlloc */
#define LARGE_ROUND  (2ull << 20)  /* kRoundLarge */

static bool is_cache_size(uint64_t bytes)
{
	return bytes == SMALL_BUFFER || (bytes >= LARGE_MIN && bytes % LARGE_ROUND == 0);
}

void cache_signs_note(struct cache_signs *signs, unsigned int kind, uint64_t bytes)
{
	switch (kind) {
	case KIND_DEVICE:
	case KIND_PHYSICAL: break;
	case KIND_ASYNC: signs->is_off = true; return;
	default: signs->is_elsewhere = true; return;
	}
	if (!is_cache_size(bytes)) {
		signs->is_off = true;
		return;
	}
	signs->has_physical |= kind == KIND_PHYSICAL;
	signs->has_buffer |= bytes == SMALL_BUFFER || bytes == LARGE_BUFFER;
	signs->has_sizes |= signs->size && signs->size != bytes;
	if (!signs->size)
		signs->size = bytes;
}

void cache_signs_add(struct cache_signs *all, const struct cache_signs *signs)
{
	all->is_off |= signs->is_off;
	all->has_physical |= signs->has_physical;
	all->has_buffer |= signs->has_buffer;
	all->has_sizes |= signs->has_sizes ||
			  (all->size && signs->size && all->size != signs->size);
	if (!all->size)
		all->size = signs->size;
}

enum verdict cache_verdict(const struct cache_signs *all, const struct cache_signs *signs,
			   uint32_t flags)
{
	if (flags & SITE_IS_HELD)
		return VERDICT_HELD;
	if (flags & SITE_IN_RUNTIME && !signs->is_told)
		return VERDICT_UNKNOWN;
	if (flags & (SITE_IN_CACHE | SITE_IN_RUNTIME) && (all->is_told || !all->is_off) &&
	    !signs->is_elsewhere)
		return VERDICT_HELD;
	return VERDICT_LEAKED;
}

enum verdict verdict_if(enum verdict verdict, bool is_unsure)
{
	return is_unsure && verdict == VERDICT_LEAKED ? VERDICT_UNKNOWN : verdict;
}

bool cache_is_proven(const struct cache_signs *all)
{
	return all->is_told || all->has_physical || (all->has_buffer && all->has_sizes);
}
