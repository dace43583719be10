/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of samples for each kernel; all rings turn together. They are in a hash table with linear
 * probing that is never more than three quarters full.
 */
#include "view/kernel_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct kernel_ring {
	uint64_t key; /* 0: unused */
	float *samples;
};

uint64_t kernel_key(uint32_t program, const struct snap_kernel *kernel)
{
	/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
	uint64_t hash = 0xcbf29ce484222325, prime = 0x100000001b3;

	/* Several symbols may have one demangled form: constructors, and clones of a function. */
	for (const char *at = kernel->symbol ? kernel->symbol : kernel->signature; *at; at++)
		hash = (hash ^ (unsigned char)*at) * prime;
	hash = (hash ^ program) * prime;
	hash = (hash ^ (uint64_t)(unsigned int)kernel->device) * prime;
	hash = (hash ^ kernel->is_graph) * prime;
	/*
	 * Without a symbol, as graphs are, the address is all that tells those of one name apart.
	 */
	if (kernel->is_graph || !kernel->symbol)
		hash = (hash ^ kernel->function) * prime;
	return hash ? hash : 1;
}

void kernel_rates_clear(struct kernel_rates *rates)
{
	for (size_t i = 0; rates->rings && i < RATES_MOST; i++)
		free(rates->rings[i].samples);
	free(rates->rings);
	memset(rates, 0, sizeof(*rates));
}

/* The place of @key, or the free one where it would be. */
static struct kernel_ring *ring_find(const struct kernel_rates *rates, uint64_t key)
{
	size_t at = (size_t)(key ^ key >> 32) % RATES_MOST;

	while (rates->rings[at].key && rates->rings[at].key != key)
		at = (at + 1) % RATES_MOST;
	return &rates->rings[at];
}

static struct kernel_ring *ring_get(struct kernel_rates *rates, uint64_t key)
{
	struct kernel_ring *ring = ring_find(rates, key);

	if (ring->key)
		return ring;
	if (rates->used >= RATES_MOST / 4 * 3)
		return NULL;
	ring->samples = calloc(RATES_KEPT, sizeof(*ring->samples));
	if (!ring->samples)
		return NULL;
	ring->key = key;
	rates->used++;
	return ring;
}

void kernel_rates_feed(struct kernel_rates *rates, const struct snap_process *process,
		       double elapsed)
{
	if (!process || process->program != rates->program || elapsed < rates->elapsed) {
		kernel_rates_clear(rates);
		rates->program = process ? process->program : 0;
	}
	if (!process || (rates->count && elapsed <= rates->elapsed))
		return;
	if (!rates->rings)
		rates->rings = calloc(RATES_MOST, sizeof(*rates->rings));
	if (!rates->rings)
		return;
	rates->elapsed = elapsed;
	for (size_t i = 0; i < RATES_MOST; i++)
		if (rates->rings[i].key)
			rates->rings[i].samples[rates->at] = 0;
	for (size_t i = 0; i < process->kernel_count; i++) {
		const struct snap_kernel *kernel = &process->kernels[i];
		double rate = kernel->launches_per_second + kernel->graph_launches_per_second;
		struct kernel_ring *ring = ring_get(rates, kernel_key(process->program, kernel));

		if (ring && isfinite(rate))
			ring->samples[rates->at] = (float)rate;
	}
	rates->at = (rates->at + 1) % RATES_KEPT;
	rates->count += rates->count < RATES_KEPT;
}

size_t kernel_rates_read(const struct kernel_rates *rates, uint32_t program,
			 const struct snap_kernel *kernel, float out[RATES_KEPT])
{
	const struct kernel_ring *ring;

	if (rates->program != program || !rates->rings)
		return 0;
	ring = ring_find(rates, kernel_key(program, kernel));
	if (!ring->key)
		return 0;
	for (size_t i = 0; i < rates->count; i++)
		out[i] = ring->samples[(rates->at + RATES_KEPT - rates->count + i) % RATES_KEPT];
	return rates->count;
}
