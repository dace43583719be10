/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF object: opened with the settings of this run, loaded with the
 * programs that the attach method needs, its maps and variables at hand.
 */
#ifndef PROBE_BPF_H
#define PROBE_BPF_H

#include <bpf/libbpf.h>
#include <linux/types.h>

#include "cutop_calls.h"
#include "cutop_event.h"
#include "cutop.skel.h"
#include "probe/bpf_settings.h"
#include "probe/forms.h"
#include "probe/kernel.h"

struct bpf {
	struct cutop_bpf *skeleton;
	struct kernel_features features;
	struct forms forms;	/* what the kernel emulates; the caller of bpf_open() fills it in */
	bool entries_only;	/* trace_settings.entries */
	bool blind;		/* bpf_settings.blind */
	bool notices_driver;	/* bpf_settings.notice_driver, where calls can be told from those of the runtime */
	bool loader_waits;	/* bpf_settings.loader_waits, where that can be done */
	bool held;		/* session programs are the ones that can be held on their processor: bpf/cutop.bpf.c */
	/*
	 * A link that the kernel undoes as slowly as those of the perf method, or -1:
	 * helpers hold it, too, so that there is no waiting for it at the end.
	 */
	int slow_link;
};

/* Which programs a class of calls has. Unused ones are NULL. */
struct bpf_programs {
	struct bpf_program *enter, *exit, *session;
};

/* Opens and loads the object. Returns 0 (bpf_close() undoes it) or a negative errno with @why set. */
int bpf_open(struct bpf *bpf, const struct kernel_features *features, const struct bpf_settings *settings,
	     struct reason *why);
void bpf_close(struct bpf *bpf);

/*
 * bpf_open() in two steps: opened and set, and then loaded. In between the
 * programs of bpf->skeleton->obj can be looked at. Both undo everything on failure.
 */
int bpf_prepare(struct bpf *bpf, const struct kernel_features *features, const struct bpf_settings *settings,
		struct reason *why);
int bpf_load(struct bpf *bpf, struct reason *why);

struct bpf_programs bpf_class_programs(const struct bpf *bpf, enum call_class class);

/* The program for identify_file(), or -1. Borrowed. */
int bpf_identifier(const struct bpf *bpf);

/* The code at @span of the file @id is the runtime's: bpf/caller.bpf.h. NULL: no code of it. */
void bpf_mark_runtime(struct bpf *bpf, const struct file_id *id, const struct code_span *span);

/* To call after a file was taken out of the map `files`: of a marked one no process would tell again. */
void bpf_forget_marks(struct bpf *bpf);

/* True if the process of @program runs another one by now: what /proc says of it is said of that. */
bool bpf_has_left(const struct bpf *bpf, uint32_t program);

#endif
