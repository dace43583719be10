/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes through the ring, together with what the process that reads source lines replies: the
 * feed, its modules, call sites and stacks as they are, between a ring, maps and a process that are
 * made up (feed_world.c). BPF is ours, so that a record is as long as its type says; what stands in it comes
 * from watched programs. The process has read hostile files: it says anything.
 *
 * The input: a file that all mappings are of (2 bytes, little-endian: how long it is), then what
 * happens, a byte each:
 *
 *   0 record	its length (2 bytes) and its bytes, filled up to the size of its type
 *   1 reply	to the question that waits longest: its line (4 bytes)
 *   2 reply	of 256 bytes, the first of a struct resolver_answer
 *   5 reply	as 1, then how many functions were inlined there, and of each its line (4 bytes) and
 *		a number that stands in its name
 *   3		the process ends
 *   4		a snapshot is made
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collect/feed.h"
#include "cutop_allocator.h"
#include "cutop_python.h"
#include "feed_world.h"
#include "fuzz.h"
#include "model/model.h"
#include "names/resolver_process.h"
#include "names/sections.h"

#define START       100000000000ull
#define NAMES_BYTES (SYMTAB_MEMORY + (8ull << 20))

static size_t fixed_size(uint16_t type)
{
	switch (type) {
	case REC_PROCESS: return sizeof(struct rec_process);
	case REC_END: return sizeof(struct rec_end);
	case REC_ALLOC: return sizeof(struct rec_alloc);
	case REC_FREE: return sizeof(struct rec_free);
	case REC_COPY: return sizeof(struct rec_copy);
	case REC_FAIL: return sizeof(struct rec_fail_at);
	case REC_RESET: return sizeof(struct rec_reset);
	case REC_KERNEL: return sizeof(struct rec_kernel);
	case REC_MODULE: return sizeof(struct rec_module);
	case REC_EXEC: return sizeof(struct rec_exec);
	case REC_MMAP: return sizeof(struct rec_mmap);
	case REC_MAP: return sizeof(struct rec_map);
	case REC_DEVICE: return sizeof(struct rec_device);
	case REC_GRAPH: return sizeof(struct rec_graph);
	case REC_FAULT: return sizeof(struct rec_fault);
	case REC_STACK: return sizeof(struct rec_stack);
	case REC_HOST: return sizeof(struct rec_host);
	case REC_LAUNCHED_AT: return sizeof(struct rec_launched_at);
	case REC_CALL: return sizeof(struct rec_call);
	case REC_MODULE_AT: return sizeof(struct rec_module_at);
	case REC_NAME_AT: return sizeof(struct rec_name_at);
	case REC_BLOCK: return sizeof(struct rec_block);
	case REC_SHORT: return sizeof(struct rec_short);
	case REC_PYTHON_CODE: return sizeof(struct rec_python_code);
	case REC_PYTHON_TABLE: return sizeof(struct rec_python_table);
	case REC_PYTHON_STACK: return sizeof(struct rec_python_stack);
	default: return 0;
	}
}

static const uint8_t *bytes_take(size_t len)
{
	if (world.size < len)
		return NULL;
	world.data += len;
	world.size -= len;
	return world.data - len;
}

static uint64_t number_take(size_t len)
{
	const uint8_t *bytes = bytes_take(len);
	uint64_t number = 0;

	if (bytes)
		memcpy(&number, bytes, len);
	else
		world.size = 0;
	return number;
}

static void record_bring(void)
{
	size_t len = (size_t)number_take(2), fixed;
	const uint8_t *bytes = bytes_take(len < world.size ? len : world.size);
	union {
		struct rec_hdr hdr;
		struct rec_module module;
		char room[8192];
	} record = { 0 };

	if (!bytes)
		return;
	len = (size_t)(world.data - bytes);
	memcpy(&record, bytes, len < sizeof(record) ? len : sizeof(record));
	fixed = fixed_size(record.hdr.type);
	if (!fixed)
		return; /* BPF makes no other */
	if (len < fixed)
		len = fixed;
	if (len > sizeof(record))
		len = sizeof(record);
	record.hdr.size = (uint16_t)len;
	record.hdr.tgid = WORLD_PID;
	record.hdr.program %= 16;
	if (record.hdr.type == REC_MODULE || record.hdr.type == REC_MODULE_AT) {
		record.module.id.inode %= 128;
		world.identified = record.module.id;
	}
	world.take(world.context, &record, len);
}

#define REPLY_BYTES 256 /* of one of any content */

static void reply_send(const void *reply, size_t len)
{
	if (world.reader >= 0 && send(world.reader, reply, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
	    errno != EAGAIN && errno != EPIPE && errno != ECONNRESET)
		abort();
}

/* The next question, without the descriptors that come with it. */
static bool question_take(struct resolver_question *question)
{
	return world.reader >= 0 &&
	       recv(world.reader, question, sizeof(*question), MSG_DONTWAIT) == sizeof(*question);
}

/* The @count inlined functions of an answer. */
static void inlined_take(struct resolver_answer *answer, uint32_t count)
{
	uint32_t i;

	answer->inlined_count = count < CUTOP_INLINED_MAX ? count : CUTOP_INLINED_MAX;
	for (i = 0; i < answer->inlined_count; i++) {
		struct resolver_inlined *inlined = &answer->inlined[i];

		inlined->line = (uint32_t)number_take(4);
		snprintf(inlined->path, sizeof(inlined->path), "%s",
			 inlined->line % 2 ? "/src/x.h" : "/usr/include/thrust/x.h");
		snprintf(inlined->function, sizeof(inlined->function), "_ZN1x%uEv",
			 (unsigned int)number_take(1));
	}
}

static void answer_send(bool with_inlined)
{
	struct resolver_answer answer = { .line = (uint32_t)number_take(4), .path = "/src/x.cu" };
	struct resolver_question question;

	if (with_inlined)
		inlined_take(&answer, (uint32_t)number_take(1));
	while (question_take(&question))
		if (question.type == RESOLVER_ASK) {
			answer.cookie = question.cookie;
			reply_send(&answer, resolver_answer_size(&answer));
			return;
		}
}

/* A reply of any content. */
static void raw_send(const uint8_t *bytes)
{
	struct resolver_answer answer = { .inlined_count = 0 };

	memcpy(&answer, bytes, REPLY_BYTES);
	reply_send(&answer, RESOLVER_ANSWER_SIZE_MIN);
}

static void happen(struct feed *feed, struct model *model, uint64_t *now)
{
	const uint8_t *bytes;

	switch (number_take(1)) {
	case 0: record_bring(); break;
	case 1: answer_send(false); break;
	case 2:
		bytes = bytes_take(REPLY_BYTES);
		if (bytes)
			raw_send(bytes);
		break;
	case 5: answer_send(true); break;
	case 3: world_reader_end(); break;
	case 4:
		feed_refresh(feed);
		*now += 1000000000;
		snapshot_free(model_snapshot(model, *now, 3));
		break;
	}
	/* The replies are read, too. */
	feed_follow(feed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model_config config = { .start_mono = START,
				       .start_real = 1700000000000000000ull,
				       .leak_age = 1000000000 };
	static const char *const globs[] = { "lib*", NULL };
	struct record_sink sink = { 0 };
	uint64_t now = START;
	struct model *model;
	struct feed *feed;
	size_t len;

	memset(&world, 0, sizeof(world));
	world.data = data;
	world.size = size;
	world.reader = -1;
	world.file = memfd_create("feed", MFD_CLOEXEC);
	model = model_new(&config);
	if (world.file < 0 || !model)
		abort();
	sink.model = model;
	len = (size_t)number_take(2);
	data = bytes_take(len < world.size ? len : world.size);
	if (data && write(world.file, data, (size_t)(world.data - data)) < 0)
		abort();
	feed = feed_new((struct probe *)&world, &sink, NULL, globs, NULL, 0, NAMES_BYTES);
	if (!feed)
		abort();
	while (world.size)
		happen(feed, model, &now);
	feed_refresh(feed);
	fuzz_show(model_snapshot(model, now + 1000000000, (unsigned int)-1));
	feed_free(feed);
	again_free(&world.again);
	model_free(model);
	world_reader_end();
	close(world.file);
	return 0;
}
