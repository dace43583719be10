/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses what is shown separately, so that series are few and no counter goes down. A pid is a
 * label, so of all programs that had the same pid only the latest is shown.
 * Of a process's kernels those launched most are named, and all others share one counter. When a
 * kernel of the others becomes one of those, their sum is less than what was told: it stays as it
 * was told until it has caught up, since a counter must not go down.
 * Of its call sites of tensors those that rise most come first, then those that hold most.
 */
#include "metrics/openmetrics_choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "util/utf8.h"

#define NSEC_PER_SEC 1000000000ull
#define OTHER        "other"

/* What is remembered of a process between expositions. */
struct told {
	uint32_t program;
	bool kept;         /* the process is in this snapshot */
	bool has_other;    /* so was told */
	uint64_t other[2]; /* the others' counts, as told */
	UT_hash_handle hh;
};

struct openmetrics {
	struct metrics_limits limits;
	struct told *told;
	struct shown *list; /* processes of the latest choice */
	size_t list_count;
};

struct openmetrics *openmetrics_new(const struct metrics_limits *limits)
{
	struct openmetrics *metrics = calloc(1, sizeof(*metrics));

	if (metrics)
		metrics->limits = *limits;
	return metrics;
}

static void list_free(struct openmetrics *metrics)
{
	for (size_t i = 0; i < metrics->list_count; i++) {
		free(metrics->list[i].kernels);
		free(metrics->list[i].sites);
	}
	free(metrics->list);
	metrics->list = NULL;
	metrics->list_count = 0;
}

void openmetrics_free(struct openmetrics *metrics)
{
	struct told *told, *next;

	if (!metrics)
		return;
	HASH_ITER(hh, metrics->told, told, next) {
		HASH_DEL(metrics->told, told);
		free(told);
	}
	list_free(metrics);
	free(metrics);
}

static struct told *told_of(struct openmetrics *metrics, uint32_t program)
{
	struct told *told;

	HASH_FIND(hh, metrics->told, &program, sizeof(program), told);
	if (told)
		return told;
	told = calloc(1, sizeof(*told));
	if (!told)
		return NULL;
	told->program = program;
	HASH_ADD(hh, metrics->told, program, sizeof(told->program), told);
	return told;
}

/* ---- names ---- */

void named_set(struct named *named, const char *name, int device, uint64_t first, uint64_t second)
{
	utf8_clean(name, named->name, sizeof(named->name));
	named->device = device;
	named->values[0] = first;
	named->values[1] = second;
}

static int named_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->device > b->device) - (a->device < b->device);
}

size_t named_merge(struct named *list, size_t count)
{
	size_t i, left = 0;

	if (count)
		qsort(list, count, sizeof(*list), named_order);
	for (i = 0; i < count; i++) {
		if (left && !named_order(&list[left - 1], &list[i])) {
			list[left - 1].values[0] += list[i].values[0];
			list[left - 1].values[1] += list[i].values[1];
			continue;
		}
		if (left != i)
			list[left] = list[i];
		left++;
	}
	return left;
}

/* Gives back the room of @list for more than @count names. */
static struct named *named_shrink(struct named *list, size_t count)
{
	struct named *smaller = realloc(list, (count + 1) * sizeof(*list));

	return smaller ? smaller : list;
}

/* ---- kernels ---- */

static uint64_t launches(const struct named *kernel)
{
	const uint64_t *values = kernel->values;

	return values[0] > UINT64_MAX - values[1] ? UINT64_MAX : values[0] + values[1];
}

/* A kernel whose name is the one used for all others is counted with those. */
static bool may_be_named(const struct named *kernel)
{
	return strcmp(kernel->name, OTHER) != 0;
}

static int launches_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	uint64_t first = launches(a), second = launches(b);

	if (may_be_named(a) != may_be_named(b))
		return may_be_named(a) ? -1 : 1;
	return first != second ? (first < second ? 1 : -1) : named_order(a, b);
}

static int kernels_choose(struct openmetrics *metrics, struct told *told, struct shown *shown)
{
	const struct snap_process *process = shown->process;
	struct named *list = shown->kernels = calloc(process->kernel_count + 1, sizeof(*list));
	uint64_t other[2] = { 0, 0 };
	size_t count, i;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < process->kernel_count; i++)
		named_set(&list[i], process->kernels[i].name, process->kernels[i].device,
			  process->kernels[i].launches, process->kernels[i].graph_launches);
	count = named_merge(list, process->kernel_count);
	qsort(list, count, sizeof(*list), launches_order);
	for (i = 0; i < count; i++) {
		if (i < metrics->limits.kernels && may_be_named(&list[i])) {
			shown->kernel_count++;
			continue;
		}
		told->has_other = true;
		other[0] += list[i].values[0];
		other[1] += list[i].values[1];
	}
	for (i = 0; i < 2; i++)
		if (told->other[i] < other[i])
			told->other[i] = other[i];
	shown->kernels = named_shrink(list, shown->kernel_count);
	shown->has_other = told->has_other;
	memcpy(shown->other, told->other, sizeof(shown->other));
	return 0;
}

/* ---- call sites of tensors ---- */

/* By bytes that rise, then by live bytes: most first. */
static int tensors_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	for (size_t i = 0; i < 2; i++)
		if (a->values[i] != b->values[i])
			return a->values[i] < b->values[i] ? 1 : -1;
	return named_order(a, b);
}

/* Over all allocators and devices. */
static int tensors_choose(struct openmetrics *metrics, struct shown *shown)
{
	const struct snap_process *process = shown->process;
	size_t count = 0, i, j;
	struct named *list;

	for (i = 0; i < process->allocator_count; i++)
		count += process->allocators[i].site_count;
	if (!metrics->limits.sites || !count)
		return 0;
	list = shown->sites = calloc(count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (i = count = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];

		for (j = 0; j < allocator->site_count; j++)
			named_set(&list[count++], allocator->sites[j].site, 0,
				  allocator->sites[j].suspect, allocator->sites[j].live);
	}
	count = named_merge(list, count);
	qsort(list, count, sizeof(*list), tensors_order);
	for (i = 0; i < count && i < metrics->limits.sites; i++)
		if (list[i].values[TENSOR_RISING] || list[i].values[TENSOR_LIVE])
			shown->site_count++;
	shown->sites = named_shrink(list, shown->site_count);
	return 0;
}

/* ---- processes ---- */

static int first_seen_order(const void *left, const void *right)
{
	const struct snap_process *a = ((const struct shown *)left)->process,
				  *b = ((const struct shown *)right)->process;

	if (a->exited != b->exited)
		return a->exited - b->exited;
	if (a->exited && a->end_time != b->end_time)
		return a->end_time > b->end_time ? -1 : 1; /* the latest first */
	return (a->program > b->program) - (a->program < b->program);
}

static bool is_over(const struct snapshot *snapshot, const struct snap_process *process)
{
	return process->exited &&
	       process->end_time + EXITED_SECONDS * NSEC_PER_SEC < snapshot->time;
}

/* Collects the latest program of each pid, running or ended lately. */
static void processes_collect(struct choice *choice, const struct snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];
		struct shown *last = choice->count ? &choice->list[choice->count - 1] : NULL;

		if (is_over(snapshot, process))
			continue;
		/* Processes are sorted by pid, then by age. */
		if (!last || last->process->pid != process->pid)
			last = &choice->list[choice->count++];
		else if (!last->process->exited && process->exited)
			continue;
		*last = (struct shown){ .process = process };
	}
}

static void processes_limit(struct choice *choice)
{
	size_t i, left = 0, running = 0, exited = 0;

	if (choice->count)
		qsort(choice->list, choice->count, sizeof(choice->list[0]), first_seen_order);
	for (i = 0; i < choice->count; i++) {
		bool is_exited = choice->list[i].process->exited;

		if (is_exited ? exited++ < EXITED_MAX : running++ < RUNNING_MAX)
			choice->list[left++] = choice->list[i];
		else
			choice->omitted += !is_exited;
	}
	choice->count = left;
}

int openmetrics_choose(struct openmetrics *metrics, const struct snapshot *snapshot,
		       struct choice *choice)
{
	struct told *told, *next;
	size_t i;
	int err;

	memset(choice, 0, sizeof(*choice));
	list_free(metrics);
	metrics->list = calloc(snapshot->process_count + 1, sizeof(*metrics->list));
	if (!metrics->list)
		return -ENOMEM;
	choice->list = metrics->list;
	choice->sites = metrics->limits.sites;
	processes_collect(choice, snapshot);
	processes_limit(choice);
	metrics->list_count = choice->count;
	HASH_ITER(hh, metrics->told, told, next)
		told->kept = false;
	for (i = 0; i < choice->count; i++) {
		told = told_of(metrics, choice->list[i].process->program);
		if (!told)
			return -ENOMEM;
		told->kept = true;
		err = kernels_choose(metrics, told, &choice->list[i]) ?:
			      tensors_choose(metrics, &choice->list[i]);
		if (err)
			return err;
	}
	HASH_ITER(hh, metrics->told, told, next) {
		if (told->kept)
			continue;
		HASH_DEL(metrics->told, told);
		free(told);
	}
	return 0;
}
