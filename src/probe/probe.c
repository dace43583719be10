/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets. Every examined file is remembered by what stat(2) says of it, so that no file is read
 * twice; every target by the inode that the kernel probes. The BPF side keeps its own set of known
 * files (map `files`), so that a process that maps a known file wakes no thread. A file is entered
 * there before it is examined: reading a library to find its symbols must not report it again.
 */
#include "probe/probe_internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

#include "probe/allocator_functions.h"
#include "cuda/calls.h"
#include "probe/attach.h"
#include "probe/forwarders.h"
#include "probe/hit_cost.h"
#include "probe/late.h"
#include "probe/misses.h"
#include "probe/points.h"
#include "probe/pythons.h"
#include "probe/runtime_code.h"

/* ---- detaching ---- */

int probe_adopt_link(struct probe *probe, int fd)
{
	int *more = realloc(probe->adopted, (probe->adopted_count + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	probe->adopted = more;
	more[probe->adopted_count++] = fd;
	return 0;
}

static void target_free(struct probe *probe, struct target *target)
{
	pythons_drop(probe, target);
	probe_set_free(&target->launches.set);
	spares_free(target);
	errand_release(probe->outside.errands, target->hold);
	guarded_close(&target->file);
	free(target->path);
	free(target);
}

static void elsewhere_note(const struct probe *probe)
{
	uint64_t count =
		__atomic_load_n(&probe->bpf.skeleton->bss->blocks_elsewhere, __ATOMIC_RELAXED);

	if (count)
		note(probe->settings.notes,
		     "PyTorch told %llu times of memory that is on no CUDA device: it is in no book",
		     (unsigned long long)count);
}

void probe_close(struct probe *probe)
{
	struct target *target, *next;
	struct later *later;

	if (!probe)
		return;
	/* Close them in parallel, and take no longer than the guard's end may take. */
	guard_hold(probe->guard, 0, NULL, probe->adopted, probe->adopted_count);
	guard_end(probe->guard);
	free(probe->adopted);
	for (target = probe->targets; target; target = next) {
		next = target->next;
		target_free(probe, target);
	}
	while ((later = probe->later)) {
		probe->later = later->next;
		free(later->path);
		free(later);
	}
	examined_clear(probe);
	misses_free(probe);
	elsewhere_note(probe);
	bpf_close(&probe->bpf);
	free(probe);
}

enum attach_method probe_method(const struct probe *probe)
{
	return probe->bpf.features.method;
}

struct bpf *probe_bpf(struct probe *probe)
{
	return &probe->bpf;
}

struct budget *probe_budget(const struct probe *probe)
{
	return probe->settings.budget;
}

const struct notes *probe_notes(const struct probe *probe)
{
	return probe->settings.notes;
}

const struct outside *probe_outside(const struct probe *probe)
{
	return &probe->outside;
}

bool probe_watches_driver(const struct probe *probe)
{
	return probe->settings.bpf.layers & 1u << LAYER_DRIVER;
}

uint64_t probe_hit_cost(const struct probe *probe)
{
	uint64_t ns = hit_cost_measure(&probe->bpf);

	note(probe->settings.notes, "a probe's hit takes some %llu ns", (unsigned long long)ns);
	return ns;
}

bool probe_misses_driver(const struct probe *probe)
{
	return !(probe->settings.bpf.layers & 1u << LAYER_DRIVER) && !probe->bpf.notices_driver;
}

struct probe_counts probe_counts(const struct probe *probe)
{
	return probe->counts;
}

const char *probe_file_path(const struct probe *probe, const struct file_id *id)
{
	struct examined *file;

	HASH_FIND(by_id, probe->by_id, id, sizeof(*id), file);
	return file ? file->path : NULL;
}

int probe_list_process(struct probe *probe, uint32_t tgid, bool listed)
{
	int fd = bpf_map__fd(probe->bpf.skeleton->maps.listed);
	__u32 one = 1;

	if (listed)
		return bpf_map_update_elem(fd, &tgid, &one, BPF_ANY);
	return bpf_map_delete_elem(fd, &tgid);
}

void probe_lost(struct probe *probe, enum lost_cause cause)
{
	__atomic_add_fetch(&probe->bpf.skeleton->bss->lost[cause], 1, __ATOMIC_RELAXED);
}

/* ---- files ---- */

struct attach_pids probe_pids(const struct probe *probe)
{
	const struct probe_settings *settings = &probe->settings;

	/* Before Linux 6.13 a link's filter compares thread ids, not process ids. */
	if (settings->bpf.follow_children || settings->pid_count > ATTACH_PIDS_MAX ||
	    probe->bpf.features.method != ATTACH_SESSION)
		return (struct attach_pids){ 0 };
	return (struct attach_pids){ settings->pids, settings->pid_count };
}

struct target *target_find(struct probe *probe, const struct file_id *id)
{
	struct target *target;

	for (target = probe->targets; target; target = target->next)
		if (target->id.inode == id->inode && target->id.device == id->device &&
		    target->id.generation == id->generation)
			return target;
	return NULL;
}

void probe_count(struct probe *probe, const struct attachment *attachment, int sign)
{
	int point;

	probe->counts.attached += (unsigned int)sign * attachment->attached;
	probe->counts.missing += (unsigned int)sign * attachment->failed;
	probe->counts.unprobed.allocs += (unsigned int)sign * attachment->unprobed.allocs;
	probe->counts.unprobed.frees += (unsigned int)sign * attachment->unprobed.frees;
	for (point = 0; point < POINT_COUNT; point++)
		probe->counts.points[point] += (unsigned int)sign * attachment->points[point];
}

static void target_note(struct probe *probe, const struct target *target, const char *path,
			uint64_t began)
{
	unsigned int attached = target->attachment.attached, failed = target->attachment.failed,
		     past = target->attachment.points[POINT_PAST],
		     stepped = target->attachment.points[POINT_STEPPED];

	for (int spare = 0; spare < SPARE_COUNT; spare++) {
		const struct attachment *more = &target->spares[spare].attachment;

		attached += more->attached;
		failed += more->failed;
		past += more->points[POINT_PAST];
		stepped += more->points[POINT_STEPPED];
	}
	note(probe->settings.notes,
	     "%s: %u functions attached, %u refused, %zu further names, %.1f ms; %u past the entry, %u single-stepped, %zu forwarders without",
	     path, attached, failed, target->aliases,
	     (double)(clock_ns(CLOCK_MONOTONIC) - began) / NSEC_PER_MSEC, past, stepped,
	     target->forwarders);
}

struct attach_choice probe_choice(const struct probe *probe)
{
	return (struct attach_choice){
		.groups = probe->settings.groups,
		.layers = probe->settings.bpf.layers,
		.notice_driver = probe->bpf.notices_driver,
	};
}

#define STEPPED_LISTED 24 /* functions named in a line */

/* Names the functions that cost most, and, once per run, what else they may do. */
static void stepped_tell(struct probe *probe, const struct target *target,
			 const struct elf_functions *found, const char *path)
{
	const struct attach_choice choice = probe_choice(probe);
	char *names;

	if (!target->attachment.points[POINT_STEPPED])
		return;
	names = points_list(found, &choice, probe->settings.extras, POINT_STEPPED, STEPPED_LISTED);
	note(probe->settings.notes,
	     "%s: single-stepped, some 10 us a call in a virtual machine: %s", path,
	     names ? names : "");
	free(names);
#if defined(__aarch64__)
	if (!probe->stepped_warned)
		warn_user(
			probe->settings.notes,
			"%u functions of %s are single-stepped, and on some arm64 machines a "
			"single-stepped program was seen to go on at a wrong address; --no-single-step leaves them out",
			target->attachment.points[POINT_STEPPED], path);
	probe->stepped_warned = true;
#endif
}

/* Tells of the functions that were found since there were @known. */
static void extras_tell(struct probe *probe, size_t known)
{
	struct extra_functions *extras = probe->settings.extras;
	enum extra_result result;
	const char *symbol;

	for (; known < extra_functions_count(extras); known++) {
		symbol = extra_functions_symbol(extras, known, &result);
		probe->bpf.skeleton->bss->extra_results[known] = (__u8)result;
		if (probe->settings.on_extra)
			probe->settings.on_extra(probe->settings.context,
						 (unsigned int)(CUTOP_EXTRA + known), symbol,
						 result);
	}
}

/*
 * Finds what is to be probed in the file @seen. Returns 0 with @found, whose list the caller frees,
 * or a negative errno.
 */
static int functions_find(struct probe *probe, const struct seen_file *seen, const char *path,
			  struct elf_functions *found, bool *in_table, struct reason *why)
{
	size_t known = extra_functions_count(probe->settings.extras);
	int err = elffile_functions(seen->fd, found, why);

	*in_table = found->count > 0;
	if (err || !extra_functions_want(probe->settings.extras, &seen->st, path))
		return err;
	err = extra_functions_find(probe->settings.extras, seen->fd, &seen->st, path, found, why);
	extras_tell(probe, known);
	if (err < 0) {
		free(found->list);
		memset(found, 0, sizeof(*found));
		return err;
	}
	return 0;
}

static unsigned int layers_of(const struct elf_functions *functions)
{
	unsigned int layers = 0;
	size_t i;

	for (i = 0; i < functions->count; i++)
		if (!CUTOP_IS_EXTRA(functions->list[i].call))
			layers |= 1u << call_descs[functions->list[i].call].layer;
	return layers;
}

/*
 * Where forwarders may do without probes: the layers of which another file is probed. With the
 * driver probed the runtime's do, too, since all work of a runtime that is not found yet reaches
 * the driver.
 */
static unsigned int layers_probed(const struct probe *probe)
{
	const struct target *target;
	unsigned int layers = 0;

	for (target = probe->targets; target; target = target->next)
		if (target->attachment.attached)
			layers |= target->layers;
	layers &= probe->settings.bpf.layers;
	return layers & 1u << LAYER_DRIVER ? layers | 1u << LAYER_RUNTIME : layers;
}

int links_place(struct probe *probe, const struct target *target, int fd,
		const struct elf_functions *functions, struct attachment *attachment,
		uint32_t number, struct reason *why)
{
	struct attach_choice choice = probe_choice(probe);
	int err;

	err = attachment_open(attachment, &probe->bpf, fd, functions, &choice, probe_pids(probe),
			      why);
	if (err)
		return err;
	if (attachment->helper >= 0) {
		/* closing this pipe ends the helper, and so its links */
		attachment->links[attachment->link_count++] = attachment->helper;
		attachment->helper = -1;
	}
	err = guard_hold(probe->guard, number, &target->file, attachment->links,
			 attachment->link_count);
	attachment->link_count = 0;
	return err ? reason_set(why, err, "the process that holds the probes has no room: %s",
				strerror(-err)) :
		     0;
}

/* Probes @functions, those that can be spared by links of their own. As links_place(). */
static int functions_attach(struct probe *probe, struct target *target,
			    const struct seen_file *seen, const struct elf_functions *functions,
			    struct reason *why)
{
	struct elf_functions lasting = *functions;
	bool placed = false;
	int err;

	if (probe->settings.spares && probe->bpf.features.method != ATTACH_PERF) {
		lasting.aliases = 0;
		lasting.list = malloc(functions->count * sizeof(*lasting.list));
		if (!lasting.list)
			return reason_set(why, -ENOMEM, "no memory");
		memcpy(lasting.list, functions->list, functions->count * sizeof(*lasting.list));
		err = spares_take(target, &lasting);
		if (err) {
			err = reason_set(why, err, "no memory");
			goto out;
		}
		placed = spares_place(probe, target, seen_place(seen));
	}
	err = links_place(probe, target, seen_place(seen), &lasting, &target->attachment,
			  target->file.number, why);
	if (err == -ENOENT && placed)
		err = 0;
	if (err)
		spares_lift(probe, target);
out:
	if (lasting.list != functions->list)
		free(lasting.list);
	return err;
}

int probe_attach(struct probe *probe, struct target *target, const struct seen_file *seen,
		 const char *path, const struct rec_hdr *record, struct reason *why)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC);
	struct attach_choice choice = probe_choice(probe);
	struct elf_functions found;
	struct code_span runtimes;
	struct late_file late;
	bool in_table, has_runtimes, has_python, has_allocator;
	unsigned int marked_all = probe->marked_all;
	size_t count;
	int err;

	err = functions_find(probe, seen, path, &found, &in_table, why);
	if (err)
		return err;
	forwarders_drop(seen->fd, &found, layers_probed(probe));
	target->forwarders = found.forwarders;
	target->layers = layers_of(&found);
	in_table &= !found.forwarders || found.count;
	target->aliases = found.aliases;
	found.library = target->library;
	points_choose(seen->fd, &found, &probe->bpf.forms, probe->settings.no_single_step);
	has_runtimes = probe->bpf.skeleton->rodata->find_callers &&
		       runtime_code_find(seen->fd, &found, &runtimes);
	if (probe->settings.launches_once && layers_probed(probe) & 1u << LAYER_DRIVER &&
	    launches_take(&target->launches, seen->fd, &found)) {
		free(found.list);
		return reason_set(why, -ENOMEM, "no memory");
	}
	count = found.count;
	has_python = pythons_take(probe, target, seen->fd, path, &found);
	has_allocator = probe->settings.bpf.allocators &&
			allocators_append(seen->fd, &probe->bpf.forms,
					  probe->settings.no_single_step, &found);
	if (has_allocator)
		note(probe->settings.notes, "%s: has PyTorch's allocator; its blocks are seen",
		     path);
	if (found.forwarders && !found.count)
		note(probe->settings.notes,
		     "%s: %zu functions only forward to CUDA's libraries, and get no probes", path,
		     found.forwarders);
	if (!found.count) {
		free(found.list);
		return found.forwarders ?
			       reason_set(
				       why, -ENOENT,
				       "defines %zu functions of CUDA's that only forward to its libraries, and need no probes",
				       found.forwarders) :
			       reason_set(why, -ENOENT,
					  "defines no CUDA function that cutop knows");
	}
	err = outside_hold_functions(&probe->outside, seen, &found, &target->hold);
	if (err) {
		free(found.list);
		return reason_set(why, err, "its pages cannot be kept in memory: %s",
				  strerror(-err));
	}
	if (has_runtimes)
		bpf_mark_runtime(&probe->bpf, &target->id, &runtimes);
	__atomic_store_n(&probe->bpf.skeleton->bss->attaching, 1, __ATOMIC_SEQ_CST);
	err = guard_watch(probe->guard, &target->file);
	if (err)
		reason_set(why, err, "no process holds the probes: %s", strerror(-err));
	else
		err = functions_attach(probe, target, seen, &found, why);
	found.count = count; /* the code below is about these functions only */
	if (has_python)
		pythons_find_users(probe, target, &seen->st, path);
	if (err) {
		guard_drop(probe->guard, &target->file.number, 1);
		memset(&target->attachment, 0, sizeof(target->attachment));
		bpf_mark_runtime(&probe->bpf, &target->id, NULL);
		/* Their calls are missed all the same, unless no probe was asked for. */
		if (err != -ENOENT)
			misses_add(probe, &target->id, &found, &choice);
		errand_release(probe->outside.errands, target->hold);
		target->hold = -1;
		goto out;
	}
	misses_drop(probe, &target->id);
	probe_count(probe, &target->attachment, 1);
	/*
	 * What its own functions of the driver did is in no other file's books, nor what it did by
	 * a driver that is not probed.
	 */
	late = late_file(probe, seen, path,
			 target->path || target->layers & 1u << LAYER_DRIVER ||
				 !(layers_probed(probe) & 1u << LAYER_DRIVER));
	if (in_table && record && late.missed == LATE_ALL)
		probe->counts.late++;
	/* If the driver's calls are not watched, the process's figures miss nothing of them. */
	if (!target->attachment.attached && target->attachment.noticed)
		in_table = false;
	/*
	 * A process that uses CUDA is not late because of other probed functions that it has
	 * loaded.
	 */
	if (in_table)
		late_mark(probe, &late, path);
	/*
	 * A process that is still in mmap(), or that has already exited, does not show up in the
	 * scan: mark it late here.
	 */
	if (in_table && record)
		late_mark_process(probe, record->tgid, record->time, &late);
	/* It may have asked for its kernels before. */
	if (probe->marked_all != marked_all)
		launches_probe(probe, target, seen_place(seen), path);
	if (count)
		target_note(probe, target, path, began);
	stepped_tell(probe, target, &found, path);
out:
	__atomic_store_n(&probe->bpf.skeleton->bss->attaching, 0, __ATOMIC_SEQ_CST);
	free(found.list);
	return err;
}

/* False if the file is a target only for its Python interpreter. */
static bool target_counts(const struct target *target)
{
	return !target->python || target->attachment.attached || target->attachment.failed;
}

int target_new(struct probe *probe, const struct seen_file *seen, const char *path,
	       const struct sighting *sighting, struct target **result, struct reason *why)
{
	struct target *target = calloc(1, sizeof(*target));
	int err;

	*result = NULL;
	if (!target)
		return reason_set(why, -ENOMEM, "no memory");
	target->id = seen->id;
	target->hold = -1;
	/*
	 * Starts again after 65,535 files: two libraries of one process only need different
	 * numbers.
	 */
	if (!++probe->last_library)
		probe->last_library = 1;
	target->library = probe->last_library;
	/*
	 * Guard the file before its functions are looked up: what is found there has to stay true.
	 */
	guarded_open(&target->file, seen, probe->guard);
	err = probe_attach(probe, target, seen, path, sighting->record, why);
	if (err) {
		target_free(probe, target);
		return err;
	}
	target->path = strdup(path);
	unused_anchor(target, sighting->mounts_of);
	target->next = probe->targets;
	probe->targets = target;
	target->counts = target_counts(target);
	probe->counts.targets += target->counts;
	*result = target;
	return 0;
}

/*
 * Has processes that map the file of @target report it again. On an overlay mount that inode
 * differs from the one that was examined: if the file still exists, all files are reported again.
 */
static void target_ask_again(struct probe *probe, const struct target *target)
{
	struct stat st;

	bpf_map_delete_elem(bpf_map__fd(probe->bpf.skeleton->maps.files), &target->id);
	bpf_forget_marks(&probe->bpf);
	if (guarded_stat(&target->file, &st) && st.st_nlink)
		probe_ask_again(probe);
}

void probe_ask_again(struct probe *probe)
{
	int map = bpf_map__fd(probe->bpf.skeleton->maps.files), i;
	struct file_id id, next;
	bool more;

	more = !bpf_map_get_next_key(map, NULL, &next);
	/* Others are added meanwhile: do not go on for ever. */
	for (i = 0; more && i < EXAMINED_MAX; i++) {
		id = next;
		more = !bpf_map_get_next_key(map, &id, &next);
		bpf_map_delete_elem(map, &id);
	}
	bpf_forget_marks(&probe->bpf);
}

void probe_forget(struct probe *probe, struct target *targets)
{
	uint32_t numbers[FORGET_MAX];
	struct target *target;
	size_t count = 0;

	examined_forget_of(probe, targets);
	for (target = targets; target && count < FORGET_MAX; target = target->next) {
		probe_set_lift(probe, &target->launches.set);
		spares_lift(probe, target);
		numbers[count++] = target->file.number;
	}
	guard_drop(probe->guard, numbers, count);
	while ((target = targets)) {
		targets = target->next;
		probe->counts.targets -= target->counts;
		probe_count(probe, &target->attachment, -1);
		note(probe->settings.notes,
		     "%s: no process uses it any more; its probes were taken off",
		     target->path ? target->path : "a file");
		bpf_mark_runtime(&probe->bpf, &target->id, NULL);
		target_ask_again(probe, target);
		target_free(probe, target);
	}
}

void probe_know(struct probe *probe, const struct file_id *id, bool is_target)
{
	__u32 known = is_target ? FILE_PROBED : FILE_KNOWN;

	bpf_map_update_elem(bpf_map__fd(probe->bpf.skeleton->maps.files), id, &known, BPF_ANY);
}
