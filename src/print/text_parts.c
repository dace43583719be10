/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small words and numbers that the text printers share. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "print/text.h"
#include "util/util.h"

const char *at_least(bool lower_bound)
{
	return lower_bound ? "≥" : "";
}

const char *text_bytes(double bytes, char out[NUMBER_SIZE])
{
	if (!isfinite(bytes))
		return strcpy(out, "-");
	format_bytes(bytes, out, NUMBER_SIZE);
	return out;
}

const char *text_count(double count, char out[NUMBER_SIZE])
{
	if (!isfinite(count))
		return strcpy(out, "-");
	format_count(count, out, NUMBER_SIZE);
	return out;
}

const char *text_seconds(double seconds, char out[NUMBER_SIZE])
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };
	double value = seconds * 1e9;
	size_t unit = 0;

	if (!isfinite(seconds))
		return strcpy(out, "-");
	/* compare the rounded value: 999.7 ns are 1.0 µs */
	for (; unit < 3 && value >= 999.5; unit++)
		value /= 1e3;
	snprintf(out, NUMBER_SIZE, value < 9.95 && unit ? "%.1f%s" : "%.0f%s", value, units[unit]);
	return out;
}

const char *text_remark(const struct snap_process *process, char out[NUMBER_SIZE])
{
	const char *more = process->inexact ? ", inexact" : "";
	int status = process->exit_code;

	if (!process->exited) {
		bool is_spared = snapshot_is_spared(process);

		return strcpy(out, process->inexact && is_spared ? " (inexact, less is watched)" :
				   process->inexact              ? " (inexact)" :
				   is_spared                     ? " (less is watched)" :
								   "");
	}
	if (process->end_is_guess)
		snprintf(out, NUMBER_SIZE, " (ended%s)", more);
	else if (process->end_reason == END_EXEC)
		snprintf(out, NUMBER_SIZE, " (exec%s)", more);
	else if (WIFSIGNALED(status) && signal_name(WTERMSIG(status)))
		snprintf(out, NUMBER_SIZE, " (killed by %s%s)", signal_name(WTERMSIG(status)),
			 more);
	else if (WIFSIGNALED(status))
		snprintf(out, NUMBER_SIZE, " (killed by signal %d%s)", WTERMSIG(status), more);
	else
		snprintf(out, NUMBER_SIZE, " (exited %d%s)", WEXITSTATUS(status), more);
	return out;
}

bool text_unseen(const struct snapshot *snapshot, enum unseen_cause cause, char out[UNSEEN_SIZE])
{
	const struct snap_unseen *unseen = &snapshot->unseen[cause];
	const char *plural = unseen->total == 1 ? "" : "s";

	*out = 0;
	if (!unseen->total)
		return false;
	switch (cause) {
	case UNSEEN_DRIVER:
		snprintf(
			out, UNSEEN_SIZE,
			"process %" PRIu32
			" (%s) allocated by the driver's functions, and only the runtime's are "
			"watched: --layer both shows it, or, where the kernel cannot do that, --layer driver",
			unseen->pid, unseen->comm);
		break;
	case UNSEEN_LATE:
		snprintf(
			out, UNSEEN_SIZE,
			"a program ran or loaded a CUDA library before it was probed; --library names it, or the "
			"program, ahead");
		break;
	case UNSEEN_ALLOC:
		snprintf(
			out, UNSEEN_SIZE,
			"%" PRIu64
			" function%s that allocate%s could not be probed, or w%s left out; cutop doctor "
			"names them",
			unseen->total, plural, *plural ? "" : "s", *plural ? "ere" : "as");
		break;
	case UNSEEN_FREE:
		snprintf(
			out, UNSEEN_SIZE,
			"%" PRIu64
			" function%s that free%s could not be probed, or w%s left out: what leaked may have "
			"been freed; cutop doctor names them",
			unseen->total, plural, *plural ? "" : "s", *plural ? "ere" : "as");
		break;
	case UNSEEN_LAYER:
		snprintf(
			out, UNSEEN_SIZE,
			"the driver's calls are not watched, so what programs allocate by them is not known: --layer both "
			"watches them, --fail-on-leak notices them");
		break;
	default: return false;
	}
	return true;
}

const struct snap_process **sorted_processes(const struct snapshot *snapshot,
					     const struct sort_order *order)
{
	size_t count = snapshot->process_count;
	const struct snap_process **processes = calloc(count ? count : 1, sizeof(*processes));

	if (!processes)
		return NULL;
	for (size_t i = 0; i < count; i++)
		processes[i] = &snapshot->processes[i];
	sort_processes(processes, count, order);
	return processes;
}
