/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "errand/again.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (16u << 20)

struct again_item {
	struct again_item *next;
	void (*act)(void *context, const void *what);
	void *context;
	max_align_t what[];
};

bool again_keep(struct again *again, void (*act)(void *context, const void *what), void *context,
		const void *what, size_t len)
{
	size_t bytes = sizeof(struct again_item) + len;
	struct again_item *item = again->bytes + bytes > BYTES_MAX ? NULL : malloc(bytes);

	if (!item)
		return false;
	*item = (struct again_item){ .act = act, .context = context };
	memcpy(item->what, what, len);
	if (again->first)
		again->last->next = item;
	else
		again->first = item;
	again->last = item;
	again->bytes += bytes;
	return true;
}

void again_stir(struct again *again)
{
	again->is_stirred = true;
}

/* Empties the list. Calls what it held, if @acts. */
static void items_take(struct again *again, bool acts)
{
	struct again_item *item = again->first, *next;

	again->first = again->last = NULL;
	again->bytes = 0;
	for (; item; item = next) {
		next = item->next;
		if (acts)
			item->act(item->context, item->what);
		free(item);
	}
}

void again_try(struct again *again, unsigned int news)
{
	if (news == again->news && !again->is_stirred)
		return;
	again->news = news;
	again->is_stirred = false;
	items_take(again, true);
}

void again_free(struct again *again)
{
	items_take(again, false);
}
