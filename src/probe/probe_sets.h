/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a probed file that have links of their own, so that their probes can come and go. */
#ifndef PROBE_PROBE_SETS_H
#define PROBE_PROBE_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "probe/attach.h"

struct probe;
struct target;

struct probe_set {
	struct elf_functions functions;
	struct attachment attachment;
	uint32_t number; /* the guard's for these links; 0: they have no probes now */
};

/* Removes their probes, if they have any. */
void probe_set_lift(struct probe *probe, struct probe_set *set);

/* Of a target that is given up, after its links. */
void probe_set_free(struct probe_set *set);

/*
 * The first runtime that passes all launches on, as cudaRuntimeGetVersion() has it: the code of
 * libcudart.so.13.0 returns cudaErrorInvalidConfiguration nowhere; that of 12.4 does.
 */
#define LAUNCHES_PASSED_ON 13000

/* Of a target: the runtime's functions that launch. None: they are probed like others. */
struct launches {
	struct probe_set set;
	uint64_t until; /* CLOCK_MONOTONIC, when their probes are taken off */
};

/*
 * Takes the runtime's launches out of @functions, those of the file open at @fd, if that passes all
 * of them on to the driver. Returns 0, or -ENOMEM with nothing done.
 */
int launches_take(struct launches *launches, int fd, struct elf_functions *functions);

/* Probes those of @target, whose file, found as @path, is open at @fd, for a while. */
void launches_probe(struct probe *probe, struct target *target, int fd, const char *path);

/* Removes their probes when it is time, and places them again for functions that are unknown. */
void launches_tend(struct probe *probe, uint64_t now);

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
