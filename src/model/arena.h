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

/* Return NULL without memory. @bytes: how much it will probably hold; 0: unknown */
struct arena *arena_new(void);
struct arena *arena_new_for(size_t bytes);
/* Lets go of it: the last holder frees it. NULL is no arena. */
void arena_free(struct arena *arena);

/*
 * As long as @arena exists, @other does, too: @arena lets go of it at its end. Returns 0 or -ENOMEM.
 */
int arena_keep(struct arena *arena, struct arena *other);

/* True if another holds it, too. If not, no other will, unless the caller lets it. */
bool arena_is_shared(const struct arena *arena);

/* Takes back all pieces of @arena, which must not be shared, for about @bytes of others. */
void arena_reset(struct arena *arena, size_t bytes);

/* How many bytes were taken from it. */
size_t arena_used(const struct arena *arena);

/* Returns @count zeroed pieces of @size bytes, aligned for anything, or NULL without memory. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_string(struct arena *arena, const char *text);

#endif
