/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads /proc/PID/maps. Paths in it are as the process's mount namespace sees them, from the
 * process's root or, if it changed that, from the namespace's, and a path may lead to a file that
 * has since been replaced. A mapping is identified by its device and inode.
 */
#include "probe/maps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <uthash.h>

#include "util/util.h"

/* ---- path names ---- */

/*
 * Paths as the BPF side walks them: name by name, from the file up to the root.
 */

bool path_of_names(const struct path_names *record, char path[CUTOP_PATH_MAX + 1])
{
	size_t len = record->len, at = len, name;

	if (!len || len > sizeof(record->names) || record->names[len - 1])
		return false;
	for (*path = 0; at; at -= name) {
		for (name = 1; name < at && record->names[at - name - 1]; name++)
			;
		path[len - at] = '/';
		memcpy(path + len - at + 1, record->names + at - name, name);
	}
	return true;
}

/* ---- maps ---- */

int maps_parse(char *line, struct maps_entry *entry, int *executable)
{
	char perms[5] = "";
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	int at = -1;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &offset, &major,
		   &minor, &inode, &at) < 7 ||
	    at < 0)
		return -EINVAL;
	line += at;
	line[strcspn(line, "\n")] = 0;
	entry->start = start;
	entry->end = end;
	entry->offset = offset;
	entry->inode = inode;
	entry->major = major;
	entry->minor = minor;
	entry->path = line;
	*executable = perms[2] == 'x';
	return 0;
}

int maps_visit(char *text, int (*visit)(void *context, const struct maps_entry *entry),
	       void *context)
{
	struct maps_entry entry;
	char *line = text, *next, *perms;
	int err = 0, executable;

	for (; !err && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		/* Parsing takes long, and a program with many libraries has thousands of lines. */
		perms = strchr(line, ' ');
		if (!perms || strnlen(perms, 4) < 4 || perms[3] != 'x')
			continue;
		if (maps_parse(line, &entry, &executable) || !executable || !entry.inode ||
		    entry.path[0] != '/')
			continue;
		err = visit(context, &entry);
	}
	return err;
}

struct maps_seen {
	struct maps_file {
		uint64_t inode;
		uint32_t major, minor;
	} file;
	UT_hash_handle hh;
};

bool maps_seen_add(struct maps_seen **seen, const struct maps_entry *entry)
{
	const struct maps_file file = { entry->inode, entry->major, entry->minor };
	struct maps_seen *one;

	HASH_FIND(hh, *seen, &file, sizeof(file), one);
	if (one)
		return false;
	one = calloc(1, sizeof(*one));
	if (!one)
		return false;
	one->file = file;
	HASH_ADD(hh, *seen, file, sizeof(file), one);
	return true;
}

void maps_seen_free(struct maps_seen **seen)
{
	struct maps_seen *one, *next;

	HASH_ITER(hh, *seen, one, next) {
		HASH_DEL(*seen, one);
		free(one);
	}
}

/* True if a mapping of our own of the file at @fd (O_PATH) shows @entry's device and inode. */
static bool maps_alike(int fd, const struct maps_entry *entry)
{
	struct maps_entry own = { 0 };
	char *line = NULL, *page;
	bool alike = false;
	int executable;
	char name[32];
	size_t size = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return false;
	file = fopen("/proc/self/maps", "re");
	while (file && getline(&line, &size, file) > 0)
		if (!maps_parse(line, &own, &executable) && own.start <= (uintptr_t)page &&
		    (uintptr_t)page < own.end) {
			alike = own.inode == entry->inode && own.major == entry->major &&
				own.minor == entry->minor;
			break;
		}
	free(line);
	if (file)
		fclose(file);
	munmap(page, 1);
	return alike;
}

/*
 * True if the file open at @fd is @entry's. A file on another file system may have the same inode
 * number. On overlay and btrfs a mapping shows another device than stat(2), so there a mapping of
 * our own is compared with the process's.
 */
static bool is_file_of(int fd, const struct maps_entry *entry)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_ino != entry->inode)
		return false;
	return st.st_dev == makedev(entry->major, entry->minor) ||
	       (S_ISREG(st.st_mode) && maps_alike(fd, entry));
}

/*
 * Opens @name below the root of @pid (O_PATH), if it is @entry's file. Returns a descriptor, or -1.
 */
static int below_root(pid_t pid, const char *name, const struct maps_entry *entry)
{
	char path[4096 + 64];
	int fd;

	if (snprintf(path, sizeof(path), "/proc/%d/root%s", pid, name) >= (int)sizeof(path))
		return -1;
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd >= 0 && is_file_of(fd, entry))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Turns @path into the path that a process sees which changed its root, chroot(2); NULL if it lies
 * outside.
 */
static const char *path_in_root(pid_t pid, const char *path)
{
	char link[64], root[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/root", pid);
	n = readlink(link, root, sizeof(root));
	return n > 1 && n < (ssize_t)sizeof(root) && !strncmp(path, root, (size_t)n) &&
			       path[n] == '/' ?
		       path + n :
		       NULL;
}

int maps_place(pid_t pid, const struct maps_entry *entry)
{
	char path[64];
	const char *inside;
	int fd = below_root(pid, entry->path, entry);

	if (fd >= 0)
		return fd;
	inside = path_in_root(pid, entry->path);
	if (inside) {
		fd = below_root(pid, inside, entry);
		if (fd >= 0)
			return fd;
	}
	/* This takes CAP_CHECKPOINT_RESTORE, or CAP_SYS_ADMIN. */
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
		 (unsigned long long)entry->start, (unsigned long long)entry->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* True if the process, or thread, runs: it is no zombie, and not gone. */
static bool task_runs(pid_t pid)
{
	struct process_stat stat;

	return process_stat_read(pid, &stat) && stat.state != 'Z' && stat.state != 'X';
}

pid_t process_reader(pid_t pid)
{
	struct dirent *item;
	pid_t reader = pid;
	char path[64];
	DIR *dir;

	if (task_runs(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && reader == pid && (item = readdir(dir)))
		if (isdigit((unsigned char)item->d_name[0]) && task_runs(atoi(item->d_name)))
			reader = (pid_t)atoi(item->d_name);
	if (dir)
		closedir(dir);
	return reader;
}

int processes_visit(int (*visit)(void *context, pid_t pid), void *context)
{
	DIR *dir = opendir("/proc");
	struct dirent *item;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (item = readdir(dir)))
		if (isdigit((unsigned char)item->d_name[0]))
			err = visit(context, (pid_t)atoi(item->d_name));
	closedir(dir);
	return err;
}

/* ---- identify ---- */

/*
 * Which file a descriptor leads to, as the kernel's probes know it.
 * Makes the system call itself, without libbpf: it also runs in processes that have nothing of
 * cutop's BPF object.
 */

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
