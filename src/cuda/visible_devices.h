/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the machine's devices a process sees, by its environment and its open files. */
#ifndef CUDA_VISIBLE_DEVICES_H
#define CUDA_VISIBLE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VISIBLE_MAX     64   /* devices */
#define VISIBLE_UNKNOWN (-1) /* it is one of the machine's, but not known which */

/* The machine's devices, and parts of them. */
struct visible_gpu {
	int number;    /* a part: its device's */
	int minor;     /* of /dev/nvidiaMINOR; -1: unknown */
	char uuid[96]; /* empty: unknown */
};

struct visible_gpus {
	struct visible_gpu *list;
	size_t count; /* 0: nothing is known of them */
};

/* Returns 0 or -ENOMEM. */
int visible_gpus_add(struct visible_gpus *gpus, const struct visible_gpu *gpu);
/* Fills @gpus, to be freed, from @directory (VISIBLE_GPUS). */
void visible_gpus_read(const char *directory, struct visible_gpus *gpus);
void visible_gpus_free(struct visible_gpus *gpus);

#define VISIBLE_GPUS "/proc/driver/nvidia/gpus"

/*
 * Parses @list, a value of CUDA_VISIBLE_DEVICES: the process's device number i is the machine's
 * number @devices[i], or VISIBLE_UNKNOWN. Returns how many entries it stored in @devices, which has room
 * for VISIBLE_MAX, or 0 if the list cannot be resolved.
 */
size_t visible_parse(const char *list, const struct visible_gpus *gpus, int *devices);

/* Clues are strings, each ended by NUL, that begin with one of these. */
#define VISIBLE_START 'S' /* a variable that it was started with; alone: all are known */
#define VISIBLE_NOW   'N' /* one that it has now; the same */
#define VISIBLE_NODE  'D' /* MINOR: of /dev/nvidiaMINOR, if just one is open */

/* 1 if @variable ("NAME=VALUE") is one that matters, 0: another, -1: it is none. */
int visible_is_clue(const char *variable);

/* What follows @mark and @name ("NAME=") in one of the strings of @clues; NULL: none. */
const char *visible_clue(const char *clues, size_t len, char mark, const char *name);

/* Prints the clues in @environment: @len bytes of strings, each ended by NUL, and one more NUL. */
void visible_clues_print(FILE *out, char mark, const char *environment, size_t len);

/*
 * The same as visible_parse() for the process with the @len bytes of @clues; in a container, of the
 * devices that it was given. @is_late: it may have called CUDA long ago, with other variables. Returns 0
 * if it sees all, by the machine's numbers.
 */
size_t visible_find(const char *clues, size_t len, bool is_late, const struct visible_gpus *gpus,
		    int *devices);

/* True if one of them is an open node. */
bool visible_has_node(const char *clues, size_t len);

#endif
