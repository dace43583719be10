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

/* What cutop should do. Which options each mode takes: option_table.h. */
enum program_mode {
	MODE_WATCH, /* the screen, or with --batch snapshots */
	MODE_DEMO,  /* the same for the built-in demonstration */
	MODE_DOCTOR,
	MODE_RECORD,
	MODE_TRACE,
	MODE_COUNT,
};

#define OPTIONS_LIST_MAX 256

struct options {
	enum program_mode mode;
	bool batch;
	uint64_t iterations; /* 0: no end */
	uint64_t delay;      /* ns */
	uint64_t duration;   /* ns, 0: no end */
	enum format format;
	enum folded_weight folded_by;
	bool folded_given;
	/* In the mode record: the recording; NULL: standard output */
	const char *output;
	bool to_stdout;     /* standard output was asked for explicitly: -o - */
	const char *replay; /* a recording to show, or NULL */
	bool format_given;
	bool listen; /* serve metrics at this address: */
	char listen_host[256];
	uint16_t listen_port; /* 0: any free one */
	struct metrics_limits metrics_limits;
	bool kernels_given, sites_given; /* these limits */
	uint32_t pids[OPTIONS_LIST_MAX];
	size_t pid_count;
	const char *user;
	uint32_t uid; /* of the user; (uint32_t)-1: any */
	const char *command_glob;
	const char *sort_text; /* as it was given */
	struct sort_order sort;
	bool reverse;        /* likewise, in sort */
	unsigned int groups; /* bits of enum call_group */
	/* The same, as the user asked: without those that the accounts need */
	unsigned int traced_groups;
	bool record_calls;                              /* record --trace */
	bool no_time, entries, pairs, kernel_arguments; /* in a trace */
	unsigned int layers;                            /* bits of enum call_layer */
	bool exact_launches;
	bool layers_auto; /* both layers, but a launch only where it is enough */
	bool launch_sites;
	enum { TENSOR_SITES_SAMPLE, TENSOR_SITES_ALL } tensor_sites;
	/* Functions whose probe would be single-stepped are left out */
	bool no_single_step;
	enum returns_choice returns;
	enum stacks_choice stacks;
	bool no_python;
	const char *site_skip[OPTIONS_LIST_MAX + 1];
	size_t site_skip_count;
	uint64_t budget; /* per cent; 0: no limit */
	bool budget_given;
	uint64_t leak_age; /* ns */
	bool leak_age_given;
	const char *leak_ignore[OPTIONS_LIST_MAX + 1];
	size_t leak_ignore_count;
	bool fail_on_leak, leak_host; /* leak_host: pinned memory counts, too */
	uint64_t leak_bytes;
	bool allow_no_cuda;
	unsigned int map_max;
	bool map_given; /* list allocations in text, too */
	const char *run_as;
	const char *libraries[OPTIONS_LIST_MAX];
	size_t library_count;
	const char *probes[OPTIONS_LIST_MAX]; /* LIBRARY:SYMBOL[=RESULT] */
	size_t probe_count;
	const char *pools[OPTIONS_LIST_MAX]; /* files */
	size_t pool_count;
	uint64_t ring_bytes;
	/* For names of functions, and whatever else is kept of files */
	uint64_t names_bytes;
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	bool ascii;
	/* Given on the command line, which takes precedence over the settings */
	bool delay_given, sort_given;
	const char *theme;
	bool no_mouse, readonly, no_config;
	const char *config;
	bool verbose;
	char **words;   /* the whole command line, NULL-ended; borrowed */
	char **command; /* NULL-ended, or NULL; borrowed from argv */
};

enum options_action { OPTIONS_RUN, OPTIONS_EXIT };

/*
 * Parses @argv. Returns OPTIONS_RUN with @options filled, or OPTIONS_EXIT with the exit status in
 * *@status, after printing what the user has to know.
 */
enum options_action options_parse(struct options *options, int argc, char **argv, int *status);

/*
 * Whether to use colours in @out: as --color says, or else if @out is a terminal that is not dumb,
 * and NO_COLOR (no-color.org) is unset or empty.
 */
bool options_want_color(const struct options *options, FILE *out);

/* True if stacks were asked for. */
bool options_take_stacks(const struct options *options);

#endif
