/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program needs: its libraries as the loader would find them, its interpreter, the loader's
 * cache.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/closure.h"
#include "probe_tests.h"
#include "util/util.h"

static char directory[64];

static void path_write(const char *name, const void *data, size_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
}

static void directory_make(void)
{
	char path[256];

	strcpy(directory, "/tmp/cutop-unit.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/sub", directory);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/other", directory);
	ck_assert_int_eq(mkdir(path, 0755), 0);
}

static void directory_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "/bin/rm -rf '%s'", directory);
	ck_assert_int_eq(system(command), 0);
}

static char visited[4096];

static void visit_note(void *context, const char *path)
{
	(void)context;
	if (!strncmp(path, directory, strlen(directory)))
		path += strlen(directory);
	snprintf(visited + strlen(visited), sizeof(visited) - strlen(visited), "%s ", path);
}

static const char *closure_of(const char *name, const char *library_path)
{
	char path[256];

	visited[0] = 0;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	ahead_visit(path, library_path, NULL, visit_note, NULL);
	return visited;
}

TEST(test_closure)
{
	char other[128];
	_Alignas(16) char program[ELF_IMAGE_ROOM];
	size_t size;

	directory_make();
	snprintf(other, sizeof(other), "/nowhere::%s/other", directory);
	size = elf_image(program, sizeof(program), false);
	path_write("rpath", program, size);
	path_write("sub/libneeded.so.1", program, size);
	size = elf_image(program, sizeof(program), true);
	path_write("runpath", program, size);
	path_write("other/libneeded.so.1", program, size);
	/* DT_RPATH comes before LD_LIBRARY_PATH, DT_RUNPATH after it; nothing is visited twice */
	ck_assert_str_eq(closure_of("rpath", NULL), "/rpath /sub/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("rpath", other),
			 "/rpath /sub/libneeded.so.1 /other/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("runpath", NULL), "/runpath /sub/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("runpath", other), "/runpath /other/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("absent", NULL), "");
	path_write("empty", "", 0);
	ck_assert_str_eq(closure_of("empty", NULL), "/empty ");
	/* cut files are visited themselves, and that is all */
	size = elf_image(program, sizeof(program), false);
	path_write("cut", program, size / 2);
	ck_assert_str_eq(closure_of("cut", NULL), "/cut ");
	directory_remove();
}

static const char *ahead_of(const char *name, const char *library_path, const char *preload)
{
	char path[256];

	visited[0] = 0;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	ahead_visit(path, library_path, preload, visit_note, NULL);
	return visited;
}

static void folders_make(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p '%s/%s'", directory, path);
	ck_assert_int_eq(system(command), 0);
}

TEST(test_ahead)
{
	static const char preload[] = "libabsent.so libfirst.so";
	static const char wheel[] = "lib/python3.11/site-packages/nvidia/cu13/lib";
	_Alignas(16) char program[ELF_IMAGE_ROOM];
	char other[128], path[256];
	size_t size;

	directory_make();
	size = elf_image(program, sizeof(program), true);
	path_write("one", program, size);
	path_write("env", program, size);
	/* and what is no program */
	ck_assert_str_eq(ahead_of("one", NULL, NULL), "/one ");
	ck_assert_str_eq(ahead_of("absent", NULL, NULL), "");
	ck_assert_str_eq(ahead_of("sub", NULL, NULL), "");
	/* What is preloaded is found as what is needed; so is what may be loaded by its name. */
	snprintf(other, sizeof(other), "/nowhere:%s/other", directory);
	path_write("other/libneeded.so.1", program, size);
	path_write("other/libfirst.so", program, size);
	ck_assert_str_eq(ahead_of("one", other, preload),
			 "/one /other/libfirst.so /other/libneeded.so.1 ");
	path_write("other/libcudart.so.13", program, size);
	path_write("other/libcublas.so.13", program, size);
	ck_assert_str_eq(ahead_of("one", other, preload),
			 "/one /other/libfirst.so /other/libneeded.so.1 /other/libcudart.so.13 ");
	/* Python's own packages, and those of the environment that its link is in */
	folders_make("real/bin");
	folders_make("real/lib");
	folders_make("venv/bin");
	snprintf(path, sizeof(path), "venv/%s", wheel);
	folders_make(path);
	path_write("real/bin/python3.11", program, size);
	path_write("real/lib/libcudart.so.12", program, size);
	snprintf(path, sizeof(path), "venv/%s/libcudart.so.13", wheel);
	path_write(path, program, size);
	snprintf(path, sizeof(path), "%s/venv/bin/python", directory);
	ck_assert_int_eq(symlink("../../real/bin/python3.11", path), 0);
	ck_assert_str_eq(
		ahead_of("venv/bin/python", NULL, NULL),
		"/real/bin/python3.11 /venv/lib/python3.11/site-packages/nvidia/cu13/lib/libcudart.so.13 "
		"/real/lib/libcudart.so.12 ");
	directory_remove();
}

static int cache_check(void *context, const char *name, const char *path)
{
	ck_assert_int_eq(path[0], '/');
	ck_assert_ptr_null(strchr(name, '/'));
	*(int *)context += 1;
	return 0;
}

static int cache_stop(void *context, const char *name, const char *path)
{
	(void)path;
	ck_assert_int_eq(strncmp(name, "libc.so", 7), 0);
	*(int *)context += 1;
	return 1;
}

TEST(test_ld_cache)
{
	int all = 0, none = 0, one = 0;

	if (access("/etc/ld.so.cache", R_OK))
		return;
	ld_cache_visit("", cache_check, &all);
	ck_assert_int_gt(all, 0);
	ld_cache_visit("libc.so", cache_stop, &one);
	ck_assert_int_eq(one, 1);
	ld_cache_visit("no such library", cache_check, &none);
	ck_assert_int_eq(none, 0);
}
