/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trial: the BPF programs are loaded and probes placed as a session would,
 * for a moment and with nobody watched, to learn what the kernel refuses.
 */
#ifndef PROBE_DRY_RUN_H
#define PROBE_DRY_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

#include "cutop_event.h"
#include "probe/choice.h"
#include "probe/elffile.h"
#include "probe/kernel.h"
#include "probe/outside.h"
#include "util/util.h"

struct trial;

/* Loads the programs, for @layers, with a ring of @ring_bytes. Returns 0 or a negative errno with @why set. */
int trial_open(struct trial **trial, const struct kernel_features *features, unsigned int layers, uint64_t ring_bytes,
	       struct reason *why);

/* Takes everything away again. */
void trial_close(struct trial *trial);

/* What a session watches besides functions. */
enum trial_event {
	TRIAL_EXEC,
	TRIAL_EXIT,
	TRIAL_FORK,
	TRIAL_MMAP,	/* libraries loaded by programs that run */
};

/* Watches it for a moment. Returns 0, or a negative errno; for TRIAL_MMAP by which enum loading_way. */
int trial_watch(struct trial *trial, enum trial_event event);

/* bpf_identifier() of the programs. Borrowed. */
int trial_identifier(const struct trial *trial);

struct trial_refusal {
	uint16_t call;	/* enum call_id */
	int error;	/* negative errno */
};

struct trial_attached {
	unsigned int tried, attached;	/* functions */
	bool first_only;		/* each has a price of its own here: only one was tried */
	struct trial_refusal *refusals;
	size_t refused;
	uint64_t time;			/* ns that placing took */
};

/*
 * Places probes on those @functions of the file @seen that @choice asks
 * for, until trial_close(). Returns 0 or a negative errno with @why set, if the
 * kernel takes none of them; @attached is filled either way, and given to
 * trial_attached_free().
 */
int trial_attach(struct trial *trial, const struct outside *outside, const struct seen_file *seen,
		 const struct elf_functions *functions, const struct attach_choice *choice, struct trial_attached *attached,
		 struct reason *why);
void trial_attached_free(struct trial_attached *attached);

#endif
