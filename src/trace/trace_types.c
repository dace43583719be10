/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_types.h"

#include <stdlib.h>
#include <string.h>

#include "names/full_form.h"
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

/* The words of the list at @at, which is closed. */
static void list_read(const struct outline *form, size_t at, uint8_t *types, uint8_t *count)
{
	size_t end = form->end[at] - 1, word = ++at;

	for (; at <= end && *count < CUTOP_KERNEL_WORDS; at = outline_step(form, at)) {
		if (at < end && form->text[at] != ',')
			continue;
		if (at > word)
			types[(*count)++] = (uint8_t)type_of(form->text + word, at - word);
		word = at + 1;
		while (word < end && form->text[word] == ' ')
			word++;
	}
}

bool trace_types_read(const char *full, uint8_t *types, uint8_t *count)
{
	struct full_name name = { .brief = NULL };
	struct outline form;
	bool any;

	*count = 0;
	any = outline_make(&form, full) && full_name_read(&form, &name) && name.len &&
	      full[name.end] == '(' && form.end[name.end];
	if (any)
		list_read(&form, name.end, types, count);
	free(name.brief);
	outline_free(&form);
	return any;
}
