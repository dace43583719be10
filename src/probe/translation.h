/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that read the code of others and run a translation of it (valgrind, Pin, DynamoRIO, QEMU's user mode), and those
 * that copy processes (CRIU): a breakpoint is code to them, and ends the program, or what is restored from the copy. The kernel
 * cannot leave a process out where all that map a file are probed. So the user is told, or there are no probes as long as such a
 * process runs (probe_settings.yields): they go when it begins, long before it maps anything that has some.
 */
#ifndef PROBE_TRANSLATION_H
#define PROBE_TRANSLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "cutop_event.h"

struct probe;
struct target;

/* A process that translates: its number, and when it began, as translator_row has it. */
struct translator {
	uint32_t tgid;
	uint64_t since;
};

/* Fills @names, TRANSLATORS_MAX, and @copiers: how many of them, the first, copy processes. Returns how many names there are. */
size_t translators_name(struct translator_name *names, uint32_t *copiers);

/* What a process called @comm (CUTOP_COMM_LEN bytes at most) is known as, "valgrind" for example; NULL: it translates nothing. */
const char *translator_kind(const char *comm);

/* True if a process that translates has the file of @st mapped. */
struct outside;
bool translators_map(const struct outside *outside, const struct stat *st);

/* Has those that run by now tell of the probed files that they map from now on. */
void translators_find(struct probe *probe);

/* @pid has the file at @path mapped, on which probes were placed: tells of it if it translates. */
void translator_meet(struct probe *probe, pid_t pid, const char *path);

/*
 * Called before probes are placed on the file of @target. True if a process that translates runs: then it is told of, and
 * @target has no probes until it has ended.
 */
bool translators_yield(struct probe *probe, struct target *target);

/* True as long as a process for which @target has no probes runs. */
bool translators_have(struct probe *probe, struct target *target);

#endif
