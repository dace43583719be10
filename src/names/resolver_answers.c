/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolver_answers.h"

#include "cutop_unwind.h"

bool resolver_answer_check(struct resolver_answer *answer, ssize_t size)
{
	size_t i;

	if (size < (ssize_t)RESOLVER_ANSWER_SIZE_MIN || answer->inlined_count > CUTOP_INLINED_MAX ||
	    (size_t)size != resolver_answer_size(answer))
		return false;
	answer->path[sizeof(answer->path) - 1] = 0;
	for (i = 0; i < answer->inlined_count; i++) {
		struct resolver_inlined *inlined = &answer->inlined[i];

		inlined->path[sizeof(inlined->path) - 1] = 0;
		inlined->function[sizeof(inlined->function) - 1] = 0;
	}
	return true;
}

bool resolver_answer_read(const struct resolver_question *question,
			  const struct resolver_answer *answer, struct resolver_reply *reply)
{
	*reply = (struct resolver_reply){ .cookie = question->cookie };
	if (answer->cookie != question->cookie)
		return false;
	if (question->type == RESOLVER_ASK_RULE) {
		reply->rule = answer->line ? &answer->rule : NULL;
		return answer->rule.cfa < UNWIND_CFA_COUNT && answer->rule.bp_by < UNWIND_BP_COUNT;
	}
	reply->path = answer->line || answer->inlined_count ? answer->path : NULL;
	reply->line = answer->line;
	reply->inlined = answer->inlined;
	reply->inlined_count = answer->inlined_count;
	return true;
}
