/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule that says whether memory which outlived its owner leaked, or is held: judged by the code
 * that asked for it, and of PyTorch's allocator by the sizes that it asks for.
 */
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
	/*
	 * The allocator told of a block, which it does only where its cache is on: of all sites, of
	 * any; of a site, of one in memory from there
	 */
	bool is_told;
};

/* What is to be said of memory that its owner left behind. */
enum verdict {
	VERDICT_LEAKED,
	VERDICT_HELD,
	VERDICT_UNKNOWN, /* one of them: it counts as suspect */
};

/* Adds an allocation of @bytes to the @signs of a site. */
void cache_signs_note(struct cache_signs *signs, unsigned int kind, uint64_t bytes);
/* Adds a site's @signs to those of all. */
void cache_signs_add(struct cache_signs *all, const struct cache_signs *signs);
/*
 * The verdict on what a site with @signs allocates. @flags: enum site_flag of the place that asked
 * for it; or of the runtime, if which code called that is not known.
 */
enum verdict cache_verdict(const struct cache_signs *all, const struct cache_signs *signs,
			   uint32_t flags);
/* That on one of its allocations; @is_unsure: its free may be among lost records. */
enum verdict verdict_if(enum verdict verdict, bool is_unsure);
/* True if it is proved that the cache is on. */
bool cache_is_proven(const struct cache_signs *all);

#endif
