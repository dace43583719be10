/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs watch listed processes only, and none is listed. */
#include "probe/dry_run.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/loading.h"
#include "probe/hit_cost.h"

struct dry_run {
	struct bpf bpf;
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
