/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "names/brackets.h"
#include "names/outline.h"

size_t outline_operator(const struct outline *form, size_t at, bool is_inside)
{
	if (form->text[at] == '-' && form->text[at + 1] == '>')
		return 2;
	return is_inside ? 0 : brackets_operator(form->text + at);
}

/* As brackets_skip() has it: '<' and '>' that belong to no list are comparisons. */
bool outline_make(struct outline *form, const char *text)
{
	uint32_t *open, *bracket;
	size_t i, len, opens = 0, brackets = 0;
	bool word = false;

	form->text = text;
	form->len = strlen(text);
	form->end = calloc(form->len + 1, sizeof(*form->end));
	/* Positions of what is open; and, of those that are no '<', places in that list */
	open = calloc(form->len + 1, sizeof(*open));
	bracket = calloc(form->len + 1, sizeof(*bracket));
	for (i = 0; form->end && open && bracket && i < form->len; i++) {
		len = outline_operator(form, i, word);
		if (len) {
			i += len - 1;
			word = false;
			continue;
		}
		word = brackets_is_word(text[i]);
		if (text[i] == '<') {
			open[opens++] = (uint32_t)i;
		} else if (brackets_closing(text[i])) {
			bracket[brackets++] = (uint32_t)opens;
			open[opens++] = (uint32_t)i;
		} else if (text[i] == '>' && opens && text[open[opens - 1]] == '<') {
			form->end[open[--opens]] = (uint32_t)(i + 1);
		} else if (brackets &&
			   brackets_closing(text[open[bracket[brackets - 1]]]) == text[i]) {
			opens = bracket[--brackets];
			form->end[open[opens]] = (uint32_t)(i + 1);
		}
	}
	free(open);
	free(bracket);
	return form->end && i == form->len;
}

size_t outline_step(const struct outline *form, size_t at)
{
	return form->end[at] ? form->end[at] : at + 1;
}

bool outline_starts(const struct outline *form, size_t at, const char *with)
{
	return brackets_starts(form->text + at, with);
}

size_t outline_enclosing_end(const struct outline *form, size_t at)
{
	const char *end = form->text[at] == '(' && form->end[at] ?
				  brackets_enclosing_end(form->text + form->end[at]) :
				  NULL;

	return end ? (size_t)(end - form->text) : 0;
}

void outline_free(struct outline *form)
{
	free(form->end);
	form->end = NULL;
}

/* ---- words ---- */

size_t outline_word(const char *text)
{
	size_t len = 0;

	while (brackets_is_word(text[len]))
		len++;
	return len;
}

bool outline_word_is(const char *text, const char *word)
{
	return outline_word(text) == strlen(word) && brackets_starts(text, word);
}

bool outline_word_is_one_of(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (outline_word_is(text, list[i]))
			return true;
	return false;
}

bool outline_word_fits(const char *text, const char *pattern)
{
	char word[64];
	size_t len = outline_word(text);

	if (!len || len >= sizeof(word))
		return !strcmp(pattern, "*");
	memcpy(word, text, len);
	word[len] = '\0';
	return !fnmatch(pattern, word, 0);
}
