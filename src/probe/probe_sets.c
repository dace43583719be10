/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/probe_sets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cutop_allocator.h"
#include "probe/elffile.h"
#include "probe/probe_internal.h"
#include "util/util.h"

/*
 * Moves those of the @functions that are @wanted into the empty set. Further names stay behind the
 * functions. Returns 0, or -ENOMEM with nothing done. Undo with probe_set_free().
 */
static int probe_set_take(struct probe_set *set, struct elf_functions *functions,
			  bool (*wanted)(const struct elf_function *function))
{
	struct elf_functions *own = &set->functions;
	size_t kept = 0, i;

	own->list = malloc((functions->count + 1) * sizeof(*own->list));
	if (!own->list)
		return -ENOMEM;
	for (i = 0; i < functions->count; i++)
		if (wanted(&functions->list[i]))
			own->list[own->count++] = functions->list[i];
		else
			functions->list[kept++] = functions->list[i];
	memmove(functions->list + kept, functions->list + functions->count,
		functions->aliases * sizeof(*functions->list));
	functions->count = kept;
	return 0;
}

static void set_drop(struct probe *probe, struct probe_set *set)
{
	guard_drop(probe->guard, &set->number, 1);
	set->number = 0;
	memset(&set->attachment, 0, sizeof(set->attachment));
}

/* Probes them in @target's file, which is open at @fd. False: the kernel refused. */
static bool probe_set_place(struct probe *probe, const struct target *target, struct probe_set *set,
			    int fd)
{
	struct reason why = { "" };

	if (!set->functions.count || set->number)
		return false;
	set->functions.library = target->library;
	set->number = guard_number(probe->guard);
	if (links_place(probe, target, fd, &set->functions, &set->attachment, set->number, &why)) {
		set_drop(probe, set);
		return false;
	}
	probe_count(probe, &set->attachment, 1);
	return true;
}

void probe_set_lift(struct probe *probe, struct probe_set *set)
{
	if (!set->number)
		return;
	probe_count(probe, &set->attachment, -1);
	set_drop(probe, set);
}

void probe_set_free(struct probe_set *set)
{
	free(set->functions.list);
	memset(set, 0, sizeof(*set));
}

/* ---- launches ---- */

/*
 * Launches of the runtime, counted at the driver. The runtime of CUDA 13 checks nothing of a launch
 * itself: each reaches the driver, where a probe counts it, with the name that the kernel had when
 * the program loaded it. A second probe in the runtime would double what a launch costs. Earlier
 * runtimes refuse some launches without a call of the driver: theirs keep their probes.
 *
 * A program that ran before cutop may have loaded its kernels before. What the driver's functions
 * are made from then shows where a launch is seen at both layers. So the runtime's launches are
 * probed for some seconds, and again when such a program launches a function that is unknown.
 * Which launches the driver sees as well depends on the runtime's version, read from its code.
 */

/* After the last function that became known. A step of most programs takes less. */
#define TEACHING (5 * NSEC_PER_SEC)

static bool is_runtime_launch(const struct elf_function *function)
{
	const struct call_desc *desc;

	if (function->call >= CALL_COUNT)
		return false;
	desc = &call_descs[function->call];
	return desc->layer == LAYER_RUNTIME && desc->class == CLASS_LAUNCH;
}

int launches_take(struct launches *launches, int fd, struct elf_functions *functions)
{
	probe_set_free(&launches->set);
	if (elfinfo_runtime_version(fd, functions) < LAUNCHES_PASSED_ON)
		return 0;
	return probe_set_take(&launches->set, functions, is_runtime_launch);
}

void launches_probe(struct probe *probe, struct target *target, int fd, const char *path)
{
	if (!probe_set_place(probe, target, &target->launches.set, fd))
		return; /* its kernels keep the names that they have */
	target->launches.until = clock_ns(CLOCK_MONOTONIC) + TEACHING;
	note(probe->settings.notes,
	     "%s: a program ran before it was probed: for a while its launches are counted at both layers",
	     path);
}

void launches_tend(struct probe *probe, uint64_t now)
{
	const struct cutop_bpf__bss *bss = probe->bpf.skeleton->bss;
	__u32 unknown_handles = __atomic_load_n(&bss->unknown_handles, __ATOMIC_RELAXED),
	      taught_handles = __atomic_load_n(&bss->taught_handles, __ATOMIC_RELAXED);
	struct target *target;

	for (target = probe->targets; target; target = target->next) {
		if (target->launches.set.number && taught_handles != probe->taught_handles)
			target->launches.until = now + TEACHING;
		if (target->launches.set.number && now >= target->launches.until) {
			probe_set_lift(probe, &target->launches.set);
			note(probe->settings.notes,
			     "%s: its launches are counted at the driver alone now",
			     target->path ? target->path : "a file");
		}
		/* A file that nothing ran from before explains nothing. */
		if (!target->lifted && target->launches.until &&
		    unknown_handles != probe->unknown_handles)
			launches_probe(probe, target, target->file.fd,
				       target->path ? target->path : "a file");
	}
	probe->taught_handles = taught_handles;
	probe->unknown_handles = unknown_handles;
}

/* ---- spares ---- */

/*
 * Probes that can be spared (enum spare). A probe is on a file, and all processes that map the file
 * pay for it; so what is given up for one of them is given up for all of these.
 */

static bool is_block(const struct elf_function *function)
{
	return CUTOP_IS_ALLOCATOR(function->call);
}

static bool is_plain(const struct elf_function *function)
{
	return function->call < CALL_COUNT && call_descs[function->call].class == CLASS_PLAIN;
}

static bool is_launch(const struct elf_function *function)
{
	return function->call < CALL_COUNT && call_descs[function->call].class == CLASS_LAUNCH;
}

int spares_take(struct target *target, struct elf_functions *functions)
{
	static bool (*const wanted[SPARE_COUNT])(const struct elf_function *function) = {
		[SPARE_BLOCKS] = is_block,
		[SPARE_CALLS] = is_plain,
		[SPARE_LAUNCHES] = is_launch,
	};
	int err = 0;

	spares_free(target);
	for (int spare = 0; spare < SPARE_COUNT && !err; spare++)
		err = probe_set_take(&target->spares[spare], functions, wanted[spare]);
	return err;
}

unsigned int spares_place(struct probe *probe, struct target *target, int fd)
{
	unsigned int placed = 0;

	for (int spare = 0; spare < SPARE_COUNT; spare++)
		placed += probe_set_place(probe, target, &target->spares[spare], fd);
	return placed;
}

void spares_lift(struct probe *probe, struct target *target)
{
	for (int spare = 0; spare < SPARE_COUNT; spare++)
		probe_set_lift(probe, &target->spares[spare]);
}

void spares_free(struct target *target)
{
	for (int spare = 0; spare < SPARE_COUNT; spare++)
		probe_set_free(&target->spares[spare]);
	target->spared = 0;
}

/* ---- what users want ---- */

struct mapped_targets {
	struct probe *probe;
	void (*visit)(struct spare_user *user, struct target *target);
	struct spare_user *user;
};

/* As in /proc: on an overlay mount, maps shows another inode than the one that is probed. */
static int entry_visit(void *context, const struct maps_entry *entry)
{
	struct mapped_targets *mapped = context;
	struct target *target;

	for (target = mapped->probe->targets; target; target = target->next)
		if (target->id.inode == entry->inode ||
		    (target->path && !strcmp(target->path, entry->path)))
			mapped->visit(mapped->user, target);
	return 0;
}

static void users_visit(struct probe *probe, struct spare_user *users, size_t count,
			void (*visit)(struct spare_user *user, struct target *target))
{
	struct mapped_targets mapped = { .probe = probe, .visit = visit };

	for (size_t i = 0; i < count; i++) {
		mapped.user = &users[i];
		outside_maps(&probe->outside, (pid_t)users[i].tgid, 0, entry_visit, &mapped);
	}
}

static void unwanted_note(struct spare_user *user, struct target *target)
{
	target->unwanted |= user->unwanted;
	target->given |= user->given;
}

static void missing_note(struct spare_user *user, struct target *target)
{
	user->missing |= target->spared;
	user->given |= target->given | target->spared;
}

static void lifted_note(struct probe *probe, uint64_t until)
{
	__atomic_store_n(&probe->bpf.skeleton->bss->spares_lifted, until, __ATOMIC_RELAXED);
}

static void target_settle(struct probe *probe, struct target *target)
{
	for (int spare = 0; spare < SPARE_COUNT; spare++) {
		struct probe_set *set = &target->spares[spare];
		unsigned int bit = 1u << spare;

		if (target->unwanted & bit && set->number) {
			/* Of a call that is under way the return is not seen; blocks have none. */
			if (spare != SPARE_BLOCKS)
				lifted_note(probe, UINT64_MAX);
			probe_set_lift(probe, set);
			if (spare != SPARE_BLOCKS)
				lifted_note(probe, clock_ns(CLOCK_MONOTONIC));
			target->spared |= bit;
		} else if (!(target->unwanted & bit) && target->spared & bit) {
			if (spare == SPARE_LAUNCHES)
				/* No gap reaches back to before. */
				__atomic_store_n(&probe->bpf.skeleton->bss->launches_since,
						 clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
			probe_set_place(probe, target, set, target->file.fd);
			if (set->number)
				target->spared &= ~bit;
		}
	}
}

void spares_settle(struct probe *probe, struct spare_user *users, size_t count)
{
	struct target *target;

	for (target = probe->targets; target; target = target->next)
		target->unwanted = target->given = 0;
	users_visit(probe, users, count, unwanted_note);
	for (target = probe->targets; target; target = target->next)
		if (!target->lifted)
			target_settle(probe, target);
	users_visit(probe, users, count, missing_note);
}
