/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes that can be spared (enum spare). A probe is on a file, and all processes that map the file
 * pay for it; so what is given up for one of them is given up for all of these.
 */
#ifndef PROBE_SPARES_H
#define PROBE_SPARES_H

#include <stddef.h>
#include <stdint.h>

#include "probe/attach.h"

struct probe;
struct target;

struct spare_user {
	uint32_t tgid;
	/* Bits of enum spare: */
	unsigned int unwanted; /* what it should not pay for just now */
	unsigned int missing;  /* filled in: what a file that it maps has no probes for just now */
	/* What is given up of it; with what is of others that map one of its files */
	unsigned int given;
};

/*
 * Moves what can be spared from @functions, found in @target's file, to @target. Returns 0 or
 * -ENOMEM.
 */
int spares_take(struct target *target, struct elf_functions *functions);

/* Probes them in the file, open at @fd. Returns how many kinds there are. */
unsigned int spares_place(struct probe *probe, struct target *target, int fd);

/* Removes, and places, what @users ask for, and tells each what is missing for it. */
void spares_settle(struct probe *probe, struct spare_user *users, size_t count);

void spares_lift(struct probe *probe, struct target *target);
void spares_free(struct target *target);

#endif
