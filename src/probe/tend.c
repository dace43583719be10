/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probed files that are written to in place: their probes go before, and come back after that. */
#include "probe/probe_internal.h"

#include <string.h>

static void target_lift(struct probe *probe, struct target *target)
{
	probe_counts_add(probe, &target->attachment, -1);
	attachments_close(&target->attachment, 1);
	/* Now, and not before: who reads this may count on it. */
	note(probe->settings.notes, "%s: is being written to; its probes were taken off", target->path ? target->path : "a file");
	bpf_mark_runtime(&probe->bpf, &target->id, NULL);
	memset(&target->attachment, 0, sizeof(target->attachment));
	target->attachment.helper = -1;
	errand_release(probe->outside.errands, target->hold);
	target->hold = -1;
	target->lifted = true;
	guard_let(&target->guard);
}

/* Probes what was written, if that is done. */
static void target_renew(struct probe *probe, struct target *target)
{
	const char *path = target->path ? target->path : "";
	struct reason why = { "" };
	struct seen_file seen;
	int err;

	if (!guard_again(&target->guard))
		return;
	err = outside_open_again(&probe->outside, target->guard.fd, target->guard.is_place, path, COPY_TABLES | COPY_CODE, &seen);
	if (outside_is_later(err))
		return;
	target->lifted = false;
	if (err || !seen.identified)
		goto out;
	target->id = seen.id;
	if (target_attach(probe, target, &seen, path, NULL, &why))
		note(probe->settings.notes, "%s: after it was written to: %s", target->path ? target->path : "a file", why.text);
out:
	seen_close(&seen);
}

void target_tend(struct probe *probe, struct target *target)
{
	if (!target->lifted && guard_is_touched(&target->guard))
		target_lift(probe, target);
	if (target->lifted)
		target_renew(probe, target);
}

#define LOOK_INTERVAL	(100 * NSEC_PER_MSEC)

void probe_tend(struct probe *probe)
{
	bool told = guard_signals_read(probe->signals), look;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct target *target;

	look = now - probe->looked >= LOOK_INTERVAL;
	if (look)
		probe->looked = now;
	for (target = probe->targets; target; target = target->next)
		if (told || (look && (target->lifted || !target->guard.leased)))
			target_tend(probe, target);
	errands_tend(probe->outside.errands);
	probe_try_again(probe);
	unused_drop(probe, now);
}

int probe_fd(const struct probe *probe)
{
	return probe->signals;
}
