/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of call sites on their way to the model: what they counted since the last time, under the
 * stack that the model knows.
 */
#ifndef COLLECT_CALL_SITE_ROWS_H
#define COLLECT_CALL_SITE_ROWS_H

#include <stdbool.h>
#include <linux/types.h>

#include "collect/stacks.h"
#include "model/stream.h"

struct call_site_rows;

/* @stacks is borrowed. Returns NULL without memory. */
struct call_site_rows *call_site_rows_new(const struct stacks *stacks);
void call_site_rows_free(struct call_site_rows *rows);

/*
 * Takes the row as it is now; @last: it is read for the last time. Returns true, and the record for
 * the model in *@record, if there is something to tell.
 */
bool call_site_rows_take(struct call_site_rows *rows, const struct call_site_key *key,
			 const struct call_site_row *row, bool last,
			 struct rec_call_site_row *record);

#endif
