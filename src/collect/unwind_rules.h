/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules to unwind by that were met so far, by file and offset: what one program has needed is
 * known for all. They come from the resolver's process, which alone reads unwind tables.
 */
#ifndef COLLECT_UNWIND_RULES_H
#define COLLECT_UNWIND_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_unwind.h"

struct resolver;
struct unwind_rules;

struct unwind_place {
	uint32_t file; /* its number in the resolver; 0: no rules can be had */
	uint32_t
		interrupted; /* 1: code that was interrupted is there; 0: @offset is behind a call */
	uint64_t offset;     /* in the file */
};

/* @resolver is borrowed. Returns NULL without memory. */
struct unwind_rules *unwind_rules_new(struct resolver *resolver);
void unwind_rules_free(struct unwind_rules *rules);

/* True if unwind_rules_find() need not wait. */
bool unwind_rules_known(const struct unwind_rules *rules, const struct unwind_place *place);
/* Asks for the rule at @place, which may be needed, and does not wait for it. */
void unwind_rules_want(struct unwind_rules *rules, const struct unwind_place *place);
/*
 * Finds the rule at @place, and waits for it if need be. Returns false if there is no answer in
 * time; a place without a rule has UNWIND_NONE.
 */
bool unwind_rules_find(struct unwind_rules *rules, const struct unwind_place *place,
		       struct unwind_rule *rule);

#endif
