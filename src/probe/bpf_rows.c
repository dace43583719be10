/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives types to what probe/bpf_rows.h finds, and completes rows whose parts BPF keeps elsewhere:
 * a histogram's sum is not stored a second time (the head of cutop_rows.h), and counts from slots
 * and cached rows are added to those in the map.
 */
#include "probe/bpf_rows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/bpf.h"
#include "probe/probe_internal.h"

/* ---- row cache ---- */

/*
 * Rows that the BPF side finds without a search, in arrays that are mapped here:
 * bpf/state.bpf.h.
 * A place is cleared before its owner is: the next owner's counts begin at zero.
 */

/* The row of @owner, which is not 0; NULL: it has none. */
#define NEAR_OF(places, owner_) \
	near_of((owner_), \
		&(places)[near_place(owner_) % (sizeof(places) / sizeof((places)[0]))].owner)

static __u64 *near_of(uint64_t owner, __u64 *place)
{
	return owner && __atomic_load_n(place, __ATOMIC_ACQUIRE) == owner ? place : NULL;
}

static struct near_call *call_of(const struct cutop_bpf *skeleton, const struct call_key *key)
{
	return (struct near_call *)NEAR_OF(skeleton->bss->near_calls, near_call_owner(key));
}

static struct near_copy *copy_of(const struct cutop_bpf *skeleton, const struct copy_key *key)
{
	return (struct near_copy *)NEAR_OF(skeleton->bss->near_copies, near_copy_owner(key));
}

static struct near_sync *sync_of(const struct cutop_bpf *skeleton, uint32_t program)
{
	return (struct near_sync *)NEAR_OF(skeleton->bss->near_syncs, program);
}

/* Adds the @bytes of counts at @more to those at @row; of the one at @max the larger stays. */
static void counts_add(__u64 *row, const __u64 *more, size_t bytes, __u64 *max)
{
	size_t largest = (size_t)(max - row), i;

	for (i = 0; i < bytes / sizeof(*row); i++)
		if (i != largest)
			row[i] += more[i];
		else if (*max < more[i])
			*max = more[i];
}

void near_call_add(const struct cutop_bpf *skeleton, const struct call_key *key,
		   struct call_row *row)
{
	const struct near_call *near = call_of(skeleton, key);

	if (near)
		counts_add((__u64 *)row, (const __u64 *)&near->row, sizeof(*row), &row->max_ns);
}

void near_copy_add(const struct cutop_bpf *skeleton, const struct copy_key *key,
		   struct copy_row *row)
{
	const struct near_copy *near = copy_of(skeleton, key);

	if (near)
		counts_add((__u64 *)row, (const __u64 *)&near->row, sizeof(*row), &row->max_ns);
}

struct program_sync near_sync_read(const struct cutop_bpf *skeleton, uint32_t program,
				   const struct program_row *row)
{
	const struct near_sync *near = sync_of(skeleton, program);

	return near ? near->row : row->sync;
}

#define RELEASE(near) \
	do { \
		if (!(near)) \
			return; \
		memset(&(near)->row, 0, sizeof((near)->row)); \
		__atomic_store_n(&(near)->owner, 0, __ATOMIC_RELEASE); \
	} while (0)

void near_call_release(struct cutop_bpf *skeleton, const struct call_key *key)
{
	struct near_call *near = call_of(skeleton, key);

	RELEASE(near);
}

void near_copy_release(struct cutop_bpf *skeleton, const struct copy_key *key)
{
	struct near_copy *near = copy_of(skeleton, key);

	RELEASE(near);
}

void near_sync_claim(struct cutop_bpf *skeleton, uint32_t program)
{
	__u64 *owner = &skeleton->bss->near_syncs[near_place(program) % NEAR_SYNCS].owner;
	__u64 free_slot = 0;

	__atomic_compare_exchange_n(owner, &free_slot, program, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
}

void near_sync_release(struct cutop_bpf *skeleton, uint32_t program)
{
	struct near_sync *near = sync_of(skeleton, program);

	RELEASE(near);
}

/* ---- slots ---- */

/*
 * Where the BPF side keeps launch rows: bpf/launch_rows.bpf.h.
 * The slots of launch rows: an array in which BPF programs count and which is mapped here. A free
 * slot is empty. BPF programs on several processors take slots from the head of the queue; only
 * this thread puts them back at its tail.
 */

static void put(struct cutop_bpf *skeleton, uint32_t slot)
{
	uint32_t given = skeleton->bss->slots_given;

	skeleton->bss->slots_free[given % LAUNCH_SLOTS] = slot;
	__atomic_store_n(&skeleton->bss->slots_given, given + 1, __ATOMIC_RELEASE);
}

void slots_hand_out(struct cutop_bpf *skeleton)
{
	uint32_t slot;

	for (slot = 1; slot < LAUNCH_SLOTS; slot++)
		put(skeleton, slot);
}

/* Sets *@row to the sum of what was counted at @home and in its slot. */
static void slots_read(const struct cutop_bpf *skeleton, const struct launch_home *home,
		       struct launch_row *row)
{
	const struct launch_row *early = &home->row;
	int i;

	if (!home->slot || home->slot >= LAUNCH_SLOTS) {
		*row = home->row;
		return;
	}
	*row = skeleton->bss->slots[home->slot].row;
	if (!early->launches && !early->captured)
		return;
	row->launches += early->launches;
	row->captured += early->captured;
	row->failures += early->failures;
	row->ns += early->ns;
	if (row->max_ns < early->max_ns)
		row->max_ns = early->max_ns;
	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		row->hist[i] += early->hist[i];
}

/*
 * Takes back the slot of @home, whose row ends. Nothing may count in it any more: its program has
 * ended.
 */
static void slots_take_back(struct cutop_bpf *skeleton, const struct launch_home *home)
{
	if (!home->slot || home->slot >= LAUNCH_SLOTS)
		return;
	memset(&skeleton->bss->slots[home->slot], 0, sizeof(skeleton->bss->slots[0]));
	put(skeleton, home->slot);
}

/* ---- map search ---- */

/*
 * Searches the maps of the BPF side; keys and values are bytes. probe/bpf_rows.h gives them types.
 * Batched look-ups: one system call brings a thousand rows. A hash map's batch ends at a bucket, so
 * it needs room for the largest bucket; if the kernel reports that there is too little (ENOSPC),
 * the buffers grow.
 * A batch looks into every bucket, and the maps have room for a quarter of a million rows: that
 * takes 1 ms, even for a handful of rows. So the keys found by a search are kept, and looked up one
 * by one as long as BPF has added no row.
 */

#define BATCH_FIRST 1024
#define BATCH_LAST  65536
/*
 * How many buckets a batch searches in the time that it takes to look up one key: 0.4 us against 3
 * ns, measured.
 */
#define BUCKETS_PER_KEY 128

/* The keys of a map's rows. */
struct known {
	bool is_complete;
	__u32 made; /* how many rows the BPF side had added when the map was searched */
	char *keys;
	size_t count, room; /* room in bytes */
};

struct map_search {
	struct bpf *bpf;
	char *keys, *values;
	size_t keys_room, values_room; /* bytes */
	struct known known[ROWS_COUNT];
};

/* @bpf is borrowed. Returns NULL without memory; map_search_free() frees it. */
static struct map_search *map_search_new(struct bpf *bpf)
{
	struct map_search *search = calloc(1, sizeof(*search));

	if (search)
		search->bpf = bpf;
	return search;
}

static void map_search_free(struct map_search *search)
{
	int which;

	if (!search)
		return;
	for (which = 0; which < ROWS_COUNT; which++)
		free(search->known[which].keys);
	free(search->keys);
	free(search->values);
	free(search);
}

static int room_make(char **buffer, size_t *room, size_t need)
{
	char *more;

	if (*room >= need)
		return 0;
	more = realloc(*buffer, need);
	if (!more)
		return -ENOMEM;
	*buffer = more;
	*room = need;
	return 0;
}

static void known_add(struct known *known, const struct bpf_map *map, const void *key,
		      size_t key_size)
{
	if (!known || !known->is_complete)
		return;
	if (known->count >= bpf_map__max_entries(map) / BUCKETS_PER_KEY ||
	    ((known->count + 1) * key_size > known->room &&
	     room_make(&known->keys, &known->room, 2 * (known->count + 64) * key_size))) {
		known->is_complete = false;
		return;
	}
	memcpy(known->keys + known->count++ * key_size, key, key_size);
}

/*
 * Searches the whole of @map; unless @known is NULL, stores the keys of the remaining rows in it.
 */
static int search_all(struct map_search *search, const struct bpf_map *map, struct known *known,
		      bool (*visit)(void *context, const void *key, const void *value),
		      void *context)
{
	size_t key_size = bpf_map__key_size(map), value_size = bpf_map__value_size(map), i;
	__u32 batch = BATCH_FIRST, count;
	int fd = bpf_map__fd(map), err;
	__u64 position = 0;
	void *from = NULL;

	for (;;) {
		if (room_make(&search->keys, &search->keys_room, batch * key_size) ||
		    room_make(&search->values, &search->values_room, batch * value_size))
			return -ENOMEM;
		count = batch;
		err = bpf_map_lookup_batch(fd, from, &position, search->keys, search->values,
					   &count, NULL);
		if (err == -ENOSPC && batch < BATCH_LAST) {
			batch *= 2;
			continue;
		}
		if (err && err != -ENOENT)
			return err;
		for (i = 0; i < count; i++) {
			const char *key = search->keys + i * key_size;

			/*
			 * The next batch begins at a bucket, whichever keys were deleted from
			 * earlier ones.
			 */
			if (visit(context, key, search->values + i * value_size))
				bpf_map_delete_elem(fd, key);
			else
				known_add(known, map, key, key_size);
		}
		if (err)
			break;
		from = &position;
	}
	return 0;
}

/*
 * Calls @visit for every key and value of @map. A key for which it returns true is deleted. Returns
 * 0 or a negative errno.
 */
static int map_visit(struct map_search *search, const struct bpf_map *map,
		     bool (*visit)(void *context, const void *key, const void *value),
		     void *context)
{
	return search_all(search, map, NULL, visit, context);
}

static int look_up(struct map_search *search, const struct bpf_map *map, struct known *known,
		   bool (*visit)(void *context, const void *key, const void *value), void *context)
{
	size_t key_size = bpf_map__key_size(map), i = 0;
	int fd = bpf_map__fd(map);

	if (room_make(&search->values, &search->values_room, bpf_map__value_size(map)))
		return -ENOMEM;
	while (i < known->count) {
		char *key = known->keys + i * key_size;
		int err = bpf_map_lookup_elem(fd, key, search->values);

		if (err && err != -ENOENT)
			return err;
		if (!err && !visit(context, key, search->values)) {
			i++;
			continue;
		}
		if (!err)
			bpf_map_delete_elem(fd, key);
		memmove(key, known->keys + --known->count * key_size, key_size);
	}
	return 0;
}

static const struct bpf_map *map_of(const struct map_search *search, enum row_map which)
{
	const struct cutop_bpf *s = search->bpf->skeleton;
	const struct bpf_map *maps[ROWS_COUNT] = {
		[ROWS_PROGRAMS] = s->maps.programs,     [ROWS_LAUNCHES] = s->maps.launches,
		[ROWS_COPIES] = s->maps.copies,         [ROWS_CALLS] = s->maps.calls,
		[ROWS_GRAPHS] = s->maps.graphs,         [ROWS_FAILURES] = s->maps.failures,
		[ROWS_CALL_SITES] = s->maps.call_sites,
	};

	return maps[which];
}

/*
 * The same for a map whose added rows BPF counts. While none was added and they are few, the cost
 * depends on the number of rows, not on the size of the map.
 */
static int map_visit_known(struct map_search *search, enum row_map which,
			   bool (*visit)(void *context, const void *key, const void *value),
			   void *context)
{
	/* Read before the map: rows added meanwhile are found by the next search. */
	__u32 made =
		__atomic_load_n(&search->bpf->skeleton->bss->rows_made[which], __ATOMIC_SEQ_CST);
	const struct bpf_map *map = map_of(search, which);
	struct known *known = &search->known[which];
	int err;

	if (known->is_complete && known->made == made)
		return look_up(search, map, known, visit, context);
	known->is_complete = true;
	known->made = made;
	known->count = 0;
	err = search_all(search, map, known, visit, context);
	if (err)
		known->is_complete = false;
	return err;
}

/* ---- bpf rows ---- */

struct rows {
	struct cutop_bpf *skeleton;
	struct map_search *search;
};

/* One visit: whose visitor is called with what. */
struct visit {
	struct rows *rows;
	void *context;
	union {
		bool (*program)(void *context, uint32_t program, const struct program_row *row,
				const struct program_sync *sync);
		bool (*launch)(void *context, const struct launch_key *key,
			       const struct launch_row *row);
		bool (*copy)(void *context, const struct copy_key *key, const struct copy_row *row);
		bool (*call)(void *context, const struct call_key *key, const struct call_row *row);
		bool (*graph)(void *context, const struct graph_key *key,
			      const struct graph_row *row);
		bool (*fail)(void *context, const struct fail_key *key, const struct fail_row *row);
		bool (*call_site)(void *context, const struct call_site_key *key,
				  const struct call_site_row *row);
		bool (*is_gone)(void *context, uint32_t program);
	};
};

struct rows *rows_new(struct probe *probe)
{
	struct rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->skeleton = probe_bpf(probe)->skeleton;
	rows->search = map_search_new(probe_bpf(probe));
	if (rows->search)
		return rows;
	free(rows);
	return NULL;
}

void rows_free(struct rows *rows)
{
	if (rows)
		map_search_free(rows->search);
	free(rows);
}

static uint64_t histogram_sum(const __u64 *hist)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		sum += hist[i];
	return sum;
}

/* ---- programs ---- */

uint64_t rows_open_calls(const struct rows *rows, uint32_t program, uint32_t tgid,
			 uint64_t ns[TIME_NONE])
{
	/* Before Linux 6.1 the iterator visits every thread of the machine. */
	union bpf_iter_link_info process = { .task.pid = tgid };
	LIBBPF_OPTS(bpf_link_create_opts, options, .iter_info = &process,
		    .iter_info_len = sizeof(process));
	int link = bpf_link_create(bpf_program__fd(rows->skeleton->progs.open_calls), 0,
				   BPF_TRACE_ITER, &options);
	int fd = link < 0 ? -1 : bpf_iter_create(link);
	struct open_call open[64];
	uint64_t cpu_ns = 0;
	ssize_t len;

	memset(ns, 0, TIME_NONE * sizeof(*ns));
	while (fd >= 0 && (len = read(fd, open, sizeof(open))) > 0)
		for (size_t i = 0; i < (size_t)len / sizeof(*open); i++) {
			if (open[i].tgid == tgid)
				cpu_ns += open[i].cpu_ns;
			if (open[i].program == program && open[i].part < TIME_NONE)
				ns[open[i].part] += open[i].ns;
		}
	if (fd >= 0)
		close(fd);
	if (link >= 0)
		close(link);
	return cpu_ns;
}

bool rows_program(const struct rows *rows, uint32_t program, struct program_row *row)
{
	return !bpf_map_lookup_elem(bpf_map__fd(rows->skeleton->maps.programs), &program, row);
}

static bool program_visit(void *context, const void *key, const void *value)
{
	const struct visit *visit = context;
	const struct program_row *row = value;
	struct program_sync sync;
	uint32_t program;

	memcpy(&program, key, sizeof(program));
	if (!row->first_time)
		return false; /* it is being made */
	sync = near_sync_read(visit->rows->skeleton, program, row);
	if (!visit->program(visit->context, program, row, &sync))
		return false;
	near_sync_release(visit->rows->skeleton, program);
	return true;
}

void rows_visit_programs(struct rows *rows,
			 bool (*program)(void *context, uint32_t program,
					 const struct program_row *row,
					 const struct program_sync *sync),
			 void *context)
{
	struct visit visit = { .rows = rows, .context = context, .program = program };

	map_visit_known(rows->search, ROWS_PROGRAMS, program_visit, &visit);
}

/* ---- what is counted ---- */

static bool launch_visit(void *context, const void *key_bytes, const void *home_bytes)
{
	const struct visit *visit = context;
	struct launch_home home;
	struct launch_key key;
	struct launch_row row;

	memcpy(&key, key_bytes, sizeof(key));
	memcpy(&home, home_bytes, sizeof(home));
	slots_read(visit->rows->skeleton, &home, &row);
	row.samples = histogram_sum(row.hist);
	if (!visit->launch(visit->context, &key, &row))
		return false;
	slots_take_back(visit->rows->skeleton, &home);
	return true;
}

/* BPF itself counts only calls whose returns are not probed. */
static void copy_complete(struct cutop_bpf *skeleton, const struct copy_key *key,
			  struct copy_row *row)
{
	near_copy_add(skeleton, key, row);
	row->calls += histogram_sum(row->hist);
}

static void call_complete(struct cutop_bpf *skeleton, const struct call_key *key,
			  struct call_row *row)
{
	near_call_add(skeleton, key, row);
	row->calls += histogram_sum(row->hist);
}

#define AS_IT_IS(skeleton, key, row) ((void)0)
#define NOT_NEAR(skeleton, key)      ((void)0)

/* The program may have one more. */
static void call_site_release(struct cutop_bpf *skeleton, const struct call_site_key *key)
{
	size_t count =
		sizeof(skeleton->bss->call_sites_made) / sizeof(skeleton->bss->call_sites_made[0]);

	__atomic_sub_fetch(&skeleton->bss->call_sites_made[key->launch.program % count], 1,
			   __ATOMIC_RELAXED);
}

#define ROW_VISIT(what, complete, release) \
	static bool what##_visit(void *context, const void *key_bytes, const void *row_bytes) \
	{ \
		const struct visit *visit = context; \
		struct what##_key key; \
		struct what##_row row; \
\
		memcpy(&key, key_bytes, sizeof(key)); \
		memcpy(&row, row_bytes, sizeof(row)); \
		complete(visit->rows->skeleton, &key, &row); \
		if (!visit->what(visit->context, &key, &row)) \
			return false; \
		release(visit->rows->skeleton, &key); \
		return true; \
	}

ROW_VISIT(copy, copy_complete, near_copy_release)
ROW_VISIT(call, call_complete, near_call_release)
ROW_VISIT(graph, AS_IT_IS, NOT_NEAR)
ROW_VISIT(fail, AS_IT_IS, NOT_NEAR)
ROW_VISIT(call_site, AS_IT_IS, call_site_release)

#define ROWS_VISITOR(name, what, map) \
	void rows_visit_##name(struct rows *rows, \
			       bool (*what)(void *context, const struct what##_key *key, \
					    const struct what##_row *row), \
			       void *context) \
	{ \
		struct visit visit = { .rows = rows, .context = context, .what = what }; \
\
		map_visit_known(rows->search, map, what##_visit, &visit); \
	}

ROWS_VISITOR(launches, launch, ROWS_LAUNCHES)
ROWS_VISITOR(copies, copy, ROWS_COPIES)
ROWS_VISITOR(calls, call, ROWS_CALLS)
ROWS_VISITOR(graphs, graph, ROWS_GRAPHS)
ROWS_VISITOR(failures, fail, ROWS_FAILURES)
ROWS_VISITOR(call_sites, call_site, ROWS_CALL_SITES)

/* ---- other rows of a program ---- */

/* Keys that hold the program in the same place: those of names.bpf.h and names.bpf.h. */
struct address_key {
	__u64 address;
	__u32 program;
	__u32 pad;
};

static bool address_visit(void *context, const void *key_bytes, const void *value)
{
	const struct visit *visit = context;
	struct address_key key;

	(void)value;
	memcpy(&key, key_bytes, sizeof(key));
	return visit->is_gone(visit->context, key.program);
}

static bool primary_visit(void *context, const void *key_bytes, const void *value)
{
	const struct visit *visit = context;
	struct primary_key {
		__u32 program;
		__s32 device;
	} key;

	(void)value;
	memcpy(&key, key_bytes, sizeof(key));
	return visit->is_gone(visit->context, key.program);
}

/* Captures that the program did not end. Launches no longer need to look for them. */
static bool capture_visit(void *context, const void *key_bytes, const void *value)
{
	const struct visit *visit = context;
	struct cutop_bpf *s = visit->rows->skeleton;
	size_t count = sizeof(s->bss->capturing) / sizeof(s->bss->capturing[0]);
	struct address_key key;

	if (!address_visit(context, key_bytes, value))
		return false;
	memcpy(&key, key_bytes, sizeof(key));
	__atomic_sub_fetch(&s->bss->capturing[key.program % count], 1, __ATOMIC_RELAXED);
	return true;
}

void rows_forget(struct rows *rows, bool (*is_gone)(void *context, uint32_t program),
		 bool (*names_gone)(void *context, uint32_t program), void *context)
{
	struct cutop_bpf *s = rows->skeleton;
	struct visit names = { .rows = rows, .context = context, .is_gone = names_gone };
	struct visit visit = { .rows = rows, .context = context, .is_gone = is_gone };

	map_visit(rows->search, s->maps.stubs, address_visit, &names);
	map_visit(rows->search, s->maps.handles, address_visit, &names);
	map_visit(rows->search, s->maps.sites, address_visit, &visit);
	map_visit(rows->search, s->maps.modules, address_visit, &visit);
	map_visit(rows->search, s->maps.stacks, address_visit, &visit);
	map_visit(rows->search, s->maps.contexts, address_visit, &visit);
	map_visit(rows->search, s->maps.primaries, primary_visit, &visit);
	map_visit(rows->search, s->maps.captures, capture_visit, &visit);
	map_visit(rows->search, s->maps.capture_streams, address_visit, &visit);
	map_visit(rows->search, s->maps.capture_events, address_visit, &visit);
}

/* ---- sums ---- */

uint64_t rows_lost(const struct rows *rows, enum lost_cause cause)
{
	return __atomic_load_n(&rows->skeleton->bss->lost[cause], __ATOMIC_RELAXED);
}

uint32_t rows_untold_files(const struct rows *rows)
{
	return __atomic_load_n(&rows->skeleton->bss->files_untold, __ATOMIC_RELAXED);
}

uint64_t rows_unwatched(const struct rows *rows, uint32_t *tgid, const char **comm)
{
	*tgid = rows->skeleton->bss->unwatched_tgid;
	*comm = rows->skeleton->bss->unwatched_comm;
	return __atomic_load_n(&rows->skeleton->bss->unwatched_allocations, __ATOMIC_RELAXED);
}
