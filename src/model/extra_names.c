/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that are not in the table are counted and timed like any call; a record tells their
 * names, and how their results show a failure.
 */
#include "model/extra_names.h"

#include <errno.h>
#include <stdlib.h>

#include "cuda/calls.h"
#include "names/demangle.h"
#include "util/utf8.h"

int extra_names_learn(struct extra_names *extras, const struct rec_text *record, const char *symbol)
{
	struct extra_name *extra = &extras->list[record->address - CUTOP_EXTRA];

	/* Snapshots may point to the name: keep the first one. */
	if (extra->symbol)
		return 0;
	extra->symbol = utf8_clean_copy(symbol, record->text_len);
	if (!extra->symbol)
		return -ENOMEM;
	demangle_both(extra->symbol, &extra->brief, &extra->full);
	extra->result = (enum extra_result)record->flags;
	return 0;
}

const struct extra_name *extra_names_find(const struct extra_names *extras, unsigned int call)
{
	return CUTOP_IS_EXTRA(call) ? &extras->list[call - CUTOP_EXTRA] : NULL;
}

const char *extra_names_call(const struct extra_names *extras, unsigned int call)
{
	const struct extra_name *extra = extra_names_find(extras, call);

	return extra && extra->symbol ? extra->symbol : call_name(call);
}

const char *extra_names_brief(const struct extra_names *extras, unsigned int call)
{
	const struct extra_name *extra = extra_names_find(extras, call);

	return extra && extra->brief ? extra->brief : extra_names_call(extras, call);
}

void extra_names_free(struct extra_names *extras)
{
	size_t i;

	for (i = 0; i < CUTOP_EXTRA_MAX; i++) {
		free(extras->list[i].symbol);
		free(extras->list[i].brief);
		free(extras->list[i].full);
	}
}
