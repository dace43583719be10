/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel names as people read them, by libiberty's demangler. Parts of a mangled name may refer to
 * earlier parts, so a short name can keep the demangler busy for years. Such names go to a process
 * that is ended when it takes too long (demangle_process.c); so do names for which libiberty's
 * recursion limit has to be off. All others are demangled in place.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names/brackets.h"
#include "names/demangle.h"
#include "names/demangle_run.h"
#include "names/libiberty.h"
#include "util/utf8.h"

/* Libiberty expects two components per byte */
#define IN_PLACE_MAX (DEMANGLE_RECURSION_LIMIT / 2)

struct text {
	char *data;
	size_t len, size;
};

static bool text_add(struct text *text, const char *data, size_t len)
{
	if (text->size - text->len <= len) {
		size_t size = text->size ? text->size : 128;
		char *grown;

		while (size - text->len <= len)
			size *= 2;
		grown = realloc(text->data, size);
		if (!grown)
			return false;
		text->data = grown;
		text->size = size;
	}
	memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
	return true;
}

static char *clean_dup(const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *out = malloc(len + 1);

	return out ? utf8_clean(text, out, len + 1) : NULL;
}

/*
 * True if it can be demangled here. In C++'s mangling (Itanium C++ ABI, 5.1) each part that refers
 * to an earlier one ends with '_'; without one, the work grows at most with the square of the
 * length.
 */
static bool is_plain(const char *symbol, size_t len)
{
	return len < IN_PLACE_MAX && symbol[1] == 'Z' && !strchr(symbol + 2, '_');
}

char *demangle_full(const char *symbol)
{
	size_t len = strnlen(symbol, DEMANGLE_INPUT_MAX + 1), known = 0;
	char *out = NULL, *full;

	if (len <= DEMANGLE_INPUT_MAX && symbol[0] == '_' &&
	    (symbol[1] == 'Z' || symbol[1] == 'R')) {
		out = malloc(DEMANGLE_OUTPUT_MAX + 1);
		if (!out)
			return NULL;
		known = is_plain(symbol, len) ?
				demangle_run(symbol, false, out, DEMANGLE_OUTPUT_MAX + 1) :
				demangle_apart(symbol, out);
	}
	full = clean_dup(known ? out : symbol, DEMANGLE_OUTPUT_MAX);
	free(out);
	return full;
}

/*
 * The short form. A full form is a return type, a qualified name, arguments and
 * qualifiers; brackets nest, but '<' and '>' are also operators, and a bracket
 * may belong to the name: "(anonymous namespace)", "operator()", "{lambda(int)#1}".
 */

/*
 * If the '(' at @text begins a declarator as in "void (*name(int))(float)", returns where the name
 * starts.
 */
static const char *declarator(const char *text)
{
	const char *at = text + 1;

	while (brackets_is_word(*at) || *at == ':')
		at++;
	if (*at != '*' && *at != '&')
		return NULL;
	while (*at == '*' || *at == '&' || *at == ' ')
		at++;
	return brackets_is_word(*at) || *at == '(' || *at == '{' ? at : NULL;
}

/* Takes a conversion, new, delete or literal operator: words up to the arguments. */
static const char *take_word_operator(const char *text, struct text *name, struct bracket *stack,
				      bool *ok)
{
	while (*text && *text != '(' && *text != '[') {
		if (*text == '<') {
			text = brackets_skip(text, stack);
			continue;
		}
		*ok &= text_add(name, text++, 1);
	}
	if (brackets_starts(text, "[]")) {
		*ok &= text_add(name, text, 2);
		text += 2;
	}
	return text;
}

/* A piece of a text; NULL: none. */
struct piece {
	const char *start;
	size_t len;
};

/* *@list: the template list that belongs to the last part of the name. */
static bool shorten(const char *text, struct text *name, struct bracket *stack, struct piece *list)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *next;
	bool word = false, ok = true;
	size_t len;

	while (*text && ok) {
		if (!word && brackets_starts(text, "operator") && !brackets_is_word(text[8])) {
			len = brackets_operator(text);
			if (len) {
				ok = text_add(name, text, len);
				text += len;
				/*
				 * In "operator< <int>" the space separates the list from the sign.
				 */
				text += *text == ' ' && text[1] == '<';
			} else {
				text = take_word_operator(text, name, stack, &ok);
			}
			continue;
		}
		word = brackets_is_word(*text);
		if (*text == '(') {
			if (brackets_starts(text, anonymous)) {
				ok = text_add(name, anonymous, sizeof(anonymous) - 1);
				text += sizeof(anonymous) - 1;
				continue;
			}
			/*
			 * Check this before searching for the bracket's end: in "(*(*(*" that
			 * search would run once per bracket.
			 */
			if (!name->len && declarator(text)) {
				text = declarator(text);
				continue;
			}
			next = brackets_skip(text, stack);
			if (name->len >= 8 && !strcmp(name->data + name->len - 8, "decltype")) {
				text = next;
				continue;
			}
			text = brackets_enclosing_end(next);
			if (!text && name->len)
				return true;
			if (!text)
				text = next;
		} else if (*text == '<' || *text == '[') {
			next = brackets_skip(text, stack);
			if (*text == '<')
				*list = (struct piece){ text, (size_t)(next - text) };
			text = next;
		} else if (*text == '{') {
			next = brackets_skip(text, stack);
			ok = text_add(name, text, (size_t)(next - text));
			text = next;
		} else if (*text == ' ') {
			/*
			 * What came before was the return type. "decltype (x)" is one word of it.
			 */
			if (text[1] == '[')
				return true;
			if (text[1] != '(' || brackets_starts(text + 1, anonymous) ||
			    declarator(text + 1)) {
				name->len = 0;
				list->start = NULL;
				if (name->data)
					name->data[0] = '\0';
			}
			text++;
		} else if (*text == ')') {
			return true;
		} else {
			if (*text == ':')
				list->start = NULL;
			ok = text_add(name, text++, 1);
		}
	}
	return ok;
}

/*
 * Adds a template list without namespaces: at "::" what its name has so far goes. @starts has room
 * for a number more than the list has bytes: where in @out the name begins, for each bracket that
 * is open.
 */
static bool list_add(struct text *out, const struct piece *list, size_t *starts)
{
	const char *at, *end = list->start + list->len;
	size_t depth = 0;

	starts[0] = out->len;
	for (at = list->start; at < end; at++) {
		if (*at == ':' && at + 1 < end && at[1] == ':') {
			out->len = starts[depth];
			out->data[out->len] = '\0';
			at++;
			continue;
		}
		if (strchr(">)]}", *at) && depth)
			depth--;
		if (!text_add(out, at, 1))
			return false;
		if (strchr("<([{", *at))
			starts[++depth] = out->len;
		else if (strchr(", &*", *at))
			starts[depth] = out->len;
	}
	return true;
}

/* Rust's legacy mangling is C++'s with a hash at the end: "core::fmt::write::h0123456789abcdef". */
static void drop_rust_hash(struct text *name)
{
	size_t i, start;

	if (name->len <= 19)
		return;
	start = name->len - 19;
	if (memcmp(name->data + start, "::h", 3))
		return;
	for (i = start + 3; i < name->len; i++)
		if (!isdigit((unsigned char)name->data[i]) &&
		    !(name->data[i] >= 'a' && name->data[i] <= 'f'))
			return;
	name->len = start;
	name->data[start] = '\0';
}

static char *name_make(const char *full, bool listed)
{
	size_t len = strnlen(full, DEMANGLE_OUTPUT_MAX);
	struct text name = { 0 };
	struct bracket *stack = calloc(len + 1, sizeof(*stack));
	size_t *starts = listed ? calloc(len + 1, sizeof(*starts)) : NULL;
	char *text = clean_dup(full, DEMANGLE_OUTPUT_MAX), *result = NULL;
	struct piece list = { NULL, 0 };

	if (!text || !stack || (listed && !starts))
		goto out;
	/* No arguments and no list: it is not a function's full form but already a name. */
	if (strpbrk(text, "(<")) {
		if (!shorten(text, &name, stack, &list))
			goto out;
	} else if (!text_add(&name, text, strlen(text))) {
		goto out;
	}
	if (!name.len && !text_add(&name, text, strlen(text)))
		goto out;
	drop_rust_hash(&name);
	if (listed && (!list.start || !list_add(&name, &list, starts)))
		goto out;
	result = name.data;
	name.data = NULL;
out:
	free(name.data);
	free(starts);
	free(stack);
	free(text);
	return result;
}

char *demangle_short(const char *full)
{
	return name_make(full, false);
}

char *demangle_listed(const char *full)
{
	return name_make(full, true);
}

void demangle_both(const char *symbol, char **brief, char **full)
{
	*brief = NULL;
	*full = demangle_full(symbol);
	if (*full && strcmp(*full, symbol))
		*brief = demangle_short(*full);
	if (*brief)
		return;
	free(*full);
	*full = NULL;
}
