/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the system call itself, without libbpf: it also runs in processes that have nothing of
 * cutop's BPF object.
 */
#include "probe/identify.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/util.h"

/* Those that linux/magic.h of older headers, or none, has. */
#define MAGIC_EXFAT    0x2011bab0u
#define MAGIC_NTFS3    0x7366746eu
#define MAGIC_UDF      0x15013346u
#define MAGIC_XFS      0x58465342u
#define MAGIC_ZFS      0x2fc12fc1u
#define MAGIC_BCACHEFS 0xca451a4eu
#define MAGIC_FUSE     0x65735546u
#define MAGIC_NFS      0x6969u
#define MAGIC_CIFS     0xff534d42u
#define MAGIC_SMB2     0xfe534d42u
#define MAGIC_CEPH     0x00c36400u
#define MAGIC_EROFS    0xe0f5e1e2u

/* bpf_find_vma() only tries to lock our address space: a reader of /proc may hold the lock */
#define TRIES 100

static int piece_ask(int program, const void *address, unsigned int piece, __u32 *value)
{
	__u64 args[2] = { (__u64)(uintptr_t)address, piece };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (__u32)program;
	attr.test.ctx_in = (__u64)(uintptr_t)args;
	attr.test.ctx_size_in = sizeof(args);
	if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)))
		return -errno;
	*value = attr.test.retval;
	return 0;
}

static int mapping_ask(int program, const void *address, struct file_id *id, __u32 *magic)
{
	struct {
		struct file_id id;
		__u32 magic, pad;
	} said;
	__u16 pieces[sizeof(said) / sizeof(__u16)] = { 0 };
	unsigned int piece, tries = 0;
	__u32 value = 0;
	int err;

	for (piece = 0; piece < IDENTIFY_PIECES; piece += (value & IDENTIFY_FOUND) != 0) {
		err = tries++ == TRIES ? -EAGAIN : piece_ask(program, address, piece, &value);
		if (err)
			return err;
		pieces[piece] = (__u16)value;
	}
	memcpy(&said, pieces, sizeof(said));
	*id = said.id;
	*magic = said.magic;
	return 0;
}

static int by_stat(int fd, const struct stat *st, struct file_id *id, __u32 *magic)
{
	struct statfs fs;

	*id = (struct file_id){
		.inode = st->st_ino,
		.size = (__u64)st->st_size,
		.device = (__u32)(major(st->st_dev) << 20 | minor(st->st_dev)),
	};
	if (fstatfs(fd, &fs))
		return -errno;
	*magic = (__u32)fs.f_type;
	return 0;
}

int identify_file(int program, int fd, struct file_id *id, __u32 *magic)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct stat st;
	__u32 unused;
	void *map;
	int err;

	memset(id, 0, sizeof(*id));
	if (!magic)
		magic = &unused;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (program < 0)
		return by_stat(fd, &st, id, magic);
	/* The mapping is never read through. */
	map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	err = mapping_ask(program, map, id, magic);
	munmap(map, page);
	return err;
}

bool magic_is_local(__u32 magic)
{
	static const __u32 local[] = {
		EXT4_SUPER_MAGIC,  MAGIC_XFS,        BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
		RAMFS_MAGIC,       F2FS_SUPER_MAGIC, SQUASHFS_MAGIC,    MAGIC_EROFS,
		MAGIC_ZFS,         MAGIC_BCACHEFS,   ISOFS_SUPER_MAGIC, MAGIC_UDF,
		MSDOS_SUPER_MAGIC, MAGIC_EXFAT,      MAGIC_NTFS3,       HUGETLBFS_MAGIC,

	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(local); i++)
		if (local[i] == magic)
			return true;
	return false;
}

bool magic_tells_cached(__u32 magic)
{
	return magic == MAGIC_FUSE || magic == MAGIC_NFS || magic == MAGIC_CIFS ||
	       magic == MAGIC_SMB2 || magic == MAGIC_CEPH;
}
