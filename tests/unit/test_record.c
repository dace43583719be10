/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings: what is written is read again, and replayed is what it was; each
 * byte that is missing and each bit that is wrong is noticed; what others wrote
 * on purpose does no harm.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "collect/player.h"
#include "feed.h"
#include "model/stream.h"
#include "out/out.h"
#include "record/changes.h"
#include "record/format.h"
#include "record/pack.h"
#include "record/recorder.h"
#include "record/replay.h"
#include "record/writer.h"
#include "record_sample.h"

static char folder[] = "/tmp/cutop-record.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static char *bytes_of(const char *path, size_t *size)
{
	struct stat stat;
	char *bytes;
	int fd = open(path, O_RDONLY);

	ck_assert(fd >= 0 && !fstat(fd, &stat));
	*size = (size_t)stat.st_size;
	bytes = malloc(*size + 1);
	ck_assert_int_eq(read(fd, bytes, *size), (ssize_t)*size);
	close(fd);
	return bytes;
}

static int open_bytes(struct reader **reader, const void *bytes, size_t size, struct reason *why)
{
	int fd = memfd_create("recording", 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	why->text[0] = 0;
	return reader_open_fd(reader, fd, why);
}

static const struct replay_settings whole = { .map_max = (unsigned int)-1, .uid = (uint32_t)-1 };

static char *document(struct snapshot *snapshot)
{
	struct out_options options = { .version = "0" };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	ck_assert(snapshot && out);
	ck_assert_int_eq(out_json(out, snapshot, &options), 0);
	fclose(out);
	snapshot_free(snapshot);
	return text;
}

static const struct snap_process *snapshot_process_of(const struct snapshot *snapshot, uint32_t pid)
{
	size_t i;

	for (i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].pid == pid)
			return &snapshot->processes[i];
	ck_abort_msg("no process %u", pid);
	return NULL;
}

static void assert_document(struct snapshot *snapshot, const char *expected)
{
	char *text = document(snapshot);

	ck_assert_str_eq(text, expected);
	free(text);
}

/* ---- what is written ---- */

START_TEST(replayed_as_it_was)
{
	const char *path = path_of("whole"), *text;
	struct sample sample;
	struct replay *replay;
	struct reason why;
	size_t i, count;

	sample_record(&sample, path, SAMPLE_WHOLE);
	ck_assert_msg(!replay_open(&replay, path, &whole, &why), "%s", why.text);
	ck_assert_int_eq(reader_end(replay_reader(replay), &text), RECORDING_IS_WHOLE);
	ck_assert_str_eq(reader_facts(replay_reader(replay))->host, "workstation");
	ck_assert(reader_facts(replay_reader(replay))->has_command);
	ck_assert(reader_facts(replay_reader(replay))->has_calls);
	reader_moments(replay_reader(replay), &count);
	ck_assert_uint_eq(count, SAMPLE_MOMENTS);
	for (i = 0; i < SAMPLE_MOMENTS; i++) {
		ck_assert_uint_eq(replay_next_time(replay), sample.times[i]);
		assert_document(replay_step(replay, 0), sample.documents[i]);
		ck_assert_uint_eq(replay_now(replay), sample.times[i]);
	}
	ck_assert_uint_eq(replay_next_time(replay), UINT64_MAX);
	ck_assert_ptr_null(replay_step(replay, 0));
	replay_close(replay);
	sample_free(&sample);
}
END_TEST

/* To every moment from every other. */
START_TEST(sought)
{
	const char *path = path_of("sought");
	struct sample sample;
	struct replay *replay;
	struct reason why;
	size_t from, to;

	sample_record(&sample, path, SAMPLE_WHOLE);
	ck_assert(!replay_open(&replay, path, &whole, &why));
	for (from = 0; from < SAMPLE_MOMENTS; from++)
		for (to = 0; to < SAMPLE_MOMENTS; to++) {
			assert_document(replay_seek(replay, sample.times[from]), sample.documents[from]);
			assert_document(replay_seek(replay, sample.times[to] + (to % 2 ? SECOND / 3 : 0)), sample.documents[to]);
			if (to + 1 < SAMPLE_MOMENTS)
				assert_document(replay_step(replay, 0), sample.documents[to + 1]);
		}
	assert_document(replay_seek(replay, 0), sample.documents[0]);
	assert_document(replay_seek(replay, UINT64_MAX), sample.documents[SAMPLE_MOMENTS - 1]);
	replay_close(replay);
	sample_free(&sample);
}
END_TEST

/* Moments that are passed over leave the books the same; the rates are over a longer time. */
START_TEST(passed_over)
{
	const char *path = path_of("passed");
	const struct snap_process *process;
	struct snapshot *snapshot;
	struct sample sample;
	struct replay *replay;
	struct reason why;

	sample_record(&sample, path, SAMPLE_WHOLE);
	ck_assert(!replay_open(&replay, path, &whole, &why));
	snapshot_free(replay_step(replay, sample.times[2]));
	ck_assert_uint_eq(replay_now(replay), sample.times[2]);
	snapshot = replay_step(replay, sample.times[6]);
	ck_assert_double_eq_tol(snapshot->interval_seconds, 4, 1e-9);
	process = snapshot_process_of(snapshot, 4242);
	ck_assert_uint_eq(process->launches, 30000);
	ck_assert_double_eq_tol(process->launches_per_second, 5000, 1e-6);
	snapshot_free(snapshot);
	replay_close(replay);
	sample_free(&sample);
}
END_TEST

/* As time passes, faster and slower, not at all, and to elsewhere. */
START_TEST(played)
{
	const char *path = path_of("played");
	uint64_t now = 5000 * SECOND;
	struct play_status status;
	struct sample sample;
	struct replay *replay;
	struct player *player;
	struct reason why;
	uint64_t wait;

	sample_record(&sample, path, SAMPLE_WHOLE);
	ck_assert(!replay_open(&replay, path, &whole, &why));
	player = player_new(replay, now);
	/* The first at once, the second when it came: a second later. */
	ck_assert_uint_eq(player_wait(player, now), 0);
	assert_document(player_due(player, now), sample.documents[0]);
	wait = player_wait(player, now);
	ck_assert(wait > SECOND - 1000 && wait < SECOND + 1000);
	ck_assert_ptr_null(player_due(player, now + SECOND / 2));
	now += wait;
	assert_document(player_due(player, now), sample.documents[1]);
	/* Eight times as fast: an eighth of the time. */
	for (int i = 0; i < 3; i++)
		ck_assert_ptr_null(player_act(player, PLAY_FASTER, now));
	wait = player_wait(player, now);
	ck_assert(wait > SECOND / 8 - 1000 && wait < SECOND / 8 + 1000);
	/* What was missed meanwhile is passed over. */
	now += SECOND * 3 / 8 + 1000;
	assert_document(player_due(player, now), sample.documents[4]);
	/* Paused, nothing is due, however long. */
	ck_assert_ptr_null(player_act(player, PLAY_PAUSE, now));
	now += 1000 * SECOND;
	ck_assert_uint_eq(player_wait(player, now), UINT64_MAX);
	ck_assert_ptr_null(player_due(player, now));
	status = player_status(player);
	ck_assert(status.paused && !status.ended);
	ck_assert_double_eq(status.speed, 8);
	ck_assert_uint_eq(status.position, sample.times[4] - 100 * SECOND);
	ck_assert_uint_eq(status.total, sample.times[8] - 100 * SECOND);
	/* A step is a snapshot at least; steps add up; it stays paused. */
	assert_document(player_seek(player, -1, now), sample.documents[3]);
	assert_document(player_seek(player, 2, now), sample.documents[5]);
	assert_document(player_seek(player, -100, now), sample.documents[0]);
	ck_assert_ptr_null(player_seek(player, 0, now));
	ck_assert(player_status(player).paused);
	/* To the end, where it stays, and from there from the start again. */
	assert_document(player_seek(player, 100, now), sample.documents[8]);
	ck_assert_ptr_null(player_seek(player, 1, now));
	ck_assert(player_status(player).ended);
	assert_document(player_act(player, PLAY_PAUSE, now), sample.documents[0]);
	ck_assert(!player_status(player).paused);
	/* With room asked for between them: not the next, but the one after. */
	player_space(player, 2 * SECOND);
	now += SECOND * 2 / 8 + 100 * 1000000;
	assert_document(player_due(player, now), sample.documents[2]);
	player_free(player);
	replay_close(replay);
	sample_free(&sample);
}
END_TEST

static size_t processes_with(const struct replay_settings *settings, const char *path, uint32_t *pid)
{
	struct snapshot *snapshot;
	struct replay *replay;
	struct reason why;
	size_t count;

	ck_assert_msg(!replay_open(&replay, path, settings, &why), "%s", why.text);
	snapshot = replay_step(replay, UINT64_MAX);
	count = snapshot->process_count;
	*pid = count ? snapshot->processes[0].pid : 0;
	snapshot_free(snapshot);
	replay_close(replay);
	return count;
}

START_TEST(filtered)
{
	static const uint32_t pids[] = { 4311, 4107, 1 };
	struct replay_settings settings = whole;
	const char *path = path_of("filtered");
	struct sample sample;
	uint32_t pid;

	sample_record(&sample, path, SAMPLE_WHOLE);
	ck_assert_uint_eq(processes_with(&whole, path, &pid), 3);
	settings.pids = pids;
	settings.pid_count = 3;
	ck_assert_uint_eq(processes_with(&settings, path, &pid), 2);
	settings.pid_count = 1;
	ck_assert_uint_eq(processes_with(&settings, path, &pid), 1);
	ck_assert_uint_eq(pid, 4311);
	settings = whole;
	settings.uid = 1001;
	ck_assert_uint_eq(processes_with(&settings, path, &pid), 1);
	ck_assert_uint_eq(pid, 4242);
	settings = whole;
	settings.command_glob = "*train.py*";
	ck_assert_uint_eq(processes_with(&settings, path, &pid), 1);
	ck_assert_uint_eq(pid, 4242);
	settings.command_glob = "leak?";
	ck_assert_uint_eq(processes_with(&settings, path, &pid), 1);
	ck_assert_uint_eq(pid, 4107);
	settings.command_glob = "nothing";
	ck_assert_uint_eq(processes_with(&settings, path, &pid), 0);
	sample_free(&sample);
}
END_TEST

/* With another --leak-age the model looks at suspects in its own way. */
START_TEST(another_leak_age)
{
	const char *path = path_of("age");
	struct replay_settings settings = whole;
	struct sample sample;
	struct replay *replay;
	struct reason why;
	char *text;

	sample_record(&sample, path, SAMPLE_WHOLE);
	settings.leak_age = 1000 * SECOND;
	ck_assert(!replay_open(&replay, path, &settings, &why));
	text = document(replay_step(replay, UINT64_MAX));
	ck_assert_str_ne(text, sample.documents[SAMPLE_MOMENTS - 1]);
	ck_assert_ptr_nonnull(strstr(text, "\"suspect_bytes\":0"));
	free(text);
	replay_close(replay);
	sample_free(&sample);
}
END_TEST

/* ---- what is missing, and what is wrong ---- */

/* How many records can be read; all of them are as in @expected, which is the stream of the whole. */
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

START_TEST(every_length)
{
	const char *path = path_of("lengths"), *text;
	size_t size, len, stream_size, count, records, before = 0, whole_blocks = 0;
	char *bytes, *stream;
	struct sample sample;
	struct reader *reader;
	struct reason why;

	sample_record(&sample, path, SAMPLE_WHOLE);
	bytes = bytes_of(path, &size);
	stream = stream_of(path, &stream_size, &count);
	for (len = 0; len < size; len++) {
		if (open_bytes(&reader, bytes, len, &why)) {
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
END_TEST

static void flip(int fd, char *bytes, size_t bit)
{
	bytes[bit / 8] ^= (char)(1 << bit % 8);
	ck_assert_int_eq(pwrite(fd, bytes + bit / 8, 1, (off_t)(bit / 8)), 1);
}

START_TEST(every_byte)
{
	const char *path = path_of("bits"), *text;
	size_t size, bit, stream_size, count, refused = 0, damaged = 0;
	enum recording_end end;
	char *bytes, *stream;
	struct sample sample;
	struct reader *reader;
	struct reason why;
	int fd;

	sample_record(&sample, path, SAMPLE_WHOLE);
	bytes = bytes_of(path, &size);
	stream = stream_of(path, &stream_size, &count);
	fd = memfd_create("recording", 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	for (bit = 0; bit < 8 * size; bit++) {
		/* All bits of the start and the end, else one of each byte: a CRC does not care which. */
		if (bit / 8 >= 600 && bit / 8 < size - 600 && bit % 8 != bit / 8 % 8)
			continue;
		flip(fd, bytes, bit);
		if (reader_open_fd(&reader, dup(fd), &why)) {
			ck_assert_str_ne(why.text, "");
			refused++;
		} else {
			end = reader_end(reader, &text);
			ck_assert_msg(end == RECORDING_IS_DAMAGED, "bit %zu: %d %s", bit, end, text);
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
END_TEST

/* What was written after the last snapshot counts, too. */
START_TEST(cut_off)
{
	const char *path = path_of("killed"), *text;
	struct snapshot *snapshot;
	struct sample sample;
	struct replay *replay;
	struct reason why;
	size_t size, i;

	sample_record(&sample, path, SAMPLE_KILLED);
	free(bytes_of(path, &size));
	ck_assert_int_eq(truncate(path, (off_t)(size - sizeof(struct block_header))), 0);
	ck_assert(!replay_open(&replay, path, &whole, &why));
	ck_assert_int_eq(reader_end(replay_reader(replay), &text), RECORDING_IS_CUT_OFF);
	for (i = 0; i < SAMPLE_MOMENTS; i++)
		assert_document(replay_step(replay, 0), sample.documents[i]);
	ck_assert_uint_eq(replay_next_time(replay), replay_end(replay));
	snapshot = replay_step(replay, 0);
	ck_assert_ptr_nonnull(snapshot);
	ck_assert_uint_eq(snapshot_process_of(snapshot, 4242)->live_allocations, 7);
	snapshot_free(snapshot);
	ck_assert_uint_eq(replay_next_time(replay), UINT64_MAX);
	/* By seeking it is reached as well, and left. */
	snapshot = replay_seek(replay, replay_end(replay));
	ck_assert_uint_eq(snapshot_process_of(snapshot, 4242)->live_allocations, 7);
	snapshot_free(snapshot);
	assert_document(replay_seek(replay, sample.times[3]), sample.documents[3]);
	replay_close(replay);
	sample_free(&sample);
}
END_TEST

START_TEST(foreign)
{
	struct recording_preamble preamble = { .order = RECORDING_ORDER, .version = RECORDING_VERSION };
	struct reader *reader;
	struct reason why;
	char path[256];

	memcpy(preamble.magic, RECORDING_MAGIC, sizeof(preamble.magic));
	ck_assert_int_lt(open_bytes(&reader, "", 0, &why), 0);
	ck_assert_str_eq(why.text, "it is empty");
	ck_assert_int_lt(open_bytes(&reader, "{\"schema\":1}\n", 13, &why), 0);
	ck_assert_str_eq(why.text, "it is no recording of cutop");
	ck_assert_int_lt(open_bytes(&reader, "\x89" "CUTOP\n and more", 16, &why), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "transfer text"));
	preamble.order = __builtin_bswap32(preamble.order);
	ck_assert_int_eq(open_bytes(&reader, &preamble, sizeof(preamble), &why), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(why.text, "byte order"));
	preamble.order = RECORDING_ORDER;
	preamble.version++;
	ck_assert_int_eq(open_bytes(&reader, &preamble, sizeof(preamble), &why), -ENOTSUP);
	ck_assert_str_eq(why.text, "it is of version 2 of the format; this cutop reads version 1");
	ck_assert_int_eq(reader_open(&reader, folder, &why), -EISDIR);
	snprintf(path, sizeof(path), "%s", path_of("fifo"));
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(reader_open(&reader, path, &why), -ESPIPE);
	ck_assert_int_eq(reader_open(&reader, path_of("none"), &why), -ENOENT);
}
END_TEST

/* ---- what others write ---- */

struct forged {
	char bytes[400000];
	size_t size;
};

static void forge_block(struct forged *file, unsigned int flags, uint64_t time, const void *data, size_t stored, size_t bytes)
{
	struct block_header header = {
		.magic = BLOCK_MAGIC, .flags = flags, .stored = (uint32_t)stored, .bytes = (uint32_t)bytes, .time = time,
		.check = (uint32_t)crc32(0, data, (uInt)stored),
	};

	header.own_check = (uint32_t)crc32(0, (const Bytef *)&header, offsetof(struct block_header, own_check));
	memcpy(file->bytes + file->size, &header, sizeof(header));
	memcpy(file->bytes + file->size + sizeof(header), data, stored);
	file->size += sizeof(header) + stored;
}

/* Begins a file whose text is as ours would be, with @line after it. */
static void forge_begin(struct forged *file, const char *line)
{
	struct recording_preamble preamble = { .order = RECORDING_ORDER, .version = RECORDING_VERSION };
	struct facts facts = { .start_mono = 100 * SECOND, .start_real = 1700000000 * SECOND, .leak_age = SECOND, .version = "9.9" };
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

	ck_assert_msg(!open_bytes(&reader, file->bytes, file->size, &why), "%s", why.text);
	for (*records = 0; reader_next(reader); ++*records)
		;
	end = reader_end(reader, &text);
	reader_close(reader);
	return end;
}

START_TEST(forged_blocks)
{
	struct rec_hdr hdrs[2] = { { .type = REC_INEXACT, .size = sizeof(hdrs[0]), .image = 1 }, { .type = REC_INEXACT } };
	struct forged *file = malloc(sizeof(*file));
	char bomb[1000], zeros[2000] = "";
	size_t records, packed = pack_bytes(zeros, sizeof(zeros), bomb, sizeof(bomb));

	/* A record that is shorter than its header, longer than its block, or shorter than its type. */
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
END_TEST

START_TEST(forged_facts)
{
	static const char *const bad[] = {
		"start_real=0\n", "start_mono=x\n", "start_mono=-1\n", "start_real=99999999999999999999999\n", "command=2\n", "calls=\n",
		"records=1\n", "records=1:\n", "records=:4\n", "records=1:4;\n", "leak_age=18446744073709551615\n",
	};
	struct forged *file = malloc(sizeof(*file));
	struct reader *reader;
	struct reason why;
	char line[64];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		forge_begin(file, bad[i]);
		ck_assert_msg(open_bytes(&reader, file->bytes, file->size, &why), "%s", bad[i]);
		ck_assert_str_ne(why.text, "");
	}
	snprintf(line, sizeof(line), "records=%u:%zu\n", REC_ALLOC, sizeof(struct rec_alloc) + 8);
	forge_begin(file, line);
	ck_assert_int_eq(open_bytes(&reader, file->bytes, file->size, &why), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(why.text, "cutop 9.9 wrote it"));
	/* What is not known is passed over; what is shown is cleaned. */
	forge_begin(file, "colour=red\nno value\nhost=a\033[31mb\nrecords=999:5\n");
	ck_assert_msg(!open_bytes(&reader, file->bytes, file->size, &why), "%s", why.text);
	ck_assert_ptr_null(strchr(reader_facts(reader)->host, '\033'));
	reader_close(reader);
	free(file);
}
END_TEST

/* Another version of cutop numbers calls and causes in another way. */
START_TEST(renumbered)
{
	struct rec_call_row call = {
		.hdr = { .type = REC_CALL_ROW, .size = sizeof(call), .image = 1 }, .key = { .image = 1, .call = 1 }, .row = { .calls = 5 },
	};
	struct rec_lost lost = { .hdr = { .type = REC_LOST, .size = sizeof(lost) }, .total = 3, .cause = 1 };
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
	ck_assert_msg(!open_bytes(&reader, file->bytes, file->size, &why), "%s", why.text);
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
END_TEST

/* ---- writing ---- */

START_TEST(no_room)
{
	struct facts facts = { .start_mono = 1, .start_real = 1, .version = "0" };
	struct rec_launch_row row = { .hdr = { .type = REC_LAUNCH_ROW, .size = sizeof(row), .image = 1 } };
	struct rlimit limit = { .rlim_cur = 100000, .rlim_max = RLIM_INFINITY };
	const char *path = path_of("limited"), *text;
	struct writer *writer;
	struct reader *reader;
	struct reason why;
	size_t size;
	int i, err = 0;

	ck_assert_int_lt(writer_open(&writer, "/dev/full", &facts, &why), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "/dev/full: No space left"));
	ck_assert_int_lt(writer_open(&writer, path_of("none/at/all"), &facts, &why), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_msg(!writer_open(&writer, path_of("limited"), &facts, &why), "%s", why.text);
	for (i = 0; i < 1000000 && !err; i++) {
		row.key.function = (uint64_t)random() << 32 | (uint64_t)random();
		row.row.hist[i % 32] = (uint64_t)random() * (uint64_t)random();
		err = writer_put(writer, &row.hdr);
	}
	ck_assert_int_eq(err, -EFBIG);
	ck_assert_int_eq(writer_put(writer, &row.hdr), -EFBIG);
	ck_assert_int_eq(writer_close(writer), -EFBIG);
	path = path_of("limited");
	free(bytes_of(path, &size));
	ck_assert_uint_le(size, limit.rlim_cur);
	/* Up to the last whole block, and nothing of the next. */
	ck_assert_msg(!reader_open(&reader, path, &why), "%s", why.text);
	ck_assert_int_eq(reader_end(reader, &text), RECORDING_IS_CUT_OFF);
	for (i = 0; reader_next(reader); i++)
		;
	ck_assert_int_gt(i, 0);
	reader_close(reader);
}
END_TEST

/* Blocks are many, records of every size, and none is lost between them. */
START_TEST(many_records)
{
	struct facts facts = { .start_mono = 1, .start_real = 1, .version = "0" };
	const char *path = path_of("many"), *text;
	const struct rec_hdr *record;
	char *room = calloc(1, 65536);
	struct rec_text name = { .hdr = { .type = REC_SITE, .image = 1 } };
	struct writer *writer;
	struct reader *reader;
	struct reason why;
	int i;

	ck_assert(!writer_open(&writer, path, &facts, &why));
	for (i = 0; i < 3000; i++) {
		name.hdr.size = (uint16_t)(sizeof(name) + (unsigned int)i * 13 % 65000 % (65535 - sizeof(name)));
		name.address = (uint64_t)i;
		memcpy(room, &name, sizeof(name));
		memset(room + sizeof(name), i, name.hdr.size - sizeof(name));
		ck_assert(!writer_put(writer, (struct rec_hdr *)room));
	}
	ck_assert(!writer_close(writer));
	ck_assert(!reader_open(&reader, path, &why));
	ck_assert_int_eq(reader_end(reader, &text), RECORDING_IS_WHOLE);
	for (i = 0; (record = reader_next(reader)) != NULL; i++) {
		ck_assert_uint_eq((uintptr_t)record % 8, 0);
		ck_assert_uint_eq(((const struct rec_text *)record)->address, (uint64_t)i);
		ck_assert_uint_eq(record->size, sizeof(name) + (unsigned int)i * 13 % 65000 % (65535 - sizeof(name)));
		if (record->size > sizeof(name))
			ck_assert_int_eq(((const char *)record)[record->size - 1], (char)i);
	}
	ck_assert_int_eq(i, 3000);
	reader_close(reader);
	free(room);
}
END_TEST

START_TEST(only_changes)
{
	struct changes *changes = changes_new();
	struct rec_launch_row launch = {
		.hdr = { .type = REC_LAUNCH_ROW, .size = sizeof(launch), .image = 1 }, .key = { .image = 1 }, .row = { .launches = 1 },
	};
	struct rec_graph_row graph = {
		.hdr = { .type = REC_GRAPH_ROW, .size = sizeof(graph), .image = 1 }, .key = { .image = 1, .exec = 5 }, .row = { .launches = 1 },
	};
	struct rec_graph about = { .hdr = { .type = REC_GRAPH, .size = sizeof(about), .image = 2 } };
	struct rec_lost lost = { .hdr = { .type = REC_LOST, .size = sizeof(lost) }, .total = 0, .cause = 3 };
	struct rec_hdr done = { .type = REC_GRAPHS_DONE, .size = sizeof(done), .image = 1 };
	struct rec_moment moment = { .hdr = { .type = REC_MOMENT, .size = sizeof(moment) } };

	ck_assert(changes_any(changes, &launch.hdr));
	ck_assert(!changes_any(changes, &launch.hdr));
	launch.row.launches = 2;
	ck_assert(changes_any(changes, &launch.hdr));
	ck_assert(!changes_any(changes, &launch.hdr));
	launch.key.function = 7;
	ck_assert(changes_any(changes, &launch.hdr));
	launch.key.function = 0;
	ck_assert(!changes_any(changes, &launch.hdr));
	/* A graph's row counts twice, and again after a record about graphs. */
	ck_assert(changes_any(changes, &graph.hdr));
	ck_assert(changes_any(changes, &graph.hdr));
	ck_assert(!changes_any(changes, &graph.hdr));
	ck_assert(changes_any(changes, &about.hdr));
	ck_assert(changes_any(changes, &about.hdr));
	ck_assert(changes_any(changes, &graph.hdr));
	ck_assert(changes_any(changes, &graph.hdr));
	ck_assert(!changes_any(changes, &graph.hdr));
	/* What was launched last, before a fault, changes launches. */
	graph.hdr.type = REC_GRAPH_LAST;
	ck_assert(changes_any(changes, &graph.hdr));
	ck_assert(changes_any(changes, &graph.hdr));
	ck_assert(changes_any(changes, &launch.hdr));
	ck_assert(!changes_any(changes, &launch.hdr));
	/* Causes are told apart, moments never left out. */
	ck_assert(changes_any(changes, &lost.hdr));
	ck_assert(!changes_any(changes, &lost.hdr));
	lost.cause = 4;
	ck_assert(changes_any(changes, &lost.hdr));
	ck_assert(changes_any(changes, &moment.hdr));
	ck_assert(changes_any(changes, &moment.hdr));
	/* The number of an image that is over is not given again, but if it were: */
	ck_assert(changes_any(changes, &done));
	ck_assert(changes_any(changes, &launch.hdr));
	changes_free(changes);
}
END_TEST

/* What waited for a second is written, a crash or not. */
START_TEST(written_in_time)
{
	struct facts facts = { .start_mono = 10 * SECOND, .start_real = 1, .version = "0" };
	struct rec_hdr inexact = { .type = REC_INEXACT, .size = sizeof(inexact), .image = 1 };
	const char *path = path_of("ticks");
	struct recorder *recorder;
	struct reason why;
	size_t empty, size;

	ck_assert(!recorder_open(&recorder, path, &facts, &why));
	free(bytes_of(path, &empty));
	recorder_tee(recorder, &inexact, sizeof(inexact));
	recorder_tick(recorder, 10 * SECOND + SECOND / 2);
	free(bytes_of(path, &size));
	ck_assert_uint_eq(size, empty);
	recorder_tick(recorder, 11 * SECOND);
	free(bytes_of(path, &size));
	ck_assert_uint_gt(size, empty);
	/* Too short for what it says: no model takes it, and it is not kept. */
	inexact.size = 100;
	recorder_tee(recorder, &inexact, sizeof(inexact));
	ck_assert_int_eq(recorder_close(recorder, NULL), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("record");
	TCase *tests = tcase_create("record");
	SRunner *runner = srunner_create(suite);
	char command[64];
	int failed;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, replayed_as_it_was);
	tcase_add_test(tests, sought);
	tcase_add_test(tests, passed_over);
	tcase_add_test(tests, played);
	tcase_add_test(tests, filtered);
	tcase_add_test(tests, another_leak_age);
	tcase_add_test(tests, every_length);
	tcase_add_test(tests, every_byte);
	tcase_add_test(tests, cut_off);
	tcase_add_test(tests, foreign);
	tcase_add_test(tests, forged_blocks);
	tcase_add_test(tests, forged_facts);
	tcase_add_test(tests, renumbered);
	tcase_add_test(tests, no_room);
	tcase_add_test(tests, many_records);
	tcase_add_test(tests, only_changes);
	tcase_add_test(tests, written_in_time);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		return EXIT_FAILURE;
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
