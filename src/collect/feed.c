/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes what the BPF side reports on to the model. Records come through the ring in order; names
 * of the programs, call sites and kernels in them are added from files.
 */
#include "collect/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "collect/arrivals.h"
#include "collect/cost.h"
#include "collect/modules.h"
#include "collect/native_stacks.h"
#include "collect/process_identity.h"
#include "collect/python_stacks.h"
#include "collect/record_sink.h"
#include "collect/site_names.h"
#include "collect/stacks.h"
#include "cuda/calls.h"
#include "cuda/visible_devices.h"
#include "cutop_allocator.h"
#include "cutop_unwind.h"
#include "model/identity.h"
#include "probe/bpf_rows.h"
#include "probe/maps.h"
#include "probe/ring.h"
#include "probe/probe_sets.h"

struct watched {
	uint32_t program;
	uint32_t origin; /* program_row.origin */
	struct rec_process process;
	bool ignored; /* the user did not ask for it */
	enum late late;
	bool seen_ended;             /* its row was marked at the last refresh */
	uint64_t seen_written;       /* ring_written() then */
	bool ended;                  /* the model was told that it has ended */
	bool doomed;                 /* its rows are deleted in this refresh */
	uint64_t open_ns[TIME_NONE]; /* rows_open_calls(), in this refresh */
	uint64_t faults_since;       /* start of the second in which faults are counted */
	unsigned int faults;
	struct cost cost;
	uint64_t cpu_before;   /* processor time, ns, before it was watched */
	uint64_t blocks;       /* that its allocators told of */
	unsigned int unwanted; /* bits of enum spare */
	uint64_t looked;       /* when its title was read, ns */
	bool has_title;        /* it has taken one */
	/* Until the machine's devices are known, if which ones it sees depends on that */
	struct rec_identity *identity;
	struct device_clues clues;
	UT_hash_handle hh;
};

/* A program found to be late before the record of its start was read. */
struct early_late {
	uint32_t program;
	enum late missed;
	UT_hash_handle hh;
};

struct feed {
	struct probe *probe;
	const struct record_sink *sink;
	const char *command_glob;
	struct rows *rows;
	struct modules *modules;
	struct host_functions *hosts;
	struct site_names *sites;
	struct stacks *stacks;
	struct call_site_rows *call_sites;
	struct python_stacks *python;
	struct unwind_rows *unwind_rows;
	struct native_stacks *native; /* NULL: stacks are not walked by rows */
	struct arrivals *arrivals;
	struct ring *ring;
	uint64_t drained;  /* bytes of the ring, by this feed_drain() */
	bool is_cut;       /* it left records that came meanwhile */
	uint64_t known_to; /* what happened before (CLOCK_MONOTONIC) has been read from the ring */
	struct watched *watched;
	struct early_late *early_late;
	bool any_doomed;
	bool limit_told; /* the user was told that there is no more room for names */
	size_t ended;    /* programs, since the last refresh */
	/* The program that asked_gone is about: it has no row; 0: not asked yet */
	uint32_t untold;
	uint64_t unseen[UNSEEN_COUNT]; /* the same: rec_unseen.total */
	uint32_t asked; /* the same for copied_kept: a process forked from it still runs */
	bool asked_gone;
	uint32_t copied; /* whether a process forked from it still runs */
	bool copied_kept;
	struct visible_gpus gpus;
	uint64_t names_bytes;
	double cost_budget;  /* a share of a program's processor time; 0: no limit */
	bool watches_driver; /* the driver's calls are probed, too */
	uint64_t hit_ns;     /* what a hit takes; 0: not measured yet */
	uint64_t settled;    /* CLOCK_MONOTONIC: spares_settle() */
	bool settles;        /* no further program is watched: feed_settle() */
};

#define ENDED_MANY 1024 /* programs whose rows wait to be read a last time, and deleted */
/* At the end, for source lines of call sites: longer than they take on a busy machine */
#define LINES_WAIT_MS  10000
#define LINES_HURRY_MS 3000 /* the same if something waits for cutop's end */
/* Also at the end: for files or memory that are slow, or never arrive */
#define IDLE_MS       2000
#define IDLE_HURRY_MS 400 /* the same if something waits for cutop's end */
#define NAMES_LOOK_US 5000

/* ---- records of the stream ---- */

#define ROW_PUT(function, name, rec_type) \
	static void function(const struct record_sink *sink, const struct name##_key *key, \
			     const struct name##_row *row) \
	{ \
		struct rec_##name##_row record = { \
			.hdr = { .type = rec_type, \
				 .size = sizeof(record), \
				 .program = key->program }, \
			.key = *key, \
			.row = *row, \
		}; \
\
		record_sink_put(sink, &record.hdr, sizeof(record)); \
	}

ROW_PUT(launch_row_put, launch, REC_LAUNCH_ROW)
ROW_PUT(copy_row_put, copy, REC_COPY_ROW)
ROW_PUT(call_row_put, call, REC_CALL_ROW)
ROW_PUT(graph_row_put, graph, REC_GRAPH_ROW)
ROW_PUT(fail_row_put, fail, REC_FAIL_ROW)
ROW_PUT(graph_last_put, graph, REC_GRAPH_LAST)

static void sync_put(const struct record_sink *sink, uint32_t program, uint64_t ns)
{
	struct rec_sync record = {
		.hdr = { .type = REC_SYNC, .size = sizeof(record), .program = program }, .ns = ns
	};

	record_sink_put(sink, &record.hdr, sizeof(record));
}

static void times_put(const struct record_sink *sink, uint32_t program,
		      const struct program_times *times)
{
	struct rec_times record = {
		.hdr = { .type = REC_TIMES, .size = sizeof(record), .program = program },
		.times = *times
	};

	record_sink_put(sink, &record.hdr, sizeof(record));
}

static void unreturned_put(const struct record_sink *sink, uint32_t program, enum unreturned why)
{
	struct rec_unreturned record = {
		.hdr = { .type = REC_UNRETURNED, .size = sizeof(record), .program = program },
		.why = why
	};

	record_sink_put(sink, &record.hdr, sizeof(record));
}

/* Something of @program was lost; the last lost record is of @lost_time, 0: no record. */
static void inexact_put(const struct record_sink *sink, uint32_t program, uint64_t lost_time)
{
	struct rec_hdr record = {
		.type = REC_INEXACT, .size = sizeof(record), .program = program, .time = lost_time
	};

	record_sink_put(sink, &record, sizeof(record));
}

static void graphs_done_put(const struct record_sink *sink, uint32_t program)
{
	struct rec_hdr record = { .type = REC_GRAPHS_DONE,
				  .size = sizeof(record),
				  .program = program };

	record_sink_put(sink, &record, sizeof(record));
}

/* As struct rec_unseen; @comm may be NULL. */
static void unseen_put(const struct record_sink *sink, enum unseen_cause cause, uint64_t total,
		       uint32_t tgid, const char *comm)
{
	struct rec_unseen record = {
		.hdr = { .type = REC_UNSEEN, .size = sizeof(record), .tgid = tgid },
		.total = total,
		.cause = cause,
	};

	if (comm)
		memcpy(record.comm, comm, sizeof(record.comm));
	record_sink_put(sink, &record.hdr, sizeof(record));
}

static void limit_put(const struct record_sink *sink, enum limit_kind kind, uint64_t limit,
		      uint64_t time)
{
	struct rec_limit record = {
		.hdr = { .type = REC_LIMIT, .size = sizeof(record), .time = time },
		.limit = limit,
		.kind = kind,
	};

	record_sink_put(sink, &record.hdr, sizeof(record));
}

static void lost_put(const struct record_sink *sink, enum lost_cause cause, uint64_t total)
{
	struct rec_lost record = { .hdr = { .type = REC_LOST, .size = sizeof(record) },
				   .total = total,
				   .cause = cause };

	record_sink_put(sink, &record.hdr, sizeof(record));
}

/* ---- programs ---- */

static struct watched *feed_watched(struct feed *feed, uint32_t program)
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

static void identity_keep(struct watched *watched, struct rec_identity *identity,
			  const struct device_clues *clues)
{
	free(watched->identity);
	free(watched->clues.text);
	watched->identity = identity;
	watched->clues = *clues;
}

static void watched_free(struct feed *feed, struct watched *watched)
{
	HASH_DEL(feed->watched, watched);
	identity_keep(watched, NULL, &(struct device_clues){ .text = NULL });
	free(watched);
}

static void identity_feed(struct feed *feed, struct watched *watched, bool first);

/* Reading the memory of the program whose number is at @what took long. */
static void identity_again(void *context, const void *what)
{
	struct watched *watched = feed_watched(context, *(const uint32_t *)what);

	if (watched && !watched->ended)
		identity_feed(context, watched, false);
}

/*
 * Tells the model what @watched is. The first time, also decides whether it is wanted at all, since
 * that may depend on its name.
 */
static void identity_feed(struct feed *feed, struct watched *watched, bool first)
{
	struct device_clues clues = { .text = NULL };
	const char *glob = feed->command_glob;
	struct rec_identity *identity;
	bool waits = false;
	int err;

	/* Only what it is called is new. */
	if (watched->has_title) {
		clues = watched->clues;
		watched->clues.text = NULL;
	}
	identity = identity_read(probe_outside(feed->probe), &watched->process, watched->late,
				 watched->has_title ? NULL : &clues, &err);
	if (outside_is_later(err))
		again_keep(probe_outside(feed->probe)->again, identity_again, feed,
			   &watched->program, sizeof(watched->program));
	if (err == -ETIMEDOUT) {
		probe_lost(feed->probe, LOST_UNANSWERED);
		inexact_put(feed->sink, watched->program, 0);
	}

	/* Then they are another program's. */
	if (probe_has_left(feed->probe, watched->program)) {
		free(clues.text);
		clues = (struct device_clues){ .text = NULL };
	}
	if (identity) {
		identity->has_title = watched->has_title;
		waits = identity_devices(identity, &clues, &feed->gpus);
	}
	if (first && glob &&
	    (!identity ||
	     !identity_matches(identity->strings, identity->hdr.size - sizeof(*identity),
			       watched->process.comm, glob))) {
		watched->ignored = true;
		probe_ignore(feed->probe, watched->program, true);
	}
	if (!watched->ignored) {
		if (first)
			record_sink_put(feed->sink, &watched->process.hdr,
					sizeof(watched->process));
		if (identity)
			record_sink_put(feed->sink, &identity->hdr, identity->hdr.size);
	}
	if (waits && !watched->ignored) {
		identity_keep(watched, identity, &clues);
		return;
	}
	free(identity);
	free(clues.text);
}

void feed_gpus(struct feed *feed, struct visible_gpus *gpus)
{
	struct watched *watched;

	visible_gpus_free(&feed->gpus);
	feed->gpus = *gpus;
	for (watched = feed->watched; watched; watched = watched->hh.next) {
		if (!watched->identity)
			continue;
		identity_devices(watched->identity, &watched->clues, &feed->gpus);
		record_sink_put(feed->sink, &watched->identity->hdr, watched->identity->hdr.size);
		identity_keep(watched, NULL, &(struct device_clues){ .text = NULL });
	}
}

#define TITLE_INTERVAL (3 * NSEC_PER_SEC)
#define TITLES_MAX     16 /* that are read in one refresh: each is a question to another process */

/*
 * Reads what the process calls itself by now: setproctitle() and the like write over its arguments; one
 * that has cleared them is known by the name that prctl() gave it.
 */
static void title_look(struct feed *feed, struct watched *watched)
{
	struct rec_process *process = &watched->process;
	char comm[CUTOP_COMM_LEN], *text;
	bool is_new, had_args;
	size_t len = 0;
	int err;

	text = outside_arguments(probe_outside(feed->probe), (pid_t)process->hdr.tgid,
				 sizeof(process->args) - 1, &len, &err);
	process_comm(process->hdr.tgid, comm);
	if (!text || !comm[0] || probe_has_left(feed->probe, watched->program))
		goto out;
	is_new = len != process->args_len || memcmp(text, process->args, len) ||
		 (!text[0] && memcmp(comm, process->comm, sizeof(comm)));
	if (!is_new)
		goto out;
	had_args = process->args_len;
	memset(process->args, 0, sizeof(process->args));
	memcpy(process->args, text, len);
	process->args_len = (__u32)len;
	memcpy(process->comm, comm, sizeof(comm));
	/* Else it could not be read at its first call, or was then from its parent. */
	watched->has_title |= had_args;
	if (had_args)
		identity_feed(feed, watched, false);
out:
	free(text);
}

static void titles_look(struct feed *feed, uint64_t now)
{
	struct watched *watched;
	int count = 0;

	for (watched = feed->watched; watched && count < TITLES_MAX; watched = watched->hh.next) {
		if (watched->ended || watched->ignored || now - watched->looked < TITLE_INTERVAL)
			continue;
		watched->looked = now;
		title_look(feed, watched);
		count++;
	}
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

/*
 * Returns what is kept about a program, created if need be, and then reported to the model; NULL
 * without memory.
 */
static struct watched *feed_watch(struct feed *feed, const struct rec_process *process)
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
	watched->looked = clock_ns(CLOCK_MONOTONIC);
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

static void feed_end(struct feed *feed, struct watched *watched, const struct rec_end *end)
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
		inexact_put(feed->sink, watched->program, row.lost_time);
	record_sink_put(feed->sink, &end->hdr, sizeof(*end));
}

/* Passes @record on to the model; @context is the feed. */
static void feed_tell(void *context, const struct rec_hdr *record)
{
	struct feed *feed = context;

	host_functions_learn(feed->hosts, record, record->size);
	record_sink_put(feed->sink, record, record->size);
}

/* Tells the model what the call site @address of the process of @hdr is, unless it was told. */
static void site_feed(struct feed *feed, const struct rec_hdr *hdr, uint64_t address)
{
	site_names_site(feed->sites, hdr->program, (pid_t)hdr->tgid, address);
}

/* ---- what programs pay ---- */

/*
 * What programs pay: the hits are estimated from what rows count. A call is hit at its entry and its
 * return, a launch and what an allocator tells at the entry alone; a call of the runtime also where
 * it reaches the driver.
 */

#define SETTLE_INTERVAL (10 * NSEC_PER_SEC) /* processes start, and map files, meanwhile */

static double nested(const struct feed *feed, unsigned int call)
{
	return call_layer(call) == LAYER_RUNTIME && feed->watches_driver ? 1 : 0;
}

/* In a refresh: so many launches, or calls, by @call of the program so far. */
static void feed_cost_launches(struct feed *feed, struct watched *watched, unsigned int call,
			       uint64_t launches)
{
	watched->cost.hits[SPARE_LAUNCHES] += (double)launches * (1 + nested(feed, call));
}

static void feed_cost_calls(struct feed *feed, struct watched *watched, unsigned int call,
			    uint64_t calls)
{
	bool is_plain = call < CALL_COUNT && call_descs[call].class == CLASS_PLAIN;

	watched->cost.hits[is_plain ? SPARE_CALLS : COST_OTHERS] +=
		(double)calls * (1 + HIT_RETURN + nested(feed, call));
}

/* Tells the model. */
static void cost_tell(struct feed *feed, const struct watched *watched)
{
	const struct cost *cost = &watched->cost;
	struct rec_cost record = {
		.hdr = { .type = REC_COST, .size = sizeof(record), .program = watched->program },
		.paid_ns = (__u64)cost->paid,
		.cpu_ns = cost->cpu_ns,
		.launches_ns = cost->launches_ns,
	};

	for (int kind = 0; kind < SPARE_COUNT; kind++)
		record.since[kind] = cost->since[kind];
	record_sink_put(feed->sink, &record.hdr, sizeof(record));
}

/* After all of these. */
static void feed_cost_count(struct feed *feed, uint64_t now)
{
	struct watched *watched;

	for (watched = feed->watched; watched; watched = watched->hh.next) {
		if (watched->ignored || watched->doomed)
			continue;
		if (!feed->hit_ns)
			feed->hit_ns = probe_hit_cost(feed->probe);
		watched->cost.hits[SPARE_BLOCKS] = (double)watched->blocks;
		cost_count(&watched->cost, (double)feed->hit_ns, now);
		cost_tell(feed, watched);
	}
}

/* Notes, and tells, what is given up of @watched from now on: bits of enum spare. */
static void given_note(struct feed *feed, struct watched *watched, unsigned int given, uint64_t now)
{
	struct cost *cost = &watched->cost;
	bool changed = false;

	for (int kind = 0; kind < SPARE_COUNT; kind++) {
		bool is_given = given & 1u << kind;

		if (is_given == (cost->since[kind] != 0))
			continue;
		cost->since[kind] = is_given ? now : 0;
		changed = true;
	}
	if (changed)
		cost_tell(feed, watched);
}

static void settle(struct feed *feed, uint64_t now)
{
	size_t count = HASH_COUNT(feed->watched), i = 0;
	struct spare_user *users = calloc(count + 1, sizeof(*users));
	struct watched *watched;

	if (!users)
		return;
	for (watched = feed->watched; watched; watched = watched->hh.next)
		if (!watched->ignored && !watched->ended)
			users[i++] = (struct spare_user){
				.tgid = watched->process.hdr.tgid,
				.unwanted = watched->unwanted,
				.given = watched->cost.given,
			};
	spares_settle(feed->probe, users, i);
	for (watched = feed->watched, i = 0; watched; watched = watched->hh.next) {
		if (watched->ignored || watched->ended)
			continue;
		cost_miss(&watched->cost, users[i].missing, now);
		given_note(feed, watched, users[i++].given, now);
	}
	feed->settled = now;
	free(users);
}

/* Gives up, and takes back, what the budget asks for. */
static void feed_cost_tend(struct feed *feed, uint64_t now)
{
	struct watched *watched;
	bool changed = false, given = false;

	if (!feed->cost_budget)
		return;
	for (watched = feed->watched; watched; watched = watched->hh.next) {
		unsigned int unwanted;

		if (watched->ignored || watched->ended)
			continue;
		changed |= cost_decide(&watched->cost, feed->cost_budget, now);
		unwanted = cost_unwanted(&watched->cost, now);
		changed |= unwanted != watched->unwanted;
		watched->unwanted = unwanted;
		given |= watched->cost.given || watched->cost.missing;
	}
	if (changed || (given && now - feed->settled >= SETTLE_INTERVAL))
		settle(feed, now);
}

/* ---- stacks ---- */

/*
 * Records of stacks, and those that refer to one: BPF's number of a stack becomes the model's, once
 * the model was told of it.
 */

static void stack_feed(struct feed *feed, const struct rec_stack *record, size_t size, bool is_copy)
{
	struct rec_stack *stack = stacks_add(feed->stacks, record, size, is_copy);
	uint32_t i;

	if (!stack)
		return;
	for (i = 0; i < stack->count; i++)
		if (stack->frames[i] == PLACE_CUT)
			site_names_cut(feed->sites, stack->hdr.program, (pid_t)stack->hdr.tgid);
		else
			site_feed(feed, &stack->hdr, stack->frames[i]);
	record_sink_put(feed->sink, &stack->hdr, stack->hdr.size);
	free(stack);
}

/* A stack that was copied, to be walked here. */
static void copy_feed(struct feed *feed, const struct rec_stack_copy *record, size_t size)
{
	struct rec_stack *stack = feed->native ? native_stacks_walk(feed->native, record, size) :
						 NULL;

	if (stack)
		stack_feed(feed, stack, stack->hdr.size, true);
	free(stack);
}

static void python_feed(struct feed *feed, const struct rec_hdr *hdr, size_t size)
{
	/* Where it went from there is the first of its frames. */
	if (hdr->type == REC_PYTHON_STACK && size >= sizeof(struct rec_python_stack))
		site_feed(feed, hdr, ((const struct rec_python_stack *)hdr)->site);
	python_stacks_record(feed->python, hdr, size, feed_tell, feed);
}

/*
 * Makes the site of a call that failed known: of a Python program, its line, and by which way.
 * Returns the stack, or 0.
 */
static uint64_t failed_site(struct feed *feed, const struct rec_hdr *hdr, __u64 *site)
{
	uint64_t stack = *site;

	if (!(stack & (PYTHON_STACK | NATIVE_STACK))) {
		site_feed(feed, hdr, *site);
		return 0;
	}
	*site = stacks_shown(feed->stacks, hdr->program, stack);
	return stacks_record_id(feed->stacks, hdr->program, stack);
}

static void fail_feed(struct feed *feed, const struct rec_fail_at *record, size_t size)
{
	struct rec_fail_at at = { .function = 0 };

	memcpy(&at, record, size < sizeof(at) ? size : sizeof(at));
	at.stack = failed_site(feed, &at.fail.hdr, &at.fail.site);
	at.fail.hdr.size = at.function ? sizeof(at) :
			   at.stack    ? offsetof(struct rec_fail_at, function) :
					 sizeof(at.fail);
	record_sink_put(feed->sink, &at.fail.hdr, at.fail.hdr.size);
}

/* A free that failed: perhaps a double free, whose site the log shows. */
static void free_feed(struct feed *feed, const struct rec_free *record)
{
	struct rec_free_at at = { .free = *record };

	at.stack = failed_site(feed, &at.free.hdr, &at.free.site);
	if (at.stack)
		at.free.hdr.size = sizeof(at);
	record_sink_put(feed->sink, &at.free.hdr, at.free.hdr.size);
}

/* Records that refer to a call site, and to a stack by BPF's number of it. */
static const struct {
	uint16_t type, size, site, stack;
} sited_records[] = {
#define SITED(type, name) \
	{ \
		type, sizeof(struct name), offsetof(struct name, site), \
			offsetof(struct name, stack) \
	}
	SITED(REC_ALLOC, rec_alloc),
	SITED(REC_BLOCK, rec_block),
	SITED(REC_SHORT, rec_short),
	SITED(REC_OBJECT, rec_object),
#undef SITED
};

/* Takes the record @hdr of @size bytes if it is one of these. Else false. */
static bool sited_feed(struct feed *feed, const struct rec_hdr *hdr, size_t size)
{
	union {
		struct rec_hdr hdr;
		struct rec_alloc alloc;
		struct rec_block block;
		struct rec_short shortage;
		struct rec_object object;
		char bytes[1];
	} record;
	uint64_t site, stack;
	size_t i;

	for (i = 0; i < ARRAY_LEN(sited_records) && sited_records[i].type != hdr->type; i++)
		;
	if (i == ARRAY_LEN(sited_records))
		return false;
	if (size < sited_records[i].size)
		return true;
	memcpy(&record, hdr, sited_records[i].size);
	memcpy(&site, record.bytes + sited_records[i].site, sizeof(site));
	memcpy(&stack, record.bytes + sited_records[i].stack, sizeof(stack));
	if (site)
		site_feed(feed, hdr, site);
	stack = stack ? stacks_record_id(feed->stacks, hdr->program, stack) : 0;
	memcpy(record.bytes + sited_records[i].stack, &stack, sizeof(stack));
	record_sink_put(feed->sink, &record.hdr, sited_records[i].size);
	return true;
}

/* A traced call. Its stack is known by another number once it was cut. */
static void call_feed(struct feed *feed, const struct rec_call *record, size_t size)
{
	/* The larger of the two types: the ring cannot be written to */
	struct rec_call_kernel call;

	if (size < sizeof(*record) || size > sizeof(call) || !record->stack) {
		record_sink_put(feed->sink, &record->hdr, size);
		return;
	}
	memcpy(&call, record, size);
	call.call.stack = stacks_record_id(feed->stacks, record->hdr.program, record->stack);
	record_sink_put(feed->sink, &call.call.hdr, size);
}

/* Takes the record @hdr of @size bytes if it is about a stack, or refers to one. Else false. */
static bool feed_stacks_take(struct feed *feed, const struct rec_hdr *hdr, size_t size)
{
	const void *data = hdr;

	switch (hdr->type) {
	case REC_CALL: call_feed(feed, data, size); return true;
	case REC_STACK: stack_feed(feed, data, size, false); return true;
	case REC_STACK_COPY: copy_feed(feed, data, size); return true;
	case REC_STACK_PART:
		if (feed->native)
			native_stacks_part(feed->native, data, size);
		return true;
	case REC_PYTHON_CODE:
	case REC_PYTHON_TABLE:
	case REC_PYTHON_STACK: python_feed(feed, hdr, size); return true;
	case REC_FREE:
		if (!((const struct rec_free *)data)->result)
			return false;
		free_feed(feed, data);
		return true;
	case REC_FAIL: fail_feed(feed, data, size); return true;
	default: return sited_feed(feed, hdr, size);
	}
}

/* ---- rows ---- */

/*
 * Rows of the BPF side's maps, read once per refresh, after the ring was drained. The map
 * `programs` makes up for records that a full ring lost: it has a row for every program and its
 * end, so a process whose start or end was not reported is found there; one that began after the ring
 * was drained is left for the next refresh, since records of the program that had its pid before, its
 * end for one, may still be in the ring. Rows of an ended program
 * are read once more after its end, then deleted. The end counts as known when its record was read,
 * or when a second refresh finds it marked: by then no earlier record of the program can be in the
 * ring.
 */

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
		launch_row_put(fault->feed->sink, key, row);
	return false;
}

static bool fault_graph_visit(void *context, const struct graph_key *key,
			      const struct graph_row *row)
{
	const struct fault *fault = context;

	if (key->program == fault->program)
		graph_last_put(fault->feed->sink, key, row);
	return false;
}

/*
 * A sticky error of @watched, whose record is @hdr: the model reports what was launched last, so
 * the rows are read now, not at the next refresh.
 */
static void feed_fault(struct feed *feed, struct watched *watched, const struct rec_hdr *hdr)
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

/* feed_watch() of a program from its row, because its record was lost; NULL if it has none. */
static struct watched *feed_watch_row(struct feed *feed, uint32_t program)
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

	if (!watched && row->first_time < feed->known_to)
		watched = row_watch(feed, program, row);
	if (!watched)
		return false;
	if (row->inexact && !watched->ignored)
		inexact_put(feed->sink, program, row->lost_time);
	if (row->unreturned && !watched->ignored)
		unreturned_put(feed->sink, program, row->unreturned);
	if (!watched->ignored) {
		for (int part = 0; part < TIME_NONE && !row->end_time; part++)
			times.open_ns[part] += watched->open_ns[part];
		times_put(feed->sink, program, &times);
	}
	if (!row->end_time) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (!watched->ignored)
			sync_put(feed->sink, program,
				 sync->ns + (sync->depth > 0 && now > sync->since ?
						     now - sync->since :
						     0));
		return false;
	}
	if (!watched->ignored)
		sync_put(feed->sink, program, sync->ns);
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
	if (watched->ended && site_names_wait(feed->sites, program))
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

/*
 * Whether the rows of @program are wanted, and whether they are read for the last time. Those of one
 * that is unknown and not gone have to wait, as it has (program_visit()).
 */
static bool row_wanted(struct feed *feed, uint32_t program, bool *last)
{
	struct watched *watched = feed_watched(feed, program);

	/* If it was dropped already, there was no memory to keep its rows. */
	*last = program_is_gone(feed, program);
	return watched ? !watched->ignored : *last;
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
			what##_row_put(feed->sink, key, row); \
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
		graphs_done_put(feed->sink, watched->program);
		modules_forget(feed->modules, watched->program);
		site_names_forget(feed->sites, watched->program);
		host_functions_forget(feed->hosts, watched->program);
		stacks_forget(feed->stacks, watched->program);
		if (feed->native)
			native_stacks_forget(feed->native, watched->program);
		python_stacks_forget(feed->python, watched->program);
		if (watched->ignored)
			probe_ignore(feed->probe, watched->program, false);
		watched_free(feed, watched);
	}
	feed->any_doomed = false;
}

static void lost_feed(struct feed *feed)
{
	int cause;

	for (cause = 0; cause < LOST_BPF_COUNT; cause++)
		lost_put(feed->sink, (enum lost_cause)cause,
			 rows_lost(feed->rows, (enum lost_cause)cause) +
				 (cause == LOST_STACKS ? stacks_lost(feed->stacks) : 0));
	lost_put(feed->sink, LOST_LINES, site_names_lost_lines(feed->sites));
	lost_put(feed->sink, LOST_SYMBOLS, site_names_lost_symbols(feed->sites));
}

/* Says, once, that there is no more room for names. */
static void limit_feed(struct feed *feed)
{
	if (feed->limit_told || !modules_is_short(feed->modules))
		return;
	feed->limit_told = true;
	limit_put(feed->sink, LIMIT_NAMES, feed->names_bytes, clock_ns(CLOCK_MONOTONIC));
	note(probe_notes(feed->probe),
	     "names of functions take %llu MiB (--names-memory): those used least recently go, and are read again when "
	     "needed",
	     (unsigned long long)(feed->names_bytes >> 20));
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
		unseen_put(feed->sink, (enum unseen_cause)cause, totals[cause],
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

/* ---- records ---- */

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
	site_names_kernel(feed->sites, &kernel);
}

/* A name of @program is lost for good. @context is the feed. */
static void name_lose(void *context, uint32_t program, int err)
{
	struct feed *feed = context;

	probe_lost(feed->probe, err == -ETIMEDOUT ? LOST_UNANSWERED : LOST_ARGUMENT);
	inexact_put(feed->sink, program, 0);
}

static void name_at_feed(struct feed *feed, const struct watched *watched,
			 const struct rec_name_at *record)
{
	struct rec_hdr *result;
	int err = site_names_read(feed->sites, record, watched ? watched->process.start_time : 0,
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

/* Tries again what takes long, and what there was no time for. */
static void again_feed(struct feed *feed)
{
	const struct outside *outside = probe_outside(feed->probe);

	modules_tend(feed->modules, clock_ns(CLOCK_MONOTONIC));
	again_try(outside->again, errands_news(outside->errands));
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

	/* Files that others map are looked at for programs that come later. */
	if (feed->settles && probe_is_of_other(feed->probe, record))
		return;
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

/* A pool that tells nothing is hit at the return as well where it hands out a block. */
static unsigned int block_hits(const struct rec_block *block, size_t size)
{
	return size >= sizeof(*block) && block->hdr.type == REC_BLOCK && block->bytes > 0 &&
			       block->allocator != ALLOCATOR_PYTORCH ?
		       2 :
		       1;
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
		watched->blocks += block_hits(data, size);
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
		if (((const struct rec_kernel *)data)->source == NAME_NONE)
			site_names_kernel(feed->sites, data);
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

void feed_pool(struct feed *feed, unsigned int kind, const char *name)
{
	feed_extra(feed, CUTOP_ALLOCATOR + kind, name, EXTRA_RESULT_NONE);
}

void feed_notice(struct feed *feed, enum notice notice, uint32_t tgid, const char *what)
{
	struct rec_text *text = text_record_new(REC_NOTICE, 0, tgid, 0, notice, what);

	if (text)
		record_sink_put(feed->sink, &text->hdr, text->hdr.size);
	free(text);
}

/* Reads the ring, including records that come meanwhile, up to a limit. */
static void feed_drain(struct feed *feed)
{
	feed->drained = 0;
	feed->is_cut = false;
	ring_read(feed->ring);
	site_names_lines(feed->sites, 0, 0);
}

void feed_refresh(struct feed *feed)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), written = ring_written(feed->ring);

	open_calls_note(feed);
	feed_drain(feed);
	if (ring_is_read(feed->ring, written))
		feed->known_to = now;
	feed->asked = 0;
	titles_look(feed, now);
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

/* Waits for names that files have: for @most, but no longer than @idle in which nothing is read. */
static void names_settle(struct feed *feed, uint64_t idle, uint64_t most)
{
	struct errands *errands = probe_outside(feed->probe)->errands;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), end = now + most, since = now, worked = 0, work;
	unsigned int news = errands_news(errands);

	while (site_names_wait(feed->sites, 0) && now < end && now - since < idle) {
		usleep(NAMES_LOOK_US);
		errands_tend(errands);
		again_feed(feed);
		now = clock_ns(CLOCK_MONOTONIC);
		work = errands_work_ns(errands);
		if (work != worked || errands_news(errands) != news)
			since = now;
		worked = work;
		news = errands_news(errands);
	}
}

void feed_settle(struct feed *feed, bool hurry)
{
	uint64_t idle = (hurry ? IDLE_HURRY_MS : IDLE_MS) * NSEC_PER_MSEC,
		 end = clock_ns(CLOCK_MONOTONIC) + idle;
	uint64_t written = ring_written(feed->ring);

	/* On another processor a record may still be being written. */
	while (!ring_is_read(feed->ring, written) && clock_ns(CLOCK_MONOTONIC) < end) {
		usleep(NAMES_LOOK_US);
		feed_drain(feed);
	}
	/* A program that came late, and is gone, still has to be told of. */
	feed->settles = true;
	arrivals_finish(feed->arrivals, end);
	lost_feed(feed);
	unseen_feed(feed);
	names_settle(feed, idle, (hurry ? LINES_HURRY_MS : LINES_WAIT_MS) * NSEC_PER_MSEC);
	site_names_lines(feed->sites, hurry ? LINES_HURRY_MS : LINES_WAIT_MS,
			 hurry ? IDLE_HURRY_MS : IDLE_MS);
	site_names_give_up(feed->sites);
}

/* ---- life ---- */

struct feed *feed_new(struct probe *probe, const struct record_sink *sink, const char *command_glob,
		      const char *const *held_globs, const char *const *python_skip, double budget,
		      uint64_t names_bytes)
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
	feed->names_bytes = names_bytes;
	feed->modules = modules_new(probe, names_bytes, probe_notes(probe));
	feed->hosts = host_functions_new();
	feed->sites = site_names_new(probe, feed->modules, feed->hosts,
				     &(struct site_told){ feed_tell, name_lose, feed }, held_globs,
				     python_skip);
	feed->stacks = stacks_new(feed->modules, feed->hosts, python_skip);
	feed->call_sites = call_site_rows_new(feed->stacks);
	feed->python = python_stacks_new(feed->stacks, python_skip);
	feed->unwind_rows = unwind_rows_new(probe);
	if (feed->unwind_rows && feed->modules && !modules_want_rules(feed->modules))
		feed->native =
			native_stacks_new(feed->modules, feed->unwind_rows, probe_notes(probe));
	feed->ring = ring_new(probe, record_read, feed);
	feed->arrivals = arrivals_new(arrival_look, arrival_leave_out, feed, time_now);
	if (!feed->rows || !feed->modules || !feed->hosts || !feed->sites || !feed->stacks ||
	    !feed->call_sites || !feed->python || !feed->arrivals || !feed->ring) {
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
	native_stacks_free(feed->native);
	unwind_rows_free(feed->unwind_rows);
	python_stacks_free(feed->python);
	call_site_rows_free(feed->call_sites);
	stacks_free(feed->stacks);
	site_names_free(feed->sites);
	host_functions_free(feed->hosts);
	modules_free(feed->modules);
	rows_free(feed->rows);
	visible_gpus_free(&feed->gpus);
	HASH_ITER(hh, feed->watched, watched, next) {
		watched_free(feed, watched);
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

bool feed_is_behind(const struct feed *feed)
{
	return feed->is_cut || arrivals_wait(feed->arrivals);
}

void feed_follow(struct feed *feed)
{
	arrivals_turn(feed->arrivals);
	feed_drain(feed);
	again_feed(feed);
	feed_cost_tend(feed, clock_ns(CLOCK_MONOTONIC));
	/*
	 * Thousands of short processes between two snapshots would fill the maps with their rows.
	 */
	if (feed->ended >= ENDED_MANY)
		feed_refresh(feed);
}
