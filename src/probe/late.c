/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Right after a file was probed, every process that maps it is looked up in /proc. A process that
 * was started since then maps it as well and is not late: its start time shows that, as precisely
 * as /proc's clock ticks. In doubt it counts as late, which only turns its figures into lower
 * bounds. A process that waits in its loader is not late either.
 */
#include "probe/late.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe/probe_internal.h"
#include "probe/loader.h"
#include "probe/maps.h"
#include "probe/translation.h"
#include "util/util.h"

struct mapper_search {
	struct probe *probe;
	pid_t pid;
	const struct stat *st;
	const struct file_id *id;
	const char *name;       /* last path component */
	struct maps_seen *seen; /* files that the process maps, as far as the kernel was asked */
	void (*visit)(void *context, pid_t pid, const struct maps_entry *entry);
	/* If not NULL: for a process whose mappings cannot be read now, with that error */
	void (*doubt)(struct mapper_search *search, int error);
	void *context;
	uint64_t since; /* CLOCK_MONOTONIC: mappings as they were then or later */
};

/*
 * On overlay and btrfs a mapping shows another device than stat(2), and sometimes another inode
 * number. If either the name or the number agrees, the kernel is asked which file it is. Returns 1,
 * 0, or -EAGAIN if that takes long.
 */
static int is_mapping_of(struct mapper_search *search, const struct maps_entry *entry)
{
	const char *name = strrchr(entry->path, '/');
	struct seen_file seen;
	int err;

	if (entry->inode == search->st->st_ino && entry->major == major(search->st->st_dev) &&
	    entry->minor == minor(search->st->st_dev))
		return 1;
	if (entry->inode != search->st->st_ino &&
	    (!name || strncmp(name + 1, search->name, strlen(search->name))))
		return 0;
	if (!maps_seen_add(&search->seen, entry))
		return 0;
	err = outside_open_mapped(&search->probe->outside, search->pid, entry, 0, &seen);
	if (!err)
		err = seen.identified && !memcmp(&seen.id, search->id, sizeof(seen.id));
	seen_close(&seen);
	return err > 0 ? 1 : outside_is_later(err) ? -EAGAIN : 0;
}

/* True if @pid was certainly started at @when (ns, clock_own_ns(CLOCK_BOOTTIME)) or later. */
static bool started_since(pid_t pid, uint64_t when)
{
	unsigned long long ticks;
	char path[64], *text, *at;
	bool since = false;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	text = file_read(path, 4096, NULL);
	/*
	 * The name, in parentheses, may contain anything; starttime is the 20th word after it:
	 * proc(5).
	 */
	at = text ? strrchr(text, ')') : NULL;
	if (at &&
	    sscanf(at + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &ticks) == 1)
		since = ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK)) >= when;
	free(text);
	return since;
}

/* Returns true if the process has a program number, which @on_late was then called with. */
static bool process_mark(struct probe *probe, uint32_t tgid)
{
	struct cutop_bpf *s = probe->bpf.skeleton;
	__u32 one = 1, program;

	s->bss->late_ever = 1;
	bpf_map_update_elem(bpf_map__fd(s->maps.late), &tgid, &one, BPF_ANY);
	/*
	 * The end of a process removes its mark, unless it ended before: remove it here, or the
	 * next process with this pid would be late.
	 */
	if (kill((pid_t)tgid, 0) && errno == ESRCH)
		bpf_map_delete_elem(bpf_map__fd(s->maps.late), &tgid);
	if (bpf_map_lookup_elem(bpf_map__fd(s->maps.tgids), &tgid, &program))
		return false;
	if (probe->settings.on_late)
		probe->settings.on_late(probe->settings.context, program);
	return true;
}

void late_mark_process(struct probe *probe, uint32_t tgid, uint64_t since)
{
	int programs = bpf_map__fd(probe->bpf.skeleton->maps.programs);
	const struct probe_settings *settings = &probe->settings;
	__u32 program, *last = NULL;
	struct program_row row;

	if (process_mark(probe, tgid) || !settings->on_late)
		return;
	/*
	 * It may have ended while the probes were placed. Its row stays until its end is read,
	 * which is after this.
	 */
	for (; !bpf_map_get_next_key(programs, last, &program); last = &program)
		if (!bpf_map_lookup_elem(programs, &program, &row) && row.tgid == tgid &&
		    row.first_time >= since)
			settings->on_late(settings->context, program);
}

static int mapping_compare(void *context, const struct maps_entry *entry)
{
	struct mapper_search *search = context;
	int is_it = is_mapping_of(search, entry);

	if (is_it <= 0)
		return is_it;
	search->visit(search->context, search->pid, entry);
	return 1;
}

static int process_compare(void *context, pid_t pid)
{
	struct mapper_search *search = context;
	int err;

	if (pid == getpid())
		return 0;
	search->pid = pid;
	err = outside_maps(&search->probe->outside, pid, search->since, mapping_compare, search);
	maps_seen_free(&search->seen);
	if (search->doubt && (outside_is_later(err) || err == -ETIMEDOUT))
		search->doubt(search, err);
	return 0;
}

void mappers_visit(struct probe *probe, const struct stat *st, const struct file_id *id,
		   const char *path,
		   void (*visit)(void *context, pid_t pid, const struct maps_entry *entry),
		   void *context)
{
	const char *name = strrchr(path, '/');
	struct mapper_search search = {
		.probe = probe,
		.st = st,
		.id = id,
		.name = name ? name + 1 : path,
		.visit = visit,
		.context = context,
		.since = clock_ns(CLOCK_MONOTONIC),
	};

	processes_visit(process_compare, &search);
}

struct late_search {
	struct probe *probe;
	const char *path;
	uint64_t attached;
};

static void mapper_mark(void *context, pid_t pid, const struct maps_entry *entry)
{
	struct late_search *search = context;

	(void)entry;
	translator_meet(search->probe, pid, search->path);
	if (!started_since(pid, search->attached) &&
	    !loader_waits(search->probe, (uint32_t)pid, UINT64_MAX))
		process_mark(search->probe, (uint32_t)pid);
}

/* It is looked at again; if there is no answer at all, it counts as late. */
static void mapper_doubt(struct mapper_search *search, int error)
{
	const struct late_search *late = search->context;
	const struct later later = { .what = LATER_MAPPER,
				     .mapper = { .pid = search->pid,
						 .device = search->st->st_dev,
						 .inode = search->st->st_ino,
						 .id = *search->id,
						 .attached = late->attached,
						 .since = search->since } };
	struct probe *probe = search->probe;
	__u32 tgid = (__u32)search->pid, one;

	if (probe->settings.bpf.only_listed &&
	    bpf_map_lookup_elem(bpf_map__fd(probe->bpf.skeleton->maps.listed), &tgid, &one))
		return;
	if (outside_is_later(error))
		probe_keep(probe, &later, late->path);
	else if (!started_since(search->pid, late->attached))
		process_mark(probe, tgid);
}

static struct mapper_search late_searching(struct late_search *late, const struct stat *st,
					   const struct file_id *id, uint64_t since)
{
	const char *name = strrchr(late->path, '/');

	return (struct mapper_search){
		.probe = late->probe,
		.st = st,
		.id = id,
		.name = name ? name + 1 : late->path,
		.visit = mapper_mark,
		.doubt = mapper_doubt,
		.context = late,
		.since = since,
	};
}

void late_mark(struct probe *probe, const struct stat *st, const struct file_id *id,
	       const char *path, uint64_t attached)
{
	struct late_search late = { .probe = probe, .path = path, .attached = attached };
	struct mapper_search search = late_searching(&late, st, id, clock_ns(CLOCK_MONOTONIC));

	processes_visit(process_compare, &search);
}

void late_try(struct probe *probe, const struct later *later)
{
	struct late_search late = { .probe = probe,
				    .path = later->path,
				    .attached = later->mapper.attached };
	const struct stat st = { .st_dev = later->mapper.device, .st_ino = later->mapper.inode };
	struct mapper_search search =
		late_searching(&late, &st, &later->mapper.id, later->mapper.since);

	process_compare(&search, later->mapper.pid);
}
