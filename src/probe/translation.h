/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translators: programs that read the code of others and run a translation of it (valgrind, Pin,
 * DynamoRIO, QEMU's user mode), and those that copy processes (CRIU). They read a breakpoint as
 * code, and it ends the program, or the process restored from the copy. The kernel cannot exempt
 * one process when all that map a file are probed. So the user is told; or, with
 * probe_settings.yields, there are no probes while such a process runs: they are removed when it
 * starts, long before it maps a probed file.
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

/* A process that translates: its pid, and when it began, as in translator_row. */
struct translator {
	uint32_t tgid;
	uint64_t since;
};

/*
 * Fills @names (room for TRANSLATORS_MAX); the first *@copiers of them copy processes. Returns how
 * many there are.
 */
size_t translators_name(struct translator_name *names, uint32_t *copiers);

/*
 * What a process called @comm (CUTOP_COMM_LEN bytes at most) is known as, for example "valgrind";
 * NULL: it is no translator.
 */
const char *translator_kind(const char *comm);

/* True if a translator has the file of @st mapped. */
struct outside;
bool translators_map(const struct outside *outside, const struct stat *st);

/* Has translators that run now reported when they map probed files from now on. */
void translators_find(struct probe *probe);

/*
 * @pid has the file at @path mapped, which has just been probed: tells the user if it is a
 * translator.
 */
void translator_meet(struct probe *probe, pid_t pid, const char *path);

/*
 * Called before probes are placed on the file of @target. True if a translator runs: then the user
 * is told, and @target has no probes until it has ended.
 */
bool translators_yield(struct probe *probe, struct target *target);

/* True while a process runs for whose sake @target has no probes. */
bool translators_have(struct probe *probe, struct target *target);

#endif
