/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of /proc/PID/maps: as the kernel writes them, and as nobody should. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe/maps.h"
#include "probe/outside.h"
#include "probe_tests.h"
#include "util/util.h"

TEST(test_maps_parse)
{
	static const struct {
		const char *line;
		int result, executable;
		uint64_t start, end, offset, inode;
		const char *path;
	} cases[] = {
		{ "7f00-7f01 r-xp 00001000 fd:01 42   /lib/a b.so\n", 0, 1, 0x7f00, 0x7f01, 0x1000,
		  42, "/lib/a b.so" },
		{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n", 0, 1,
		  0xffffffffff600000, 0xffffffffff601000, 0, 0, "[vsyscall]" },
		{ "1000-2000 rw-p 00000000 00:00 0 \n", 0, 0, 0x1000, 0x2000, 0, 0, "" },
		{ "1000-2000 rw-p 00000000 00:00 0", 0, 0, 0x1000, 0x2000, 0, 0, "" },
		{ "1000-2000 r-xs 0 0:0 7 /x (deleted)\n", 0, 1, 0x1000, 0x2000, 0, 7,
		  "/x (deleted)" },
		{ "1000-2000 r-xp 0 0:0 7 /a\\012b\n", 0, 1, 0x1000, 0x2000, 0, 7, "/a\\012b" },
		{ "1000-2000 x 0 0:0 7 /x\n", 0, 0, 0x1000, 0x2000, 0, 7, "/x" },
		{ "", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000-2000\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000-2000 r-xp\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000-2000 r-xp 0 00:zz 1 /x\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "zzzz-2000 r-xp 0 00:00 1 /x\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000-2000 r-xpr-xpr-xp 0 00:00 1 /x\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
	};
	struct maps_entry entry;
	int executable;
	char line[256];
	size_t i;

	for (i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(line, sizeof(line), "%s", cases[i].line);
		executable = 0;
		ck_assert_msg(maps_parse(line, &entry, &executable) == cases[i].result, "%s",
			      cases[i].line);
		if (cases[i].result)
			continue;
		ck_assert_uint_eq(entry.start, cases[i].start);
		ck_assert_uint_eq(entry.end, cases[i].end);
		ck_assert_uint_eq(entry.offset, cases[i].offset);
		ck_assert_uint_eq(entry.inode, cases[i].inode);
		ck_assert_str_eq(entry.path, cases[i].path);
		ck_assert_int_eq(executable, cases[i].executable);
	}
}

TEST(test_maps_random)
{
	static const char alphabet[] = "0123456789abcdef-: rwxp/\n[]%s\\\t~";
	struct maps_entry entry;
	int round, executable;
	char line[96];
	size_t i, len;

	srand48(7);
	for (round = 0; round < 20000; round++) {
		len = (size_t)lrand48() % (sizeof(line) - 1);
		for (i = 0; i < len; i++)
			line[i] = alphabet[(size_t)lrand48() % (sizeof(alphabet) - 1)];
		line[len] = 0;
		if (!maps_parse(line, &entry, &executable))
			ck_assert(entry.path >= line && entry.path <= line + len);
	}
}

static int own_mapping(void *context, const struct maps_entry *entry)
{
	uint64_t here = (uint64_t)(uintptr_t)own_mapping;
	int fd;

	if (here < entry->start || here >= entry->end)
		return 0;
	fd = maps_place(getpid(), entry);
	ck_assert_int_ge(fd, 0);
	close(fd);
	*(int *)context += 1;
	return 1;
}

TEST(test_maps_visit)
{
	const struct outside outside = { .identifier = -1 };
	int found = 0;

	ck_assert_int_eq(outside_maps(&outside, getpid(), 0, own_mapping, &found), 1);
	ck_assert_int_eq(found, 1);
	ck_assert_int_lt(outside_maps(&outside, 0x7fffffff, 0, own_mapping, &found), 0);
}

TEST(test_each_file_once)
{
	struct maps_entry entry = { .inode = 7, .major = 8, .minor = 1, .path = "/lib/a.so" };
	struct maps_seen *seen = NULL;

	ck_assert(maps_seen_add(&seen, &entry));
	entry.start = 0x1000;
	entry.path = "/lib/b.so";
	ck_assert(!maps_seen_add(&seen, &entry));
	entry.minor = 2;
	ck_assert(maps_seen_add(&seen, &entry));
	entry.inode = 8;
	ck_assert(maps_seen_add(&seen, &entry));
	ck_assert(!maps_seen_add(&seen, &entry));
	maps_seen_free(&seen);
	ck_assert_ptr_null(seen);
	ck_assert(maps_seen_add(&seen, &entry));
	maps_seen_free(&seen);
}

/* What a program puts in the place of a file that it maps is not opened if it is none. */
TEST(test_only_files_are_opened)
{
	char folder[] = "/tmp/cutop-maps-XXXXXX", path[64], link[64], event[1024];
	struct maps_entry entry = { .start = 0x1000, .end = 0x2000, .inode = 1 };
	const struct outside outside = { .identifier = -1 };
	struct seen_file seen;
	struct stat st;
	int watch, fd;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	snprintf(link, sizeof(link), "%s/lib.so", folder);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(symlink(path, link), 0);
	watch = inotify_init1(IN_NONBLOCK);
	ck_assert_int_ge(inotify_add_watch(watch, path, IN_OPEN | IN_CLOSE), 0);
	ck_assert_int_eq(file_open_regular(link), -EINVAL);
	ck_assert_int_eq(stat(path, &st), 0);
	entry.inode = st.st_ino;
	entry.path = link;
	ck_assert_int_lt(outside_open_mapped(&outside, getpid(), &entry, 0, &seen), 0);
	entry.major = major(st.st_dev);
	entry.minor = minor(st.st_dev);
	ck_assert_int_eq(outside_open_mapped(&outside, getpid(), &entry, 0, &seen), -EINVAL);
	ck_assert_int_eq(file_open_regular("/dev/null"), -EINVAL);
	ck_assert_int_eq(file_open_regular(folder), -EINVAL);
	ck_assert_int_lt(read(watch, event, sizeof(event)), 0);
	ck_assert_int_eq(errno, EAGAIN);
	/* An open is seen. */
	fd = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_gt(read(watch, event, sizeof(event)), 0);
	close(fd);
	close(watch);
	unlink(link);
	unlink(path);
	ck_assert_int_eq(file_open_regular(path), -ENOENT);
	rmdir(folder);
	fd = file_open_regular("/proc/self/exe");
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(read(fd, event, 4), 4);
	ck_assert(!memcmp(event, "\177ELF", 4));
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}

/*
 * As mmap(2) has the file of @path, for code; what it maps as stands in @entry, whose path is
 * @path.
 */
static void *mapped_as(const char *path, struct maps_entry *entry)
{
	char *line = NULL;
	int fd = open(path, O_RDONLY), executable;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	size_t size = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	ck_assert_int_ge(fd, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	while (getline(&line, &size, maps) > 0)
		if (!maps_parse(line, entry, &executable) && entry->start == (uintptr_t)page)
			break;
	ck_assert_uint_eq(entry->start, (uintptr_t)page);
	entry->path = path;
	fclose(maps);
	free(line);
	close(fd);
	return page;
}

static void file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/*
 * Another file system may come to lie over a mapped file, with a file of that name and inode
 * number.
 */
TEST(test_devices_are_compared)
{
	char folder[] = "/tmp/cutop-maps-XXXXXX", path[64], text[8] = "";
	struct maps_entry entry;
	struct stat first, second;
	int fd, opened;

	/* In a process of its own (check forks): the mounts go with it. */
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/lib.so", folder);
	ck_assert_int_eq(mount("first", folder, "tmpfs", 0, NULL), 0);
	file_write(path, "first");
	ck_assert_int_eq(stat(path, &first), 0);
	mapped_as(path, &entry);
	fd = maps_place(getpid(), &entry);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(mount("second", folder, "tmpfs", 0, NULL), 0);
	file_write(path, "other");
	ck_assert_int_eq(stat(path, &second), 0);
	ck_assert_uint_eq(first.st_ino, second.st_ino);
	fd = maps_place(getpid(), &entry);
	if (fd >= 0) { /* through the mapping */
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		opened = open(path, O_RDONLY);
		ck_assert_int_eq(read(opened, text, 5), 5);
		ck_assert_str_eq(text, "first");
		close(opened);
		close(fd);
	}
	umount2(folder, MNT_DETACH);
	umount2(folder, MNT_DETACH);
	rmdir(folder);
}
