/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong, in a sentence each: rules that look at a snapshot. They are one table in
 * findings.c; the manual says what each means, and from when on.
 */
#ifndef MODEL_FINDINGS_H
#define MODEL_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct snapshot;

/*
 * Fills the list of findings of @snapshot, which has everything else, worst first; texts are in
 * @arena. Returns 0 or -ENOMEM.
 */
int findings_find(struct snapshot *snapshot, struct arena *arena);

/*
 * The @i-th rule: its name, when it finds something, and why that matters and what helps. Returns
 * false if there are not so many.
 */
bool findings_rule(size_t i, const char **name, const char **when, const char **why);

#endif
