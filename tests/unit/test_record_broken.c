/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings that are not as they were written: cut off anywhere, with any bit
 * changed, or forged.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "feed.h"
#include "model/stream.h"
#include "record/format.h"
#include "record/reader.h"
#include "record_sample.h"
#include "record_tests.h"

/* ---- what is missing, and what is wrong ---- */

/*
 * How many records can be read; all of them are as in @expected, which is the stream of the whole.
 */
static size_t count_records(struct reader *reader, const char *expected, size_t expected_size)
{
	const struct rec_hdr *record;
	size_t count = 0, at = 0;

	while ((record = reader_next(reader)) != NULL) {
		ck_assert_uint_le(at + record->size, expected_size);
		ck_assert_mem_eq(record, expected + at, record->size);
		at += record->size;
		count++;
	}
	return count;
}

static char *stream_of(const char *path, size_t *size, size_t *count)
{
	const struct rec_hdr *record;
	struct reader *reader;
	struct reason why;
	char *stream = NULL;

	*size = *count = 0;
	ck_assert(!reader_open(&reader, path, &why));
	while ((record = reader_next(reader)) != NULL) {
		stream = realloc(stream, *size + record->size);
		memcpy(stream + *size, record, record->size);
		*size += record->size;
		++*count;
	}
	reader_close(reader);
	return stream;
}

TEST(every_length)
{
	const char *path = record_path("lengths"), *text;
	size_t size, len, stream_size, count, records, before = 0, whole_blocks = 0;
	char *bytes, *stream;
	struct sample sample;
	struct reader *reader;
	struct reason why;

	sample_record(&sample, path, SAMPLE_WHOLE);
	bytes = record_bytes(path, &size);
	stream = stream_of(path, &stream_size, &count);
	for (len = 0; len < size; len++) {
		if (record_open(&reader, bytes, len, &why)) {
			ck_assert_msg(!len || strstr(why.text, "cut off") ||
					      strstr(why.text, "end is missing"),
				      "%zu: %s", len, why.text);
			ck_assert_str_ne(why.text, "");
			ck_assert_uint_eq(before, 0);
			continue;
		}
		ck_assert_int_eq(reader_end(reader, &text), RECORDING_IS_CUT_OFF);
		ck_assert_str_ne(text, "");
		records = count_records(reader, stream, stream_size);
		ck_assert_uint_ge(records, before);
		whole_blocks += records > before;
		before = records;
		reader_close(reader);
	}
	/* All but the end block was there at last, one block per moment. */
	ck_assert_uint_eq(before, count);
	ck_assert_uint_eq(whole_blocks, SAMPLE_MOMENTS);
	free(stream);
	free(bytes);
	sample_free(&sample);
}

/*
 * Behind the end there is nothing to be seen, which has to be said: whoever put two files together
 * wants both.
 */
TEST(something_behind_the_end)
{
	const char *path = record_path("behind"), *text;
	size_t size, stream_size, count;
	struct sample sample;
	struct reader *reader;
	struct reason why;
	char *bytes, *twice, *stream;

	sample_record(&sample, path, SAMPLE_WHOLE);
	bytes = record_bytes(path, &size);
	stream = stream_of(path, &stream_size, &count);
	twice = malloc(2 * size);
	memcpy(twice, bytes, size);
	memcpy(twice + size, bytes, size);
	for (size_t more = 1; more <= size; more += size - 1) {
		ck_assert(!record_open(&reader, twice, size + more, &why));
		ck_assert_int_eq(reader_end(reader, &text), RECORDING_IS_DAMAGED);
		ck_assert_ptr_nonnull(strstr(text, "something follows its end"));
		ck_assert_uint_eq(count_records(reader, stream, stream_size), count);
		ck_assert(reader_is_done(reader));
		reader_close(reader);
	}
	free(stream);
	free(twice);
	free(bytes);
	sample_free(&sample);
}

/*
 * Where each block begins, the text's being the first; behind the last of them stands where the
 * file ends.
 */
static size_t blocks_of(const char *bytes, size_t size, size_t *at, size_t max)
{
	struct block_header header;
	size_t count = 0, next = sizeof(struct recording_preamble);

	for (; next < size; next += sizeof(header) + header.stored) {
		ck_assert_uint_lt(count, max);
		at[count++] = next;
		memcpy(&header, bytes + next, sizeof(header));
	}
	at[count] = next;
	ck_assert_uint_eq(next, size);
	return count;
}

enum { SAMPLE_ROOM = 1 << 20 }; /* more than it is with a block twice */

/*
 * What is left of a recording of the @count blocks whose numbers are @order: where it is damaged,
 * with how many records before that.
 */
static void assert_order(const char *bytes, const size_t *at, const size_t *order, size_t count,
			 size_t due, const char *stream, size_t stream_size)
{
	size_t i, size = at[0], bad = 0, records;
	char *moved = malloc(SAMPLE_ROOM), expected[128];
	struct reader *reader;
	struct reason why;
	const char *text;

	memcpy(moved, bytes, at[0]);
	for (i = 0; i < count; i++) {
		if (i == due)
			bad = size;
		ck_assert_uint_le(size + at[order[i] + 1] - at[order[i]], SAMPLE_ROOM);
		memcpy(moved + size, bytes + at[order[i]], at[order[i] + 1] - at[order[i]]);
		size += at[order[i] + 1] - at[order[i]];
	}
	ck_assert_msg(!record_open(&reader, moved, size, &why), "%s", why.text);
	ck_assert_int_eq(reader_end(reader, &text), RECORDING_IS_DAMAGED);
	snprintf(expected, sizeof(expected),
		 "at byte %zu: block %zu should be here, and block %zu is", bad, due, order[due]);
	ck_assert_msg(strstr(text, expected) != NULL, "%s, not %s", text, expected);
	records = count_records(reader, stream, stream_size);
	ck_assert(due > 1 || !records);
	reader_close(reader);
	free(moved);
}

/* Whole blocks, with right sums, that are not where they were. */
TEST(every_block)
{
	const char *path = record_path("blocks");
	size_t at[100], order[100], size, stream_size, records, count, i, k, n;
	struct sample sample;
	char *bytes, *stream;

	sample_record(&sample, path, SAMPLE_WHOLE);
	bytes = record_bytes(path, &size);
	stream = stream_of(path, &stream_size, &records);
	count = blocks_of(bytes, size, at, 98);
	ck_assert_uint_ge(count, SAMPLE_MOMENTS + 2);
	for (k = 1; k + 1 < count; k++) {
		for (i = n = 0; i < count; i++) /* missing */
			if (i != k)
				order[n++] = i;
		assert_order(bytes, at, order, n, k, stream, stream_size);
		for (i = n = 0; i < count; i++) { /* repeated */
			order[n++] = i;
			if (i == k)
				order[n++] = i;
		}
		assert_order(bytes, at, order, n, k + 1, stream, stream_size);
		for (i = 0; i < count; i++) /* swapped with the next */
			order[i] = i == k ? k + 1 : i == k + 1 ? k : i;
		assert_order(bytes, at, order, count, k, stream, stream_size);
	}
	free(stream);
	free(bytes);
	sample_free(&sample);
}

static void flip(int fd, char *bytes, size_t bit)
{
	bytes[bit / 8] ^= (char)(1 << bit % 8);
	ck_assert_int_eq(pwrite(fd, bytes + bit / 8, 1, (off_t)(bit / 8)), 1);
}

TEST(every_byte)
{
	const char *path = record_path("bits"), *text;
	size_t size, bit, stream_size, count, refused = 0, damaged = 0;
	enum recording_end end;
	char *bytes, *stream;
	struct sample sample;
	struct reader *reader;
	struct reason why;
	int fd;

	sample_record(&sample, path, SAMPLE_WHOLE);
	bytes = record_bytes(path, &size);
	stream = stream_of(path, &stream_size, &count);
	fd = memfd_create("recording", 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	for (bit = 0; bit < 8 * size; bit++) {
		/*
		 * All bits of the start and the end, else one of each byte: a CRC does not care
		 * which.
		 */
		if (bit / 8 >= 600 && bit / 8 < size - 600 && bit % 8 != bit / 8 % 8)
			continue;
		flip(fd, bytes, bit);
		if (reader_open_fd(&reader, dup(fd), &why)) {
			ck_assert_str_ne(why.text, "");
			refused++;
		} else {
			end = reader_end(reader, &text);
			ck_assert_msg(end == RECORDING_IS_DAMAGED, "bit %zu: %d %s", bit, end,
				      text);
			count_records(reader, stream, stream_size);
			reader_close(reader);
			damaged++;
		}
		flip(fd, bytes, bit);
	}
	close(fd);
	ck_assert_uint_gt(refused, 128);
	ck_assert_uint_gt(damaged, 1000);
	free(stream);
	free(bytes);
	sample_free(&sample);
}

TEST(foreign)
{
	struct recording_preamble preamble = { .order = RECORDING_ORDER,
					       .version = RECORDING_VERSION };
	struct reader *reader;
	struct reason why;
	char path[256];

	memcpy(preamble.magic, RECORDING_MAGIC, sizeof(preamble.magic));
	ck_assert_int_lt(record_open(&reader, "", 0, &why), 0);
	ck_assert_str_eq(why.text, "it is empty");
	ck_assert_int_lt(record_open(&reader, "{\"schema\":1}\n", 13, &why), 0);
	ck_assert_str_eq(why.text, "it is no recording of cutop");
	ck_assert_int_lt(record_open(&reader,
				     "\x89"
				     "CUTOP\n and more",
				     16, &why),
			 0);
	ck_assert_ptr_nonnull(strstr(why.text, "transfer text"));
	preamble.order = __builtin_bswap32(preamble.order);
	ck_assert_int_eq(record_open(&reader, &preamble, sizeof(preamble), &why), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(why.text, "byte order"));
	preamble.order = RECORDING_ORDER;
	preamble.version++;
	ck_assert_int_eq(record_open(&reader, &preamble, sizeof(preamble), &why), -ENOTSUP);
	ck_assert_str_eq(
		why.text,
		"it is of version 2 of the format; this cutop reads version 1: replay it with the cutop that recorded it");
	ck_assert_int_eq(reader_open(&reader, "/tmp", &why), -EISDIR);
	snprintf(path, sizeof(path), "%s", record_path("fifo"));
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(reader_open(&reader, path, &why), -ESPIPE);
	ck_assert_int_eq(reader_open(&reader, record_path("none"), &why), -ENOENT);
}

/* ---- what others write ---- */

struct forged {
	char bytes[400000];
	size_t size;
};

static void forge_block(struct forged *file, unsigned int flags, uint64_t time, const void *data,
			size_t stored, size_t bytes)
{
	struct block_header header = {
		.magic = BLOCK_MAGIC,
		.flags = flags,
		.stored = (uint32_t)stored,
		.bytes = (uint32_t)bytes,
		.time = time,
		.check = (uint32_t)crc32(0, data, (uInt)stored),
	};

	header.own_check = (uint32_t)crc32(0, (const Bytef *)&header,
					   offsetof(struct block_header, own_check));
	memcpy(file->bytes + file->size, &header, sizeof(header));
	memcpy(file->bytes + file->size + sizeof(header), data, stored);
	file->size += sizeof(header) + stored;
}

/* Begins a file whose text is as ours would be, with @line after it. */
static void forge_begin(struct forged *file, const char *line)
{
	struct recording_preamble preamble = { .order = RECORDING_ORDER,
					       .version = RECORDING_VERSION };
	struct facts facts = { .start_mono = 100 * SECOND,
			       .start_real = 1700000000 * SECOND,
			       .leak_age = SECOND,
			       .version = "9.9" };
	char *text, *longer;
	long len = facts_write(&facts, &text);

	ck_assert_int_gt(len, 0);
	ck_assert_int_gt(asprintf(&longer, "%.*s%s", (int)len, text, line), 0);
	memcpy(preamble.magic, RECORDING_MAGIC, sizeof(preamble.magic));
	memcpy(file->bytes, &preamble, sizeof(preamble));
	file->size = sizeof(preamble);
	forge_block(file, BLOCK_IS_TEXT, 100 * SECOND, longer, strlen(longer), strlen(longer));
	free(longer);
	free(text);
}

static enum recording_end read_forged(struct forged *file, size_t *records)
{
	struct reader *reader;
	enum recording_end end;
	struct reason why;
	const char *text;

	ck_assert_msg(!record_open(&reader, file->bytes, file->size, &why), "%s", why.text);
	for (*records = 0; reader_next(reader); ++*records)
		;
	end = reader_end(reader, &text);
	reader_close(reader);
	return end;
}

TEST(forged_blocks)
{
	struct rec_hdr hdrs[2] = { { .type = REC_INEXACT, .size = sizeof(hdrs[0]), .program = 1 },
				   { .type = REC_INEXACT } };
	struct forged *file = malloc(sizeof(*file));
	char bomb[1000], zeros[2000] = "";
	size_t records, packed = pack_bytes(zeros, sizeof(zeros), bomb, sizeof(bomb));

	/*
	 * A record that is shorter than its header, longer than its block, or shorter than its
	 * type.
	 */
	forge_begin(file, "");
	forge_block(file, 0, 100 * SECOND, hdrs, sizeof(hdrs), sizeof(hdrs));
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_DAMAGED);
	ck_assert_uint_eq(records, 1);
	hdrs[1].size = 2 * sizeof(hdrs[1]);
	forge_begin(file, "");
	forge_block(file, 0, 100 * SECOND, hdrs, sizeof(hdrs), sizeof(hdrs));
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_DAMAGED);
	hdrs[1].size = sizeof(hdrs[1]);
	hdrs[1].type = REC_LAUNCH_ROW;
	forge_begin(file, "");
	forge_block(file, 0, 100 * SECOND, hdrs, sizeof(hdrs), sizeof(hdrs));
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_DAMAGED);
	/* Of a type that nobody knows: passed over. */
	hdrs[1].type = 999;
	forge_begin(file, "");
	forge_block(file, 0, 100 * SECOND, hdrs, sizeof(hdrs), sizeof(hdrs));
	forge_block(file, BLOCK_IS_END, 100 * SECOND, "", 0, 0);
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_WHOLE);
	ck_assert_uint_eq(records, 1);
	/* Packed, but not what it says, or not packed at all. */
	ck_assert_uint_gt(packed, 0);
	forge_begin(file, "");
	forge_block(file, BLOCK_IS_PACKED, 100 * SECOND, bomb, packed, 100);
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_DAMAGED);
	forge_begin(file, "");
	forge_block(file, BLOCK_IS_PACKED, 100 * SECOND, bomb, packed, 100000);
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_DAMAGED);
	forge_begin(file, "");
	forge_block(file, BLOCK_IS_PACKED, 100 * SECOND, hdrs, sizeof(hdrs), 100);
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_DAMAGED);
	/* Too large, back in time, a second text. */
	forge_begin(file, "");
	forge_block(file, BLOCK_IS_PACKED, 100 * SECOND, bomb, packed, BLOCK_MAX + 1);
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_DAMAGED);
	forge_begin(file, "");
	forge_block(file, 0, 99 * SECOND, hdrs, sizeof(hdrs[0]), sizeof(hdrs[0]));
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_DAMAGED);
	ck_assert_uint_eq(records, 0);
	forge_begin(file, "");
	forge_block(file, BLOCK_IS_TEXT, 100 * SECOND, "a=b\n", 4, 4);
	ck_assert_int_eq(read_forged(file, &records), RECORDING_IS_DAMAGED);
	free(file);
}

TEST(forged_facts)
{
	static const char *const bad[] = {
		"start_real=0\n",
		"start_mono=x\n",
		"start_mono=-1\n",
		"start_real=99999999999999999999999\n",
		"command=2\n",
		"calls=\n",
		"records=1\n",
		"records=1:\n",
		"records=:4\n",
		"records=1:4;\n",
		"leak_age=18446744073709551615\n",
	};
	struct forged *file = malloc(sizeof(*file));
	struct reader *reader;
	struct reason why;
	char line[64];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		forge_begin(file, bad[i]);
		ck_assert_msg(record_open(&reader, file->bytes, file->size, &why), "%s", bad[i]);
		ck_assert_str_ne(why.text, "");
	}
	snprintf(line, sizeof(line), "records=%u:%zu\n", REC_ALLOC, sizeof(struct rec_alloc) + 8);
	forge_begin(file, line);
	ck_assert_int_eq(record_open(&reader, file->bytes, file->size, &why), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(why.text, "cutop 9.9 wrote it"));
	forge_begin(file, "command=2\n");
	ck_assert_int_lt(record_open(&reader, file->bytes, file->size, &why), 0);
	ck_assert_str_eq(why.text, "its line 'command' is invalid");
	/* What is not known is passed over; what is shown is cleaned. */
	forge_begin(file, "colour=red\nno value\nhost=a\033[31mb\nrecords=999:5\n");
	ck_assert_msg(!record_open(&reader, file->bytes, file->size, &why), "%s", why.text);
	ck_assert_ptr_null(strchr(reader_facts(reader)->host, '\033'));
	reader_close(reader);
	free(file);
}

/* Another version of cutop numbers calls and causes in another way. */
TEST(renumbered)
{
	struct rec_call_row call = {
		.hdr = { .type = REC_CALL_ROW, .size = sizeof(call), .program = 1 },
		.key = { .program = 1, .call = 1 },
		.row = { .calls = 5 },
	};
	struct rec_lost lost = { .hdr = { .type = REC_LOST, .size = sizeof(lost) },
				 .total = 3,
				 .cause = 1 };
	struct forged *file = malloc(sizeof(*file));
	char block[2 * sizeof(call) + sizeof(lost)];
	const struct rec_hdr *record;
	struct reader *reader;
	struct reason why;

	memcpy(block, &call, sizeof(call));
	call.key.call = 0;
	memcpy(block + sizeof(call), &call, sizeof(call));
	memcpy(block + 2 * sizeof(call), &lost, sizeof(lost));
	forge_begin(file, "calls=cudaNewAndStrange,cudaFree,cudaMalloc\nlost=nothing,names\n");
	forge_block(file, 0, 100 * SECOND, block, sizeof(block), sizeof(block));
	ck_assert_msg(!record_open(&reader, file->bytes, file->size, &why), "%s", why.text);
	record = reader_next(reader);
	ck_assert_uint_eq(((const struct rec_call_row *)record)->key.call, CALL_cudaFree);
	record = reader_next(reader);
	ck_assert_uint_ge(((const struct rec_call_row *)record)->key.call, CALL_COUNT);
	record = reader_next(reader);
	ck_assert_uint_eq(((const struct rec_lost *)record)->cause, LOST_NAMES);
	ck_assert_ptr_null(reader_next(reader));
	reader_close(reader);
	free(file);
}
