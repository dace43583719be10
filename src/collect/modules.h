/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file lies where in each program, and what its symbols call an address.
 * Fed with REC_MODULE records; files are opened when such a record comes, while
 * their process most likely still runs, or where the kernel says that they lie.
 */
#ifndef COLLECT_MODULES_H
#define COLLECT_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "names/budget.h"
#include "names/resolver.h"
#include "probe/probe.h"

struct modules;

/* @budget, for their symbols, and @notes have to outlive them. */
struct modules *modules_new(struct probe *probe, struct budget *budget, const struct notes *notes);
void modules_free(struct modules *modules);

/* @path: where its file lay just now, as the root of the host's mounts shows it, or NULL. It may lead to another one. */
void modules_add(struct modules *modules, const struct rec_module *record, const char *path);
/* Reads the file @seen before anybody is known to map it: that of a program that @tgid begins to run. */
void modules_preload(struct modules *modules, const struct seen_file *seen, uint32_t tgid);

/* Tries again to read files that took too long. True if any was: addresses in it may have names now. */
bool modules_try_again(struct modules *modules);
void modules_forget(struct modules *modules, uint32_t program);

/*
 * Closes files that for some seconds no program maps: as long as one is open, its file system is in use. Their symbols stay.
 * To be called often, with @now of CLOCK_MONOTONIC.
 */
void modules_release(struct modules *modules, uint64_t now);

struct address_name {
	const char *file;	/* last path component; NULL if nothing is known */
	const char *symbol;	/* mangled; NULL if not known */
	uint64_t distance;	/* from the symbol's start, or, without symbol, the offset in the file */
	uint64_t offset;	/* in the file */
	bool later;		/* its file takes long: modules_try_again() */
	uint32_t lines;		/* to ask modules_resolver() for its line by; 0: it has none */
	bool is_unasked;	/* its lines cannot be asked for now: no time, or no descriptor, was left to hand it over */
	bool is_missed;		/* the file's functions had to go, or never had room: what has no symbol may have one */
};

/* What lies at @address of @program. Everything is borrowed until the next call of this module. */
struct address_name modules_name(struct modules *modules, uint32_t program, uint64_t address);

/*
 * The same, of the process @pid, which is @program. Where no record told what lies there - the address space was locked
 * just then, as it is while probes are placed - /proc is asked.
 */
struct address_name modules_find(struct modules *modules, uint32_t program, pid_t pid, uint64_t address);

/* Borrowed. */
const struct outside *modules_outside(const struct modules *modules);

/* Who knows the lines of the files. Borrowed. */
struct resolver *modules_resolver(struct modules *modules);

#endif
