/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that --probe named: what they are called, and how their results say that they failed. */
#ifndef MODEL_EXTRA_NAMES_H
#define MODEL_EXTRA_NAMES_H

#include <stddef.h>
#include <linux/types.h>

#include "cutop_event.h"

struct extra_name {
	char *symbol;			/* cleaned; NULL: not told */
	char *brief, *full;		/* demangled, if it is mangled, else NULL */
	enum extra_result result;
};

struct extra_names {
	struct extra_name list[CUTOP_EXTRA_MAX];
};

/* Takes in a REC_EXTRA, whose symbol is the @record->text_len bytes at @symbol. Returns 0 or -ENOMEM. */
int extra_names_learn(struct extra_names *extras, const struct rec_text *record, const char *symbol);

/* What is known of @call; NULL if it is one of the table. */
const struct extra_name *extra_names_find(const struct extra_names *extras, unsigned int call);

/* What @call is called, of the table or not. Borrowed; it stays what it is while @extras lives. */
const char *extra_names_call(const struct extra_names *extras, unsigned int call);
/* The same as people read it: without C++'s mangling. */
const char *extra_names_brief(const struct extra_names *extras, unsigned int call);

void extra_names_free(struct extra_names *extras);

#endif
