/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/full_name.h"

#include <stdlib.h>
#include <string.h>

static const char anonymous[] = "(anonymous namespace)";

/* What follows the bracket at @at; one that never closes reaches to the end. */
static size_t skip(const struct outline *form, size_t at)
{
	return form->end[at] ?: form->len;
}

static void add(struct full_name *name, const char *text, size_t len)
{
	memcpy(name->brief + name->len, text, len);
	name->len += len;
}

/* The name begins at @at: what came before was something else. */
static void begin(struct full_name *name, size_t at)
{
	name->start = name->leaf = at;
	name->list.end = 0;
	name->is_operator = false;
	name->len = 0;
}

/*
 * If the '(' at @at begins a declarator as in "void (*name(int))(float)", returns where the name
 * starts, else 0.
 */
static size_t declarator(const struct outline *form, size_t at)
{
	const char *text = form->text;

	at++;
	while (outline_is_word(text[at]) || text[at] == ':')
		at++;
	if (text[at] != '*' && text[at] != '&')
		return 0;
	while (text[at] == '*' || text[at] == '&' || text[at] == ' ')
		at++;
	return outline_is_word(text[at]) || text[at] == '(' || text[at] == '{' ? at : 0;
}

/* Takes the operator at @at up to its list or arguments; returns what follows. */
static size_t take_operator(const struct outline *form, size_t at, struct full_name *name)
{
	const char *text = form->text;
	size_t len = outline_operator(form, at, false);

	name->is_operator = true;
	if (len) {
		add(name, text + at, len);
		at += len;
		/* In "operator< <int>" the space separates the list from the sign. */
		return at + (text[at] == ' ' && text[at + 1] == '<');
	}
	/* A conversion, new, delete or literal operator: words */
	while (at < form->len && text[at] != '(' && text[at] != '[') {
		if (text[at] == '<')
			at = skip(form, at);
		else
			add(name, text + at++, 1);
	}
	if (outline_starts(form, at, "[]")) {
		add(name, text + at, 2);
		at += 2;
	}
	return at;
}

/* Takes the '(' at @at; returns what follows, or @at if the name's own arguments begin there. */
static size_t take_parenthesis(const struct outline *form, size_t at, struct full_name *name)
{
	size_t next;

	if (outline_starts(form, at, anonymous)) {
		add(name, anonymous, strlen(anonymous));
		return at + strlen(anonymous);
	}
	if (!name->len && declarator(form, at)) {
		begin(name, declarator(form, at));
		return name->start;
	}
	next = skip(form, at);
	if (name->len >= 8 && !memcmp(name->brief + name->len - 8, "decltype", 8))
		return next;
	if (outline_enclosing_end(form, at))
		return outline_enclosing_end(form, at);
	return name->len ? at : next;
}

bool full_name_read(const struct outline *form, struct full_name *name)
{
	const char *text = form->text;
	bool word = false;
	size_t at = 0, next;

	*name = (struct full_name){ .brief = malloc(form->len + 1) };
	while (name->brief && at < form->len) {
		if (!word && outline_starts(form, at, "operator") &&
		    !outline_is_word(text[at + 8])) {
			at = take_operator(form, at, name);
			continue;
		}
		word = outline_is_word(text[at]);
		switch (text[at]) {
		case '(':
			next = take_parenthesis(form, at, name);
			if (next == at)
				goto out;
			at = next;
			break;
		case '<':
			name->list = (struct span){ at, skip(form, at) };
			at = skip(form, at);
			break;
		case '[': at = skip(form, at); break;
		case '{':
			add(name, text + at, skip(form, at) - at);
			at = skip(form, at);
			break;
		case ' ':
			if (text[at + 1] == '[')
				goto out;
			/*
			 * What came before was the type that is returned. "decltype (x)" is one word of it.
			 */
			if (text[at + 1] != '(' || outline_starts(form, at + 1, anonymous) ||
			    declarator(form, at + 1))
				begin(name, at + 1);
			at++;
			break;
		case ')': goto out;
		case ':':
			name->leaf = at + 1;
			name->list.end = 0;
			/* fall through */
		default: add(name, text + at++, 1);
		}
	}
out:
	name->end = at;
	return name->brief != NULL;
}
