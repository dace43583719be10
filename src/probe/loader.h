/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loaders (ld.so) of COMMAND's programs, in which the thread that brings in a library waits until that
 * library was looked at: bpf/loader.bpf.h.
 */
#ifndef PROBE_LOADER_H
#define PROBE_LOADER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "cutop_event.h"

struct probe;

/* Has threads wait in the loader at @path, if it is one by its name and the starter may read it. What it cannot do it notes. */
void loader_add(struct probe *probe, const char *path);
/* The same with our own, which most programs have. */
void loader_add_own(struct probe *probe);

/* True if what @tgid began to run or map at @since has run nothing yet, and will not before loader_answer(). */
bool loader_waits(struct probe *probe, uint32_t tgid, uint64_t since);

/* What @record told of was looked at: who waits for that goes on. */
void loader_answer(struct probe *probe, const struct rec_hdr *record);

/* From the first to the second a file is examined, and threads wait that may have it mapped. */
void loader_examining(struct probe *probe, bool examining);

#endif
