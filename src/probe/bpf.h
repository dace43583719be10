/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF object: opened with the settings of this run, loaded with the programs that the attach
 * method needs; gives access to its maps and variables.
 */
#ifndef PROBE_BPF_H
#define PROBE_BPF_H

#include <bpf/libbpf.h>
#include <linux/types.h>

#include "cutop_calls.h"
#include "cutop_event.h"
#include "cutop_allocator.h"
#include "cutop.skel.h"
#include "probe/bpf_settings.h"
#include "probe/forms.h"
#include "probe/kernel.h"

struct bpf {
	struct cutop_bpf *skeleton;
	struct kernel_features features;
	struct forms forms; /* what the kernel emulates; the caller of bpf_open() fills it in */
	bool entries_only;  /* trace_settings.entries */
	bool blind;         /* bpf_settings.blind */
	/* bpf_settings.notice_driver, where calls can be told from those of the runtime */
	bool notices_driver;
	bool allocators; /* bpf_settings.allocators */
};

/* Which programs a class of calls has. Unused ones are NULL. */
struct bpf_programs {
	struct bpf_program *enter, *exit, *session;
};

/*
 * Opens and loads the object. Returns 0 (bpf_close() undoes it) or a negative errno with @why set.
 */
int bpf_open(struct bpf *bpf, const struct kernel_features *features,
	     const struct bpf_settings *settings, struct reason *why);
void bpf_close(struct bpf *bpf);

/*
 * bpf_open() in two steps: open with settings, then load. In between, the programs in
 * bpf->skeleton->obj can be inspected. Both undo everything on failure.
 */
int bpf_prepare(struct bpf *bpf, const struct kernel_features *features,
		const struct bpf_settings *settings, struct reason *why);
int bpf_load(struct bpf *bpf, struct reason *why);

struct bpf_programs bpf_class_programs(const struct bpf *bpf, enum call_class class);
/*
 * Those for the functions of allocators, cutop_allocator.h, of which the returns are wanted or not.
 * None for returns where none may be probed.
 */
struct bpf_programs bpf_allocator_programs(const struct bpf *bpf, bool with_returns);

/* The program for identify_file(). Borrowed. */
int bpf_identifier(const struct bpf *bpf);

/* probe_ignore() */
void bpf_ignore(struct bpf *bpf, uint32_t program, bool ignored);

/* The code at @span of the file @id belongs to the runtime: bpf/caller.bpf.h. NULL: it has none. */
void bpf_mark_runtime(struct bpf *bpf, const struct file_id *id, const struct code_span *span);

/*
 * To be called after a file was removed from the map `files`: otherwise no process that already
 * told of it would tell again.
 */
void bpf_forget_marks(struct bpf *bpf);

/*
 * True if @program's process has since run another program: what /proc says is then about that one.
 */
bool bpf_has_left(const struct bpf *bpf, uint32_t program);

#endif
