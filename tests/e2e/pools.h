/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the stand-ins for pools of XLA and llama.cpp offer: pools_library.c. */
#ifndef POOLS_H
#define POOLS_H

#include <stddef.h>

struct pool;

enum pool_memory { POOL_DEVICE, POOL_PHYSICAL, POOL_HOST };

/* A pool of @bytes of the current device's memory, or of the host's. NULL: there is none. */
struct pool *pool_new(enum pool_memory memory, size_t bytes);
/* A block, or NULL if there is no room. @nested: by a function that calls the one that does it. */
void *pool_take(struct pool *pool, size_t bytes, int nested);
/* The same call; it is left by a jump, as by an exception, and there is no block. */
void pool_throw(struct pool *pool, size_t bytes);
void pool_give(struct pool *pool, void *block);
/* How many bytes a block of @bytes has. */
size_t pool_round(size_t bytes);

#endif
