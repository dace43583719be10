/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of files and processes by errands; the jobs run in the test itself. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names/symbols.h"
#include "probe/elffile.h"
#include "probe/maps.h"
#include "probe/outside.h"
#include "probe/points.h"
#include "probe_tests.h"

static const struct outside here = { .identifier = -1 };

/* ---- copies ---- */

static void same_functions(int a, int b)
{
	struct elf_functions x, y;
	struct forms forms;
	size_t i;

	ck_assert_int_eq(elffile_functions(a, &x, NULL), 0);
	ck_assert_int_eq(elffile_functions(b, &y, NULL), 0);
	ck_assert_uint_gt(x.count, 100);
	ck_assert_uint_eq(x.count, y.count);
	forms_default(&forms);
	points_choose(a, &x, &forms, false);
	points_choose(b, &y, &forms, false);
	for (i = 0; i < x.count; i++) {
		const struct elf_function *p = &x.list[i], *q = &y.list[i];

		/* Not byte for byte: a compiler may leave anything behind the last field. */
		ck_assert_uint_eq(p->offset, q->offset);
		ck_assert_uint_eq(p->size, q->size);
		ck_assert_uint_eq(p->name_hash, q->name_hash);
		ck_assert_uint_eq(p->call, q->call);
		ck_assert_uint_eq(p->past, q->past);
		ck_assert_uint_eq(p->point, q->point);
	}
	free(x.list);
	free(y.list);
}

static off_t size_of(int fd)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	return st.st_size;
}

/* The double's libraries, where make has put them. */
static int library_open(const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/tests/double/%s",
		 getenv("top_builddir") ? getenv("top_builddir") : ".", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_msg(fd >= 0, "%s", path);
	return fd;
}

TEST_LOOP(test_copy, 4)
{
	static const char *const libraries[] = { "lib/libcudart.so.13", "lib/libcuda.so.1",
						 "forms/driver/libcuda.so.1",
						 "forms/endbr/libcudart.so.13" };
	struct symbols *symbols;
	struct elf_needs needs;
	uint64_t distance;
	struct stat st;
	int fd, copy;

	fd = library_open(libraries[_i]);
	copy = elf_copy(fd, (uint64_t)size_of(fd), COPY_IF_HOOKED);
	ck_assert_int_ge(copy, 0);
	ck_assert_int_eq(size_of(copy), size_of(fd));
	same_functions(fd, copy);
	close(copy);
	/* Without what was not asked for it is smaller, and says what it needs all the same. */
	copy = elf_copy(fd, (uint64_t)size_of(fd), 0);
	ck_assert_int_eq(elffile_needs(copy, &needs, NULL), 0);
	ck_assert_uint_gt(needs.count, 0);
	elffile_needs_free(&needs);
	ck_assert_int_eq(fstat(copy, &st), 0);
	ck_assert_int_lt(512 * st.st_blocks, size_of(fd) / 2);
	close(copy);
	copy = elf_copy(fd, (uint64_t)size_of(fd), COPY_TABLES);
	ck_assert_int_eq(symbols_read(copy, -1, UINT64_MAX, &symbols), 0);
	ck_assert_ptr_null(symbols_find(symbols, 0, &distance));
	symbols_free(symbols);
	close(copy);
	close(copy);
	close(fd);
}

/* Code of hundreds of megabytes, as its header says, is copied in part: around the functions. */
TEST(test_copy_of_much_code)
{
	int fd = library_open("lib/libcudart.so.13"), much, copy;
	size_t size = (size_t)size_of(fd), i;
	static const char filling[1 << 20] = { 1 };
	char *bytes = malloc(size);
	Elf64_Ehdr *head = (Elf64_Ehdr *)bytes;
	Elf64_Shdr *sections;
	struct stat st;

	ck_assert_int_eq(pread(fd, bytes, size, 0), size);
	sections = (Elf64_Shdr *)(bytes + head->e_shoff);
	for (i = 0; i < head->e_shnum; i++)
		if (sections[i].sh_type == SHT_PROGBITS && sections[i].sh_flags & SHF_EXECINSTR)
			sections[i].sh_size = 300 << 20;
	much = file_of(bytes, size);
	for (i = 0; i < 80; i++)
		ck_assert_int_eq(pwrite(much, filling, sizeof(filling),
					(off_t)(size + i * sizeof(filling))),
				 sizeof(filling));
	ck_assert_int_eq(ftruncate(much, 400 << 20), 0);
	copy = elf_copy(much, 400 << 20, COPY_TABLES | COPY_CODE);
	ck_assert_int_ge(copy, 0);
	same_functions(much, copy);
	ck_assert_int_eq(fstat(copy, &st), 0);
	ck_assert_int_lt(512 * st.st_blocks, 64 << 20);
	free(bytes);
	close(copy);
	close(much);
	close(fd);
}

TEST(test_copy_of_nothing)
{
	int fd = file_of("#!/bin/sh\nexit 0\n", 17), copy = elf_copy(fd, 17, COPY_IF_HOOKED);
	char text[18] = "";

	ck_assert_int_eq(pread(copy, text, 17, 0), 17);
	ck_assert_str_eq(text, "#!/bin/sh\nexit 0\n");
	close(copy);
	close(fd);
	/* Shorter than it was said to be. */
	fd = file_of("\177ELF", 4);
	copy = elf_copy(fd, 1 << 20, COPY_TABLES);
	ck_assert_int_eq(size_of(copy), 1 << 20);
	close(copy);
	close(fd);
}

TEST(test_open)
{
	struct file_id id;
	struct seen_file seen;
	char name[64], byte;
	int fd = file_of("text", 4);

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	ck_assert_int_eq(outside_open(&here, name, false, 0, ERRAND_SHORT, &seen), 0);
	/* Memory is a local file system. */
	ck_assert_int_eq(seen.place, -1);
	ck_assert_int_eq(seen_place(&seen), seen.fd);
	ck_assert(seen.own && seen.identified);
	ck_assert_str_eq(seen.path, name);
	ck_assert_int_eq(seen.st.st_size, 4);
	ck_assert_int_eq(pread(seen.fd, &byte, 1, 3), 1);
	ck_assert_int_eq(identify_file(-1, fd, &id, NULL), 0);
	ck_assert(!memcmp(&id, &seen.id, sizeof(id)));
	seen_close(&seen);
	ck_assert_int_eq(outside_open(&here, "/proc/version", false, 0, ERRAND_SHORT, &seen), 0);
	/* Of what is not known to be local there is a copy. */
	ck_assert_int_ge(seen.place, 0);
	ck_assert_int_eq(fcntl(seen.place, F_GETFL) & O_PATH, O_PATH);
	seen_close(&seen);
	ck_assert_int_eq(outside_open(&here, "/no/such/file", false, 0, ERRAND_SHORT, &seen),
			 -ENOENT);
	ck_assert_int_eq(seen.fd, -1);
	ck_assert_int_eq(outside_open(&here, "/dev/null", false, 0, ERRAND_SHORT, &seen), -EINVAL);
	ck_assert_int_eq(outside_open_link(&here, getpid(), "exe", "other_name", 0, &seen),
			 -ESTALE);
	ck_assert_int_eq(outside_open_link(&here, getpid(), "exe", NULL, 0, &seen), 0);
	ck_assert(seen.own);
	ck_assert_ptr_nonnull(strstr(seen.path, "test_probe"));
	seen_close(&seen);
	close(fd);
}

/* ---- processes ---- */

/* A child that waits for its end, which comes when @alive is closed. */
static pid_t child_of(int *alive)
{
	int ends[2], told[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(told, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		close(ends[1]);
		if (write(told[1], "", 1) != 1 || read(ends[0], &byte, 1))
			_exit(1);
		_exit(0);
	}
	close(ends[0]);
	close(told[1]);
	ck_assert_int_eq(read(told[0], &byte, 1), 1);
	close(told[0]);
	*alive = ends[1];
	return pid;
}

/* What the kernel says of the same. */
static char *kernel_says(pid_t pid, const char *name, size_t *len)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return file_read(path, 1 << 20, len);
}

static void same_words(pid_t pid)
{
	size_t len, other;
	char *ours, *theirs;
	int err;

	ours = outside_arguments(&here, pid, 1 << 20, &len, &err);
	ck_assert_int_eq(err, 0);
	theirs = kernel_says(pid, "cmdline", &other);
	ck_assert_uint_eq(len, other);
	ck_assert(!memcmp(ours, theirs, len + 1));
	free(ours);
	free(theirs);
}

/* What it was started with, and what it has set itself since. */
static void finds_devices(pid_t pid)
{
	size_t len;
	int err;
	char *clues = outside_devices(&here, pid, &len, &err);

	ck_assert_int_eq(err, 0);
	ck_assert(!memcmp(clues, "S\0", 2));
	ck_assert_ptr_nonnull(memmem(clues, len, "\0N\0NCUDA_VISIBLE_DEVICES=7\0", 27));
	ck_assert_ptr_null(memmem(clues, len, "\0D", 2));
	free(clues);
}

TEST(test_words)
{
	size_t len;
	char *text;
	int alive, err;
	pid_t pid;

	ck_assert_int_eq(setenv("CUDA_VISIBLE_DEVICES", "7", 1), 0);
	pid = child_of(&alive);
	same_words(pid);
	finds_devices(pid);
	text = outside_arguments(&here, pid, 3, &len, &err);
	ck_assert_uint_eq(len, 3);
	free(text);
	close(alive);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	text = outside_arguments(&here, pid, 100, &len, &err);
	ck_assert_ptr_null(text);
	ck_assert_int_lt(err, 0);
}

TEST(test_memory)
{
	uint64_t words[3] = { 11, 12, 13 }, addresses[4], read_words[4] = { 0, 0, 0, 99 };
	int i;

	for (i = 0; i < 3; i++)
		addresses[i] = (uint64_t)(uintptr_t)&words[i];
	addresses[3] = 8;
	ck_assert_int_eq(outside_words(&here, getpid(), addresses, 4, read_words), 0);
	ck_assert(!memcmp(words, read_words, sizeof(words)));
	ck_assert_uint_eq(read_words[3], 99);
}

/* ---- names ---- */

static int name_of(const struct rec_name_at *record, const char *known, char **name,
		   bool *in_memory)
{
	*name = NULL;
	return outside_name(&here, record, 0, known, name, in_memory);
}

TEST(test_names)
{
	struct rec_name_at record = { .hdr.tgid = (uint32_t)getpid(), .call = 1 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char folder[] = "/tmp/cutop-outside-XXXXXX", path[64], *memory, *name;
	bool in_memory;
	int fd;

	memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_int_eq(mprotect(memory + 2 * page, page, PROT_NONE), 0);
	strcpy(memory + page - 3, "kernel");
	record.name = (uint64_t)(uintptr_t)(memory + page - 3);
	ck_assert_int_eq(name_of(&record, NULL, &name, &in_memory), 0);
	ck_assert_str_eq(name, "kernel");
	ck_assert(in_memory);
	free(name);
	/* Without an end before the memory ends. */
	memset(memory + 2 * page - 5, 'x', 5);
	record.name = (uint64_t)(uintptr_t)(memory + 2 * page - 5);
	ck_assert_int_lt(name_of(&record, NULL, &name, &in_memory), 0);
	record.name = 16;
	ck_assert_int_lt(name_of(&record, NULL, &name, &in_memory), 0);
	/* The process is another one than that which was told of. */
	record.name = (uint64_t)(uintptr_t)(memory + page - 3);
	ck_assert_int_lt(outside_name(&here, &record, 1, NULL, &name, &in_memory), 0);
	/* The file outlives its process. */
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(pwrite(fd, "in_file", 8, 5000), 8);
	ck_assert_int_eq(identify_file(-1, fd, &record.id, NULL), 0);
	record.hdr.tgid = 0x7fffffff;
	record.in_file = 1;
	record.offset = 5000;
	ck_assert_int_eq(name_of(&record, path, &name, &in_memory), 0);
	ck_assert_str_eq(name, "in_file");
	ck_assert(!in_memory);
	free(name);
	/* But not another file of that path. */
	record.id.inode++;
	ck_assert_int_lt(name_of(&record, path, &name, &in_memory), 0);
	record.id.inode--;
	record.in_file = 0;
	ck_assert_int_lt(name_of(&record, path, &name, &in_memory), 0);
	close(fd);
	unlink(path);
	rmdir(folder);
}

TEST(test_path_names)
{
	struct path_names names = { .len = 0 };
	char path[CUTOP_PATH_MAX + 1];

	ck_assert(!path_of_names(&names, path));
	memcpy(names.names, "file\0bin\0usr", 13);
	names.len = 13;
	ck_assert(path_of_names(&names, path));
	ck_assert_str_eq(path, "/usr/bin/file");
	names.len = 12;
	ck_assert(!path_of_names(&names, path));
	names.len = sizeof(names.names) + 1;
	ck_assert(!path_of_names(&names, path));
}

static void path_count(void *context, const char *path)
{
	ck_assert_int_eq(path[0], '/');
	++*(int *)context;
}

TEST(test_walks)
{
	int count = 0;

	ck_assert_int_eq(outside_glob(&here, "/proc/self/stat*", path_count, &count), 0);
	ck_assert_int_ge(count, 3);
	count = 0;
	ck_assert_int_eq(outside_glob(&here, "/no/such/*", path_count, &count), 0);
	ck_assert_int_eq(count, 0);
}
