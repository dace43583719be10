/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file is mapped where in each program, and what its symbols call an address. Fed with
 * REC_MODULE records; files are opened when such a record comes, while their process most likely
 * still runs, or else where the kernel says that they are.
 */
#ifndef COLLECT_MODULES_H
#define COLLECT_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "names/resolver.h"
#include "probe/probe.h"

struct modules;

/*
 * @memory: bytes that their symbols may take, and each process that reads them. @notes has to outlive
 * them.
 */
struct modules *modules_new(struct probe *probe, uint64_t memory, const struct notes *notes);

/* True once some symbols had no room. */
bool modules_is_short(const struct modules *modules);
void modules_free(struct modules *modules);

/*
 * @path: where its file was a moment ago, as seen from the host's root, or NULL. It may lead to
 * another file.
 */
void modules_add(struct modules *modules, const struct rec_module *record, const char *path);
void modules_forget(struct modules *modules, uint32_t program);

/*
 * Closes files that no program has mapped for some seconds, since an open file keeps its file
 * system in use; and has those tried again that there was no time to read. To be called often, with
 * @now of CLOCK_MONOTONIC.
 */
void modules_tend(struct modules *modules, uint64_t now);

struct address_name {
	const char *file;   /* last path component; NULL: unknown */
	const char *symbol; /* mangled; NULL: unknown */
	/* From the start of the symbol, or, without a symbol, the offset in the file */
	uint64_t distance;
	uint64_t offset; /* in the file */
	bool later;      /* its file takes long, and is tried again */
	/* Number to ask modules_resolver() for its line by; 0: it has none */
	uint32_t lines;
	/*
	 * its lines cannot be asked for now: no time or descriptor was left to give it to the
	 * resolver
	 */
	bool is_unasked;
	/* the file's functions were dropped, or never read: there may be a symbol all the same */
	bool is_missed;
};

/* What is at @address of @program. Everything is borrowed until the next call of this module. */
struct address_name modules_name(struct modules *modules, uint32_t program, uint64_t address);

/*
 * The same for the process @pid, which is @program. If no record reported the mapping (the address
 * space was locked, as it is while probes are placed), /proc is asked.
 */
struct address_name modules_find(struct modules *modules, uint32_t program, pid_t pid,
				 uint64_t address);

/* Where the code at an address comes from. */
struct module_code {
	bool found;
	bool later; /* its file takes long */
	/* Number to ask modules_rules() for rules by; 0: they cannot be asked for */
	uint32_t rules;
	uint64_t offset; /* in the file */
};

struct module_code modules_code(struct modules *modules, uint32_t program, pid_t pid,
				uint64_t address);
/* The same, if that is known: nothing is looked for. */
struct module_code modules_seen_code(struct modules *modules, uint32_t program, uint64_t address);

/* Makes rules for unwinding available (cutop_unwind.h). Returns 0, or -ENOMEM. */
int modules_want_rules(struct modules *modules);

/* Knows the rules. Borrowed. */
struct resolver *modules_rules(struct modules *modules);

/* Knows the lines of the files. Borrowed. */
struct resolver *modules_resolver(struct modules *modules);

#endif
