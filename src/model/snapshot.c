/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/arena.h"
#include "model/columns.h"
#include "model/stream.h"

const char *command_basename(const char *command)
{
	const char *slash = strrchr(command, '/');

	return slash && slash[1] ? slash + 1 : command;
}

struct snapshot *snapshot_hold(struct snapshot *snapshot)
{
	__atomic_add_fetch(&snapshot->shared, 1, __ATOMIC_RELAXED);
	return snapshot;
}

void snapshot_free(struct snapshot *snapshot)
{
	if (snapshot && !__atomic_fetch_sub(&snapshot->shared, 1, __ATOMIC_ACQ_REL))
		arena_free(snapshot->arena);
}

const char *const alloc_state_names[ALLOC_STATE_COUNT] = {
	[ALLOC_LIVE] = "live", [ALLOC_SUSPECT] = "suspect", [ALLOC_LEAKED] = "leaked",
	[ALLOC_HELD] = "held", [ALLOC_SAVED] = "saved",
};

const char *snapshot_call_name(unsigned int call, const struct snap_extra *extra)
{
	return extra->symbol ? extra->symbol : call_name(call);
}

const char *snapshot_call_brief(unsigned int call, const struct snap_extra *extra)
{
	return extra->symbol && extra->brief ? extra->brief : snapshot_call_name(call, extra);
}

const char *snapshot_instance(const struct snap_device *device,
			      const struct snap_instance *instance, char out[INSTANCE_TEXT])
{
	int len = snprintf(out, INSTANCE_TEXT, "%d:%u", device->device, instance->gpu_instance);

	if (instance->compute_instance)
		snprintf(out + len, INSTANCE_TEXT - (size_t)len, ":%u", instance->compute_instance);
	return out;
}

const char *snapshot_line(const struct snap_line *line, char out[LINE_TEXT])
{
	const char *about = line->sampled ? "~" : "";
	char bytes[16];

	format_bytes((double)line->live, bytes, sizeof(bytes));
	snprintf(out, LINE_TEXT, "%s%s in %s%" PRIu64 " allocation%s from %s", about, bytes, about,
		 line->allocations, line->allocations == 1 ? "" : "s",
		 line->where.site ? line->where.site : line->text);
	return out;
}

void moment_fill(struct snapshot *snapshot, const struct rec_moment *moment)
{
	snapshot->targets = moment->targets;
	snapshot->attached = moment->attached;
	snapshot->missing = moment->missing;
	snapshot->has_points = moment->has_points;
	snapshot->at_entry = moment->at_entry;
	snapshot->past_entry = moment->past_entry;
	snapshot->single_stepped = moment->single_stepped;
	snapshot->self_cpu_seconds = (double)moment->self_cpu_ns / 1e9;
	snapshot->self_resident_bytes = moment->self_resident;
}
