/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file, given to what reads how to unwind stacks. As in fuzz_lines.c, libdw is in this process,
 * and what ends it is for the authors of elfutils.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "names/cfi.h"

static void rule_try(struct cfi *cfi, uint64_t offset, bool after_call)
{
	struct unwind_rule rule = { .cfa = 0xff };
	int err = cfi_find(cfi, offset, after_call, &rule);

	if (rule.cfa >= UNWIND_CFA_COUNT || rule.bp_by >= UNWIND_BP_COUNT ||
	    (err && rule.cfa != UNWIND_NONE))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("cfi", MFD_CLOEXEC);
	uint64_t offset;
	struct cfi *cfi;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	cfi = cfi_open(fd);
	for (offset = 0; cfi && offset < 0x3000; offset += 0xb)
		rule_try(cfi, offset, offset % 2);
	if (cfi)
		rule_try(cfi, UINT64_MAX, false);
	cfi_close(cfi);
	close(fd);
	return 0;
}
