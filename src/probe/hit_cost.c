/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls a function of two instructions with and without a probe. A loop of nothing else shows a
 * third of what a program pays, since its code and the kernel's stay in the caches: so before each
 * call as much memory is read as the nearer caches hold. The program that runs at the probe is the
 * one for launches, which finds that cutop itself is not watched.
 */
#include "probe/hit_cost.h"

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/attach.h"
#include "probe/bpf.h"
#include "util/saturated.h"
#include "util/util.h"

/*
 * What a watched program's hit takes, compared to one here, whose program ends at once: measured
 * with PyTorch, docs/cost.md.
 */
#define WATCHED    2.4
#define CALLS      64
#define CACHE_SIZE (2u << 20) /* bytes, of a second-level cache */
#define CACHE_LINE 64

#if defined(__x86_64__)
static const unsigned char code[] = { 0x90, 0xc3 }; /* nop; ret */
#elif defined(__aarch64__)
static const unsigned char code[] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The median of CALLS calls, each after the caches were filled from @memory. */
static uint64_t call_cost(void (*function)(void), const volatile unsigned char *memory)
{
	uint64_t took[CALLS], before;
	size_t i, at;

	for (i = 0; i < CALLS; i++) {
		for (at = 0; at < CACHE_SIZE; at += CACHE_LINE)
			(void)memory[at];
		before = clock_ns(CLOCK_MONOTONIC);
		function();
		took[i] = clock_ns(CLOCK_MONOTONIC) - before;
	}
	qsort(took, CALLS, sizeof(*took), compare);
	return took[CALLS / 2];
}

uint64_t hit_cost_measure(const struct bpf *bpf)
{
	struct bpf_programs programs = bpf_class_programs(bpf, CLASS_LAUNCH);
	bool session = bpf->features.method == ATTACH_SESSION && programs.session;
	int fd = file_in_memory("cutop-cost"), link = -1;
	uint64_t plain, probed = 0, offset = 0;
	unsigned char *memory = malloc(CACHE_SIZE);
	void (*function)(void);
	void *place = MAP_FAILED;
	char path[64];

	/* Older kernels take a tenth of a second to remove a probe. */
	if (fd < 0 || !memory || bpf->features.method == ATTACH_PERF ||
	    write(fd, code, sizeof(code)) != (ssize_t)sizeof(code))
		goto out;
	place = mmap(NULL, sizeof(code), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (place == MAP_FAILED)
		goto out;
	memset(memory, 1, CACHE_SIZE);
	memcpy(&function, &place, sizeof(function)); /* ISO C has no cast from data to code */
	plain = call_cost(function, memory);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	link = link_places(bpf_program__fd(session ? programs.session : programs.enter),
			   session ? ATTACH_SESSION : ATTACH_MULTI, path, &offset, 1);
	if (link < 0)
		goto out;
	probed = subtract_saturated(call_cost(function, memory), plain);
out:
	if (link >= 0)
		close(link);
	if (place != MAP_FAILED)
		munmap(place, sizeof(code));
	if (fd >= 0)
		close(fd);
	free(memory);
	return probed ? (uint64_t)(WATCHED * (double)probed) : HIT_COST_USUAL;
}
