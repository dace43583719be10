/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the log says: turns the results of the books into events. */
#ifndef MODEL_TELLING_H
#define MODEL_TELLING_H

#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/ledger.h"

/* cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY */
#define ERROR_OUT_OF_MEMORY 2

struct model;
struct program;
struct reset_news;
struct end_news;
struct device_use;
struct rec_limit;
struct rec_short;
struct snap_process;
struct allocator;

void tell_start(struct model *model, const struct program *program,
		const struct rec_process *record);
/* The process has ended, and how, if that is known. */
void tell_how_it_ended(struct model *model, const struct program *program);
/* The same, with what that did to its memory. */
void tell_end(struct model *model, const struct program *program, const struct end_news *news);
/* Returns of the program's calls are not probed. */
void tell_unreturned(struct model *model, const struct program *program);

/* @use: a device that has come near its size. */
void tell_nearly_full(struct model *model, struct program *program, const struct device_use *use,
		      uint64_t time);
/* Something of @process looks like a leak, or ten times as much as when that was told last. */
void tell_suspect(struct model *model, struct program *program, const struct snap_process *process,
		  uint64_t time);
void tell_out_of_memory(struct model *model, struct program *program,
			const struct rec_alloc *record);
/*
 * A call has allocated. If the thread's last one found no memory for as much, that was no shortage
 * which the user has to know of.
 */
void tell_recovered(struct model *model, struct program *program, const struct rec_alloc *record);
/* The same of a framework's @allocator. */
void tell_short(struct model *model, struct program *program, struct allocator *allocator,
		const struct rec_short *record);
/* A free of what is not allocated, if @news says so. */
void tell_bad_free(struct model *model, struct program *program, const struct rec_free_at *record,
		   enum free_news news);
void tell_reset(struct model *model, const struct program *program, const struct rec_reset *record,
		const struct reset_news *news);

/* The first failure of a call with one code. */
void tell_failure(struct model *model, struct program *program, const struct rec_fail_at *record);
/* @spare is given up, or watched again: --budget. */
void tell_budget(struct model *model, const struct program *program, enum spare spare, bool given);
/* A bound of cutop's own was reached. */
void tell_limit(struct model *model, const struct rec_limit *record);
/* Any other message for the user: the @record->text_len bytes at @text. */
/*
 * A pool that the user describes, of @kind, hands out nothing that lies in memory of CUDA's
 * (@nowhere), or nothing that comes back: at @call.
 */
void tell_pool(struct model *model, struct program *program, const struct rec_hdr *call,
	       unsigned int kind, bool nowhere);

void tell_notice(struct model *model, const struct rec_text *record, const char *text);
/* The first asynchronous copy of pageable memory. */
void tell_pageable(struct model *model, const struct program *program, const struct rec_host *copy);

#endif
