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
	size_t waiting;    /* names that are tried again */
	struct told_place *places;
	UT_hash_handle hh;
};

/* The entry of @program, or NULL; the same, made if need be, NULL without memory. */
struct told_program *told_program_find(const struct told_places *told, uint32_t program);
struct told_program *told_program_get(struct told_places *told, uint32_t program);

/* True the first time it is asked; false later, or without room or memory. */
bool told_is_first(struct told_places *told, uint32_t program, uint64_t place);

/* Forgets what @program was told of. Returns false if there was nothing. */
bool told_forget(struct told_places *told, uint32_t program);
void told_free(struct told_places *told);

#endif
