/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces libbpf's bpf_btf_get_next_id(). When the kernel lacks a kernel function that a BPF program
 * declares as weak, libbpf searches the types of all modules for it, with this call. Older
 * kernels (seen on 6.8) allow the call with CAP_SYS_ADMIN only. libbpf 1.3 and newer then continue
 * without modules; older versions fail to load the object. The replacement reports the end of the
 * list instead of EPERM. None of the functions that cutop declares is in a module.
 *
 * A shared libbpf calls this definition because the executable exports the same symbol. With a
 * static libbpf the linker redirects the calls (--wrap=bpf_btf_get_next_id).
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
