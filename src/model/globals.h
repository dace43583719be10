/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory on a device that no call allocated, such as variables of modules. */
#ifndef MODEL_GLOBALS_H
#define MODEL_GLOBALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree.h"

struct global;

RB_HEAD(global_tree, global);

struct globals {
	struct global_tree tree;
	size_t count;
};

/* @bytes 0: the size is unknown. Returns 0 or -ENOMEM. */
int globals_learn(struct globals *globals, uint64_t address, uint64_t bytes);
bool globals_contain(const struct globals *globals, uint64_t address);
void globals_free(struct globals *globals);

#endif
