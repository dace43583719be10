/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows DT_NEEDED the way ld.so(8) does, without running it. It need not be
 * perfect: a library found wrongly gets a probe that never fires, one
 * not found is caught when it is mapped.
 */
#include "probe/closure.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/elffile.h"
#include "util/util.h"

#define CLOSURE_MAX	4096	/* files */
#define DRIVER_NAME	"libcuda.so.1"
#define LD_CACHE_MAX	(64u << 20)

/* ---- ld.so.cache: glibc's dl-cache.h, the format since 2.2, the only one since 2.32 ---- */

#define LD_CACHE_MAGIC	"glibc-ld.so.cache1.1"

struct ld_cache_entry {
	int32_t flags;
	uint32_t name, path;	/* offsets from the header */
	uint32_t os_version;
	uint64_t hwcap;
};

struct ld_cache_header {
	char magic[20];
	uint32_t count;
	uint32_t strings;
	uint32_t unused[5];
};

#if defined(__x86_64__)
#define LD_CACHE_FLAGS 0x0303	/* FLAG_X8664_LIB64 | FLAG_ELF_LIBC6 */
#else
#define LD_CACHE_FLAGS 0x0a03	/* FLAG_AARCH64_LIB64 | FLAG_ELF_LIBC6 */
#endif

void ld_cache_visit(const char *prefix, int (*visit)(void *context, const char *name, const char *path),
		    void *context)
{
	const struct ld_cache_header *header;
	const struct ld_cache_entry *entries;
	char *data, *start;
	size_t len, i;

	data = file_read("/etc/ld.so.cache", LD_CACHE_MAX, &len);
	if (!data)
		return;
	/* An older format may come first in the file. */
	start = memmem(data, len, LD_CACHE_MAGIC, sizeof(LD_CACHE_MAGIC) - 1);
	if (!start || (uintptr_t)start % 4)
		goto out;
	len -= (size_t)(start - data);
	if (len < sizeof(*header))
		goto out;
	header = (const void *)start;
	entries = (const void *)(header + 1);
	if (header->count > (len - sizeof(*header)) / sizeof(*entries))
		goto out;
	for (i = 0; i < header->count; i++) {
		struct ld_cache_entry entry;

		memcpy(&entry, &entries[i], sizeof(entry));
		/* file_read() ended the data with NUL: no string runs past it. */
		if (entry.name >= len || entry.path >= len || entry.flags != LD_CACHE_FLAGS)
			continue;
		if (strncmp(start + entry.name, prefix, strlen(prefix)))
			continue;
		if (visit(context, start + entry.name, start + entry.path))
			break;
	}
out:
	free(data);
}

/* ---- the closure ---- */

struct closure {
	char **paths;	/* found so far; the ones past `next` are yet to be read */
	size_t count, next;
	const char *library_path;
	void (*visit)(void *context, const char *path);
	void *context;
};

static void closure_add(struct closure *closure, const char *path)
{
	char real[4096], **more;
	size_t i;

	if (closure->count >= CLOSURE_MAX || !realpath(path, real))
		return;
	for (i = 0; i < closure->count; i++)
		if (!strcmp(closure->paths[i], real))
			return;
	more = realloc(closure->paths, (closure->count + 1) * sizeof(*more));
	if (!more)
		return;
	closure->paths = more;
	more[closure->count] = strdup(real);
	if (!more[closure->count])
		return;
	closure->count++;
	closure->visit(closure->context, real);
}

static bool try_path(struct closure *closure, const char *dir, size_t dir_len, const char *name)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%.*s/%s", (int)dir_len, dir_len ? dir : ".", name) >= (int)sizeof(path) ||
	    !file_is_open_to(path, R_OK))
		return false;
	closure_add(closure, path);
	return true;
}

/* Searches a colon-separated list. $ORIGIN and ${ORIGIN} at an element's start stand for @origin. */
static bool try_list(struct closure *closure, const char *list, const char *origin, const char *name)
{
	char dir[4096];
	size_t len, skip;

	for (; list && *list; list += len + (list[len] == ':')) {
		len = strcspn(list, ":;");
		skip = !strncmp(list, "$ORIGIN", 7) ? 7 : !strncmp(list, "${ORIGIN}", 9) ? 9 : 0;
		if (skip)
			snprintf(dir, sizeof(dir), "%s%.*s", origin, (int)(len - skip), list + skip);
		else
			snprintf(dir, sizeof(dir), "%.*s", (int)len, list);
		if (try_path(closure, dir, strlen(dir), name))
			return true;
	}
	return false;
}

struct cache_search {
	const char *name;
	char path[4096];
};

static int cache_match(void *context, const char *name, const char *path)
{
	struct cache_search *search = context;

	if (strcmp(name, search->name))
		return 0;
	snprintf(search->path, sizeof(search->path), "%s", path);
	return 1;
}

static void closure_need(struct closure *closure, const struct elf_needs *needs, const char *origin,
			 const char *name)
{
	static const char *const defaults[] = {
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
	};
	struct cache_search search = { .name = name };
	size_t i;

	if (strchr(name, '/')) {
		closure_add(closure, name);
		return;
	}
	if (!needs->runpath && try_list(closure, needs->rpath, origin, name))
		return;
	if (try_list(closure, closure->library_path, origin, name) || try_list(closure, needs->runpath, origin, name))
		return;
	ld_cache_visit(name, cache_match, &search);
	if (search.path[0]) {
		closure_add(closure, search.path);
		return;
	}
	for (i = 0; i < ARRAY_LEN(defaults); i++)
		if (try_path(closure, defaults[i], strlen(defaults[i]), name))
			return;
}

/* Follows "#!interpreter [argument]": with env(1), the argument is what runs, after options and assignments. */
static void closure_script(struct closure *closure, int fd)
{
	char line[512], *interpreter, *argument, *rest = NULL, *slash;
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return;
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	interpreter = strtok_r(line + 2, " \t", &rest);
	if (!interpreter)
		return;
	closure_add(closure, interpreter);
	slash = strrchr(interpreter, '/');
	if (!slash || strcmp(slash, "/env"))
		return;
	do {
		argument = strtok_r(NULL, " \t", &rest);
	} while (argument && (argument[0] == '-' || strchr(argument, '=')));
	if (argument) {
		const char *path = getenv("PATH");

		try_list(closure, path ? path : "/usr/local/bin:/usr/bin:/bin", "", argument);
	}
}

static void closure_read(struct closure *closure, const char *path)
{
	int fd = file_open_regular(path), err;
	struct elf_needs needs;
	char origin[4096], *slash;
	size_t i;

	if (fd < 0)
		return;
	err = elffile_needs(fd, &needs, NULL);
	if (err == -ENOEXEC || err == -EBADMSG)
		closure_script(closure, fd);
	close(fd);
	if (err)
		return;
	snprintf(origin, sizeof(origin), "%s", path);
	slash = strrchr(origin, '/');
	if (slash)
		*slash = 0;
	for (i = 0; i < needs.count; i++)
		closure_need(closure, &needs, origin, needs.needed[i]);
	/* No one says that it needs the driver: a runtime, linked in or shared, loads it by name. */
	closure_need(closure, &needs, origin, DRIVER_NAME);
	elffile_needs_free(&needs);
}

void closure_visit(const char *program, const char *library_path, void (*visit)(void *context, const char *path),
		   void *context)
{
	struct closure closure = { .library_path = library_path, .visit = visit, .context = context };
	size_t i;

	closure_add(&closure, program);
	while (closure.next < closure.count)
		closure_read(&closure, closure.paths[closure.next++]);
	for (i = 0; i < closure.count; i++)
		free(closure.paths[i]);
	free(closure.paths);
}
