/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of the BPF side's maps, read once per refresh, after the ring was drained. The map
 * `programs` makes up for records that a full ring lost: it has a row for every program and its
 * end, so a process whose start or end was not reported is found there. Rows of an ended program
 * are read once more after its end, then deleted. The end counts as known when its record was read,
 * or when a second refresh finds it marked: by then no earlier record of the program can be in the
 * ring.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/feed_internal.h"

/* how often rows are read for a program that fails and resets its device in a loop */
#define FAULTS_PER_SECOND 8

struct fault {
	struct feed *feed;
	uint32_t program;
};

static bool fault_visit(void *context, const struct launch_key *key, const struct launch_row *row)
{
	const struct fault *fault = context;

	if (key->program == fault->program)
		record_sink_launch_row(fault->feed->sink, key, row);
	return false;
}

static bool fault_graph_visit(void *context, const struct graph_key *key,
			      const struct graph_row *row)
{
	const struct fault *fault = context;

	if (key->program == fault->program)
		record_sink_graph_last(fault->feed->sink, key, row);
	return false;
}

void feed_fault(struct feed *feed, struct watched *watched, const struct rec_hdr *hdr)
{
	struct fault fault = { feed, hdr->program };

	if (!watched)
		return;
	if (hdr->time - watched->faults_since >= NSEC_PER_SEC) {
		watched->faults_since = hdr->time;
		watched->faults = 0;
	}
	if (watched->faults++ >= FAULTS_PER_SECOND)
		return;
	rows_visit_launches(feed->rows, fault_visit, &fault);
	rows_visit_graphs(feed->rows, fault_graph_visit, &fault);
}

/* ---- a refresh ---- */

/* For a program whose record is lost or still to come: uses its row. */
static struct watched *row_watch(struct feed *feed, uint32_t program, const struct program_row *row)
{
	struct rec_process process = {
		.hdr = { .type = REC_PROCESS,
			 .size = sizeof(process),
			 .program = program,
			 .time = row->first_time,
			 .tgid = row->tgid,
			 .tid = row->tgid },
		.start_time = row->start_time,
		.parent_tgid = row->parent_tgid,
		.uid = row->uid,
	};

	memcpy(process.comm, row->comm, sizeof(process.comm));
	return feed_watch(feed, &process);
}

struct watched *feed_watch_row(struct feed *feed, uint32_t program)
{
	struct program_row row;

	if (!rows_program(feed->rows, program, &row) || !row.first_time)
		return NULL;
	return row_watch(feed, program, &row);
}

static bool program_visit(void *context, uint32_t program, const struct program_row *row,
			  const struct program_sync *sync)
{
	struct feed *feed = context;
	struct watched *watched = feed_watched(feed, program);
	struct program_times times = sync->times;
	uint64_t now;

	if (!watched)
		watched = row_watch(feed, program, row);
	if (!watched)
		return false;
	if (row->inexact && !watched->ignored)
		record_sink_inexact(feed->sink, program, row->lost_time);
	if (row->unreturned && !watched->ignored)
		record_sink_unreturned(feed->sink, program, row->unreturned);
	if (!watched->ignored) {
		for (int part = 0; part < TIME_NONE && !row->end_time; part++)
			times.open_ns[part] += watched->open_ns[part];
		record_sink_times(feed->sink, program, &times);
	}
	if (!row->end_time) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (!watched->ignored)
			record_sink_sync(feed->sink, program,
					 sync->ns + (sync->depth > 0 && now > sync->since ?
							     now - sync->since :
							     0));
		return false;
	}
	if (!watched->ignored)
		record_sink_sync(feed->sink, program, sync->ns);
	/* The record of its end is lost if all that was in the ring then has been read. */
	if (!watched->ended && watched->seen_ended &&
	    ring_is_read(feed->ring, watched->seen_written) && !arrivals_wait(feed->arrivals)) {
		struct rec_end end = {
			.hdr = { .type = REC_END,
				 .size = sizeof(end),
				 .program = program,
				 .time = row->end_time,
				 .tgid = row->tgid,
				 .tid = row->tgid },
			.sync_ns = sync->ns,
			.reason = row->end_reason,
			.exit_code = row->exit_code,
		};

		feed_end(feed, watched, &end);
	}
	if (!watched->seen_ended)
		watched->seen_written = ring_written(feed->ring);
	watched->seen_ended = true;
	/* A name may still come from a slow file. */
	if (watched->ended &&
	    (unread_names_wait(feed->unread, program) || site_names_wait(feed->sites, program)))
		return false;
	if (watched->ended) {
		watched->doomed = true;
		feed->any_doomed = true;
		return true;
	}
	return false;
}

/*
 * True if nothing about @program is needed any more. A program that is unknown here was dropped
 * earlier, and one of its threads was late to leave; or it has just started and its record is still
 * in the ring: then it has a row.
 */
static bool program_is_gone(struct feed *feed, uint32_t program)
{
	struct watched *watched = feed_watched(feed, program);
	struct program_row row;

	if (watched)
		return watched->doomed;
	if (program != feed->asked) {
		feed->asked = program;
		feed->asked_gone = !rows_program(feed->rows, program, &row);
	}
	return feed->asked_gone;
}

/* Whether the rows of @program are wanted, and whether they are read for the last time. */
static bool row_wanted(struct feed *feed, uint32_t program, bool *last)
{
	struct watched *watched = feed_watched(feed, program);

	/* If it was dropped already, there was no memory to keep its rows. */
	*last = program_is_gone(feed, program);
	return !watched || !watched->ignored;
}

#define ROW_VISIT(what, pay) \
	static bool what##_visit(void *context, const struct what##_key *key, \
				 const struct what##_row *row) \
	{ \
		struct feed *feed = context; \
		struct watched *watched = feed_watched(feed, key->program); \
		bool last; \
\
		if (row_wanted(feed, key->program, &last)) \
			record_sink_##what##_row(feed->sink, key, row); \
		if (watched) \
			pay; \
		return last; \
	}

ROW_VISIT(launch, feed_cost_launches(feed, watched, key->call, row->launches))
ROW_VISIT(copy, feed_cost_calls(feed, watched, key->call, row->calls))
ROW_VISIT(call, feed_cost_calls(feed, watched, key->call, row->calls))
ROW_VISIT(graph, (void)0)
ROW_VISIT(fail, (void)0)

static bool call_site_visit(void *context, const struct call_site_key *key,
			    const struct call_site_row *row)
{
	struct feed *feed = context;
	struct watched *watched = feed_watched(feed, key->launch.program);
	struct rec_call_site_row record;
	bool last, wanted = row_wanted(feed, key->launch.program, &last);

	if (!call_site_rows_take(feed->call_sites, key, row, last, &record) || !wanted)
		return last;
	if (watched && record.key.site)
		site_feed(feed, &watched->process.hdr, record.key.site);
	record_sink_put(feed->sink, &record.hdr, sizeof(record));
	return last;
}

/*
 * Whether a process still runs that was forked from @program, and has the names of its kernels from
 * there.
 */
static bool program_has_copies(const struct feed *feed, uint32_t program)
{
	const struct watched *watched;

	for (watched = feed->watched; watched; watched = watched->hh.next)
		if (watched->origin == program && !watched->doomed)
			return true;
	return false;
}

static bool is_gone(void *context, uint32_t program)
{
	return program_is_gone(context, program);
}

/* Whether names by stub and by handle may go. */
static bool names_gone(void *context, uint32_t program)
{
	struct feed *feed = context;

	if (!program_is_gone(feed, program))
		return false;
	if (program != feed->copied) {
		feed->copied = program;
		feed->copied_kept = program_has_copies(feed, program);
	}
	return !feed->copied_kept;
}

static void doomed_forget(struct feed *feed)
{
	struct watched *watched, *next;

	if (!feed->any_doomed)
		return;
	feed->copied = 0;
	rows_forget(feed->rows, is_gone, names_gone, feed);
	HASH_ITER(hh, feed->watched, watched, next) {
		if (!watched->doomed)
			continue;
		record_sink_graphs_done(feed->sink, watched->program);
		modules_forget(feed->modules, watched->program);
		site_names_forget(feed->sites, watched->program);
		host_functions_forget(feed->hosts, watched->program);
		unread_names_forget(feed->unread, watched->program);
		stacks_forget(feed->stacks, watched->program);
		if (feed->native)
			native_stacks_forget(feed->native, watched->program);
		python_stacks_forget(feed->python, watched->program);
		HASH_DEL(feed->watched, watched);
		free(watched);
	}
	feed->any_doomed = false;
}

static void lost_feed(struct feed *feed)
{
	int cause;

	for (cause = 0; cause < LOST_BPF_COUNT; cause++)
		record_sink_lost(feed->sink, (enum lost_cause)cause,
				 rows_lost(feed->rows, (enum lost_cause)cause) +
					 (cause == LOST_STACKS ? stacks_lost(feed->stacks) : 0));
	record_sink_lost(feed->sink, LOST_LINES, site_names_lost_lines(feed->sites));
	record_sink_lost(feed->sink, LOST_SYMBOLS, site_names_lost_symbols(feed->sites));
}

/* Says, once, that the budget of names is used up. */
static void limit_feed(struct feed *feed)
{
	struct budget_counts counts = budget_counts(probe_budget(feed->probe));

	if (feed->limit_told || !(counts.dropped || counts.refused))
		return;
	feed->limit_told = true;
	record_sink_limit(feed->sink, LIMIT_NAMES, counts.limit, clock_ns(CLOCK_MONOTONIC));
	note(probe_notes(feed->probe),
	     "names of functions take %llu MiB (--names-memory): those used least recently go, and are read again when "
	     "needed",
	     (unsigned long long)(counts.limit >> 20));
}

static void unseen_feed(struct feed *feed)
{
	struct probe_counts counts = probe_counts(feed->probe);
	const char *comm;
	uint32_t tgid;
	uint64_t totals[UNSEEN_COUNT] = {
		[UNSEEN_DRIVER] = rows_unwatched(feed->rows, &tgid, &comm),
		[UNSEEN_LATE] = counts.late,
		[UNSEEN_ALLOC] = counts.unprobed.allocs,
		[UNSEEN_FREE] = counts.unprobed.frees,
		[UNSEEN_LAYER] = probe_misses_driver(feed->probe),
	};
	int cause;

	for (cause = 0; cause < UNSEEN_COUNT; cause++) {
		bool is_driver = cause == UNSEEN_DRIVER;

		/* What was missing stays missing: a process may have ended in the meantime. */
		if (totals[cause] <= feed->unseen[cause])
			continue;
		feed->unseen[cause] = totals[cause];
		record_sink_unseen(feed->sink, (enum unseen_cause)cause, totals[cause],
				   is_driver ? tgid : 0, is_driver ? comm : NULL);
	}
}

/*
 * The ring had no room to report some files: running processes that map them are found here, and
 * marked late.
 */
static void untold_find(struct feed *feed)
{
	uint32_t untold = rows_untold_files(feed->rows);

	if (untold == feed->untold)
		return;
	feed->untold = untold;
	probe_find_running(feed->probe);
}

/*
 * The last figure of a process that has ended stands. What one that ran before used until then has
 * nothing to do with what it pays.
 */
static void cpu_note(struct watched *watched, uint64_t cpu_ns)
{
	if (!cpu_ns)
		return;
	if (!watched->cost.cpu_ns && watched->late == LATE_ALL)
		watched->cpu_before = cpu_ns - 1;
	watched->cost.cpu_ns = cpu_ns - watched->cpu_before;
}

/*
 * Before the ring is drained and rows are read: a call that returns in between then counts twice,
 * which the model bounds, and not for nothing.
 */
static void open_calls_note(struct feed *feed)
{
	struct watched *watched;

	for (watched = feed->watched; watched; watched = watched->hh.next)
		if (!watched->ended && !watched->ignored)
			cpu_note(watched,
				 rows_open_calls(feed->rows, watched->program,
						 watched->process.hdr.tgid, watched->open_ns));
}

void feed_refresh(struct feed *feed)
{
	open_calls_note(feed);
	feed_drain(feed);
	feed->asked = 0;
	untold_find(feed);
	rows_visit_programs(feed->rows, program_visit, feed);
	rows_visit_launches(feed->rows, launch_visit, feed);
	rows_visit_copies(feed->rows, copy_visit, feed);
	rows_visit_calls(feed->rows, call_visit, feed);
	rows_visit_graphs(feed->rows, graph_visit, feed);
	rows_visit_failures(feed->rows, fail_visit, feed);
	rows_visit_call_sites(feed->rows, call_site_visit, feed);
	feed_cost_count(feed, clock_ns(CLOCK_MONOTONIC));
	lost_feed(feed);
	limit_feed(feed);
	unseen_feed(feed);
	doomed_forget(feed);
	feed->ended = 0;
}
