/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "names/brackets.h"

bool brackets_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

bool brackets_starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Operators made of signs; a longer one comes before its own prefix. */
static const char *const operator_signs[] = {
	"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&",
	"||", "++", "--",  "+=",  "-=",  "*=",  "/=", "%=", "^=", "&=", "|=", "->", "<",
	">",  "=",  "!",   "+",   "-",   "*",   "/",  "%",  "^",  "&",  "|",  "~",  ",",
};

size_t brackets_operator(const char *text)
{
	size_t i, len = strlen("operator");

	if (!brackets_starts(text, "operator"))
		return 0;
	for (i = 0; i < sizeof(operator_signs) / sizeof(operator_signs[0]); i++)
		if (brackets_starts(text + len, operator_signs[i]))
			return len + strlen(operator_signs[i]);
	return 0;
}

char brackets_closing(char c)
{
	switch (c) {
	case '(': return ')';
	case '[': return ']';
	case '{': return '}';
	default: return 0;
	}
}

const char *brackets_skip(const char *text, struct bracket *stack)
{
	struct bracket *top = stack;
	bool word = false;
	size_t len;

	*top = (struct bracket){ 0 };
	for (; *text; text++) {
		if (!word && (len = brackets_operator(text)) != 0) {
			text += len - 1;
			continue;
		}
		word = brackets_is_word(*text);
		if (brackets_starts(text, "->")) {
			text++;
			continue;
		}
		if (*text == '<')
			top->lists++;
		else if (brackets_closing(*text))
			*++top = (struct bracket){ .closing = brackets_closing(*text) };
		else if (*text == '>' && top->lists)
			top->lists--;
		else if (*text == top->closing)
			top--;
		if (top == stack && !top->lists)
			return text + 1;
	}
	return text;
}

const char *brackets_enclosing_end(const char *text)
{
	static const char *const words[] = { " const", " volatile", " &&", " &", " noexcept" };
	size_t i = 0;

	while (i < sizeof(words) / sizeof(words[0])) {
		if (brackets_starts(text, words[i])) {
			text += strlen(words[i]);
			i = 0;
		} else {
			i++;
		}
	}
	return brackets_starts(text, "::") ? text : NULL;
}
