// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks at random through pools that tell nothing of their blocks: two of device memory, one of the
 * host's, by four threads. At each line of its input it writes what its own books have, by device;
 * at the end of the input it ends and leaves what is live.
 */
#include "pools.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_double.h"

#define POOLS   3
#define THREADS 4
#define STEPS   3000
#define HELD    200 /* blocks of a thread at most */
#define ARENA   (64ul << 20)

static struct {
	struct pool *pool;
	int device; /* -1: the host */
	unsigned long allocated, blocks, handed_out, taken_back, shortages;
} pools[POOLS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct walker {
	unsigned int seed;
	struct {
		int pool;
		size_t bytes;
		void *block;
	} held[HELD];
	size_t count;
};

static void booked(int pool, long blocks, long bytes, int is_short)
{
	pthread_mutex_lock(&lock);
	pools[pool].blocks += (unsigned long)blocks;
	pools[pool].allocated += (unsigned long)(blocks * bytes);
	pools[pool].handed_out += blocks > 0;
	pools[pool].taken_back += blocks < 0;
	pools[pool].shortages += (unsigned long)is_short;
	pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) void walker_take(struct walker *walker)
{
	int pool = rand_r(&walker->seed) % POOLS;
	/* Mostly small; one that no pool has room for is rare. */
	size_t bytes =
		1 + (size_t)rand_r(&walker->seed) % (rand_r(&walker->seed) % 8 ? 4096 : 1 << 20);
	void *block;

	if (!(rand_r(&walker->seed) % 64))
		bytes = 2 * ARENA;
	if (!(rand_r(&walker->seed) % 16))
		pool_throw(pools[pool].pool, bytes);
	block = pool_take(pools[pool].pool, bytes, rand_r(&walker->seed) % 2); /* the take */
	if (block) {
		walker->held[walker->count].pool = pool;
		walker->held[walker->count].bytes = bytes;
		walker->held[walker->count++].block = block;
	}
	booked(pool, block ? 1 : 0, (long)pool_round(bytes), !block);
}

static void walker_give(struct walker *walker)
{
	size_t i = (size_t)rand_r(&walker->seed) % walker->count;
	int pool = walker->held[i].pool;

	booked(pool, -1, (long)pool_round(walker->held[i].bytes), 0);
	pool_give(pools[pool].pool, walker->held[i].block);
	walker->held[i] = walker->held[--walker->count];
}

static void *walk(void *context)
{
	struct walker *walker = context;
	int i;

	for (i = 0; i < STEPS; i++)
		if (walker->count && (walker->count == HELD || rand_r(&walker->seed) % 2))
			walker_give(walker);
		else
			walker_take(walker);
	return NULL;
}

/* Walkers exchange their blocks: what one took another gives back. */
static void walk_all(struct walker *walkers)
{
	pthread_t threads[THREADS];
	struct walker first;
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, walk, &walkers[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	first = walkers[0];
	for (i = 0; i + 1 < THREADS; i++)
		walkers[i] = walkers[i + 1];
	walkers[i] = first;
}

int main(int argc, char **argv)
{
	static struct walker walkers[THREADS];
	FILE *to = argc > 1 ? fopen(argv[1], "w") : NULL;
	char line[16];
	int i;

	if (!to)
		return 2;
	for (i = 0; i < POOLS; i++) {
		pools[i].device = i < 2 ? i : -1;
		cudaSetDevice(i < 2 ? i : 0);
		pools[i].pool = pool_new((enum pool_memory)i, ARENA);
		if (!pools[i].pool)
			return 3;
	}
	for (i = 0; i < THREADS; i++)
		walkers[i].seed = (unsigned int)i + 1;
	while (fgets(line, sizeof(line), stdin)) {
		walk_all(walkers);
		fprintf(to, "[");
		for (i = 0; i < 2; i++)
			fprintf(to,
				"%s{\"device\":%d,\"allocated_bytes\":%lu,\"reserved_bytes\":%lu,\"blocks\":%lu,\"handed_out\":%lu,\"taken_back\":%lu,\"out_of_memory\":%lu}",
				i ? "," : "", pools[i].device, pools[i].allocated, ARENA,
				pools[i].blocks, pools[i].handed_out, pools[i].taken_back,
				pools[i].shortages);
		fprintf(to, "]\n");
		fflush(to);
	}
	return 0;
}
