/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing recordings: what does not fit, what is left out, and when it is written. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "feed.h"
#include "model/stream.h"
#include "record/reader.h"
#include "record/recorder.h"
#include "record_tests.h"

TEST(no_room)
{
	struct facts facts = { .start_mono = 1, .start_real = 1, .version = "0" };
	struct rec_launch_row row = {
		.hdr = { .type = REC_LAUNCH_ROW, .size = sizeof(row), .program = 1 }
	};
	struct rlimit limit = { .rlim_cur = 100000, .rlim_max = RLIM_INFINITY };
	const char *path = record_path("limited"), *text;
	struct writer *writer;
	struct reader *reader;
	struct reason why;
	size_t size;
	int i, err = 0;

	ck_assert_int_lt(writer_open(&writer, "/dev/full", &facts, &why), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "/dev/full: No space left"));
	ck_assert_int_lt(writer_open(&writer, record_path("none/at/all"), &facts, &why), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_msg(!writer_open(&writer, record_path("limited"), &facts, &why), "%s", why.text);
	for (i = 0; i < 1000000 && !err; i++) {
		row.key.function = (uint64_t)random() << 32 | (uint64_t)random();
		row.row.hist[i % 32] = (uint64_t)random() * (uint64_t)random();
		err = writer_put(writer, &row.hdr);
	}
	ck_assert_int_eq(err, -EFBIG);
	ck_assert_int_eq(writer_put(writer, &row.hdr), -EFBIG);
	ck_assert_int_eq(writer_close(writer), -EFBIG);
	path = record_path("limited");
	free(record_bytes(path, &size));
	ck_assert_uint_le(size, limit.rlim_cur);
	/* Up to the last whole block, and nothing of the next. */
	ck_assert_msg(!reader_open(&reader, path, &why), "%s", why.text);
	ck_assert_int_eq(reader_end(reader, &text), RECORDING_IS_CUT_OFF);
	for (i = 0; reader_next(reader); i++)
		;
	ck_assert_int_gt(i, 0);
	reader_close(reader);
}

/* Blocks are many, records of every size, and none is lost between them. */
TEST(many_records)
{
	struct facts facts = { .start_mono = 1, .start_real = 1, .version = "0" };
	const char *path = record_path("many"), *text;
	const struct rec_hdr *record;
	char *room = calloc(1, 65536);
	struct rec_text name = { .hdr = { .type = REC_SITE, .program = 1 } };
	struct writer *writer;
	struct reader *reader;
	struct reason why;
	int i;

	ck_assert(!writer_open(&writer, path, &facts, &why));
	for (i = 0; i < 3000; i++) {
		name.hdr.size = (uint16_t)(sizeof(name) +
					   (unsigned int)i * 13 % 65000 % (65535 - sizeof(name)));
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
		ck_assert_uint_eq(record->size, sizeof(name) + (unsigned int)i * 13 % 65000 %
								       (65535 - sizeof(name)));
		if (record->size > sizeof(name))
			ck_assert_int_eq(((const char *)record)[record->size - 1], (char)i);
	}
	ck_assert_int_eq(i, 3000);
	reader_close(reader);
	free(room);
}

TEST(only_changes)
{
	struct changes *changes = changes_new();
	struct rec_launch_row launch = {
		.hdr = { .type = REC_LAUNCH_ROW, .size = sizeof(launch), .program = 1 },
		.key = { .program = 1 },
		.row = { .launches = 1 },
	};
	struct rec_graph_row graph = {
		.hdr = { .type = REC_GRAPH_ROW, .size = sizeof(graph), .program = 1 },
		.key = { .program = 1, .exec = 5 },
		.row = { .launches = 1 },
	};
	struct rec_graph about = {
		.hdr = { .type = REC_GRAPH, .size = sizeof(about), .program = 2 }
	};
	struct rec_lost lost = { .hdr = { .type = REC_LOST, .size = sizeof(lost) },
				 .total = 0,
				 .cause = 3 };
	struct rec_hdr done = { .type = REC_GRAPHS_DONE, .size = sizeof(done), .program = 1 };
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
	/* The number of a program that is over is not given again, but if it were: */
	ck_assert(changes_any(changes, &done));
	ck_assert(changes_any(changes, &launch.hdr));
	changes_free(changes);
}

/* What waited for a second is written, a crash or not. */
TEST(written_in_time)
{
	struct facts facts = { .start_mono = 10 * SECOND, .start_real = 1, .version = "0" };
	struct rec_hdr inexact = { .type = REC_INEXACT, .size = sizeof(inexact), .program = 1 };
	const char *path = record_path("ticks");
	struct recorder *recorder;
	struct reason why;
	size_t empty, size;

	ck_assert(!recorder_open(&recorder, path, &facts, &why));
	free(record_bytes(path, &empty));
	recorder_tee(recorder, &inexact, sizeof(inexact));
	recorder_tick(recorder, 10 * SECOND + SECOND / 2);
	free(record_bytes(path, &size));
	ck_assert_uint_eq(size, empty);
	recorder_tick(recorder, 11 * SECOND);
	free(record_bytes(path, &size));
	ck_assert_uint_gt(size, empty);
	/* Too short for what it says: no model takes it, and it is not kept. */
	inexact.size = 100;
	recorder_tee(recorder, &inexact, sizeof(inexact));
	ck_assert_int_eq(recorder_close(recorder, NULL), 0);
}
