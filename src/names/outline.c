/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "names/outline.h"
#include "util/util.h"

bool outline_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool outline_starts(const struct outline *form, size_t at, const char *with)
{
	return starts(form->text + at, with);
}

/* Operators made of signs; a longer one comes before its own prefix. */
static const char *const operator_signs[] = {
	"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&",
	"||", "++", "--",  "+=",  "-=",  "*=",  "/=", "%=", "^=", "&=", "|=", "->", "<",
	">",  "=",  "!",   "+",   "-",   "*",   "/",  "%",  "^",  "&",  "|",  "~",  ",",
};

size_t outline_operator(const struct outline *form, size_t at, bool is_inside)
{
	const char *text = form->text + at;
	size_t i, len = strlen("operator");

	if (text[0] == '-' && text[1] == '>')
		return 2;
	if (is_inside || !starts(text, "operator"))
		return 0;
	for (i = 0; i < ARRAY_LEN(operator_signs); i++)
		if (starts(text + len, operator_signs[i]))
			return len + strlen(operator_signs[i]);
	return 0;
}

/* The bracket that closes @c, '(', '[' or '{'; 0 for any other character. */
static char closing(char c)
{
	switch (c) {
	case '(': return ')';
	case '[': return ']';
	case '{': return '}';
	default: return 0;
	}
}

/*
 * A closing bracket also closes every '<' inside it, which was then a comparison; a '>' with nothing
 * to close is one, too.
 */
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
		word = outline_is_word(text[i]);
		if (text[i] == '<') {
			open[opens++] = (uint32_t)i;
		} else if (closing(text[i])) {
			bracket[brackets++] = (uint32_t)opens;
			open[opens++] = (uint32_t)i;
		} else if (text[i] == '>' && opens && text[open[opens - 1]] == '<') {
			form->end[open[--opens]] = (uint32_t)(i + 1);
		} else if (brackets && closing(text[open[bracket[brackets - 1]]]) == text[i]) {
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

size_t outline_enclosing_end(const struct outline *form, size_t at)
{
	static const char *const words[] = { " const", " volatile", " &&", " &", " noexcept" };
	size_t i = 0;

	if (form->text[at] != '(' || !form->end[at])
		return 0;
	at = form->end[at];
	while (i < ARRAY_LEN(words)) {
		if (outline_starts(form, at, words[i])) {
			at += strlen(words[i]);
			i = 0;
		} else {
			i++;
		}
	}
	return outline_starts(form, at, "::") ? at : 0;
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

	while (outline_is_word(text[len]))
		len++;
	return len;
}

bool outline_word_is(const char *text, const char *word)
{
	return outline_word(text) == strlen(word) && starts(text, word);
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
