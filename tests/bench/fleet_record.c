/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet_record NODE SECONDS STEP FILE: writes the recording FILE of a made-up node of a cluster, with a snapshot every
 * STEP seconds, and prints what is in it, a fact per line, for fleet.py. The same NODE gives the same recording, but for
 * its wall clock: it begins now. A node has 8 devices and 4 to 40 places for processes, which are PyTorch trainers, servers,
 * leakers, and jobs that come and go; some find no memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cutop_allocator.h"
#include "model/stream.h"
#include "record/recorder.h"

#define MIB   (1024ull * 1024)
#define GIB   (1024 * MIB)
#define START (1000 * NSEC_PER_SEC)
#define TOTAL (80 * GIB) /* of a device */

#define PRIME         211 /* at most so many nodes differ in what ranks them */
#define SEGMENT       (64 * MIB)
#define BLOCK         (2 * MIB)
#define SEGMENT_PARTS (SEGMENT / BLOCK)
#define WORK          (20 * MIB) /* a segment for one large request after the other */
#define REQUEST       (8 * MIB)
#define JOB_STEPS     4 /* a job lives for so long, and the next one follows */
#define JOB_PLACES    3 /* so that fewer end in five minutes than metrics list */
#define KERNELS_LEAST 20
#define KERNELS_MORE  20

enum { LAYERS = 16, DEVICES = 8, PLACES_MAX = 40, CALLS = 12 };

enum site {
	SITE_CACHE = 0x401000, /* the allocator's */
	SITE_LAYER = 0x402000, /* of its blocks, and the next LAYERS - 1 */
	SITE_GROW = 0x403000,
	SITE_LEAK = 0x404000, /* of the driver's memory */
	SITE_STEADY = 0x405000,
};

enum role { TRAINER, SERVER, LEAKER, GROWER, JOB, ROLES };

struct place {
	enum role role;
	uint32_t program, pid;
	unsigned int device, kernels;
	char pod[40];
	const char *command;
	uint64_t next;      /* address of the next segment */
	uint64_t allocated; /* by the allocator */
	uint64_t reserved;
	uint64_t grown;     /* address of the next block that stays */
	uint64_t grown_end; /* of its segment */
	uint64_t work;      /* address of the segment for large requests */
	uint64_t gaps;      /* bytes, of those that are too small for such a request */
	unsigned int age;   /* steps */
	/* What is put in */
	uint64_t short_requests, failed, leaked, rate;
};

struct node {
	struct recorder *recorder;
	unsigned int number;
	uint64_t random, now;
	uint32_t programs;
	struct place places[PLACES_MAX];
	unsigned int place_count;
	uint64_t lost;
};

static uint64_t some(struct node *node, uint64_t below)
{
	node->random = node->random * 6364136223846793005 + 1442695040888963407;
	return (node->random >> 33) % below;
}

/* ---- records ---- */

static void give(struct node *node, const struct place *place, unsigned int type, void *record,
		 size_t size)
{
	struct rec_hdr *hdr = record;

	node->now += 1000;
	*hdr = (struct rec_hdr){ .type = (__u16)type, .size = (__u16)size, .time = node->now };
	if (place) {
		hdr->program = place->program;
		hdr->tgid = hdr->tid = place->pid;
	}
	recorder_tee(node->recorder, record, size);
}

/* Rows have no time. */
#define GIVE_ROW(node, place, type_name, rec_type, ...) \
	do { \
		struct rec_##type_name##_row record = { __VA_ARGS__ }; \
\
		record.hdr = (struct rec_hdr){ .type = rec_type, \
					       .size = sizeof(record), \
					       .program = (place)->program }; \
		record.key.program = (place)->program; \
		recorder_tee((node)->recorder, &record.hdr, sizeof(record)); \
	} while (0)

static void give_site(struct node *node, const struct place *place, uint64_t address,
		      uint32_t flags, const char *text)
{
	union {
		struct rec_text text;
		char bytes[sizeof(struct rec_text) + 256];
	} record = {
		.text = { .address = address, .flags = flags, .text_len = (__u32)strlen(text) }
	};

	memcpy(record.bytes + sizeof(record.text), text, strlen(text));
	give(node, place, REC_SITE, &record, (sizeof(record.text) + strlen(text) + 8) & ~7ul);
}

static uint64_t function_of(unsigned int kernel)
{
	return 0x500000 + kernel * 16ull;
}

static void give_kernel(struct node *node, const struct place *place, unsigned int kernel)
{
	union {
		struct rec_kernel kernel;
		char bytes[sizeof(struct rec_kernel) + 256];
	} record = { .kernel = { .function = function_of(kernel),
				 .stub = function_of(kernel),
				 .source = NAME_REGISTERED,
				 .call = CALL_cudaLaunchKernel } };
	char name[128];

	snprintf(name, sizeof(name),
		 "_ZN2at6native31vectorized_layer_%03u_fwd_kernelIfLi4EEEvPT_PKS2_i",
		 kernel + place->pid % 7 * 100);
	record.kernel.name_len = (__u32)strlen(name);
	memcpy(record.bytes + sizeof(record.kernel), name, strlen(name));
	give(node, place, REC_KERNEL, &record, (sizeof(record.kernel) + strlen(name) + 7) & ~7ul);
}

static void give_alloc(struct node *node, const struct place *place, uint64_t address,
		       uint64_t bytes, uint64_t site)
{
	struct rec_alloc record = {
		.entry = node->now,
		.address = address,
		.bytes = bytes,
		.site = site,
		.result = address ? 0 : 2,
		.device = (__s32)place->device,
		.call = CALL_cudaMalloc,
		.kind = KIND_DEVICE,
	};

	give(node, place, REC_ALLOC, &record, sizeof(record));
}

/* @bytes below 0: it is taken back. */
static void give_block(struct node *node, struct place *place, uint64_t address, int64_t bytes,
		       uint64_t site)
{
	struct rec_block record = {
		.address = address,
		.bytes = bytes,
		.allocated = place->allocated += (uint64_t)bytes,
		.reserved = place->reserved,
		.site = bytes > 0 ? site : 0,
		.device = (__s32)place->device,
		.allocator = ALLOCATOR_PYTORCH,
		.has_totals = 1,
	};

	give(node, place, REC_BLOCK, &record, sizeof(record));
}

/* A request of the allocator finds no memory: neither does cudaMalloc. */
static void give_short(struct node *node, struct place *place)
{
	struct rec_short record = {
		.bytes = 30 * GIB,
		.allocated = place->allocated,
		.reserved = place->reserved,
		.site = SITE_LAYER,
		.device = (__s32)place->device,
		.allocator = ALLOCATOR_PYTORCH,
		.has_totals = 1,
	};

	give_alloc(node, place, 0, 30 * GIB, SITE_CACHE);
	give(node, place, REC_SHORT, &record, sizeof(record));
	place->failed++;
	place->short_requests++;
}

static uint64_t segment_take(struct node *node, struct place *place, uint64_t bytes)
{
	uint64_t address = place->next;

	place->next += bytes + GIB; /* none borders on another */
	place->reserved += bytes;
	give_alloc(node, place, address, bytes, SITE_CACHE);
	return address;
}

/* ---- processes ---- */

static bool has_allocator(const struct place *place)
{
	return place->role == TRAINER || place->role == GROWER || place->role == JOB;
}

static void give_identity(struct node *node, const struct place *place, unsigned int index)
{
	struct rec_process process = { .start_time = node->now,
				       .parent_tgid = 1,
				       .uid = 1000 + index % 5 };
	union {
		struct rec_identity identity;
		char bytes[1024];
	} record = { .identity = { .parent_tgid = 1, .uid = 1000 + index % 5, .ns_tgid = 7 } };
	char *text = record.bytes + sizeof(record.identity), container[65] = "";
	int len;

	snprintf(process.comm, sizeof(process.comm), "%.15s", place->command);
	give(node, place, REC_PROCESS, &process, sizeof(process));
	record.identity.start_time = clock_ns(CLOCK_REALTIME);
	/* User, command, arguments, container, pod, devices. */
	if (*place->pod)
		snprintf(container, sizeof(container), "%08x%056x", node->number, index);
	len = snprintf(text, sizeof(record) - sizeof(record.identity),
		       "user%u%c/usr/bin/%s%c--batch 8%c%s%c%s%c", index % 5, 0, place->command, 0,
		       0, container, 0, place->pod, 0);
	give(node, place, REC_IDENTITY, &record, sizeof(record.identity) + (size_t)len + 1);
}

/* A request that comes and goes in each step, so that it stays the largest of the last minute. */
static void work(struct node *node, struct place *place)
{
	give_block(node, place, place->work, (int64_t)REQUEST, SITE_LAYER);
	give_block(node, place, place->work, -(int64_t)REQUEST, 0);
}

/* Segments in which every second block is free, up to a share that differs from place to place. */
static void allocator_begin(struct node *node, struct place *place, unsigned int index)
{
	unsigned int segments = 2 + index % 6, gaps = 1 + (node->number * 7 + index * 5) % 15, i, n;
	uint64_t address;

	for (i = 0; i < segments; i++) {
		address = segment_take(node, place, SEGMENT);
		for (n = 0; n < SEGMENT_PARTS; n++)
			give_block(node, place, address + n * BLOCK, (int64_t)BLOCK,
				   SITE_LAYER + (n / 2 + i) % LAYERS);
		for (n = 0; n < gaps; n++)
			give_block(node, place, address + (2 * n + 1) * BLOCK, -(int64_t)BLOCK, 0);
	}
	place->gaps = segments * gaps * BLOCK;
	place->work = segment_take(node, place, WORK);
	work(node, place);
}

static void process_begin(struct node *node, struct place *place, unsigned int index)
{
	char text[64];
	unsigned int i;

	place->program = ++node->programs;
	place->pid = 1000 + node->number % 100 * 300 + node->programs;
	place->age = 0;
	place->next = 0x100000000000;
	place->allocated = place->reserved = place->grown = place->grown_end = 0;
	give_identity(node, place, index);
	for (i = 0; i < place->kernels; i++)
		give_kernel(node, place, i);
	give_site(node, place, SITE_CACHE, SITE_IN_CACHE, "cache (libc10_cuda.so)");
	for (i = 0; i < LAYERS; i++) {
		snprintf(text, sizeof(text), "forward_%u at model.py:%u (python3)", i, 88 + i * 9);
		give_site(node, place, SITE_LAYER + i, 0, text);
	}
	give_site(node, place, SITE_GROW, 0, "append at history.py:12 (libtorch.so)");
	give_site(node, place, SITE_LEAK, 0, "keep_result+0x3b (server)");
	give_site(node, place, SITE_STEADY, 0, "load_weights+0x1f4 (server)");
	if (has_allocator(place))
		allocator_begin(node, place, index);
	else
		give_alloc(node, place, place->next += GIB, (1 + index % 4) * 256 * MIB,
			   SITE_STEADY);
}

/* What is live then has leaked. */
static void process_end(struct node *node, struct place *place)
{
	struct rec_end record = { .reason = END_EXIT, .exit_code = 0 };

	give_alloc(node, place, place->next += GIB, 3 * MIB, SITE_LEAK);
	place->leaked += 3 * MIB;
	give(node, place, REC_END, &record, sizeof(record));
}

static void count_rows(struct node *node, struct place *place)
{
	uint64_t steps = place->age + 1, launches;
	unsigned int i;

	for (i = 0; i < place->kernels; i++) {
		launches = steps * (100 + i * 7 + place->pid % 13);
		GIVE_ROW(node, place, launch, REC_LAUNCH_ROW,
			 .key = { .call = CALL_cudaLaunchKernel,
				  .device = (__s16)place->device,
				  .function = function_of(i) },
			 .row = { .launches = launches,
				  .samples = steps * 10,
				  .ns = steps * 40000,
				  .max_ns = 9000,
				  .grid = { 64, 1, 1 },
				  .block = { 256, 1, 1 },
				  .hist = { [5] = steps * 10 } });
	}
	for (i = 0; i < 4; i++)
		GIVE_ROW(node, place, copy, REC_COPY_ROW,
			 .key = { .call = i / 2 ? CALL_cudaMemcpyAsync : CALL_cudaMemcpy,
				  .direction = (__u8)(i % 2 ? DIR_D2H : DIR_H2D),
				  .mode = (__u8)(i / 2),
				  .device = (__s32)place->device },
			 .row = { .calls = steps * 10,
				  .bytes = steps * MIB * (i + 1),
				  .ns = steps * 100000,
				  .max_ns = 20000,
				  .timed_bytes = steps * MIB * (i + 1),
				  .timed_ns = steps * 100000,
				  .sizes = { [17] = steps * 10 },
				  .hist = { [7] = steps * 10 } });
	for (i = 0; i < CALLS; i++)
		GIVE_ROW(node, place, call, REC_CALL_ROW,
			 .key = { .call = (__u16)(CALL_cudaStreamSynchronize + i) },
			 .row = { .calls = steps * (5 + i),
				  .ns = steps * 5000,
				  .max_ns = 3000,
				  .hist = { [4] = steps * (5 + i) } });
	if (place->pid % 10 == 0)
		GIVE_ROW(node, place, fail, REC_FAIL_ROW,
			 .key = { .call = CALL_cudaMemcpy, .result = 1 },
			 .row = { .count = steps, .first = node->now, .last = node->now });
}

static void grow(struct node *node, struct place *place)
{
	uint64_t i;

	for (i = 0; i < place->rate / MIB; i++) {
		if (place->grown == place->grown_end) {
			place->grown = segment_take(node, place, WORK);
			place->grown_end = place->grown + WORK;
		}
		give_block(node, place, place->grown, (int64_t)MIB, SITE_GROW);
		place->grown += MIB;
	}
}

static void process_step(struct node *node, struct place *place, unsigned int index)
{
	place->age++;
	switch (place->role) {
	case TRAINER:
		work(node, place);
		if (place->age % 6 == 3 && index % 4 == 1)
			give_short(node, place);
		break;
	case GROWER:
		work(node, place);
		grow(node, place);
		break;
	case LEAKER: give_alloc(node, place, place->next += GIB, place->rate, SITE_LEAK); break;
	case JOB:
		work(node, place);
		if (place->age < JOB_STEPS)
			break;
		/* One job in three runs out of memory and exits before its first scrape. */
		if (node->programs % 3 == 0)
			give_short(node, place);
		process_end(node, place);
		process_begin(node, place, index);
		if (node->programs % 3 == 0) {
			give_short(node, place);
			process_end(node, place);
			process_begin(node, place, index);
		}
		break;
	default: break;
	}
	count_rows(node, place);
}

/* ---- the node ---- */

static uint64_t device_free(const struct node *node, unsigned int device)
{
	/* One device of each node is nearly full; no two nodes have the same left. */
	if (device == node->number % DEVICES)
		return 256 * MIB + node->number * 37 % PRIME * 4 * MIB;
	return (4 + (node->number * 11 + device * 5) % 60) * GIB;
}

static void give_readings(struct node *node, unsigned int step)
{
	struct rec_hdr begin;
	unsigned int device;

	give(node, NULL, REC_READINGS, &begin, sizeof(begin));
	for (device = 0; device < DEVICES; device++) {
		struct rec_device_reading record = {
			.used = TOTAL - device_free(node, device),
			.total = TOTAL,
			.device = (__s32)device,
			.known = READING_MEMORY | READING_UTILIZATION | READING_TEMPERATURE |
				 READING_POWER | READING_POWER_LIMIT,
			.utilization = (40 + step * 7 + device * 3) % 101,
			.temperature = 50 + (step + device) % 30,
			.power = 300000 + (step + device) % 50 * 4000,
			.power_limit = 700000,
			.name = "NVIDIA H100 80GB HBM3",
		};

		snprintf(record.uuid, sizeof(record.uuid), "GPU-%08x-0000-4000-8000-%012x",
			 node->number, device);
		give(node, NULL, REC_DEVICE_READING, &record, sizeof(record));
	}
}

static void give_moment(struct node *node, unsigned int step)
{
	struct rec_lost lost = { .total = node->lost, .cause = LOST_RING_FULL };
	struct rec_moment moment = { .self_cpu_ns = step * 3000000ull,
				     .self_resident = 30 * MIB,
				     .targets = 4,
				     .attached = 900,
				     .past_entry = 900,
				     .has_points = 1 };

	give_readings(node, step);
	give(node, NULL, REC_LOST, &lost, sizeof(lost));
	give(node, NULL, REC_MOMENT, &moment, sizeof(moment));
}

static enum role role_of(struct node *node, unsigned int index, unsigned int *jobs)
{
	if (index == 0)
		return LEAKER;
	if (index == 1)
		return TRAINER;
	if (index == 3)
		return GROWER;
	if (index == 2 || (some(node, 8) == 0 && *jobs < JOB_PLACES)) {
		++*jobs;
		return JOB;
	}
	return some(node, 3) ? TRAINER : SERVER;
}

static void node_begin(struct node *node)
{
	static const char *const commands[] = { "python3",      "torchrun", "vllm",  "tritonserver",
						"trtllm-serve", "ray",      "dask",  "llama-server",
						"faster-rcnn",  "whisper",  "namd3", "gmx" };
	unsigned int jobs = 0, i;

	node->place_count = 4 + node->number * 29 % 37;
	for (i = 0; i < node->place_count; i++) {
		struct place *place = &node->places[i];

		place->role = role_of(node, i, &jobs);
		place->device = i % DEVICES;
		place->kernels = KERNELS_LEAST + (unsigned int)some(node, KERNELS_MORE);
		place->command = commands[(node->number + i) % 12];
		/* Some have no pod. */
		if (i % 9 != 8)
			snprintf(place->pod, sizeof(place->pod), "%08x-%04x-4000-8000-000000000000",
				 node->number, i);
		if (place->role == LEAKER)
			place->rate = (1 + node->number * 53 % PRIME) * MIB;
		else if (place->role == GROWER)
			place->rate = (1 + node->number % 5) * MIB;
		process_begin(node, place, i);
	}
}

static double fragmentation_of(const struct place *place)
{
	uint64_t rest = place->grown_end - place->grown;

	return (double)(place->gaps + (rest < REQUEST ? rest : 0)) / (double)place->reserved;
}

/* What a reader of the metrics is to find, at the end of the recording. */
static void tell(const struct node *node)
{
	unsigned int i;

	for (i = 0; i < DEVICES; i++)
		printf("free %u %" PRIu64 "\n", i, device_free(node, i));
	printf("lost %" PRIu64 "\n", node->lost);
	printf("running %u\n", node->place_count);
	for (i = 0; i < node->place_count; i++) {
		const struct place *place = &node->places[i];
		const char *pod = *place->pod ? place->pod : "-";

		printf("rate %s %s %" PRIu64 "\n", pod, place->command, place->rate);
		printf("oom %s %s %" PRIu64 "\n", pod, place->command, place->short_requests);
		printf("failed %s %s %" PRIu64 "\n", pod, place->command, place->failed);
		printf("leaked %s %s %" PRIu64 "\n", pod, place->command, place->leaked);
		if (has_allocator(place))
			printf("fragmentation %s %s %.6f\n", pod, place->command,
			       fragmentation_of(place));
	}
}

int main(int argc, char **argv)
{
	struct facts facts = { .start_mono = START, .version = "0.2.0", .options = "fleet_record" };
	struct reason why = { "" };
	unsigned int seconds, pace, step, i;
	static struct node node;
	int err;

	if (argc != 5) {
		fprintf(stderr, "usage: fleet_record NODE SECONDS STEP FILE\n");
		return EXIT_FAILURE;
	}
	node.number = (unsigned int)atoi(argv[1]);
	seconds = (unsigned int)atoi(argv[2]);
	pace = (unsigned int)atoi(argv[3]);
	node.random = node.number;
	node.now = START;
	facts.start_real = clock_ns(CLOCK_REALTIME);
	facts.leak_age = 2 * pace * NSEC_PER_SEC;
	snprintf(facts.host, sizeof(facts.host), "node-%u", node.number);
	if (recorder_open(&node.recorder, argv[4], &facts, &why)) {
		fprintf(stderr, "fleet_record: %s\n", why.text);
		return EXIT_FAILURE;
	}
	node_begin(&node);
	for (step = 1; step * pace <= seconds; step++) {
		for (i = 0; i < node.place_count; i++)
			process_step(&node, &node.places[i], i);
		if (node.number % 5 == 4 && step % 8 == 0)
			node.lost += 3;
		node.now = START + step * pace * NSEC_PER_SEC;
		give_moment(&node, step);
	}
	err = recorder_close(node.recorder, NULL);
	if (err) {
		fprintf(stderr, "fleet_record: cannot write %s: %s\n", argv[4], strerror(-err));
		return EXIT_FAILURE;
	}
	tell(&node);
	return EXIT_SUCCESS;
}
