/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each question is a message to another process and back, which takes microseconds on an idle
 * machine and milliseconds on a busy one. So what may be needed is asked for together, and
 * answers, which come in the order of the questions, are waited for once.
 */
#include "collect/unwind_rules.h"

#include <stdlib.h>
#include <uthash.h>

#include "names/resolver.h"
#include "util/util.h"

#define RULES_MAX  65536 /* kept; then all are dropped, and asked for again as needed */
#define OPEN_MAX   256   /* questions at a time */
#define ANSWER_MS  2000  /* to wait for a rule */
#define IDLE_MS    400   /* the same, if the process that is to answer does not work */
#define SLOW_FILES 16    /* files that gave no answer in time, remembered */
#define SLOW_NS    (10 * NSEC_PER_SEC)

struct known_rule {
	struct unwind_place place;
	struct unwind_rule rule;
	bool is_open; /* there is no answer yet */
	UT_hash_handle hh;
};

struct unwind_rules {
	struct resolver *resolver;
	struct known_rule *known;
	/* Open questions, the oldest first: the cookie of open[i] is @first + i. */
	struct known_rule *open[OPEN_MAX];
	size_t open_count;
	uint64_t first;
	/* Files that do not answer are left alone for a while. */
	struct {
		uint32_t file;
		uint64_t since;
	} slow[SLOW_FILES];
	unsigned int next_slow;
};

struct unwind_rules *unwind_rules_new(struct resolver *resolver)
{
	struct unwind_rules *rules = calloc(1, sizeof(*rules));

	if (rules)
		rules->resolver = resolver;
	return rules;
}

static void known_drop(struct unwind_rules *rules, struct known_rule *known)
{
	HASH_DEL(rules->known, known);
	free(known);
}

static void all_drop(struct unwind_rules *rules)
{
	struct known_rule *known, *next;

	HASH_ITER(hh, rules->known, known, next)
		known_drop(rules, known);
}

void unwind_rules_free(struct unwind_rules *rules)
{
	if (!rules)
		return;
	all_drop(rules);
	free(rules);
}

static struct known_rule *known_find(const struct unwind_rules *rules,
				     const struct unwind_place *place)
{
	struct known_rule *known;

	HASH_FIND(hh, rules->known, place, sizeof(*place), known);
	return known;
}

bool unwind_rules_known(const struct unwind_rules *rules, const struct unwind_place *place)
{
	const struct known_rule *known = known_find(rules, place);

	return known && !known->is_open;
}

/* ---- asking ---- */

static bool is_slow(const struct unwind_rules *rules, uint32_t file)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	unsigned int i;

	for (i = 0; i < SLOW_FILES; i++)
		if (rules->slow[i].file == file && now - rules->slow[i].since < SLOW_NS)
			return true;
	return false;
}

/* Removes the first @count open questions, which the caller has done with. */
static void open_remove(struct unwind_rules *rules, size_t count)
{
	rules->open_count -= count;
	rules->first += count;
	memmove(rules->open, rules->open + count, rules->open_count * sizeof(rules->open[0]));
}

static void answered(void *context, const struct resolver_reply *reply)
{
	struct unwind_rules *rules = context;
	size_t n = reply->cookie - rules->first, i;

	if (n >= rules->open_count)
		return; /* It was given up. */
	for (i = 0; i < n; i++)
		known_drop(rules, rules->open[i]);
	rules->open[n]->is_open = false;
	rules->open[n]->rule = reply->rule ? *reply->rule :
					     (struct unwind_rule){ .cfa = UNWIND_NONE };
	open_remove(rules, n + 1);
}

/* Waits for the answers to all open questions. Those that do not come are given up. */
static void open_wait(struct unwind_rules *rules)
{
	size_t i;

	resolver_answers(rules->resolver, ANSWER_MS, IDLE_MS, answered, rules);
	if (!rules->open_count)
		return;
	/* The first is the one that it is at. */
	rules->slow[rules->next_slow % SLOW_FILES].file = rules->open[0]->place.file;
	rules->slow[rules->next_slow++ % SLOW_FILES].since = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < rules->open_count; i++)
		known_drop(rules, rules->open[i]);
	open_remove(rules, rules->open_count);
}

/* Asks for the rule at @place. Returns NULL if that cannot be. */
static struct known_rule *rule_ask(struct unwind_rules *rules, const struct unwind_place *place)
{
	struct known_rule *known;

	if (!place->file || is_slow(rules, place->file) || rules->open_count == OPEN_MAX)
		return NULL;
	if (!rules->open_count && HASH_COUNT(rules->known) >= RULES_MAX)
		all_drop(rules);
	known = calloc(1, sizeof(*known));
	if (!known)
		return NULL;
	if (!resolver_ask_rule(rules->resolver, place->file, place->offset, !place->interrupted,
			       rules->first + rules->open_count)) {
		free(known);
		return NULL;
	}
	known->place = *place;
	known->is_open = true;
	HASH_ADD(hh, rules->known, place, sizeof(known->place), known);
	rules->open[rules->open_count++] = known;
	return known;
}

void unwind_rules_want(struct unwind_rules *rules, const struct unwind_place *place)
{
	if (!known_find(rules, place))
		rule_ask(rules, place);
}

bool unwind_rules_find(struct unwind_rules *rules, const struct unwind_place *place,
		       struct unwind_rule *rule)
{
	struct known_rule *known = known_find(rules, place);

	if (!known && rules->open_count == OPEN_MAX)
		open_wait(rules);
	if (!known)
		known = rule_ask(rules, place);
	if (known && known->is_open) {
		open_wait(rules);
		known = known_find(rules, place);
	}
	if (!known)
		return false;
	*rule = known->rule;
	return true;
}
