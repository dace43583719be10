/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The questions that the resolver has not had answered: a ring, in the order in which they came. */
#ifndef NAMES_RESOLVER_QUESTIONS_H
#define NAMES_RESOLVER_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/resolver_process.h"

struct resolver_questions {
	struct resolver_question *list;
	/* First those that were sent and not answered, then those not sent; @count: of both */
	size_t first, sent, count, room;
	uint64_t lost_lines, lost_rules;
};

void resolver_questions_free(struct resolver_questions *questions);

/* The one with @n before it, which must be there. */
struct resolver_question *resolver_questions_at(const struct resolver_questions *questions,
						size_t n);

/* Adds one at the end. Returns NULL without memory. */
struct resolver_question *resolver_questions_new(struct resolver_questions *questions);

/* Removes the first. */
void resolver_questions_drop(struct resolver_questions *questions);

/* True of a question that there is an answer to. */
bool resolver_question_is_ask(const struct resolver_question *question);

/* The first of the first @limit that there is an answer to, or NULL. */
struct resolver_question *resolver_questions_ask(const struct resolver_questions *questions,
						 size_t limit);

/* Counts the answer to @question as lost. */
void resolver_questions_lose(struct resolver_questions *questions,
			     const struct resolver_question *question);

/* Removes all, and counts their answers as lost. */
void resolver_questions_lose_all(struct resolver_questions *questions);

#endif
