/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feeds a model what a refresh reads, one line per record. */
#ifndef UNIT_ROWS_H
#define UNIT_ROWS_H

#include "model/model.h"
#include "model/stream.h"

#define FEED_ROW(name, TYPE) \
	static inline int model_##name##_row(struct model *model, const struct name##_key *key, \
					     const struct name##_row *row) \
	{ \
		struct rec_##name##_row record = { .hdr = { .type = REC_##TYPE, \
							    .size = sizeof(record), \
							    .program = key->program }, \
						   .key = *key, \
						   .row = *row }; \
\
		return model_record(model, &record.hdr, sizeof(record)); \
	}

FEED_ROW(launch, LAUNCH_ROW)
FEED_ROW(copy, COPY_ROW)
FEED_ROW(call, CALL_ROW)
FEED_ROW(graph, GRAPH_ROW)
FEED_ROW(fail, FAIL_ROW)

static inline void model_graph_last(struct model *model, const struct graph_key *key,
				    const struct graph_row *row)
{
	struct rec_graph_row record = {
		.hdr = { .type = REC_GRAPH_LAST, .size = sizeof(record), .program = key->program },
		.key = *key,
		.row = *row
	};

	model_record(model, &record.hdr, sizeof(record));
}

static inline void model_sync(struct model *model, uint32_t program, uint64_t ns)
{
	struct rec_sync record = {
		.hdr = { .type = REC_SYNC, .size = sizeof(record), .program = program }, .ns = ns
	};

	model_record(model, &record.hdr, sizeof(record));
}

static inline void model_unreturned(struct model *model, uint32_t program, unsigned int why)
{
	struct rec_unreturned record = {
		.hdr = { .type = REC_UNRETURNED, .size = sizeof(record), .program = program },
		.why = why
	};

	model_record(model, &record.hdr, sizeof(record));
}

static inline void model_inexact(struct model *model, uint32_t program, uint64_t lost_time)
{
	struct rec_hdr record = {
		.type = REC_INEXACT, .size = sizeof(record), .program = program, .time = lost_time
	};

	model_record(model, &record, sizeof(record));
}

static inline void model_lost(struct model *model, enum lost_cause cause, uint64_t total)
{
	struct rec_lost record = { .hdr = { .type = REC_LOST, .size = sizeof(record) },
				   .total = total,
				   .cause = cause };

	model_record(model, &record.hdr, sizeof(record));
}

static inline void model_graphs_done(struct model *model, uint32_t program)
{
	struct rec_hdr record = { .type = REC_GRAPHS_DONE,
				  .size = sizeof(record),
				  .program = program };

	model_record(model, &record, sizeof(record));
}

#endif
