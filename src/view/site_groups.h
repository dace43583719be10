/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call sites that are alike, summed up: the ways to one place in the code (where stacks are known,
 * each stack is a site of the snapshot), those of one function, of one source file, or of one
 * library. A function of the snapshot alone.
 *
 * The function and the file are those of the line that is shown as the site; of a Python program,
 * its own line. The library is that of the innermost frame, which is the code that makes CUDA's
 * call: of Python, the extension module.
 */
#ifndef VIEW_SITE_GROUPS_H
#define VIEW_SITE_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "model/snapshot.h"

enum site_grouping {
	SITES_BY_PLACE,
	SITES_BY_FUNCTION,
	SITES_BY_FILE,
	SITES_BY_LIBRARY,
	SITES_EACH, /* each stack by itself */
	SITE_GROUPING_COUNT
};

/* "site", "function", ..., "stack" */
extern const char *const site_grouping_names[SITE_GROUPING_COUNT];

struct site_group {
	/* What its sites have in common, a line or two; differs between groups */
	char *key;
	char *name;                                        /* the same as it is shown */
	uint64_t live, suspect, leaked, held, allocations; /* sums of its sites' */
	size_t first, count;                               /* of members[] */
	size_t largest; /* the place in process->sites of its first one */
};

struct site_groups {
	struct site_group *list; /* most live + leaked first */
	size_t count;
	/* Places in process->sites, group by group, each in the order of the sites */
	size_t *members;
};

/*
 * Groups the sites of @process. Returns 0 or -ENOMEM; site_groups_free() in any case.
 */
int site_groups_make(struct site_groups *groups, const struct snap_process *process,
		     enum site_grouping by);
void site_groups_free(struct site_groups *groups);

/*
 * The call sites of allocations and of objects that are live: each once, on whatever devices. With
 * @tensors, those of an allocator's blocks stand for the allocator's own. The caller frees them.
 */
struct snap_site *all_sites_make(const struct snap_process *process, bool tensors, size_t *count);

#endif
