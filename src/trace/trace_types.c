/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_types.h"

#include <string.h>

#include "trace/trace_programs.h"

static const struct {
	const char *name;
	enum word_kind kind;
} simple_types[] = {
	{ "bool", WORD_U8 },        { "char", WORD_S8 },
	{ "signed char", WORD_S8 }, { "unsigned char", WORD_U8 },
	{ "short", WORD_S16 },      { "unsigned short", WORD_U16 },
	{ "int", WORD_S32 },        { "unsigned int", WORD_U32 },
	{ "long", WORD_S64 },       { "unsigned long", WORD_U64 },
	{ "long long", WORD_S64 },  { "unsigned long long", WORD_U64 },
	{ "float", WORD_FLOAT },    { "double", WORD_DOUBLE },
};

static enum word_kind type_of(const char *text, size_t len)
{
	static const char constant[] = " const";
	size_t i;

	/* The demangler writes "float const". */
	if (len > strlen(constant) &&
	    !strncmp(text + len - strlen(constant), constant, strlen(constant)))
		len -= strlen(constant);
	for (i = 0; i < sizeof(simple_types) / sizeof(simple_types[0]); i++)
		if (strlen(simple_types[i].name) == len &&
		    !strncmp(text, simple_types[i].name, len))
			return simple_types[i].kind;
	return WORD_HEX;
}

bool trace_types_read(const char *full, uint8_t *types, uint8_t *count)
{
	const char *end = full + strlen(full), *open, *at, *word;
	int depth = 0;

	*count = 0;
	/* The list ends at the last closing bracket, if only " const" and the like follow it. */
	while (end > full && end[-1] != ')')
		end--;
	if (end == full)
		return false;
	for (open = end - 1;; open--) {
		depth += *open == ')' ? 1 : *open == '(' ? -1 : 0;
		if (!depth || open == full)
			break;
	}
	if (depth || open == full)
		return false;
	end--;
	for (at = word = open + 1; at <= end && *count < CUTOP_KERNEL_WORDS; at++) {
		if (at < end && (*at == '(' || *at == '<' || *at == '[' || *at == '{'))
			depth++;
		else if (at < end && (*at == ')' || *at == '>' || *at == ']' || *at == '}'))
			depth--;
		if (at < end && (*at != ',' || depth))
			continue;
		if (at > word)
			types[(*count)++] = (uint8_t)type_of(word, (size_t)(at - word));
		word = at + 1;
		while (word < end && *word == ' ')
			word++;
	}
	return true;
}
