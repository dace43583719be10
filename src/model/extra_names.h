/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions named with --probe: their symbols, and how their results show a failure. */
#ifndef MODEL_EXTRA_NAMES_H
#define MODEL_EXTRA_NAMES_H

#include <stddef.h>
#include <linux/types.h>

#include "cutop_event.h"

struct extra_name {
	char *symbol;       /* cleaned; NULL: unknown */
	char *brief, *full; /* demangled, if it is mangled, else NULL */
	enum extra_result result;
};

struct extra_names {
	struct extra_name list[CUTOP_EXTRA_MAX];
};

/*
 * Takes in a REC_EXTRA, whose symbol is the @record->text_len bytes at @symbol. Returns 0 or
 * -ENOMEM.
 */
int extra_names_learn(struct extra_names *extras, const struct rec_text *record,
		      const char *symbol);

/* What is known of @call; NULL if it is in the table. */
const struct extra_name *extra_names_find(const struct extra_names *extras, unsigned int call);

/* The symbol of @call, in the table or not. Borrowed; it does not change while @extras exists. */
const char *extra_names_call(const struct extra_names *extras, unsigned int call);
/* The same for people: without C++'s mangling. */
const char *extra_names_brief(const struct extra_names *extras, unsigned int call);

void extra_names_free(struct extra_names *extras);

#endif
