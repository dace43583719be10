/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are written to in place, and a guard that has ended. The guard removes the probes from
 * a leased file before it is written to; here those of other files are removed when a change is
 * seen, and all are placed again when the writing is done.
 */
#include "probe/probe_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/misses.h"
#include "probe/pythons.h"

#define LOOK_INTERVAL (100 * NSEC_PER_MSEC)
#define GUARD_RETRY   NSEC_PER_SEC
#define NO_ROOM_PAUSE NSEC_PER_SEC /* until probes that found no place are tried again */

/* The probes of @target are gone: it has none until it is renewed. */
static void target_lift(struct probe *probe, struct target *target)
{
	probe_set_lift(probe, &target->launches.set);
	spares_lift(probe, target);
	probe_count(probe, &target->attachment, -1);
	pythons_drop(probe, target);
	bpf_mark_runtime(&probe->bpf, &target->id, NULL);
	memset(&target->attachment, 0, sizeof(target->attachment));
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
		misses_drop(probe, &target->id);
		target->id = seen.id;
		err = probe_attach(probe, target, &seen, path, NULL, why);
	}
	seen_close(&seen);
	return err;
}

/* Probes the file anew, if the writing is done. */
static void target_renew(struct probe *probe, struct target *target)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct reason why = { "" };
	int err;

	if (now < target->no_room_until || !guarded_again(&target->file, probe->guard))
		return;
	err = target_attach(probe, target, &why);
	if (probe_error_passes(err))
		target->no_room_until = now + NO_ROOM_PAUSE;
	target->lifted = outside_is_later(err) || probe_error_passes(err);
	if (!err)
		return;
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
	if (guard_start(&guard, &why)) {
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
	if (probe->ask_again && now >= probe->ask_again) {
		probe->ask_again = 0;
		probe_ask_again(probe);
	}
	launches_tend(probe, now);
	errands_tend(probe->outside.errands);
	probe_try_again(probe);
	unused_drop(probe, now);
}
