/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translators: programs that read the code of others and run a translation of it (valgrind, Pin,
 * DynamoRIO, QEMU's user mode). They read a breakpoint as code, and it ends the program. The kernel
 * cannot exempt one process when all that map a file are probed: so the user is told, once for each
 * process. Those that were not told of are in the map `translators`, bpf/translators.bpf.h.
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

/* Fills @names (room for TRANSLATORS_MAX). Returns how many there are. */
size_t translators_name(struct translator_name *names);

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

#endif
