// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the environment scripts: failures by call number, delays by function,
 * and the time helpers both use.  Compiled into both libraries; each counts
 * the calls of its own functions.
 *
 *   CUDA_DOUBLE_FAIL="cudaMalloc:3:2,cuLaunchKernel:10+:700"
 *   CUDA_DOUBLE_DELAY="cudaMalloc=250us,cudaMemcpy=1ms"
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "double.h"

#define NAME_MAX_LEN 80
#define RULES        64

struct rule {
	char name[NAME_MAX_LEN];
	unsigned long from;
	bool onward;
	int code;
	atomic_ulong calls;
};

struct delay {
	char name[NAME_MAX_LEN];
	uint64_t ns;
};

atomic_int dbl_attention;
static struct rule rules[RULES];
static int num_rules;
static struct delay delays[RULES];
static int num_delays;

int64_t dbl_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void dbl_sleep_until(int64_t deadline)
{
	struct timespec ts = {
		.tv_sec = deadline / 1000000000,
		.tv_nsec = deadline % 1000000000,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* A sleep overshoots by tens of microseconds, so short times are spun away. */
void dbl_spend(uint64_t ns)
{
	int64_t deadline = dbl_now() + (int64_t)ns;

	if (ns >= 50000)
		dbl_sleep_until(deadline);
	else
		while (dbl_now() < deadline)
			;
}

uint64_t dbl_parse_time(const char *text, const char **end)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1e3 },
		{ "ms", 1e6 },
		{ "s", 1e9 },
	};
	char *rest;
	double value = strtod(text, &rest);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t len = strlen(units[i].unit);

		if (!strncmp(rest, units[i].unit, len)) {
			value *= units[i].ns;
			rest += len;
			break;
		}
	}
	if (end)
		*end = rest;
	return value > 0 ? (uint64_t)value : 0;
}

uint64_t dbl_parse_size(const char *text)
{
	char *rest;
	double value = strtod(text, &rest);

	switch (*rest) {
	case 'T':
	case 't': value *= 1024; /* fall through */
	case 'G':
	case 'g': value *= 1024; /* fall through */
	case 'M':
	case 'm': value *= 1024; /* fall through */
	case 'K':
	case 'k': value *= 1024;
	}
	return value > 0 ? (uint64_t)value : 0;
}

/* Errors after which a context is lost until the device is reset. */
bool dbl_is_sticky(int code)
{
	switch (code) {
	case 214:
	case 220:
	case 226:
	case 700:
	case 702:
	case 710:
	case 714:
	case 715:
	case 716:
	case 717:
	case 718:
	case 719: return true;
	}
	return false;
}

int dbl_scripted(const char *function)
{
	int i, code = 0;

	for (i = 0; i < num_delays; i++)
		if (!strcmp(delays[i].name, function))
			dbl_spend(delays[i].ns);

	for (i = 0; i < num_rules; i++) {
		struct rule *rule = &rules[i];
		unsigned long call;

		if (strcmp(rule->name, function))
			continue;
		call = atomic_fetch_add(&rule->calls, 1) + 1;
		if (call == rule->from || (rule->onward && call > rule->from))
			code = rule->code;
	}
	return code;
}

static const char *take_name(char *name, const char *text, char stop)
{
	const char *end = strchr(text, stop);
	size_t len = end ? (size_t)(end - text) : 0;

	if (!end || len >= NAME_MAX_LEN)
		return NULL;
	memcpy(name, text, len);
	name[len] = '\0';
	return end + 1;
}

static void parse_failures(const char *text)
{
	while (text && *text && num_rules < RULES) {
		struct rule *rule = &rules[num_rules];
		char *rest;

		text = take_name(rule->name, text, ':');
		if (!text)
			return;
		rule->from = strtoul(text, &rest, 10);
		if (*rest == '+') {
			rule->onward = true;
			rest++;
		}
		if (*rest != ':')
			return;
		rule->code = (int)strtol(rest + 1, &rest, 10);
		num_rules++;
		text = *rest == ',' ? rest + 1 : NULL;
	}
}

static void parse_delays(const char *text)
{
	while (text && *text && num_delays < RULES) {
		struct delay *delay = &delays[num_delays];

		text = take_name(delay->name, text, '=');
		if (!text)
			return;
		delay->ns = dbl_parse_time(text, &text);
		num_delays++;
		text = *text == ',' ? text + 1 : NULL;
	}
}

/* Early, since programs register their kernels in constructors of their own. */
__attribute__((constructor(101))) static void read_script(void)
{
	parse_failures(getenv("CUDA_DOUBLE_FAIL"));
	parse_delays(getenv("CUDA_DOUBLE_DELAY"));
	if (num_rules || num_delays)
		atomic_store(&dbl_attention, DBL_SCRIPTED);
}
