/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of hooked functions as data, and the names of everything that is numbered. */
#include "cuda/calls.h"

#include <string.h>

#define CUTOP_CALL(symbol, layer_, class_, group_, options, a_, b_, c_, d_, arguments) \
	[CALL_##symbol] = { .layer = layer_, \
			    .class = class_, \
			    .group = group_, \
			    .flags = (uint16_t)(options), \
			    .a = a_, \
			    .b = b_, \
			    .c = c_, \
			    .d = d_ },
const struct call_desc call_descs[CALL_COUNT] = {
#include "cutop_call_table.h"
};
#undef CUTOP_CALL

#define CUTOP_CALL(symbol, layer, class, group, options, a, b, c, d, arguments) \
	[CALL_##symbol] = options,
const uint64_t call_options[CALL_COUNT] = {
#include "cutop_call_table.h"
};
#undef CUTOP_CALL

#define CUTOP_CALL(symbol, layer, class, group, options, a, b, c, d, arguments) \
	[CALL_##symbol] = arguments,
const char *const call_signatures[CALL_COUNT] = {
#include "cutop_call_table.h"
};
#undef CUTOP_CALL

#define CUTOP_CALL(symbol, layer, class, group, options, a, b, c, d, arguments) \
	[CALL_##symbol] = #symbol,
const char *const call_names[CALL_COUNT] = {
#include "cutop_call_table.h"
};
#undef CUTOP_CALL

const char *const call_group_names[GROUP_COUNT] = {
	[GROUP_MEMORY] = "memory",    [GROUP_COPY] = "copies",    [GROUP_LAUNCH] = "kernels",
	[GROUP_SYNC] = "synchronize", [GROUP_STREAM] = "streams", [GROUP_EVENT] = "events",
	[GROUP_DEVICE] = "devices",   [GROUP_GRAPH] = "graphs",   [GROUP_MODULE] = "modules",
	[GROUP_NAME] = "names",       [GROUP_QUERY] = "queries",
};

const char *const alloc_kind_names[KIND_COUNT] = {
	[KIND_DEVICE] = "device",         [KIND_MANAGED] = "managed",   [KIND_ASYNC] = "async",
	[KIND_ARRAY] = "array",           [KIND_PHYSICAL] = "physical", [KIND_PINNED] = "pinned",
	[KIND_REGISTERED] = "registered", [KIND_SHARED] = "shared",     [KIND_STATIC] = "static",
};

const char *const copy_direction_names[DIR_COUNT] = {
	[DIR_H2H] = "H2H", [DIR_H2D] = "H2D", [DIR_D2H] = "D2H",
	[DIR_D2D] = "D2D", [DIR_P2P] = "P2P", [DIR_UNKNOWN] = "unknown",
};

const char *const copy_mode_names[2] = { [COPY_SYNC] = "sync", [COPY_ASYNC] = "async" };

const char *const unreturned_names[UNRETURNED_COUNT] = {
	[UNRETURNED_NOT] = "",
	[UNRETURNED_ASKED] = "asked",
	[UNRETURNED_SECCOMP] = "seccomp",
	[UNRETURNED_SHADOW_STACK] = "shadow_stack",
};

const char *const spare_names[SPARE_COUNT] = {
	[SPARE_BLOCKS] = "blocks",
	[SPARE_CALLS] = "calls",
	[SPARE_LAUNCHES] = "launches",
};

const char *const unseen_cause_names[UNSEEN_COUNT] = {
	[UNSEEN_DRIVER] = "driver_allocations", [UNSEEN_LATE] = "late_libraries",
	[UNSEEN_ALLOC] = "unprobed_allocators", [UNSEEN_FREE] = "unprobed_frees",
	[UNSEEN_LAYER] = "driver_unwatched",
};

const char *const lost_cause_names[LOST_COUNT] = {
	[LOST_RING_FULL] = "ring_full",
	[LOST_RETURN] = "returns",
	[LOST_NESTING] = "nesting",
	[LOST_LAUNCH_ROWS] = "kernel_rows",
	[LOST_COPY_ROWS] = "copy_rows",
	[LOST_CALL_ROWS] = "call_rows",
	[LOST_FAIL_ROWS] = "failure_rows",
	[LOST_PROCESSES] = "processes",
	[LOST_NAMES] = "names",
	[LOST_ARGUMENT] = "arguments",
	[LOST_THREADS] = "threads",
	[LOST_TRACED] = "traced_calls",
	[LOST_UNANSWERED] = "unanswered",
	[LOST_PYTHON] = "python_frames",
	[LOST_CALL_SITES] = "call_sites",
	[LOST_GRAPHS] = "graphs",
	[LOST_STACKS] = "stacks",
	[LOST_LINES] = "lines",
	[LOST_SYMBOLS] = "symbols",
	[LOST_FREE] = "missed_frees",
	[LOST_RECORD] = "bad_records",
	[LOST_MEMORY] = "memory",
};

bool lost_is_names(enum lost_cause cause)
{
	return cause == LOST_LINES || cause == LOST_SYMBOLS;
}

const char *call_name(unsigned int call)
{
	return call < CALL_COUNT ? call_names[call] : "?";
}

const char *call_layer_name(unsigned int layer)
{
	switch (layer) {
	case LAYER_RUNTIME: return "runtime";
	case LAYER_DRIVER: return "driver";
	case LAYER_EXTRA: return "probe";
	default: return "?";
	}
}

enum call_layer call_layer(unsigned int call)
{
	return call < CALL_COUNT ? (enum call_layer)call_descs[call].layer : LAYER_EXTRA;
}

unsigned int call_stream(unsigned int call)
{
	const struct call_desc *desc = &call_descs[call];
	const char *suffix = strrchr(call_name(call), '_');
	unsigned int stream = CUTOP_STREAM_NONE, named = CUTOP_OPTION_STREAM(call_options[call]);

	if (named)
		stream = named - 1;
	else if (desc->class == CLASS_SYNC && desc->a == SYNC_STREAM)
		stream = 0;
	if (call_options[call] & CALL_STREAM_MOVED)
		stream |= CUTOP_STREAM_MOVED;
	if (suffix && (!strcmp(suffix, "_ptsz") || !strcmp(suffix, "_ptds")))
		stream |= CUTOP_STREAM_PER_THREAD;
	return stream;
}

/* Parses the signatures in the call table; cutop_call_table.h describes how they are written. */

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
