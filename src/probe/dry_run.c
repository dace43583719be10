/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs watch listed processes only, and none is listed. */
#include "probe/dry_run.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
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

/* ---- hit cost ---- */

/*
 * What a hit of a probe costs a program on this machine.
 * Calls a function of two instructions with and without a probe. A loop of nothing else shows a
 * third of what a program pays, since its code and the kernel's stay in the caches: so before each
 * call as much memory is read as the nearer caches hold. The program that runs at the probe is the
 * one for launches, which finds that cutop itself is not watched.
 */

/*
 * What a watched program's hit takes, compared to one here, whose program ends at once: measured
 * with PyTorch, docs/cost.md.
 */
#define WATCHED    2.4
#define CALLS      64
#define CACHE_SIZE (2u << 20) /* bytes, of a second-level cache */
#define CACHE_LINE 64

#if defined(__x86_64__)
static const unsigned char probed_code[] = { 0x90, 0xc3 }; /* nop; ret */
#elif defined(__aarch64__)
static const unsigned char probed_code[] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };
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
	    write(fd, probed_code, sizeof(probed_code)) != (ssize_t)sizeof(probed_code))
		goto out;
	place = mmap(NULL, sizeof(probed_code), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (place == MAP_FAILED)
		goto out;
	memset(memory, 1, CACHE_SIZE);
	memcpy(&function, &place,
	       sizeof(function)); /* ISO C has no cast from data to probed_code */
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
		munmap(place, sizeof(probed_code));
	if (fd >= 0)
		close(fd);
	free(memory);
	return probed ? (uint64_t)(WATCHED * (double)probed) : HIT_COST_USUAL;
}

/* ---- loading ---- */

/*
 * Watching for libraries that programs load while they run.
 * A program brings in a library by mmap(2). There are two ways to see that: the kernel's function
 * behind the system call, if it can be traced; or the first touch of a page of the file, which
 * costs mmap(2) nothing and each such page fault a little.
 * A compiler may have inlined a copy of the function that the probe does not see, and a file system
 * may bring its pages to a process in its own way. So we map and touch some code of our own, and
 * check whether the BPF program saw that.
 */

static bool is_seen(struct bpf *bpf)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	volatile __u32 *seen = &bpf->skeleton->bss->own_mappings;
	__u32 before = *seen;
	void *code;

	if (fd < 0)
		return false;
	code = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (code == MAP_FAILED)
		return false;
	(void)*(const volatile char *)code;
	munmap(code, page);
	return *seen != before;
}

/* Ends @watch: closes its descriptors. */
static void loading_end(struct loading_watch *watch)
{
	for (size_t i = 0; i < 2; i++) {
		if (watch->fds[i] >= 0)
			close(watch->fds[i]);
		watch->fds[i] = -1;
	}
}

/*
 * Watches with @programs, one or two, of the type they were loaded as. Returns 0 or a negative
 * errno.
 */
static int place_watch(struct bpf *bpf, struct loading_watch *watch,
		       const struct bpf_program *program, const struct bpf_program *other)
{
	const struct bpf_program *programs[2] = { program, other };
	int err = 0;

	for (size_t i = 0; i < 2 && programs[i] && !err; i++) {
		/*
		 * Attaches like a tp_btf program, to what it was loaded for: linux/bpf.h,
		 * BPF_RAW_TRACEPOINT_OPEN
		 */
		watch->fds[i] = bpf_raw_tracepoint_open(NULL, bpf_program__fd(programs[i]));
		if (watch->fds[i] < 0)
			err = watch->fds[i];
		else
			fcntl(watch->fds[i], F_SETFD, FD_CLOEXEC);
	}
	if (!err && !is_seen(bpf))
		err = -ENOTSUP;
	if (err)
		loading_end(watch);
	return err;
}

int loading_watch(struct bpf *bpf, struct loading_watch *watch)
{
	int err = -ENOTSUP;

	*watch = (struct loading_watch){ .fds = { -1, -1 }, .way = LOADING_FUNCTION };
	if (bpf->features.map_function)
		err = place_watch(bpf, watch, bpf->skeleton->progs.file_mapping, NULL);
	if (err && bpf->features.map_touch) {
		watch->way = LOADING_TOUCH;
		err = place_watch(bpf, watch, bpf->skeleton->progs.file_touch,
				  bpf->skeleton->progs.file_touch_alone);
	}
	return err;
}

/* ---- dry run ---- */

struct dry_run {
	struct bpf bpf;
};

int dry_run_open(struct dry_run **result, const struct kernel_features *features,
		 unsigned int layers, uint64_t ring_bytes, struct reason *why)
{
	const struct bpf_settings settings = {
		.only_listed = true,
		.follow_children = true,
		.only_uid = (uint32_t)-1,
		.ring_bytes = ring_bytes,
		.layers = layers,
	};
	struct dry_run *dry_run = calloc(1, sizeof(*dry_run));
	int err;

	*result = NULL;
	if (!dry_run)
		return reason_set(why, -ENOMEM, "no memory");
	err = bpf_open(&dry_run->bpf, features, &settings, why);
	if (err) {
		free(dry_run);
		return err;
	}
	*result = dry_run;
	return 0;
}

void dry_run_close(struct dry_run *dry_run)
{
	if (!dry_run)
		return;
	bpf_close(&dry_run->bpf);
	free(dry_run);
}

int dry_run_watch(struct dry_run *dry_run, enum dry_run_event event)
{
	struct cutop_bpf *s = dry_run->bpf.skeleton;
	struct bpf_program *programs[] = {
		[DRY_RUN_EXEC] = s->progs.process_exec,
		[DRY_RUN_EXIT] = s->progs.process_exit,
		[DRY_RUN_FORK] = s->progs.process_fork,
	};
	struct loading_watch watch;
	int fd, err;

	if (event == DRY_RUN_MMAP) {
		err = loading_watch(&dry_run->bpf, &watch);
		if (err)
			return err;
		loading_end(&watch);
		return (int)watch.way;
	}
	fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(programs[event]));
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

uint64_t dry_run_hit_cost(const struct dry_run *dry_run)
{
	return hit_cost_measure(&dry_run->bpf);
}

int dry_run_identifier(const struct dry_run *dry_run)
{
	return bpf_identifier(&dry_run->bpf);
}
