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
#include "model/name_store.h"
#include "model/ordered_table.h"

/*
 * The rule that says whether memory which outlived its owner leaked, or is held: judged by the code
 * that asked for it, and of PyTorch's allocator by the sizes that it asks for.
 */
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
	/* Of a site: enum allocator_kind of the pool that hands out blocks of its memory; 0: none */
	uint8_t pool;
};

/* What is to be said of memory that its owner left behind. */
enum verdict {
	VERDICT_LEAKED,
	VERDICT_HELD,
	VERDICT_UNKNOWN, /* one of them: it counts as suspect */
};

/* Adds an allocation of @bytes to the @signs of a site. */
void cache_signs_note(struct cache_signs *signs, unsigned int kind, uint64_t bytes);
/* That on one of its allocations; @is_unsure: its free may be among lost records. */
enum verdict verdict_if(enum verdict verdict, bool is_unsure);

/*
 * The rising-floor test: whether the live memory of a call site in a running process looks like a
 * leak.
 */
struct suspect; /* NULL until there is something to test */

/* From @time on, @live bytes are live. A window of the test lasts @leak_age ns; 0: no test. */
void suspect_change(struct suspect **suspect, uint64_t live, uint64_t leak_age, uint64_t time);
/*
 * Returns by how many bytes the floor has risen; *@since: when that began (UINT64_MAX: it has not).
 */
uint64_t suspect_bytes(struct suspect *suspect, uint64_t leak_age, uint64_t now, uint64_t *since);
/*
 * True if a site that allocates from @first on, and never frees, would be found by @now: by then
 * its floor has risen as often as the test asks for.
 */
bool suspect_can_tell(uint64_t first, uint64_t leak_age, uint64_t now);
void suspect_free(struct suspect **suspect);

struct suspect;

struct site {
	struct entry entry;
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
	/* By how much the floor of what is live had risen when the program ended */
	uint64_t risen;
	uint64_t unsure; /* the same, if their frees are not among lost records */
	uint64_t ended_blocks, unsure_blocks; /* in how many allocations these are */
	uint64_t allocations;
	uint64_t live_count;    /* of blocks only: how many are live */
	uint64_t allocated;     /* bytes that had to be freed, freed since or not */
	uint64_t last_bytes;    /* used while an event's text is made */
	uint64_t suspect_since; /* used while a snapshot is made */
	struct suspect *suspect;
	uint32_t index;
	uint16_t call; /* that allocated last */
	/* The device where it allocates; CUTOP_DEVICE_UNKNOWN: several */
	int16_t device;
	enum verdict verdict;
	/*
	 * Pinned memory of the host, which is in no figure above: what is live, what was left when
	 * its owner ended, and in how many blocks both are
	 */
	struct {
		uint64_t live, left, blocks;
		struct suspect *suspect;
	} host;
	/*
	 * What was freed when the driver had shut down already, as destructors of static objects do:
	 * the driver had freed it. And by which call that was, and where, the last time
	 */
	struct {
		uint64_t bytes, count, address, stack;
		uint16_t call;
	} late;
	/* it is in a library that is the runtime: a driver call made by the runtime */
	bool by_runtime;
	bool sampled; /* blocks: its figures stand for others that were not drawn */
	struct cache_signs signs;
};

struct site_table {
	struct table table; /* all but `other` */
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
/* True if a library keeps what @site allocates, on purpose, and that is no framework's cache. */
bool sites_by_library(const struct site *site);
/* Ended bytes of @site that are held, but kept rising until the end. */
uint64_t sites_risen(const struct site *site);
/* Pinned memory that was left behind, and that no library kept on purpose. */
uint64_t sites_host_left(const struct site *site);
/* Ended bytes of @site that count as held if the cache is on, which nothing proves. */
uint64_t sites_unproven(const struct site_table *sites, const struct site *site);
/* The name of the site, or its address. */
void sites_describe(const struct site *site, const struct name_store *names, char *out,
		    size_t size);
void sites_free(struct site_table *sites);

#endif
