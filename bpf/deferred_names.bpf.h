/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that are not in memory: most kernels' names are in a part of a file that no process has
 * read yet. A BPF program could sleep until the page is there. But it would sleep for ever if the
 * page never arrives (a dead file server, userfaultfd), inside a section that every removal of a
 * probe on the machine waits for. So our programs do not sleep. User space is told the name's
 * address and, if that memory is an unmodified part of a file, its place in the file, and reads it
 * there (src/errand).
 */
#ifndef DEFERRED_NAMES_BPF_H
#define DEFERRED_NAMES_BPF_H

#include "files.bpf.h"
#include "vma.bpf.h"

/*
 * Reports that the name of @function, which @call launched or created (CALL_COUNT: a function of
 * the driver's), is at @name in the current process and could not be read. Returns 0 if nothing is
 * mapped there.
 */
__noinline int name_defer(__u32 program, __u32 call, __u64 function, __u64 stub, __u64 name)
{
	struct vma_info at = {};
	struct rec_name_at *rec;
	long err = vma_at_once(name, &at);

	if (err == -ENOENT)
		return 0;
	/* What was read without the lock may be of another mapping. */
	if (err)
		__builtin_memset(&at, 0, sizeof(at));
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec) {
		count_lost_of(program, LOST_RING_FULL);
		return 1;
	}
	header_fill(&rec->hdr, REC_NAME_AT, sizeof(*rec), program, bpf_ktime_get_ns());
	rec->name = name;
	rec->function = function;
	rec->stub = stub;
	rec->call = call;
	/* Writable private memory may differ from the file. */
	rec->in_file = at.file && (at.flags & VM_SHARED || !(at.flags & VM_WRITE));
	rec->pad = 0;
	rec->offset = name - at.start + at.offset;
	rec->path.len = 0;
	rec->pad2 = 0;
	if (rec->in_file) {
		file_id_read((struct file *)at.file, &rec->id);
		path_read(at.file, &rec->path);
	} else {
		__builtin_memset(&rec->id, 0, sizeof(rec->id));
	}
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return 1;
}

#endif
