/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds a model as a collector would: one line per record. Shared by the model's tests. */
#ifndef UNIT_FEED_H
#define UNIT_FEED_H

#include "model/model.h"
#include "rows.h"
#include "run_tests.h"

#define SECOND 1000000000ull
#define MIB    (1024ull * 1024)

/* A model and its time, which each record moves on by a microsecond. */
struct feed {
	struct model *model;
	uint64_t now;
	uint32_t program, pid;
	bool has_title;
	int device;
	uint64_t site;
	uint64_t context; /* of allocations; 0: the primary one */
	uint64_t stack;   /* of allocations; 0: none */
	uint16_t lasted;  /* rec_reset.lasted of contexts' ends */
	/* Sees each record after the model has, as an outlet's; or NULL. */
	void (*tee)(void *context, const struct rec_hdr *record, size_t size);
	void *tee_context;
};

void feed_begin(struct feed *feed);
void feed_end(struct feed *feed);

/* A record of any kind, as it is. */
void feed_give(struct feed *feed, const void *record, size_t size);
/* REC_PROCESS and REC_IDENTITY, watched from start */
void feed_process(struct feed *feed);
void feed_identity(struct feed *feed, bool from_attach, const char *strings, size_t len);
int feed_offer_exit(struct feed *feed, enum end_reason reason, uint32_t code);
void feed_exit(struct feed *feed, enum end_reason reason, uint32_t code);

int feed_alloc_as(struct feed *feed, unsigned int call, unsigned int kind, uint64_t address,
		  uint64_t bytes, int result);
void feed_alloc(struct feed *feed, uint64_t address, uint64_t bytes);
void feed_free(struct feed *feed, uint64_t address, int result);
/* A free that was entered at @entry. */
void feed_free_at(struct feed *feed, uint64_t address, uint64_t entry);
/* The process is told that @device has @total bytes. */
void feed_size(struct feed *feed, int device, uint64_t total);
void feed_reset(struct feed *feed, int device);
void feed_context_end(struct feed *feed, int device, uint64_t context);
/* An object is made at feed->site, 0: it is gone, on feed->device, in feed->context. */
void feed_object(struct feed *feed, enum object_kind kind, unsigned int call, uint64_t handle);
void feed_map(struct feed *feed, enum map_act act, uint64_t address, uint64_t bytes,
	      uint64_t handle);
/*
 * A box of @array's highest level: x, y, z, and how many elements of each. @handle 0: it is
 * unmapped.
 */
void feed_copy(struct feed *feed, uint64_t destination, uint64_t source, uint64_t bytes,
	       unsigned int direction, unsigned int flags, int result);
void feed_fail(struct feed *feed, unsigned int call, int result);
void feed_kernel(struct feed *feed, uint64_t function, uint64_t stub, unsigned int source,
		 const char *name);
/* A stack of @count frames, 0x1000 apart, the innermost at the present site. */
void feed_stack(struct feed *feed, uint64_t stack, uint32_t count, uint64_t second);
/* The stack of these @count frames; number @shown of them names the site. */
void feed_stack_of(struct feed *feed, uint64_t stack, uint32_t shown, const uint64_t *frames,
		   uint32_t count);
/* A frame of a place: @frame without header, and its strings, empty if unknown. */
void feed_frame(struct feed *feed, const struct rec_frame *frame, const char *function,
		const char *file, const char *module);
void feed_text(struct feed *feed, unsigned int type, uint64_t address, uint32_t flags,
	       const char *text);
void feed_launched_at(struct feed *feed, uint64_t function, uint64_t site, unsigned int call);
void feed_module(struct feed *feed, uint64_t start, uint64_t end, uint64_t offset,
		 const char *file);
void feed_launches(struct feed *feed, unsigned int call, uint64_t function, uint64_t launches);

/* A snapshot at a moment that is told as a collector tells it; the test frees it. */
struct snapshot *feed_moment(struct feed *feed);

/* A snapshot at the feed's time; the test frees it. */
struct snapshot *feed_snapshot(struct feed *feed);

/* The process of the feed's program in @snapshot; fails the test if there is none. */
const struct snap_process *feed_find(const struct feed *feed, const struct snapshot *snapshot);

/* How many events of @kind, and the text of the latest (NULL if none). */
unsigned int count_events(const struct snapshot *snapshot, enum event_kind kind, const char **text);

/* The @nth event of @kind, from 0; NULL if there are not so many. */
const struct snap_event *find_event(const struct snapshot *snapshot, enum event_kind kind,
				    unsigned int nth);

/* The suites, one per file. */

#endif
