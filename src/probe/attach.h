/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes on one file: the links that hold them. Where the kernel has
 * uprobe_multi, a link per program holds all functions of its class. Where
 * not, there is a perf link per function, and a helper process keeps them,
 * because undoing them takes seconds and the user must not wait for it.
 */
#ifndef PROBE_ATTACH_H
#define PROBE_ATTACH_H

#include "probe/bpf.h"
#include "probe/elffile.h"

#define ATTACH_LINKS_MAX	(2 * CLASS_COUNT)

struct attachment {
	int links[ATTACH_LINKS_MAX];
	size_t link_count;
	int helper;		/* pipe whose closing ends the helper; -1 if there is none */
	unsigned int attached;	/* functions */
	unsigned int failed;
};

/*
 * Attaches to @functions of the file open at @fd. Only classes whose group is in
 * @groups (bits of enum call_group) are probed. @pid, if not 0, limits the probes to one process
 * where the kernel can. One function that cannot be probed does not stop the
 * rest. Returns 0 if anything was attached (attachment_close() undoes it), or a
 * negative errno with @why set.
 */
int attachment_open(struct attachment *attachment, struct bpf *bpf, int fd, const struct elf_functions *functions,
		    unsigned int groups, uint32_t pid, struct reason *why);
void attachment_close(struct attachment *attachment);

#endif
