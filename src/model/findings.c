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
#include "model/snapshot.h"
#include "model/telling.h"
#include "model/time_shares.h"
#include "util/saturated.h"
#include "util/util.h"

#define MEMORY_MIN    (1u << 20)   /* bytes that are worth a word */
#define CACHE_MIN     (256u << 20) /* of a cache: of less, gaps do not matter */
#define FRAGMENT_MIN  0.2          /* share of what is reserved */
#define PAGEABLE_MIN  (64u << 20)  /* bytes copied */
#define FULL_FROM     0.97         /* share of a device; frameworks fill 75 to 92 % on purpose */
#define WAIT_MIN      0.25         /* share of the time */
#define WAITS_MIN     50           /* waits */
#define LAUNCHES_PER  4            /* a wait for so many launches at most leaves the queue empty */
#define LAUNCHES_MIN  100          /* a second: it is at work, and not only importing or sleeping */
#define RETRIES_MIN   3
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

struct size_text {
	char text[16];
};

static struct size_text size_of(double bytes)
{
	struct size_text size;

	format_bytes(bytes, size.text, sizeof(size.text));
	return size;
}

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
		return say(finder, (double)failure->count, "%s%s failed %" PRIu64 " time%s: %s%s%s",
			   failure->kernel ? "the launch of " : "", what, failure->count,
			   failure->count == 1 ? "" : "s", failure->error, AT(&failure->where));
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

/*
 * What a program still has in hand when it ends does no harm; many blocks of one place do. How many
 * leaked is not known of a site: about as many as fit.
 */
static uint64_t leaked_of(const struct snap_site *site)
{
	double size = (double)site->allocated / (double)site->allocations;

	return (double)site->leaked >= LEAKED_BLOCKS * size ? site->leaked : 0;
}

static uint64_t held_of(const struct snap_site *site)
{
	return site->held_rising;
}

static uint64_t host_of(const struct snap_site *site)
{
	return site->host.suspect ? site->host.suspect : site->host.left;
}

/* " since 14:02, 32M a minute", if that is known */
static void say_since(struct finder *finder, const struct snap_site *site)
{
	uint64_t since = site->suspect_since, now = finder->snapshot->time;
	size_t used = strlen(finder->sentence);
	time_t seconds = (time_t)(since / NSEC_PER_SEC);
	char clock[16];
	struct tm tm;

	if (!since || now <= since || !localtime_r(&seconds, &tm) ||
	    !strftime(clock, sizeof(clock), "%H:%M", &tm))
		return;
	snprintf(finder->sentence + used, sizeof(finder->sentence) - used, ", since %s %s a minute",
		 clock, size_of((double)site->suspect * 60e9 / (double)(now - since)).text);
}

static double find_rising(struct finder *finder)
{
	const struct snap_process *process = finder->process;
	const struct snap_site *site = site_most(process->sites, process->site_count, suspect_of);

	if (process->exited || process->suspect < MEMORY_MIN || !site)
		return 0;
	say(finder, 0, "seems to leak at %s: %s", site->site, size_of((double)site->suspect).text);
	say_since(finder, site);
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

	if (process->tensors_rising < MEMORY_MIN)
		return 0;
	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];
		const struct snap_site *site =
			site_most(allocator->sites, allocator->site_count, suspect_of);

		if (!allocator->rising || !site)
			continue;
		say(finder, 0, "%s that are made at %s are more and more: %s", allocator->noun,
		    site->site, size_of((double)site->suspect).text);
		if (!process->exited)
			say_since(finder, site);
		return (double)process->tensors_rising;
	}
	return 0;
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
	const struct snap_place where = process->wait_site_count ? process->wait_sites->at :
								   (struct snap_place){ 0 };
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
	launches = add_saturated(process->launches, process->graph_launches);
	if (share < WAIT_MIN || waits < WAITS_MIN || !most || launches > LAUNCHES_PER * waits)
		return 0;
	return say(
		finder, share,
		"waits %.0f %% of its time in %s%s%s, once for every %.1f launches: the GPU idles until the next",
		100 * share, call_name(most->call), AT(&where), (double)launches / (double)waits);
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

/* ---- the rules ---- */

static const struct rule {
	const char *name;
	enum finding_about about;
	bool of_device;
	/* Writes the sentence and returns its weight among those of this rule, 0: nothing is found */
	double (*find)(struct finder *finder);
} rules[] = {
	/* Worst first */
	{ "fault", FINDING_FAILURES, false, find_fault },
	{ "out-of-memory", FINDING_FAILURES, false, find_no_memory },
	{ "double-free", FINDING_FAILURES, false, find_frees },
	{ "rising", FINDING_SITES, false, find_rising },
	{ "rising-tensors", FINDING_SITES, false, find_tensors },
	{ "nearly-full", FINDING_DEVICE, true, find_full },
	{ "failures", FINDING_FAILURES, false, find_failures },
	{ "leaked", FINDING_SITES, false, find_leaked },
	{ "rising-held", FINDING_SITES, false, find_held },
	{ "pinned", FINDING_SITES, false, find_pinned },
	{ "retries", FINDING_FAILURES, false, find_retries },
	{ "gaps", FINDING_MEMORY, false, find_gaps },
	{ "waits", FINDING_CALLS, false, find_waits },
	{ "idle", FINDING_CALLS, false, find_time },
	{ "pageable", FINDING_COPIES, false, find_pageable },
};

struct found {
	struct snap_finding finding; /* without its text */
	double weight;
	char sentence[SENTENCE_MAX];
};

struct found_list {
	struct found list[FINDINGS_MAX];
	size_t count, omitted;
};

/* Rules are looked at in their order: a finding is worse than those before it only in its own. */
static void found_add(struct found_list *all, const struct finder *finder, const struct rule *rule,
		      double weight)
{
	const struct snap_process *process = finder->process;
	size_t i = all->count;

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
			     .about = rule->about,
			     .program = process ? process->program : 0,
			     .pid = process ? process->pid : 0,
			     .command = process ? process->command : NULL,
			     .device = process ? CUTOP_DEVICE_UNKNOWN : finder->device->device },
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
	size_t i;

	for (i = 0; i < ARRAY_LEN(rules); i++)
		rule_apply(&rules[i], snapshot, &all);
	snapshot->findings = arena_alloc(arena, all.count, sizeof(*snapshot->findings));
	if (!snapshot->findings)
		return -ENOMEM;
	for (i = 0; i < all.count; i++) {
		struct snap_finding *finding = &snapshot->findings[i];

		*finding = all.list[i].finding;
		finding->text = arena_string(arena, all.list[i].sentence);
		if (!finding->text)
			return -ENOMEM;
	}
	snapshot->finding_count = all.count;
	snapshot->findings_omitted = all.omitted;
	return 0;
}
