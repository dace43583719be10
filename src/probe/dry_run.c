/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs watch listed processes only, and none is listed: the probes of a dry run fire and
 * return. All probes are kept until the end and removed in parallel, since each removal waits for
 * the kernel.
 */
#include "probe/dry_run.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/loading.h"
#include "cuda/calls.h"
#include "probe/attach.h"
#include "probe/hit_cost.h"

struct dry_run {
	struct bpf bpf;
	struct attachment *attachments;
	size_t count;
};

int dry_run_open(struct dry_run **result, const struct kernel_features *features,
		 unsigned int layers, uint64_t ring_bytes, struct reason *why)
{
	const struct bpf_settings settings = {
		.only_listed = true,
		.follow_children = true,
		.only_uid = (uint32_t)-1,
		.ring_bytes = ring_bytes,
		.layers = layers,
	};
	struct dry_run *dry_run = calloc(1, sizeof(*dry_run));
	int err;

	*result = NULL;
	if (!dry_run)
		return reason_set(why, -ENOMEM, "no memory");
	err = bpf_open(&dry_run->bpf, features, &settings, why);
	if (err) {
		free(dry_run);
		return err;
	}
	*result = dry_run;
	return 0;
}

void dry_run_close(struct dry_run *dry_run)
{
	if (!dry_run)
		return;
	attachments_close(dry_run->attachments, dry_run->count);
	free(dry_run->attachments);
	bpf_close(&dry_run->bpf);
	free(dry_run);
}

int dry_run_watch(struct dry_run *dry_run, enum dry_run_event event)
{
	struct cutop_bpf *s = dry_run->bpf.skeleton;
	struct bpf_program *programs[] = {
		[DRY_RUN_EXEC] = s->progs.process_exec,
		[DRY_RUN_EXIT] = s->progs.process_exit,
		[DRY_RUN_FORK] = s->progs.process_fork,
	};
	struct loading_watch watch;
	int fd, err;

	if (event == DRY_RUN_MMAP) {
		err = loading_watch(&dry_run->bpf, &watch);
		if (err)
			return err;
		loading_end(&watch);
		return (int)watch.way;
	}
	fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(programs[event]));
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

uint64_t dry_run_hit_cost(const struct dry_run *dry_run)
{
	return hit_cost_measure(&dry_run->bpf);
}

int dry_run_identifier(const struct dry_run *dry_run)
{
	return bpf_identifier(&dry_run->bpf);
}

/* ---- functions ---- */

struct search {
	struct dry_run *dry_run;
	int fd;
	const struct attach_choice *choice;
	struct dry_run_attached *attached;
};

/*
 * Finds those of @count functions that the kernel refuses, by halving the list: either few are
 * refused or all.
 */
static void refusals_find(struct search *search, struct elf_function *list, size_t count)
{
	struct elf_functions part = { .list = list, .count = count };
	struct attachment attachment;
	int err;

	if (!count)
		return;
	err = attachment_open(&attachment, &search->dry_run->bpf, search->fd, &part, search->choice,
			      (struct attach_pids){ 0 }, NULL);
	if (!err) {
		unsigned int failed = attachment.failed;

		attachment_close(&attachment);
		if (!failed)
			return;
	}
	if (count > 1) {
		refusals_find(search, list, count / 2);
		refusals_find(search, list + count / 2, count - count / 2);
		return;
	}
	search->attached->refusals[search->attached->refused++] =
		(struct dry_run_refusal){ .call = list->call, .error = err ? err : -EINVAL };
}

/*
 * Copies the functions that are asked for. Where each probe costs time (one link each), only the
 * first.
 */
static size_t functions_choose(const struct elf_functions *functions,
			       const struct attach_choice *choice, bool first_only,
			       struct elf_function *chosen)
{
	size_t i, count = 0;

	for (i = 0; i < functions->count; i++) {
		const struct call_desc *desc = &call_descs[functions->list[i].call];

		if (functions->list[i].point == POINT_NONE || !choice_wants(choice, desc) ||
		    (first_only && (count || desc->class == CLASS_PLAIN)))
			continue;
		chosen[count++] = functions->list[i];
	}
	return count;
}

/*
 * The kernel accepts any probe on a file that no process maps: it checks the instructions only when
 * a mapping gets its breakpoints. So map the file here. Nothing is read through the mapping, or
 * run. A file that we only have a copy of is taken as it is.
 */
static void *map_code(const struct seen_file *seen, size_t *size)
{
	void *map;

	if (seen->place >= 0 || seen->st.st_size <= 0)
		return NULL;
	*size = (size_t)seen->st.st_size;
	map = mmap(NULL, *size, PROT_READ | PROT_EXEC, MAP_PRIVATE, seen->fd, 0);
	/* for example, mounted noexec: then no other process can map it as code either */
	return map == MAP_FAILED ? NULL : map;
}

int dry_run_attach(struct dry_run *dry_run, const struct outside *outside,
		   const struct seen_file *seen, const struct elf_functions *functions,
		   const struct attach_choice *choice, struct dry_run_attached *attached,
		   struct reason *why)
{
	struct search search = {
		.dry_run = dry_run, .fd = seen_place(seen), .choice = choice, .attached = attached
	};
	struct elf_functions tried = { 0 };
	uint64_t began = clock_ns(CLOCK_MONOTONIC);
	struct attachment *more;
	size_t size = 0;
	void *code;
	int err, hold;

	memset(attached, 0, sizeof(*attached));
	attached->first_only = dry_run->bpf.features.method == ATTACH_PERF;
	tried.list = calloc(functions->count + 1, sizeof(*tried.list));
	attached->refusals = calloc(functions->count + 1, sizeof(*attached->refusals));
	more = realloc(dry_run->attachments, (dry_run->count + 1) * sizeof(*more));
	if (more)
		dry_run->attachments = more;
	if (!tried.list || !attached->refusals || !more) {
		free(tried.list);
		return reason_set(why, -ENOMEM, "no memory");
	}
	tried.count = functions_choose(functions, choice, attached->first_only, tried.list);
	attached->tried = (unsigned int)tried.count;
	if (!tried.count) {
		free(tried.list);
		return 0;
	}
	/* Released when the errands end. */
	err = outside_hold_functions(outside, seen, &tried, &hold);
	if (err) {
		free(tried.list);
		return reason_set(why, err, "its pages cannot be kept in memory: %s",
				  outside_error(err));
	}
	code = map_code(seen, &size);
	err = attachment_open(&more[dry_run->count], &dry_run->bpf, seen_place(seen), &tried,
			      choice, (struct attach_pids){ 0 }, why);
	attached->time = clock_ns(CLOCK_MONOTONIC) - began;
	if (!err) {
		attached->attached = more[dry_run->count].attached;
		if (more[dry_run->count].failed)
			refusals_find(&search, tried.list, tried.count);
		dry_run->count++;
	}
	if (code)
		munmap(code, size);
	free(tried.list);
	return err;
}

void dry_run_attached_free(struct dry_run_attached *attached)
{
	free(attached->refusals);
	memset(attached, 0, sizeof(*attached));
}
