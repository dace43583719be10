/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What could not be done because an errand takes long, and is tried again once an errand has ended:
 * the one list of all that waits. It is tried in the order in which it was kept, and may be kept once
 * more then.
 */
#ifndef ERRAND_AGAIN_H
#define ERRAND_AGAIN_H

#include <stdbool.h>
#include <stddef.h>

struct again_item;

/* All zero at first. */
struct again {
	struct again_item *first, *last;
	size_t bytes;
	unsigned int news; /* errands_news() when it was last gone through */
	bool is_stirred;   /* it is gone through without news, too */
};

/*
 * Has @act called with @context, which is borrowed, and with a copy of the @len bytes at @what.
 * Returns false if there is no room: then what waits is lost.
 */
bool again_keep(struct again *again, void (*act)(void *context, const void *what), void *context,
		const void *what, size_t len);

/* Something else than an errand's end may let what waits be done. */
void again_stir(struct again *again);

/* Tries all, if @news, errands_news(), is another number than the last time. */
void again_try(struct again *again, unsigned int news);

/* Drops all. */
void again_free(struct again *again);

#endif
