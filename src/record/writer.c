/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "record/format.h"
#include "record/pack.h"

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
