/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line. One table of options drives parsing and --help; the man
 * page is held to it by a test.
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "model/calls.h"
#include "view/theme.h"

enum {
	OPTION_DURATION = 256, OPTION_CALLS, OPTION_EXACT, OPTION_STACKS, OPTION_LEAK_AGE, OPTION_LEAK_IGNORE, OPTION_FAIL_ON_LEAK,
	OPTION_ALLOW_NO_CUDA, OPTION_MAP, OPTION_RUN_AS, OPTION_LIBRARY, OPTION_RING_SIZE, OPTION_ASCII,
	OPTION_THEME, OPTION_NO_MOUSE, OPTION_READONLY, OPTION_NO_CONFIG, OPTION_CONFIG,
};

struct option_help {
	int code;		/* the short letter, if it is one */
	const char *name;
	const char *argument;	/* NULL: takes none; "[=X]": optional */
	const char *help;
};

static const struct option_help option_table[] = {
	{ 'b', "batch", NULL, "print snapshots to standard output, no screen" },
	{ 'n', "iterations", "N", "stop after N snapshots (with COMMAND: until it ends)" },
	{ 'd', "delay", "SECONDS", "time between snapshots, decimals allowed (default 1)" },
	{ OPTION_DURATION, "duration", "SECONDS", "stop after this time" },
	{ 'f', "format", "FORMAT", "text (default), json (one document per line) or csv" },
	{ 'o', "output", "FILE", "write there, not to standard output" },
	{ 'p', "pid", "PID[,PID...]", "only these processes" },
	{ 'u', "user", "USER", "only this user's processes" },
	{ 'c', "command", "GLOB", "only processes whose command matches" },
	{ 's', "sort", "COLUMN[,...]", "sort by these columns (default live); 'help' lists them" },
	{ 'r', "reverse", NULL, "reverse the sort order" },
	{ 'l', "layer", "LAYER", "what to probe: runtime, driver or both (default)" },
	{ OPTION_CALLS, "calls", "GROUP[,...]", "functions to probe: default, all, or names; 'help' lists them" },
	{ OPTION_EXACT, "exact-launches", NULL, "time every launch, not a sample; failures become exact" },
	{ OPTION_STACKS, "stacks", NULL, "whole user stacks as call sites (by frame pointers)" },
	{ OPTION_LEAK_AGE, "leak-age", "SECONDS", "first window of the rising-floor test (default 10)" },
	{ OPTION_LEAK_IGNORE, "leak-ignore", "GLOB", "memory allocated in such libraries is held, not leaked" },
	{ OPTION_FAIL_ON_LEAK, "fail-on-leak", "[=BYTES]", "exit 3 if COMMAND leaked (more than BYTES)" },
	{ OPTION_ALLOW_NO_CUDA, "allow-no-cuda", NULL, "with --fail-on-leak: no CUDA call at all is fine" },
	{ OPTION_MAP, "map", "N|all|none", "allocations listed per process, largest first (default 1000)" },
	{ OPTION_RUN_AS, "run-as", "USER", "run COMMAND as USER (default: who called sudo)" },
	{ OPTION_LIBRARY, "library", "PATH", "probe this library or program too" },
	{ OPTION_RING_SIZE, "ring-size", "BYTES", "ring buffer, a power of two, K or M (default 16M)" },
	{ 'C', "color", "WHEN", "auto (default), always or never" },
	{ OPTION_ASCII, "ascii", NULL, "no characters beyond ASCII" },
	{ OPTION_THEME, "theme", "NAME", "colours of the screen: default, mono, colorblind or light" },
	{ OPTION_NO_MOUSE, "no-mouse", NULL, "leave the mouse to the terminal" },
	{ OPTION_READONLY, "readonly", NULL, "no signals from the screen" },
	{ OPTION_NO_CONFIG, "no-config", NULL, "neither read nor save settings" },
	{ OPTION_CONFIG, "config", "FILE", "settings file (default $XDG_CONFIG_HOME/cutop/cutoprc)" },
	{ 'v', "verbose", NULL, "say on standard error what is attached, and why something is not" },
	{ 'h', "help", NULL, "print this" },
	{ 'V', "version", NULL, "print the version" },
};

static void help_print(FILE *out)
{
	char left[64];
	size_t i;

	fprintf(out,
		"Usage: cutop [OPTIONS] [-- COMMAND [ARGS]...]\n"
		"Show what CUDA programs do to the GPU: allocations, launches, copies, failed calls, leaks.\n"
		"With COMMAND, start it under watch from its first call, and watch only it and its children.\n\n"
		"       cutop demo                   a live view of a built-in workload; needs no GPU\n"
		"       cutop doctor [-p PID]        what works here, and what to do about what does not\n\n");
	for (i = 0; i < ARRAY_LEN(option_table); i++) {
		const struct option_help *o = &option_table[i];
		bool optional = o->argument && o->argument[0] == '[';

		if (o->code < 256)
			snprintf(left, sizeof(left), "-%c, --%s%s%s", o->code, o->name, o->argument ? " " : "",
				 o->argument ? o->argument : "");
		else
			snprintf(left, sizeof(left), "    --%s%s%s", o->name, o->argument && !optional ? " " : "",
				 o->argument ? o->argument : "");
		fprintf(out, "  %-28s %s\n", left, o->help);
	}
	fprintf(out,
		"\nExit status: 0 done; 1 could not do it; 2 usage; with COMMAND its own status when not zero\n"
		"(128+n if a signal ended it, 127 not found, 126 not executable), else 3 if --fail-on-leak found a leak.\n");
}

static int __attribute__((format(printf, 1, 2))) usage_error(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	warn_user(NULL, "%s; see cutop --help", text);
	return -EINVAL;
}

/* ---- values ---- */

static int parse_count(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno || end == text || *end || !isdigit((unsigned char)text[0]) || *value < min || *value > max)
		return usage_error("--%s takes a whole number from %llu to %llu, not '%s'", name,
				   (unsigned long long)min, (unsigned long long)max, text);
	return 0;
}

static int parse_seconds(const char *name, const char *text, double min, uint64_t *ns)
{
	char *end;
	double seconds;

	errno = 0;
	seconds = strtod(text, &end);
	if (errno || end == text || *end || !isfinite(seconds) || seconds < min || seconds > 1e9)
		return usage_error("--%s takes a time in seconds, at least %g, not '%s'", name, min, text);
	*ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static int parse_bytes(const char *name, const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || !isdigit((unsigned char)text[0]))
		goto bad;
	if (*end) {
		suffix = strchr(suffixes, toupper((unsigned char)*end));
		if (!suffix || end[1])
			goto bad;
		for (; suffix >= suffixes; suffix--) {
			if (value > UINT64_MAX / 1024)
				goto bad;
			value *= 1024;
		}
	}
	*bytes = value;
	return 0;
bad:
	return usage_error("--%s takes a size in bytes, with K, M or G if you like, not '%s'", name, text);
}

static int parse_pids(struct options *options, char *text)
{
	char *word, *rest = NULL;

	for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint64_t pid;
		int err = parse_count("pid", word, 1, INT_MAX, &pid);

		if (err)
			return err;
		if (options->pid_count == OPTIONS_LIST_MAX)
			return usage_error("--pid takes at most %d processes", OPTIONS_LIST_MAX);
		options->pids[options->pid_count++] = (uint32_t)pid;
	}
	return options->pid_count ? 0 : usage_error("--pid takes a list of process ids");
}

static int user_id(const char *option, const char *name, uint32_t *uid)
{
	struct passwd *entry = getpwnam(name);
	char *end;
	unsigned long number;

	if (entry) {
		*uid = entry->pw_uid;
		return 0;
	}
	errno = 0;
	number = strtoul(name, &end, 10);
	if (errno || end == name || *end || number >= UINT32_MAX)
		return usage_error("--%s: there is no user '%s'", option, name);
	*uid = (uint32_t)number;
	return 0;
}

static void columns_help(void)
{
	size_t i;

	for (i = 0; i < column_count; i++)
		printf("%-14s %s\n", columns[i].name, columns[i].help);
}

#define GROUPS_ALL	((1u << GROUP_COUNT) - 1)
#define GROUPS_DEFAULT	(GROUPS_ALL & ~(1u << GROUP_QUERY))
/* Without these the books would be wrong or without names: they are always probed. */
#define GROUPS_NEEDED	(1u << GROUP_NAME | 1u << GROUP_DEVICE | 1u << GROUP_MEMORY)

#define LAYERS_ALL	((1u << LAYER_COUNT) - 1)

static void calls_help(void)
{
	unsigned int group, call, shown;

	printf("default      all but queries\nall          everything\n");
	for (group = 0; group < GROUP_COUNT; group++) {
		printf("%-12s", call_group_names[group]);
		for (call = 0, shown = 0; call < CALL_COUNT && shown < 3; call++)
			if (call_descs[call].group == group)
				printf("%s %s", shown++ ? "," : "", call_name(call));
		printf(" ...\n");
	}
}

static int parse_groups(struct options *options, char *text)
{
	char *word, *rest = NULL;
	unsigned int groups = 0, group;

	for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (!strcmp(word, "default")) {
			groups |= GROUPS_DEFAULT;
			continue;
		}
		if (!strcmp(word, "all")) {
			groups |= GROUPS_ALL;
			continue;
		}
		for (group = 0; group < GROUP_COUNT; group++)
			if (!strcmp(word, call_group_names[group]))
				break;
		if (group == GROUP_COUNT)
			return usage_error("there is no group of calls '%s'; --calls help lists them", word);
		groups |= 1u << group;
	}
	if (!groups)
		return usage_error("--calls takes a list of groups; --calls help lists them");
	options->groups = groups | GROUPS_NEEDED;
	return 0;
}

static int parse_layer(struct options *options, const char *text)
{
	if (!strcmp(text, "runtime"))
		options->layers = 1u << LAYER_RUNTIME;
	else if (!strcmp(text, "driver"))
		options->layers = 1u << LAYER_DRIVER;
	else if (!strcmp(text, "both"))
		options->layers = LAYERS_ALL;
	else
		return usage_error("--layer takes runtime, driver or both, not '%s'", text);
	return 0;
}

static int parse_ring(struct options *options, const char *text)
{
	int err = parse_bytes("ring-size", text, &options->ring_bytes);
	uint64_t bytes = options->ring_bytes;

	if (err)
		return err;
	if (bytes < 65536 || bytes > 1ull << 30 || bytes & (bytes - 1))
		return usage_error("--ring-size takes a power of two from 64K to 1G, not '%s'", text);
	return 0;
}

static int parse_map(struct options *options, const char *text)
{
	uint64_t value;
	int err;

	if (!strcmp(text, "all")) {
		options->map_max = UINT_MAX;
		return 0;
	}
	if (!strcmp(text, "none")) {
		options->map_max = 0;
		return 0;
	}
	err = parse_count("map", text, 0, UINT_MAX - 1, &value);
	options->map_max = (unsigned int)value;
	return err;
}

static int parse_choice(const char *name, const char *text, const char *const *choices, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(text, choices[i]))
			return (int)i;
	return usage_error("--%s does not know '%s'", name, text);
}

/* ---- the options ---- */

static int parse_one(struct options *options, int code, char *argument, bool *reverse, const char **sort)
{
	static const char *const formats[] = { "text", "json", "csv" };
	static const char *const colors[] = { "auto", "always", "never" };
	uint64_t value;
	int err = 0;

	switch (code) {
	case 'b':
		options->batch = true;
		return 0;
	case 'n':
		return parse_count("iterations", argument, 1, UINT64_MAX, &options->iterations);
	case 'd':
		options->delay_given = true;
		return parse_seconds("delay", argument, 0.01, &options->delay);
	case OPTION_DURATION:
		return parse_seconds("duration", argument, 0.01, &options->duration);
	case 'f':
		err = parse_choice("format", argument, formats, ARRAY_LEN(formats));
		if (err >= 0)
			options->format = (enum format)err;
		return err < 0 ? err : 0;
	case 'o':
		options->output = argument;
		return 0;
	case 'p':
		return parse_pids(options, argument);
	case 'u':
		options->user = argument;
		return user_id("user", argument, &options->uid);
	case 'c':
		options->command_glob = argument;
		return 0;
	case 's':
		options->sort_given = true;
		*sort = argument;
		return 0;
	case 'r':
		options->sort_given = true;
		*reverse = true;
		return 0;
	case 'l':
		return parse_layer(options, argument);
	case OPTION_CALLS:
		return parse_groups(options, argument);
	case OPTION_STACKS:
		options->stacks = true;
		return 0;
	case OPTION_EXACT:
		options->exact_launches = true;
		return 0;
	case OPTION_LEAK_AGE:
		return parse_seconds("leak-age", argument, 0.001, &options->leak_age);
	case OPTION_LEAK_IGNORE:
		if (options->leak_ignore_count == OPTIONS_LIST_MAX)
			return usage_error("--leak-ignore is given too often");
		options->leak_ignore[options->leak_ignore_count++] = argument;
		return 0;
	case OPTION_FAIL_ON_LEAK:
		options->fail_on_leak = true;
		return argument ? parse_bytes("fail-on-leak", argument, &options->leak_bytes) : 0;
	case OPTION_ALLOW_NO_CUDA:
		options->allow_no_cuda = true;
		return 0;
	case OPTION_MAP:
		return parse_map(options, argument);
	case OPTION_RUN_AS:
		options->run_as = argument;
		return user_id("run-as", argument, &(uint32_t){ 0 });
	case OPTION_LIBRARY:
		if (options->library_count == OPTIONS_LIST_MAX)
			return usage_error("--library is given too often");
		options->libraries[options->library_count++] = argument;
		return 0;
	case OPTION_RING_SIZE:
		return parse_ring(options, argument);
	case 'C':
		err = parse_choice("color", argument, colors, ARRAY_LEN(colors));
		if (err >= 0)
			options->color = (unsigned int)err;
		return err < 0 ? err : 0;
	case OPTION_THEME:
		if (!theme_find(argument))
			return usage_error("there is no theme '%s'; there are default, mono, colorblind and light", argument);
		options->theme = argument;
		return 0;
	case OPTION_NO_MOUSE:
		options->no_mouse = true;
		return 0;
	case OPTION_READONLY:
		options->readonly = true;
		return 0;
	case OPTION_NO_CONFIG:
		options->no_config = true;
		return 0;
	case OPTION_CONFIG:
		options->config = argument;
		return 0;
	case OPTION_ASCII:
		options->ascii = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	default:
		(void)value;
		return -EINVAL;
	}
}

static int sort_set(struct options *options, const char *text, bool reverse)
{
	const char *bad;
	size_t len;

	if (sort_order_parse(&options->sort, text, &bad, &len))
		return usage_error("there is no column '%.*s'; -s help lists them", (int)len, bad);
	options->sort.reverse = reverse;
	return 0;
}

static void tables_build(struct option *longs, char *shorts)
{
	size_t i;

	*shorts++ = '+';	/* the first word that is no option begins COMMAND */
	*shorts++ = ':';	/* we say ourselves what is wrong */
	for (i = 0; i < ARRAY_LEN(option_table); i++) {
		const struct option_help *o = &option_table[i];
		int has = !o->argument ? no_argument : o->argument[0] == '[' ? optional_argument : required_argument;

		longs[i] = (struct option){ o->name, has, NULL, o->code };
		if (o->code < 256) {
			*shorts++ = (char)o->code;
			if (has == required_argument)
				*shorts++ = ':';
		}
	}
	longs[i] = (struct option){ 0 };
	*shorts = 0;
}

/* Says what getopt_long() found wrong with the word before @word; it itself only names a letter. */
static void option_complain(int code, const char *word)
{
	size_t i, len = strcspn(word, "="), fitting = 0;

	for (i = 0; i < ARRAY_LEN(option_table); i++) {
		if (optopt == option_table[i].code) {
			if (code == ':')
				usage_error("--%s needs an argument: %s", option_table[i].name, option_table[i].argument);
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

static int command_check(struct options *options, int argc, char **argv)
{
	if (optind < argc) {
		if (strcmp(argv[optind - 1], "--"))
			return usage_error("'%s' is no option; write -- before a command", argv[optind]);
		options->command = argv + optind;
		if (options->pid_count)
			return usage_error("--pid and a command do not go together");
		return 0;
	}
	if (optind && !strcmp(argv[optind - 1], "--"))
		return usage_error("there is no command after --");
	if (options->fail_on_leak)
		return usage_error("--fail-on-leak needs a command to watch");
	if (options->run_as)
		return usage_error("--run-as needs a command to run");
	return 0;
}

/* A first word that names a mode stands where the name of the program does then. */
static void mode_parse(struct options *options, int *argc, char ***argv)
{
	const char *word = *argc > 1 ? (*argv)[1] : "";

	options->demo = !strcmp(word, "demo");
	options->doctor = !strcmp(word, "doctor");
	if (options->demo)
		options->leak_age = 2 * NSEC_PER_SEC;	/* nobody watches a demonstration for minutes */
	if (options->demo || options->doctor) {
		++*argv;
		--*argc;
	}
}

/* What cutop doctor has a use for. */
static int doctor_check(int code)
{
	static const int known[] = {
		'p', 'f', 'o', 'l', 'C', 'v', OPTION_CALLS, OPTION_LIBRARY, OPTION_RING_SIZE, OPTION_ASCII,
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++)
		if (code == known[i])
			return 0;
	for (i = 0; option_table[i].code != code; i++)
		;
	return usage_error("'cutop doctor' takes no --%s", option_table[i].name);
}

enum options_action options_parse(struct options *options, int argc, char **argv, int *status)
{
	struct option longs[ARRAY_LEN(option_table) + 1];
	char shorts[2 * ARRAY_LEN(option_table) + 3];
	const char *sort = "live";
	bool reverse = false;
	int code;

	memset(options, 0, sizeof(*options));
	options->delay = NSEC_PER_SEC;
	options->uid = (uint32_t)-1;
	options->leak_age = 10 * NSEC_PER_SEC;
	options->map_max = 1000;
	options->ring_bytes = 16 << 20;
	options->groups = GROUPS_DEFAULT;
	options->layers = LAYERS_ALL;
	tables_build(longs, shorts);
	*status = EXIT_USAGE;
	mode_parse(options, &argc, &argv);
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
		case '?':
			option_complain(code, argv[optind - 1]);
			return OPTIONS_EXIT;
		}
		if ((code == 's' || code == OPTION_CALLS) && !strcmp(optarg, "help")) {
			code == 's' ? columns_help() : calls_help();
			*status = EXIT_DONE;
			return OPTIONS_EXIT;
		}
		if ((options->doctor && doctor_check(code)) || parse_one(options, code, optarg, &reverse, &sort))
			return OPTIONS_EXIT;
	}
	if ((options->demo || options->doctor) && optind < argc) {
		usage_error("'cutop %s' takes no command", options->demo ? "demo" : "doctor");
		return OPTIONS_EXIT;
	}
	if (options->doctor && options->format == FORMAT_CSV) {
		usage_error("'cutop doctor' prints text or json");
		return OPTIONS_EXIT;
	}
	if (command_check(options, argc, argv) || sort_set(options, sort, reverse))
		return OPTIONS_EXIT;
	if (!options->batch && !options->doctor && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
		usage_error("the screen needs a terminal; use --batch (-b) to print");
		return OPTIONS_EXIT;
	}
	return OPTIONS_RUN;
}
