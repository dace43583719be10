/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets. Every examined file is remembered by what stat(2) says of it, so that no file is read
 * twice; every target by the inode that the kernel probes. The BPF side keeps its own set of known
 * files (map `files`), so that a process that maps a known file wakes no thread. A file is entered
 * there before it is examined: reading a library to find its symbols must not report it again.
 */
#include "probe/probe.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>
#include <uthash.h>

#include "cuda/calls.h"
#include "probe/attach.h"
#include "probe/elffile.h"
#include "probe/extra_functions.h"
#include "probe/kernel.h"
#include "probe/late.h"
#include "probe/maps.h"
#include "probe/points.h"
#include "probe/probe_internal.h"
#include "probe/pythons.h"
#include "util/util.h"

/* ---- mounts ---- */

/*
 * Mount namespaces. A probe holds the mount that its file was opened through, and so its file
 * system: the volume of a container that has ended would stay in use as long as cutop runs.
 * /proc/PID/ns/mnt is one file for all processes of a namespace.
 */

uint64_t mounts_of(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)process_reader(pid));
	return stat(path, &st) ? 0 : st.st_ino;
}

struct mounts_search {
	uint64_t namespace;
	pid_t member;
};

static int mounts_compare(void *context, pid_t pid)
{
	struct mounts_search *mounts_search = context;

	if (mounts_of(pid) != mounts_search->namespace)
		return 0;
	mounts_search->member = pid;
	return 1;
}

/* A process in @namespace; 0: there is none that we may look into. */
static pid_t mounts_member(uint64_t namespace)
{
	struct mounts_search mounts_search = { .namespace = namespace };

	processes_visit(mounts_compare, &mounts_search);
	return mounts_search.member;
}

/* ---- probe ---- */

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
	again_free(&probe->again);
	examined_clear(probe);
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

const struct forms *probe_forms(const struct probe *probe)
{
	return &probe->bpf.forms;
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
	const struct examined *file = probe->examined;

	while (file && memcmp(&file->id, id, sizeof(*id)))
		file = file->hh.next;
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
	size_t i;

	/* Such a link finds a process's memory by its main thread, which may have ended. */
	for (i = 0; i < settings->pid_count; i++)
		if (process_reader((pid_t)settings->pids[i]) != (pid_t)settings->pids[i])
			return (struct attach_pids){ 0 };
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

/* What the settings ask for. */
static struct attach_choice probe_choice(const struct probe *probe)
{
	return (struct attach_choice){
		.groups = probe->settings.groups,
		.layers = probe->settings.bpf.layers,
		.notice_driver = probe->bpf.notices_driver,
	};
}

/* Tells, once per run, what else single-stepped functions may do. */
static void stepped_tell(struct probe *probe, const struct target *target, const char *path)
{
#if defined(__aarch64__)
	if (target->attachment.points[POINT_STEPPED] && !probe->stepped_warned) {
		warn_user(
			probe->settings.notes,
			"%u functions of %s are single-stepped, and on some arm64 machines a "
			"single-stepped program was seen to go on at a wrong address; --no-single-step leaves them out",
			target->attachment.points[POINT_STEPPED], path);
		probe->stepped_warned = true;
	}
#else
	(void)probe;
	(void)target;
	(void)path;
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
		if (functions->list[i].call < CALL_COUNT)
			layers |= 1u << call_layer(functions->list[i].call);
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
	err = guard_hold(probe->guard, number, &target->file, attachment->links,
			 attachment->link_count);
	free(attachment->links);
	attachment->links = NULL;
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

/* Until probes that found no place are tried again: their file is read anew */
#define NO_ROOM_PAUSE (5 * NSEC_PER_SEC)

/*
 * Attaches to the functions of the file @seen, which is @target's, and marks the processes that
 * have it mapped already as late, @record's process (or NULL) among them. Returns as
 * probe_examine(), but never 1.
 */
static int probe_attach(struct probe *probe, struct target *target, const struct seen_file *seen,
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
			allocators_append(seen->fd, path, &probe->bpf.forms,
					  probe->settings.no_single_step, &found);
	if (has_allocator)
		note(probe->settings.notes,
		     "%s: has an allocator of a framework; its blocks are seen", path);
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
		bpf_mark_runtime(&probe->bpf, &target->id, NULL);
		/* Their calls are missed all the same, unless no probe was asked for. */
		target->attachment =
			(struct attachment){ .failed = err == -ENOENT ? 0 : (unsigned int)count };
		for (size_t i = 0; i < target->attachment.failed; i++)
			unprobed_add(&target->attachment.unprobed, &choice, found.list[i].call);
		probe_count(probe, &target->attachment, 1);
		errand_release(probe->outside.errands, target->hold);
		target->hold = -1;
		goto out;
	}
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
	stepped_tell(probe, target, path);
out:
	__atomic_store_n(&probe->bpf.skeleton->bss->attaching, 0, __ATOMIC_SEQ_CST);
	free(found.list);
	return err;
}

/* The probes of @target are gone, or were not placed: they count no longer. */
static void target_uncount(struct probe *probe, struct target *target)
{
	probe_count(probe, &target->attachment, -1);
	memset(&target->attachment, 0, sizeof(target->attachment));
}

/* @target, whose probes found no place because of @err, is tried again: target_renew(). */
static void target_wait(struct target *target, int err)
{
	target->lifted = true;
	guarded_let(&target->file);
	/* Another guard is there at once. */
	if (err != -EPIPE)
		target->no_room_until = clock_ns(CLOCK_MONOTONIC) + NO_ROOM_PAUSE;
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
	bool waits;
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
	/* Its functions have no place for now; without a descriptor it cannot be tried again. */
	waits = error_passes(err) && target->attachment.failed && target->file.fd >= 0;
	if (waits) {
		target_wait(target, err);
	} else if (err) {
		if (error_passes(err))
			target_uncount(probe, target);
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
	return err;
}

/* Has all processes report the files that they map once more. */
static void all_ask_again(struct probe *probe)
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
		all_ask_again(probe);
}

/*
 * Gives up @targets, FORGET_MAX at most, which are on no other list: removes their probes, and
 * frees them.
 */
static void probe_forget(struct probe *probe, struct target *targets)
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

/* ---- unused ---- */

/*
 * Finds probed files that are no longer in use.
 * A target holds its file, and some twenty descriptors. Where programs are built, or containers
 * come and go, there are new targets every minute, for months. So a file that was deleted and is
 * not mapped is given up; and a file in a container's mounts once its last process has ended,
 * because a probe holds the mount, and with it a volume. Other files stay probed.
 * /proc shows what each process maps. A process may fork unseen during the reading: a file is given
 * up after it was found unused twice.
 */

#define UNUSED_INTERVAL (5 * NSEC_PER_SEC)
#define RETRY_INTERVAL  NSEC_PER_SEC /* while the mappings of a process take long */
#define FOUND_UNUSED    2            /* looks */

struct candidate {
	struct target *target;
	struct stat st;
	bool used;
};

struct candidate_list {
	const struct probe *probe;
	struct candidate *list;
	size_t count;
	pid_t pid;  /* whose mappings are read */
	bool later; /* the mappings of a process that counts take long */
};

void unused_anchor(struct target *target, pid_t pid)
{
	target->mounts = pid ? mounts_of(pid) : 0;
	if (target->mounts == mounts_of(getpid()))
		target->mounts = 0;
	target->member = pid;
}

/* True if the container that @target's file belonged to has ended. */
static bool is_left_behind(struct target *target)
{
	if (target->mounts && target->member && mounts_of(target->member) != target->mounts)
		target->member = mounts_member(target->mounts);
	return target->mounts && !target->member;
}

/* Lists the targets to give up if no process maps them. */
static void candidates_list(struct probe *probe, struct candidate_list *list)
{
	struct target *target;
	size_t count = 0;
	struct stat st;

	for (target = probe->targets; target; target = target->next)
		count++;
	list->list = calloc(count + 1, sizeof(*list->list));
	for (target = probe->targets; target && list->list; target = target->next) {
		if (!target->lifted && target->file.fd >= 0 && guarded_stat(&target->file, &st) &&
		    (!st.st_nlink || is_left_behind(target)))
			list->list[list->count++] = (struct candidate){ target, st, false };
		else
			target->unused = 0;
	}
}

/*
 * Compares by device and inode. A mapping's device may differ from the one of stat(2) (overlay,
 * btrfs: major number 0, no driver), but if both have drivers, both are right.
 */
static bool is_mapping_of(const struct candidate *candidate, const struct maps_entry *entry)
{
	return (entry->inode == candidate->st.st_ino ||
		entry->inode == candidate->target->id.inode) &&
	       (candidate->st.st_dev == makedev(entry->major, entry->minor) || !entry->major ||
		!major(candidate->st.st_dev));
}

static int unused_mapping(void *context, const struct maps_entry *entry)
{
	struct candidate_list *list = context;
	uint64_t others;
	size_t i;

	for (i = 0; i < list->count; i++) {
		struct candidate *candidate = &list->list[i];

		if (candidate->used || !is_mapping_of(candidate, entry))
			continue;
		candidate->used = true;
		/*
		 * Another container maps the same file: a layer of its image, or a volume. If it is
		 * in our mount namespace, it may be another file with that number.
		 */
		others = candidate->target->mounts ? mounts_of(list->pid) : 0;
		if (others && others != mounts_of(getpid())) {
			candidate->target->mounts = others;
			candidate->target->member = list->pid;
		}
	}
	return 0;
}

static int unused_compare(void *context, pid_t pid)
{
	struct candidate_list *list = context;
	__u32 program;
	int err;

	list->pid = pid;
	/* An answer to the look before will do: a file has to be found unused twice. */
	err = outside_maps(&list->probe->outside, pid, 0, unused_mapping, list);
	/*
	 * A process that has ended uses nothing. If we may not read the maps of one that makes CUDA
	 * calls, we cannot tell what it uses.
	 */
	if (!err || err == -ENOENT || err == -ESRCH ||
	    bpf_map_lookup_elem(bpf_map__fd(list->probe->bpf.skeleton->maps.tgids), &pid, &program))
		return 0;
	list->later = outside_is_later(err);
	return err;
}

/*
 * Moves up to FORGET_MAX targets that were found unused often enough from the probe's list to the
 * one that is returned.
 */
static struct target *targets_take(struct probe *probe)
{
	struct target **at = &probe->targets, *target, *taken = NULL;
	size_t count = 0;

	while ((target = *at) && count < FORGET_MAX) {
		if (target->unused < FOUND_UNUSED) {
			at = &target->next;
			continue;
		}
		*at = target->next;
		target->next = taken;
		taken = target;
		count++;
	}
	return taken;
}

/*
 * Gives up files, a few at a time, that no process maps and that were deleted, or belonged to a
 * container that has ended. May be called often: it looks rarely.
 */
static void unused_drop(struct probe *probe, uint64_t now)
{
	struct candidate_list list = { .probe = probe };
	size_t i;

	if (now < probe->unused_look)
		return;
	probe->unused_look = now + UNUSED_INTERVAL;
	candidates_list(probe, &list);
	if (list.count && !processes_visit(unused_compare, &list)) {
		for (i = 0; i < list.count; i++)
			list.list[i].target->unused =
				list.list[i].used ? 0 : list.list[i].target->unused + 1;
		probe_forget(probe, targets_take(probe));
	}
	/* It was asked for; the answer is kept for a while. */
	if (list.later)
		probe->unused_look = now + RETRY_INTERVAL;
	free(list.list);
}

/* ---- written files ---- */

/*
 * Files that are written to in place, and a guard that has ended. The guard removes the probes from
 * a leased file before it is written to; here those of other files are removed when a change is
 * seen, and all are placed again when the writing is done.
 */

#define LOOK_INTERVAL (100 * NSEC_PER_MSEC)
#define GUARD_RETRY   NSEC_PER_SEC

/* The probes of @target are gone: it has none until it is renewed. */
static void target_lift(struct probe *probe, struct target *target)
{
	probe_set_lift(probe, &target->launches.set);
	spares_lift(probe, target);
	target_uncount(probe, target);
	pythons_drop(probe, target);
	bpf_mark_runtime(&probe->bpf, &target->id, NULL);
	errand_release(probe->outside.errands, target->hold);
	target->hold = -1;
	target->lifted = true;
}

static void target_written(struct probe *probe, struct target *target)
{
	target_lift(probe, target);
	guard_drop(probe->guard, &target->file.number, 1);
	/* Say so now, not before: a reader of this line may rely on it. */
	note(probe->settings.notes, "%s: is being written to; its probes were taken off",
	     target->path ? target->path : "a file");
	guarded_let(&target->file);
}

/* Attaches to what was written. Returns 0 or a negative errno with @why set. */
static int target_attach(struct probe *probe, struct target *target, struct reason *why)
{
	const char *path = target->path ? target->path : "";
	struct seen_file seen;
	int err;

	err = outside_open_again(&probe->outside, target->file.fd, target->file.is_place, path,
				 COPY_TABLES | COPY_CODE, &seen);
	if (err)
		return reason_set(why, err, "%s", outside_error(err));
	err = seen.identified ? 0 : reason_set(why, -EIO, "cannot be identified");
	if (!err) {
		target->id = seen.id;
		err = probe_attach(probe, target, &seen, path, NULL, why);
	}
	seen_close(&seen);
	return err;
}

/* Probes the file anew, if the writing is done. */
static void target_renew(struct probe *probe, struct target *target)
{
	struct reason why = { "" };
	int err;

	if (clock_ns(CLOCK_MONOTONIC) < target->no_room_until ||
	    !guarded_again(&target->file, probe->guard))
		return;
	target_uncount(probe, target);
	err = target_attach(probe, target, &why);
	target->lifted = outside_is_later(err);
	if (!err) {
		probe_know(probe, &target->id, true);
		return;
	}
	if (error_passes(err))
		target_wait(target, err);
	/*
	 * Without probes no writer has to wait. What is there may be half a file, with the rest yet
	 * to come: then it is tried again when it has changed.
	 */
	guarded_let(&target->file);
	if (!target->lifted)
		note(probe->settings.notes, "%s: after it was written to: %s",
		     target->path ? target->path : "a file", why.text);
}

void target_tend(struct probe *probe, struct target *target)
{
	if (!target->lifted && guarded_is_touched(&target->file))
		target_written(probe, target);
	if (target->lifted)
		target_renew(probe, target);
}

void probe_notice(struct probe *probe, enum notice notice, uint32_t tgid, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	warn_user(probe->settings.notes, "%s", text);
	if (probe->settings.on_notice)
		probe->settings.on_notice(probe->settings.context, notice, tgid, text);
}

/*
 * Starts another guard. All probes went with the one before; each file is probed anew like one that
 * was written to.
 */
static void guard_renew(struct probe *probe, uint64_t now)
{
	struct reason why = { "" };
	struct target *target;
	struct guard *guard;

	if (now < probe->guard_retry)
		return;
	if (guard_start(&guard, probe_method(probe) != ATTACH_PERF, &why)) {
		if (!probe->guard_retry)
			warn_user(
				probe->settings.notes,
				"the process that held the probes was ended, and nothing is seen any more: %s",
				why.text);
		probe->guard_retry = now + GUARD_RETRY;
		return;
	}
	probe->guard_retry = 0;
	guard_end(probe->guard);
	probe->guard = guard;
	probe->counts.late++;
	probe_notice(
		probe, NOTICE_LOST, 0,
		"the process that held the probes (cutop-guard) was ended: they are placed anew, and what "
		"programs did meanwhile was not seen");
	for (target = probe->targets; target; target = target->next)
		if (!target->lifted)
			target_lift(probe, target);
}

void probe_tend(struct probe *probe)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool look = now - probe->looked >= LOOK_INTERVAL;
	struct target *target;

	if (look)
		probe->looked = now;
	if (look && !guard_is_alive(probe->guard))
		guard_renew(probe, now);
	for (target = look ? probe->targets : NULL; target; target = target->next)
		target_tend(probe, target);
	launches_tend(probe, now);
	errands_tend(probe->outside.errands);
	unused_drop(probe, now);
}

/* ---- probe open ---- */

/*
 * Opening: what this kernel can do, and what probes do to programs here, decides which layers,
 * returns and instructions are probed.
 */

/*
 * If each function takes a link of its own, which is slow to undo, the driver's calls are probed
 * only for users who ask for them alone: the runtime makes most of them, and its calls are seen.
 */
static void layers_choose(struct probe *probe, const struct kernel_features *features)
{
	unsigned int *layers = &probe->settings.bpf.layers;

	if (features->method != ATTACH_PERF || *layers != (1u << LAYER_COUNT) - 1)
		return;
	*layers = 1u << LAYER_RUNTIME;
	note(probe->settings.notes,
	     "this kernel takes long to undo probes: the driver's calls are not watched; "
	     "--layer driver asks for them alone");
}

/*
 * If return probes would kill programs, none are placed: they affect all processes that map a file.
 */
static void returns_choose(struct probe *probe, const struct kernel_features *features)
{
	struct bpf_settings *settings = &probe->settings.bpf;
	const struct notes *notes = probe->settings.notes;

	if (probe->settings.returns == RETURNS_NEVER)
		settings->blind = UNRETURNED_ASKED;
	if (probe->settings.returns != RETURNS_AUTO)
		return;
	if (features->filtered_die) {
		settings->blind = UNRETURNED_SECCOMP;
		warn_user(
			notes,
			"on this kernel (%s) return probes kill programs under a seccomp filter: none are placed, and "
			"allocations, failures and times are not known; update the kernel, or, where no program that uses CUDA "
			"is filtered, give --returns=always",
			features->release);
	} else if (features->shadowed_die && shadow_stacks_used()) {
		settings->blind = UNRETURNED_SHADOW_STACK;
		warn_user(
			notes,
			"on this kernel (%s) return probes kill programs that have a shadow stack, and some have one: none "
			"are placed, and allocations, failures and times are not known; update the kernel to 6.11 or newer, or, "
			"where none of them uses CUDA, give --returns=always",
			features->release);
	}
}

static void forms_note(const struct notes *notes, const struct forms *forms)
{
	char list[512] = "";
	int form;

	for (form = FORM_OTHER + 1; form < FORM_COUNT; form++)
		if (forms->verdicts[form] == FORM_EMULATED)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), " %s",
				 form_names[form]);
	note(notes, "instructions that the kernel emulates under a probe (%s):%s",
	     forms->tried ? "tried" : "not tried: taken for granted", list);
}

int probe_open(struct probe **result, const struct probe_settings *settings, struct reason *why)
{
	struct kernel_features features;
	struct forms forms;
	struct probe *probe;
	size_t i;
	int err;

	*result = NULL;
	if (!kernel_rights(why))
		return -EPERM;
	if (!kernel_pids(why))
		return -ENOTSUP;
	err = kernel_features_read(&features, settings->method, why);
	if (!err)
		err = kernel_rights_for(features.method, why);
	if (err)
		return err;
	probe = calloc(1, sizeof(*probe));
	if (!probe)
		return reason_set(why, -ENOMEM, "no memory");
	probe->settings = *settings;
	probe->outside = (struct outside){ .errands = settings->errands,
					   .again = &probe->again,
					   .identifier = -1 };
	forms_try(&forms, features.method);
	/* Start it before anything is open that it would inherit. */
	err = guard_start(&probe->guard, features.method != ATTACH_PERF, why);
	if (err) {
		free(probe);
		return err;
	}
	layers_choose(probe, &features);
	returns_choose(probe, &features);
	probe->bpf.features = features;
	err = bpf_open(&probe->bpf, &features, &probe->settings.bpf, why);
	if (err) {
		guard_end(probe->guard);
		free(probe);
		return err;
	}
	probe->bpf.forms = forms;
	probe->outside.identifier = bpf_identifier(&probe->bpf);
	for (i = 0; i < settings->pid_count; i++)
		probe_list_process(probe, settings->pids[i], true);
	note(settings->notes, "Linux %s, probes by %s links", features.release,
	     attach_method_names[features.method]);
	forms_note(settings->notes, &forms);
	*result = probe;
	return 0;
}

/* ---- probe watch ---- */

/*
 * Processes: the BPF side reports those that start and end and what running ones load; user space
 * tells it of idle ones.
 */

static int link_trace(struct probe *probe, const struct bpf_program *program)
{
	/*
	 * Programs of type tp_btf attach to what they were loaded for by a raw tracepoint without a
	 * name: linux/bpf.h, BPF_RAW_TRACEPOINT_OPEN
	 */
	int fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(program));

	if (fd < 0)
		return fd;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return probe_adopt_link(probe, fd);
}

/*
 * A program brings in a library by mmap(2). There are two ways to see that: the kernel's function
 * behind the system call, if it can be traced; or the first touch of a page of the file, which
 * costs mmap(2) nothing and each such page fault a little.
 * A compiler may have inlined a copy of the function that the probe does not see, and a file system
 * may bring its pages to a process in its own way. So we map and touch some code of our own, and
 * check whether the BPF program saw that.
 */
static bool own_mapping_is_seen(struct bpf *bpf)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	volatile __u32 *seen = &bpf->skeleton->bss->own_mappings;
	__u32 before = *seen;
	void *code;

	if (fd < 0)
		return false;
	code = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (code == MAP_FAILED)
		return false;
	(void)*(const volatile char *)code;
	munmap(code, page);
	return *seen != before;
}

/* Watches by @program, and by @other, unless NULL. Returns 0 or a negative errno, with nothing watched. */
static int loading_link(struct probe *probe, const struct bpf_program *program,
			const struct bpf_program *other)
{
	size_t before = probe->adopted_count;
	int err = link_trace(probe, program);

	if (!err && other)
		err = link_trace(probe, other);
	if (!err && !own_mapping_is_seen(&probe->bpf))
		err = -ENOTSUP;
	while (err && probe->adopted_count > before)
		close(probe->adopted[--probe->adopted_count]);
	return err;
}

/* Has every mapping of a file's code reported. Returns enum loading_way, or a negative errno. */
static int loading_watch(struct probe *probe)
{
	struct cutop_bpf *s = probe->bpf.skeleton;
	int err = -ENOTSUP;

	if (probe->bpf.features.map_function)
		err = loading_link(probe, s->progs.file_mapping, NULL);
	if (!err)
		return LOADING_FUNCTION;
	if (probe->bpf.features.map_touch)
		err = loading_link(probe, s->progs.file_touch, s->progs.file_touch_alone);
	return err ? err : LOADING_TOUCH;
}

int probe_watch(struct probe *probe, struct reason *why)
{
	struct cutop_bpf *s = probe->bpf.skeleton;
	int err;

	err = link_trace(probe, s->progs.process_exec);
	if (!err)
		err = link_trace(probe, s->progs.process_exit);
	/* A forked child runs its parent's interpreter, and tells nothing of that itself. */
	if (!err && (probe->settings.bpf.follow_children || probe->settings.bpf.python))
		err = link_trace(probe, s->progs.process_fork);
	if (err)
		return reason_set(why, err, "cannot watch processes start and end: %s",
				  strerror(-err));
	probe->loading = loading_watch(probe);
	if (probe->loading < 0)
		/* Programs that start still show their libraries; only dlopen() goes unseen. */
		note(probe->settings.notes, "libraries loaded by running programs are not seen: %s",
		     strerror(-probe->loading));
	return 0;
}

int probe_loading(const struct probe *probe)
{
	return probe->loading;
}

int probe_watch_idle(struct probe *probe, uint32_t tgid, uint32_t uid, struct rec_process *process)
{
	return idle_watch(&probe->bpf, tgid, uid, process);
}

void probe_ignore(struct probe *probe, uint32_t program, bool ignored)
{
	bpf_ignore(&probe->bpf, program, ignored);
}

bool probe_has_left(const struct probe *probe, uint32_t program)
{
	return bpf_has_left(&probe->bpf, program);
}
