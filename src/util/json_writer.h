/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON piece by piece, through jansson: long, nested values are written as they come; small ones
 * are built as jansson trees, one at a time. A writer remembers its first failure (memory, stream)
 * and does nothing after it; the caller need only check at the end.
 */
#ifndef UTIL_JSON_WRITER_H
#define UTIL_JSON_WRITER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/sink.h"

struct json_writer {
	struct sink *sink;
	bool comma; /* an item precedes the next one on this level */
};

/* Opens '{' or '[', under @key unless that is NULL. */
void json_open(struct json_writer *writer, const char *key, char bracket);
void json_close(struct json_writer *writer, char bracket);

/* Writes the members of @object into the object that is open. Takes the reference. */
void json_members(struct json_writer *writer, json_t *object);

/* Writes @value as the next item of the array that is open. Takes the reference. */
void json_item(struct json_writer *writer, json_t *value);

/*
 * Builds small trees. Unknown values (NULL, NAN) are left out; if memory runs out, the writer
 * fails.
 */
json_t *put_new(struct json_writer *writer);
void put(struct json_writer *writer, json_t *object, const char *key, json_t *value);
void put_text(struct json_writer *writer, json_t *object, const char *key, const char *text);
void put_count(struct json_writer *writer, json_t *object, const char *key, uint64_t count);
void put_number(struct json_writer *writer, json_t *object, const char *key, double number);
void put_seconds(struct json_writer *writer, json_t *object, const char *key, uint64_t ns);
void put_hex(struct json_writer *writer, json_t *object, const char *key, uint64_t number);
void put_time(struct json_writer *writer, json_t *object, const char *key, uint64_t time);
void put_device(struct json_writer *writer, json_t *object, int device);
json_t *count_array(struct json_writer *writer, const uint64_t *counts, size_t count);
json_t *text_array(struct json_writer *writer, const char *const *texts, size_t count);
json_t *dim_array(struct json_writer *writer, const uint32_t dims[3]);
json_t *device_array(struct json_writer *writer, const int *devices, size_t count);

#endif
