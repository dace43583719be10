/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every header of the BPF programs needs: the kernel's types, libbpf's macros, and what is
 * shared with user space. Each header includes those whose names it uses, so that it compiles alone
 * (tests/checks/test_bpf_headers.sh).
 */
#ifndef BASE_BPF_H
#define BASE_BPF_H

#include "vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "cutop_calls.h"
#include "cutop_event.h"

/* Linux 6.2; the verifier makes a move of it */
extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;

/*
 * @pointer as one that the verifier lets programs read through only. For each pointer that is read
 * from an object that it trusts, it looks through the names of all types of the kernel, which takes
 * a millisecond or two of cutop's start. Not before Linux 6.2.
 */
#define untrusted(pointer) \
	(bpf_rdonly_cast ? (typeof(pointer))bpf_rdonly_cast( \
				   pointer, bpf_core_type_id_kernel(typeof(*(pointer)))) : \
			   (pointer))

#ifndef EFAULT
#define ENOENT 2
#define EFAULT 14
#endif

#endif
