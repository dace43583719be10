/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program needs: its libraries as the loader would find them, its interpreter, the loader's cache. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/closure.h"
#include "probe_tests.h"

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
	closure_visit(path, library_path, visit_note, NULL);
	return visited;
}

START_TEST(test_closure)
{
	char line[600], other[128];
	_Alignas(16) char image[ELF_IMAGE_ROOM];
	size_t size;

	directory_make();
	snprintf(other, sizeof(other), "/nowhere::%s/other", directory);
	size = elf_image(image, sizeof(image), false);
	path_write("rpath", image, size);
	path_write("sub/libneeded.so.1", image, size);
	size = elf_image(image, sizeof(image), true);
	path_write("runpath", image, size);
	path_write("other/libneeded.so.1", image, size);
	/* DT_RPATH comes before LD_LIBRARY_PATH, DT_RUNPATH after it; nothing is visited twice */
	ck_assert_str_eq(closure_of("rpath", NULL), "/rpath /sub/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("rpath", other), "/rpath /sub/libneeded.so.1 /other/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("runpath", NULL), "/runpath /sub/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("runpath", other), "/runpath /other/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("absent", NULL), "");
	/* scripts */
	snprintf(line, sizeof(line), "#! %s/rpath  -x\n", directory);
	path_write("script", line, strlen(line));
	ck_assert_str_eq(closure_of("script", NULL), "/script /rpath /sub/libneeded.so.1 ");
	snprintf(line, sizeof(line), "#!/usr/bin/env runpath\nrest");
	path_write("env-script", line, strlen(line));
	setenv("PATH", directory, 1);
	ck_assert_ptr_nonnull(strstr(closure_of("env-script", NULL), "/runpath "));
	ck_assert_ptr_nonnull(strstr(visited, "/sub/libneeded.so.1 "));
	snprintf(line, sizeof(line), "#!/usr/bin/env -S runpath -u\n");
	path_write("split-script", line, strlen(line));
	ck_assert_ptr_nonnull(strstr(closure_of("split-script", NULL), "/runpath "));
	snprintf(line, sizeof(line), "#!%s/endless\n", directory);
	path_write("endless", line, strlen(line));
	ck_assert_str_eq(closure_of("endless", NULL), "/endless ");
	path_write("bang", "#!", 2);
	ck_assert_str_eq(closure_of("bang", NULL), "/bang ");
	path_write("blank", "#! \t\n", 5);
	ck_assert_str_eq(closure_of("blank", NULL), "/blank ");
	memset(line, 'x', sizeof(line));
	memcpy(line, "#!", 2);
	path_write("long", line, sizeof(line));
	ck_assert_str_eq(closure_of("long", NULL), "/long ");
	path_write("empty", "", 0);
	ck_assert_str_eq(closure_of("empty", NULL), "/empty ");
	/* cut files are visited themselves, and that is all */
	size = elf_image(image, sizeof(image), false);
	path_write("cut", image, size / 2);
	ck_assert_str_eq(closure_of("cut", NULL), "/cut ");
	directory_remove();
}
END_TEST

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

START_TEST(test_ld_cache)
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
END_TEST

void closure_tests(Suite *suite)
{
	probe_test_add(suite, "closure", test_closure);
	probe_test_add(suite, "ld cache", test_ld_cache);
}
