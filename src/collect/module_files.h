/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that programs map: for each file, whichever programs map it, one table of symbols, and
 * a number to ask for its lines.
 */
#ifndef COLLECT_MODULE_FILES_H
#define COLLECT_MODULE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "names/budget.h"
#include "names/resolver.h"
#include "names/runtime_range.h"
#include "probe/probe.h"

struct module_file {
	struct file_id id;
	struct symbols *symbols; /* NULL: it has none, or they are missing because: */
	/* dropped, and to be read again; or no room or time */
	enum missing { MISSING_NONE, MISSING_DROPPED, MISSING_REFUSED } missing;
	struct budget_item item; /* symbols */
	uint32_t lines;          /* the resolver's number for it, or 0 */
	uint32_t rules;          /* the same of the one that knows rules */
	/*
	 * The file, for module_files_look_for_runtime(); -1: it is not needed, or was closed. Lies on a
	 * local file system.
	 */
	int code;
	uint32_t owner;
	struct runtime_range runtime;
	/*
	 * by module_files_release(): the next program that maps it gives it to the resolver again
	 */
	bool closed;
	bool mapped;          /* for module_files_mark() */
	uint64_t last_mapped; /* CLOCK_MONOTONIC */
	uint64_t used;
	UT_hash_handle hh;
};

struct module_files;

/* All arguments are borrowed. NULL without memory. */
struct module_files *module_files_new(struct probe *probe, struct budget *budget,
				      const struct notes *notes);
void module_files_free(struct module_files *files);

/* Knows the lines of the files. Borrowed. */
struct resolver *module_files_resolver(struct module_files *files);

/* The same for rules, once they were asked for, which returns 0 or -ENOMEM. */
int module_files_want_rules(struct module_files *files);
struct resolver *module_files_rules(struct module_files *files);

/* The file @id, marked as used now, or NULL. Borrowed until the next call. */
struct module_file *module_files_get(struct module_files *files, const struct file_id *id);

/*
 * Looks for a runtime without symbols around file offset @offset of @file, unless that is known.
 * To be asked only of call sites without symbols: it may take some milliseconds.
 */
void module_files_look_for_runtime(struct module_files *files, struct module_file *file,
				   uint64_t offset);

/* True if the file @id should be read, or read again. */
bool module_files_want(struct module_files *files, const struct file_id *id);

/* True if the file @id takes long, and is being tried again. */
bool module_files_wait(const struct module_files *files, const struct file_id *id);

/*
 * Reads the file of @record, which was at @path when it was mapped (NULL: unknown). Returns 0 if it
 * is read, or known; otherwise a later process may make it readable.
 */
int module_files_load(struct module_files *files, const struct rec_module *record,
		      const char *path);

/* modules_preload() and modules_try_again(). */
void module_files_preload(struct module_files *files, const struct seen_file *seen, uint32_t tgid);
bool module_files_try_again(struct module_files *files);

/*
 * To close files that no program maps: unmark all, mark those that are mapped, release the others.
 * The first returns false if it is not time for that. @now: CLOCK_MONOTONIC, ns.
 */
bool module_files_unmark(struct module_files *files, uint64_t now);
void module_files_mark(struct module_files *files, const struct file_id *id);
void module_files_release(struct module_files *files, uint64_t now);

#endif
