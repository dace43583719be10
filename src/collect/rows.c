/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batched look-ups: one system call brings a thousand rows. A hash map's
 * batch ends at a bucket, so a batch must have room for the largest one; when the
 * kernel says it has not (ENOSPC), the buffers grow. Kernels whose maps
 * cannot be read in batches are read key by key.
 */
#include "collect/rows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_FIRST	1024
#define BATCH_LAST	65536

struct rows {
	struct bpf *bpf;
	char *keys, *values, *doomed;
	size_t keys_room, values_room, doomed_room;	/* bytes */
};

struct rows *rows_new(struct bpf *bpf)
{
	struct rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		rows->bpf = bpf;
	return rows;
}

void rows_free(struct rows *rows)
{
	if (!rows)
		return;
	free(rows->keys);
	free(rows->values);
	free(rows->doomed);
	free(rows);
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

static int doom(struct rows *rows, size_t *count, const void *key, size_t key_size)
{
	if ((*count + 1) * key_size > rows->doomed_room &&
	    room_make(&rows->doomed, &rows->doomed_room, 2 * (*count + 64) * key_size))
		return -ENOMEM;
	memcpy(rows->doomed + *count * key_size, key, key_size);
	(*count)++;
	return 0;
}

int rows_visit(struct rows *rows, const struct bpf_map *map,
	       bool (*visit)(void *context, const void *key, const void *value), void *context)
{
	size_t key_size = bpf_map__key_size(map), value_size = bpf_map__value_size(map), doomed = 0, i;
	__u32 batch = BATCH_FIRST, count;
	int fd = bpf_map__fd(map), err;
	__u64 position = 0;
	void *from = NULL;

	for (;;) {
		if (room_make(&rows->keys, &rows->keys_room, batch * key_size) ||
		    room_make(&rows->values, &rows->values_room, batch * value_size))
			return -ENOMEM;
		count = batch;
		err = bpf_map_lookup_batch(fd, from, &position, rows->keys, rows->values, &count, NULL);
		if (err == -ENOSPC && batch < BATCH_LAST) {
			batch *= 2;
			continue;
		}
		if (err && err != -ENOENT)
			return err;
		for (i = 0; i < count; i++)
			if (visit(context, rows->keys + i * key_size, rows->values + i * value_size) &&
			    doom(rows, &doomed, rows->keys + i * key_size, key_size))
				break;	/* no memory to remember it: next time */
		if (err)
			break;
		from = &position;
	}
	for (i = 0; i < doomed; i++)
		bpf_map_delete_elem(fd, rows->doomed + i * key_size);
	return 0;
}
