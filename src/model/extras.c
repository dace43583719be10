/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that no line of the table names: those of --probe. They are counted
 * and timed like any call; what they are called, and how their results say that
 * they failed, is told by a record.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/arena.h"
#include "cuda/calls.h"
#include "model/internal.h"
#include "names/demangle.h"

int model_extra_learn(struct model *model, const struct rec_text *record, const char *symbol)
{
	struct extra *extra = &model->extras[record->address - CUTOP_EXTRA];
	char *copy;

	/* Snapshots may hold the name: the first stays. */
	if (extra->symbol)
		return 0;
	copy = clean_copy(symbol, strnlen(symbol, record->text_len));
	if (!copy) {
		model_lose(model, LOST_MEMORY, 1);
		return -ENOMEM;
	}
	extra->symbol = copy;
	demangle_both(copy, &extra->brief, &extra->full);
	extra->result = (enum extra_result)record->flags;
	return 0;
}

static const struct extra *find(const struct model *model, unsigned int call)
{
	return CUTOP_IS_EXTRA(call) ? &model->extras[call - CUTOP_EXTRA] : NULL;
}

const char *model_call_name(const struct model *model, unsigned int call)
{
	const struct extra *extra = find(model, call);

	return extra && extra->symbol ? extra->symbol : call_name(call);
}

const char *model_call_brief(const struct model *model, unsigned int call)
{
	const struct extra *extra = find(model, call);

	return extra && extra->brief ? extra->brief : model_call_name(model, call);
}

int model_extra_names(const struct model *model, struct arena *arena, unsigned int call, struct snap_extra *names)
{
	const struct extra *extra = find(model, call);

	names->symbol = arena_string(arena, model_call_name(model, call));
	names->brief = extra->brief ? arena_string(arena, extra->brief) : names->symbol;
	names->signature = extra->full ? arena_string(arena, extra->full) : NULL;
	return names->symbol && names->brief && !names->signature == !extra->full ? 0 : -ENOMEM;
}

enum extra_result model_extra_result(const struct model *model, unsigned int call)
{
	const struct extra *extra = find(model, call);

	return extra ? extra->result : EXTRA_RESULT_STATUS;
}

void model_extras_free(struct model *model)
{
	size_t i;

	for (i = 0; i < CUTOP_EXTRA_MAX; i++) {
		free(model->extras[i].symbol);
		free(model->extras[i].brief);
		free(model->extras[i].full);
	}
}
