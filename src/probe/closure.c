/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows DT_NEEDED the way ld.so(8) does, without running it. It need not be perfect: a library
 * found by mistake gets a probe that never fires, and one that is missed is found when it is
 * mapped.
 */
#include "probe/closure.h"

#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/elffile.h"
#include "util/util.h"

#define CLOSURE_MAX  4096 /* files */
#define DRIVER_NAME  "libcuda.so.1"
#define LD_CACHE_MAX (64u << 20)

/* ---- ld.so.cache: glibc's dl-cache.h, the format since 2.2, the only one since 2.32 ---- */

#define LD_CACHE_MAGIC "glibc-ld.so.cache1.1"

struct ld_cache_entry {
	int32_t flags;
	uint32_t name, path; /* offsets from the header */
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
#define LD_CACHE_FLAGS 0x0303 /* FLAG_X8664_LIB64 | FLAG_ELF_LIBC6 */
#else
#define LD_CACHE_FLAGS 0x0a03 /* FLAG_AARCH64_LIB64 | FLAG_ELF_LIBC6 */
#endif

void ld_cache_visit(const char *prefix,
		    int (*visit)(void *context, const char *name, const char *path), void *context)
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
	char **paths; /* found so far; the ones past `next` are yet to be read */
	size_t count, next;
	const char *library_path, *preload;
	void (*visit)(void *context, const char *path);
	void *context;
};

static bool closure_add(struct closure *closure, const char *path)
{
	char real[4096], **more;
	size_t i;

	if (!realpath(path, real))
		return false;
	for (i = 0; i < closure->count; i++)
		if (!strcmp(closure->paths[i], real))
			return true;
	if (closure->count >= CLOSURE_MAX)
		return true;
	more = realloc(closure->paths, (closure->count + 1) * sizeof(*more));
	if (!more)
		return true;
	closure->paths = more;
	more[closure->count] = strdup(real);
	if (!more[closure->count])
		return true;
	closure->count++;
	closure->visit(closure->context, real);
	return true;
}

static bool is_readable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && file_is_open_to(path, R_OK);
}

static bool try_path(struct closure *closure, const char *dir, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/%s", *dir ? dir : ".", name) < (int)sizeof(path) &&
	       is_readable(path) && closure_add(closure, path);
}

/* Puts @origin for $ORIGIN in @element. */
static void element_expand(const char *element, size_t len, const char *origin, char out[4096])
{
	static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };
	size_t at = 0, skip, i;

	while (len && at < 4095) {
		for (i = 0; i < ARRAY_LEN(words); i++)
			if (len >= strlen(words[i]) && !memcmp(element, words[i], strlen(words[i])))
				break;
		if (i < ARRAY_LEN(words)) {
			skip = strlen(words[i]);
			at += (size_t)snprintf(out + at, 4096 - at, "%s", origin);
			if (at > 4095)
				at = 4095;
		} else {
			skip = 1;
			out[at++] = *element;
		}
		element += skip;
		len -= skip;
	}
	out[at] = 0;
}

/* Searches a colon-separated list for a file in @origin. */
static bool try_list(struct closure *closure, const char *list, const char *origin,
		     const char *name)
{
	char dir[4096];
	size_t len;

	for (; list && *list; list += len + (list[len] != 0)) {
		len = strcspn(list, ":;");
		element_expand(list, len, origin, dir);
		if (try_path(closure, dir, name))
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
		"/lib/x86_64-linux-gnu",
		"/usr/lib/x86_64-linux-gnu",
		"/lib/aarch64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu",
		"/lib64",
		"/usr/lib64",
		"/lib",
		"/usr/lib",
	};
	struct cache_search search = { .name = name };
	size_t i;

	if (strchr(name, '/')) {
		char path[4096];

		element_expand(name, strlen(name), origin, path);
		closure_add(closure, path);
		return;
	}
	if (!needs->runpath && try_list(closure, needs->rpath, origin, name))
		return;
	if (try_list(closure, closure->library_path, origin, name) ||
	    try_list(closure, needs->runpath, origin, name))
		return;
	ld_cache_visit(name, cache_match, &search);
	if (search.path[0] && closure_add(closure, search.path))
		return;
	for (i = 0; i < ARRAY_LEN(defaults); i++)
		if (try_path(closure, defaults[i], name))
			return;
}

/* Libraries named in LD_PRELOAD are searched for like those that the program itself needs. */
static void closure_preload(struct closure *closure, const struct elf_needs *needs,
			    const char *origin)
{
	const char *list = closure->preload;
	char name[4096];
	size_t len;

	for (; list && *list; list += len + (list[len] != 0)) {
		len = strcspn(list, ": ");
		if (len && len < sizeof(name)) {
			snprintf(name, sizeof(name), "%.*s", (int)len, list);
			closure_need(closure, needs, origin, name);
		}
	}
}

static void closure_read(struct closure *closure, const char *path)
{
	bool is_program = closure->next == 1;
	struct elf_needs needs;
	char origin[4096], *slash;
	size_t i;
	int fd, err;

	fd = file_open_regular(path);
	if (fd < 0)
		return;
	err = elffile_needs(fd, &needs, NULL);
	close(fd);
	if (err)
		return;
	snprintf(origin, sizeof(origin), "%s", path);
	slash = strrchr(origin, '/');
	if (slash)
		*slash = 0;
	if (is_program)
		closure_preload(closure, &needs, origin);
	for (i = 0; i < needs.count; i++)
		closure_need(closure, &needs, origin, needs.needed[i]);
	if (is_program && needs.interpreter)
		closure_add(closure, needs.interpreter);
	/* No DT_NEEDED names the driver: a runtime, linked in or shared, loads it with dlopen(). */
	closure_need(closure, &needs, origin, DRIVER_NAME);
	elffile_needs_free(&needs);
}

static void closure_visit(struct closure *closure, const char *program)
{
	size_t i;

	closure_add(closure, program);
	while (closure->next < closure->count)
		closure_read(closure, closure->paths[closure->next++]);
	for (i = 0; i < closure->count; i++)
		free(closure->paths[i]);
	free(closure->paths);
}

/* ---- ahead ---- */

/*
 * The libraries of a program that is about to be started, found without running it.
 * It need not be perfect: a library found by mistake gets a probe that never fires, and one that is
 * missed is found when the program maps it.
 */

struct ahead {
	void (*visit)(void *context, const char *path);
	void *context;
	unsigned int globbed;
};

/* Visits CUDA's libraries in the folder @pattern. NCCL and NVSHMEM have a runtime inside. */
static void folder_visit(struct ahead *ahead, const char *pattern)
{
	static const char *const names[] = { "libcudart*.so*", "libcuda.so*", "libnccl.so*",
					     "libnvshmem_host.so*" };
	char path[4096];
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		glob_t found;

		if (snprintf(path, sizeof(path), "%s/%s", pattern, names[i]) >= (int)sizeof(path) ||
		    glob(path, GLOB_NOSORT, NULL, &found))
			continue;
		for (j = 0; j < found.gl_pathc && ahead->globbed < AHEAD_GLOBBED_MAX;
		     j++, ahead->globbed++)
			ahead->visit(ahead->context, found.gl_pathv[j]);
		globfree(&found);
	}
}

/* A program may load what lies there although it needs none of it: by dlopen(3), or ctypes. */
static void library_path_visit(struct ahead *ahead, const char *list)
{
	char path[4096];
	size_t len;

	for (; list && *list; list += len + (list[len] == ':')) {
		len = strcspn(list, ":");
		if (len && snprintf(path, sizeof(path), "%.*s", (int)len, list) < (int)sizeof(path))
			folder_visit(ahead, path);
	}
}

/* conda's libraries and NVIDIA's and PyTorch's wheels, of the Python at @program. */
static void packages_visit(struct ahead *ahead, const char *program)
{
	static const char *const folders[] = { "lib", "lib/python3*/site-packages/nvidia/*/lib",
					       "lib/python3*/site-packages/torch/lib" };
	char prefix[4096], path[4096], *slash;
	size_t i;

	/* PREFIX/bin/python3 */
	snprintf(prefix, sizeof(prefix), "%s", program);
	for (i = 0; i < 2; i++) {
		slash = strrchr(prefix, '/');
		if (!slash)
			return;
		*slash = 0;
	}
	for (i = 0; i < ARRAY_LEN(folders); i++)
		if (snprintf(path, sizeof(path), "%s/%s", prefix, folders[i]) < (int)sizeof(path))
			folder_visit(ahead, path);
}

static bool is_python(const char *path)
{
	const char *name = path_base(path);

	return !strncmp(name, "python", strlen("python")) &&
	       !name[strlen("python") + strspn(name + strlen("python"), "0123456789.")];
}

void ahead_visit(const char *path, const char *library_path, const char *preload,
		 void (*visit)(void *context, const char *path), void *context)
{
	struct closure closure = {
		.library_path = library_path, .preload = preload, .visit = visit, .context = context
	};
	struct ahead ahead = { .visit = visit, .context = context };
	char real[4096];

	if (!is_readable(path))
		return;
	closure_visit(&closure, path);
	library_path_visit(&ahead, library_path);
	if (!is_python(path))
		return;
	/*
	 * Both as it is called and as the file that it leads to: in a virtual environment it is a
	 * link, and the folder of the link counts.
	 */
	packages_visit(&ahead, path);
	if (realpath(path, real) && strcmp(path, real))
		packages_visit(&ahead, real);
}
