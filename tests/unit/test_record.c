/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings: what is written is read again, and replayed is what it was; each
 * byte that is missing and each bit that is wrong is noticed; what others wrote
 * on purpose does no harm.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/playback.h"
#include "feed.h"
#include "print/print.h"
#include "record/format.h"
#include "record/replay.h"
#include "record_sample.h"
#include "record_tests.h"
#include "run_tests.h"

static char folder[] = "/tmp/cutop-record.XXXXXX";

const char *record_path(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

char *record_bytes(const char *path, size_t *size)
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

int record_open(struct reader **reader, const void *bytes, size_t size, struct reason *why)
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

TEST(replayed_as_it_was)
{
	const char *path = record_path("whole"), *text;
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

/* To every moment from every other. */
TEST(sought)
{
	const char *path = record_path("sought");
	struct sample sample;
	struct replay *replay;
	struct reason why;
	size_t from, to;

	sample_record(&sample, path, SAMPLE_WHOLE);
	ck_assert(!replay_open(&replay, path, &whole, &why));
	for (from = 0; from < SAMPLE_MOMENTS; from++)
		for (to = 0; to < SAMPLE_MOMENTS; to++) {
			assert_document(replay_seek(replay, sample.times[from]),
					sample.documents[from]);
			assert_document(replay_seek(replay,
						    sample.times[to] + (to % 2 ? SECOND / 3 : 0)),
					sample.documents[to]);
			if (to + 1 < SAMPLE_MOMENTS)
				assert_document(replay_step(replay, 0), sample.documents[to + 1]);
		}
	assert_document(replay_seek(replay, 0), sample.documents[0]);
	assert_document(replay_seek(replay, UINT64_MAX), sample.documents[SAMPLE_MOMENTS - 1]);
	replay_close(replay);
	sample_free(&sample);
}

/* Moments that are passed over leave the books the same; the rates are over a longer time. */
TEST(passed_over)
{
	const char *path = record_path("passed");
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

/* As time passes, faster and slower, not at all, and to elsewhere. */
TEST(played)
{
	const char *path = record_path("played");
	uint64_t now = 5000 * SECOND;
	struct play_status status;
	struct sample sample;
	struct replay *replay;
	struct playback *playback;
	struct reason why;
	uint64_t wait;

	sample_record(&sample, path, SAMPLE_WHOLE);
	ck_assert(!replay_open(&replay, path, &whole, &why));
	playback = playback_new(replay, now);
	/* The first at once, the second when it came: a second later. */
	ck_assert_uint_eq(playback_wait(playback, now), 0);
	assert_document(playback_due(playback, now), sample.documents[0]);
	wait = playback_wait(playback, now);
	ck_assert(wait > SECOND - 1000 && wait < SECOND + 1000);
	ck_assert_ptr_null(playback_due(playback, now + SECOND / 2));
	now += wait;
	assert_document(playback_due(playback, now), sample.documents[1]);
	/* Eight times as fast: an eighth of the time. */
	for (int i = 0; i < 3; i++)
		ck_assert_ptr_null(playback_act(playback, PLAY_FASTER, now));
	wait = playback_wait(playback, now);
	ck_assert(wait > SECOND / 8 - 1000 && wait < SECOND / 8 + 1000);
	/* What was missed meanwhile is passed over. */
	now += SECOND * 3 / 8 + 1000;
	assert_document(playback_due(playback, now), sample.documents[4]);
	/* Paused, nothing is due, however long. */
	ck_assert_ptr_null(playback_act(playback, PLAY_PAUSE, now));
	now += 1000 * SECOND;
	ck_assert_uint_eq(playback_wait(playback, now), UINT64_MAX);
	ck_assert_ptr_null(playback_due(playback, now));
	status = playback_status(playback);
	ck_assert(status.paused && !status.ended);
	ck_assert_double_eq(status.speed, 8);
	ck_assert_uint_eq(status.position, sample.times[4] - 100 * SECOND);
	ck_assert_uint_eq(status.total, sample.times[8] - 100 * SECOND);
	/* A step is a snapshot at least; steps add up; it stays paused. */
	assert_document(playback_seek(playback, -1, now), sample.documents[3]);
	assert_document(playback_seek(playback, 2, now), sample.documents[5]);
	assert_document(playback_seek(playback, -100, now), sample.documents[0]);
	ck_assert_ptr_null(playback_seek(playback, 0, now));
	ck_assert(playback_status(playback).paused);
	/* To the end, where it stays, and from there from the start again. */
	assert_document(playback_seek(playback, 100, now), sample.documents[8]);
	ck_assert_ptr_null(playback_seek(playback, 1, now));
	ck_assert(playback_status(playback).ended);
	assert_document(playback_act(playback, PLAY_PAUSE, now), sample.documents[0]);
	ck_assert(!playback_status(playback).paused);
	/* With room asked for between them: not the next, but the one after. */
	playback_space(playback, 2 * SECOND);
	now += SECOND * 2 / 8 + 100 * 1000000;
	assert_document(playback_due(playback, now), sample.documents[2]);
	playback_free(playback);
	replay_close(replay);
	sample_free(&sample);
}

static size_t processes_with(const struct replay_settings *settings, const char *path,
			     uint32_t *pid)
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

TEST(filtered)
{
	static const uint32_t pids[] = { 4311, 4107, 1 };
	struct replay_settings settings = whole;
	const char *path = record_path("filtered");
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

/* With another --leak-age the model looks at suspects in its own way. */
TEST(another_leak_age)
{
	const char *path = record_path("age");
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
/* What was written after the last snapshot counts, too. */
TEST(cut_off)
{
	const char *path = record_path("killed"), *text;
	struct snapshot *snapshot;
	struct sample sample;
	struct replay *replay;
	struct reason why;
	size_t size, i;

	sample_record(&sample, path, SAMPLE_KILLED);
	free(record_bytes(path, &size));
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

int main(void)
{
	char command[64];
	int failed;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	failed = tests_run();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? EXIT_FAILURE : failed;
}
