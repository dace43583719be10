/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loaders (ld.so) of COMMAND's programs: the thread that loads a library waits in there until
 * the library was examined: bpf/loader.bpf.h.
 */
#ifndef PROBE_LOADER_H
#define PROBE_LOADER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "cutop_event.h"

struct probe;

/*
 * Has threads wait in the loader at @path, if its name is that of a loader and the starting user
 * may read it. Failures are noted.
 */
void loader_add(struct probe *probe, const char *path);
/* The same for our own loader, which most programs use, too. */
void loader_add_own(struct probe *probe);

/*
 * True if @tgid has run nothing yet of what it began to run or map at @since, and will not before
 * loader_answer().
 */
bool loader_waits(struct probe *probe, uint32_t tgid, uint64_t since);

/* The file that @record told of was examined: the thread that waits for that continues. */
void loader_answer(struct probe *probe, const struct rec_hdr *record);

/*
 * Tells the BPF side that a file is being examined (true) or no longer is (false): threads that may
 * have mapped it wait meanwhile.
 */
void loader_examining(struct probe *probe, bool examining);

#endif
