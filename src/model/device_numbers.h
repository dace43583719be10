/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes known about a program's devices only after it has used them: how it numbers them,
 * from its environment; on which it works, from the driver. Its books are corrected then.
 */
#ifndef MODEL_DEVICE_NUMBERS_H
#define MODEL_DEVICE_NUMBERS_H

#include "model/model_state.h"

/* own_devices_learn() returned 1 for @program. */
void device_numbers_learned(struct model *model, struct program *program);
/* To be called before anything depends on it: the driver may have listed processes since. */
void device_numbers_listed(struct model *model);

#endif
