/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An arena: memory that is handed out in pieces and freed all at once. It may be held by several
 * others, in any thread; only the thread that made it takes pieces of it.
 */
#ifndef MODEL_ARENA_H
#define MODEL_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(void); /* NULL without memory */
/* Lets go of it: the last holder frees it. NULL is no arena. */
void arena_free(struct arena *arena);

/*
 * As long as @arena exists, @other does, too: @arena lets go of it at its end. Returns 0 or -ENOMEM.
 */
int arena_keep(struct arena *arena, struct arena *other);

/* Returns @count zeroed pieces of @size bytes, aligned for anything, or NULL without memory. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_string(struct arena *arena, const char *text);

#endif
