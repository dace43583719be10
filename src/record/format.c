/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts are lines of "key=value". A reader skips keys that it does not know. The numbers of calls
 * and of causes of loss come from tables that grow: their names are stored in order, so that
 * another version of cutop can translate the numbers. The layout of records is not translated: if
 * their sizes differ, the reader refuses the recording.
 */
#include "record/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cuda/calls.h"
#include "model/model.h"
#include "util/utf8.h"

/* ---- the facts ---- */

#define TYPES_MAX 1024
#define UNKNOWN   UINT16_MAX

static const char *lost_name(unsigned int cause)
{
	return lost_cause_names[cause];
}

static void names_write(FILE *out, const char *key, const char *(*name)(unsigned int),
			unsigned int count)
{
	unsigned int i;

	fprintf(out, "%s=", key);
	for (i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "," : "", name(i));
	fputc('\n', out);
}

/* A file that a process runs or maps is looked at when cutop records, and is in no recording. */
static bool is_recorded(unsigned int type)
{
	return record_size(type) && type != REC_EXEC && type != REC_MMAP;
}

long facts_write(const struct facts *facts, char **text)
{
	char clean[sizeof(facts->options)];
	size_t len = 0;
	FILE *out = open_memstream(text, &len);
	unsigned int type;
	bool first = true;

	if (!out)
		return -ENOMEM;
	fprintf(out, "version=%s\n", facts->version);
	utf8_clean(facts->host, clean, sizeof(clean));
	fprintf(out, "host=%s\n", clean);
	utf8_clean(facts->options, clean, sizeof(clean));
	fprintf(out, "options=%s\n", clean);
	fprintf(out, "start_mono=%" PRIu64 "\nstart_real=%" PRIu64 "\nleak_age=%" PRIu64 "\n",
		facts->start_mono, facts->start_real, facts->leak_age);
	fprintf(out, "command=%d\ncalls_recorded=%d\n", facts->has_command, facts->has_calls);
	fputs("records=", out);
	for (type = 0; type < TYPES_MAX; type++) {
		if (!is_recorded(type))
			continue;
		fprintf(out, "%s%u:%zu", first ? "" : ",", type, record_size(type));
		first = false;
	}
	fputc('\n', out);
	names_write(out, "calls", call_name, CALL_COUNT);
	names_write(out, "lost", lost_name, LOST_COUNT);
	if (fclose(out)) {
		free(*text);
		return -ENOMEM;
	}
	return (long)len;
}

/* ---- reading ---- */

static bool read_number(const char *value, uint64_t max, uint64_t *number)
{
	char *end;

	if (*value < '0' || *value > '9')
		return false;
	errno = 0;
	*number = strtoull(value, &end, 10);
	return !errno && !*end && *number <= max;
}

static int read_flag(const char *value, bool *flag)
{
	uint64_t number;

	if (!read_number(value, 1, &number))
		return -EINVAL;
	*flag = number;
	return 0;
}

/* "1:304,2:40": the types of records and their sizes. */
static int check_sizes(const char *value, const char *version, struct reason *why)
{
	unsigned long type, size;
	char *end;

	for (; *value; value = end) {
		type = strtoul(value, &end, 10);
		if (end == value || *end != ':')
			return -EINVAL;
		value = end + 1;
		size = strtoul(value, &end, 10);
		if (end == value || (*end && *end != ','))
			return -EINVAL;
		end += *end == ',';
		if (type < TYPES_MAX && is_recorded((unsigned int)type) &&
		    record_size((unsigned int)type) != size)
			return reason_set(
				why, -ENOTSUP,
				"its records have another form than here; cutop %s wrote it, and can replay it",
				*version ? version : "of another version");
	}
	return 0;
}

static uint16_t find_name(const char *text, size_t len, const char *(*name)(unsigned int),
			  unsigned int count, size_t guess)
{
	unsigned int i;

	if (guess < count && !strncmp(name((unsigned int)guess), text, len) &&
	    !name((unsigned int)guess)[len])
		return (uint16_t)guess;
	for (i = 0; i < count; i++)
		if (!strncmp(name(i), text, len) && !name(i)[len])
			return (uint16_t)i;
	return UNKNOWN;
}

/* Maps the recording's numbers to ours by name. *@map stays NULL if they are the same. */
static int read_names(const char *value, const char *(*name)(unsigned int), unsigned int count,
		      uint16_t **map, size_t *map_count)
{
	size_t n = 0, most = 1;
	const char *comma;
	uint16_t *numbers;
	bool same = true;

	for (comma = strchr(value, ','); comma; comma = strchr(comma + 1, ','))
		most++;
	if (most > UNKNOWN)
		return -EINVAL;
	numbers = malloc(most * sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	while (*value) {
		size_t len = strcspn(value, ",");

		numbers[n] = find_name(value, len, name, count, n);
		same = same && numbers[n] == n;
		n++;
		value += len + (value[len] == ',');
	}
	free(*map);
	*map = NULL;
	*map_count = n;
	if (same)
		free(numbers);
	else
		*map = numbers;
	return 0;
}

static void read_text(const char *value, char *out, size_t size)
{
	utf8_clean(value, out, size);
}

static int read_line(const char *key, const char *value, struct facts *facts,
		     struct numbers *numbers, struct reason *why)
{
	const struct {
		const char *key;
		uint64_t *number;
		uint64_t max;
	} known[] = {
		{ "start_mono", &facts->start_mono, UINT64_MAX },
		{ "start_real", &facts->start_real, UINT64_MAX },
		/* limited, because up to 1024 windows of it are added up */
		{ "leak_age", &facts->leak_age, UINT64_MAX / 4096 },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(key, known[i].key))
			return read_number(value, known[i].max, known[i].number) ? 0 : -EINVAL;
	if (!strcmp(key, "version"))
		read_text(value, facts->version, sizeof(facts->version));
	else if (!strcmp(key, "host"))
		read_text(value, facts->host, sizeof(facts->host));
	else if (!strcmp(key, "options"))
		read_text(value, facts->options, sizeof(facts->options));
	else if (!strcmp(key, "command"))
		return read_flag(value, &facts->has_command);
	else if (!strcmp(key, "calls_recorded"))
		return read_flag(value, &facts->has_calls);
	else if (!strcmp(key, "records"))
		return check_sizes(value, facts->version, why);
	else if (!strcmp(key, "calls"))
		return read_names(value, call_name, CALL_COUNT, &numbers->calls,
				  &numbers->call_count);
	else if (!strcmp(key, "lost"))
		return read_names(value, lost_name, LOST_COUNT, &numbers->lost,
				  &numbers->lost_count);
	return 0;
}

int facts_read(const char *text, size_t len, struct facts *facts, struct numbers *numbers,
	       struct reason *why)
{
	char *copy = malloc(len + 1), *line, *next, *value;
	int err = 0;

	memset(facts, 0, sizeof(*facts));
	memset(numbers, 0, sizeof(*numbers));
	if (!copy)
		return reason_set(why, -ENOMEM, "no memory");
	memcpy(copy, text, len);
	copy[len] = 0;
	for (line = copy; line && *line && !err; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		value = strchr(line, '=');
		if (!value)
			continue;
		*value++ = 0;
		why->text[0] = 0;
		err = read_line(line, value, facts, numbers, why);
		if (err == -ENOMEM)
			reason_set(why, err, "no memory");
		else if (err && !why->text[0])
			reason_set(why, err, "its line '%s' is invalid", line);
	}
	free(copy);
	if (!err && (!numbers->call_count || !facts->start_real))
		err = reason_set(why, -EINVAL,
				 "it does not say when it began, or how calls are numbered");
	if (err)
		numbers_free(numbers);
	return err;
}

void numbers_free(struct numbers *numbers)
{
	free(numbers->calls);
	free(numbers->lost);
	memset(numbers, 0, sizeof(*numbers));
}

/* ---- packing ---- */

#define LEVEL      1     /* the fastest: other work waits while records are written */
#define WINDOW_RAW (-15) /* zlib.h, deflateInit2(): no header, no checksum */
#define MEMORY     8     /* the default */

size_t pack_bytes(const char *in, size_t size, char *out, size_t room)
{
	z_stream stream = {
		.next_in = (Bytef *)in,
		.avail_in = (uInt)size,
		.next_out = (Bytef *)out,
		.avail_out = (uInt)room,
	};
	int result;

	if (!size || deflateInit2(&stream, LEVEL, Z_DEFLATED, WINDOW_RAW, MEMORY,
				  Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	result = deflate(&stream, Z_FINISH);
	deflateEnd(&stream);
	return result == Z_STREAM_END && stream.total_out < room ? stream.total_out : 0;
}

bool unpack_bytes(const char *in, size_t size, char *out, size_t bytes)
{
	z_stream stream = {
		.next_in = (Bytef *)in,
		.avail_in = (uInt)size,
		.next_out = (Bytef *)out,
		.avail_out = (uInt)bytes,
	};
	int result;

	if (inflateInit2(&stream, WINDOW_RAW) != Z_OK)
		return false;
	result = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	return result == Z_STREAM_END && stream.total_out == bytes && !stream.avail_in;
}
