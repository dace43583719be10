/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For each program, a short list of its mappings, the newest first. */
#include "collect/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "collect/module_files.h"
#include "names/symbols.h"
#include "probe/outside.h"

/*
 * Limits searches: code outside of any file may call from ever new places, in a process with many
 * mappings, which are all read each time.
 */
#define IN_VAIN_MAX 100

struct module {
	uint64_t start, end, offset;
	struct file_id id;
	char file[CUTOP_FILE_LEN];
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
	struct module_files *files;
	struct program_modules *programs;
};

struct modules *modules_new(struct probe *probe, struct budget *budget, const struct notes *notes)
{
	struct modules *modules = calloc(1, sizeof(*modules));

	if (!modules)
		return NULL;
	modules->probe = probe;
	modules->files = module_files_new(probe, budget, notes);
	if (modules->files)
		return modules;
	free(modules);
	return NULL;
}

const struct outside *modules_outside(const struct modules *modules)
{
	return probe_outside(modules->probe);
}

struct resolver *modules_resolver(struct modules *modules)
{
	return module_files_resolver(modules->files);
}

int modules_want_rules(struct modules *modules)
{
	return module_files_want_rules(modules->files);
}

struct resolver *modules_rules(struct modules *modules)
{
	return module_files_rules(modules->files);
}

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

	if (!modules)
		return;
	HASH_ITER(hh, modules->programs, program, next)
		program_free(modules, program);
	module_files_free(modules->files);
	free(modules);
}

bool modules_try_again(struct modules *modules)
{
	return module_files_try_again(modules->files);
}

void modules_preload(struct modules *modules, const struct seen_file *seen, uint32_t tgid)
{
	module_files_preload(modules->files, seen, tgid);
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
	module_files_load(modules->files, record, path);
}

void modules_release(struct modules *modules, uint64_t now)
{
	struct program_modules *program, *next;
	const struct module *module;

	if (!module_files_unmark(modules->files, now))
		return;
	HASH_ITER(hh, modules->programs, program, next)
		for (module = program->list; module; module = module->next)
			module_files_mark(modules->files, &module->id);
	module_files_release(modules->files, now);
}

static struct module *module_at(const struct program_modules *program, uint64_t address)
{
	struct module *module;

	for (module = program ? program->list : NULL; module; module = module->next)
		if (address >= module->start && address < module->end)
			break;
	return module;
}

struct address_name modules_name(struct modules *modules, uint32_t id, uint64_t address)
{
	struct address_name name = { 0 };
	struct program_modules *program;
	struct module_file *file;
	struct module *module;

	HASH_FIND(hh, modules->programs, &id, sizeof(id), program);
	module = module_at(program, address);
	if (!module)
		return name;
	name.file = module->file;
	name.distance = name.offset = address - module->start + module->offset;
	file = module_files_get(modules->files, &module->id);
	name.later = !(file && file->symbols) && module_files_wait(modules->files, &module->id);
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
	name.in_runtime = file && !name.symbol && runtime_range_has(&file->runtime, name.offset);
	return name;
}

void modules_look_for_runtime(struct modules *modules, uint32_t id, uint64_t address)
{
	struct program_modules *program;
	struct module_file *file;
	struct module *module;

	HASH_FIND(hh, modules->programs, &id, sizeof(id), program);
	module = module_at(program, address);
	file = module ? module_files_get(modules->files, &module->id) : NULL;
	if (file)
		module_files_look_for_runtime(modules->files, file,
					      address - module->start + module->offset);
}

/* Reads the dropped symbol table for @address of @id, the process @pid, again. */
static void module_renew(struct modules *modules, uint32_t id, pid_t pid, uint64_t address)
{
	struct rec_module record = { .hdr.tgid = (uint32_t)pid };
	struct program_modules *program;
	struct module *module;

	HASH_FIND(hh, modules->programs, &id, sizeof(id), program);
	module = module_at(program, address);
	if (!module || !module_files_want(modules->files, &module->id) ||
	    module_files_wait(modules->files, &module->id) || program->in_vain >= IN_VAIN_MAX)
		return;
	record.start = module->start;
	record.id = module->id;
	module_files_load(modules->files, &record, NULL);
	program->in_vain += module_files_want(modules->files, &module->id) &&
			    !module_files_wait(modules->files, &module->id);
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
	const char *name = strrchr(entry->path, '/');
	struct seen_file seen;
	int err;

	if (search->address < entry->start || search->address >= entry->end)
		return 0;
	if (!strcmp(entry->path, CUTOP_VDSO_NAME)) {
		search->record.start = entry->start;
		search->record.end = entry->end;
		search->record.id.device = CUTOP_VDSO_DEVICE;
		strcpy(search->record.file, CUTOP_VDSO_NAME);
		search->found = true;
		return 1;
	}
	err = name ? outside_open_mapped(probe_outside(search->modules->probe), search->pid, entry,
					 COPY_TABLES, &seen) :
		     -ENOENT;
	search->later = outside_is_later(err);
	if (err)
		return 1;
	search->record.start = entry->start;
	search->record.end = entry->end;
	search->record.offset = entry->offset;
	snprintf(search->record.file, sizeof(search->record.file), "%s", name + 1);
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

struct module_code modules_seen_code(const struct modules *modules, uint32_t id, uint64_t address)
{
	struct module_code code = { .found = false };
	struct program_modules *program;
	const struct module_file *file;
	const struct module *module;

	HASH_FIND(hh, modules->programs, &id, sizeof(id), program);
	module = module_at(program, address);
	if (!module)
		return code;
	file = module_files_get(modules->files, &module->id);
	code.found = true;
	code.offset = address - module->start + module->offset;
	code.rules = file ? file->rules : 0;
	/* Its symbols may be known from an earlier program. */
	code.later = !code.rules && module_files_wait(modules->files, &module->id);
	return code;
}

struct module_code modules_code(struct modules *modules, uint32_t id, pid_t pid, uint64_t address)
{
	struct address_name name = modules_find(modules, id, pid, address);
	struct module_code code = modules_seen_code(modules, id, address);

	code.later |= name.later;
	return code;
}
