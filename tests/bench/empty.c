/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * empty entry|both[+BYTES] LIBRARY -- COMMAND: runs COMMAND with probes that do nothing on a few
 * functions of LIBRARY, the runtime, the driver or PyTorch's libc10.so, at entry or at entry and return; with BYTES,
 * that many bytes past the entry, where the functions have an instruction that the kernel emulates.
 * They are session links like cutop's, so the two differ in what the programs do.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "empty.skel.h"
#include "cuda/calls.h"
#include "probe/extra_functions.h"
#include "probe/elffile.h"

#define ATTACH_TYPE_UPROBE_SESSION 57 /* linux/bpf.h, Linux 6.13 */

struct link_create_multi {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 path, offsets, ref_ctr_offsets, cookies;
	__u32 count, multi_flags, pid, pad;
};

static const char *const wanted[] = {
	"cudaLaunchKernel",
	"cudaMalloc",
	"cudaFree",
	"cudaMemcpy",
	"cudaDeviceSynchronize",
	"cudaMemcpyAsync",
	"__cudaRegisterFunction",
	/* Which the double's runtime makes for these. */
	"cuLaunchKernel",
	"cuMemAlloc_v2",
	"cuMemFree_v2",
	"cuMemcpyHtoD_v2",
	"cuCtxSynchronize_v2",
	"cuMemcpyHtoDAsync_v2",
};

static int attach(struct bpf_program *program, const char *path, unsigned long past)
{
	struct elf_function allocator[ALLOCATOR_FUNCTIONS_MAX];
	struct elf_functions found;
	__u64 offsets[8];
	struct link_create_multi attr = { .attach_type = ATTACH_TYPE_UPROBE_SESSION };
	struct reason why = { "" };
	size_t count, i, j;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || elffile_functions(fd, &found, &why)) {
		fprintf(stderr, "empty: %s: %s\n", path, why.text);
		return -1;
	}
	for (i = 0; i < found.count; i++)
		for (j = 0; j < ARRAY_LEN(wanted); j++)
			if (!strcmp(call_name(found.list[i].call), wanted[j]) && attr.count < 8)
				offsets[attr.count++] = found.list[i].offset + past;
	count = allocators_find(fd, path, allocator);
	for (i = 0; i < count && attr.count < 8; i++)
		offsets[attr.count++] = allocator[i].offset + past;
	attr.prog_fd = (__u32)bpf_program__fd(program);
	attr.path = (__u64)path;
	attr.offsets = (__u64)offsets;
	free(found.list);
	close(fd);
	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
}

static int usage(void)
{
	fprintf(stderr, "usage: empty entry|both[+BYTES] LIBRARY -- COMMAND\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct empty_bpf *skeleton;
	struct bpf_program *program;
	unsigned long past = 0;
	char *plus, *end;
	int status;
	pid_t pid;

	if (argc < 5 || strcmp(argv[3], "--"))
		return usage();
	plus = strchr(argv[1], '+');
	if (plus) {
		*plus = '\0';
		past = strtoul(plus + 1, &end, 10);
		if (end == plus + 1 || *end)
			return usage();
	}
	if (strcmp(argv[1], "entry") && strcmp(argv[1], "both"))
		return usage();
	skeleton = empty_bpf__open();
	if (!skeleton)
		return 1;
	bpf_program__set_expected_attach_type(skeleton->progs.empty_entry,
					      (enum bpf_attach_type)57);
	bpf_program__set_expected_attach_type(skeleton->progs.empty_both, (enum bpf_attach_type)57);
	if (empty_bpf__load(skeleton))
		return 1;
	program = !strcmp(argv[1], "both") ? skeleton->progs.empty_both :
					     skeleton->progs.empty_entry;
	if (attach(program, argv[2], past) < 0) {
		perror("empty: attach");
		return 1;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[4], argv + 4);
		perror(argv[4]);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		;
	return status != 0;
}
