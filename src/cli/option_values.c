/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the values of options (numbers, times, sizes, lists, choices), and says what is wrong with
 * invalid ones.
 */
#include "cli/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "probe/extra_functions.h"

#define NAMES_MIN (32ull << 20) /* half of it is needed while a file is read */
#define NAMES_MAX (1ull << 40)

int usage_error(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	warn_user(NULL, "%s; see cutop --help", text);
	return -EINVAL;
}

static bool is_count(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && end != text && !*end && isdigit((unsigned char)text[0]) && *value >= min &&
	       *value <= max;
}

int parse_count(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	if (is_count(text, min, max, value))
		return 0;
	if (max == UINT64_MAX)
		return usage_error("--%s takes a whole number, at least %llu, not '%s'", name,
				   (unsigned long long)min, text);
	return usage_error("--%s takes a whole number from %llu to %llu, not '%s'", name,
			   (unsigned long long)min, (unsigned long long)max, text);
}

int parse_seconds(const char *name, const char *text, double min, uint64_t *ns)
{
	char *end;
	double seconds;

	errno = 0;
	seconds = strtod(text, &end);
	if (end != text && !*end && seconds > SECONDS_MAX)
		return usage_error("--%s takes at most %.0f seconds, not '%s'", name, SECONDS_MAX,
				   text);
	if (errno || end == text || *end || !isfinite(seconds) || seconds < min)
		return usage_error("--%s takes a time in seconds, at least %g, not '%s'", name, min,
				   text);
	*ns = (uint64_t)(seconds * 1e9);
	return 0;
}

int parse_bytes(const char *name, const char *text, uint64_t *bytes)
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
		if (value > UINT64_MAX >> 10 * (suffix - suffixes + 1))
			goto bad;
		value <<= 10 * (suffix - suffixes + 1);
	}
	*bytes = value;
	return 0;
bad:
	return usage_error("--%s takes a size in bytes, with K, M or G if you like, not '%s'", name,
			   text);
}

/*
 * Calls @take with each of the words of @text, separated by commas, until that returns an error. It
 * works on a copy: the command line stays unchanged for ps(1) and recordings.
 */
static int words_take(struct options *options, const char *text,
		      int (*take)(struct options *options, const char *word))
{
	char *copy = strdup(text), *word, *rest = NULL;
	int err = copy ? 0 : usage_error("no memory");

	for (word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !err;
	     word = strtok_r(NULL, ",", &rest))
		err = take(options, word);
	free(copy);
	return err;
}

static int pid_take(struct options *options, const char *word)
{
	uint64_t pid;

	if (!is_count(word, 1, INT_MAX, &pid))
		return usage_error("--pid takes process ids, not '%s' (--command takes names)",
				   word);
	if (options->pid_count == OPTIONS_LIST_MAX)
		return usage_error("--pid takes at most %d processes", OPTIONS_LIST_MAX);
	options->pids[options->pid_count++] = (uint32_t)pid;
	return 0;
}

int parse_pids(struct options *options, const char *text)
{
	int err = words_take(options, text, pid_take);

	if (!err && !options->pid_count)
		err = usage_error("--pid takes a list of process ids");
	return err;
}

int parse_user(const char *name, const char *text, uint32_t *uid)
{
	struct passwd *entry = getpwnam(text);
	char *end;
	unsigned long number;

	if (entry) {
		*uid = entry->pw_uid;
		return 0;
	}
	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || end == text || *end || number >= UINT32_MAX)
		return usage_error("--%s: there is no user '%s'", name, text);
	*uid = (uint32_t)number;
	return 0;
}

void columns_help(void)
{
	size_t i;

	for (i = 0; i < column_count; i++)
		printf("%-14s %s\n", columns[i].name, columns[i].help);
}

void calls_help(void)
{
	unsigned int group, call, shown;

	printf("default      all but queries; of a trace all but names\nall          everything\n");
	for (group = 0; group < GROUP_COUNT; group++) {
		printf("%-12s", call_group_names[group]);
		for (call = 0, shown = 0; call < CALL_COUNT && shown < 3; call++)
			if (call_descs[call].group == group)
				printf("%s %s", shown++ ? "," : "", call_name(call));
		printf(" ...\n");
	}
}

static int group_take(struct options *options, const char *word)
{
	unsigned int group;

	if (!strcmp(word, "default")) {
		options->groups |= GROUPS_DEFAULT;
		options->traced_groups |= GROUPS_TRACED;
		return 0;
	}
	if (!strcmp(word, "all")) {
		options->groups |= GROUPS_ALL;
		options->traced_groups |= GROUPS_ALL;
		return 0;
	}
	for (group = 0; group < GROUP_COUNT; group++) {
		if (!strcmp(word, call_group_names[group])) {
			options->groups |= 1u << group;
			options->traced_groups |= 1u << group;
			return 0;
		}
	}
	return usage_error("there is no group of calls '%s'; --calls help lists them", word);
}

int parse_groups(struct options *options, const char *text)
{
	int err;

	options->groups = options->traced_groups = 0;
	err = words_take(options, text, group_take);
	if (!err && !options->groups)
		err = usage_error("--calls takes a list of groups; --calls help lists them");
	options->groups |= GROUPS_NEEDED;
	return err;
}

int parse_probe(struct options *options, const char *text)
{
	struct reason why = { "" };
	struct extra_functions *extras;

	if (options->probe_count == OPTIONS_LIST_MAX)
		return usage_error("--probe is given too often");
	if (extra_functions_new(&extras, &text, 1, NULL, &why))
		return usage_error("%s", why.text);
	extra_functions_free(extras);
	options->probes[options->probe_count++] = text;
	return 0;
}

int parse_layer(struct options *options, const char *text)
{
	options->layers_auto = false;
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

int parse_ring(struct options *options, const char *text)
{
	int err = parse_bytes("ring-size", text, &options->ring_bytes);
	uint64_t bytes = options->ring_bytes;

	if (err)
		return err;
	if (bytes < 65536 || bytes > 1ull << 30 || bytes & (bytes - 1))
		return usage_error("--ring-size takes a power of two from 64K to 1G, not '%s'",
				   text);
	return 0;
}

int parse_names_memory(struct options *options, const char *text)
{
	int err = parse_bytes("names-memory", text, &options->names_bytes);

	if (!err && (options->names_bytes < NAMES_MIN || options->names_bytes > NAMES_MAX))
		return usage_error("--names-memory takes a size from 32M to 1T, not '%s'", text);
	return err;
}

int parse_listen(struct options *options, const char *text)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text,
		   *host = "127.0.0.1";
	size_t len = strlen(host);
	uint64_t number;

	if (colon) {
		host = text;
		len = (size_t)(colon - text);
		if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
			host++;
			len -= 2;
		} else if (memchr(host, ':', len)) {
			return usage_error(
				"--listen takes an IPv6 address in brackets, [::1]:9400, not '%s'",
				text);
		}
	}
	if (!len || len >= sizeof(options->listen_host))
		return usage_error("--listen takes [ADDR:]PORT, not '%s'", text);
	if (!is_count(port, 0, UINT16_MAX, &number))
		return usage_error("--listen takes [ADDR:]PORT, with a port up to %d, not '%s'",
				   UINT16_MAX, text);
	memcpy(options->listen_host, host, len);
	options->listen_host[len] = 0;
	options->listen_port = (uint16_t)number;
	options->listen = true;
	return 0;
}

int parse_map(struct options *options, const char *text)
{
	uint64_t value;

	if (!strcmp(text, "all")) {
		options->map_max = UINT_MAX;
		return 0;
	}
	if (!strcmp(text, "none")) {
		options->map_max = 0;
		return 0;
	}
	if (!is_count(text, 0, UINT_MAX - 1, &value))
		return usage_error(
			"--map takes how many allocations to list, all or none, not '%s'", text);
	options->map_max = (unsigned int)value;
	return 0;
}

int parse_choice(const char *name, const char *text, const char *const *choices, size_t count)
{
	char list[256] = "";
	size_t i, at = 0;

	for (i = 0; i < count; i++)
		if (!strcmp(text, choices[i]))
			return (int)i;
	for (i = 0; i < count && at < sizeof(list); i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s",
				       !i            ? "" :
				       i + 1 < count ? ", " :
						       " or ",
				       choices[i]);
	return usage_error("--%s takes %s, not '%s'", name, list, text);
}
