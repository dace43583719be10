/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot shares with the one before what has not changed. Two models are fed the same; one of
 * them shares nothing. Their snapshots must be the same, byte for byte, as JSON and as text, and so
 * must be the spans, which neither prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "model/stream.h"
#include "print/print.h"
#include "record/reader.h"
#include "util/util.h"

#define MAP_MAX 40

struct pair {
	struct model *sharing, *plain;
	struct snapshot
		*before;   /* of the first; still there when the next is made, as on a screen */
	char *before_text; /* what it said when it was made */
	uint64_t looks;
};

static void pair_begin(struct pair *pair, const struct model_config *config)
{
	*pair = (struct pair){ .sharing = model_new(config), .plain = model_new(config) };
	ck_assert(pair->sharing && pair->plain);
}

static char *printed(struct snapshot *snapshot)
{
	struct out_options options = { .version = "1", .lists_map = true, .sort = { .count = 0 } };
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(out_json(out, snapshot, &options), 0);
	ck_assert_int_eq(out_text(out, snapshot, &options), 0);
	for (i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		for (size_t j = 0; j < process->span_count; j++) {
			fprintf(out, "%llx-%llx", (unsigned long long)process->spans[j].start,
				(unsigned long long)process->spans[j].end);
			for (size_t k = 0; k < ALLOC_STATE_COUNT; k++)
				fprintf(out, " %llu",
					(unsigned long long)process->spans[j].bytes[k]);
			fputc('\n', out);
		}
		for (size_t j = 0; j < process->kernel_count; j++)
			fprintf(out, "%zu %s %d\n", process->kernels[j].number,
				process->kernels[j].shown, process->kernels[j].has_sites);
	}
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

static void differ(const char *left, const char *right)
{
	size_t at = 0;

	while (left[at] && left[at] == right[at])
		at++;
	at = at > 200 ? at - 200 : 0;
	ck_abort_msg("a snapshot that shares says\n%.400s\none that does not\n%.400s", left + at,
		     right + at);
}

static void look(struct pair *pair, uint64_t now)
{
	struct snapshot *sharing = model_snapshot(pair->sharing, now, MAP_MAX), *plain;
	char *left, *right;

	model_share_nothing(pair->plain);
	plain = model_snapshot(pair->plain, now, MAP_MAX);
	ck_assert(sharing && plain);
	left = printed(sharing);
	right = printed(plain);
	if (strcmp(left, right))
		differ(left, right);
	snapshot_free(plain);
	free(right);
	if (pair->before && pair->looks % 4 == 0) {
		right = printed(pair->before);
		if (strcmp(pair->before_text, right))
			differ(right, pair->before_text);
		free(right);
	}
	snapshot_free(pair->before);
	free(pair->before_text);
	pair->before = sharing;
	pair->before_text = left;
	pair->looks++;
}

static void pair_end(struct pair *pair)
{
	model_free(pair->sharing);
	model_free(pair->plain);
	/* A snapshot needs no model. */
	free(printed(pair->before));
	snapshot_free(pair->before);
	free(pair->before_text);
}

/* ---- recordings ---- */

static void play(const char *name, unsigned int every)
{
	struct model_config config = { .totals = true };
	struct reason why = { "" };
	struct reader *reader;
	const struct rec_hdr *record;
	struct pair pair;
	uint64_t now, count = 0;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.cutop", RECORDINGS, name);
	ck_assert_msg(!reader_open(&reader, path, &why), "%s", why.text);
	config.start_mono = now = reader_facts(reader)->start_mono;
	config.start_real = reader_facts(reader)->start_real;
	config.leak_age = reader_facts(reader)->leak_age;
	pair_begin(&pair, &config);
	model_focus(pair.sharing, 1);
	model_focus(pair.plain, 1);
	while ((record = reader_next(reader)) != NULL) {
		ck_assert_int_eq(model_record(pair.sharing, record, record->size),
				 model_record(pair.plain, record, record->size));
		if (record->time > now && record->type < REC_LAUNCH_ROW)
			now = record->time;
		if (record->type == REC_MOMENT || ++count % every == 0)
			look(&pair, record->type == REC_MOMENT ? record->time : now);
	}
	look(&pair, now + 60 * SECOND);
	look(&pair, now + 61 * SECOND);
	ck_assert_uint_ge(pair.looks, 8);
	pair_end(&pair);
	reader_close(reader);
}

START_TEST(recordings)
{
	play("sample", 5);
	play("python", 13);
	play("tensors", 97);
}
END_TEST

/* ---- at random ---- */

#define STEPS    900
#define PROGRAMS 4

static struct pair pair;
static struct feed feed;

static void feed_other(void *context, const struct rec_hdr *record, size_t size)
{
	struct model *plain = context;

	model_record(plain, record, size);
}

static uint64_t chance(uint64_t below)
{
	return (uint64_t)random() % below;
}

static void give_rows(void)
{
	struct call_key call = { .program = feed.program, .call = (__u16)chance(20) };
	struct call_row call_row = { .calls = chance(50), .ns = chance(5000), .max_ns = 100 };
	struct copy_key copy = { .program = feed.program,
				 .call = CALL_cudaMemcpyAsync,
				 .direction = (__u8)chance(3),
				 .mode = COPY_ASYNC };
	struct copy_row copy_row = { .calls = chance(9), .bytes = chance(1000) };
	struct fail_key fail = { .program = feed.program, .call = (__u16)chance(9), .result = 2 };
	struct fail_row fail_row = { .count = chance(5), .first = feed.now, .last = feed.now };
	struct pending_key pending = { .program = feed.program, .stream = chance(3) };
	struct pending_row pending_row = { .last = feed.now,
					   .enqueued = { chance(5000), chance(5000) } };
	struct sync_slot slots[CUTOP_SYNC_SLOTS] = { { .done = chance(2) ? feed.now : 0 } };
	struct graph_key graph = { .program = feed.program, .exec = 0x9000 + chance(3) };
	struct graph_row graph_row = { .launches = 1 + chance(9), .call = CALL_cudaGraphLaunch };

	for (struct model *model = pair.sharing; model;
	     model = model == pair.sharing ? pair.plain : NULL) {
		model_call_row(model, &call, &call_row);
		model_copy_row(model, &copy, &copy_row);
		model_fail_row(model, &fail, &fail_row);
		model_pending_row(model, &pending, &pending_row);
		model_synced(model, feed.program, slots);
		model_graph_row(model, &graph, &graph_row);
		model_sync(model, feed.program, feed.now / 2);
	}
}

static void give_call_site(void)
{
	struct call_site_key key = {
		.launch = { .program = feed.program,
			    .call = chance(2) ? CALL_cudaLaunchKernel :
						CALL_cudaDeviceSynchronize },
		.site = 0x401000 + chance(9) * 16,
	};
	struct call_site_row row = { .launches = 1 + chance(9), .samples = 1, .ns = chance(999) };

	if (key.launch.call == CALL_cudaLaunchKernel)
		key.launch.function = 0x5000 + chance(12) * 16;
	model_call_site(pair.sharing, &key, &row);
	model_call_site(pair.plain, &key, &row);
}

static void give_name(void)
{
	static const char *const names[] = {
		"_Z5scalePfi", "_ZN2at6native5scaleEPf",    "_ZN2at6native4fillIfEEvT_",
		"plain",       "_ZN2at6native4fillIdEEvT_",
	};
	uint64_t function = 0x5000 + chance(12) * 16;
	char text[64];

	switch (chance(5)) {
	case 0:
		feed_kernel(&feed, function, chance(2) ? 0x5000 + chance(12) * 16 : 0,
			    NAME_REGISTERED, names[chance(5)]);
		break;
	case 1:
		snprintf(text, sizeof(text), "place_%u+0x10", (unsigned int)chance(99));
		feed_text(&feed, REC_SITE, 0x401000 + chance(9) * 16,
			  (uint32_t)(chance(3) ? 0 : SITE_IS_HELD), text);
		break;
	case 2: feed_launched_at(&feed, function, 0x401000, CALL_cudaLaunchKernel); break;
	case 3: feed_module(&feed, 0x401000, 0x401000 + 16 * chance(9) + 1, 0, "libx.so"); break;
	default: feed_stack(&feed, 1 + chance(9), 1 + (uint32_t)chance(6), 0x402000); break;
	}
}

static void give_any(void)
{
	uint64_t slot = chance(64), address = 0x700000000000 + slot * 0x10000;

	feed.program = 1 + (uint32_t)chance(PROGRAMS);
	feed.pid = 4000 + feed.program;
	feed.site = 0x401000 + chance(9) * 16;
	feed.stack = chance(10);
	switch (chance(100)) {
	case 0: feed_reset(&feed, 0); break;
	case 1: feed_fail(&feed, CALL_cudaMalloc, 2); break;
	case 2: feed_copy(&feed, address, 0x1000, 4096, DIR_H2D, 0, 0); break;
	case 3: feed_context_end(&feed, 0, 7); break;
	case 4: feed_size(&feed, 0, 80000 * MIB); break;
	case 5:
		model_inexact(pair.sharing, feed.program, feed.now);
		model_inexact(pair.plain, feed.program, feed.now);
		break;
	case 6:
		model_focus(pair.sharing, feed.program);
		model_focus(pair.plain, feed.program);
		break;
	case 7 ... 14: give_name(); break;
	case 15 ... 22: give_call_site(); break;
	case 23 ... 32: give_rows(); break;
	case 33 ... 50:
		feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000 + chance(12) * 16, chance(500));
		break;
	case 51 ... 70: feed_free(&feed, address, 0); break;
	default: feed_alloc(&feed, address, 256 + chance(9) * 512); break;
	}
}

/* Most looks come when few things, or none, have changed: then there is something to share. */
static void mix(unsigned int seed)
{
	struct model_config config = {
		.start_mono = 100 * SECOND,
		.start_real = 1700000000 * SECOND,
		.leak_age = SECOND,
		.max_exited = 5,
		.totals = true,
	};
	unsigned int i;

	srandom(seed);
	pair_begin(&pair, &config);
	feed = (struct feed){ .model = pair.sharing,
			      .now = 100 * SECOND,
			      .tee = feed_other,
			      .tee_context = pair.plain };
	for (i = 1; i <= PROGRAMS; i++) {
		feed.program = i;
		feed.pid = 4000 + i;
		feed_process(&feed);
	}
	for (i = 0; i < STEPS; i++) {
		if (i == STEPS - 100)
			feed_exit(&feed, END_EXIT, 0);
		if (i < STEPS - 100)
			give_any();
		if (chance(3))
			continue;
		feed.now += chance(2) ? chance(5) * NSEC_PER_MSEC : chance(3) * SECOND;
		look(&pair, feed.now);
	}
	ck_assert_uint_gt(pair.looks, STEPS / 5);
	pair_end(&pair);
}

START_TEST(random_books)
{
	mix((unsigned int)_i + 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shared");
	TCase *tcase = tcase_create("shared");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, recordings);
	tcase_add_loop_test(tcase, random_books, 0, 2);
	tcase_set_timeout(tcase, 120);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
