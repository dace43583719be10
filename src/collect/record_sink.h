/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outlet: whatever the collector gives to the model goes through here, as
 * one stream of records (model/stream.h), so that it can be kept as well.
 */
#ifndef COLLECT_RECORD_SINK_H
#define COLLECT_RECORD_SINK_H

#include "model/model.h"
#include "model/stream.h"

struct outlet {
	struct model *model;
	/* Sees each record after the model has; or NULL. */
	void (*tee)(void *context, const struct rec_hdr *record, size_t size);
	void *context;
};

/* @size bytes lie at @record. */
void outlet_put(const struct outlet *outlet, const struct rec_hdr *record, size_t size);

void outlet_launch_row(const struct outlet *outlet, const struct launch_key *key, const struct launch_row *row);
void outlet_copy_row(const struct outlet *outlet, const struct copy_key *key, const struct copy_row *row);
void outlet_call_row(const struct outlet *outlet, const struct call_key *key, const struct call_row *row);
void outlet_graph_row(const struct outlet *outlet, const struct graph_key *key, const struct graph_row *row);
void outlet_fail_row(const struct outlet *outlet, const struct fail_key *key, const struct fail_row *row);
void outlet_pending_row(const struct outlet *outlet, const struct pending_key *key, const struct pending_row *row);
void outlet_graph_last(const struct outlet *outlet, const struct graph_key *key, const struct graph_row *row);

/* As model_sync() and so on. */
void outlet_sync(const struct outlet *outlet, uint32_t image, uint64_t ns);
void outlet_synced(const struct outlet *outlet, uint32_t image, const struct sync_slot slots[CUTOP_SYNC_SLOTS]);
void outlet_unreturned(const struct outlet *outlet, uint32_t image, enum unreturned why);
/* Something of @image was lost; of its records at @lost_time last, 0: none. */
void outlet_inexact(const struct outlet *outlet, uint32_t image, uint64_t lost_time);
void outlet_graphs_done(const struct outlet *outlet, uint32_t image);
/* As struct rec_unseen; @comm may be NULL. */
void outlet_unseen(const struct outlet *outlet, enum unseen_cause cause, uint64_t total, uint32_t tgid, const char *comm);
void outlet_limit(const struct outlet *outlet, enum limit_kind kind, uint64_t limit, uint64_t time);
void outlet_lost(const struct outlet *outlet, enum lost_cause cause, uint64_t total);

#endif
