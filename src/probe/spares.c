/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/spares.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cutop_allocator.h"
#include "probe/probe_internal.h"

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
