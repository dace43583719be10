/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the signatures in the call table; cutop_call_table.h describes how they are written. */
#include <linux/types.h>
#include <string.h>

#include "cutop_event.h"
#include "cuda/arguments.h"
#include "cuda/calls.h"

static enum argument_kind kind_of(char letter)
{
	switch (letter) {
	case 's': return ARGUMENT_STREAM;
	case 'z': return ARGUMENT_COUNT;
	case 'u': return ARGUMENT_U32;
	case 'i': return ARGUMENT_S32;
	case 'f': return ARGUMENT_FLOAT;
	default: return ARGUMENT_POINTER;
	}
}

#if defined(__x86_64__)
#define MEMORY_WORDS 0
#else
#define MEMORY_WORDS 1
#endif

/* The state: position in the string, register, and whether a result argument was seen. */
#define STATE_SHIFT  16
#define STATE_WORD   24
#define STATE_RESULT (1u << STATE_SHIFT)

bool call_argument_next(unsigned int call, unsigned int *state, struct call_argument *argument)
{
	const char *text = call < CALL_COUNT ? call_signatures[call] : NULL, *colon;
	unsigned int at = *state & (STATE_RESULT - 1), word = *state >> STATE_WORD;
	bool had_result = *state & STATE_RESULT;

	for (;;) {
		if (!text || !text[at])
			return false;
		colon = strchr(text + at, ':');
		if (!colon)
			return false;
		argument->name = text + at;
		argument->name_len = (size_t)(colon - argument->name);
		argument->kind = kind_of(colon[1]);
		argument->is_out = colon[2] == '*';
		argument->is_result = argument->is_out && !had_result;
		argument->word = word;
		word += colon[1] == 'm' ? MEMORY_WORDS : 1;
		had_result = had_result || argument->is_out;
		at = (unsigned int)(colon - text) + (argument->is_out ? 3 : 2);
		if (text[at] == ' ')
			at++;
		if (argument->name_len)
			break;
	}
	*state = at | (had_result ? STATE_RESULT : 0) | word << STATE_WORD;
	return true;
}

unsigned int call_out(unsigned int call)
{
	struct call_argument argument;
	unsigned int state = 0;

	while (call_argument_next(call, &state, &argument)) {
		if (!argument.is_result)
			continue;
		if (argument.kind == ARGUMENT_U32 || argument.kind == ARGUMENT_S32 ||
		    argument.kind == ARGUMENT_FLOAT)
			return CUTOP_TRACED_OUT | CUTOP_TRACED_SHORT | argument.word;
		return CUTOP_TRACED_OUT | argument.word;
	}
	return 0;
}
