/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON piece by piece, through jansson.
 *
 * A map of a million allocations as one jansson tree takes more than a
 * gigabyte. So only leaves are trees (one allocation, one kernel, the plain
 * members of a process): each is dumped and dropped before the next is built,
 * and the brackets and commas between them are written here.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cutop_event.h"
#include "util/json_writer.h"

/* 16 digits hold microseconds of a date, and 0.1 stays 0.1 */
#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(16))

static int dump_to_sink(const char *data, size_t size, void *sink)
{
	sink_write(sink, data, size);
	return ((struct sink *)sink)->error ? -1 : 0;
}

static void fail(struct json_writer *writer, int error)
{
	if (!writer->sink->error)
		writer->sink->error = error;
}

static void dump(struct json_writer *writer, json_t *value, size_t flags)
{
	if (value && json_dump_callback(value, dump_to_sink, writer->sink, DUMP_FLAGS | flags))
		fail(writer, -ENOMEM); /* unless the sink already had an error of its own */
	json_decref(value);
}

static void separate(struct json_writer *writer)
{
	if (writer->comma)
		sink_write(writer->sink, ",", 1);
	writer->comma = true;
}

void json_open(struct json_writer *writer, const char *key, char bracket)
{
	separate(writer);
	if (key) {
		sink_write(writer->sink, "\"", 1);
		sink_puts(writer->sink, key);
		sink_write(writer->sink, "\":", 2);
	}
	sink_write(writer->sink, &bracket, 1);
	writer->comma = false;
}

void json_close(struct json_writer *writer, char bracket)
{
	sink_write(writer->sink, &bracket, 1);
	writer->comma = true;
}

void json_members(struct json_writer *writer, json_t *object)
{
	if (json_object_size(object))
		separate(writer);
	dump(writer, object, JSON_EMBED);
}

void json_item(struct json_writer *writer, json_t *value)
{
	separate(writer);
	dump(writer, value, 0);
}

json_t *put_new(struct json_writer *writer)
{
	json_t *object = json_object();

	if (!object)
		fail(writer, -ENOMEM);
	return object;
}

void put(struct json_writer *writer, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		fail(writer, -ENOMEM);
}

/*
 * Strings come here cleaned. If one is not valid UTF-8 all the same, its bytes above ASCII become
 * question marks: a document that no parser accepts would be worse.
 */
static json_t *text_new(const char *text)
{
	json_t *value = json_string(text);
	char *copy;

	if (value)
		return value;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (char *c = copy; *c; c++)
		if (*c & 0x80)
			*c = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

void put_text(struct json_writer *writer, json_t *object, const char *key, const char *text)
{
	if (text)
		put(writer, object, key, text_new(text));
}

/* jansson's integers are signed: values of 2^63 and more are written as reals */
static json_t *count_new(uint64_t count)
{
	return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

void put_count(struct json_writer *writer, json_t *object, const char *key, uint64_t count)
{
	put(writer, object, key, count_new(count));
}

void put_number(struct json_writer *writer, json_t *object, const char *key, double number)
{
	if (isfinite(number))
		put(writer, object, key, json_real(number));
}

void put_seconds(struct json_writer *writer, json_t *object, const char *key, uint64_t ns)
{
	put(writer, object, key, json_real((double)ns / 1e9));
}

void put_hex(struct json_writer *writer, json_t *object, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, number);
	put_text(writer, object, key, text);
}

void put_time(struct json_writer *writer, json_t *object, const char *key, uint64_t time)
{
	char text[RFC3339_SIZE];

	if (time)
		put_text(writer, object, key, format_rfc3339(time, text));
}

void put_device(struct json_writer *writer, json_t *object, int device)
{
	if (device != CUTOP_DEVICE_UNKNOWN)
		put(writer, object, "device", json_integer(device));
}

json_t *count_array(struct json_writer *writer, const uint64_t *counts, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < count; i++)
		if (json_array_append_new(array, count_new(counts[i])))
			fail(writer, -ENOMEM);
	return array;
}

json_t *dim_array(struct json_writer *writer, const uint32_t dims[3])
{
	const uint64_t wide[3] = { dims[0], dims[1], dims[2] };

	return count_array(writer, wide, 3);
}

json_t *text_array(struct json_writer *writer, const char *const *texts, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < count; i++)
		if (json_array_append_new(array, text_new(texts[i])))
			fail(writer, -ENOMEM);
	return array;
}

json_t *device_array(struct json_writer *writer, const int *devices, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < count; i++)
		if (json_array_append_new(array, json_integer(devices[i])))
			fail(writer, -ENOMEM);
	return array;
}
