/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/recorder.h"

#include <errno.h>
#include <stdlib.h>

#include "record/changes.h"
#include "record/writer.h"

struct recorder {
	struct writer *writer;
	struct changes *changes;
	uint64_t flushed; /* when the writer was last flushed */
	int error;
};

int recorder_open(struct recorder **result, const char *path, const struct facts *facts,
		  struct reason *why)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	int err;

	*result = NULL;
	if (!recorder)
		return reason_set(why, -ENOMEM, "no memory");
	recorder->changes = changes_new();
	err = recorder->changes ? writer_open(&recorder->writer, path, facts, why) :
				  reason_set(why, -ENOMEM, "no memory");
	if (err) {
		changes_free(recorder->changes);
		free(recorder);
		return err;
	}
	recorder->flushed = facts->start_mono;
	*result = recorder;
	return 0;
}

void recorder_tee(void *context, const struct rec_hdr *record, size_t size)
{
	struct recorder *recorder = context;
	int err;

	/* A record with a wrong size is not accepted by the model either. */
	if (recorder->error || size < sizeof(*record) || record->size < sizeof(*record) ||
	    record->size > size)
		return;
	if (!changes_any(recorder->changes, record))
		return;
	err = writer_put(recorder->writer, record);
	if (err)
		recorder->error = err;
	if (record->type == REC_MOMENT)
		recorder->flushed = record->time;
}

void recorder_tick(struct recorder *recorder, uint64_t now)
{
	int err;

	if (recorder->error || now < recorder->flushed + NSEC_PER_SEC)
		return;
	recorder->flushed = now;
	err = writer_flush(recorder->writer, now);
	if (err)
		recorder->error = err;
}

int recorder_error(const struct recorder *recorder)
{
	return recorder->error;
}

int recorder_close(struct recorder *recorder, uint64_t *bytes)
{
	int err;

	if (bytes)
		*bytes = writer_bytes(recorder->writer);
	err = writer_close(recorder->writer);
	changes_free(recorder->changes);
	free(recorder);
	return err;
}
