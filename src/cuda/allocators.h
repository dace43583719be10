/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocators of frameworks that take large pieces of device memory and hand out blocks of them: the
 * functions that show it. A further one is two lines of the table here, and a name.
 */
#ifndef CUDA_ALLOCATORS_H
#define CUDA_ALLOCATORS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "cutop_allocator.h"

/* "pytorch", "bfc" (XLA's and TensorFlow's), "ggml" (llama.cpp's); as JSON and metrics have it */
extern const char *const allocator_names[ALLOCATOR_KINDS];
/* What one of @kind, or one that the user describes, hands out: "tensors" or "blocks" */
const char *allocator_noun(unsigned int kind);

/* How many forms of functions are known. */
size_t allocator_form_count(void);
/* Form @i, and the symbol that has it. */
const struct allocator_form *allocator_form(size_t i);
const char *allocator_symbol(size_t i);
/* True if @library, a file's name, may have such functions among its local symbols. */
bool allocator_is_local(const char *library);

#endif
