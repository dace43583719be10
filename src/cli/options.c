/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line. option_table.c lists the options, option_values.c parses their values; this
 * file makes struct options of it all.
 */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "cli/option_table.h"
#include "cli/option_values.h"
#include "metrics/openmetrics.h"
#include "view/theme.h"

#define RING_DEFAULT  (16u << 20)
#define NAMES_DEFAULT (128u << 20)
#define RING_TRACING  (64u << 20) /* one second of 400,000 calls */

/* ---- the options ---- */

/* Stores a value as the table says. */
static int value_store(struct options *options, const struct option_entry *option,
		       const char *argument)
{
	void *at = (char *)options + option->member;
	size_t *count = (void *)((char *)options + option->counter);
	uint64_t value;
	int choice;

	switch (option->store) {
	case STORE_FLAG: *(bool *)at = true; return 0;
	case STORE_TEXT: *(const char **)at = argument; return 0;
	case STORE_TEXTS:
		if (*count == OPTIONS_LIST_MAX)
			return usage_error("--%s is given too often", option->name);
		((const char **)at)[(*count)++] = argument;
		return 0;
	case STORE_SECONDS: return parse_seconds(option->name, argument, option->least, at);
	case STORE_COUNT:
		if (parse_count(option->name, argument, (uint64_t)option->least, option->most,
				&value))
			return -EINVAL;
		if (option->size == sizeof(uint64_t))
			*(uint64_t *)at = value;
		else
			*(unsigned int *)at = (unsigned int)value;
		return 0;
	default:
		choice = parse_choice(option->name, argument, option->names, option->most);
		if (choice < 0)
			return choice;
		*(unsigned int *)at = (unsigned int)choice;
		return 0;
	}
}

/* [BYTES][,host] */
static int parse_fail_on_leak(struct options *options, const char *argument)
{
	const char *host = argument ? strrchr(argument, ',') : NULL;
	char bytes[32];

	options->fail_on_leak = true;
	host = host ? host + 1 : argument;
	options->leak_host = host && !strcmp(host, "host");
	if (!argument || (options->leak_host && host == argument))
		return 0;
	if (options->leak_host && (size_t)(host - argument) <= sizeof(bytes)) {
		snprintf(bytes, sizeof(bytes), "%.*s", (int)(host - argument) - 1, argument);
		argument = bytes;
	}
	return parse_bytes("fail-on-leak", argument, &options->leak_bytes);
}

static int parse_one(struct options *options, const struct option_entry *option,
		     const char *argument)
{
	static const char *const stacks[] = {
		[STACKS_NEVER] = "never",
		[STACKS_AUTO] = "auto",
		[STACKS_TAKEN] = "allocations",
		[STACKS_ALWAYS] = "always",
	};
	int err;

	if (option->given)
		*(bool *)((char *)options + option->given) = true;
	if (option->store)
		return value_store(options, option, argument);
	switch (option->code) {
	case 'o':
		/* - means standard output, as usual */
		options->to_stdout = !strcmp(argument, "-");
		options->output = options->to_stdout ? NULL : argument;
		return 0;
	case 'p': return parse_pids(options, argument);
	case 'u': options->user = argument; return parse_user("user", argument, &options->uid);
	case 'l': return parse_layer(options, argument);
	case OPTION_LISTEN: return parse_listen(options, argument);
	case OPTION_CALLS: return parse_groups(options, argument);
	case OPTION_STACKS:
		err = argument ? parse_choice("stacks", argument, stacks, ARRAY_LEN(stacks)) :
				 STACKS_TAKEN;
		if (err >= 0)
			options->stacks = (enum stacks_choice)err;
		options->launch_sites |= err == STACKS_ALWAYS;
		return err < 0 ? err : 0;
	case OPTION_FAIL_ON_LEAK: return parse_fail_on_leak(options, argument);
	case OPTION_MAP: options->map_given = true; return parse_map(options, argument);
	case OPTION_RUN_AS:
		options->run_as = argument;
		return parse_user("run-as", argument, &(uint32_t){ 0 });
	case OPTION_PROBE: return parse_probe(options, argument);
	case OPTION_RING_SIZE: return parse_ring(options, argument);
	case OPTION_NAMES_MEMORY: return parse_names_memory(options, argument);
	case OPTION_THEME:
		if (!theme_find(argument))
			return usage_error(
				"there is no theme '%s'; there are default, mono, colorblind and light",
				argument);
		options->theme = argument;
		return 0;
	default: return -EINVAL;
	}
}

static int sort_set(struct options *options)
{
	const char *bad;
	size_t len;
	int err = sort_order_parse(&options->sort, options->sort_text, &bad, &len);

	if (err == -E2BIG)
		return usage_error("--sort takes at most %d columns", SORT_KEYS_MAX);
	if (err)
		return usage_error("there is no column '%.*s'; -s help lists them", (int)len, bad);
	options->sort.reverse = options->reverse;
	return 0;
}

static void tables_build(struct option *longs, char *shorts)
{
	size_t i;

	*shorts++ = '+'; /* COMMAND begins at the first word that is not an option */
	*shorts++ = ':'; /* we report errors ourselves */
	for (i = 0; i < option_count; i++) {
		const struct option_entry *o = &option_table[i];
		int has = !o->argument          ? no_argument :
			  option_is_optional(o) ? optional_argument :
						  required_argument;

		longs[i] = (struct option){ o->name, has, NULL, option_code(o) };
		if (option_code(o) < 256) {
			*shorts++ = (char)o->code;
			if (has == required_argument)
				*shorts++ = ':';
		}
	}
	longs[i] = (struct option){ 0 };
	*shorts = 0;
}

/*
 * Reports what getopt_long() did not accept in the word before @word; getopt itself only gives a
 * letter.
 */
static void option_complain(int code, const char *word)
{
	size_t i, len = strcspn(word, "="), fitting = 0;

	for (i = 0; i < option_count; i++) {
		if (optopt == option_code(&option_table[i])) {
			if (code == ':')
				usage_error("--%s needs an argument: %s", option_table[i].name,
					    option_table[i].argument);
			else
				usage_error("--%s takes no argument", option_table[i].name);
			return;
		}
		fitting += len > 2 && !strncmp(word + 2, option_table[i].name, len - 2);
	}
	if (optopt)
		usage_error("there is no option '-%c'", optopt);
	else if (fitting > 1)
		usage_error("'%s' may be any of %zu options", word, fitting);
	else
		usage_error("there is no option '%s'", word);
}

/*
 * For a file, path or pattern, an empty value is most likely a script's unset variable. Other kinds
 * of values report emptiness themselves.
 */
static bool is_empty(const struct option_entry *option, const char *argument)
{
	if (!argument || *argument ||
	    (strcmp(option->argument, "FILE") && strcmp(option->argument, "PATH") &&
	     strcmp(option->argument, "GLOB")))
		return false;
	usage_error("--%s needs an argument: %s, not ''", option->name, option->argument);
	return true;
}

bool options_take_stacks(const struct options *options)
{
	return options->stacks == STACKS_TAKEN || options->stacks == STACKS_ALWAYS;
}

static bool is_mode(const char *word)
{
	size_t i;

	for (i = 0; i < MODE_COUNT; i++)
		if (mode_table[i].word && !strcmp(word, mode_table[i].word))
			return true;
	return false;
}

static int trace_check(const struct options *options)
{
	if (options->entries && options->pairs)
		return usage_error("--entries and --pairs do not go together");
	if (options->entries && options_take_stacks(options))
		return usage_error(
			"--stacks takes stacks at the return, and --entries (-E) looks at none");
	if (options->no_time && options->format == FORMAT_CHROME)
		return usage_error(
			"--format chrome is all about time: --no-time (-t) is for text and json");
	if (options->mode == MODE_RECORD && options->kernel_arguments && !options->record_calls)
		return usage_error(
			"--args is for every call: 'cutop record' takes it with --trace");
	return 0;
}

/* What is learned from returns is not available without them. */
static int returns_check(const struct options *options)
{
	const char *option = options->exact_launches      ? "exact-launches" :
			     options->launch_sites        ? "launch-sites" :
			     options->pairs               ? "pairs" :
			     options_take_stacks(options) ? "stacks" :
							    NULL;

	if (!option || options->returns != RETURNS_NEVER)
		return 0;
	return usage_error("--%s needs return probes, and --returns=never places none", option);
}

/* An option that only modifies another option, or a format, needs that one. */
static int purpose_check(const struct options *options)
{
	if (options->budget && options->fail_on_leak)
		return usage_error(
			"--budget does not go with --fail-on-leak, whose answer rests on everything");
	if (options->allow_no_cuda && !options->fail_on_leak)
		return usage_error("--allow-no-cuda is for --fail-on-leak");
	if ((options->kernels_given || options->sites_given) && !options->listen &&
	    !format_is_metrics(options->format))
		return usage_error(
			"--top-%s is for metrics: --listen, or --format openmetrics or prometheus",
			options->kernels_given ? "kernels" : "sites");
	return 0;
}

static int command_check(struct options *options, int argc, char **argv)
{
	if (optind < argc) {
		if (strcmp(argv[optind - 1], "--") && options->mode != MODE_WATCH &&
		    is_mode(argv[optind]))
			return usage_error(
				"'%s' and '%s' do not go together; write -- before a command",
				mode_table[options->mode].word, argv[optind]);
		if (strcmp(argv[optind - 1], "--"))
			return usage_error("'%s' is no option; write -- before a command",
					   argv[optind]);
		options->command = argv + optind;
		if (options->replay)
			return usage_error("--replay and a command do not go together");
		if (options->pid_count)
			return usage_error("--pid and a command do not go together");
		return 0;
	}
	if (optind && !strcmp(argv[optind - 1], "--"))
		return usage_error("there is no command after --");
	if (options->fail_on_leak && !options->replay)
		return usage_error("--fail-on-leak needs a command to watch");
	if (options->run_as)
		return usage_error("--run-as needs a command to run");
	return 0;
}

/* Output options mean nothing in a mode that prints nothing. */
static int output_check(const struct options *options)
{
	bool prints = options->batch || !mode_table[options->mode].has_screen;

	if (options->mode == MODE_RECORD && options->to_stdout)
		return usage_error("'cutop record' writes a file, and not to standard output");
	if (options->mode == MODE_RECORD && !options->output)
		return usage_error(
			"'cutop record' needs --output (-o) FILE, where the recording goes");
	if (options->mode == MODE_RECORD && options->format_given && !options->batch)
		return usage_error(
			"a recording has a form of its own; --format is for what --batch (-b) prints meanwhile");
	if (!prints && options->format_given)
		return usage_error("the screen has no --format; use --batch (-b) to print");
	if (!prints && (options->output || options->to_stdout))
		return usage_error("the screen has no --output; use --batch (-b) to print");
	return 0;
}

/*
 * Options may come before the word that names a mode: moves that word to the front, where it is
 * expected.
 */
static void mode_lead(int argc, char **argv, const char *shorts, const struct option *longs)
{
	char *word;
	int at;

	while (getopt_long(argc, argv, shorts, longs, NULL) != -1)
		; /* errors are reported when the options are parsed */
	at = optind;
	optind = 0; /* getopt(3): start again */
	if (at >= argc || !strcmp(argv[at - 1], "--") || !is_mode(argv[at]))
		return;
	word = argv[at];
	memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
	argv[1] = word;
}

/* If the first word names a mode, it takes the place of the program's name. */
static void mode_parse(struct options *options, int *argc, char ***argv)
{
	const char *word = *argc > 1 ? (*argv)[1] : "";
	unsigned int mode;

	for (mode = 0; mode < MODE_COUNT; mode++)
		if (mode_table[mode].word && !strcmp(word, mode_table[mode].word))
			break;
	if (mode == MODE_COUNT)
		return;
	options->mode = (enum program_mode)mode;
	++*argv;
	--*argc;
}

enum options_action options_parse(struct options *options, int argc, char **argv, int *status)
{
	struct option longs[OPTION_MAX + 1];
	char shorts[2 * OPTION_MAX + 3];
	const struct option_entry *option, *misplaced = NULL;
	int code;

	memset(options, 0, sizeof(*options));
	options->words = argv;
	options->sort_text = "live";
	options->delay = NSEC_PER_SEC;
	options->uid = (uint32_t)-1;
	options->leak_age = 10 * NSEC_PER_SEC;
	options->map_max = 1000;
	options->metrics_limits = (struct metrics_limits){ .kernels = KERNELS_SHOWN_DEFAULT,
							   .sites = SITES_SHOWN_DEFAULT };
	options->stacks = STACKS_AUTO;
	options->groups = GROUPS_DEFAULT;
	options->traced_groups = GROUPS_TRACED;
	options->layers = LAYERS_ALL;
	options->layers_auto = true;
	tables_build(longs, shorts);
	*status = EXIT_USAGE;
	mode_lead(argc, argv, shorts, longs);
	mode_parse(options, &argc, &argv);
	if (options->mode == MODE_DEMO)
		/* A demonstration is not watched for minutes */
		options->leak_age = 2 * NSEC_PER_SEC;
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		switch (code) {
		case 'h':
			help_print(stdout);
			*status = EXIT_DONE;
			return OPTIONS_EXIT;
		case 'V':
			printf("cutop %s\n", PACKAGE_VERSION);
			*status = EXIT_DONE;
			return OPTIONS_EXIT;
		case ':':
		case '?': option_complain(code, argv[optind - 1]); return OPTIONS_EXIT;
		}
		if ((code == 's' || code == OPTION_CALLS) && !strcmp(optarg, "help")) {
			code == 's' ? columns_help() : calls_help();
			*status = EXIT_DONE;
			return OPTIONS_EXIT;
		}
		option = option_find(code);
		if (mode_takes_option(options->mode, option) || is_empty(option, optarg) ||
		    parse_one(options, option, optarg))
			return OPTIONS_EXIT;
		if (!misplaced && !(option->modes & IN_REPLAY))
			misplaced = option;
	}
	if (options->mode == MODE_TRACE || options->record_calls)
		/* Printing calls requires probing them */
		options->groups |= options->traced_groups;
	if (!options->names_bytes)
		options->names_bytes = NAMES_DEFAULT;
	if (!options->ring_bytes)
		options->ring_bytes = options->mode == MODE_TRACE || options->record_calls ?
					      RING_TRACING :
					      RING_DEFAULT;
	if (!mode_table[options->mode].takes_command && optind < argc) {
		usage_error("'cutop %s' takes no command", mode_table[options->mode].word);
		return OPTIONS_EXIT;
	}
	if (options->replay && misplaced) {
		usage_error(
			"--%s does not go with --replay: nothing is watched, and what was recorded stands",
			misplaced->name);
		return OPTIONS_EXIT;
	}
	if (mode_prints(options->mode, options->format) || output_check(options))
		return OPTIONS_EXIT;
	if (options->folded_given && options->format != FORMAT_FOLDED) {
		usage_error("--folded-by is for --format folded");
		return OPTIONS_EXIT;
	}
	if (options->config && options->no_config) {
		usage_error("--config and --no-config do not go together");
		return OPTIONS_EXIT;
	}
	if (returns_check(options) || purpose_check(options))
		return OPTIONS_EXIT;
	if (trace_check(options) || command_check(options, argc, argv) || sort_set(options))
		return OPTIONS_EXIT;
	if (!options->batch && mode_table[options->mode].has_screen &&
	    (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
		usage_error("the screen needs a terminal; use --batch (-b) to print");
		return OPTIONS_EXIT;
	}
	return OPTIONS_RUN;
}

bool options_want_color(const struct options *options, FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return isatty(fileno(out)) && !(no && *no) && term && *term && strcmp(term, "dumb");
}
