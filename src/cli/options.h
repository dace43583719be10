/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "metrics/openmetrics.h"
#include "model/columns.h"
#include "print/print.h"
#include "probe/choice.h"
#include "util/util.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LEAK = 3 };

/* What cutop is to do. Which options each takes: option_table.h. */
enum program_mode {
	MODE_WATCH,	/* the screen, or with --batch snapshots */
	MODE_DEMO,	/* the same over the built-in cast */
	MODE_DOCTOR,
	MODE_RECORD,
	MODE_TRACE,
	MODE_COUNT,
};

#define OPTIONS_LIST_MAX 256

struct options {
	enum program_mode mode;
	bool batch;
	uint64_t iterations;		/* 0: no end */
	uint64_t delay;			/* ns */
	uint64_t duration;		/* ns, 0: no end */
	enum format format;
	enum folded_weight folded_by;
	bool folded_given;
	const char *output;		/* of record: the recording; NULL: standard output */
	bool to_stdout;			/* was asked for by name: -o - */
	const char *replay;		/* a recording to be shown, or NULL */
	bool format_given;
	bool listen;			/* serve metrics at: */
	char listen_host[256];
	uint16_t listen_port;		/* 0: any free one */
	struct metrics_limits metrics_limits;
	bool kernels_given, sites_given;	/* these limits */
	uint32_t pids[OPTIONS_LIST_MAX];
	size_t pid_count;
	const char *user;
	uint32_t uid;			/* of user; (uint32_t)-1: any */
	const char *command_glob;
	struct sort_order sort;
	unsigned int groups;		/* bits of enum call_group */
	unsigned int traced_groups;	/* the same: as asked for, without what the books need besides */
	bool record_calls;		/* record --trace */
	bool no_time, entries, pairs, kernel_arguments;	/* of a trace */
	unsigned int layers;		/* bits of enum call_layer */
	bool exact_launches;
	bool launch_sites;
	bool hold;			/* COMMAND's threads wait while libraries that they load are probed */
	bool no_single_step;		/* functions whose probe would be single-stepped are left out */
	enum returns_choice returns;
	bool yields;			/* --translators=yield */
	bool stacks;
	bool no_python;
	const char *site_skip[OPTIONS_LIST_MAX + 1];
	size_t site_skip_count;
	uint64_t leak_age;		/* ns */
	bool leak_age_given;
	const char *leak_ignore[OPTIONS_LIST_MAX + 1];
	size_t leak_ignore_count;
	bool fail_on_leak;
	uint64_t leak_bytes;
	bool allow_no_cuda;
	unsigned int map_max;
	bool map_given;			/* text lists allocations, too */
	const char *run_as;
	const char *libraries[OPTIONS_LIST_MAX];
	size_t library_count;
	const char *probes[OPTIONS_LIST_MAX];	/* LIBRARY:SYMBOL[=RESULT] */
	size_t probe_count;
	uint64_t ring_bytes;
	uint64_t names_bytes;		/* for names of functions, and what else is kept of files */
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	bool ascii;
	bool delay_given, sort_given;	/* on the command line: before the settings */
	const char *theme;
	bool no_mouse, readonly, no_config;
	const char *config;
	bool verbose;
	char **words;			/* the whole command line, NULL-ended; borrowed */
	char **command;			/* NULL-ended, or NULL; borrowed from argv */
};

enum options_action { OPTIONS_RUN, OPTIONS_EXIT };

/*
 * Parses @argv. Returns OPTIONS_RUN with @options filled, or OPTIONS_EXIT with
 * *@status to exit with, after what the user has to know was printed.
 */
enum options_action options_parse(struct options *options, int argc, char **argv, int *status);

/*
 * Whether what is written to @out has colours: as --color says, or else where @out is a terminal that is not dumb and
 * NO_COLOR (no-color.org) is not set, or empty.
 */
bool options_want_color(const struct options *options, FILE *out);

#endif
