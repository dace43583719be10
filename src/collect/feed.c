/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes what the BPF side reports on to the model. Records come through the ring in order; names
 * of the programs, call sites and kernels in them are added from files. feed_rows.c reads the rows.
 */
#include "collect/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/feed_internal.h"
#include "collect/process_identity.h"
#include "collect/text_record.h"
#include "model/identity.h"
#include "probe/path_names.h"

#define ENDED_MANY    1024 /* programs whose rows wait to be read a last time, and deleted */
#define LINES_WAIT_MS 3000 /* at the end, for source lines of call sites */
/* Also at the end: for files or memory that are slow, or never arrive */
#define IDLE_MS       2000
#define IDLE_HURRY_MS 400 /* the same if something waits for cutop's end */
#define NAMES_LOOK_US 5000

/* ---- programs ---- */

struct watched *feed_watched(struct feed *feed, uint32_t program)
{
	struct watched *watched;

	HASH_FIND(hh, feed->watched, &program, sizeof(program), watched);
	return watched;
}

/* What feed_late() was called with for @program before; forgets that. */
static enum late early_late_take(struct feed *feed, uint32_t program)
{
	struct early_late *early;
	enum late missed;

	HASH_FIND(hh, feed->early_late, &program, sizeof(program), early);
	if (!early)
		return LATE_NOT;
	missed = early->missed;
	HASH_DEL(feed->early_late, early);
	free(early);
	return missed;
}

/*
 * Tells the model what @watched is. The first time, also decides whether it is wanted at all, since
 * that may depend on its name.
 */
static void identity_feed(struct feed *feed, struct watched *watched, bool first)
{
	const char *glob = feed->command_glob;
	struct rec_identity *identity;
	int err;

	identity =
		identity_read(probe_outside(feed->probe), &watched->process, watched->late, &err);
	watched->unidentified = outside_is_later(err);
	feed->unidentified |= watched->unidentified;
	if (err == -ETIMEDOUT) {
		probe_lost(feed->probe, LOST_UNANSWERED);
		record_sink_inexact(feed->sink, watched->program, 0);
	}

	if (identity && probe_has_left(feed->probe, watched->program))
		identity_drop_devices(identity);
	if (first && glob &&
	    (!identity ||
	     !identity_matches(identity->strings, identity->hdr.size - sizeof(*identity),
			       watched->process.comm, glob)))
		watched->ignored = true;
	if (!watched->ignored) {
		if (first)
			record_sink_put(feed->sink, &watched->process.hdr,
					sizeof(watched->process));
		if (identity)
			record_sink_put(feed->sink, &identity->hdr, identity->hdr.size);
	}
	free(identity);
}

/* A process that was forked, and still is a copy, has the arguments of the one that it is a copy of. */
static void arguments_inherit(struct feed *feed, struct watched *watched)
{
	const struct watched *origin = feed_watched(feed, watched->origin);
	struct rec_process *process = &watched->process;

	if (!origin || (process->args_len && process->args[0]))
		return;
	memcpy(process->args, origin->process.args, sizeof(process->args));
	process->args_len = origin->process.args_len;
}

struct watched *feed_watch(struct feed *feed, const struct rec_process *process)
{
	struct watched *watched = feed_watched(feed, process->hdr.program);
	uint32_t program = process->hdr.program;
	struct program_row row;
	enum late early;

	if (watched)
		return watched;
	watched = calloc(1, sizeof(*watched));
	if (!watched)
		return NULL;
	watched->program = program;
	watched->process = *process;
	watched->process.comm[CUTOP_COMM_LEN - 1] = 0;
	HASH_ADD(hh, feed->watched, program, sizeof(watched->program), watched);
	feed->settled = 0; /* what is given up of its libraries is given up for it, too */
	if (rows_program(feed->rows, program, &row)) {
		watched->late = row.late;
		watched->origin = row.origin;
		arguments_inherit(feed, watched);
	}
	early = early_late_take(feed, program);
	if (early > watched->late)
		watched->late = early;
	identity_feed(feed, watched, true);
	return watched;
}

void feed_program(struct feed *feed, const struct seen_file *seen, uint32_t tgid)
{
	modules_preload(feed->modules, seen, tgid);
}

int feed_idle(struct feed *feed, uint32_t tgid, uint32_t uid)
{
	struct rec_process process;
	int result = probe_watch_idle(feed->probe, tgid, uid, &process);

	if (result > 0)
		feed_watch(feed, &process);
	return result < 0 ? result : 0;
}

void feed_late(struct feed *feed, uint32_t program, enum late missed)
{
	struct watched *watched = feed_watched(feed, program);
	struct early_late *early;

	if (!watched) {
		/*
		 * It made its first call while we were attaching: its record is still in the ring.
		 */
		HASH_FIND(hh, feed->early_late, &program, sizeof(program), early);
		if (!early) {
			early = calloc(1, sizeof(*early));
			if (!early)
				return;
			early->program = program;
			HASH_ADD(hh, feed->early_late, program, sizeof(early->program), early);
		}
		if (missed > early->missed)
			early->missed = missed;
		return;
	}
	if (missed <= watched->late)
		return;
	watched->late = missed;
	if (!watched->ignored && !watched->ended)
		identity_feed(feed, watched, false);
}

void feed_end(struct feed *feed, struct watched *watched, const struct rec_end *end)
{
	struct program_row row;

	if (watched->ended)
		return;
	watched->ended = true;
	feed->ended++;
	if (watched->ignored)
		return;
	/* Before the accounts are closed, we must know whether they were exact to the last. */
	if (rows_program(feed->rows, watched->program, &row) && row.inexact)
		record_sink_inexact(feed->sink, watched->program, row.lost_time);
	record_sink_put(feed->sink, &end->hdr, sizeof(*end));
}

/* ---- records ---- */

void feed_tell(void *context, const struct rec_hdr *record)
{
	struct feed *feed = context;

	host_functions_learn(feed->hosts, record, record->size);
	record_sink_put(feed->sink, record, record->size);
}

void site_feed(struct feed *feed, const struct rec_hdr *hdr, uint64_t address)
{
	site_names_site(feed->sites, hdr->program, (pid_t)hdr->tgid, address, feed_tell, feed);
}

static void later_feed(struct feed *feed);

void feed_settle(struct feed *feed, bool hurry)
{
	uint64_t end =
		clock_ns(CLOCK_MONOTONIC) + (hurry ? IDLE_HURRY_MS : IDLE_MS) * NSEC_PER_MSEC;
	uint64_t written = ring_written(feed->ring);

	/* On another processor a record may still be being written. */
	while (!ring_is_read(feed->ring, written) && clock_ns(CLOCK_MONOTONIC) < end) {
		usleep(NAMES_LOOK_US);
		feed_drain(feed);
	}
	while ((unread_names_wait(feed->unread, 0) || site_names_wait(feed->sites, 0)) &&
	       clock_ns(CLOCK_MONOTONIC) < end) {
		usleep(NAMES_LOOK_US);
		errands_tend(probe_outside(feed->probe)->errands);
		later_feed(feed);
	}
	site_names_lines(feed->sites, LINES_WAIT_MS, hurry ? IDLE_HURRY_MS : IDLE_MS, feed_tell,
			 feed);
	site_names_give_up(feed->sites);
}

/* A name for a kernel that the program did not name: the symbol of its stub, or of its handle. */
static void kernel_feed_name(struct feed *feed, const struct rec_kernel *kernel)
{
	struct rec_text *text;

	if (kernel->source != NAME_NONE)
		return;
	text = site_names_kernel(feed->sites, kernel);
	if (text) {
		feed_tell(feed, &text->hdr);
		free(text);
	}
}

/* Looks in files for the name of a kernel whose name the program will not give. */
static void nameless_feed(struct feed *feed, const struct rec_name_at *record)
{
	const struct rec_kernel kernel = {
		.hdr = { .type = REC_KERNEL,
			 .size = sizeof(kernel),
			 .program = record->hdr.program,
			 .time = record->hdr.time,
			 .tgid = record->hdr.tgid,
			 .tid = record->hdr.tid },
		.function = record->function,
		.stub = record->stub,
		.source = NAME_NONE,
		.call = record->call,
	};

	if (record->call == CALL_COUNT)
		return;
	record_sink_put(feed->sink, &kernel.hdr, sizeof(kernel));
	kernel_feed_name(feed, &kernel);
}

/* A name of @program is lost for good. */
static void name_lose(struct feed *feed, uint32_t program, int err)
{
	probe_lost(feed->probe, err == -ETIMEDOUT ? LOST_UNANSWERED : LOST_ARGUMENT);
	record_sink_inexact(feed->sink, program, 0);
}

static void name_at_feed(struct feed *feed, const struct watched *watched,
			 const struct rec_name_at *record)
{
	struct rec_hdr *result;
	int err = unread_names_read(feed->unread, record, watched ? watched->process.start_time : 0,
				    &result);

	if (!err) {
		feed_tell(feed, result);
		free(result);
		return;
	}
	nameless_feed(feed, record);
	if (err != -EAGAIN)
		name_lose(feed, record->hdr.program, err);
}

static void name_told(void *context, uint32_t program, struct rec_hdr *record, int error)
{
	struct feed *feed = context;

	if (record)
		feed_tell(feed, record);
	else
		name_lose(feed, program, error);
}

static void later_feed(struct feed *feed)
{
	unsigned int news = errands_news(probe_outside(feed->probe)->errands);
	struct watched *watched, *next;

	unread_names_again(feed->unread, name_told, feed);
	if (modules_try_again(feed->modules) || news != feed->news)
		site_names_again(feed->sites, feed_tell, feed);
	if (feed->unidentified && news != feed->news) {
		feed->unidentified = false;
		HASH_ITER(hh, feed->watched, watched, next)
			if (watched->unidentified && !watched->ended)
				identity_feed(feed, watched, false);
	}
	feed->news = news;
}

static void module_at_feed(struct feed *feed, const struct rec_module_at *record)
{
	struct rec_module module = record->module;
	char path[CUTOP_PATH_MAX + 1];

	module.hdr.type = REC_MODULE;
	module.hdr.size = sizeof(module);
	modules_add(feed->modules, &module, path_of_names(&record->path, path) ? path : NULL);
	if (feed->native)
		native_stacks_mapped(feed->native, module.hdr.program, module.start, module.end);
	record_sink_put(feed->sink, &module.hdr, sizeof(module));
}

static void arrival_look(void *context, const struct rec_hdr *record)
{
	struct feed *feed = context;

	if (record->type == REC_EXEC)
		probe_on_exec(feed->probe, (const struct rec_exec *)record);
	else
		probe_on_mmap(feed->probe, (const struct rec_mmap *)record);
}

static void arrival_leave_out(void *context, const struct rec_hdr *record)
{
	struct feed *feed = context;

	probe_leave_out(feed->probe, record);
}

static uint64_t time_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void record_take(struct feed *feed, void *data, size_t size)
{
	const struct rec_hdr *hdr = data;
	struct watched *watched;

	if (size < sizeof(*hdr))
		return;
	switch (hdr->type) {
	case REC_EXEC:
	case REC_MMAP: arrivals_put(feed->arrivals, hdr); return;
	case REC_TRANSLATOR:
		if (size >= sizeof(struct rec_translator))
			probe_on_translator(feed->probe, data);
		return;
	case REC_PROCESS: feed_watch(feed, data); return;
	}
	watched = feed_watched(feed, hdr->program);
	/*
	 * The record that identifies the program was lost: the model must not be told of a process
	 * that is not wanted.
	 */
	if (!watched && feed->command_glob)
		watched = feed_watch_row(feed, hdr->program);
	if (watched && watched->ignored)
		return;
	if (watched && (hdr->type == REC_BLOCK || hdr->type == REC_SHORT))
		watched->blocks++;
	if (feed_stacks_take(feed, hdr, size))
		return;
	switch (hdr->type) {
	case REC_END:
		if (watched)
			feed_end(feed, watched, data);
		return;
	case REC_MODULE: modules_add(feed->modules, data, NULL); break;
	case REC_NAME_AT:
		if (size >= sizeof(struct rec_name_at))
			name_at_feed(feed, watched, data);
		return;
	case REC_MODULE_AT:
		if (size >= sizeof(struct rec_module_at))
			module_at_feed(feed, data);
		return;
	case REC_HOST: site_feed(feed, hdr, ((const struct rec_host *)data)->site); break;
	case REC_COPY:
		if (((const struct rec_copy *)data)->flags & COPY_IS_ASYNC)
			site_feed(feed, hdr, ((const struct rec_copy *)data)->site);
		break;
	case REC_FAULT: feed_fault(feed, watched, hdr); break;
	}
	record_sink_put(feed->sink, hdr, size);
	if (hdr->type == REC_KERNEL) {
		host_functions_learn(feed->hosts, hdr, size);
		kernel_feed_name(feed, data);
	}
}

/*
 * Reading ends when the ring is empty. If records come faster than they are read, it never is: then
 * stop after one ring's size has been read, which includes everything that was in it at the start.
 */
static int record_read(void *context, void *data, size_t size)
{
	struct feed *feed = context;

	record_take(feed, data, size);
	feed->drained += ring_room_of(size);
	if (feed->drained < ring_bytes(feed->ring))
		return 0;
	feed->is_cut = true;
	return -EAGAIN;
}

void feed_extra(struct feed *feed, unsigned int call, const char *symbol, enum extra_result result)
{
	struct rec_text *text = text_record_new(REC_EXTRA, 0, 0, call, result, symbol);

	if (text)
		record_sink_put(feed->sink, &text->hdr, text->hdr.size);
	free(text);
}

void feed_notice(struct feed *feed, enum notice notice, uint32_t tgid, const char *what)
{
	struct rec_text *text = text_record_new(REC_NOTICE, 0, tgid, 0, notice, what);

	if (text)
		record_sink_put(feed->sink, &text->hdr, text->hdr.size);
	free(text);
}

/* ---- life ---- */

struct feed *feed_new(struct probe *probe, const struct record_sink *sink, const char *command_glob,
		      const char *const *held_globs, const char *const *python_skip, double budget)
{
	struct feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return NULL;
	feed->probe = probe;
	feed->sink = sink;
	feed->command_glob = command_glob;
	feed->cost_budget = budget;
	feed->watches_driver = probe_watches_driver(probe);
	feed->rows = rows_new(probe);
	feed->modules = modules_new(probe, probe_budget(probe), probe_notes(probe));
	feed->hosts = host_functions_new();
	feed->sites = site_names_new(feed->modules, probe_budget(probe), feed->hosts, held_globs,
				     python_skip);
	feed->stacks = stacks_new(feed->modules, feed->hosts, python_skip);
	feed->call_sites = call_site_rows_new(feed->stacks);
	feed->unread = unread_names_new(probe);
	feed->python = python_stacks_new(feed->stacks, python_skip);
	feed->unwind_rows = unwind_rows_new(probe);
	if (feed->unwind_rows && feed->modules && !modules_want_rules(feed->modules))
		feed->native =
			native_stacks_new(feed->modules, feed->unwind_rows, probe_notes(probe));
	feed->ring = ring_new(probe, record_read, feed);
	feed->arrivals = arrivals_new(arrival_look, arrival_leave_out, feed, time_now);
	if (!feed->rows || !feed->modules || !feed->hosts || !feed->sites || !feed->stacks ||
	    !feed->call_sites || !feed->unread || !feed->python || !feed->arrivals || !feed->ring) {
		feed_free(feed);
		return NULL;
	}
	return feed;
}

void feed_free(struct feed *feed)
{
	struct early_late *early, *next_early;
	struct watched *watched, *next;

	if (!feed)
		return;
	ring_free(feed->ring);
	arrivals_free(feed->arrivals);
	unread_names_free(feed->unread);
	native_stacks_free(feed->native);
	unwind_rows_free(feed->unwind_rows);
	python_stacks_free(feed->python);
	call_site_rows_free(feed->call_sites);
	stacks_free(feed->stacks);
	site_names_free(feed->sites);
	host_functions_free(feed->hosts);
	modules_free(feed->modules);
	rows_free(feed->rows);
	HASH_ITER(hh, feed->watched, watched, next) {
		HASH_DEL(feed->watched, watched);
		free(watched);
	}
	HASH_ITER(hh, feed->early_late, early, next_early) {
		HASH_DEL(feed->early_late, early);
		free(early);
	}
	free(feed);
}

int feed_fd(const struct feed *feed)
{
	return ring_fd(feed->ring);
}

void feed_drain(struct feed *feed)
{
	feed->drained = 0;
	feed->is_cut = false;
	ring_read(feed->ring);
	site_names_lines(feed->sites, 0, 0, feed_tell, feed);
}

bool feed_is_behind(const struct feed *feed)
{
	return feed->is_cut || arrivals_wait(feed->arrivals);
}

void feed_follow(struct feed *feed)
{
	arrivals_turn(feed->arrivals);
	feed_drain(feed);
	later_feed(feed);
	feed_cost_tend(feed, clock_ns(CLOCK_MONOTONIC));
	modules_release(feed->modules, clock_ns(CLOCK_MONOTONIC));
	if (feed->native)
		native_stacks_again(feed->native, clock_ns(CLOCK_MONOTONIC));
	/*
	 * Thousands of short processes between two snapshots would fill the maps with their rows.
	 */
	if (feed->ended >= ENDED_MANY)
		feed_refresh(feed);
}
