/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of what the resolver's process answers: hostile files may have made it say anything.
 */
#ifndef NAMES_RESOLVER_ANSWERS_H
#define NAMES_RESOLVER_ANSWERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "names/resolver_process.h"

/*
 * True if @answer, of which @size bytes were received (or an error, below 0), is as long as it
 * says. Its strings have an end then.
 */
bool resolver_answer_check(struct resolver_answer *answer, ssize_t size);

/*
 * Takes from @answer, which was checked, what @question was for; @reply borrows from it. Returns
 * false if it makes no sense.
 */
bool resolver_answer_read(const struct resolver_question *question,
			  const struct resolver_answer *answer, struct resolver_reply *reply);

#endif
