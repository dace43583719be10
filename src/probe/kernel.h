/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running kernel can do for us, and what we may do. */
#ifndef PROBE_KERNEL_H
#define PROBE_KERNEL_H

#include <stdbool.h>

#include "util/util.h"

enum attach_method {
	ATTACH_SESSION,		/* uprobe_multi session links, Linux 6.13 */
	ATTACH_MULTI,		/* uprobe_multi links, Linux 6.6 */
	ATTACH_PERF,		/* a perf link per function, Linux 5.15 */
	ATTACH_METHOD_COUNT,
};

extern const char *const attach_method_names[ATTACH_METHOD_COUNT];

struct kernel_features {
	enum attach_method method;
	bool session_context;	/* bpf_session_is_return() takes the context, Linux 7.0 */
	bool sleepable;		/* sleepable uprobe programs, Linux 6.0 */
	bool find_vma;		/* bpf_find_vma(), Linux 5.17 */
	char release[65];
};

/*
 * Looks at the kernel's BTF and version. @force, if not NULL, names the attach
 * method to use where the kernel has it ("session", "multi", "perf"). Returns 0, or
 * -ENOTSUP or -EPERM with @why saying in a line what is missing and what to do.
 */
int kernel_features_read(struct kernel_features *features, const char *force, struct reason *why);

/* True if this process may load and attach BPF programs; else @why says what is missing. */
bool kernel_rights(struct reason *why);

#endif
