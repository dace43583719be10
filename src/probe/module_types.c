/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of libbpf's, in place of its own. When the kernel lacks a function that a BPF program
 * calls if it is there, libbpf looks for it in the types of all modules. That takes CAP_SYS_ADMIN
 * before Linux 6.13; libbpf goes on without modules since 1.3, and before it gives up. This one says
 * that there are none, as what cutop asks for is never in a module.
 *
 * libbpf as a shared library calls what the program exports under the name. Where it is linked into
 * the program, the linker leads its calls here (--wrap=bpf_btf_get_next_id).
 */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef LIBBPF_LINKED_IN
#define NEXT_ID __wrap_bpf_btf_get_next_id
#else
#define NEXT_ID bpf_btf_get_next_id
#endif

/* As in bpf/bpf.h: 0, or -1 or a negative errno with errno set; both are an error to callers. */
int NEXT_ID(__u32 start_id, __u32 *next_id);
int NEXT_ID(__u32 start_id, __u32 *next_id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = start_id;
	if (!syscall(SYS_bpf, BPF_BTF_GET_NEXT_ID, &attr, sizeof(attr))) {
		*next_id = attr.next_id;
		return 0;
	}
	if (errno == EPERM)
		errno = ENOENT;
	return -errno;
}
