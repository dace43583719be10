/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translators are recognized by their names: such a program reads files like any other, so nothing
 * else tells it apart.
 */
#include "probe/translation.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "probe/probe_internal.h"
#include "probe/late.h"
#include "probe/maps.h"

#if defined(__aarch64__)
#define VALGRIND_MACHINE "arm64"
#define QEMU_MACHINE     "aarch64"
#else
#define VALGRIND_MACHINE "amd64"
#define QEMU_MACHINE     "x86_64"
#endif

#define VALGRIND(tool) \
	{ \
		tool "-" VALGRIND_MACHINE "-linux", "valgrind" \
	}

/* File names; of these a process name (comm) has the first 15 bytes. */
static const struct {
	const char *name, *kind;
} known[] = {
	VALGRIND("memcheck"),
	VALGRIND("cachegrind"),
	VALGRIND("callgrind"),
	VALGRIND("helgrind"),
	VALGRIND("drd"),
	VALGRIND("massif"),
	VALGRIND("dhat"),
	VALGRIND("lackey"),
	VALGRIND("none"),
	VALGRIND("exp-bbv"),
	{ "pinbin", "Pin" },
	{ "libdynamorio.so", "DynamoRIO" },
	{ "drrun", "DynamoRIO" },
	{ "qemu-" QEMU_MACHINE, "QEMU" },
	{ "qemu-" QEMU_MACHINE "-static", "QEMU" },
};

_Static_assert(ARRAY_LEN(known) <= TRANSLATORS_MAX, "more names than TRANSLATORS_MAX");

#define NOTICE_INTERVAL (60 * NSEC_PER_SEC)
#define NOTICES_MAX     8 /* in that time */

size_t translators_name(struct translator_name *names)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++) {
		memset(&names[i], 0, sizeof(names[i]));
		memcpy(&names[i], known[i].name, strnlen(known[i].name, CUTOP_COMM_LEN - 1));
	}
	return ARRAY_LEN(known);
}

/* The index of the name @comm among those known, or -1. */
static int name_find(const char *comm)
{
	size_t len = strnlen(comm, CUTOP_COMM_LEN - 1), i;

	for (i = 0; i < ARRAY_LEN(known); i++)
		if (len == strnlen(known[i].name, CUTOP_COMM_LEN - 1) &&
		    !strncmp(comm, known[i].name, len))
			return (int)i;
	return -1;
}

const char *translator_kind(const char *comm)
{
	int name = name_find(comm);

	return name >= 0 ? known[name].kind : NULL;
}

static int name_of_process(pid_t pid)
{
	char path[64], *text;
	int name;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	text = file_read(path, 64, NULL);
	if (!text)
		return -1;
	text[strcspn(text, "\n")] = 0;
	name = name_find(text);
	free(text);
	return name;
}

static int mapping_compare(void *context, const struct maps_entry *entry)
{
	const struct stat *st = context;

	/*
	 * On overlay and btrfs a mapping shows another device than stat(2): major number 0, which
	 * has no driver.
	 */
	return entry->inode == st->st_ino && (st->st_dev == makedev(entry->major, entry->minor) ||
					      !entry->major || !major(st->st_dev));
}

struct map_search {
	const struct outside *outside;
	const struct stat *st;
};

static int process_compare(void *context, pid_t pid)
{
	struct map_search *search = context;

	return name_of_process(pid) >= 0 &&
	       outside_maps(search->outside, pid, 0, mapping_compare, (void *)search->st) > 0;
}

bool translators_map(const struct outside *outside, const struct stat *st)
{
	struct map_search search = { outside, st };

	return processes_visit(process_compare, &search) > 0;
}

static int translator_find(void *context, pid_t pid)
{
	const struct probe *probe = context;
	struct cutop_bpf *s = probe->bpf.skeleton;
	uint32_t tgid = (uint32_t)pid, listed, name;
	int found = name_of_process(pid);

	if (found < 0)
		return 0;
	if (probe->settings.bpf.probes_listed &&
	    bpf_map_lookup_elem(bpf_map__fd(s->maps.listed), &tgid, &listed))
		return 0;
	name = (uint32_t)found;
	if (!bpf_map_update_elem(bpf_map__fd(s->maps.translators), &tgid, &name, BPF_NOEXIST))
		__atomic_fetch_add(&s->bss->translators_live, 1, __ATOMIC_SEQ_CST);
	return 0;
}

void translators_find(struct probe *probe)
{
	processes_visit(translator_find, probe);
}

/*
 * Programs with such a name that start by the thousand must not push everything else out of the
 * log. @hidden: a text with how many were left out.
 */
static bool may_tell(struct probe *probe, char hidden[64])
{
	struct translator_limit *limit = &probe->translator_limit;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - limit->since >= NOTICE_INTERVAL) {
		limit->since = now;
		limit->shown = 0;
	}
	if (limit->shown == NOTICES_MAX) {
		limit->hidden++;
		return false;
	}
	limit->shown++;
	hidden[0] = 0;
	if (limit->hidden)
		snprintf(hidden, 64, " (so were %u processes more)", limit->hidden);
	limit->hidden = 0;
	return true;
}

static void tell(struct probe *probe, uint32_t tgid, uint32_t name, const char *path)
{
	char hidden[64];

	if (name >= ARRAY_LEN(known) || !may_tell(probe, hidden))
		return;
	probe_notice(probe, NOTICE_TRANSLATED, tgid,
		     "process %u is translated (%s)%s and likely to end by SIGTRAP: the probes on "
		     "%s are code to that; watch others by --pid",
		     tgid, known[name].kind, hidden, path);
}

void translator_meet(struct probe *probe, pid_t pid, const char *path)
{
	struct cutop_bpf *s = probe->bpf.skeleton;
	int translators = bpf_map__fd(s->maps.translators);
	uint32_t tgid = (uint32_t)pid, name;

	/* Told by the one that removes it: here, or by BPF. */
	if (bpf_map_lookup_elem(translators, &tgid, &name) ||
	    bpf_map_delete_elem(translators, &tgid))
		return;
	__atomic_fetch_sub(&s->bss->translators_live, 1, __ATOMIC_SEQ_CST);
	tell(probe, tgid, name, path);
}

void probe_on_translator(struct probe *probe, const struct rec_translator *record)
{
	const struct target *target = probe->targets;

	while (target &&
	       (target->id.inode != record->id.inode || target->id.device != record->id.device))
		target = target->next;
	tell(probe, record->hdr.tgid, record->name,
	     target && target->path ? target->path : "a library");
}
