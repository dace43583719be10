/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the errands of probe/outside.h with the rights that they take. */
#ifndef APP_ERRANDS_H
#define APP_ERRANDS_H

#include "errand/errand.h"

/* Returns 0, or a negative errno with @why set. @notes NULL: what does not answer is told of elsewhere. @patient: errands_settings. */
int errands_begin(struct errands **errands, const struct notes *notes, bool patient, struct reason *why);

#endif
