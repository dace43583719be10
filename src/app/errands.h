/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the errands of probe/outside.h with the rights that they need. */
#ifndef APP_ERRANDS_H
#define APP_ERRANDS_H

#include "errand/errand.h"

/*
 * Returns 0, or a negative errno with @why set. @notes NULL: the caller reports what does not
 * answer. @patient: as in errands_settings.
 */
int errands_begin(struct errands **errands, const struct notes *notes, bool patient,
		  struct reason *why);

#endif
