/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of kernels: what each version has, or does wrong, and how that is seen. The kernel's own
 * types (BTF) tell most of it, and then backports of distributions are found as well. Where they do
 * not, the version decides, and a backport that it does not show counts as absent.
 */
#ifndef PROBE_KERNEL_TABLE_H
#define PROBE_KERNEL_TABLE_H

#include "probe/kernel.h"

struct btf;

/* Fills in what the table says of the kernel with the types @btf and facts->release. Pure. */
void kernel_table_read(struct kernel_facts *facts, const struct btf *btf);

/* True if the function @name exists in @btf and takes @arguments or more. */
bool btf_has_function(const struct btf *btf, const char *name, unsigned int arguments);

#endif
