/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of events in the log, one line each: its name in JSON and metrics, its title on the
 * screen, and its importance. Everything that shows events uses this list.
 */
#ifndef MODEL_EVENT_KINDS_H
#define MODEL_EVENT_KINDS_H

enum event_tone {
	TONE_QUIET, /* expected, and of little interest */
	TONE_GOOD,
	TONE_NOTICE, /* worth a look */
	TONE_LEAK,
	TONE_FAILURE,
	TONE_COUNT,
};

/* KIND(constant, JSON name, title, tone) */
#define EVENT_KINDS(KIND) \
	KIND(OUT_OF_MEMORY, "out-of-memory", "out of memory", FAILURE) \
	KIND(LEAK, "leak", "leak", LEAK) \
	KIND(RESET, "reset", "reset", NOTICE) \
	KIND(FAULT, "fault", "fault", FAILURE) \
	KIND(LOST, "lost", "lost", FAILURE) \
	KIND(FAILURE, "failure", "failure", FAILURE) \
	KIND(DOUBLE_FREE, "double-free", "double free", FAILURE) \
	KIND(UNKNOWN_FREE, "unknown-free", "unknown free", FAILURE) \
	KIND(SUSPECT, "suspect", "suspect", NOTICE) \
	KIND(START, "start", "start", GOOD) \
	KIND(END, "end", "end", QUIET) \
	KIND(NEARLY_FULL, "nearly-full", "nearly full", NOTICE) \
	KIND(PAGEABLE, "pageable", "pageable", NOTICE) \
	KIND(NO_RETURNS, "no-returns", "unprobed", NOTICE) \
	KIND(LIMIT, "limit", "limit", NOTICE) \
	KIND(BUDGET, "budget", "budget", NOTICE) \
	KIND(TRANSLATED, "translated", "translated", FAILURE)

#define EVENT_CONSTANT(kind, name, title, tone) EVENT_##kind,
enum event_kind { EVENT_KINDS(EVENT_CONSTANT) EVENT_KIND_COUNT };
#undef EVENT_CONSTANT

struct event_kind_desc {
	const char *name, *title;
	enum event_tone tone;
};

extern const struct event_kind_desc event_kinds[EVENT_KIND_COUNT];

#endif
