/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call sites of one process: where its allocations are made; with stacks, each stack is a site
 * of its own.
 */
#ifndef MODEL_SITES_H
#define MODEL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/allocations.h"
#include "model/caches.h"
#include "model/name_store.h"
#include "model/tree.h"

struct suspect;

struct site {
	RB_ENTRY(site) link;
	uint64_t address;
	uint64_t stack_id;   /* 0: none */
	struct stack *stack; /* NULL: none, or unknown */
	struct place *place;
	struct place *shown; /* the place that names it: its own, or one in its stack */
	/*
	 * The place that asked for the memory: its own, or, if that is in the runtime, the first in
	 * its stack that is not, if that is known
	 */
	struct place *owner;
	uint64_t live;                     /* bytes that have to be freed: VRAM, */
	uint64_t managed;                  /* and how much of that is managed memory */
	uint64_t ended;                    /* bytes whose owner ended first */
	uint64_t ended_by[NODE_END_COUNT]; /* the same, by what ended them */
	uint64_t unsure;                   /* the same, if their frees are not among lost records */
	uint64_t allocations;
	uint64_t live_count;    /* of blocks only: how many are live */
	uint64_t allocated;     /* bytes that had to be freed, freed since or not */
	uint64_t last_bytes;    /* used while an event's text is made */
	uint64_t suspect_since; /* used while a snapshot is made */
	struct suspect *suspect;
	uint32_t index;
	/* The device where it allocates; CUTOP_DEVICE_UNKNOWN: several */
	int16_t device;
	enum verdict verdict;
	/* it is in a library that is the runtime: a driver call made by the runtime */
	bool by_runtime;
	bool sampled; /* blocks: its figures stand for others that were not drawn */
	struct cache_signs signs;
};

RB_HEAD(site_tree, site);

struct site_table {
	struct site_tree tree;
	struct site **list; /* by index */
	size_t count, size;
	size_t limit;             /* of them; 0: SITES_MAX */
	struct site *other;       /* shared by all sites beyond SITES_MAX */
	bool has_runtime;         /* some are in the runtime: their owners are in their stacks */
	struct cache_signs cache; /* of all sites in PyTorch's allocator */
};

/*
 * The site at @address with @stack_id, created if need be; its place and stack come from @names.
 * NULL without memory.
 */
struct site *sites_get(struct site_table *sites, struct name_store *names, uint64_t address,
		       uint64_t stack_id);
/* The sites at one address: the first, or NULL; and the next after @site. */
struct site *sites_at(struct site_table *sites, uint64_t address);
struct site *sites_next(struct site *site);
/*
 * What is known of @site has changed: finds the place that asked for its memory. Returns the verdict
 * that now follows.
 */
enum verdict sites_judge(struct site_table *sites, struct site *site);
/* Ended bytes of @site on which the verdict is @verdict. */
uint64_t sites_ended(const struct site *site, enum verdict verdict);
/* True if what @site allocates is PyTorch's allocator's. */
bool sites_in_cache(const struct site *site);
/* Ended bytes of @site that count as held if the cache is on, which nothing proves. */
uint64_t sites_unproven(const struct site_table *sites, const struct site *site);
/* The name of the site, or its address. */
void sites_describe(const struct site *site, const struct name_store *names, char *out,
		    size_t size);
void sites_free(struct site_table *sites);

#endif
