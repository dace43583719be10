/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring of questions that doubles when it is full. */
#include "names/resolver_questions.h"

#include <stdlib.h>

#define ROOM_FIRST 64

void resolver_questions_free(struct resolver_questions *questions)
{
	free(questions->list);
	*questions = (struct resolver_questions){ .list = NULL };
}

struct resolver_question *resolver_questions_at(const struct resolver_questions *questions,
						size_t n)
{
	return &questions->list[(questions->first + n) % questions->room];
}

struct resolver_question *resolver_questions_new(struct resolver_questions *questions)
{
	if (questions->count == questions->room) {
		size_t room = questions->room ? 2 * questions->room : ROOM_FIRST, i;
		struct resolver_question *list = calloc(room, sizeof(*list));

		if (!list)
			return NULL;
		for (i = 0; i < questions->count; i++)
			list[i] = *resolver_questions_at(questions, i);
		free(questions->list);
		questions->list = list;
		questions->room = room;
		questions->first = 0;
	}
	return resolver_questions_at(questions, questions->count++);
}

void resolver_questions_drop(struct resolver_questions *questions)
{
	questions->first = (questions->first + 1) % questions->room;
	questions->count--;
	if (questions->sent)
		questions->sent--;
}

bool resolver_question_is_ask(const struct resolver_question *question)
{
	return question->type == RESOLVER_ASK || question->type == RESOLVER_ASK_RULE;
}

struct resolver_question *resolver_questions_ask(const struct resolver_questions *questions,
						 size_t limit)
{
	size_t i;

	for (i = 0; i < limit; i++)
		if (resolver_question_is_ask(resolver_questions_at(questions, i)))
			return resolver_questions_at(questions, i);
	return NULL;
}

void resolver_questions_lose(struct resolver_questions *questions,
			     const struct resolver_question *question)
{
	questions->lost_lines += question->type == RESOLVER_ASK;
	questions->lost_rules += question->type == RESOLVER_ASK_RULE;
}

void resolver_questions_lose_all(struct resolver_questions *questions)
{
	size_t i;

	for (i = 0; i < questions->count; i++)
		resolver_questions_lose(questions, resolver_questions_at(questions, i));
	questions->count = questions->sent = 0;
}
