/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program's variables are searched for when its first handle is unknown, and their values are
 * read again for each further unknown handle: a program fills the variables one by one. Both are
 * limited, since a program may launch anything.
 */
#include "collect/late_kernels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <uthash.h>

#include "names/handles.h"
#include "util/util.h"

#define LOOKS_MAX   256          /* how often a program's variables are read */
#define FILES_MAX   1024         /* files of a program that are searched */
#define SEARCH_TIME NSEC_PER_SEC /* after that no further file is searched */
/* For a program's variables, which may be dropped when memory is short */
#define SEARCHES_MAX 8

struct late_program {
	uint32_t program;
	unsigned int looks;
	unsigned int searches;
	/* Some of its files take long: they are tried again when there is news */
	bool later;
	unsigned int news; /* errands_news() then */
	struct handle_variables variables;
	uint64_t *values; /* NULL: the variables were dropped */
	struct budget_item item;
	UT_hash_handle hh;
};

struct late_kernels {
	const struct outside *outside;
	struct late_program *programs;
	struct budget *budget;
};

struct late_kernels *late_kernels_new(const struct outside *outside, struct budget *budget)
{
	struct late_kernels *late = calloc(1, sizeof(*late));

	if (!late)
		return NULL;
	late->outside = outside;
	late->budget = budget;
	return late;
}

static void variables_free(struct late_program *program)
{
	handles_free(&program->variables);
	free(program->values);
	program->values = NULL;
}

static void variables_drop(void *context, struct budget_item *item)
{
	(void)item;
	variables_free(context);
}

static void program_free(struct late_kernels *late, struct late_program *program)
{
	HASH_DEL(late->programs, program);
	budget_hold(late->budget, &program->item);
	variables_free(program);
	free(program);
}

void late_kernels_forget(struct late_kernels *late, uint32_t id)
{
	struct late_program *program;

	HASH_FIND(hh, late->programs, &id, sizeof(id), program);
	if (program)
		program_free(late, program);
}

void late_kernels_free(struct late_kernels *late)
{
	struct late_program *program, *next;

	if (!late)
		return;
	HASH_ITER(hh, late->programs, program, next)
		program_free(late, program);
	free(late);
}

/* ---- finding the variables ---- */

struct file_search {
	const struct outside *outside;
	struct late_program *program;
	pid_t pid;
	unsigned int files;
	bool later;     /* some take long */
	uint64_t inode; /* of the previous mapping: a file's mappings are adjacent */
	uint64_t end;   /* CLOCK_MONOTONIC */
};

static int file_visit(void *context, const struct maps_entry *entry)
{
	struct file_search *search = context;
	struct seen_file seen, debug;
	int err;

	if (entry->inode == search->inode)
		return 0;
	search->inode = entry->inode;
	if (++search->files > FILES_MAX || clock_ns(CLOCK_MONOTONIC) > search->end)
		return 1;
	err = outside_open_mapped(search->outside, search->pid, entry, COPY_TABLES, &seen);
	search->later |= outside_is_later(err);
	if (err)
		return 0;
	search->later |= outside_is_later(
		outside_open_debug(search->outside, &seen, search->pid, entry->path, &debug));
	handles_read(seen.fd, debug.fd, entry->start, entry->offset, &search->program->variables);
	seen_close(&debug);
	seen_close(&seen);
	return 0;
}

static struct late_program *program_new(struct late_kernels *late, uint32_t id)
{
	struct late_program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	program->program = id;
	program->variables.budget = late->budget;
	program->item.drop = variables_drop;
	program->item.context = program;
	HASH_ADD(hh, late->programs, program, sizeof(program->program), program);
	return program;
}

static void variables_find(struct late_kernels *late, struct late_program *program, pid_t pid)
{
	struct file_search search = {
		.outside = late->outside,
		.program = program,
		.pid = pid,
		.end = clock_ns(CLOCK_MONOTONIC) + SEARCH_TIME,
	};
	unsigned int news = errands_news(late->outside->errands);
	int err;

	if (program->values ?
		    program->later && program->news != news && program->looks++ < LOOKS_MAX :
		    program->searches++ < SEARCHES_MAX) {
		budget_hold(late->budget, &program->item);
		variables_free(program);
		err = outside_maps(late->outside, pid, 0, file_visit, &search);
		program->later = search.later || outside_is_later(err);
		program->news = news;
		program->values = calloc(program->variables.count + 1, sizeof(*program->values));
	}
	if (program->values)
		budget_use(late->budget, &program->item);
}

/* ---- reading them ---- */

static void values_read(const struct late_kernels *late, struct late_program *program, pid_t pid)
{
	uint64_t *addresses = calloc(program->variables.count + 1, sizeof(*addresses));
	size_t i;

	for (i = 0; addresses && i < program->variables.count; i++)
		addresses[i] = program->variables.list[i].address;
	if (addresses)
		outside_words(late->outside, pid, addresses, program->variables.count,
			      program->values);
	free(addresses);
}

static const char *name_find(const struct late_program *program, uint64_t handle)
{
	size_t i;

	for (i = 0; i < program->variables.count; i++)
		if (program->values[i] == handle)
			return program->variables.list[i].kernel;
	return NULL;
}

const char *late_kernels_name(struct late_kernels *late, uint32_t id, pid_t pid, uint64_t handle)
{
	struct late_program *program;
	const char *name;

	if (!handle)
		return NULL;
	HASH_FIND(hh, late->programs, &id, sizeof(id), program);
	if (!program)
		program = program_new(late, id);
	if (program)
		variables_find(late, program, pid);
	if (!program || !program->values || !program->variables.count)
		return NULL;
	name = name_find(program, handle);
	if (name || program->looks >= LOOKS_MAX)
		return name;
	program->looks++;
	values_read(late, program, pid);
	return name_find(program, handle);
}
