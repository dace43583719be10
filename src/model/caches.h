/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether memory is held by a cache: judged by the sizes that PyTorch's allocator asks for. */
#ifndef MODEL_CACHES_H
#define MODEL_CACHES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the allocations of a call site, or of all sites in PyTorch's allocator, show about its
 * cache.
 */
struct cache_signs {
	uint64_t size; /* of the first block, 0: there was none */
	bool is_off;   /* there was a block that the cache never asks for */
	/* There was a block of a kind that has nothing to do with the cache */
	bool is_elsewhere;
	bool has_buffer, has_sizes, has_physical;
	/* Of all sites: the allocator told of a block: it does so only where its cache is on */
	bool is_told;
};

/* Adds an allocation of @bytes to the @signs of a site. */
void cache_signs_note(struct cache_signs *signs, unsigned int kind, uint64_t bytes);
/* Adds a site's @signs to those of all. */
void cache_signs_add(struct cache_signs *all, const struct cache_signs *signs);
/* True if what a site with @signs allocates counts as held; @flags: enum site_flag of its place. */
bool cache_holds(const struct cache_signs *all, const struct cache_signs *signs, uint32_t flags);
/* True if it is proved that the cache is on. */
bool cache_is_proven(const struct cache_signs *all);

#endif
