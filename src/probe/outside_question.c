/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs and unpacks questions to workers: outside_question.h. */
#include "probe/outside_question.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct question *question_new(const void *head, size_t len)
{
	struct question *question = malloc(sizeof(*question));

	if (!question)
		return NULL;
	memcpy(question->bytes, head, len);
	question->len = len;
	question->is_cut = false;
	return question;
}

void question_bytes_add(struct question *question, const void *bytes, size_t len)
{
	if (len > sizeof(question->bytes) - question->len) {
		question->is_cut = true;
		return;
	}
	memcpy(question->bytes + question->len, bytes, len);
	question->len += len;
}

void question_string_add(struct question *question, const char *text)
{
	question_bytes_add(question, text, strlen(text) + 1);
}

void question_optional_add(struct question *question, const char *text)
{
	if (text)
		question_bytes_add(question, "+", 1);
	question_string_add(question, text ? text : "-");
}

const char *question_string(const void *question, size_t len, size_t head, unsigned int number)
{
	const char *at = (const char *)question + head, *end = (const char *)question + len;

	for (; number && at < end; number--)
		at += strnlen(at, (size_t)(end - at)) + 1;
	return at < end && memchr(at, 0, (size_t)(end - at)) ? at : "";
}

const char *question_optional(const void *question, size_t len, unsigned int number)
{
	const char *text = question_string(question, len, 0, number);

	return *text == '+' ? text + 1 : NULL;
}
