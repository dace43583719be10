/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong, in a sentence: each rule on a snapshot that has it, and on one that just has not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "model/arena.h"
#include "model/findings.h"
#include "util/utf8.h"
#include "util/util.h"

#define NOON     (1792670400ull * NSEC_PER_SEC)
#define SITE     "step at step.cu:40"
#define PROGRAMS 16

static struct snapshot snapshot;
static struct snap_process processes[PROGRAMS];
static struct snap_process *const process = &processes[0];
static struct snap_device device;
static struct snap_device_use use;
static struct snap_failure failures[2];
static struct snap_site site;
static struct snap_allocator allocator;
static struct snap_copy copy;
static struct snap_call call;
static struct snap_wait_site wait;
static struct snap_object_site object;
static struct arena *arena;
static int used_devices[1];

static void setup(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	arena = arena_new();
	memset(&snapshot, 0, sizeof(snapshot));
	memset(processes, 0, sizeof(processes));
	memset(failures, 0, sizeof(failures));
	snapshot.time = NOON;
	snapshot.processes = processes;
	snapshot.process_count = 1;
	snapshot.devices = &device;
	for (size_t i = 0; i < PROGRAMS; i++) {
		processes[i].program = (uint32_t)i + 1;
		processes[i].pid = 100 + (uint32_t)i;
		processes[i].command = "trainer";
		processes[i].launches_per_second = NAN;
	}
	use = (struct snap_device_use){
		.pid = 100, .command = "/opt/trainer", .has_used = true, .used = 70ull << 30
	};
	device = (struct snap_device){ .device = 3,
				       .total = 80ull << 30,
				       .has_used = true,
				       .utilization = NAN,
				       .uses = &use,
				       .use_count = 1 };
	site = (struct snap_site){ .site = SITE, .allocations = 100, .allocated = 100 * MIB };
	allocator = (struct snap_allocator){ .name = "pytorch",
					     .noun = "tensors",
					     .fragmentation = NAN,
					     .sites = &site,
					     .site_count = 1 };
	copy = (struct snap_copy){ .direction = DIR_H2D, .mode = COPY_ASYNC, .pageable = true };
	call = (struct snap_call){ .call = CALL_cudaDeviceSynchronize };
	wait = (struct snap_wait_site){ .at = { .site = SITE },
					.call = CALL_cudaDeviceSynchronize };
	object = (struct snap_object_site){
		.kind = "event", .plural = "events", .live = 1200, .where = { .site = SITE }
	};
}

static void teardown(void)
{
	arena_free(arena);
}

FIXTURE(setup, teardown);

/* Of a rule: what it finds, and how much of it is too little. */
static void failed(uint16_t which, int code, const char *error, uint64_t count)
{
	failures[0] = (struct snap_failure){ .call = which,
					     .code = code,
					     .error = error,
					     .count = count,
					     .where = { .site = SITE } };
	process->failure_list = failures;
	process->failure_count = count != 0;
}

static void no_memory(bool enough)
{
	failed(CALL_cudaMalloc, 2, "cudaErrorMemoryAllocation", 2);
	process->recovered_allocations = enough ? 0 : 2;
}

static void fault(bool enough)
{
	failed(CALL_cudaMemcpy, 700, "cudaErrorIllegalAddress", enough);
}

static void failed_launch(bool enough)
{
	failed(CALL_cudaLaunchKernel, 9, "cudaErrorInvalidConfiguration", enough ? 198 : 0);
	failures[0].kernel = "scale";
}

static void double_free(bool enough)
{
	process->double_frees = enough;
}

static void rising(bool enough)
{
	site.suspect = process->suspect = enough ? 320 * MIB : MIB - 1;
	site.suspect_since = NOON - 600 * NSEC_PER_SEC;
	process->sites = &site;
	process->site_count = 1;
}

static void rising_tensors(bool enough)
{
	site.suspect = allocator.rising = process->tensors_rising = enough ? 32 * MIB : MIB - 1;
	process->allocators = &allocator;
	process->allocator_count = 1;
}

static void full(bool enough)
{
	device.used = enough ? 79ull << 30 : 77ull << 30;
	snapshot.device_count = 1;
}

/* 2 GiB a minute, of which the process's sum is kept small: else it is "rising", too */
static void filling(bool enough)
{
	site.suspect = 20ull << 30;
	site.suspect_since = NOON - 600 * NSEC_PER_SEC;
	site.device = enough ? 3 : 2;
	process->sites = &site;
	process->site_count = 1;
	device.used = 56ull << 30;
	snapshot.device_count = 1;
}

static void leaked(bool enough)
{
	process->exited = true;
	process->leaked = site.leaked = 40 * MIB;
	site.left_blocks = enough ? 32 : 31;
	process->sites = &site;
	process->site_count = 1;
}

static void rising_held(bool enough)
{
	process->held_rising = site.held_rising = enough ? 40 * MIB : MIB - 1;
	site.holder = "libcublas.so.13";
	process->sites = &site;
	process->site_count = 1;
}

static void pinned(bool enough)
{
	process->host_suspect = site.host.suspect = enough ? 40 * MIB : MIB - 1;
	process->sites = &site;
	process->site_count = 1;
}

static void retries(bool enough)
{
	process->recovered_allocations = enough ? 3 : 2;
}

static void objects(bool enough)
{
	object.rising = enough ? 968 : 63;
	process->object_sites = &object;
	process->object_site_count = 1;
}

static void gaps(bool enough)
{
	allocator.reserved = 600 * MIB;
	allocator.allocated = 146 * MIB;
	allocator.fragmentation = enough ? 0.34 : 0.19;
	process->allocators = &allocator;
	process->allocator_count = 1;
}

static void waits(bool enough)
{
	process->time.is_known = true;
	process->time.wall_seconds = 100;
	process->time.seconds[TIME_SYNC] = 36;
	process->call_list = &call;
	process->call_count = 1;
	process->wait_sites = &wait;
	process->wait_site_count = 1;
	call.calls = 1000;
	/* One that waits once for a whole step has filled the queue before. */
	process->launches = enough ? 2000 : 4001;
}

static void idle(bool enough)
{
	process->time.is_known = true;
	process->time.wall_seconds = 100;
	process->time.share[TIME_NONE] = 0.9;
	process->launches_per_second = enough ? 500 : 99;
	process->devices = used_devices;
	process->device_count = 1;
	used_devices[0] = 3;
	device.utilization = 0.12;
	snapshot.device_count = 1;
}

static void pageable(bool enough)
{
	copy.bytes = enough ? 270 * MIB : 63 * MIB;
	process->copies = &copy;
	process->copy_count = 1;
}

static void cost(bool enough)
{
	process->cost = 0.38;
	process->given_up[SPARE_BLOCKS] = process->given_up[SPARE_LAUNCHES] = enough ? NOON : 0;
	process->given_ever = ~0u;
}

static const struct {
	const char *rule;
	void (*make)(bool enough);
	const char *text;
} rules[] = {
	{ "fault", fault,
	  "has lost its context, and all that was in it: cudaErrorIllegalAddress in cudaMemcpy at " SITE },
	{ "out-of-memory", no_memory, "found no memory 2 times: cudaMalloc at " SITE },
	{ "double-free", double_free, "freed memory again that was free already, 1 time" },
	{ "rising", rising, "seems to leak 320M, since 11:50 32.0M a minute, at " SITE },
	{ "rising-tensors", rising_tensors, "seems to leak 32.0M of tensors at " SITE },
	{ "nearly-full", full, "99 % of its 80.0G are in use, 70.0G of it by trainer (100)" },
	{ "filling", filling,
	  "will be full in 12 minutes at this rate: 2.0G a minute, most by trainer (100) at " SITE },
	{ "failures", failed_launch,
	  "had 198 failed launches of scale: cudaErrorInvalidConfiguration at " SITE },
	{ "leaked", leaked, "left 40.0M behind that it never freed, all of it at " SITE },
	{ "rising-held", rising_held,
	  "made libcublas.so.13 hold more and more, 40.0M until its end: at " SITE },
	{ "pinned", pinned, "seems to leak 40.0M of pinned host memory, most at " SITE },
	{ "retries", retries,
	  "found no memory at first 3 times, and got it after its cache was emptied, which takes long" },
	{ "objects", objects,
	  "makes more and more events at " SITE ": 1200 are live, 968 more than at first" },
	{ "gaps", gaps,
	  "the cache of pytorch has 454M, but 34 % of what it took from CUDA lies in gaps that are too small for its requests" },
	{ "waits", waits,
	  "waits 36 % of its time, most in cudaDeviceSynchronize at " SITE
	  ", once for every 2.0 launches: the GPU idles until the next" },
	{ "idle", idle,
	  "keeps its GPU waiting: the GPU is mostly idle (12%) while the program is outside CUDA calls: CPU-bound" },
	{ "pageable", pageable,
	  "made asynchronous H2D copies, 270M in all, of pageable host memory, for which the program waits: pin it" },
	{ "cost", cost,
	  "pays 38 % for being watched: not watched are its allocators' blocks, launches but for one second of several" },
};

TEST_LOOP(a_rule_finds, ARRAY_LEN(rules))
{
	const struct snap_finding *finding;

	rules[_i].make(true);
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_int_eq(snapshot.finding_count, 1);
	finding = &snapshot.findings[0];
	ck_assert_str_eq(finding->rule, rules[_i].rule);
	ck_assert_str_eq(finding->text, rules[_i].text);
	if (rules[_i].make == full || rules[_i].make == filling) {
		ck_assert_int_eq(finding->device, 3);
		ck_assert_int_eq(finding->pid, 0);
	} else {
		ck_assert_int_eq(finding->pid, 100);
		ck_assert_str_eq(finding->command, "trainer");
	}
}

TEST_LOOP(a_rule_is_quiet, ARRAY_LEN(rules))
{
	rules[_i].make(false);
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_msg(!snapshot.finding_count, "%s: %s", rules[_i].rule,
		      snapshot.finding_count ? snapshot.findings[0].text : "");
}

/* At a slower rate it takes hours, or longer than anyone would wait for. */
TEST(a_device_fills_slowly)
{
	filling(true);
	site.device = CUTOP_DEVICE_UNKNOWN;
	process->devices = used_devices;
	process->device_count = 1;
	used_devices[0] = 3;
	site.suspect /= 20;
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_int_eq(snapshot.finding_count, 1);
	ck_assert_ptr_nonnull(strstr(snapshot.findings[0].text, "full in 4 hours at this rate"));
	site.suspect /= 4;
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_int_eq(snapshot.finding_count, 0);
	process->exited = true;
	site.suspect *= 80;
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_int_eq(snapshot.finding_count, 0);
}

/* The call and the place are those of one another, whichever call took longest in all. */
TEST(waits_have_the_call_of_their_place)
{
	waits(true);
	wait.call = CALL_cudaStreamSynchronize;
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_ptr_nonnull(
		strstr(snapshot.findings[0].text, "most in cudaStreamSynchronize at " SITE));
}

TEST(objects_of_a_program_that_ended)
{
	objects(true);
	process->exited = true;
	process->graph_sites = &object;
	process->graph_site_count = 1;
	process->object_site_count = 0;
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_int_eq(snapshot.finding_count, 1);
	ck_assert_str_eq(snapshot.findings[0].text,
			 "made more and more events at " SITE
			 " until its end: 1200 were live, 968 more than at first");
	process->from_attach = true;
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_ptr_nonnull(strstr(snapshot.findings[0].text, ": at least 1200 were live"));
}

/* A name that does not fit is cut between characters. */
TEST(a_long_name_is_cut_whole)
{
	char name[1001];
	int32_t point;
	size_t len;

	for (size_t shift = 0; shift < 2; shift++) {
		memset(name, 'x', sizeof(name));
		for (size_t i = shift; i + 2 < sizeof(name); i += 2)
			memcpy(name + i, "é", 2);
		name[sizeof(name) - 1] = 0;
		rising(true);
		site.site = name;
		ck_assert_int_eq(findings_find(&snapshot, arena), 0);
		ck_assert_int_eq(snapshot.finding_count, 1);
		for (const char *at = snapshot.findings[0].text; *at; at += len) {
			len = utf8_next(at, &point);
			ck_assert_int_ge(point, 0);
		}
	}
}

/* Of a job one sentence stands for all: that of the heaviest. */
TEST(a_job_has_one_sentence)
{
	static struct snap_failure many[PROGRAMS];

	snapshot.process_count = 5;
	for (size_t i = 0; i < 5; i++) {
		processes[i].brief = i == 4 ? "other" : "python3 rank.py";
		processes[i].parent_pid = 77;
		many[i] = (struct snap_failure){ .error = "cudaErrorInvalidConfiguration",
						 .code = 9,
						 .kernel = "scale",
						 .where.site = SITE,
						 .count = i == 2 ? 50 : 10 + i };
		processes[i].failure_list = &many[i];
		processes[i].failure_count = 1;
	}
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_uint_eq(snapshot.finding_count, 2);
	ck_assert_str_eq(snapshot.findings[0].text,
			 "had 50 failed launches of scale: cudaErrorInvalidConfiguration at " SITE
			 "; 3 more of its job, too");
	ck_assert_uint_eq(snapshot.findings[0].pid, 102);
	ck_assert_uint_eq(snapshot.findings[0].others, 3);
	ck_assert_uint_eq(snapshot.findings[1].pid, 104);
	ck_assert_uint_eq(snapshot.findings[1].others, 0);
	ck_assert_uint_eq(snapshot.findings_omitted, 0);
}

/* Ten at most; of one rule the heaviest, and worse rules before others. */
TEST(the_worst_are_kept)
{
	pageable(true);
	for (size_t i = 0; i < PROGRAMS; i++)
		processes[i].double_frees = 1 + i % 8;
	processes[5].copies = &copy;
	processes[5].copy_count = 1;
	snapshot.process_count = 7;
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_int_eq(snapshot.finding_count, 9);
	ck_assert_int_eq(snapshot.findings[0].pid, 106);
	ck_assert_int_eq(snapshot.findings[6].pid, 100);
	ck_assert_str_eq(snapshot.findings[7].rule, "pageable");
	ck_assert_int_eq(snapshot.findings_omitted, 0);
	snapshot.process_count = PROGRAMS;
	ck_assert_int_eq(findings_find(&snapshot, arena), 0);
	ck_assert_int_eq(snapshot.finding_count, FINDINGS_MAX);
	ck_assert_int_eq(snapshot.findings_omitted, PROGRAMS + 2 - FINDINGS_MAX);
	ck_assert_int_eq(snapshot.findings[0].pid, 107);
	ck_assert_int_eq(snapshot.findings[1].pid, 115);
	ck_assert_int_eq(snapshot.findings[9].pid, 111);
}
