/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record_sink: everything that the collector gives to the model goes through here, as one
 * stream of records (model/stream.h), so that it can be recorded as well.
 */
#ifndef COLLECT_RECORD_SINK_H
#define COLLECT_RECORD_SINK_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "cutop_event.h"
#include "model/model.h"
#include "model/stream.h"

struct record_sink {
	struct model *model;
	/* Called with each record after the model; or NULL. */
	void (*tee)(void *context, const struct rec_hdr *record, size_t size);
	void *context;
};

/* @size bytes lie at @record. */
void record_sink_put(const struct record_sink *sink, const struct rec_hdr *record, size_t size);

void record_sink_launch_row(const struct record_sink *sink, const struct launch_key *key,
			    const struct launch_row *row);
void record_sink_copy_row(const struct record_sink *sink, const struct copy_key *key,
			  const struct copy_row *row);
void record_sink_call_row(const struct record_sink *sink, const struct call_key *key,
			  const struct call_row *row);
void record_sink_graph_row(const struct record_sink *sink, const struct graph_key *key,
			   const struct graph_row *row);
void record_sink_fail_row(const struct record_sink *sink, const struct fail_key *key,
			  const struct fail_row *row);
void record_sink_graph_last(const struct record_sink *sink, const struct graph_key *key,
			    const struct graph_row *row);

/* As model_sync() and so on. */
void record_sink_sync(const struct record_sink *sink, uint32_t program, uint64_t ns);
void record_sink_times(const struct record_sink *sink, uint32_t program,
		       const struct program_times *times);
void record_sink_unreturned(const struct record_sink *sink, uint32_t program, enum unreturned why);
/* Something of @program was lost; the last lost record is of @lost_time, 0: no record. */
void record_sink_inexact(const struct record_sink *sink, uint32_t program, uint64_t lost_time);
void record_sink_graphs_done(const struct record_sink *sink, uint32_t program);
/* As struct rec_unseen; @comm may be NULL. */
void record_sink_unseen(const struct record_sink *sink, enum unseen_cause cause, uint64_t total,
			uint32_t tgid, const char *comm);
void record_sink_limit(const struct record_sink *sink, enum limit_kind kind, uint64_t limit,
		       uint64_t time);
void record_sink_lost(const struct record_sink *sink, enum lost_cause cause, uint64_t total);

/* Makes records that carry a text, for the collector. */

/*
 * A record of @type (REC_SITE, REC_NAME, REC_EXTRA, REC_NOTICE) with as much of @text as fits, of
 * the process @tgid (0: of none): it may be the first that the model is told of a program. NULL
 * without memory. The caller frees it.
 */
struct rec_text *text_record_new(uint16_t type, uint32_t program, uint32_t tgid, uint64_t address,
				 uint32_t flags, const char *text);

/*
 * A REC_FRAME of the place @address; an empty string means unknown, and long ones are cut. NULL
 * without memory. The caller frees it.
 */
struct rec_frame *frame_record_new(uint32_t program, uint32_t tgid, uint64_t address,
				   enum frame_language language, const char *function,
				   const char *file, const char *module, unsigned int line,
				   uint64_t offset);

/* The places of programs that the model was told of: each is told once. All zero at first. */
struct told_places {
	struct told_program *programs;
};

struct told_program {
	uint32_t program;
	unsigned int vain; /* names of its kernels that could not be read */
	struct told_place *places;
	UT_hash_handle hh;
};

/* The entry of @program, made if need be. Returns NULL without memory. */
struct told_program *told_program_get(struct told_places *told, uint32_t program);

/* True the first time it is asked; false later, or without room or memory. */
bool told_is_first(struct told_places *told, uint32_t program, uint64_t place);

/* Forgets what @program was told of. Returns false if there was nothing. */
bool told_forget(struct told_places *told, uint32_t program);
void told_free(struct told_places *told);

#endif
