/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes on one file: the links that hold them. With uprobe_multi, one link per BPF program holds
 * all functions that it serves. Without, there is a perf link per function: removing these takes
 * seconds, and the user must not wait for that (guard_start()).
 */
#ifndef PROBE_ATTACH_H
#define PROBE_ATTACH_H

#include "probe/bpf.h"
#include "probe/choice.h"
#include "probe/elffile.h"

#define ATTACH_PIDS_MAX 8 /* processes that have links of their own */

/*
 * The processes that are probed, if the kernel can leave others out; none: all that map the file.
 */
struct attach_pids {
	const uint32_t *list;
	size_t count; /* ATTACH_PIDS_MAX at most */
};

struct attachment {
	int *links;
	size_t link_count;
	unsigned int attached;            /* functions that have probes */
	unsigned int failed;              /* functions that should have had one */
	unsigned int points[POINT_COUNT]; /* of those attached, where their probes are */
	/* Functions of the driver of which only the use is noticed: bpf_settings.notice_driver */
	unsigned int noticed;
	struct unprobed unprobed;
};

/*
 * Attaches to those of @functions, all in the file open at @fd, that @choice asks for, in the
 * processes of @pids. A function that cannot be probed does not stop the rest. Returns 0 if
 * anything was attached, or everything was left out on purpose, with the links, which are the
 * caller's, as their list is; or a negative errno with @why set.
 */
int attachment_open(struct attachment *attachment, struct bpf *bpf, int fd,
		    const struct elf_functions *functions, const struct attach_choice *choice,
		    struct attach_pids pids, struct reason *why);

/* Adds to @unprobed what is not seen because @call, which @choice asks for, is not probed. */
void unprobed_add(struct unprobed *unprobed, const struct attach_choice *choice, unsigned int call);

/*
 * The bpf_attach_type of linux/bpf.h with which to load programs for links of @method. Not for the
 * perf kind.
 */
uint32_t attach_type_of(enum attach_method method);

/*
 * Puts @program on the code at the @count (PLACES_MAX at most) @offsets of the file at @path, in
 * every process, with sessions on the returns, too. A link of the perf kind holds one. Returns the
 * link or a negative errno.
 */
#define PLACES_MAX 64
int link_places(int program, enum attach_method method, const char *path, const uint64_t *offsets,
		size_t count);

/*
 * Nanoseconds that a call of a watched program takes longer for a probe at its entry, if its caches
 * hold other things. Takes some 20 ms. Where it cannot be measured: HIT_COST_USUAL.
 */
uint64_t hit_cost_measure(const struct bpf *bpf);

/* As measured in a virtual machine on an AMD EPYC (docs/cost.md) */
#define HIT_COST_USUAL 2700

#endif
