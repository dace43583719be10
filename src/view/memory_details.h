/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The details of a row of the pane of memory. */
#ifndef VIEW_MEMORY_DETAILS_H
#define VIEW_MEMORY_DETAILS_H

#include "view/details.h"
#include "view/tensors.h"

/* Tells all that is known of the allocation of @row, which is in the state called @state. */
void memory_details(const struct list *list, const struct memory_row *row, enum style style,
		    const char *state, struct details *details);

#endif
