/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables are kept within a budget, as long as a process maps their file. The least recently used one
 * is dropped first, and read again when it is needed. While tables are read, no snapshot is made: so
 * each user's files have an allowance of time. Files that take long to open wait in a list.
 */
#include "collect/module_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "names/allowance.h"
#include "names/symbols.h"
#include "names/vdso.h"
#include "probe/outside.h"
#include "util/util.h"

#define FILES_MAX        128 /* a framework for Python has some 25 with call sites */
#define LATER_MAX        256
#define RELEASE_INTERVAL NSEC_PER_SEC
#define RELEASE_AFTER    (5 * NSEC_PER_SEC)  /* a series of short programs finds the file open */
#define PRELOAD_WAIT     (60 * NSEC_PER_SEC) /* time until the program's first CUDA call */
#define HELPER_MEMORY    (128ull << 20)      /* used without a budget */
/* Processor time that one user's files may take at a stretch; */
#define READING_MOST  (3 * NSEC_PER_SEC)
#define READING_SHARE 5 /* this part of the time comes back */
#define RETRY_AFTER   (NSEC_PER_SEC / 2)

/* A file that takes long to open, or whose user has no time left. */
struct later_file {
	struct rec_module record;
	char *path;
	bool refused; /* for want of time of @owner */
	uint32_t owner;
	struct later_file *next;
};

struct module_files {
	struct probe *probe;
	struct budget *budget;
	const struct notes *notes;
	struct allowance *reading;
	struct later_file *later;
	size_t later_count;
	unsigned int later_news; /* errands_news() when they were tried last */
	uint64_t retry;          /* when to try those that a user had no time left for; 0: none */
	struct resolver *resolver;
	struct resolver *rules; /* NULL: they are not needed */
	struct module_file *files;
	uint64_t clock;
	uint64_t released; /* CLOCK_MONOTONIC */
};

struct module_files *module_files_new(struct probe *probe, struct budget *budget,
				      const struct notes *notes)
{
	struct module_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->probe = probe;
	files->budget = budget;
	files->notes = notes;
	files->reading = allowance_new(READING_MOST, READING_SHARE);
	files->resolver = resolver_new(RESOLVER_LINES,
				       budget ? budget_counts(budget).limit : HELPER_MEMORY,
				       RESOLVER_COMES_BACK, notes);
	if (files->reading && files->resolver)
		return files;
	module_files_free(files);
	return NULL;
}

int module_files_want_rules(struct module_files *files)
{
	/* A process of its own: no stack waits until the lines before it were found. */
	files->rules = resolver_new(
		RESOLVER_RULES, files->budget ? budget_counts(files->budget).limit : HELPER_MEMORY,
		RESOLVER_COMES_BACK, files->notes);
	return files->rules ? 0 : -ENOMEM;
}

struct resolver *module_files_rules(struct module_files *files)
{
	return files->rules;
}

struct resolver *module_files_resolver(struct module_files *files)
{
	return files->resolver;
}

static void code_close(struct module_file *file)
{
	if (file->code >= 0)
		close(file->code);
	file->code = -1;
}

static void file_free(struct module_files *files, struct module_file *file)
{
	code_close(file);
	HASH_DEL(files->files, file);
	budget_hold(files->budget, &file->item);
	symbols_free(file->symbols);
	free(file);
}

void module_files_free(struct module_files *files)
{
	struct module_file *file, *next_file;
	struct later_file *later;

	if (!files)
		return;
	HASH_ITER(hh, files->files, file, next_file)
		file_free(files, file);
	while ((later = files->later)) {
		files->later = later->next;
		free(later->path);
		free(later);
	}
	resolver_free(files->resolver);
	resolver_free(files->rules);
	allowance_free(files->reading);
	free(files);
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

static bool is_vdso(const struct file_id *id)
{
	return id->device == CUTOP_VDSO_DEVICE;
}

/* The file of the kernel's vdso: a copy of ours, and so root's. */
static int vdso_see(const struct rec_module *record, struct seen_file *seen)
{
	*seen = (struct seen_file){ .fd = vdso_open(), .place = -1, .id = record->id };
	if (seen->fd < 0)
		return seen->fd;
	seen->path = strdup(CUTOP_VDSO_NAME);
	if (seen->path)
		return 0;
	seen_close(seen);
	return -ENOMEM;
}

/*
 * Opens the file of @record: by the path at which it was examined, else by the recorded path, else
 * through its process, if that still runs.
 */
static int module_open(struct module_files *files, const struct rec_module *record,
		       const char *told, struct seen_file *seen)
{
	const struct outside *outside = probe_outside(files->probe);
	const char *known = probe_file_path(files->probe, &record->id);
	struct mapping_search search = {
		.outside = outside, .record = record, .seen = seen, .error = -ENOENT
	};
	int err = -ENOENT, later = 0;

	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	if (is_vdso(&record->id))
		return vdso_see(record, seen);
	if (known)
		err = file_check(record, seen,
				 outside_open(outside, known, COPY_TABLES, ERRAND_SHORT, seen));
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

static void resolvers_drop(struct module_files *files, struct module_file *file)
{
	resolver_drop(files->resolver, file->lines);
	if (files->rules)
		resolver_drop(files->rules, file->rules);
	file->lines = file->rules = 0;
}

static void files_bound(struct module_files *files)
{
	struct module_file *file, *next, *oldest = NULL;

	if (HASH_COUNT(files->files) < FILES_MAX)
		return;
	HASH_ITER(hh, files->files, file, next)
		if (!oldest || file->used < oldest->used)
			oldest = file;
	resolvers_drop(files, oldest);
	file_free(files, oldest);
}

struct module_file *module_files_get(struct module_files *files, const struct file_id *id)
{
	struct module_file *file;

	HASH_FIND(hh, files->files, id, sizeof(*id), file);
	if (file) {
		file->used = ++files->clock;
		if (file->symbols)
			budget_use(files->budget, &file->item);
	}
	return file;
}

/* The budget needs the room that its table takes. */
static void symbols_drop(void *context, struct budget_item *item)
{
	struct module_file *file = context;

	(void)item;
	symbols_free(file->symbols);
	file->symbols = NULL;
	file->missing = MISSING_DROPPED;
}

static const char *name_of(const struct seen_file *seen)
{
	const char *slash = strrchr(seen->path, '/');

	return slash ? slash + 1 : seen->path;
}

static void symbols_load(struct module_files *files, const struct seen_file *seen,
			 const struct seen_file *debug, struct module_file *file)
{
	int err = symbols_read(seen->fd, debug->fd, files->budget, &file->symbols);

	file->missing = err && err != -ENOENT ? MISSING_REFUSED : MISSING_NONE;
	if (!err)
		budget_use(files->budget, &file->item);
	else if (err != -ENOENT)
		note(files->notes,
		     "%s: the names of its functions are left out: they take more memory than --names-memory leaves",
		     name_of(seen));
}

/* The processor time of this thread: waiting on a busy machine is not the file's fault. */
static uint64_t processor_ns(void)
{
	struct timespec used;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used))
		return 0;
	return (uint64_t)used.tv_sec * NSEC_PER_SEC + (uint64_t)used.tv_nsec;
}

static struct module_file *file_new(struct module_files *files, const struct file_id *id)
{
	struct module_file *file;

	files_bound(files);
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->id = *id;
	file->code = -1;
	file->item.drop = symbols_drop;
	file->item.context = file;
	file->missing = MISSING_DROPPED;
	file->closed = true;
	file->used = ++files->clock;
	HASH_ADD(hh, files->files, id, sizeof(file->id), file);
	return file;
}

/* Has @resolver read the file @seen itself. Returns the number to ask by, or 0. */
static uint32_t resolver_give(struct module_files *files, struct resolver *resolver,
			      const struct seen_file *seen, const struct seen_file *debug)
{
	const uint32_t owners[2] = { seen->st.st_uid,
				     debug->fd >= 0 ? debug->st.st_uid : seen->st.st_uid };
	uint32_t number;
	int ends[2];

	if (seen->place < 0 && debug->place < 0)
		return resolver_add(resolver, seen->fd, debug->fd, name_of(seen));
	/* Copies contain no lines. The files themselves are sent to the resolver's process only. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return 0;
	number = resolver_add_lent(resolver, ends[1], owners, name_of(seen));
	if (number && outside_lend(probe_outside(files->probe), seen, debug->fd >= 0 ? debug : NULL,
				   ends[0])) {
		resolver_drop(resolver, number);
		number = 0;
	}
	close(ends[0]);
	close(ends[1]);
	return number;
}

/*
 * Reads the symbols of the file @seen of @record, unless they are here, and gives the file to the
 * resolver for its lines. Returns 0, -EDQUOT if its user has no time left, or another negative
 * errno if its debug file is still being searched for.
 */
static int file_read_symbols(struct module_files *files, const struct rec_module *record,
			     const struct seen_file *seen)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), began = processor_ns();
	struct module_file *file = module_files_get(files, &record->id);
	struct seen_file debug = { .fd = -1, .place = -1 };
	int err;

	/* Before it takes another file's place */
	if (!allowance_has(files->reading, seen->st.st_uid, now, 1))
		return -EDQUOT;
	if (!file)
		file = file_new(files, &record->id);
	if (!file)
		return 0;
	err = is_vdso(&record->id) ?
		      0 :
		      outside_open_debug(probe_outside(files->probe), seen, (pid_t)record->hdr.tgid,
					 path_below_root(seen->path), &debug);
	if (outside_is_later(err))
		return err;
	if (file->missing == MISSING_DROPPED)
		symbols_load(files, seen, &debug, file);
	if (file->closed || resolver_forgot(files->resolver, file->lines)) {
		file->lines = resolver_give(files, files->resolver, seen, &debug);
		file->closed = !file->lines;
	}
	if (files->rules && (!file->rules || resolver_forgot(files->rules, file->rules)))
		file->rules = resolver_give(files, files->rules, seen, &debug);
	/* A copy does not contain all code. */
	if (file->code < 0 && !file->runtime.is_final && seen->place < 0)
		file->code = fcntl(seen->fd, F_DUPFD_CLOEXEC, 0);
	file->owner = seen->st.st_uid;
	allowance_spend(files->reading, seen->st.st_uid, now, processor_ns() - began);
	file->last_mapped = clock_ns(CLOCK_MONOTONIC);
	seen_close(&debug);
	return 0;
}

void module_files_look_for_runtime(struct module_files *files, struct module_file *file,
				   uint64_t offset)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), began = processor_ns();

	if (file->code < 0 || !runtime_range_is_open(&file->runtime, offset) ||
	    !allowance_has(files->reading, file->owner, now, 1))
		return;
	runtime_range_find(&file->runtime, file->code, offset);
	allowance_spend(files->reading, file->owner, now, processor_ns() - began);
	if (file->runtime.is_final)
		code_close(file);
}

bool module_files_want(struct module_files *files, const struct file_id *id)
{
	const struct module_file *file = module_files_get(files, id);

	return !file || file->closed || file->missing == MISSING_DROPPED ||
	       resolver_forgot(files->resolver, file->lines) ||
	       (files->rules && resolver_forgot(files->rules, file->rules));
}

bool module_files_wait(const struct module_files *files, const struct file_id *id)
{
	const struct later_file *later;

	for (later = files->later; later; later = later->next)
		if (!memcmp(&later->record.id, id, sizeof(*id)))
			return true;
	return false;
}

/* Keeps @record for module_files_try_again(). */
static void file_keep(struct module_files *files, const struct rec_module *record, const char *path,
		      bool refused, uint32_t owner)
{
	struct later_file *later = files->later_count < LATER_MAX ? calloc(1, sizeof(*later)) :
								    NULL;

	if (!later)
		return;
	later->record = *record;
	later->path = path ? strdup(path) : NULL;
	later->refused = refused;
	later->owner = owner;
	later->next = files->later;
	files->later = later;
	files->later_count++;
}

int module_files_load(struct module_files *files, const struct rec_module *record, const char *path)
{
	struct seen_file seen;
	int err;

	if (!module_files_want(files, &record->id))
		return 0;
	err = module_open(files, record, path, &seen);
	if (!err)
		err = file_read_symbols(files, record, &seen);
	if (outside_is_later(err) || err == -EDQUOT)
		file_keep(files, record, path, err == -EDQUOT, seen.st.st_uid);
	else if (err == -ETIMEDOUT)
		probe_lost(files->probe, LOST_UNANSWERED);
	if (err == -EDQUOT && !files->retry)
		files->retry = clock_ns(CLOCK_MONOTONIC) + RETRY_AFTER;
	seen_close(&seen);
	return err == -EDQUOT ? -EAGAIN : err;
}

bool module_files_try_again(struct module_files *files)
{
	unsigned int news = errands_news(probe_outside(files->probe)->errands);
	struct later_file *later, *list = files->later;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool any = false, has_time = files->retry && now >= files->retry;

	if (!list || (news == files->later_news && !has_time))
		return false;
	files->later_news = news;
	if (has_time)
		files->retry = 0;
	files->later = NULL;
	files->later_count = 0;
	while ((later = list)) {
		list = later->next;
		if (later->refused && !allowance_has(files->reading, later->owner, now, 1)) {
			/* It is not opened for nothing. */
			later->next = files->later;
			files->later = later;
			files->later_count++;
			if (!files->retry)
				files->retry = now + RETRY_AFTER;
			continue;
		}
		/* What cannot be had any more is no longer waited for, either. */
		any |= !outside_is_later(module_files_load(files, &later->record, later->path));
		free(later->path);
		free(later);
	}
	return any;
}

void module_files_preload(struct module_files *files, const struct seen_file *seen, uint32_t tgid)
{
	const struct rec_module record = { .hdr = { .tgid = tgid }, .id = seen->id };
	struct seen_file whole;
	struct module_file *file;
	int err;

	if (!module_files_want(files, &seen->id))
		return;
	/* A copy that was made to search for CUDA's functions need not contain all symbols. */
	err = outside_open_again(probe_outside(files->probe), seen_place(seen), seen->place >= 0,
				 seen->path, COPY_TABLES, &whole);
	if (!err)
		file_read_symbols(files, &record, &whole);
	seen_close(&whole);
	file = module_files_get(files, &seen->id);
	if (file)
		file->last_mapped += PRELOAD_WAIT;
}

bool module_files_unmark(struct module_files *files, uint64_t now)
{
	struct module_file *file, *next;

	if (now - files->released < RELEASE_INTERVAL)
		return false;
	files->released = now;
	HASH_ITER(hh, files->files, file, next)
		file->mapped = false;
	return true;
}

void module_files_mark(struct module_files *files, const struct file_id *id)
{
	struct module_file *file;

	HASH_FIND(hh, files->files, id, sizeof(*id), file);
	if (file)
		file->mapped = true;
}

void module_files_release(struct module_files *files, uint64_t now)
{
	struct module_file *file, *next;

	HASH_ITER(hh, files->files, file, next) {
		if (file->mapped && file->last_mapped < now)
			file->last_mapped = now;
		if (file->mapped || now < file->last_mapped + RELEASE_AFTER)
			continue;
		code_close(file);
		if (file->symbols) {
			budget_hold(files->budget, &file->item);
			symbols_drop(file, &file->item);
		}
		if (file->closed || !file->lines)
			continue;
		resolvers_drop(files, file);
		file->closed = true;
	}
}
