/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For each program, a short list of its mappings, the newest first. */
#include "collect/modules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uthash.h>

#include "names/resolver.h"
#include "names/resolver_process.h"
#include "names/symbols.h"
#include "probe/outside.h"
#include "probe/probe.h"
#include "util/allowance.h"
#include "util/util.h"

struct module_file {
	struct file_id id;
	struct symbols *symbols; /* NULL: it has none, or they are missing because: */
	/* dropped, and to be read again; or no room or time */
	enum missing { MISSING_NONE, MISSING_DROPPED, MISSING_REFUSED } missing;
	uint32_t lines; /* the resolver's number for it, or 0 */
	uint32_t rules; /* the same of the one that knows rules */
	/*
	 * by modules_tend(): the next program that maps it gives it to the resolver again
	 */
	bool closed;
	bool mapped;          /* for modules_tend() */
	uint64_t last_mapped; /* CLOCK_MONOTONIC */
	uint64_t used;
	UT_hash_handle hh;
};

struct module {
	uint64_t start, end, offset;
	struct file_id id;
	char file[CUTOP_FILE_LEN];
	bool waits; /* the file takes long, or there was no time for it: it is tried again */
	struct module *next;
};

struct program_modules {
	uint32_t program;
	unsigned int in_vain; /* searches of its mappings that found no file */
	struct module *list;
	UT_hash_handle hh;
};

struct modules {
	struct probe *probe;
	struct program_modules *programs;
	uint64_t most, taken; /* bytes of symbols */
	bool is_short;        /* some had no room */
	const struct notes *notes;
	struct allowance reading;
	uint64_t retry; /* when to try those that there was no time for; 0: none */
	struct resolver *resolver;
	struct resolver *rules; /* NULL: they are not needed */
	struct module_file *files;
	uint64_t clock;
	uint64_t released; /* CLOCK_MONOTONIC */
};

/* ---- files ---- */

/*
 * Tables are kept up to a limit, as long as a process maps their file. The least recently used one
 * is dropped first, and read again when it is needed. While tables are read, no snapshot is made: so
 * reading has an allowance of time. Files that take long to open, or come when that is used up, wait.
 */

#define FILES_MAX        RESOLVER_FILES_MAX /* a framework for Python has some 25 with call sites */
#define RELEASE_INTERVAL NSEC_PER_SEC
#define RELEASE_AFTER    (5 * NSEC_PER_SEC) /* a series of short programs finds the file open */
/* Processor time that reading may take at a stretch; */
#define READING_MOST  (3 * NSEC_PER_SEC)
#define READING_SHARE 5 /* this part of the time comes back */
#define RETRY_AFTER   (NSEC_PER_SEC / 2)

struct modules *modules_new(struct probe *probe, uint64_t memory, const struct notes *notes)
{
	struct modules *modules = calloc(1, sizeof(*modules));

	if (!modules)
		return NULL;
	modules->probe = probe;
	/* A part is needed while they are read. */
	modules->most = memory - SYMTAB_MEMORY;
	modules->notes = notes;
	modules->reading = (struct allowance){ .most = READING_MOST, .share = READING_SHARE };
	modules->resolver = resolver_new(RESOLVER_LINES, memory, notes);
	if (modules->resolver)
		return modules;
	free(modules);
	return NULL;
}

int modules_want_rules(struct modules *modules)
{
	/* A process of its own: no stack waits until the lines before it were found. */
	modules->rules =
		resolver_new(RESOLVER_RULES, modules->most + SYMTAB_MEMORY, modules->notes);
	return modules->rules ? 0 : -ENOMEM;
}

bool modules_is_short(const struct modules *modules)
{
	return modules->is_short;
}

struct resolver *modules_rules(struct modules *modules)
{
	return modules->rules;
}

struct resolver *modules_resolver(struct modules *modules)
{
	return modules->resolver;
}

static void symbols_drop(struct modules *modules, struct module_file *file)
{
	if (!file->symbols)
		return;
	modules->taken -= symbols_bytes(file->symbols);
	symbols_free(file->symbols);
	file->symbols = NULL;
	file->missing = MISSING_DROPPED;
}

static void file_free(struct modules *modules, struct module_file *file)
{
	HASH_DEL(modules->files, file);
	symbols_drop(modules, file);
	free(file);
}

struct mapping_search {
	const struct outside *outside;
	const struct rec_module *record;
	struct seen_file *seen;
	int error;
};

static int mapping_open(void *context, const struct maps_entry *entry)
{
	struct mapping_search *search = context;

	if (entry->start != search->record->start)
		return 0;
	search->error = outside_open_mapped(search->outside, (pid_t)search->record->hdr.tgid, entry,
					    COPY_TABLES, search->seen);
	return 1;
}

/* Files below other roots are remembered as /proc/PID/root/path. */
static const char *path_below_root(const char *path)
{
	int at = 0;

	return sscanf(path, "/proc/%*d/root%n", &at) == 0 && at && path[at] == '/' ? path + at :
										     path;
}

/*
 * Closes @seen if it is another file: something else may be at that path by now. Returns 0 or a
 * negative errno.
 */
static int file_check(const struct rec_module *record, struct seen_file *seen, int err)
{
	if (!err && (!seen->identified || memcmp(&seen->id, &record->id, sizeof(record->id)))) {
		seen_close(seen);
		err = -ESTALE;
	}
	return err;
}

/*
 * Opens the file of @record: by the path at which it was examined, else by the recorded path, else
 * through its process, if that still runs.
 */
static int module_open(struct modules *modules, const struct rec_module *record, const char *told,
		       struct seen_file *seen)
{
	const struct outside *outside = probe_outside(modules->probe);
	const char *known = probe_file_path(modules->probe, &record->id);
	struct mapping_search search = {
		.outside = outside, .record = record, .seen = seen, .error = -ENOENT
	};
	int err = -ENOENT, later = 0;

	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	if (known)
		err = file_check(record, seen,
				 outside_open(outside, known, false, COPY_TABLES, ERRAND_SHORT,
					      seen));
	later = outside_is_later(err) ? err : 0;
	if (err && told) {
		/* Through other mounts than ours, the path may lead anywhere. */
		err = file_check(record, seen,
				 outside_open_cached(outside, told, COPY_TABLES, seen));
		later = outside_is_later(err) ? err : later;
	}
	if (err) {
		err = outside_maps(outside, (pid_t)record->hdr.tgid, record->hdr.time, mapping_open,
				   &search);
		if (err >= 0)
			err = file_check(record, seen, search.error);
	}
	return err && later ? later : err;
}

static void resolvers_drop(struct modules *modules, struct module_file *file)
{
	resolver_drop(modules->resolver, file->lines);
	if (modules->rules)
		resolver_drop(modules->rules, file->rules);
	file->lines = file->rules = 0;
}

static void files_bound(struct modules *modules)
{
	struct module_file *file, *next, *oldest = NULL;

	if (HASH_COUNT(modules->files) < FILES_MAX)
		return;
	HASH_ITER(hh, modules->files, file, next)
		if (!oldest || file->used < oldest->used)
			oldest = file;
	resolvers_drop(modules, oldest);
	file_free(modules, oldest);
}

/* The file @id, marked as used now, or NULL. Borrowed until the next call. */
static struct module_file *file_get(struct modules *modules, const struct file_id *id)
{
	struct module_file *file;

	HASH_FIND(hh, modules->files, id, sizeof(*id), file);
	if (file)
		file->used = ++modules->clock;
	return file;
}

/* Makes room for the table of @last, by those that were used before. */
static void symbols_bound(struct modules *modules, const struct module_file *last)
{
	struct module_file *file, *next, *oldest;

	while (modules->taken > modules->most) {
		oldest = NULL;
		HASH_ITER(hh, modules->files, file, next)
			if (file->symbols && file != last && (!oldest || file->used < oldest->used))
				oldest = file;
		if (!oldest)
			return;
		symbols_drop(modules, oldest);
		modules->is_short = true;
	}
}

static void symbols_load(struct modules *modules, const struct seen_file *seen,
			 const struct seen_file *debug, struct module_file *file)
{
	int err = symbols_read(seen->fd, debug->fd, modules->most, &file->symbols);

	file->missing = err && err != -ENOENT ? MISSING_REFUSED : MISSING_NONE;
	if (!err) {
		modules->taken += symbols_bytes(file->symbols);
		symbols_bound(modules, file);
	} else if (err != -ENOENT) {
		modules->is_short = true;
		note(modules->notes,
		     "%s: the names of its functions are left out: they take more memory than --names-memory leaves",
		     path_base(seen->path));
	}
}

static struct module_file *file_new(struct modules *modules, const struct file_id *id)
{
	struct module_file *file;

	files_bound(modules);
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->id = *id;
	file->missing = MISSING_DROPPED;
	file->closed = true;
	file->used = ++modules->clock;
	HASH_ADD(hh, modules->files, id, sizeof(file->id), file);
	return file;
}

/* Has @resolver read the file @seen itself. Returns the number to ask by, or 0. */
static uint32_t resolver_give(struct modules *modules, struct resolver *resolver,
			      const struct seen_file *seen, const struct seen_file *debug)
{
	uint32_t number;
	int ends[2];

	if (seen->place < 0 && debug->place < 0)
		return resolver_add(resolver, seen->fd, debug->fd, path_base(seen->path));
	/* Copies contain no lines. The files themselves are sent to the resolver's process only. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return 0;
	number = resolver_add_lent(resolver, ends[1], path_base(seen->path));
	if (number && outside_lend(probe_outside(modules->probe), seen,
				   debug->fd >= 0 ? debug : NULL, ends[0])) {
		resolver_drop(resolver, number);
		number = 0;
	}
	close(ends[0]);
	close(ends[1]);
	return number;
}

/*
 * Reads the symbols of the file @seen of @record, unless they are here, and gives the file to the
 * resolver for its lines. Returns 0, or a negative errno if its debug file is still being searched
 * for.
 */
static int file_read_symbols(struct modules *modules, const struct rec_module *record,
			     const struct seen_file *seen)
{
	/* Waiting for a processor is not the file's fault. */
	uint64_t began = clock_own_ns(CLOCK_THREAD_CPUTIME_ID);
	struct module_file *file = file_get(modules, &record->id);
	const struct seen_file none = { .fd = -1, .place = -1 };
	struct seen_file debug = none;
	int err;

	if (!file)
		file = file_new(modules, &record->id);
	if (!file)
		return 0;
	err = outside_open_debug(probe_outside(modules->probe), seen, (pid_t)record->hdr.tgid,
				 path_below_root(seen->path), &debug);
	if (outside_is_later(err))
		return err;
	if (file->missing == MISSING_DROPPED)
		symbols_load(modules, seen, &debug, file);
	if (file->closed || resolver_forgot(modules->resolver, file->lines)) {
		file->lines = resolver_give(modules, modules->resolver, seen, &debug);
		file->closed = !file->lines;
	}
	if (modules->rules && (!file->rules || resolver_forgot(modules->rules, file->rules)))
		file->rules = resolver_give(modules, modules->rules, seen, &none);
	allowance_spend(&modules->reading, clock_own_ns(CLOCK_THREAD_CPUTIME_ID) - began);
	file->last_mapped = clock_ns(CLOCK_MONOTONIC);
	seen_close(&debug);
	return 0;
}

/* True if the file @id should be read, or read again. */
static bool file_is_wanted(struct modules *modules, const struct file_id *id)
{
	const struct module_file *file = file_get(modules, id);

	return !file || file->closed || file->missing == MISSING_DROPPED ||
	       resolver_forgot(modules->resolver, file->lines) ||
	       (modules->rules && resolver_forgot(modules->rules, file->rules));
}

static struct module *module_at(const struct modules *modules, uint32_t id, uint64_t address);
static void file_load(struct modules *modules, struct module *module,
		      const struct rec_module *record, const char *path);

static void load_again(void *context, const void *what)
{
	const char *path = (const char *)what + sizeof(struct rec_module);
	const struct rec_module *record = what;
	struct module *module = module_at(context, record->hdr.program, record->start);

	/* Else its program was forgotten, or something else is mapped there. */
	if (module && !memcmp(&module->id, &record->id, sizeof(record->id)))
		file_load(context, module, record, *path ? path : NULL);
}

/* Has file_load() tried again. */
static void file_keep(struct modules *modules, struct module *module,
		      const struct rec_module *record, const char *path)
{
	size_t len = path ? strlen(path) + 1 : 1;
	char *kept = malloc(sizeof(*record) + len);

	if (!kept)
		return;
	memcpy(kept, record, sizeof(*record));
	memcpy(kept + sizeof(*record), path ? path : "", len);
	module->waits = again_keep(probe_outside(modules->probe)->again, load_again, modules, kept,
				   sizeof(*record) + len);
	free(kept);
}

/*
 * Reads the file of @module, unless it is known: of @record, which was at @path when it was mapped
 * (NULL: unknown). If it cannot be read, a later process may make it readable.
 */
static void file_load(struct modules *modules, struct module *module,
		      const struct rec_module *record, const char *path)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct seen_file seen;
	int err;

	module->waits = false;
	if (!file_is_wanted(modules, &record->id))
		return;
	/* None is opened for nothing. */
	if (!allowance_left(&modules->reading, now)) {
		if (!modules->retry)
			modules->retry = now + RETRY_AFTER;
		file_keep(modules, module, record, path);
		return;
	}
	err = module_open(modules, record, path, &seen);
	if (!err)
		err = file_read_symbols(modules, record, &seen);
	if (outside_is_later(err))
		file_keep(modules, module, record, path);
	else if (err == -ETIMEDOUT)
		probe_lost(modules->probe, LOST_UNANSWERED);
	seen_close(&seen);
}

/* ---- modules ---- */

/*
 * Limits searches: code outside of any file may call from ever new places, in a process with many
 * mappings, which are all read each time.
 */
#define IN_VAIN_MAX 100

static void program_free(struct modules *modules, struct program_modules *program)
{
	struct module *module, *next;

	HASH_DEL(modules->programs, program);
	for (module = program->list; module; module = next) {
		next = module->next;
		free(module);
	}
	free(program);
}

void modules_forget(struct modules *modules, uint32_t id)
{
	struct program_modules *program;

	HASH_FIND(hh, modules->programs, &id, sizeof(id), program);
	if (program)
		program_free(modules, program);
}

void modules_free(struct modules *modules)
{
	struct program_modules *program, *next;
	struct module_file *file, *next_file;

	if (!modules)
		return;
	HASH_ITER(hh, modules->programs, program, next)
		program_free(modules, program);
	HASH_ITER(hh, modules->files, file, next_file)
		file_free(modules, file);
	resolver_free(modules->resolver);
	resolver_free(modules->rules);
	free(modules);
}

/* The entry with the number @id, created if need be. Returns NULL without memory. */
static struct program_modules *program_get(struct modules *modules, uint32_t id)
{
	struct program_modules *program;

	HASH_FIND(hh, modules->programs, &id, sizeof(id), program);
	if (program)
		return program;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->program = id;
	HASH_ADD(hh, modules->programs, program, sizeof(id), program);
	return program;
}

void modules_add(struct modules *modules, const struct rec_module *record, const char *path)
{
	struct program_modules *program = program_get(modules, record->hdr.program);
	struct module *module = program ? calloc(1, sizeof(*module)) : NULL;

	if (!module)
		return;
	module->start = record->start;
	module->end = record->end;
	module->offset = record->offset;
	module->id = record->id;
	snprintf(module->file, sizeof(module->file), "%.*s", (int)sizeof(record->file) - 1,
		 record->file);
	/* The newest comes first: a mapping may be replaced by another at the same place. */
	module->next = program->list;
	program->list = module;
	file_load(modules, module, record, path);
}

void modules_tend(struct modules *modules, uint64_t now)
{
	struct program_modules *program, *next;
	struct module_file *file, *next_file;
	const struct module *module;

	if (modules->retry && now >= modules->retry && allowance_left(&modules->reading, now)) {
		modules->retry = 0;
		again_stir(probe_outside(modules->probe)->again);
	}
	if (now - modules->released < RELEASE_INTERVAL)
		return;
	modules->released = now;
	HASH_ITER(hh, modules->files, file, next_file)
		file->mapped = false;
	HASH_ITER(hh, modules->programs, program, next)
		for (module = program->list; module; module = module->next) {
			HASH_FIND(hh, modules->files, &module->id, sizeof(module->id), file);
			if (file)
				file->mapped = true;
		}
	HASH_ITER(hh, modules->files, file, next_file) {
		if (file->mapped && file->last_mapped < now)
			file->last_mapped = now;
		if (file->mapped || now < file->last_mapped + RELEASE_AFTER)
			continue;
		symbols_drop(modules, file);
		if (file->closed || !file->lines)
			continue;
		resolvers_drop(modules, file);
		file->closed = true;
	}
}

static struct module *module_at(const struct modules *modules, uint32_t id, uint64_t address)
{
	struct program_modules *program;
	struct module *module;

	HASH_FIND(hh, modules->programs, &id, sizeof(id), program);
	for (module = program ? program->list : NULL; module; module = module->next)
		if (address >= module->start && address < module->end)
			break;
	return module;
}

struct address_name modules_name(struct modules *modules, uint32_t id, uint64_t address)
{
	struct module *module = module_at(modules, id, address);
	struct address_name name = { 0 };
	struct module_file *file;

	if (!module)
		return name;
	name.file = module->file;
	name.distance = name.offset = address - module->start + module->offset;
	file = file_get(modules, &module->id);
	name.later = !(file && file->symbols) && module->waits;
	if (file) {
		name.lines = file->lines;
		name.is_missed = file->missing != MISSING_NONE;
		name.is_unasked = file->closed;
	}
	if (file && file->symbols) {
		uint64_t distance;

		name.symbol = symbols_find(file->symbols, name.distance, &distance);
		if (name.symbol)
			name.distance = distance;
	}
	return name;
}

/* Reads the dropped symbol table for @address of @id, the process @pid, again. */
static void module_renew(struct modules *modules, uint32_t id, pid_t pid, uint64_t address)
{
	struct module *module = module_at(modules, id, address);
	struct program_modules *program = module ? program_get(modules, id) : NULL;
	struct rec_module record = { .hdr = { .program = id, .tgid = (uint32_t)pid } };

	if (!program || module->waits || !file_is_wanted(modules, &module->id) ||
	    program->in_vain >= IN_VAIN_MAX)
		return;
	record.start = module->start;
	record.id = module->id;
	file_load(modules, module, &record, NULL);
	program->in_vain += !module->waits && file_is_wanted(modules, &module->id);
}

struct address_search {
	struct modules *modules;
	pid_t pid;
	uint64_t address;
	struct rec_module record;
	bool found;
	bool later; /* it takes long */
};

static int address_compare(void *context, const struct maps_entry *entry)
{
	struct address_search *search = context;
	struct seen_file seen;
	int err;

	if (search->address < entry->start || search->address >= entry->end)
		return 0;
	err = outside_open_mapped(probe_outside(search->modules->probe), search->pid, entry,
				  COPY_TABLES, &seen);
	search->later = outside_is_later(err);
	if (err)
		return 1;
	search->record.start = entry->start;
	search->record.end = entry->end;
	search->record.offset = entry->offset;
	snprintf(search->record.file, sizeof(search->record.file), "%s", path_base(entry->path));
	search->record.id = seen.id;
	search->found = seen.identified;
	seen_close(&seen);
	return 1;
}

struct address_name modules_find(struct modules *modules, uint32_t program, pid_t pid,
				 uint64_t address)
{
	struct address_search search = {
		.modules = modules,
		.pid = pid,
		.address = address,
		.record.hdr = { .type = REC_MODULE,
				.size = sizeof(search.record),
				.program = program,
				.tgid = (uint32_t)pid },
	};
	struct program_modules *known;
	struct address_name name;

	module_renew(modules, program, pid, address);
	name = modules_name(modules, program, address);
	if (name.file || !address)
		return name;
	known = program_get(modules, program);
	if (!known || known->in_vain >= IN_VAIN_MAX)
		return name;
	if (outside_is_later(outside_maps(probe_outside(modules->probe), pid, 0, address_compare,
					  &search)) ||
	    search.later) {
		name.later = true;
		return name;
	}
	if (!search.found || probe_has_left(modules->probe, program)) {
		known->in_vain++;
		return name;
	}
	modules_add(modules, &search.record, NULL);
	return modules_name(modules, program, address);
}

struct module_code modules_seen_code(struct modules *modules, uint32_t id, uint64_t address)
{
	const struct module *module = module_at(modules, id, address);
	struct module_code code = { .found = false };
	const struct module_file *file;

	if (!module)
		return code;
	file = file_get(modules, &module->id);
	code.found = true;
	code.offset = address - module->start + module->offset;
	code.rules = file ? file->rules : 0;
	/* Its symbols may be known from an earlier program. */
	code.later = !code.rules && module->waits;
	return code;
}

struct module_code modules_code(struct modules *modules, uint32_t id, pid_t pid, uint64_t address)
{
	struct address_name name = modules_find(modules, id, pid, address);
	struct module_code code = modules_seen_code(modules, id, address);

	code.later |= name.later;
	return code;
}
