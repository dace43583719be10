/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Similar words: the smallest number of letters to change, drop, add or swap with their neighbour
 * (Damerau-Levenshtein distance, without moves over more than one letter).
 */
#include "cli/option_hints.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/util.h"

enum { WORD_MAX = 32 }; /* longer than any option; a longer word matches none */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return !ascii_ncasecmp(&a, &b, 1);
}

static size_t distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1], *older = rows[0], *old = rows[1], *now = rows[2], *spare, i,
				      j;
	size_t a_len = strlen(a), b_len = strlen(b);

	if (a_len > WORD_MAX || b_len > WORD_MAX)
		return SIZE_MAX;
	for (j = 0; j <= b_len; j++)
		old[j] = j;
	for (i = 1; i <= a_len; i++) {
		now[0] = i;
		for (j = 1; j <= b_len; j++) {
			now[j] = least(least(old[j], now[j - 1]) + 1,
				       old[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				now[j] = least(now[j], older[j - 2] + 1);
		}
		spare = older;
		older = old;
		old = now;
		now = spare;
	}
	return old[b_len];
}

/*
 * How many letters may be wrong in a word of @len letters: in a short word, more would match nearly
 * everything.
 */
static size_t tolerated(size_t len)
{
	return len < 4 ? 1 : len < 8 ? 2 : 3;
}

void hint_begin(struct hint *hint, const char *word)
{
	hint->word = word;
	hint->prefix = "";
	hint->best = NULL;
	hint->distance = SIZE_MAX;
}

void hint_try(struct hint *hint, const char *name, const char *meant)
{
	size_t far = distance(hint->word, name);

	if (far >= hint->distance || far > tolerated(strlen(hint->word)))
		return;
	hint->best = meant;
	hint->distance = far;
}

const char *hint_say(struct hint *hint)
{
	if (!hint->best)
		return "";
	snprintf(hint->text, sizeof(hint->text), " (did you mean '%s%s'?)", hint->prefix,
		 hint->best);
	return hint->text;
}
