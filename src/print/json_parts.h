/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a snapshot's JSON that are files of their own. Used by json.c. */
#ifndef PRINT_JSON_PARTS_H
#define PRINT_JSON_PARTS_H

#include "model/snapshot.h"
#include "util/json_writer.h"

/* An event, with its circumstances. NULL without memory. */
json_t *json_event(struct json_writer *w, const struct snap_event *event);
/* What places in the code are. NULL without memory. */
json_t *json_frames(struct json_writer *w, const struct snap_frame *const *frames, size_t count);
/* What a framework's allocator of @process has handed out. NULL without memory. */
json_t *json_allocator(struct json_writer *w, const struct snap_process *process,
		       const struct snap_allocator *allocator);
/* Puts in @o what sites of allocations and of blocks have in common: counts, stack, frames. */
void json_put_site(struct json_writer *w, json_t *o, const struct snap_site *site);
/*
 * Puts the stack and the frames of what is called "site" in @o beside that, where they are known.
 */
void json_put_place(struct json_writer *w, json_t *o, const struct snap_place *where);
/* Puts the percentiles of a histogram in @object as "latency_seconds", if it has samples. */
void json_put_latency(struct json_writer *w, json_t *object, const struct snap_latency *latency);
/* Writes where the time of @process goes as the member "time", if that is known. */
void json_write_time(struct json_writer *w, const struct snapshot *snapshot,
		     const struct snap_process *process);

#endif
