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
	{ "criu", "CRIU" }, /* programs that copy processes come first */
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
#define COPIERS 1

_Static_assert(ARRAY_LEN(known) <= TRANSLATORS_MAX, "more names than TRANSLATORS_MAX");

#define TOLD_MAX        64 /* processes that are remembered as told of */
#define YIELDED_TO_MAX  64 /* processes that one file has no probes for, as far as remembered */
#define YIELD_INTERVAL  NSEC_PER_SEC
#define NOTICE_INTERVAL (60 * NSEC_PER_SEC)
#define NOTICES_MAX     8 /* in that time */

size_t translators_name(struct translator_name *names, uint32_t *copiers)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++) {
		memset(&names[i], 0, sizeof(names[i]));
		memcpy(&names[i], known[i].name, strnlen(known[i].name, CUTOP_COMM_LEN - 1));
	}
	*copiers = COPIERS;
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

	return name >= COPIERS ? known[name].kind : NULL;
}

static const char *kind_of_process(pid_t pid)
{
	char path[64], *text;
	const char *kind;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	text = file_read(path, 64, NULL);
	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = 0;
	kind = translator_kind(text);
	free(text);
	return kind;
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

	return kind_of_process(pid) &&
	       outside_maps(search->outside, pid, 0, mapping_compare, (void *)search->st) > 0;
}

bool translators_map(const struct outside *outside, const struct stat *st)
{
	struct map_search search = { outside, st };

	return processes_visit(process_compare, &search) > 0;
}

/* What @pid is known as, or NULL: it is no translator, or has no breakpoints. */
static const char *kind_of(const struct probe *probe, pid_t pid)
{
	uint32_t tgid = (uint32_t)pid, listed;

	if (probe->settings.bpf.probes_listed &&
	    bpf_map_lookup_elem(bpf_map__fd(probe->bpf.skeleton->maps.listed), &tgid, &listed))
		return NULL;
	return kind_of_process(pid);
}

/*
 * Fills in what BPF knows of the translator. Returns false if BPF does not know of it, or no longer
 * does.
 */
static bool row_read(const struct probe *probe, uint32_t tgid, struct translator_row *row)
{
	return !bpf_map_lookup_elem(bpf_map__fd(probe->bpf.skeleton->maps.translators), &tgid, row);
}

/*
 * What the translator @pid is known as, or NULL if it is none; *@since is when it began, or 0 if
 * unknown.
 */
static const char *kind_and_time(const struct probe *probe, pid_t pid, uint64_t *since)
{
	struct translator_row row;

	if (row_read(probe, (uint32_t)pid, &row) && row.name < ARRAY_LEN(known)) {
		*since = row.since;
		return known[row.name].kind;
	}
	*since = 0;
	return kind_of(probe, pid);
}

static int translator_find(void *context, pid_t pid)
{
	struct probe *probe = context;
	struct translator_row row = { .since = clock_ns(CLOCK_MONOTONIC) };
	struct cutop_bpf *s = probe->bpf.skeleton;
	const char *kind = kind_of(probe, pid);
	uint32_t tgid = (uint32_t)pid;

	for (row.name = 0; kind && strcmp(known[row.name].kind, kind); row.name++)
		;
	if (kind &&
	    !bpf_map_update_elem(bpf_map__fd(s->maps.translators), &tgid, &row, BPF_NOEXIST))
		__atomic_fetch_add(&s->bss->translators_live, 1, __ATOMIC_SEQ_CST);
	return 0;
}

void translators_find(struct probe *probe)
{
	processes_visit(translator_find, probe);
}

/* False if it was already called for this process. @since: 0 if unknown. */
static bool is_news(struct probe *probe, uint32_t tgid, uint64_t since)
{
	size_t i;

	if (!probe->translators)
		probe->translators = calloc(TOLD_MAX, sizeof(*probe->translators));
	for (i = 0; i < TOLD_MAX && probe->translators; i++) {
		struct translator *told = &probe->translators[i];

		if (told->tgid != tgid || (told->since && since && told->since != since))
			continue;
		told->since = since ? since : told->since;
		return false;
	}
	if (probe->translators)
		probe->translators[probe->translators_told++ % TOLD_MAX] =
			(struct translator){ tgid, since };
	return true;
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

static void tell(struct probe *probe, uint32_t tgid, uint64_t since, const char *kind,
		 const char *path)
{
	char hidden[64];

	if (!is_news(probe, tgid, since) || !may_tell(probe, hidden))
		return;
	if (probe->settings.yields)
		probe_notice(
			probe, NOTICE_TRANSLATED, tgid,
			"process %u is translated (%s)%s: until it ends there are no probes, and what "
			"programs do meanwhile is not seen",
			tgid, kind, hidden);
	else
		probe_notice(
			probe, NOTICE_TRANSLATED, tgid,
			"process %u is translated (%s)%s and likely to end by SIGTRAP: the probes on "
			"%s are code to that; watch others by --pid, or give --translators=yield",
			tgid, kind, hidden, path);
}

void translator_meet(struct probe *probe, pid_t pid, const char *path)
{
	uint64_t since;
	const char *kind = kind_and_time(probe, pid, &since);

	if (kind)
		tell(probe, (uint32_t)pid, since, kind, path);
}

/* ---- no probes while a translator runs ---- */

static bool translator_runs(const struct probe *probe, const struct translator *translator)
{
	struct translator_row row;

	return row_read(probe, translator->tgid, &row) && row.since == translator->since;
}

/* Forgets those that have ended, or the first, if all still run: they may start without end. */
static void translators_bound(const struct probe *probe, struct target *target)
{
	size_t i, kept = 0;

	if (target->translator_count < YIELDED_TO_MAX)
		return;
	for (i = 0; i < target->translator_count; i++)
		if (translator_runs(probe, &target->translators[i]))
			target->translators[kept++] = target->translators[i];
	if (kept == YIELDED_TO_MAX)
		memmove(target->translators, target->translators + 1,
			--kept * sizeof(*target->translators));
	target->translator_count = kept;
}

static void translator_add(const struct probe *probe, struct target *target, uint32_t tgid,
			   uint64_t since)
{
	struct translator *more;

	translators_bound(probe, target);
	more = realloc(target->translators, (target->translator_count + 1) * sizeof(*more));
	if (!more)
		return;
	target->translators = more;
	more[target->translator_count++] = (struct translator){ tgid, since };
}

struct translator_search {
	struct probe *probe;
	struct target *target;
};

static int translator_compare(void *context, pid_t pid)
{
	struct translator_search *search = context;
	uint64_t since;
	/* a child of a translator has its name and its mappings */
	const char *kind = kind_and_time(search->probe, pid, &since);

	if (kind) {
		translator_add(search->probe, search->target, (uint32_t)pid, since);
		tell(search->probe, (uint32_t)pid, since, kind, NULL);
	}
	return 0;
}

bool translators_yield(struct probe *probe, struct target *target)
{
	struct translator_search search = { .probe = probe, .target = target };
	bool before = target->yield_until;

	target->translator_count = 0;
	processes_visit(translator_compare, &search);
	target->lifted = target->translator_count;
	target->yield_until = target->lifted ? clock_ns(CLOCK_MONOTONIC) + YIELD_INTERVAL : 0;
	/* A translator that maps the file meanwhile is not seen here; once it is marked, it is. */
	if (target->lifted && !before)
		probe->counts.late++;
	/* Without probes there is nothing that a writer would have to wait for */
	if (target->lifted)
		guard_let(&target->guard);
	return target->lifted;
}

bool translators_have(struct probe *probe, struct target *target)
{
	size_t i;

	if (!target->yield_until)
		return false;
	for (i = 0; i < target->translator_count; i++)
		if (translator_runs(probe, &target->translators[i]))
			return true;
	/*
	 * Other translators may run now, or children that BPF does not report: they are searched
	 * for when the file is probed anew.
	 */
	return clock_ns(CLOCK_MONOTONIC) < target->yield_until;
}

/*
 * Removes the probes from all files, in parallel, for the sake of @record's process. Returns false
 * if there are none.
 */
static bool probes_yield(struct probe *probe, const struct rec_translator *record)
{
	uint32_t *shelves;
	struct target *target;
	size_t count = 0;
	bool any = false;

	for (target = probe->targets; target; target = target->next)
		count++;
	shelves = calloc(count + 1, sizeof(*shelves));
	count = 0;
	for (target = probe->targets; target && shelves; target = target->next)
		if (!target->lifted)
			shelves[count++] = target->shelf;
	if (shelves)
		keeper_drop(probe->keeper, shelves, count);
	free(shelves);
	for (target = probe->targets; target; target = target->next) {
		if (target->lifted && !target->yield_until)
			/*
			 * it is being written to; translators_yield() is asked before it gets
			 * probes again
			 */
			continue;
		translator_add(probe, target, record->hdr.tgid, record->since);
		target->yield_until = clock_ns(CLOCK_MONOTONIC) + YIELD_INTERVAL;
		any = true;
		if (target->lifted)
			continue;
		keeper_drop(probe->keeper, &target->shelf, shelves ? 0 : 1);
		target_lift(probe, target);
		guard_let(&target->guard);
		probe->counts.late++;
	}
	return any;
}

static struct target *target_of(struct probe *probe, const struct file_id *id)
{
	struct examined *file;
	struct target *target;

	HASH_FIND(by_id, probe->by_id, id, sizeof(*id), file);
	if (file && file->target)
		return file->target;
	for (target = probe->targets; target; target = target->next)
		if (target->id.inode == id->inode && target->id.device == id->device)
			return target;
	return NULL;
}

void probe_on_translator(struct probe *probe, const struct rec_translator *record)
{
	struct target *target;
	char hidden[64];

	if (record->name >= ARRAY_LEN(known))
		return;
	if (record->name < COPIERS) {
		if (probe->counts.targets && may_tell(probe, hidden))
			probe_notice(
				probe, NOTICE_TRANSLATED, record->hdr.tgid,
				"process %u copies processes (CRIU): the copy of one that has "
				"probes has breakpoints, and what is restored from it ends by SIGTRAP where cutop does not run; end "
				"cutop before, or watch others by --pid",
				record->hdr.tgid);
		return;
	}
	/* Do this first: the process may run that code any moment. */
	if (probe->settings.yields) {
		if (probes_yield(probe, record))
			tell(probe, record->hdr.tgid, record->since, known[record->name].kind,
			     NULL);
		return;
	}
	target = target_of(probe, &record->id);
	if (!target || !target->lifted)
		tell(probe, record->hdr.tgid, record->since, known[record->name].kind,
		     target && target->path ? target->path : "a library");
}
