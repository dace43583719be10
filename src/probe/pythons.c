/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process shows that it runs an interpreter when it calls one of its functions; the function's
 * address also shows where the file is mapped. Processes that made that call before the probe was
 * placed are found by their mappings.
 */
#include "probe/pythons.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/types.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "probe/late.h"
#include "probe/maps.h"
#include "probe/points.h"
#include "probe/probe_internal.h"
#include "probe/python_elf.h"

static const char *const places[] = {
	"/usr/bin/python3.[0-9]",
	"/usr/bin/python3.[0-9][0-9]",
	"/usr/local/bin/python3.[0-9]",
	"/usr/local/bin/python3.[0-9][0-9]",
	"/usr/lib*/libpython3.*.so.1.0",
	"/usr/lib/*-linux-gnu/libpython3.*.so.1.0",
	"/usr/local/lib/libpython3.*.so.1.0",
	"/opt/*conda*/bin/python3.[0-9]*[0-9]",
	"/opt/*conda*/envs/*/bin/python3.[0-9]*[0-9]",
};

static int number_take(struct probe *probe, struct target *target)
{
	int i;

	if (target->python)
		return target->python - 1;
	for (i = 0; i < PYTHON_FILES_MAX; i++)
		if (!probe->pythons[i])
			return i;
	return -1;
}

static struct python_machine machine_of(const struct python_elf *elf)
{
	return (struct python_machine){
		.code = (__s64)(elf->code_address - elf->runtime),
		.loop = (__s64)(elf->loop.address - elf->runtime),
		.code_bytes = elf->code_bytes < UINT32_MAX ? (__u32)elf->code_bytes : UINT32_MAX,
		.loop_bytes = elf->loop.size,
	};
}

/* Chooses the points of @elf's functions, and tells the BPF side about them. */
static void functions_describe(struct probe *probe, int fd, const struct python_elf *elf,
			       int number, struct elf_functions *own)
{
	int map = bpf_map__fd(probe->bpf.skeleton->maps.python_functions);
	size_t i, address_of[PYTHON_FUNCTIONS];

	for (i = 0; i < PYTHON_FUNCTIONS; i++) {
		if (!elf->functions[i].offset)
			continue;
		address_of[own->count] = elf->functions[i].address;
		own->list[own->count++] = (struct elf_function){
			.offset = elf->functions[i].offset,
			.size = elf->functions[i].size,
			.call = (uint16_t)(CUTOP_PYTHON + number * PYTHON_FUNCTIONS + (int)i),
		};
	}
	points_choose(fd, own, &probe->bpf.forms, probe->settings.no_single_step);
	for (i = 0; i < own->count; i++) {
		__u32 key = own->list[i].call - CUTOP_PYTHON;
		struct python_function row = {
			.runtime = (__s64)(elf->runtime - address_of[i] - own->list[i].past),
			.code_type = (__s64)(elf->code_type - elf->runtime),
			.machine = machine_of(elf),
			.layout = elf->layout,
		};

		bpf_map_update_elem(map, &key, &row, BPF_ANY);
	}
}

bool pythons_take(struct probe *probe, struct target *target, int fd, const char *path,
		  struct elf_functions *functions)
{
	struct elf_function list[PYTHON_FUNCTIONS];
	struct elf_functions own = { .list = list };
	struct reason why = { "" };
	struct python_elf elf;
	int number;

	if (!probe->settings.bpf.python || python_elf_read(fd, path, &elf, &why) <= 0)
		return false;
	if (!elf.layout.version) {
		note(probe->settings.notes,
		     "%s: has a Python interpreter whose frames are not read: %s", path, why.text);
		return false;
	}
	number = number_take(probe, target);
	if (number < 0) {
		note(probe->settings.notes,
		     "%s: more than %d Python interpreters: its frames are not read", path,
		     PYTHON_FILES_MAX);
		return false;
	}
	functions_describe(probe, fd, &elf, number, &own);
	if (!probe->pythons[number])
		probe->pythons[number] = malloc(sizeof(elf));
	if (!probe->pythons[number] || elf_functions_append(functions, own.list, own.count))
		return false;
	*probe->pythons[number] = elf;
	target->python = number + 1;
	note(probe->settings.notes, "%s: has a Python %u.%u interpreter; its frames are read", path,
	     elf.version >> 8, elf.version & 0xff);
	return true;
}

void pythons_drop(struct probe *probe, struct target *target)
{
	if (!target->python)
		return;
	free(probe->pythons[target->python - 1]);
	probe->pythons[target->python - 1] = NULL;
	target->python = 0;
}

/* ---- processes that run it already ---- */

struct user_search {
	struct probe *probe;
	const struct python_elf *elf;
};

struct mapping_check {
	uint64_t start;
	bool found;
};

static int mapping_compare(void *context, const struct maps_entry *entry)
{
	struct mapping_check *check = context;

	check->found = entry->start == check->start;
	return check->found;
}

static void user_add(void *context, pid_t pid, const struct maps_entry *entry)
{
	struct user_search *search = context;
	struct cutop_bpf *s = search->probe->bpf.skeleton;
	const struct python_elf *elf = search->elf;
	uint64_t bias = entry->start - entry->offset + elf->code_offset - elf->code_address;
	struct python_row row = {
		.runtime = elf->runtime + bias,
		.code_type = elf->code_type + bias,
		.machine = machine_of(elf),
		.layout = elf->layout,
	};
	struct mapping_check check = { .start = entry->start };
	__u32 tgid = (__u32)pid, one;
	int err;

	if (search->probe->settings.bpf.only_listed &&
	    bpf_map_lookup_elem(bpf_map__fd(s->maps.listed), &tgid, &one))
		return;
	if (bpf_map_update_elem(bpf_map__fd(s->maps.pythons), &tgid, &row, BPF_ANY))
		return;
	/*
	 * The process may have ended, or run another program, while BPF looked for the row before
	 * it was there: check again.
	 */
	err = outside_maps(&search->probe->outside, pid, clock_ns(CLOCK_MONOTONIC), mapping_compare,
			   &check);
	if (!check.found && !outside_is_later(err) && err != -ETIMEDOUT)
		bpf_map_delete_elem(bpf_map__fd(s->maps.pythons), &tgid);
	__atomic_fetch_add(&s->bss->python_changes, 1, __ATOMIC_RELEASE);
}

void pythons_find_users(struct probe *probe, const struct target *target, const struct stat *st,
			const char *path)
{
	struct user_search search = { .probe = probe };

	if (!target->python)
		return;
	search.elf = probe->pythons[target->python - 1];
	mappers_visit(probe, st, &target->id, path, user_add, &search);
}

/* ---- finding them ahead ---- */

/*
 * Files that nothing runs, such as hundreds of environments, leave room for those that something
 * does.
 */
static void ahead_add(void *context, const char *path)
{
	struct probe *probe = context;
	size_t i, taken = 0;

	for (i = 0; i < PYTHON_FILES_MAX; i++)
		taken += probe->pythons[i] != NULL;
	if (taken < PYTHON_FILES_MAX / 2)
		probe_add_quietly(probe, path);
}

void pythons_find_ahead(struct probe *probe)
{
	size_t i;

	if (!probe->settings.bpf.python)
		return;
	for (i = 0; i < ARRAY_LEN(places); i++)
		outside_glob(&probe->outside, places[i], ahead_add, probe);
}
