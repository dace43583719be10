/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints by name, without a mounted tracefs. */
#ifndef PROBE_TRACEFS_H
#define PROBE_TRACEFS_H

/*
 * Attaches the BPF program open at @program to tracepoint @group/@name. Returns
 * a descriptor that holds it there, or a negative errno.
 */
int tracefs_attach(const char *group, const char *name, int program);

#endif
