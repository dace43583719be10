/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes: the BPF side reports those that start and end and what running ones load; user space
 * tells it of idle ones.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "probe/idle_processes.h"
#include "probe/loading.h"
#include "probe/probe_internal.h"

static int link_trace(struct probe *probe, struct bpf_program *program)
{
	/*
	 * tp_btf programs attach by a raw tracepoint without a name: linux/bpf.h,
	 * BPF_RAW_TRACEPOINT_OPEN
	 */
	int fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(program));

	if (fd < 0)
		return fd;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return probe_adopt_link(probe, fd);
}

int probe_watch(struct probe *probe, struct reason *why)
{
	struct cutop_bpf *s = probe->bpf.skeleton;
	struct loading_watch watch;
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
	err = loading_watch(&probe->bpf, &watch);
	if (err)
		/* Programs that start still show their libraries; only dlopen() goes unseen. */
		note(probe->settings.notes, "libraries loaded by running programs are not seen: %s",
		     strerror(-err));
	for (size_t i = 0; !err && i < ARRAY_LEN(watch.fds); i++)
		if (watch.fds[i] >= 0 && probe_adopt_link(probe, watch.fds[i]))
			return reason_set(why, -ENOMEM, "no memory");
	return 0;
}

int probe_watch_idle(struct probe *probe, uint32_t tgid, uint32_t uid, struct rec_process *process)
{
	return idle_watch(&probe->bpf, tgid, uid, process);
}

bool probe_has_left(const struct probe *probe, uint32_t program)
{
	return bpf_has_left(&probe->bpf, program);
}
