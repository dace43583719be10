/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which launches the driver sees as well depends on the runtime's version, read from its code. */
#include "probe/launches.h"

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
	probe_set_free(&launches->set);
	if (elfinfo_runtime_version(fd, functions) < LAUNCHES_PASSED_ON)
		return 0;
	return probe_set_take(&launches->set, functions, is_launch);
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
