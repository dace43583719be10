/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a question to a worker is packed and unpacked: a head of a fixed size, then strings, each
 * ended by NUL. outside.c packs, outside_jobs.c and outside_walks.c unpack.
 */
#ifndef PROBE_OUTSIDE_QUESTION_H
#define PROBE_OUTSIDE_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

#include "errand/errand.h"

struct question {
	char bytes[ERRAND_QUESTION_MAX];
	size_t len;
	bool is_cut; /* something did not fit */
};

/* Returns a question that begins with the @len bytes at @head, or NULL; the caller frees it. */
struct question *question_new(const void *head, size_t len);

void question_bytes_add(struct question *question, const void *bytes, size_t len);
void question_string_add(struct question *question, const char *text);

/* Adds a string that may be NULL: "+text", or "-". */
void question_optional_add(struct question *question, const char *text);

/*
 * Returns string number @number of those after the @head bytes of the @len bytes at @question; ""
 * if there is none.
 */
const char *question_string(const void *question, size_t len, size_t head, unsigned int number);

/* Returns string @number, as question_optional_add() packed it, of a question without a head. */
const char *question_optional(const void *question, size_t len, unsigned int number);

#endif
