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

#include "probe/ahead.h"
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
	const struct ahead_start start = { .path = getenv("PATH"), .library_path = library_path };
	char path[256], *words[2] = { NULL };

	visited[0] = 0;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	words[0] = path;
	ahead_visit(words, &start, visit_note, NULL);
	return visited;
}

START_TEST(test_closure)
{
	char line[600], other[128];
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
	size = elf_image(program, sizeof(program), false);
	path_write("cut", program, size / 2);
	ck_assert_str_eq(closure_of("cut", NULL), "/cut ");
	directory_remove();
}
END_TEST

/*
 * What of @line, whose words are parted by '|', is visited in @start: programs of our folder alone,
 * by their names.
 */
static const char *ahead_of(const char *line, const struct ahead_start *start)
{
	char text[1024], *words[32], *rest = NULL, *word;
	size_t count = 0;

	snprintf(text, sizeof(text), "%s", line);
	for (word = strtok_r(text, "|", &rest); word && count < 31;
	     word = strtok_r(NULL, "|", &rest))
		words[count++] = word;
	words[count] = NULL;
	visited[0] = 0;
	ahead_visit(words, start, visit_note, NULL);
	return visited;
}

START_TEST(test_ahead)
{
	static const char *const names[] = { "env", "nice",    "timeout", "taskset", "stdbuf",
					     "sh",  "unknown", "one",     "two" };
	static const char *const plain[][2] = {
		{ "one", "/one " },
		{ "absent", "" },
		{ "unknown|one", "/unknown " },
		{ "nice|one", "/nice /one " },
		{ "nice|-n|5|one|two", "/nice /one " },
		{ "nice|-n5|one", "/nice /one " },
		{ "nice|--adjustment|5|one", "/nice /one " },
		{ "nice|--adjustment=5|one", "/nice /one " },
		{ "nice|-n", "/nice " },
		{ "timeout|-k|1|5|one", "/timeout /one " },
		{ "timeout|--foreground|--signal|INT|5|one", "/timeout /one " },
		{ "timeout|5", "/timeout " },
		{ "taskset|-c|0,1|one", "/taskset /one " },
		{ "stdbuf|-o|L|-eL|nice|timeout|1s|one", "/stdbuf /nice /timeout /one " },
		{ "env", "/env " },
		{ "env|A=b|one", "/env /one " },
		{ "env|-u|HOME|--unset=X|-C|/|A=b|one|C=d", "/env /one " },
		{ "env|-u", "/env " },
		{ "env|-S|A=b one two|x", "/env /one " },
		{ "env|-Sone", "/env /one " },
		{ "env|--|one", "/env /one " },
		{ "env|PATH=/nowhere|one", "/env " },
		{ "env|-u|PATH|one", "/env " },
		{ "env|-i|one", "/env " },
		{ "sh|-c|one", "/sh /one " },
		{ "sh|-ec|if one; then A=b nice two>out; fi; unknown one # two",
		  "/sh /one /nice /two /unknown " },
		{ "sh|-c|echo 'one; two' && \"one\" && (two)", "/sh /one /two " },
		{ "sh|-c|one\\\n two; $one; ''; # one", "/sh /one " },
		{ "sh|-c|export PATH=/nowhere; one", "/sh " },
		{ "sh|-c|PATH=/nowhere; one", "/sh " },
		{ "sh|-c|one<<x &two`one`", "/sh /one " },
		{ "sh|-o|errexit|-c", "/sh " },
		{ "sh|absent", "/sh " },
	};
	struct ahead_start start = { .path = directory };
	_Alignas(16) char program[ELF_IMAGE_ROOM];
	char other[128], path[256];
	size_t size, i;

	directory_make();
	size = elf_image(program, sizeof(program), true);
	for (i = 0; i < ARRAY_LEN(names); i++)
		path_write(names[i], program, size);
	for (i = 0; i < ARRAY_LEN(plain); i++)
		ck_assert_str_eq(ahead_of(plain[i][0], &start), plain[i][1]);
	/*
	 * What is preloaded is found as what is needed; a program in another root finds what lies
	 * there.
	 */
	snprintf(other, sizeof(other), "/nowhere:%s/other", directory);
	path_write("other/libneeded.so.1", program, size);
	path_write("other/libfirst.so", program, size);
	start.library_path = other;
	start.preload = "libabsent.so libfirst.so";
	ck_assert_str_eq(ahead_of("one", &start), "/one /other/libfirst.so /other/libneeded.so.1 ");
	ck_assert_str_eq(
		ahead_of("env|-u|LD_PRELOAD|one", &start),
		"/env /other/libfirst.so /other/libneeded.so.1 /one /other/libneeded.so.1 ");
	start = (struct ahead_start){ .path = "/", .library_path = "/other", .root = directory };
	snprintf(path, sizeof(path), "%s/link", directory);
	ck_assert_int_eq(symlink("/one", path), 0);
	ck_assert_str_eq(ahead_of("/link", &start), "/one /other/libneeded.so.1 ");
	/* No line leads on for ever. */
	path_write("loop", "#!/loop2\n", 9);
	path_write("loop2", "#!/loop\n", 8);
	ck_assert_uint_le(strlen(ahead_of("/loop", &start)), 200);
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
	probe_test_add(suite, "ahead", test_ahead);
	probe_test_add(suite, "ld cache", test_ld_cache);
}
