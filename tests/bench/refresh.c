/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one refresh of the screen costs with 200 processes, each with books as a training program
 * has them, at 200x60 on a terminal of its own; and how long the picture takes that answers a key,
 * while two other processes keep the processors busy and snapshots go on. A row of the first table
 * says what has changed since the snapshot before: nothing, the counters of every process, or
 * allocations of every process as well; a snapshot costs the same.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "model/model.h"
#include "util/util.h"
#include "view/terminal.h"
#include "view/view_internal.h"

enum {
	PROCESSES = 200,
	KERNELS = 50,
	SITES = 100,
	FRAMES = 20,
	PLACES = 400,
	ALLOCATIONS = 2000,
	CALLS = 20,
	MAP_MAX = 1000,
	ROUNDS = 30,
	KEYS = 200,
	BUSY = 2,
};

enum change { CHANGE_NOTHING, CHANGE_COUNTERS, CHANGE_ALL, CHANGE_COUNT };

static const char *const change_names[CHANGE_COUNT] = { "nothing", "counters",
							"counters, allocations" };

/* What the process with the terminal and the one that types into it share. */
struct shared {
	struct {
		double snapshot, refresh, output; /* ms of CPU */
		double written;                   /* kB of a refresh to the terminal */
		double bytes;                     /* MB for snapshots, between two of them */
	} rows[CHANGE_COUNT];
	unsigned int ready;                /* keys may come */
	uint64_t typed[KEYS], shown[KEYS]; /* ns, CLOCK_MONOTONIC */
	unsigned int shown_count;
	uint64_t bytes_written; /* by the terminal, as the reader counts them */
};

struct load {
	struct model *model;
	uint64_t now;
	uint64_t round;
};

/* ---- the books ---- */

static void give(struct load *load, uint32_t program, unsigned int type, void *record, size_t size)
{
	struct rec_hdr *hdr = record;

	load->now += 100;
	*hdr = (struct rec_hdr){ .type = (__u16)type,
				 .size = (__u16)size,
				 .program = program,
				 .time = load->now,
				 .tgid = 1000 + program,
				 .tid = 1000 + program };
	if (model_record(load->model, record, size)) {
		fprintf(stderr, "refresh: a record of type %u was refused\n", type);
		exit(1);
	}
}

static void give_text(struct load *load, uint32_t program, uint64_t address, const char *text)
{
	union {
		struct rec_text text;
		char bytes[512];
	} record = { .text = { .address = address, .text_len = (__u32)strlen(text) } };

	memcpy(record.bytes + sizeof(record.text), text, strlen(text));
	give(load, program, REC_SITE, &record, sizeof(record.text) + strlen(text));
}

static void give_frame(struct load *load, uint32_t program, uint64_t address, unsigned int number)
{
	union {
		struct rec_frame frame;
		char bytes[512];
	} record = { .frame = { .address = address, .line = number, .offset = 16 } };
	int len = snprintf(record.bytes + sizeof(record.frame),
			   sizeof(record.bytes) - sizeof(record.frame),
			   "layer_%u_forward%c/home/user/model/layer_%u.py%clibmodel.so", number, 0,
			   number, 0);

	give(load, program, REC_FRAME, &record, sizeof(record.frame) + (size_t)len + 1);
}

static uint64_t place_of(unsigned int number)
{
	return 0x400000 + number * 64ull;
}

static void give_names(struct load *load, uint32_t program)
{
	char text[256];
	unsigned int i, n;

	for (i = 0; i < PLACES; i++) {
		snprintf(text, sizeof(text), "train.layer_%u_forward+0x%x", i, i);
		give_text(load, program, place_of(i), text);
		give_frame(load, program, place_of(i), i);
	}
	for (i = 0; i < SITES; i++) {
		union {
			struct rec_stack stack;
			char bytes[sizeof(struct rec_stack) + FRAMES * sizeof(uint64_t)];
		} record = { .stack = { .stack = i + 1, .count = FRAMES } };

		for (n = 0; n < FRAMES; n++) {
			uint64_t place = place_of((i + n * 13) % PLACES);

			memcpy(record.bytes + sizeof(record.stack) + n * sizeof(place), &place,
			       sizeof(place));
		}
		give(load, program, REC_STACK, &record, sizeof(record));
	}
	for (i = 0; i < KERNELS; i++) {
		union {
			struct rec_kernel kernel;
			char bytes[512];
		} record = { .kernel = { .function = 0x500000 + i * 16,
					 .stub = 0x500000 + i * 16,
					 .source = NAME_REGISTERED,
					 .call = CALL_cudaLaunchKernel } };

		snprintf(text, sizeof(text),
			 "_ZN2at6native27unrolled_elementwise_kernelIfLi%uELi4EEEvPT_PKS2_i", i);
		record.kernel.name_len = (__u32)strlen(text);
		memcpy(record.bytes + sizeof(record.kernel), text, strlen(text));
		give(load, program, REC_KERNEL, &record,
		     (sizeof(record.kernel) + strlen(text) + 7) / 8 * 8);
	}
}

static void give_alloc(struct load *load, uint32_t program, uint64_t n)
{
	struct rec_alloc alloc = {
		.entry = load->now,
		.address = 0x7f0000000000 + n * 4096,
		.bytes = 256 + n * 7919 % 3840,
		.site = place_of((unsigned int)(n % SITES)),
		.stack = n % SITES + 1,
		.call = CALL_cudaMalloc,
		.kind = KIND_DEVICE,
	};

	give(load, program, REC_ALLOC, &alloc, sizeof(alloc));
}

static void give_free(struct load *load, uint32_t program, uint64_t n)
{
	struct rec_free record = {
		.entry = load->now,
		.address = 0x7f0000000000 + n * 4096,
		.call = CALL_cudaFree,
	};

	give(load, program, REC_FREE, &record, sizeof(record));
}

static void count_rows(struct load *load, uint32_t program)
{
	uint64_t steps = load->round + 1;
	unsigned int i;

	for (i = 0; i < KERNELS; i++) {
		struct launch_key key = { .program = program,
					  .call = CALL_cudaLaunchKernel,
					  .function = 0x500000 + i * 16 };
		struct launch_row row = { .launches = steps * (100 + i) + steps * steps * program,
					  .samples = steps * 10,
					  .ns = steps * 40000,
					  .max_ns = 9000 };

		row.hist[5] = steps * 4;
		row.hist[6] = steps * 6;
		model_launch_row(load->model, &key, &row);
	}
	for (i = 0; i < 6; i++) {
		struct copy_key key = { .program = program,
					.call = CALL_cudaMemcpy,
					.direction = (__u8)(i % 3),
					.mode = (__u8)(i / 3) };
		struct copy_row row = { .calls = steps * 10,
					.bytes = steps * 1000000 * (i + 1),
					.ns = steps * 10000,
					.max_ns = 2000 };

		row.hist[5] = row.sizes[20] = steps * 10;
		model_copy_row(load->model, &key, &row);
	}
	for (i = 0; i < CALLS; i++) {
		struct call_key key = { .program = program, .call = (__u16)(i * 7) };
		struct call_row row = { .calls = steps * 5, .ns = steps * 5000, .max_ns = 3000 };

		row.hist[4] = steps * 5;
		model_call_row(load->model, &key, &row);
	}
	model_sync(load->model, program, steps * (program % 10) * 10000000);
}

static void load_begin(struct load *load)
{
	struct model_config config = { .start_mono = 1,
				       .start_real = 1,
				       .leak_age = 300 * NSEC_PER_SEC };
	uint32_t program;
	unsigned int i;

	*load = (struct load){ .model = model_new(&config), .now = NSEC_PER_SEC };
	if (!load->model)
		exit(1);
	for (program = 1; program <= PROCESSES; program++) {
		struct rec_process process = { .parent_tgid = 1 };

		snprintf(process.comm, sizeof(process.comm), "worker-%u", program);
		give(load, program, REC_PROCESS, &process, sizeof(process));
		give_names(load, program);
		for (i = 0; i < ALLOCATIONS; i++)
			give_alloc(load, program, i);
		for (i = 0; i < 3; i++) {
			struct fail_key key = { .program = program,
						.call = (__u16)(i * 7),
						.result = 1 };
			struct fail_row row = { .count = 1 + i,
						.first = load->now,
						.last = load->now };
			struct rec_fail_at fail = { .fail = { .call = (__u16)(i * 7),
							      .result = 1,
							      .site = place_of(i) },
						    .stack = i + 1 };

			give(load, program, REC_FAIL, &fail, sizeof(fail));
			model_fail_row(load->model, &key, &row);
		}
		count_rows(load, program);
	}
}

static void load_change(struct load *load, enum change change)
{
	uint32_t program;
	uint64_t i;

	load->round++;
	for (program = 1; program <= PROCESSES && change != CHANGE_NOTHING; program++) {
		count_rows(load, program);
		for (i = 0; i < 4 && change == CHANGE_ALL; i++) {
			give_free(load, program, load->round * 4 + i);
			give_alloc(load, program, ALLOCATIONS + load->round * 4 + i);
		}
	}
}

static struct snapshot *load_snapshot(struct load *load)
{
	struct snapshot *snapshot;

	load->now += NSEC_PER_SEC;
	snapshot = model_snapshot(load->model, load->now, MAP_MAX);
	if (!snapshot)
		exit(1);
	return snapshot;
}

/* ---- what a refresh costs ---- */

static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static double allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return (double)(info.uordblks + info.hblkhd);
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

struct screen {
	struct load load;
	double books; /* bytes before there was a snapshot */
	struct view *view;
	struct canvas canvas;
	struct terminal *terminal;
};

static void screen_show(struct screen *screen)
{
	view_draw(screen->view, &screen->canvas);
	terminal_show(screen->terminal, &screen->canvas, screen->view->settings.theme);
}

/* The median, which no interruption moves. */
static uint64_t middle_of(uint64_t *list, size_t count)
{
	size_t i, j;

	for (i = 1; i < count; i++)
		for (j = i; j && list[j] < list[j - 1]; j--) {
			uint64_t other = list[j];

			list[j] = list[j - 1];
			list[j - 1] = other;
		}
	return list[count / 2];
}

static void measure(struct screen *screen, struct shared *shared, enum change change)
{
	uint64_t snapshots[ROUNDS], refreshes[ROUNDS], outputs[ROUNDS], begin, before;
	int i;

	before = __atomic_load_n(&shared->bytes_written, __ATOMIC_RELAXED);
	/* The first two rounds find what the last change of another kind left behind. */
	for (i = -2; i < ROUNDS; i++) {
		int at = i < 0 ? 0 : i;
		struct snapshot *snapshot;

		load_change(&screen->load, change);
		begin = cpu_ns();
		snapshot = load_snapshot(&screen->load);
		snapshots[at] = cpu_ns() - begin;
		begin = cpu_ns();
		view_feed(screen->view, snapshot);
		view_draw(screen->view, &screen->canvas);
		refreshes[at] = cpu_ns() - begin;
		begin = cpu_ns();
		terminal_show(screen->terminal, &screen->canvas, screen->view->settings.theme);
		outputs[at] = cpu_ns() - begin;
	}
	usleep(100000);
	before = __atomic_load_n(&shared->bytes_written, __ATOMIC_RELAXED) - before;
	shared->rows[change].snapshot = ms(middle_of(snapshots, ROUNDS));
	shared->rows[change].refresh = ms(middle_of(refreshes, ROUNDS));
	shared->rows[change].output = ms(middle_of(outputs, ROUNDS));
	shared->rows[change].written = (double)before / (ROUNDS + 2) / 1e3;
	shared->rows[change].bytes = (allocated() - screen->books) / 1e6;
}

/* ---- keys ---- */

struct collector {
	struct load *load;
	pthread_mutex_t lock;
	struct snapshot *latest;
	int ready;
	bool stop;
};

static void *collect(void *argument)
{
	struct collector *collector = argument;
	struct snapshot *snapshot, *old;
	bool stop;

	do {
		load_change(collector->load, CHANGE_ALL);
		snapshot = load_snapshot(collector->load);
		pthread_mutex_lock(&collector->lock);
		old = collector->latest;
		collector->latest = snapshot;
		stop = collector->stop;
		pthread_mutex_unlock(&collector->lock);
		snapshot_free(old);
		eventfd_write(collector->ready, 1);
		usleep(200000);
	} while (!stop);
	return NULL;
}

static struct snapshot *collected(struct collector *collector)
{
	struct snapshot *snapshot;
	eventfd_t value;

	eventfd_read(collector->ready, &value);
	pthread_mutex_lock(&collector->lock);
	snapshot = collector->latest;
	collector->latest = NULL;
	pthread_mutex_unlock(&collector->lock);
	return snapshot;
}

static void answer_keys(struct screen *screen, struct shared *shared)
{
	struct collector collector = { .load = &screen->load,
				       .lock = PTHREAD_MUTEX_INITIALIZER,
				       .ready = eventfd(0, EFD_NONBLOCK) };
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = collector.ready, .events = POLLIN } };
	struct terminal_event event;
	unsigned int count = 0;
	pthread_t thread;

	if (collector.ready < 0 || pthread_create(&thread, NULL, collect, &collector))
		exit(1);
	__atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
	while (count < KEYS && poll(fds, 2, 10000) > 0) {
		unsigned int keys = 0;

		while (terminal_event(screen->terminal, &event)) {
			view_key(screen->view, event.key);
			keys++;
		}
		if (fds[1].revents)
			view_feed(screen->view, collected(&collector));
		screen_show(screen);
		for (; keys && count < KEYS; keys--)
			shared->shown[count++] = clock_ns(CLOCK_MONOTONIC);
		__atomic_store_n(&shared->shown_count, count, __ATOMIC_RELEASE);
	}
	pthread_mutex_lock(&collector.lock);
	collector.stop = true;
	pthread_mutex_unlock(&collector.lock);
	pthread_join(thread, NULL);
	snapshot_free(collector.latest);
	close(collector.ready);
}

static void screen_run(struct shared *shared)
{
	struct screen screen = { .view = calloc(1, sizeof(struct view)) };
	struct reason why = { "" };
	unsigned int i;

	if (!screen.view || setenv("TERM", "xterm-256color", 1) ||
	    terminal_open(&screen.terminal, &(struct output){ .fd = STDOUT_FILENO }, true, &why) ||
	    canvas_resize(&screen.canvas, 60, 200))
		exit(1);
	view_init(screen.view);
	load_begin(&screen.load);
	model_focus(screen.load.model, 1);
	screen.books = allocated();
	for (i = 0; i < CHANGE_COUNT; i++)
		measure(&screen, shared, (enum change)i);
	answer_keys(&screen, shared);
	terminal_close(screen.terminal);
	view_clear(screen.view);
	canvas_free(&screen.canvas);
	model_free(screen.load.model);
	free(screen.view);
	exit(0);
}

/* ---- the other end of the terminal ---- */

/* Reads what the screen writes, for @until (ns) at most. False: it has ended. */
static bool drain(struct shared *shared, int terminal, uint64_t until)
{
	struct pollfd fd = { .fd = terminal, .events = POLLIN };
	char bytes[65536];
	ssize_t got;
	uint64_t now;

	while ((now = clock_ns(CLOCK_MONOTONIC)) < until) {
		if (poll(&fd, 1, (int)((until - now) / NSEC_PER_MSEC) + 1) <= 0)
			continue;
		got = read(terminal, bytes, sizeof(bytes));
		if (got <= 0)
			return false;
		__atomic_fetch_add(&shared->bytes_written, (uint64_t)got, __ATOMIC_RELAXED);
	}
	return true;
}

static void busy_loop(void)
{
	volatile uint64_t count = 0;

	for (;;)
		count++;
}

static void type_keys(struct shared *shared, int terminal)
{
	static const char keys[] = "jjL2j1kj3jjkj4jj";
	pid_t busy[BUSY];
	unsigned int i;

	while (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE))
		if (!drain(shared, terminal, clock_ns(CLOCK_MONOTONIC) + 10 * NSEC_PER_MSEC))
			return;
	for (i = 0; i < BUSY; i++) {
		busy[i] = fork();
		if (!busy[i])
			busy_loop();
	}
	for (i = 0; i < KEYS; i++) {
		if (!drain(shared, terminal,
			   clock_ns(CLOCK_MONOTONIC) + (37 + i % 13) * NSEC_PER_MSEC))
			break;
		shared->typed[i] = clock_ns(CLOCK_MONOTONIC);
		if (write(terminal, &keys[i % (sizeof(keys) - 1)], 1) != 1)
			break;
		while (__atomic_load_n(&shared->shown_count, __ATOMIC_ACQUIRE) <= i &&
		       drain(shared, terminal, clock_ns(CLOCK_MONOTONIC) + NSEC_PER_MSEC))
			;
	}
	for (i = 0; i < BUSY; i++)
		if (busy[i] > 0) {
			kill(busy[i], SIGKILL);
			waitpid(busy[i], NULL, 0);
		}
}

static void report(struct shared *shared)
{
	uint64_t waits[KEYS];
	unsigned int i;

	printf("%u processes, each with %u live allocations at %u stacks of %u frames and %u kernels\n",
	       PROCESSES, ALLOCATIONS, SITES, FRAMES, KERNELS);
	printf("ms of CPU, medians (to reach: a snapshot 20, a refresh with its output 1)\n");
	printf("%-24s %9s %9s %9s %9s %9s\n", "changed", "snapshot", "refresh", "output", "kB out",
	       "MB held");
	for (i = 0; i < CHANGE_COUNT; i++)
		printf("%-24s %9.2f %9.2f %9.2f %9.1f %9.1f\n", change_names[i],
		       shared->rows[i].snapshot, shared->rows[i].refresh, shared->rows[i].output,
		       shared->rows[i].written, shared->rows[i].bytes);
	if (shared->shown_count < KEYS) {
		printf("only %u keys were answered\n", shared->shown_count);
		return;
	}
	for (i = 0; i < KEYS; i++)
		waits[i] = shared->shown[i] - shared->typed[i];
	middle_of(waits, KEYS);
	printf("ms from a key to its picture, %u busy processes beside, %u keys (to reach: 20)\n",
	       BUSY, KEYS);
	printf("%9s %9s %9s\n", "p50", "p95", "longest");
	printf("%9.1f %9.1f %9.1f\n", ms(waits[KEYS / 2]), ms(waits[KEYS * 95 / 100]),
	       ms(waits[KEYS - 1]));
}

int main(void)
{
	struct winsize size = { .ws_row = 60, .ws_col = 200 };
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int terminal, status;
	pid_t child;

	if (shared == MAP_FAILED)
		return 1;
	child = forkpty(&terminal, NULL, NULL, &size);
	if (child < 0)
		return 1;
	if (!child)
		screen_run(shared);
	type_keys(shared, terminal);
	while (drain(shared, terminal, clock_ns(CLOCK_MONOTONIC) + NSEC_PER_SEC))
		;
	if (waitpid(child, &status, 0) != child || status) {
		fprintf(stderr, "refresh: the screen has failed\n");
		return 1;
	}
	report(shared);
	return 0;
}
