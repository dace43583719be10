/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rule is quiet on programs that do well: one that cries wolf is worse than none. So each has a
 * threshold, chosen such that recordings of ordinary programs have no finding.
 */
#include "model/findings.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "model/arena.h"
#include "model/columns.h"
#include "model/job.h"
#include "model/objects.h"
#include "model/snapshot.h"
#include "model/telling.h"
#include "model/time_shares.h"
#include "util/saturated.h"
#include "util/utf8.h"
#include "util/util.h"

#define MEMORY_MIN    (1u << 20)   /* bytes that are worth a word */
#define CACHE_MIN     (256u << 20) /* of a cache: of less, gaps do not matter */
#define FRAGMENT_MIN  0.2          /* share of what is reserved */
#define PAGEABLE_MIN  (64u << 20)  /* bytes copied */
#define FULL_FROM     0.97         /* share of a device; frameworks fill 75 to 92 % on purpose */
#define FULL_HOURS    12           /* so soon: by the morning */
#define WAIT_MIN      0.25         /* share of the time */
#define WAITS_MIN     50           /* waits */
#define LAUNCHES_PER  4            /* a wait for so many launches at most leaves the queue empty */
#define LAUNCHES_MIN  100          /* a second: it is at work, and not only importing or sleeping */
#define RETRIES_MIN   3
#define OBJECTS_PART  16 /* of what are many, one part is enough if it keeps rising */
#define LEAKED_BLOCKS 32 /* of one place: it was in a loop */
#define BEGIN_SECONDS 10 /* of a program: it imports and compiles */

#define SENTENCE_MAX 320

struct finder {
	const struct snapshot *snapshot;
	const struct snap_process *process; /* NULL: it is about a device */
	const struct snap_device *device;   /* NULL: it is about a process */
	char sentence[SENTENCE_MAX];
};

static double __attribute__((format(printf, 3, 4)))
say(struct finder *finder, double weight, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finder->sentence, sizeof(finder->sentence), format, args);
	va_end(args);
	return weight;
}

/* Two arguments, for "%s%s": where it was, if that is known. */
#define AT(place) (place)->site ? " at " : "", (place)->site ? (place)->site : ""

/* ---- what a process does ---- */

static double find_no_memory(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	const struct snap_failure *first = NULL;
	uint64_t count = 0;

	for (size_t i = 0; i < process->failure_count; i++)
		/* the same number in both layers */
		if (process->failure_list[i].code == ERROR_OUT_OF_MEMORY &&
		    !process->failure_list[i].extra.symbol) {
			first = first ? first : &process->failure_list[i];
			count += process->failure_list[i].count;
		}
	count = subtract_saturated(count, process->recovered_allocations);
	return !count ? 0 :
			say(finder, (double)count, "found no memory %" PRIu64 " time%s: %s%s%s",
			    count, count == 1 ? "" : "s",
			    snapshot_call_brief(first->call, &first->extra), AT(&first->where));
}

static double find_fault(struct finder *finder)
{
	const struct snap_process *process = finder->process;

	for (size_t i = 0; i < process->failure_count; i++) {
		const struct snap_failure *failure = &process->failure_list[i];

		if (!failure->extra.symbol && error_is_sticky(failure->code))
			return say(finder, (double)failure->count,
				   "has lost its context, and all that was in it: %s in %s%s%s",
				   failure->error,
				   snapshot_call_brief(failure->call, &failure->extra),
				   AT(&failure->where));
	}
	return 0;
}

static double find_failures(struct finder *finder)
{
	const struct snap_process *process = finder->process;

	for (size_t i = 0; i < process->failure_count; i++) {
		const struct snap_failure *failure = &process->failure_list[i];
		const char *what = failure->kernel ?
					   failure->shown ? failure->shown : failure->kernel :
					   snapshot_call_brief(failure->call, &failure->extra);

		if (!failure->extra.symbol &&
		    (failure->code == ERROR_OUT_OF_MEMORY || error_is_sticky(failure->code)))
			continue;
		return say(finder, (double)failure->count,
			   "had %" PRIu64 " failed %s%s of %s: %s%s%s", failure->count,
			   failure->kernel ? "launch" : "call",
			   failure->count == 1 ? "" :
			   failure->kernel     ? "es" :
						 "s",
			   what, failure->error, AT(&failure->where));
	}
	return 0;
}

static double find_frees(struct finder *finder)
{
	const struct snap_process *process = finder->process;

	return !process->double_frees ?
		       0 :
		       say(finder, (double)process->double_frees,
			   "freed memory again that was free already, %" PRIu64 " time%s",
			   process->double_frees, process->double_frees == 1 ? "" : "s");
}

/* The site of @list with the most of what @bytes_of() says. NULL: none has any. */
static const struct snap_site *site_most(const struct snap_site *list, size_t count,
					 uint64_t (*bytes_of)(const struct snap_site *site))
{
	const struct snap_site *most = NULL;

	for (size_t i = 0; i < count; i++)
		if (bytes_of(&list[i]) && (!most || bytes_of(&list[i]) > bytes_of(most)))
			most = &list[i];
	return most;
}

static uint64_t suspect_of(const struct snap_site *site)
{
	return site->suspect;
}

/* What a program still has in hand when it ends does no harm; many blocks of one place do. */
static uint64_t leaked_of(const struct snap_site *site)
{
	return site->left_blocks >= LEAKED_BLOCKS ? site->leaked : 0;
}

static uint64_t held_of(const struct snap_site *site)
{
	return site->held_rising;
}

static uint64_t host_of(const struct snap_site *site)
{
	return site->host.suspect ? site->host.suspect : site->host.left;
}

/* "320M of tensors, since 14:02 32M a minute, at SITE": the figure first, if the line is cut */
static void say_rising(struct finder *finder, const struct snap_site *site, const char *of)
{
	uint64_t since = site->suspect_since, now = finder->snapshot->time;
	time_t seconds = (time_t)(since / NSEC_PER_SEC);
	char clock[16], rate[64] = "";
	struct tm tm;

	if (since && now > since && localtime_r(&seconds, &tm) &&
	    strftime(clock, sizeof(clock), "%H:%M", &tm))
		snprintf(rate, sizeof(rate), ", since %s %s a minute,", clock,
			 size_of((double)site->suspect * 60e9 / (double)(now - since)).text);
	say(finder, 0, "seems to leak %s%s%s at %s", size_of((double)site->suspect).text, of, rate,
	    site->site);
}

static double find_rising(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	const struct snap_site *site = site_most(process->sites, process->site_count, suspect_of);

	if (process->exited || process->suspect < MEMORY_MIN || !site)
		return 0;
	say_rising(finder, site, "");
	return (double)process->suspect;
}

static double find_leaked(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	const struct snap_site *site = site_most(process->sites, process->site_count, leaked_of);

	if (process->leaked < MEMORY_MIN || !site)
		return 0;
	return say(finder, (double)process->leaked,
		   "left %s behind that it never freed, %s of it at %s",
		   size_of((double)process->leaked).text,
		   site->leaked == process->leaked ? "all" : size_of((double)site->leaked).text,
		   site->site);
}

static double find_held(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	const struct snap_site *site = site_most(process->sites, process->site_count, held_of);

	if (process->held_rising < MEMORY_MIN || !site)
		return 0;
	return say(finder, (double)process->held_rising,
		   "made %s hold more and more, %s until its end: at %s",
		   site->holder ? site->holder : "a library",
		   size_of((double)process->held_rising).text, site->site);
}

static double find_pinned(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	uint64_t bytes = process->exited ? process->host_left : process->host_suspect;
	const struct snap_site *site = site_most(process->sites, process->site_count, host_of);

	if (bytes < MEMORY_MIN || !site)
		return 0;
	return say(finder, (double)bytes,
		   process->exited ? "left %s of pinned host memory behind, most at %s" :
				     "seems to leak %s of pinned host memory, most at %s",
		   size_of((double)bytes).text, site->site);
}

static double find_tensors(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	char of[16];

	if (process->tensors_rising < MEMORY_MIN)
		return 0;
	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];
		const struct snap_site *site =
			site_most(allocator->sites, allocator->site_count, suspect_of);

		if (!allocator->rising || !site)
			continue;
		snprintf(of, sizeof(of), " of %s", allocator->noun);
		say_rising(finder, site, of);
		return (double)process->tensors_rising;
	}
	return 0;
}

/* As many of a kind as the log tells of: programs warm up. */
static double object_weight(const struct snap_object_site *site)
{
	for (size_t kind = 0; kind < OBJECT_KIND_COUNT; kind++)
		if (!strcmp(site->kind, object_descs[kind].name))
			return (double)site->rising * OBJECTS_PART / object_descs[kind].many;
	return 0;
}

static double find_objects(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	const struct snap_object_site *most = NULL;

	for (size_t i = 0; i < process->graph_site_count + process->object_site_count; i++) {
		const struct snap_object_site *site =
			i < process->graph_site_count ?
				&process->graph_sites[i] :
				&process->object_sites[i - process->graph_site_count];

		if (object_weight(site) >= (most ? object_weight(most) : 1))
			most = site;
	}
	return !most ? 0 :
		       say(finder, object_weight(most),
			   "%s more and more %s at %s%s: %s%" PRIu64 " %s live, %" PRIu64
			   " more than at first",
			   process->exited ? "made" : "makes", most->plural, most->where.site,
			   process->exited ? " until its end" : "",
			   process->inexact || process->from_attach ? "at least " : "", most->live,
			   process->exited ? "were" : "are", most->rising);
}

static double find_gaps(struct finder *finder)
{
	const struct snap_process *process = finder->process;

	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];
		uint64_t cache = subtract_saturated(allocator->reserved, allocator->allocated);

		if (cache >= CACHE_MIN && allocator->fragmentation >= FRAGMENT_MIN)
			return say(
				finder, allocator->fragmentation * (double)allocator->reserved,
				"the cache of %s has %s, but %.0f %% of what it took from CUDA lies in gaps that are too small for its requests",
				allocator->name, size_of((double)cache).text,
				100 * allocator->fragmentation);
	}
	return 0;
}

static double find_retries(struct finder *finder)
{
	uint64_t count = finder->process->recovered_allocations;

	return count < RETRIES_MIN ?
		       0 :
		       say(finder, (double)count,
			   "found no memory at first %" PRIu64
			   " times, and got it after its cache was emptied, which takes long",
			   count);
}

static double find_pageable(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	const struct snap_copy *most = NULL;

	for (size_t i = 0; i < process->copy_count; i++)
		if (process->copies[i].pageable && process->copies[i].bytes >= PAGEABLE_MIN &&
		    (!most || process->copies[i].bytes > most->bytes))
			most = &process->copies[i];
	return !most ? 0 :
		       say(finder, (double)most->bytes,
			   "made asynchronous %s copies, %s in all, of pageable host memory, for which the program waits: pin it",
			   copy_direction_names[most->direction],
			   size_of((double)most->bytes).text);
}

static double find_waits(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	const struct snap_time *time = &process->time;
	const struct snap_wait_site none = { .call = CALL_COUNT }, *where;
	const struct snap_call *most = NULL;
	uint64_t waits = 0, launches;
	double share;

	if (!time->is_known || !(time->wall_seconds > 0))
		return 0;
	share = time->seconds[TIME_SYNC] / time->wall_seconds;
	for (size_t i = 0; i < process->call_count; i++) {
		const struct snap_call *call = &process->call_list[i];

		if (call->extra.symbol || call_descs[call->call].class != CLASS_SYNC)
			continue;
		waits += call->calls;
		most = !most || call->seconds > most->seconds ? call : most;
	}
	where = process->wait_site_count ? process->wait_sites : &none;
	launches = add_saturated(process->launches, process->graph_launches);
	if (share < WAIT_MIN || waits < WAITS_MIN || !most || launches > LAUNCHES_PER * waits)
		return 0;
	return say(
		finder, share,
		"waits %.0f %% of its time, most in %s%s%s, once for every %.1f launches: the GPU idles until the next",
		100 * share, call_name(where == &none ? most->call : where->call), AT(&where->at),
		(double)launches / (double)waits);
}

static double find_time(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	char verdict[VERDICT_TEXT];
	double busy;

	if (!(process->launches_per_second >= LAUNCHES_MIN) ||
	    !(process->time.wall_seconds >= BEGIN_SECONDS) ||
	    time_verdict(finder->snapshot, process, &busy) == VERDICT_BUSY ||
	    !*time_verdict_text(finder->snapshot, process, verdict))
		return 0;
	return say(finder, 1 - busy, "keeps its GPU waiting: %s", verdict);
}

static double find_cost(struct finder *finder)
{
	static const char *const what[SPARE_COUNT] = {
		[SPARE_BLOCKS] = "allocators' blocks",
		[SPARE_CALLS] = "plain calls",
		[SPARE_LAUNCHES] = "launches but for one second of several",
	};
	const struct snap_process *process = finder->process;
	size_t len = 0, size = sizeof(finder->sentence);
	const char *before = "";

	if (!snapshot_is_spared(process))
		return 0;
	if (!isnan(process->cost))
		len = (size_t)snprintf(finder->sentence, size,
				       "pays %.0f %% for being watched: ", 100 * process->cost);
	len += (size_t)snprintf(finder->sentence + len, size - len, "not watched are its ");
	for (int kind = 0; kind < SPARE_COUNT; kind++) {
		if (!process->given_up[kind])
			continue;
		len += (size_t)snprintf(finder->sentence + len, size - len, "%s%s", before,
					what[kind]);
		before = ", ";
	}
	return 1;
}

/* ---- devices ---- */

static double find_full(struct finder *finder)
{
	const struct snap_device *device = finder->device;
	uint64_t used = device->has_used ? device->used : device->tracked;
	double share = device->total ? (double)used / (double)device->total : 0;
	const struct snap_device_use *most = device->use_count ? device->uses : NULL;

	if (share < FULL_FROM)
		return 0;
	say(finder, 0, "%.0f %% of its %s are in use", 100 * share,
	    size_of((double)device->total).text);
	if (most) {
		size_t len = strlen(finder->sentence);

		snprintf(finder->sentence + len, sizeof(finder->sentence) - len,
			 ", %s of it by %s (%u)", size_of((double)device_use_bytes(most)).text,
			 *most->command ? command_basename(most->command) : "process", most->pid);
	}
	return share;
}

/* Bytes a minute by which @site rises on @device. */
static double rate_of(const struct finder *finder, const struct snap_process *process,
		      const struct snap_site *site)
{
	int device = site->device;
	uint64_t now = finder->snapshot->time;

	if (device == CUTOP_DEVICE_UNKNOWN && process->device_count == 1)
		device = process->devices[0];
	if (device != finder->device->device || !site->suspect_since || now <= site->suspect_since)
		return 0;
	return (double)site->suspect * 60e9 / (double)(now - site->suspect_since);
}

/* Until the device is full, in minutes, if what rises there goes on so. */
static double find_filling(struct finder *finder)
{
	const struct snapshot *snapshot = finder->snapshot;
	const struct snap_device *device = finder->device;
	uint64_t used = device->has_used ? device->used : device->tracked;
	const struct snap_process *most = NULL;
	const struct snap_site *where = NULL;
	double sum = 0, largest = 0, minutes;

	for (size_t i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		for (size_t j = 0; j < process->site_count && !process->exited; j++) {
			double rate = rate_of(finder, process, &process->sites[j]);

			sum += rate;
			if (rate <= largest)
				continue;
			largest = rate;
			most = process;
			where = &process->sites[j];
		}
	}
	minutes = (double)subtract_saturated(device->total, used) / sum;
	if (!most || !device->total || minutes > FULL_HOURS * 60)
		return 0;
	say(finder, 0, "will be full in %.0f %s at this rate: %s a minute, most by %s (%u) at %s",
	    minutes < 120 ? minutes : minutes / 60, minutes < 120 ? "minutes" : "hours",
	    size_of(sum).text, command_basename(most->command), most->pid, where->site);
	return FULL_HOURS * 60 + 1 - minutes;
}

/* ---- the rules ---- */

static const struct rule {
	const char *name;
	enum finding_about about;
	enum event_tone tone;
	bool of_device;
	/* Writes the sentence and returns its weight among those of this rule, 0: nothing is found */
	double (*find)(struct finder *finder);
	const char *when, *why; /* it finds something; that matters, and what helps */
} rules[] = {
	/* Worst first */
	{ "fault", FINDING_FAILURES, TONE_FAILURE, false, find_fault,
	  "a call returned an error after which all others fail",
	  "After such an error every call of the process fails. The kernel that made it ran earlier: the log lists those that may have." },
	{ "out-of-memory", FINDING_FAILURES, TONE_FAILURE, false, find_no_memory,
	  "an allocation found no memory, nor got it when it was tried again at once",
	  "An allocation failed for good. The log says who held the memory of the device then, and by which lines." },
	{ "double-free", FINDING_FAILURES, TONE_FAILURE, false, find_frees,
	  "memory was freed that was free already",
	  "The address may have belonged to another block by then. The log has each place." },
	{ "rising", FINDING_SITES, TONE_LEAK, false, find_rising, "1 MiB or more is suspect",
	  "The least that was live there in each window of --leak-age has risen three times in a row: more is allocated there than is freed." },
	{ "rising-tensors", FINDING_SITES, TONE_LEAK, false, find_tensors,
	  "1 MiB or more of tensors or blocks are rising",
	  "The same of what a framework's allocator hands out: something keeps them, as a list of losses that were not detached does." },
	{ "nearly-full", FINDING_DEVICE, TONE_NOTICE, true, find_full,
	  "97 % or more of a device are in use",
	  "The next large allocation of any process will find no memory." },
	{ "filling", FINDING_DEVICE, TONE_NOTICE, true, find_filling,
	  "what is suspect on a device fills it within 12 hours, at the rate at which it has risen so far",
	  "Then allocations of all programs there find no memory. The finding \"rising\" of the same program leads to its lines." },
	{ "failures", FINDING_FAILURES, TONE_FAILURE, false, find_failures,
	  "any other call failed; what is an answer is none",
	  "A launch or call that fails does nothing, and its result is often not looked at." },
	{ "leaked", FINDING_SITES, TONE_LEAK, false, find_leaked,
	  "1 MiB or more leaked, and 32 blocks or more from one place",
	  "Dozens of blocks from one place were never freed: a program that runs longer would lose more." },
	{ "rising-held", FINDING_SITES, TONE_LEAK, false, find_held,
	  "1 MiB or more of what a library holds rose until the end",
	  "A library keeps what it allocated for a handle until that is destroyed: one handle for each call, or thread, adds up." },
	{ "pinned", FINDING_SITES, TONE_LEAK, false, find_pinned,
	  "1 MiB or more of pinned host memory is suspect, or was left at the end",
	  "Pinned memory is taken from the host, and cannot be swapped out." },
	{ "retries", FINDING_FAILURES, TONE_NOTICE, false, find_retries,
	  "3 allocations or more found memory only when they were tried again",
	  "To empty its cache the allocator waits for the device and frees what it will soon need again: a smaller batch is faster." },
	{ "objects", FINDING_SITES, TONE_LEAK, false, find_objects,
	  "the number of live objects of one line keeps rising, by 64 events, 16 modules, 8 streams or graphs, or a context",
	  "Graphs, streams, events, modules and contexts cost memory that no allocation shows: make them once, or destroy them." },
	{ "gaps", FINDING_MEMORY, TONE_NOTICE, false, find_gaps,
	  "20 % or more of what is reserved lies in such gaps, of a cache of 256 MiB or more",
	  "Memory that no other process gets, nor the next large request. PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True joins the gaps; where that is on, torch.cuda.empty_cache() gives their pages back. max_split_size_mb, or fewer sizes of requests, keep them few." },
	{ "waits", FINDING_CALLS, TONE_NOTICE, false, find_waits,
	  "25 % or more of the time is spent waiting, in 50 waits or more, with 4 launches or fewer for each",
	  "The GPU works through a queue of launches, which each wait empties: wait once for many, or use events." },
	{ "idle", FINDING_CALLS, TONE_NOTICE, false, find_time,
	  "the devices are mostly idle, of a process that has run for 10 s and launches 100 kernels a second or more",
	  "What the program does between its calls decides how fast it is: loading data, Python, the host's part of the work." },
	{ "pageable", FINDING_COPIES, TONE_NOTICE, false, find_pageable,
	  "64 MiB or more were copied so",
	  "The driver copies such memory to a pinned buffer first, at a half to a fifth of the bandwidth, and the call returns only then: cudaMallocHost(), pin_memory=True." },
	{ "cost", FINDING_CALLS, TONE_NOTICE, false, find_cost,
	  "less is watched of a process than asked for, to keep within --budget",
	  "Its figures of these are lower bounds (≥), or estimates (~). COST% says what watching costs, --budget 0 watches all, a higher one more. What was given up is taken back when there is room." },
};

struct found {
	struct snap_finding finding; /* without its text */
	const struct snap_process *process;
	double weight;
	char sentence[SENTENCE_MAX];
};

struct found_list {
	struct found list[FINDINGS_MAX];
	size_t count, omitted;
};

/* The program that uses most of @device; 0: it is not watched, or there is none. */
static uint32_t first_user(const struct snap_device *device)
{
	return device->use_count ? device->uses[0].program : 0;
}

/*
 * Of a job one finding of a rule stands for all: the heaviest. Returns false if that of @process need
 * not be added; else takes one that is lighter away, and says in *@others for how many it stood.
 */
static bool found_join(struct found_list *all, const struct rule *rule,
		       const struct snap_process *process, double weight, size_t *others)
{
	for (size_t i = 0; process && i < all->count; i++) {
		struct found *found = &all->list[i];

		if (found->finding.rule != rule->name || !job_has(process) ||
		    !job_has(found->process) || job_order(process, found->process))
			continue;
		if (weight <= found->weight) {
			found->finding.others++;
			return false;
		}
		*others = found->finding.others + 1;
		all->count--;
		memmove(found, found + 1, (all->count - i) * sizeof(*found));
		return true;
	}
	return true;
}

/* Rules are looked at in their order: a finding is worse than those before it only in its own. */
static void found_add(struct found_list *all, const struct finder *finder, const struct rule *rule,
		      double weight)
{
	const struct snap_process *process = finder->process;
	size_t i, others = 0;

	if (!found_join(all, rule, process, weight, &others))
		return;
	i = all->count;
	while (i && all->list[i - 1].finding.rule == rule->name && all->list[i - 1].weight < weight)
		i--;
	if (i == FINDINGS_MAX || all->count == FINDINGS_MAX)
		all->omitted++;
	if (i == FINDINGS_MAX)
		return;
	all->count += all->count < FINDINGS_MAX;
	memmove(all->list + i + 1, all->list + i, (all->count - 1 - i) * sizeof(all->list[0]));
	all->list[i] = (struct found){
		.finding = { .rule = rule->name,
			     .when = rule->when,
			     .why = rule->why,
			     .about = rule->about,
			     .tone = rule->tone,
			     .program = process ? process->program : first_user(finder->device),
			     .pid = process ? process->pid : 0,
			     .command = process ? process->command : NULL,
			     .others = others,
			     .device = process ? CUTOP_DEVICE_UNKNOWN : finder->device->device },
		.process = process,
		.weight = weight,
	};
	memcpy(all->list[i].sentence, finder->sentence, sizeof(finder->sentence));
}

static void rule_apply(const struct rule *rule, const struct snapshot *snapshot,
		       struct found_list *all)
{
	size_t i, count = rule->of_device ? snapshot->device_count : snapshot->process_count;

	for (i = 0; i < count; i++) {
		struct finder finder = {
			.snapshot = snapshot,
			.process = rule->of_device ? NULL : &snapshot->processes[i],
			.device = rule->of_device ? &snapshot->devices[i] : NULL,
		};
		double weight = rule->find(&finder);

		if (weight > 0)
			found_add(all, &finder, rule, weight);
	}
}

int findings_find(struct snapshot *snapshot, struct arena *arena)
{
	struct found_list all = { .count = 0 };
	char text[SENTENCE_MAX + 48], others[48];
	size_t i;

	for (i = 0; i < ARRAY_LEN(rules); i++)
		rule_apply(&rules[i], snapshot, &all);
	snapshot->findings = arena_alloc(arena, all.count, sizeof(*snapshot->findings));
	if (!snapshot->findings)
		return -ENOMEM;
	for (i = 0; i < all.count; i++) {
		struct snap_finding *finding = &snapshot->findings[i];

		*finding = all.list[i].finding;
		/* A long name is cut, maybe inside a character. */
		utf8_clean(all.list[i].sentence, text, SENTENCE_MAX);
		snprintf(others, sizeof(others), "; %zu more of its job, too", finding->others);
		strcat(text, finding->others ? others : "");
		finding->text = arena_string(arena, text);
		if (!finding->text)
			return -ENOMEM;
	}
	snapshot->finding_count = all.count;
	snapshot->findings_omitted = all.omitted;
	return 0;
}

bool findings_rule(size_t i, const char **name, const char **when, const char **why)
{
	if (i >= ARRAY_LEN(rules))
		return false;
	*name = rules[i].name;
	*when = rules[i].when;
	*why = rules[i].why;
	return true;
}
