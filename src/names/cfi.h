/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to unwind a stack at an address, from the call frame information (CFI) of an ELF file:
 * .eh_frame, which stripped files have as well. libdw does the reading. It maps the files, which are
 * hostile, and may take long, or crash: so only resolver_process.c calls this, in a separate
 * process. Debug information is not read.
 */
#ifndef NAMES_CFI_H
#define NAMES_CFI_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "cutop_unwind.h"

struct cfi;

/*
 * Opens the CFI of the file at @fd, which stays the caller's, and must stay open until cfi_close().
 * Returns NULL if it is no ELF file, or without memory.
 */
struct cfi *cfi_open(int fd);
void cfi_close(struct cfi *cfi);

/*
 * Finds the rule for the code at file offset @offset. @after_call: that is a return address, whose
 * call may have been the last instruction of its function, so the rule is that of the byte before;
 * otherwise the code was interrupted there (below a signal's frame), and the address is exact.
 * Where the file says nothing, or what a rule cannot express, the rule is UNWIND_NONE. Returns 0,
 * or -ENOENT if there is no code at @offset.
 */
int cfi_find(struct cfi *cfi, uint64_t offset, bool after_call, struct unwind_rule *rule);

#endif
