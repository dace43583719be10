/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in which no probe found a place: what is missed of them counts once, however often they are
 * tried, and no longer when they are probed after all.
 */
#ifndef PROBE_MISSES_H
#define PROBE_MISSES_H

#include "probe/attach.h"
#include "probe/elffile.h"

struct probe;

/* The functions @found of the file @id, of which @choice wants some, have no probes. */
void misses_add(struct probe *probe, const struct file_id *id, const struct elf_functions *found,
		const struct attach_choice *choice);

/* They have. */
void misses_drop(struct probe *probe, const struct file_id *id);

void misses_free(struct probe *probe);

#endif
