/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call sites of one process: where its allocations are made; with stacks, by which way. */
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
	uint64_t stack_id;		/* 0: none */
	const struct stack *stack;	/* NULL: none, or not told */
	struct place *place;
	struct place *shown;		/* what it is called: that place, or one of its stack */
	uint64_t live;			/* bytes that are to be freed: VRAM, */
	uint64_t managed;		/* and of these managed memory */
	uint64_t ended;			/* bytes whose owner ended first */
	uint64_t ended_by[NODE_END_COUNT];	/* the same, by what ended them */
	uint64_t unsure;		/* the same, if they were not freed unseen */
	uint64_t allocations;
	uint64_t allocated;		/* bytes that were to be freed, whether they were or not */
	uint64_t last_bytes;		/* scratch of an event's text */
	uint64_t suspect_since;		/* scratch of a snapshot */
	struct suspect *suspect;
	uint32_t index;
	int16_t device;			/* where it allocates; CUTOP_DEVICE_UNKNOWN: not on one only */
	bool held;
	bool by_runtime;		/* in a library that is the runtime: it is the runtime's call of the driver */
	struct cache_signs signs;
};

RB_HEAD(site_tree, site);

struct site_table {
	struct site_tree tree;
	struct site **list;		/* by index */
	size_t count, size;
	struct site *other;		/* for all sites past SITES_MAX */
	struct cache_signs cache;	/* of all sites with SITE_IN_CACHE */
};

/* The site at @address with @stack_id, made if there is none; its place and stack are those of @names. NULL without memory. */
struct site *sites_get(struct site_table *sites, struct name_store *names, uint64_t address, uint64_t stack_id);
/* The sites at one address: the first, or NULL; and the one after @site. */
struct site *sites_at(struct site_table *sites, uint64_t address);
struct site *sites_next(struct site *site);
/* Bytes that ended at @site and are held, if the cache is on, which nothing proves. */
uint64_t sites_unproven(const struct site_table *sites, const struct site *site);
/* What the site is called, or where it is. */
void sites_describe(const struct site *site, const struct name_store *names, char *out, size_t size);
void sites_free(struct site_table *sites);

#endif
