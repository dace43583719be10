/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a probed file that have links of their own, so that their probes can come and go. */
#ifndef PROBE_PROBE_SET_H
#define PROBE_PROBE_SET_H

#include "probe/attach.h"

struct probe;
struct target;

struct probe_set {
	struct elf_functions functions;
	struct attachment attachment;
	uint32_t number; /* the guard's for these links; 0: they have no probes now */
};

/*
 * Moves those of the @functions that are @wanted into the empty set. Further names stay behind the
 * functions. Returns 0, or -ENOMEM with nothing done. Undo with probe_set_free().
 */
int probe_set_take(struct probe_set *set, struct elf_functions *functions,
		   bool (*wanted)(const struct elf_function *function));

/* Probes them in @target's file, which is open at @fd. False: the kernel refused. */
bool probe_set_place(struct probe *probe, const struct target *target, struct probe_set *set,
		     int fd);

/* Removes their probes, if they have any. */
void probe_set_lift(struct probe *probe, struct probe_set *set);

/* Of a target that is given up, after its links. */
void probe_set_free(struct probe_set *set);

#endif
