/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An arena: memory that is handed out in pieces and freed all at once. */
#ifndef MODEL_ARENA_H
#define MODEL_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);

/* Returns @count zeroed pieces of @size bytes, aligned for anything, or NULL without memory. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_string(struct arena *arena, const char *text);

#endif
