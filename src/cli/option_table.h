/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of options and of modes: which there are, what --help says about them, and which mode
 * takes which option. To add an option, add a line to the first table, which says where its value goes; or
 * a case in options.c that stores it.
 */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <stdio.h>

#include "cli/options.h"

/* Options without a short letter that parse_one() has a case for, or help_print(). */
enum {
	OPTION_CALLS = 256,
	OPTION_STACKS,
	OPTION_FAIL_ON_LEAK,
	OPTION_MAP,
	OPTION_RUN_AS,
	OPTION_PROBE,
	OPTION_RING_SIZE,
	OPTION_NAMES_MEMORY,
	OPTION_THEME,
	OPTION_LISTEN,
	OPTION_FOLDED_BY,
	CODE_OF_INDEX = 512, /* codes of the others are this and their index */
};

/* How an option's value is kept in struct options. */
enum option_store {
	STORE_BY_CASE, /* parse_one() has a case for it */
	STORE_FLAG,    /* bool: true */
	STORE_TEXT,    /* const char * */
	STORE_TEXTS,   /* const char *[]; its length is the size_t at `counter` */
	STORE_COUNT,   /* unsigned, from least to most */
	STORE_SECONDS, /* uint64_t ns, at least so many seconds */
	STORE_CHOICE,  /* an enum: the index in names */
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
	int code; /* the short letter, if it is a character; 0: the option_code() says it */
	const char *name;
	const char *argument; /* NULL: no argument; "[=X]": an optional one */
	unsigned int modes;
	/* For --format and --folded-by, the text before the list of choices */
	const char *help;
	enum option_store store;
	size_t member, size, counter; /* in struct options */
	size_t given;                 /* a bool there that is set, too; 0: none */
	double least;
	uint64_t most; /* or how many names there are */
	const char *const *names;
};

/* What getopt(3) returns for @option, and the option of such a code; NULL: there is none. */
int option_code(const struct option_entry *option);
const struct option_entry *option_find(int code);

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
 * Checks that @mode takes @option, and prints @format. Returns 0, or -EINVAL after telling the user.
 */
int mode_takes_option(enum program_mode mode, const struct option_entry *option);
int mode_prints(enum program_mode mode, enum format format);

#endif
