/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which launches the driver sees as well depends on the runtime's version, read from its code. */
#include "probe/launches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "probe/elfinfo.h"
#include "probe/probe_internal.h"
#include "util/util.h"

/* After the last function that became known. A step of most programs takes less. */
#define TEACHING (5 * NSEC_PER_SEC)

static bool is_launch(const struct elf_function *function)
{
	const struct call_desc *desc;

	if (function->call >= CALL_COUNT)
		return false;
	desc = &call_descs[function->call];
	return desc->layer == LAYER_RUNTIME && desc->class == CLASS_LAUNCH;
}

int launches_take(struct launches *launches, int fd, struct elf_functions *functions)
{
	struct elf_functions *own = &launches->functions;
	size_t kept = 0, i;

	launches_free(launches);
	if (elfinfo_runtime_version(fd, functions) < LAUNCHES_PASSED_ON)
		return 0;
	own->list = malloc(functions->count * sizeof(*own->list));
	if (!own->list)
		return -ENOMEM;
	for (i = 0; i < functions->count; i++)
		if (is_launch(&functions->list[i]))
			own->list[own->count++] = functions->list[i];
		else
			functions->list[kept++] = functions->list[i];
	/* The further names stand behind the functions. */
	memmove(functions->list + kept, functions->list + functions->count,
		functions->aliases * sizeof(*functions->list));
	functions->count = kept;
	return 0;
}

void launches_probe(struct probe *probe, struct target *target, const struct seen_file *seen,
		    const char *path)
{
	struct launches *launches = &target->launches;
	struct attach_choice choice = probe_choice(probe);
	struct reason why = { "" };

	if (!launches->functions.count || launches->shelf)
		return;
	launches->functions.library = target->library;
	launches->attachment.helper = -1;
	launches->shelf = ++probe->last_shelf;
	launches->until = clock_ns(CLOCK_MONOTONIC) + TEACHING;
	guard_open(&launches->guard, seen, keeper_pid(probe->keeper));
	keeper_watch(probe->keeper, launches->shelf, &launches->guard);
	if (attachment_open(&launches->attachment, &probe->bpf, seen_place(seen),
			    &launches->functions, &choice, probe_pids(probe), &why)) {
		keeper_drop(probe->keeper, &launches->shelf, 1);
		guard_close(&launches->guard);
		launches->shelf = 0;
		return;
	}
	keeper_keep(probe->keeper, launches->shelf, launches->attachment.links,
		    launches->attachment.link_count);
	probe_count(probe, &launches->attachment, 1);
	note(probe->settings.notes,
	     "%s: a program ran before it was probed: for a while its launches are counted at both layers",
	     path);
}

void launches_lift(struct probe *probe, struct target *target)
{
	struct launches *launches = &target->launches;

	if (!launches->shelf)
		return;
	probe_count(probe, &launches->attachment, -1);
	keeper_drop(probe->keeper, &launches->shelf, 1);
	attachments_close(&launches->attachment, 1);
	guard_close(&launches->guard);
	memset(&launches->attachment, 0, sizeof(launches->attachment));
	launches->shelf = 0;
}

/* Places the probes of @target again, by the file as it is still open. */
static void probe_again(struct probe *probe, struct target *target)
{
	const char *path = target->path ? target->path : "a file";
	struct seen_file seen;

	if (!target->launches.functions.count || target->launches.shelf ||
	    outside_open_again(&probe->outside, target->guard.fd, target->guard.is_place, path,
			       COPY_TABLES, &seen))
		return; /* its kernels keep the names that they have */
	launches_probe(probe, target, &seen, path);
	seen_close(&seen);
}

void launches_tend(struct probe *probe, uint64_t now)
{
	const struct cutop_bpf__bss *bss = probe->bpf.skeleton->bss;
	__u32 unknown_handles = __atomic_load_n(&bss->unknown_handles, __ATOMIC_RELAXED),
	      taught_handles = __atomic_load_n(&bss->taught_handles, __ATOMIC_RELAXED);
	struct target *target;

	for (target = probe->targets; target; target = target->next) {
		if (target->launches.shelf && taught_handles != probe->taught_handles)
			target->launches.until = now + TEACHING;
		if (target->launches.shelf && now >= target->launches.until) {
			launches_lift(probe, target);
			note(probe->settings.notes,
			     "%s: its launches are counted at the driver alone now",
			     target->path ? target->path : "a file");
		}
		/* A file that nothing ran from before explains nothing. */
		if (!target->lifted && target->launches.until &&
		    unknown_handles != probe->unknown_handles)
			probe_again(probe, target);
	}
	probe->taught_handles = taught_handles;
	probe->unknown_handles = unknown_handles;
}

void launches_free(struct launches *launches)
{
	free(launches->functions.list);
	memset(&launches->functions, 0, sizeof(launches->functions));
}
