/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes that do nothing, of the kinds cutop uses: the floor that its own cost is measured against.
 */
#include "vmlinux_min.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("uprobe.s")
int empty_entry(void *ctx)
{
	return 1; /* no return, please */
}

SEC("uprobe.s")
int empty_both(void *ctx)
{
	return 0;
}
