/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses what is shown separately, so that series are few and no counter goes down. A pid is a
 * label, so of all programs that had the same pid only the latest is shown.
 * Of a process's kernels a limited number is named; all others share one counter. Once all places
 * are taken, a kernel gets one when it was launched twice as often as the least launched kernel
 * that has a place. So places change hands rarely, and ever more rarely, since each time the count
 * has to double. Launches from before a kernel got its place stay in the others' counter, which
 * otherwise would go down; its own counter begins at zero, as a counter may.
 */
#include "metrics/openmetrics_choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "metrics/tensor_sites.h"
#include "util/utf8.h"

#define NSEC_PER_SEC 1000000000ull
#define OTHER        "other"

/* What is remembered of a process between expositions. */
struct books {
	uint32_t program;
	bool kept; /* the process is in this snapshot */
	struct slot *slots;
	size_t slot_count;
	bool has_other;
	/*
	 * what the others' counter has in excess of the kernels that now count as others; modulo
	 * 2^64
	 */
	uint64_t adjust[2];
	uint64_t other[2];
	struct site_place *places; /* call sites of tensors; NULL: none so far */
	size_t place_count;
	UT_hash_handle hh;
};

struct openmetrics {
	struct metrics_limits limits;
	struct books *books;
	struct shown *list;    /* processes of the latest choice */
	struct named *scratch; /* space for the kernels, or sites, of one process */
	size_t scratch_size;
};

struct openmetrics *openmetrics_new(const struct metrics_limits *limits)
{
	struct openmetrics *metrics = calloc(1, sizeof(*metrics));

	if (metrics)
		metrics->limits = *limits;
	return metrics;
}

static void books_drop(struct openmetrics *metrics, struct books *books)
{
	HASH_DEL(metrics->books, books);
	free(books->slots);
	free(books->places);
	free(books);
}

void openmetrics_free(struct openmetrics *metrics)
{
	struct books *books, *next;

	if (!metrics)
		return;
	HASH_ITER(hh, metrics->books, books, next)
		books_drop(metrics, books);
	free(metrics->list);
	free(metrics->scratch);
	free(metrics);
}

static struct books *books_of(struct openmetrics *metrics, uint32_t program)
{
	struct books *books;

	HASH_FIND(hh, metrics->books, &program, sizeof(program), books);
	if (books)
		return books;
	books = calloc(1, sizeof(*books));
	if (!books)
		return NULL;
	books->program = program;
	books->slots = calloc(metrics->limits.kernels + 1, sizeof(*books->slots));
	if (!books->slots) {
		free(books);
		return NULL;
	}
	HASH_ADD(hh, metrics->books, program, sizeof(books->program), books);
	return books;
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

struct named *named_find(const struct named *key, struct named *list, size_t count)
{
	return count ? bsearch(key, list, count, sizeof(*list), named_order) : NULL;
}

/* Room for @count names in metrics->scratch. Returns 0 or -ENOMEM. */
static int scratch_reserve(struct openmetrics *metrics, size_t count)
{
	struct named *list;

	if (count <= metrics->scratch_size)
		return 0;
	list = realloc(metrics->scratch, count * sizeof(*list));
	if (!list)
		return -ENOMEM;
	metrics->scratch = list;
	metrics->scratch_size = count;
	return 0;
}

/* ---- kernels ---- */

/*
 * Collects kernels by name and device in metrics->scratch. Returns how many, or a negative errno.
 */
static ssize_t kernels_collect(struct openmetrics *metrics, const struct snap_process *process)
{
	size_t i;
	int err = scratch_reserve(metrics, process->kernel_count);

	if (err)
		return err;
	for (i = 0; i < process->kernel_count; i++) {
		const struct snap_kernel *kernel = &process->kernels[i];

		named_set(&metrics->scratch[i], kernel->name, kernel->device, kernel->launches,
			  kernel->graph_launches);
	}
	return (ssize_t)named_merge(metrics->scratch, process->kernel_count);
}

static uint64_t launches(const uint64_t values[2])
{
	return values[0] > UINT64_MAX - values[1] ? UINT64_MAX : values[0] + values[1];
}

static struct slot *slot_of(struct books *books, const struct named *kernel)
{
	size_t i;

	for (i = 0; i < books->slot_count; i++)
		if (!named_order(&books->slots[i].kernel, kernel))
			return &books->slots[i];
	return NULL;
}

static struct slot *slot_least(struct books *books)
{
	struct slot *least = NULL;
	size_t i;

	for (i = 0; i < books->slot_count; i++)
		if (!least ||
		    launches(books->slots[i].kernel.values) < launches(least->kernel.values))
			least = &books->slots[i];
	return least;
}

/* A kernel whose name is the one used for all others is counted with those. */
static bool may_be_named(const struct named *kernel)
{
	return strcmp(kernel->name, OTHER) != 0;
}

/* Gives @slot to @kernel, which so far was among the others if @was_other. */
static void slot_take(struct books *books, struct slot *slot, const struct named *kernel,
		      bool was_other)
{
	unsigned int i;

	*slot = (struct slot){ .kernel = *kernel };
	for (i = 0; was_other && i < 2; i++) {
		slot->base[i] = kernel->values[i];
		books->adjust[i] += kernel->values[i];
	}
}

/*
 * The kernel of @slot is one of the others from now on: its launches so far are not added to
 * theirs.
 */
static void slot_leave(struct books *books, const struct slot *slot)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		books->adjust[i] -= slot->kernel.values[i];
}

/*
 * Updates slots. If a kernel has another name now, its slot is freed: under the new name it is
 * among the others at first.
 */
static void slots_refresh(struct books *books, struct named *kernels, size_t count)
{
	size_t i = 0;

	while (i < books->slot_count) {
		const struct named *kernel = named_find(&books->slots[i].kernel, kernels, count);

		if (kernel) {
			books->slots[i++].kernel = *kernel;
			continue;
		}
		if (books->has_other)
			slot_leave(books, &books->slots[i]);
		books->slots[i] = books->slots[--books->slot_count];
	}
}

/* The most launched kernel without a slot, or NULL. */
static const struct named *kernel_most(struct books *books, const struct named *kernels,
				       size_t count)
{
	const struct named *most = NULL;
	size_t i;

	for (i = 0; i < count; i++)
		if (may_be_named(&kernels[i]) &&
		    (!most || launches(kernels[i].values) > launches(most->values)) &&
		    !slot_of(books, &kernels[i]))
			most = &kernels[i];
	return most;
}

static void slots_give(struct books *books, const struct named *kernels, size_t count,
		       unsigned int max)
{
	const struct named *kernel;

	while (books->slot_count < max && (kernel = kernel_most(books, kernels, count)) != NULL)
		slot_take(books, &books->slots[books->slot_count++], kernel, books->has_other);
	/* Replace one slot at a time: the next one at the next snapshot. */
	kernel = books->slot_count ? kernel_most(books, kernels, count) : NULL;
	if (kernel) {
		struct slot *least = slot_least(books);

		if (launches(kernel->values) / 2 > launches(least->kernel.values)) {
			slot_leave(books, least);
			slot_take(books, least, kernel, books->has_other);
		}
	}
}

static void others_sum(struct books *books, const struct named *kernels, size_t count)
{
	uint64_t sum[2] = { books->adjust[0], books->adjust[1] };
	size_t i, others = 0;
	unsigned int j;

	for (i = 0; i < count; i++) {
		if (slot_of(books, &kernels[i]))
			continue;
		sum[0] += kernels[i].values[0];
		sum[1] += kernels[i].values[1];
		others++;
	}
	for (j = 0; j < 2; j++) {
		/*
		 * What was told stays told. The sum is less if a kernel that had a slot became one
		 * with another that has one: what comes from now on is added nevertheless.
		 */
		if ((int64_t)(sum[j] - books->other[j]) < 0)
			books->adjust[j] += books->other[j] - sum[j];
		else
			books->other[j] = sum[j];
	}
	books->has_other = books->has_other || others;
}

static int kernels_choose(struct openmetrics *metrics, struct books *books, struct shown *shown)
{
	ssize_t count = kernels_collect(metrics, shown->process);

	if (count < 0)
		return (int)count;
	slots_refresh(books, metrics->scratch, (size_t)count);
	slots_give(books, metrics->scratch, (size_t)count, metrics->limits.kernels);
	others_sum(books, metrics->scratch, (size_t)count);
	shown->slots = books->slots;
	shown->slot_count = books->slot_count;
	shown->has_other = books->has_other;
	memcpy(shown->other, books->other, sizeof(shown->other));
	return 0;
}

/* ---- call sites of tensors ---- */

static int tensors_choose(struct openmetrics *metrics, struct books *books, struct shown *shown)
{
	size_t count = tensor_sites_count(shown->process), max = metrics->limits.sites;

	if (!max || (!count && !books->place_count))
		return 0;
	if (!books->places)
		books->places = calloc(max, sizeof(*books->places));
	if (!books->places || scratch_reserve(metrics, count))
		return -ENOMEM;
	count = tensor_sites_collect(shown->process, metrics->scratch);
	books->place_count = tensor_sites_choose(books->places, books->place_count, max,
						 metrics->scratch, count);
	shown->places = books->places;
	shown->place_count = books->place_count;
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
	struct books *books, *next;
	size_t i;
	int err;

	memset(choice, 0, sizeof(*choice));
	free(metrics->list);
	metrics->list = calloc(snapshot->process_count + 1, sizeof(*metrics->list));
	if (!metrics->list)
		return -ENOMEM;
	choice->list = metrics->list;
	choice->sites = metrics->limits.sites;
	processes_collect(choice, snapshot);
	processes_limit(choice);
	HASH_ITER(hh, metrics->books, books, next)
		books->kept = false;
	for (i = 0; i < choice->count; i++) {
		books = books_of(metrics, choice->list[i].process->program);
		if (!books)
			return -ENOMEM;
		books->kept = true;
		err = kernels_choose(metrics, books, &choice->list[i]) ?:
			      tensors_choose(metrics, books, &choice->list[i]);
		if (err)
			return err;
	}
	HASH_ITER(hh, metrics->books, books, next)
		if (!books->kept)
			books_drop(metrics, books);
	return 0;
}
