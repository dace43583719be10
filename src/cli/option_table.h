/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of options and of modes: which there are, what --help says about them, and which mode
 * takes which option. To add an option, add a line to the first table, and a case in options.c that
 * stores it.
 */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <stdio.h>

#include "cli/options.h"

/* Options without a short letter. */
enum {
	OPTION_DURATION = 256,
	OPTION_CALLS,
	OPTION_EXACT,
	OPTION_NO_SINGLE_STEP,
	OPTION_STACKS,
	OPTION_LEAK_AGE,
	OPTION_LEAK_IGNORE,
	OPTION_FAIL_ON_LEAK,
	OPTION_ALLOW_NO_CUDA,
	OPTION_MAP,
	OPTION_RUN_AS,
	OPTION_LIBRARY,
	OPTION_PROBE,
	OPTION_RING_SIZE,
	OPTION_NAMES_MEMORY,
	OPTION_ASCII,
	OPTION_THEME,
	OPTION_NO_MOUSE,
	OPTION_READONLY,
	OPTION_NO_CONFIG,
	OPTION_CONFIG,
	OPTION_FOLDED_BY,
	OPTION_REPLAY,
	OPTION_TRACE,
	OPTION_LISTEN,
	OPTION_TOP_KERNELS,
	OPTION_TOP_SITES,
	OPTION_ARGS,
	OPTION_PAIRS,
	OPTION_RETURNS,
	OPTION_NO_PYTHON,
	OPTION_SITE_SKIP,
	OPTION_LAUNCH_SITES,
	OPTION_TENSOR_SITES,
	OPTION_BUDGET,
};

/* Modes that take an option: bits 1 << enum program_mode. */
#define IN_WATCH     (1u << MODE_WATCH)
#define IN_DEMO      (1u << MODE_DEMO)
#define IN_DOCTOR    (1u << MODE_DOCTOR)
#define IN_TRACE     (1u << MODE_TRACE)
#define IN_RECORD    (1u << MODE_RECORD)
#define IN_REPLAY    (1u << MODE_COUNT) /* not a mode: the option goes with --replay */
#define IN_SNAPSHOTS (IN_WATCH | IN_DEMO | IN_RECORD)
#define IN_SHOWING   (IN_SNAPSHOTS | IN_REPLAY)
#define IN_SCREEN    (IN_WATCH | IN_DEMO | IN_REPLAY)
/* Options that choose and place probes */
#define IN_PROBING (IN_SNAPSHOTS | IN_DOCTOR | IN_TRACE)
#define IN_ALL     ((1u << MODE_COUNT) - 1 + IN_REPLAY)

struct option_entry {
	int code; /* the short letter, if it is a character */
	const char *name;
	const char *argument; /* NULL: no argument; "[=X]": an optional one */
	unsigned int modes;
	/* For --format and --folded-by, the text before the list of choices */
	const char *help;
};

/* True if @option may stand with and without an argument. */
bool option_is_optional(const struct option_entry *option);

extern const struct option_entry option_table[];
#define OPTION_MAX 64 /* the table is not longer than this */
extern const size_t option_count;

struct mode_entry {
	const char *word;     /* the first word on the command line; NULL: none */
	unsigned int formats; /* the formats that it prints, bits 1 << enum format */
	bool takes_command;
	bool has_screen; /* without --batch */
};

extern const struct mode_entry mode_table[MODE_COUNT];

void help_print(FILE *out);

/*
 * Checks that @mode takes the option @code, and prints @format. Returns 0, or -EINVAL after telling
 * the user.
 */
int mode_takes_option(enum program_mode mode, int code);
/* Whether the option goes with --replay; if not, tells the user. */
bool replay_takes_option(int code);
void replay_refuses(int code);
int mode_prints(enum program_mode mode, enum format format);

#endif
