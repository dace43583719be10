/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which functions of the table are probed. */
#ifndef PROBE_CHOICE_H
#define PROBE_CHOICE_H

#include <stdbool.h>

#include "cutop_calls.h"

/* Whether returns are probed. */
enum returns_choice {
	RETURNS_AUTO, /* where this kernel does no harm by it */
	RETURNS_ALWAYS,
	RETURNS_NEVER,
};

/* Of which calls native stacks are taken. */
enum stacks_choice {
	STACKS_NEVER,
	/*
	 * allocations, failed calls, and launches and waits if their sites are asked for, where
	 * stacks are walked by rows (bpf/unwind.bpf.h), and there are no Python frames
	 */
	STACKS_AUTO,
	STACKS_TAKEN,  /* of the same, by frame pointers if need be, and merged with Python's */
	STACKS_ALWAYS, /* the same, with the sites of launches and waits */
};

/* Functions that are not probed although allocations cannot be seen without them: see attach.c. */
struct unprobed {
	unsigned int allocs, frees;
};

struct attach_choice {
	unsigned int groups; /* bits of enum call_group */
	unsigned int layers; /* bits of enum call_layer */
	/* The use of functions for which choice_notices() is true is noticed */
	bool notice_driver;
};

/*
 * True if @choice asks for the function. Registrations are followed even if only the driver's calls
 * are: they name its kernels, and enclose no driver call. Calls that build graphs are followed
 * together with launches: a launch into a capture would otherwise count as executed.
 */
static inline bool choice_wants(const struct attach_choice *choice, const struct call_desc *desc)
{
	unsigned int groups = choice->groups;

	if (desc->class == CLASS_EXTRA) /* the user named it */
		return true;
	if (groups & 1u << GROUP_LAUNCH && desc->class == CLASS_GRAPH)
		groups |= 1u << desc->group;
	if (!(groups & 1u << desc->group))
		return false;
	/*
	 * Only the runtime names kernels; the sizes of its variables are known from the driver,
	 * too.
	 */
	return choice->layers & 1u << desc->layer ||
	       (desc->class == CLASS_REGISTER && desc->b != NO_ARG);
}

/* True if all we need to know is whether a program itself, not the runtime, calls this function. */
static inline bool choice_notices(const struct attach_choice *choice, const struct call_desc *desc)
{
	return choice->notice_driver && desc->layer == LAYER_DRIVER && desc->class == CLASS_ALLOC &&
	       KIND_CAN_LEAK(desc->a) && choice->groups & 1u << desc->group;
}

#endif
