/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file is checked once, from end to end, when it is opened: headers and checksums, without
 * unpacking. A block whose checksum is right but that does not unpack, or unpacks to something
 * other than records, was not written by cutop: the recording ends there. Blocks are read with
 * pread(2), not mapped: a file that shrinks meanwhile gives an early end, not a signal.
 */
#include "record/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "model/model.h"
#include "model/stream.h"
#include "record/format.h"

struct reader {
	int fd;
	struct facts facts;
	struct numbers numbers;
	uint64_t *moments;
	size_t moment_count, moment_size;
	uint64_t last;
	bool numbered; /* blocks have numbers */
	enum recording_end end;
	struct reason why;

	uint64_t first, limit; /* where blocks of records begin, and end */
	uint64_t next;         /* where the next one lies */
	size_t at, used;       /* in the block that is read */
	char *stored, *room;   /* BLOCK_MAX each */
};

/* ---- blocks ---- */

static void end_with(struct reader *reader, enum recording_end end, uint64_t at, const char *format,
		     ...) __attribute__((format(printf, 4, 5)));
static void end_with(struct reader *reader, enum recording_end end, uint64_t at, const char *format,
		     ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	reader->end = end;
	reader->limit = at;
	if (end == RECORDING_IS_DAMAGED)
		snprintf(reader->why.text, sizeof(reader->why.text),
			 "it is damaged at byte %llu: %s", (unsigned long long)at, what);
	else
		snprintf(reader->why.text, sizeof(reader->why.text), "%s", what);
}

/* Reads up to @size bytes. Returns how many there were, or a negative errno. */
static ssize_t read_at(int fd, void *data, size_t size, uint64_t at)
{
	size_t done = 0;
	ssize_t len;

	while (done < size) {
		len = pread(fd, (char *)data + done, size - done, (off_t)(at + done));
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return -errno;
		if (!len)
			break;
		done += (size_t)len;
	}
	return (ssize_t)done;
}

/*
 * Reads the block at @at into reader->stored. Returns true, or false after it has noted how the
 * recording ends there.
 */
static bool block_read(struct reader *reader, uint64_t at, struct block_header *header)
{
	ssize_t len = read_at(reader->fd, header, sizeof(*header), at);

	if (len < 0)
		end_with(reader, RECORDING_IS_DAMAGED, at, "%s", strerror((int)-len));
	else if ((size_t)len < sizeof(*header))
		end_with(
			reader, RECORDING_IS_CUT_OFF, at,
			"its end is missing: it is still being written, or the recorder was killed");
	else if (header->own_check != (uint32_t)crc32(0, (const Bytef *)header,
						      offsetof(struct block_header, own_check)))
		end_with(reader, RECORDING_IS_DAMAGED, at,
			 "the header of a block has a wrong checksum");
	else if (header->magic != BLOCK_MAGIC || header->stored > BLOCK_MAX ||
		 header->bytes > BLOCK_MAX ||
		 (!(header->flags & BLOCK_IS_PACKED) && header->stored != header->bytes))
		end_with(reader, RECORDING_IS_DAMAGED, at, "the header of a block is invalid");
	else {
		len = read_at(reader->fd, reader->stored, header->stored, at + sizeof(*header));
		if (len < 0)
			end_with(reader, RECORDING_IS_DAMAGED, at, "%s", strerror((int)-len));
		else if ((size_t)len < header->stored)
			end_with(
				reader, RECORDING_IS_CUT_OFF, at,
				"its last block is cut off: it is still being written, or the recorder was killed");
		else if (header->check !=
			 (uint32_t)crc32(0, (const Bytef *)reader->stored, header->stored))
			end_with(reader, RECORDING_IS_DAMAGED, at, "a block has a wrong checksum");
		else
			return true;
	}
	return false;
}

/* Unpacks into reader->room what block_read() has read. Returns false on failure. */
static bool block_unpack(struct reader *reader, const struct block_header *header)
{
	reader->at = 0;
	reader->used = header->bytes;
	if (header->flags & BLOCK_IS_PACKED)
		return unpack_bytes(reader->stored, header->stored, reader->room, header->bytes);
	memcpy(reader->room, reader->stored, header->bytes);
	return true;
}

/* ---- opening ---- */

static int preamble_read(int fd, struct reason *why)
{
	struct recording_preamble preamble;
	ssize_t len = read_at(fd, &preamble, sizeof(preamble), 0);

	if (len < 0)
		return reason_set(why, (int)len, "%s", strerror((int)-len));
	if (!len)
		return reason_set(why, -EINVAL, "it is empty");
	if (memcmp(preamble.magic, RECORDING_MAGIC,
		   (size_t)len < sizeof(preamble.magic) ? (size_t)len : sizeof(preamble.magic))) {
		if (len > 5 && !memcmp(preamble.magic + 1, "CUTOP", 5))
			return reason_set(
				why, -EINVAL,
				"it was a recording, and something that meant to transfer text changed it");
		return reason_set(why, -EINVAL, "it is no recording of cutop");
	}
	if ((size_t)len < sizeof(preamble))
		return reason_set(
			why, -EINVAL,
			"it is cut off: the first %zd bytes of a recording are all there is", len);
	if (preamble.order == __builtin_bswap32(RECORDING_ORDER))
		return reason_set(why, -ENOTSUP,
				  "it was recorded on a machine of another byte order");
	if (preamble.order != RECORDING_ORDER)
		return reason_set(why, -EINVAL, "it is damaged at byte %zu",
				  offsetof(struct recording_preamble, order));
	if (preamble.version != RECORDING_VERSION)
		return reason_set(
			why, -ENOTSUP,
			"it is of version %u of the format; this cutop reads version %u: replay it with the cutop that recorded it",
			preamble.version, RECORDING_VERSION);
	return 0;
}

static int facts_take(struct reader *reader, struct reason *why)
{
	uint64_t at = sizeof(struct recording_preamble);
	struct block_header header;

	if (!block_read(reader, at, &header))
		return reason_set(why, -EINVAL, "%s", reader->why.text);
	if (!(header.flags & BLOCK_IS_TEXT) || !block_unpack(reader, &header))
		return reason_set(why, -EINVAL, "its first block is not what it should be");
	reader->first = at + sizeof(header) + header.stored;
	reader->numbered = header.flags & BLOCK_IS_NUMBERED;
	reader->last = header.time;
	return facts_read(reader->room, header.bytes, &reader->facts, &reader->numbers, why);
}

static int moment_add(struct reader *reader, uint64_t time)
{
	size_t size = reader->moment_size ? 2 * reader->moment_size : 64;
	uint64_t *moments;

	if (reader->moment_count == reader->moment_size) {
		moments = reallocarray(reader->moments, size, sizeof(*moments));
		if (!moments)
			return -ENOMEM;
		reader->moments = moments;
		reader->moment_size = size;
	}
	reader->moments[reader->moment_count++] = time;
	return 0;
}

/* Nothing may follow the end block: a second recording appended there would go unseen. */
static void end_take(struct reader *reader, uint64_t end)
{
	char byte;

	reader->end = RECORDING_IS_WHOLE;
	if (read_at(reader->fd, &byte, sizeof(byte), end))
		end_with(reader, RECORDING_IS_DAMAGED, end,
			 "something follows its end, as if files had been put together");
}

/* Notes damage unless the block at @at has the number @due; the text block has 0. */
static bool block_is_due(struct reader *reader, uint64_t at, const struct block_header *header,
			 uint32_t due)
{
	uint32_t number = header->flags >> BLOCK_NUMBER_SHIFT;

	due &= BLOCK_NUMBER_MASK;
	if (!reader->numbered)
		return true;
	if (!(header->flags & BLOCK_IS_NUMBERED))
		end_with(reader, RECORDING_IS_DAMAGED, at,
			 "a block has no number: it is another recording's");
	else if (number != due)
		end_with(
			reader, RECORDING_IS_DAMAGED, at,
			"block %u should be here, and block %u is: blocks are missing, or not in their order",
			due, number);
	else
		return true;
	return false;
}

static int scan(struct reader *reader)
{
	struct block_header header;
	uint64_t at = reader->first;
	uint32_t due = 1;

	for (;; at += sizeof(header) + header.stored) {
		if (!block_read(reader, at, &header) || !block_is_due(reader, at, &header, due++))
			return 0;
		if (header.time < reader->last || header.flags & BLOCK_IS_TEXT) {
			end_with(reader, RECORDING_IS_DAMAGED, at, "a block is out of place");
			return 0;
		}
		reader->last = header.time;
		if (header.flags & BLOCK_IS_END) {
			end_take(reader, at + sizeof(header) + header.stored);
			reader->limit = at;
			return 0;
		}
		if (header.flags & BLOCK_IS_MOMENT && moment_add(reader, header.time))
			return -ENOMEM;
	}
}

int reader_open_fd(struct reader **result, int fd, struct reason *why)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	struct stat stat;
	int err;

	*result = NULL;
	if (!reader) {
		close(fd);
		return reason_set(why, -ENOMEM, "no memory");
	}
	reader->fd = fd;
	if (fstat(fd, &stat))
		err = reason_set(why, -errno, "%s", strerror(errno));
	else if (!S_ISREG(stat.st_mode))
		err = reason_set(why, S_ISDIR(stat.st_mode) ? -EISDIR : -ESPIPE,
				 "it is %s, not a file",
				 S_ISDIR(stat.st_mode) ? "a folder" : "a pipe or a device");
	else
		err = preamble_read(fd, why);
	if (!err) {
		reader->stored = malloc(BLOCK_MAX);
		reader->room = malloc(BLOCK_MAX);
		err = !reader->stored || !reader->room ? reason_set(why, -ENOMEM, "no memory") :
							 facts_take(reader, why);
	}
	if (!err && scan(reader))
		err = reason_set(why, -ENOMEM, "no memory");
	if (err) {
		reader_close(reader);
		return err;
	}
	reader_rewind(reader);
	*result = reader;
	return 0;
}

int reader_open(struct reader **reader, const char *path, struct reason *why)
{
	/* A FIFO has to be refused: without O_NONBLOCK, open() would wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	*reader = NULL;
	if (fd < 0)
		return reason_set(why, -errno, "%s", strerror(errno));
	return reader_open_fd(reader, fd, why);
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	close(reader->fd);
	numbers_free(&reader->numbers);
	free(reader->moments);
	free(reader->stored);
	free(reader->room);
	free(reader);
}

const struct facts *reader_facts(const struct reader *reader)
{
	return &reader->facts;
}

enum recording_end reader_end(const struct reader *reader, const char **why)
{
	*why = reader->why.text;
	return reader->end;
}

const uint64_t *reader_moments(const struct reader *reader, size_t *count)
{
	*count = reader->moment_count;
	return reader->moments;
}

uint64_t reader_last(const struct reader *reader)
{
	return reader->last;
}

/* ---- records ---- */

/*
 * Translates the numbers in @record to ours. An unknown one becomes a number that does not exist.
 */
static void translate(const struct reader *reader, char *record, unsigned int type)
{
	size_t offset = record_call_offset(type);
	uint16_t call;

	if (offset && reader->numbers.calls) {
		memcpy(&call, record + offset, sizeof(call));
		if (CUTOP_IS_EXTRA(call))
			return; /* an earlier record told its name */
		call = call < reader->numbers.call_count ? reader->numbers.calls[call] : UINT16_MAX;
		memcpy(record + offset, &call, sizeof(call));
	}
	if (type == REC_LOST && reader->numbers.lost) {
		struct rec_lost *lost = (struct rec_lost *)record;

		lost->cause = lost->cause < reader->numbers.lost_count ?
				      reader->numbers.lost[lost->cause] :
				      UINT16_MAX;
	}
}

static bool block_next(struct reader *reader)
{
	struct block_header header;
	uint64_t at = reader->next;

	if (at >= reader->limit || !block_read(reader, at, &header))
		return false;
	if (!block_unpack(reader, &header)) {
		reader->used = 0;
		end_with(reader, RECORDING_IS_DAMAGED, at, "a block cannot be unpacked");
		return false;
	}
	reader->next = at + sizeof(header) + header.stored;
	return true;
}

const struct rec_hdr *reader_next(struct reader *reader)
{
	struct rec_hdr hdr;
	char *record;
	size_t least;

	for (;;) {
		while (reader->at >= reader->used)
			if (!block_next(reader))
				return NULL;
		record = reader->room + reader->at;
		if (reader->used - reader->at < sizeof(hdr))
			goto damaged;
		memcpy(&hdr, record, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size > reader->used - reader->at)
			goto damaged;
		least = record_size(hdr.type);
		reader->at += RECORD_ALIGNED(hdr.size);
		if (!least)
			/*
			 * a type from a later version: it marks records that older readers may skip
			 */
			continue;
		if (hdr.size < least)
			goto damaged;
		translate(reader, record, hdr.type);
		return (const struct rec_hdr *)record;
	}
damaged:
	reader->at = reader->used = 0;
	end_with(reader, RECORDING_IS_DAMAGED, reader->next, "the record before it is invalid");
	return NULL;
}

bool reader_is_done(const struct reader *reader)
{
	return reader->at >= reader->used && reader->next >= reader->limit;
}

void reader_rewind(struct reader *reader)
{
	reader->next = reader->first;
	reader->at = reader->used = 0;
}
