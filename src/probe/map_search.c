/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batched look-ups: one system call brings a thousand rows. A hash map's batch ends at a bucket, so
 * it needs room for the largest bucket; if the kernel reports that there is too little (ENOSPC),
 * the buffers grow.
 * A batch looks into every bucket, and the maps have room for a quarter of a million rows: that
 * takes 1 ms, even for a handful of rows. So the keys found by a search are kept, and looked up one
 * by one as long as BPF has added no row.
 */
#include "probe/map_search.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

struct map_search *map_search_new(struct bpf *bpf)
{
	struct map_search *search = calloc(1, sizeof(*search));

	if (search)
		search->bpf = bpf;
	return search;
}

void map_search_free(struct map_search *search)
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

int map_visit(struct map_search *search, const struct bpf_map *map,
	      bool (*visit)(void *context, const void *key, const void *value), void *context)
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

int map_visit_known(struct map_search *search, enum row_map which,
		    bool (*visit)(void *context, const void *key, const void *value), void *context)
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
