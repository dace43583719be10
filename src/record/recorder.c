/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include <zlib.h>

#include "model/stream.h"
#include "record/format.h"

/* ---- which records are needed ---- */

/*
 * Keeps the latest version of each row, by its key. A row that repeats the latest version changes
 * nothing, with two exceptions that come from the model's graphs.c:
 * - model_graph_last() writes into its program's launch rows: after it, the next rows of that
 *   program's launches matter, even if they repeat.
 * - A graph's row is believed the second time it is seen, even if no record told of the graph: so
 *   two rows with the same count matter, and any record about graphs starts this again.
 */

#define KEY_MAX 32

struct row_key {
	uint16_t type;
	uint16_t len;
	uint32_t program;
	char bytes[KEY_MAX];
};

struct kept {
	struct row_key key;
	uint64_t generation; /* graph records, or last launches, at that time */
	unsigned int repeats;
	UT_hash_handle hh;
	size_t size;
	char bytes[]; /* the whole record */
};

struct changes {
	struct kept *kept;
	uint64_t graphs; /* graph records so far */
	uint64_t lasts;  /* REC_GRAPH_LAST records so far */
};

struct changes *changes_new(void)
{
	return calloc(1, sizeof(struct changes));
}

void changes_free(struct changes *changes)
{
	struct kept *kept, *next;

	if (!changes)
		return;
	HASH_ITER(hh, changes->kept, kept, next) {
		HASH_DEL(changes->kept, kept);
		free(kept);
	}
	free(changes);
}

/* Drops the rows of @program, which has ended. */
static void forget(struct changes *changes, uint32_t program)
{
	struct kept *kept, *next;

	HASH_ITER(hh, changes->kept, kept, next) {
		if (kept->key.program != program)
			continue;
		HASH_DEL(changes->kept, kept);
		free(kept);
	}
}

/* The size of the key after a row's header; 0: the program alone is the key; -1: not a row. */
static int key_size(unsigned int type)
{
	switch (type) {
	case REC_LAUNCH_ROW: return sizeof(struct launch_key);
	case REC_COPY_ROW: return sizeof(struct copy_key);
	case REC_CALL_ROW: return sizeof(struct call_key);
	case REC_GRAPH_ROW: return sizeof(struct graph_key);
	case REC_FAIL_ROW: return sizeof(struct fail_key);
	case REC_SYNC:
	case REC_TIMES:
	case REC_COST:
	case REC_UNRETURNED:
	case REC_INEXACT: return 0;
	default: return -1;
	}
}

_Static_assert(sizeof(struct launch_key) <= KEY_MAX && sizeof(struct copy_key) <= KEY_MAX &&
		       sizeof(struct call_key) <= KEY_MAX && sizeof(struct graph_key) <= KEY_MAX &&
		       sizeof(struct fail_key) <= KEY_MAX,
	       "keys have to fit");

static struct kept *keep(struct changes *changes, const struct row_key *key, size_t size)
{
	struct kept *kept;

	HASH_FIND(hh, changes->kept, key, sizeof(*key), kept);
	if (kept)
		return kept;
	kept = calloc(1, sizeof(*kept) + size);
	if (!kept)
		return NULL;
	kept->key = *key;
	kept->size = size;
	HASH_ADD(hh, changes->kept, key, sizeof(kept->key), kept);
	return kept;
}

static bool row_changes(struct changes *changes, const struct rec_hdr *record,
			const struct row_key *key)
{
	struct kept *kept = keep(changes, key, record->size);
	uint64_t generation = record->type == REC_GRAPH_ROW  ? changes->graphs :
			      record->type == REC_LAUNCH_ROW ? changes->lasts :
							       0;
	unsigned int enough = record->type == REC_GRAPH_ROW ? 2 : 1;

	if (!kept || kept->size != record->size)
		return true;
	if (memcmp(kept->bytes, record, record->size) || kept->generation != generation) {
		memcpy(kept->bytes, record, record->size);
		kept->generation = generation;
		kept->repeats = 0;
	}
	if (kept->repeats == enough)
		return false;
	kept->repeats++;
	return true;
}

bool changes_any(struct changes *changes, const struct rec_hdr *record)
{
	struct row_key key = { .type = record->type, .program = record->program };
	int size = key_size(record->type);

	switch (record->type) {
	case REC_GRAPH: changes->graphs++; return true;
	case REC_GRAPH_LAST: changes->lasts++; return true;
	case REC_GRAPHS_DONE:
		changes->graphs++;
		forget(changes, record->program);
		return true;
	case REC_LOST:
		key.program = ((const struct rec_lost *)record)->cause;
		size = 0;
		break;
	}
	if (size < 0)
		return true;
	key.len = (uint16_t)size;
	memcpy(key.bytes, record + 1, (size_t)size);
	return row_changes(changes, record, &key);
}

/* ---- blocks ---- */

struct writer {
	int fd;
	int error; /* the first error; nothing is written after it */
	uint64_t written;
	uint64_t time; /* of the latest block */
	uint32_t blocks;
	size_t used;
	char room[BLOCK_BYTES];
	char packed[BLOCK_BYTES];
};

static int write_all(int fd, const void *data, size_t size)
{
	const char *at = data;
	ssize_t done;

	for (; size; at += done, size -= (size_t)done) {
		done = write(fd, at, size);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			return done ? -errno : -ENOSPC;
	}
	return 0;
}

/* Writes @data as a block. If there is room for only a part, that part is removed again. */
static int block_write(struct writer *writer, const char *data, size_t size, unsigned int flags)
{
	struct block_header header = {
		.magic = BLOCK_MAGIC,
		.flags = flags | BLOCK_IS_NUMBERED |
			 (writer->blocks & BLOCK_NUMBER_MASK) << BLOCK_NUMBER_SHIFT,
		.stored = (uint32_t)size,
		.bytes = (uint32_t)size,
		.time = writer->time,
	};
	size_t packed = pack_bytes(data, size, writer->packed, size);
	int err;

	if (packed) {
		header.flags |= BLOCK_IS_PACKED;
		header.stored = (uint32_t)packed;
		data = writer->packed;
	}
	header.check = (uint32_t)crc32(0, (const Bytef *)data, header.stored);
	header.own_check = (uint32_t)crc32(0, (const Bytef *)&header,
					   offsetof(struct block_header, own_check));
	err = write_all(writer->fd, &header, sizeof(header)) ?:
		      write_all(writer->fd, data, header.stored);
	if (!err) {
		writer->written += sizeof(header) + header.stored;
		writer->blocks++;
		return 0;
	}
	writer->error = err;
	if (ftruncate(writer->fd, (off_t)writer->written))
		/* Not a file but a pipe or device: its reader finds a cut-off block */
		return err;
	return err;
}

static int facts_put(struct writer *writer, const struct facts *facts)
{
	char *text = NULL;
	long len = facts_write(facts, &text);
	int err;

	if (len < 0)
		return (int)len;
	writer->time = facts->start_mono;
	err = len <= BLOCK_BYTES ? block_write(writer, text, (size_t)len, BLOCK_IS_TEXT) : -E2BIG;
	free(text);
	return err;
}

int writer_open(struct writer **result, const char *path, const struct facts *facts,
		struct reason *why)
{
	struct recording_preamble preamble = { .order = RECORDING_ORDER,
					       .version = RECORDING_VERSION };
	struct writer *writer = malloc(sizeof(*writer));
	int err;

	*result = NULL;
	if (!writer)
		return reason_set(why, -ENOMEM, "no memory");
	memset(writer, 0, offsetof(struct writer, room));
	writer->fd = file_create(path);
	if (writer->fd < 0) {
		err = writer->fd;
		free(writer);
		return reason_unwritten(why, path, err);
	}
	memcpy(preamble.magic, RECORDING_MAGIC, sizeof(preamble.magic));
	err = write_all(writer->fd, &preamble, sizeof(preamble));
	if (!err) {
		writer->written = sizeof(preamble);
		err = facts_put(writer, facts);
	}
	if (err) {
		close(writer->fd);
		free(writer);
		return reason_unwritten(why, path, err);
	}
	*result = writer;
	return 0;
}

static int block_end(struct writer *writer, uint64_t time, unsigned int flags)
{
	int err;

	if (writer->error)
		return writer->error;
	if (time > writer->time)
		writer->time = time;
	err = block_write(writer, writer->room, writer->used, flags);
	writer->used = 0;
	return err;
}

int writer_put(struct writer *writer, const struct rec_hdr *record)
{
	size_t size = RECORD_ALIGNED(record->size);

	if (writer->error)
		return writer->error;
	if (writer->used + size > sizeof(writer->room) && block_end(writer, 0, 0))
		return writer->error;
	memcpy(writer->room + writer->used, record, record->size);
	memset(writer->room + writer->used + record->size, 0, size - record->size);
	writer->used += size;
	return record->type == REC_MOMENT ? block_end(writer, record->time, BLOCK_IS_MOMENT) : 0;
}

int writer_flush(struct writer *writer, uint64_t now)
{
	return writer->used ? block_end(writer, now, 0) : writer->error;
}

uint64_t writer_bytes(const struct writer *writer)
{
	return writer->written;
}

int writer_close(struct writer *writer)
{
	struct stat st;
	int err;

	writer_flush(writer, 0);
	block_end(writer, 0, BLOCK_IS_END);
	err = writer->error;
	if (!err && !fstat(writer->fd, &st) && !st.st_nlink)
		err = -ESTALE;
	if (close(writer->fd) && !err)
		err = -errno;
	free(writer);
	return err;
}

/* ---- the recorder ---- */

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
