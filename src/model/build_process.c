/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rates are differences to what each counter was at the snapshot before, which is remembered beside the counter. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/model_state.h"
#include "util/saturated.h"

static const char *string_or(struct build *build, const char *text, const char *otherwise)
{
	return arena_string(build->arena, text ? text : otherwise);
}

static const char *command_line(struct build *build, const struct snap_process *process)
{
	size_t command = strlen(process->command), arguments = strlen(process->arguments);
	char *line;

	if (!arguments)
		return process->command;
	line = arena_alloc(build->arena, command + arguments + 2, 1);
	if (line)
		snprintf(line, command + arguments + 2, "%s %s", process->command, process->arguments);
	return line;
}

static int build_identity(struct build *build, const struct image *image, struct snap_process *process)
{
	char uid[16];

	process->image = image->number;
	process->pid = image->identity.pid;
	process->parent_pid = image->identity.parent_pid;
	process->ns_pid = image->identity.ns_pid;
	process->uid = image->identity.uid;
	process->start_time = image->identity.identified && image->identity.start_real ? image->identity.start_real
								     : wall_clock_at(&build->model->clock, image->first_time);
	process->exited = image->ended;
	process->end_time = image->ended ? wall_clock_at(&build->model->clock, image->end_time) : 0;
	process->exit_code = image->exit_code;
	process->end_reason = image->end_reason;
	process->from_attach = image->identity.from_attach;
	process->inexact = image_is_inexact(image);
	process->unreturned = image->unreturned;

	snprintf(uid, sizeof(uid), "%u", image->identity.uid);
	process->user = string_or(build, image->identity.user, uid);
	process->command = arena_string(build->arena, identity_name(&image->identity));
	process->arguments = string_or(build, image->identity.arguments, "");
	if (!process->user || !process->command || !process->arguments)
		return -ENOMEM;
	process->command_line = command_line(build, process);
	if (!process->command_line)
		return -ENOMEM;
	if (image->identity.container && !(process->container = arena_string(build->arena, image->identity.container)))
		return -ENOMEM;
	if (image->identity.pod && !(process->pod = arena_string(build->arena, image->identity.pod)))
		return -ENOMEM;
	return 0;
}

static int build_devices(struct build *build, const struct image *image, struct snap_process *process)
{
	char text[256] = "";
	size_t used = 0;
	int device, last;

	process->devices = arena_alloc(build->arena, own_devices_count(&image->devices), sizeof(*process->devices));
	if (!process->devices)
		return -ENOMEM;
	for (device = own_devices_next(&image->devices, 0); device >= 0; device = own_devices_next(&image->devices, last + 1)) {
		last = device;
		while (own_devices_next(&image->devices, last + 1) == last + 1)
			last++;
		for (int i = device; i <= last; i++)
			process->devices[process->device_count++] = i;
		/* A list too long for the text is cut; the numbers are all there. */
		if (used + 16 > sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", used ? "," : "", device);
		if (last > device)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "-%d", last);
	}
	process->device_list = arena_string(build->arena, text);
	return process->device_list ? 0 : -ENOMEM;
}

static void build_rates(struct build *build, struct image *image, struct snap_process *process)
{
	bool was_over = image->ended && build->model->has_snapshot && image->end_time <= build->model->snapshot_time;
	unsigned int i;

	process->launches_per_second = build_rate(build, process->launches, image->launches_before);
	process->failures_per_second = build_rate(build, process->failures, image->failures_before);
	process->graph_launches_per_second = build_rate(build, process->graph_launches, image->graph_launches_before);
	image->launches_before = process->launches;
	image->graph_launches_before = process->graph_launches;
	image->failures_before = process->failures;
	for (i = 0; i < DIR_COUNT; i++) {
		process->copy_rate[i] = build_rate(build, process->copy_bytes[i], image->copies_before[i]);
		image->copies_before[i] = process->copy_bytes[i];
	}
	process->sync_share = was_over || image->unreturned ? NAN : build_rate(build, image->sync_ns, image->sync_before) / 1e9;
	if (process->sync_share > 1)
		process->sync_share = 1;
	image->sync_before = image->sync_ns;
}

int build_counters(struct build *build, struct image *image, struct snap_process *process)
{
	build_memory(image, process);
	process->sync_seconds = (double)image->sync_ns / 1e9;
	return build_kernels(build, image, process) ?:
	       build_copies(build, image, process) ?:
	       build_calls(build, image, process) ?:
	       build_failures(build, image, process);
}

int build_process(struct build *build, struct image *image, struct snap_process *process)
{
	int result;

	result = build_identity(build, image, process) ?:
		 build_devices(build, image, process) ?:
		 build_sites(build, image, process) ?:
		 build_map(build, image, process) ?:
		 build_spans(build, image, process);
	if (result)
		return result;
	build_sites_sort(process);
	result = build_uses(build, image, process) ?: build_counters(build, image, process);
	if (!result)
		build_rates(build, image, process);
	return result;
}
