/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the methods of placing probes share: attach.c, attach_perf.c. */
#ifndef PROBE_ATTACH_INTERNAL_H
#define PROBE_ATTACH_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/calls.h"
#include "probe/attach.h"

/* The description of @call, which may be none of the table's. */
const struct call_desc *attach_desc_of(unsigned int call);

/*
 * Functions that are none of CUDA's. The user did not ask for them, so like noticed ones they are
 * left out of the counts.
 */
enum others { OTHERS_PYTHON, OTHERS_ALLOCATOR, OTHERS_COUNT };

bool attach_is_of(unsigned int call, enum others others);
struct bpf_programs attach_others_programs(const struct bpf *bpf, enum others others);

/*
 * Places the probes of @functions by perf links, held by a helper process. @target: the file's
 * descriptor, kept open there. Returns 0, -ENOENT if no function is asked for, or another negative
 * errno.
 */
int attach_perf(struct attachment *attachment, struct bpf *bpf, const char *path,
		const struct elf_functions *functions, const struct attach_choice *choice,
		int target);

/* Returns the descriptor of a link of one entry, or a negative errno. */
int attach_perf_entry(int program, const char *path, uint64_t offset);

#endif
