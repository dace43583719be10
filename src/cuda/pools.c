/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cuda/pools.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/allocators.h"

#define WORDS_MAX     8
#define ARGUMENTS_MAX 6 /* those in registers, System V ABI, x86-64; arm64 has more */
#define GRANULE_MAX   (1ul << 30)
#define FILE_MAX      (1u << 20)
#define POOL_NAME_MAX 31

struct reading {
	struct pools *pools;
	const char *file;
	size_t line;
	const char *library; /* NULL: the pool has none so far */
	char *library_text;
	bool any, has_allocate, has_free;
	struct reason *why;
};

static int __attribute__((format(printf, 2, 3)))
refuse(const struct reading *reading, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return reason_set(reading->why, -EINVAL, "%s:%zu: %s", reading->file, reading->line, text);
}

static const char *pool_of(const struct reading *reading)
{
	return reading->pools->names[reading->pools->count - 1];
}

/* The pool that was described last has all that it needs. */
static int pool_check(const struct reading *reading)
{
	if (!reading->any || (reading->has_allocate && reading->has_free))
		return 0;
	return refuse(reading, "pool %s has no line '%s'", pool_of(reading),
		      reading->has_allocate ? "free SYMBOL address=N" : "allocate SYMBOL bytes=N");
}

static int pool_take(struct reading *reading, char **words, size_t count)
{
	struct pools *pools = reading->pools;
	const char *name = words[1];
	size_t i;
	int err = pool_check(reading);

	if (err)
		return err;
	if (count != 2)
		return refuse(reading, "a pool has one name: pool NAME");
	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
			return refuse(reading, "a pool's name has letters, digits, _, - and .");
	if (i > POOL_NAME_MAX)
		return refuse(reading, "a pool's name has %d characters at most", POOL_NAME_MAX);
	for (i = 0; i < ALLOCATOR_KINDS; i++)
		if (!strcmp(name, allocator_names[i]))
			return refuse(reading, "cutop has a pool %s of its own", name);
	for (i = 0; i < pools->count; i++)
		if (!strcmp(name, pools->names[i]))
			return refuse(reading, "there are two pools %s", name);
	if (pools->count == POOLS_MAX)
		return refuse(reading, "there are more than %d pools", POOLS_MAX);
	pools->names[pools->count] = strdup(name);
	if (!pools->names[pools->count])
		return reason_set(reading->why, -ENOMEM, "no memory");
	pools->count++;
	reading->any = true;
	free(reading->library_text);
	reading->library = reading->library_text = NULL;
	reading->has_allocate = reading->has_free = false;
	return 0;
}

static int library_take(struct reading *reading, char **words, size_t count)
{
	if (count != 2)
		return refuse(reading, "one library, which may be a glob: library GLOB");
	free(reading->library_text);
	reading->library = reading->library_text = strdup(words[1]);
	return reading->library ? 0 : reason_set(reading->why, -ENOMEM, "no memory");
}

/* Reads "NAME=NUMBER". Returns 0 with *@value, 1 if @word is not @name's, or -EINVAL. */
static int number_take(const struct reading *reading, const char *word, const char *name,
		       unsigned long max, unsigned long *value)
{
	size_t len = strlen(name);
	char *end;

	if (strncmp(word, name, len) || word[len] != '=')
		return 1;
	*value = strtoul(word + len + 1, &end, 10);
	if (!isdigit((unsigned char)word[len + 1]) || *end || *value > max)
		return refuse(reading, "'%s': %s is a number from 0 to %lu", word, name, max);
	return 0;
}

static int function_take(struct reading *reading, char **words, size_t count, bool allocates)
{
	static const unsigned long none = ~0ul;
	struct pools *pools = reading->pools;
	unsigned long bytes = none, address = none, result = none, granule = 1;
	struct pool_function *function = &pools->functions[pools->function_count];
	size_t i;
	int err;

	if (!reading->library)
		return refuse(reading, "a line 'library GLOB' comes before it");
	if (count < 2)
		return refuse(reading, "which function? %s",
			      allocates ? "allocate SYMBOL bytes=N" : "free SYMBOL address=N");
	for (i = 2; i < count; i++) {
		err = allocates ?
			      number_take(reading, words[i], "bytes", ARGUMENTS_MAX - 1, &bytes) :
			      number_take(reading, words[i], "address", ARGUMENTS_MAX - 1,
					  &address);
		if (err > 0 && allocates)
			err = number_take(reading, words[i], "result", ARGUMENTS_MAX - 1, &result);
		if (err > 0 && allocates)
			err = number_take(reading, words[i], "granule", GRANULE_MAX, &granule);
		if (err > 0)
			err = refuse(reading, "'%s': %s takes %s", words[i], words[0],
				     allocates ? "bytes=N, result=N and granule=BYTES" :
						 "address=N");
		if (err)
			return err;
	}
	if (allocates ? bytes == none : address == none)
		return refuse(reading, "which argument? %s=N, counted from 0",
			      allocates ? "bytes" : "address");
	if (!granule || granule & (granule - 1))
		return refuse(reading, "granule is a power of two");
	if (bytes == result && allocates)
		return refuse(reading, "bytes and result are the same argument");
	for (i = 0; i < pools->function_count; i++)
		if (!strcmp(words[1], pools->functions[i].symbol) &&
		    !strcmp(reading->library, pools->functions[i].library))
			return refuse(reading, "%s has a line before this one", words[1]);
	if (pools->function_count == POOL_FUNCTIONS_MAX)
		return refuse(reading, "there are more than %d functions", POOL_FUNCTIONS_MAX);
	*function = (struct pool_function){
		.library = strdup(reading->library),
		.symbol = strdup(words[1]),
		.form = { .allocator = (__u8)(ALLOCATOR_KINDS + pools->count - 1),
			  .act = allocates ? BLOCK_MADE : BLOCK_RETURNED,
			  .address = address == none ? 0 : (__u8)address,
			  .bytes = bytes == none ? 0 : (__u8)bytes,
			  .result = result == none ? 0 : (__u8)(result + 1),
			  .granule = (__u32)granule },
	};
	pools->function_count++;
	if (!function->library || !function->symbol)
		return reason_set(reading->why, -ENOMEM, "no memory");
	reading->has_allocate |= allocates;
	reading->has_free |= !allocates;
	return 0;
}

static int line_take(struct reading *reading, char *line)
{
	char *words[WORDS_MAX + 1], *rest = NULL, *word;
	size_t count = 0;

	line[strcspn(line, "#")] = 0;
	for (word = strtok_r(line, " \t\r", &rest); word && count < WORDS_MAX;
	     word = strtok_r(NULL, " \t\r", &rest))
		words[count++] = word;
	if (!count)
		return 0;
	words[count] = NULL;
	if (word)
		return refuse(reading, "more than %d words", WORDS_MAX);
	if (!strcmp(words[0], "pool"))
		return count < 2 ? refuse(reading, "a pool has a name: pool NAME") :
				   pool_take(reading, words, count);
	if (!reading->any)
		return refuse(reading, "the first line is 'pool NAME'");
	if (!strcmp(words[0], "library"))
		return library_take(reading, words, count);
	if (!strcmp(words[0], "allocate") || !strcmp(words[0], "free"))
		return function_take(reading, words, count, words[0][0] == 'a');
	return refuse(reading, "'%s' is none of pool, library, allocate and free", words[0]);
}

static int description_read(struct reading *reading)
{
	size_t len;
	char *text = file_read(reading->file, FILE_MAX, &len), *line, *rest = text;
	int err = 0;

	if (!text)
		return reason_set(reading->why, -errno, "%s: %s", reading->file, strerror(errno));
	if (len >= FILE_MAX || memchr(text, 0, len))
		err = reason_set(reading->why, -EINVAL, "%s: %s", reading->file,
				 len >= FILE_MAX ? "it is too long" : "it is no text");
	while (!err && (line = strsep(&rest, "\n"))) {
		reading->line++;
		err = line_take(reading, line);
	}
	free(text);
	if (!err && !reading->any)
		err = refuse(reading, "describes no pool: pool NAME");
	return err ? err : pool_check(reading);
}

int pools_read(struct pools **result, const char *const *files, size_t count, struct reason *why)
{
	struct pools *pools = *result ? *result : calloc(1, sizeof(*pools));
	int err = pools ? 0 : reason_set(why, -ENOMEM, "no memory");
	size_t i;

	for (i = 0; i < count && !err; i++) {
		struct reading reading = { .pools = pools, .file = files[i], .why = why };

		err = description_read(&reading);
		free(reading.library_text);
	}
	if (err) {
		pools_free(pools);
		pools = NULL;
	}
	*result = pools;
	return err;
}

void pools_free(struct pools *pools)
{
	size_t i;

	if (!pools)
		return;
	for (i = 0; i < pools->count; i++)
		free(pools->names[i]);
	for (i = 0; i < pools->function_count; i++) {
		free(pools->functions[i].library);
		free(pools->functions[i].symbol);
	}
	free(pools);
}
