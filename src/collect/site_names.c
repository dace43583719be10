/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call site is named function+offset (file); its return address lies
 * behind the call, so the byte before it is looked up: a call that ends its
 * function would else be named after the next one.
 */
#include "collect/site_names.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

#include "names/demangle.h"
#include "util/util.h"

#define SITES_MAX	65536	/* per image; more are left without a name */

/* Libraries that keep what they allocate on purpose: design, "held". */
static const char *const held_libraries[] = {
	"libc10_cuda*.so*", "libtorch_cuda*.so*", "libcublas*.so*", "libcudnn*.so*", "libnccl*.so*", NULL,
};

struct site_key {
	uint64_t address;
	uint32_t image;
	uint32_t pad;
};

struct site_seen {
	struct site_key key;
	UT_hash_handle hh;
};

struct site_names {
	struct modules *modules;
	const char *const *held_globs;
	struct site_seen *seen;
};

struct site_names *site_names_new(struct modules *modules, const char *const *held_globs)
{
	struct site_names *names = calloc(1, sizeof(*names));

	if (names) {
		names->modules = modules;
		names->held_globs = held_globs;
	}
	return names;
}

static void seen_free(struct site_names *names, struct site_seen *seen)
{
	HASH_DEL(names->seen, seen);
	free(seen);
}

void site_names_forget(struct site_names *names, uint32_t image)
{
	struct site_seen *seen, *next;

	HASH_ITER(hh, names->seen, seen, next)
		if (seen->key.image == image)
			seen_free(names, seen);
}

void site_names_free(struct site_names *names)
{
	struct site_seen *seen, *next;

	if (!names)
		return;
	HASH_ITER(hh, names->seen, seen, next)
		seen_free(names, seen);
	free(names);
}

static bool matches(const char *const *globs, const char *file)
{
	for (; globs && *globs; globs++)
		if (!fnmatch(*globs, file, 0))
			return true;
	return false;
}

static struct rec_text *text_new(uint16_t type, uint32_t image, uint64_t address, uint32_t flags, const char *text)
{
	size_t len = strlen(text), size;
	struct rec_text *record;

	if (len > CUTOP_NAME_MAX)
		len = CUTOP_NAME_MAX;
	size = (sizeof(*record) + len + 8) & ~(size_t)7;
	record = calloc(1, size);
	if (!record)
		return NULL;
	record->hdr.type = type;
	record->hdr.size = (__u16)size;
	record->hdr.image = image;
	record->hdr.time = clock_ns(CLOCK_MONOTONIC);
	record->address = address;
	record->flags = flags;
	record->text_len = (__u32)len;
	memcpy(record->text, text, len);
	return record;
}

struct rec_text *site_names_site(struct site_names *names, uint32_t image, uint64_t address)
{
	struct site_key key = { .address = address, .image = image };
	struct rec_text *record = NULL;
	struct address_name name;
	struct site_seen *seen;
	char *full, *text;
	bool held;

	HASH_FIND(hh, names->seen, &key, sizeof(key), seen);
	if (seen || HASH_COUNT(names->seen) >= SITES_MAX)
		return NULL;
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return NULL;
	seen->key = key;
	HASH_ADD(hh, names->seen, key, sizeof(key), seen);
	name = modules_name(names->modules, image, address - 1);
	if (!name.file)
		return NULL;
	held = matches(held_libraries, name.file) || matches(names->held_globs, name.file);
	if (name.symbol) {
		char *whole = demangle_full(name.symbol);

		full = whole ? demangle_short(whole) : NULL;
		free(whole);
		text = full ? format_new("%s+0x%llx (%s)", full, (unsigned long long)name.distance + 1, name.file) : NULL;
		free(full);
	} else {
		text = format_new("%s+0x%llx", name.file, (unsigned long long)name.distance + 1);
	}
	if (text)
		record = text_new(REC_SITE, image, address, held ? SITE_IS_HELD : 0, text);
	free(text);
	return record;
}

struct rec_text *site_names_kernel(struct site_names *names, uint32_t image, uint64_t function, uint64_t stub)
{
	static const char prefix[] = "__device_stub_";
	struct address_name name = modules_name(names->modules, image, stub);
	const char *symbol = name.symbol;

	if (!symbol || name.distance)
		return NULL;
	/* nvcc's inner stub: __device_stub__ and the mangled name, which begins with one of the underscores */
	if (!strncmp(symbol, prefix, sizeof(prefix) - 1))
		symbol += sizeof(prefix) - 1;
	return text_new(REC_NAME, image, function, NAME_SYMBOL, symbol);
}
