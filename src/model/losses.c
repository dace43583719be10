/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/losses.h"

static const char *const words[LOST_COUNT] = {
	[LOST_RING_FULL] = "events that found no room in the ring buffer (see --ring-size)",
	[LOST_RETURN] = "calls whose entry or return was not seen",
	[LOST_NESTING] = "calls nested too deep",
	[LOST_LAUNCH_ROWS] = "kernels for which there was no room",
	[LOST_COPY_ROWS] = "copies for which there was no room",
	[LOST_CALL_ROWS] = "calls for which there was no room",
	[LOST_FAIL_ROWS] = "failures for which there was no room",
	[LOST_PROCESSES] = "processes for which there was no room",
	[LOST_NAMES] = "kernel names for which there was no room",
	[LOST_ARGUMENT] = "arguments that could not be read",
	[LOST_THREADS] = "threads for which there was no memory",
	[LOST_GRAPHS] = "graphs or nodes of graphs for which there was no room",
	[LOST_STACKS] = "user stacks that could not be taken or kept",
	[LOST_TRACED] = "traced calls for which the ring buffer had no room",
	[LOST_PYTHON] = "Python frames that could not be read or kept",
	[LOST_CALL_SITES] = "sites of launches or waits for which there was no room",
	[LOST_LINES] =
		"source lines: the process that reads them ended at their file, or that user's files ended it too often",
	[LOST_SYMBOLS] =
		"names of functions for which there was no memory (see --names-memory), or no time",
	[LOST_UNANSWERED] = "reads of files or memory that nothing delivered",
	[LOST_FREE] = "frees that were not seen: an address was handed out again",
	[LOST_RECORD] = "invalid records",
	[LOST_MEMORY] = "records for which cutop had no memory",
};

const char *losses_words(enum lost_cause cause)
{
	return words[cause];
}

uint64_t losses_total(const struct losses *losses, enum lost_cause cause)
{
	return losses->own[cause] + (cause < LOST_FED_COUNT ? losses->fed[cause] : 0);
}

static uint64_t to_tell(struct losses *losses, enum lost_cause cause)
{
	uint64_t total = losses_total(losses, cause);

	if (!total || (losses->told[cause] && total / 2 < losses->told[cause]))
		return 0;
	losses->told[cause] = total;
	return total;
}

uint64_t losses_add(struct losses *losses, enum lost_cause cause, uint64_t count)
{
	losses->own[cause] += count;
	return to_tell(losses, cause);
}

uint64_t losses_set(struct losses *losses, enum lost_cause cause, uint64_t total)
{
	if (cause >= LOST_FED_COUNT || total <= losses->fed[cause])
		return 0;
	losses->fed[cause] = total;
	return to_tell(losses, cause);
}
