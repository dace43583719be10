/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes through the ring, together with what the process that reads source lines replies: the
 * feed, its modules, call sites and stacks as they are, between a ring, maps and a process that are
 * made up here. BPF is ours, so that a record is as long as its type says; what stands in it comes
 * from watched programs. The process has read hostile files: it says anything.
 *
 * The input: a file that all mappings are of (2 bytes, little-endian: how long it is), then what
 * happens, a byte each:
 *
 *   0 record	its length (2 bytes) and its bytes, filled up to the size of its type
 *   1 reply	to the question that waits longest: its line (4 bytes) and the time it took (4 bytes)
 *   2 reply	of 256 bytes, the first of a struct resolver_answer
 *   5 reply	as 1, then how many functions were inlined there, and of each its line (4 bytes) and
 *		a number that stands in its name
 *   3		the process ends
 *   4		a snapshot is made
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/feed.h"
#include "cutop_allocator.h"
#include "cutop_python.h"
#include "fuzz.h"
#include "model/model.h"
#include "names/demangle_run.h"
#include "names/resolver_process.h"
#include "names/symtab.h"
#include "probe/bpf_rows.h"
#include "probe/outside.h"
#include "probe/ring.h"
#include "probe/unwind_rows.h"

#define START 100000000000ull
/* No process has it: of the watched programs, and of the process that replies */
#define FAKE_PID 0x7ffffff0
#define BUDGET   (SYMTAB_MEMORY + (8ull << 20))

static struct {
	const uint8_t *data;
	size_t size;
	int (*take)(void *context, void *record, size_t size);
	void *context;
	struct budget *budget;
	int file;           /* what every mapping is of */
	unsigned int looks; /* at files and memory */
	int reader;         /* the other end of the resolver's socket, or -1 */
} world;

/* ---- probe/ ---- */

struct ring *ring_new(struct probe *probe, int (*read)(void *context, void *record, size_t size),
		      void *context)
{
	(void)probe;
	world.take = read;
	world.context = context;
	return (struct ring *)&world;
}

void ring_free(struct ring *ring)
{
	(void)ring;
}

int ring_fd(const struct ring *ring)
{
	(void)ring;
	return -1;
}

void ring_read(struct ring *ring)
{
	(void)ring; /* records are brought by record_bring() */
}

uint64_t ring_bytes(const struct ring *ring)
{
	(void)ring;
	return 16 << 20;
}

uint64_t ring_room_of(size_t size)
{
	return size;
}

/* Copied stacks are walked in fuzz_stacks.c. */
struct unwind_rows *unwind_rows_new(struct probe *probe)
{
	(void)probe;
	return NULL;
}

void unwind_rows_free(struct unwind_rows *rows)
{
	(void)rows;
}

void unwind_rows_set(struct unwind_rows *rows, uint64_t mark, uint64_t address,
		     const struct unwind_rule *rule)
{
	(void)rows;
	(void)mark;
	(void)address;
	(void)rule;
}

void unwind_rows_clear(struct unwind_rows *rows, uint64_t mark, uint64_t start, uint64_t end)
{
	(void)rows;
	(void)mark;
	(void)start;
	(void)end;
}

struct rows *rows_new(struct probe *probe)
{
	(void)probe;
	return (struct rows *)&world;
}

void rows_free(struct rows *rows)
{
	(void)rows;
}

bool rows_program(const struct rows *rows, uint32_t program, struct program_row *row)
{
	(void)rows;
	(void)program;
	(void)row;
	return false;
}

void rows_visit_programs(struct rows *rows,
			 bool (*visit)(void *context, uint32_t program,
				       const struct program_row *row,
				       const struct program_sync *sync),
			 void *context)
{
	(void)rows;
	(void)visit;
	(void)context;
}

#define NO_ROWS(name, what) \
	void rows_visit_##name(struct rows *rows, \
			       bool (*visit)(void *context, const struct what##_key *key, \
					     const struct what##_row *row), \
			       void *context) \
	{ \
		(void)rows; \
		(void)visit; \
		(void)context; \
	}
NO_ROWS(launches, launch)
NO_ROWS(copies, copy)
NO_ROWS(calls, call)
NO_ROWS(graphs, graph)
NO_ROWS(failures, fail)
NO_ROWS(pending, pending)
NO_ROWS(call_sites, call_site)

void rows_forget(struct rows *rows, bool (*is_gone)(void *context, uint32_t program),
		 bool (*names_gone)(void *context, uint32_t program), void *context)
{
	(void)rows;
	(void)is_gone;
	(void)names_gone;
	(void)context;
}

uint64_t rows_lost(const struct rows *rows, enum lost_cause cause)
{
	(void)rows;
	(void)cause;
	return 0;
}

uint32_t rows_untold_files(const struct rows *rows)
{
	(void)rows;
	return 0;
}

uint64_t rows_unwatched(const struct rows *rows, uint32_t *tgid, const char **comm)
{
	(void)rows;
	*tgid = 0;
	*comm = "";
	return 0;
}

struct budget *probe_budget(const struct probe *probe)
{
	(void)probe;
	return world.budget;
}

const struct notes *probe_notes(const struct probe *probe)
{
	(void)probe;
	return NULL;
}

void probe_on_exec(struct probe *probe, const struct rec_exec *record)
{
	(void)probe;
	(void)record;
}

void probe_on_mmap(struct probe *probe, const struct rec_mmap *record)
{
	(void)probe;
	(void)record;
}

void probe_on_translator(struct probe *probe, const struct rec_translator *record)
{
	(void)probe;
	(void)record;
}

void probe_find_running(struct probe *probe)
{
	(void)probe;
}

struct probe_counts probe_counts(const struct probe *probe)
{
	(void)probe;
	return (struct probe_counts){ 0 };
}

bool probe_misses_driver(const struct probe *probe)
{
	(void)probe;
	return false;
}

/* Of every second file the path is known, the others are found by their process. */
const char *probe_file_path(const struct probe *probe, const struct file_id *id)
{
	static char path[32];

	(void)probe;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", world.file);
	return id->inode % 2 ? path : NULL;
}

/* It is whatever file is asked about. */
static struct file_id identified;

bool probe_has_left(const struct probe *probe, uint32_t program)
{
	(void)probe;
	return program % 8 == 7;
}

int probe_watch_idle(struct probe *probe, uint32_t tgid, uint32_t uid, struct rec_process *process)
{
	(void)probe;
	(void)tgid;
	(void)uid;
	(void)process;
	return 0;
}

void probe_lost(struct probe *probe, enum lost_cause cause)
{
	(void)probe;
	if (cause >= LOST_BPF_COUNT)
		abort();
}

const struct outside *probe_outside(const struct probe *probe)
{
	static const struct outside outside;

	(void)probe;
	return &outside;
}

/*
 * ---- files and memory of others: at every third look it takes long, and every second file is a
 * copy ----
 */

unsigned int errands_news(const struct errands *errands)
{
	(void)errands;
	return world.looks / 3;
}

void errands_tend(struct errands *errands)
{
	(void)errands;
}

void seen_close(struct seen_file *seen)
{
	if (seen->fd >= 0)
		close(seen->fd);
	if (seen->place >= 0)
		close(seen->place);
	free(seen->path);
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
}

static int seen_make(struct seen_file *seen)
{
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	if (++world.looks % 3 == 0)
		return -EAGAIN;
	*seen = (struct seen_file){
		.fd = dup(world.file),
		.place = world.looks % 2 ? dup(world.file) : -1,
		.id = identified,
		.identified = true,
		.own = true,
		.path = strdup("/lib/x.so"),
	};
	if (seen->fd < 0 || !seen->path)
		abort();
	return 0;
}

int outside_open(const struct outside *outside, const char *path, unsigned int want,
		 enum errand_patience patience, struct seen_file *seen)
{
	(void)outside;
	(void)path;
	(void)want;
	(void)patience;
	return seen_make(seen);
}

int outside_open_cached(const struct outside *outside, const char *path, unsigned int want,
			struct seen_file *seen)
{
	(void)outside;
	(void)path;
	(void)want;
	return seen_make(seen);
}

int outside_open_again(const struct outside *outside, int fd, bool is_place, const char *path,
		       unsigned int want, struct seen_file *seen)
{
	(void)outside;
	(void)fd;
	(void)is_place;
	(void)path;
	(void)want;
	return seen_make(seen);
}

int outside_open_mapped(const struct outside *outside, pid_t pid, const struct maps_entry *entry,
			unsigned int want, struct seen_file *seen)
{
	(void)outside;
	(void)pid;
	(void)entry;
	(void)want;
	return seen_make(seen);
}

int outside_open_debug(const struct outside *outside, const struct seen_file *of, pid_t pid,
		       const char *path, struct seen_file *seen)
{
	(void)outside;
	(void)of;
	(void)pid;
	(void)path;
	return seen_make(seen);
}

int outside_lend(const struct outside *outside, const struct seen_file *seen,
		 const struct seen_file *debug, int socket)
{
	(void)outside;
	(void)seen;
	(void)debug;
	(void)socket;
	return world.looks % 5 ? 0 : -EBUSY;
}

int outside_maps(const struct outside *outside, pid_t pid,
		 int (*visit)(void *context, const struct maps_entry *entry), void *context)
{
	const struct maps_entry entry = {
		.start = 0x400000, .end = 0x800000, .offset = 0, .inode = 1, .path = "/lib/x.so"
	};

	(void)outside;
	(void)pid;
	return ++world.looks % 3 ? visit(context, &entry) : -EAGAIN;
}

int outside_words(const struct outside *outside, pid_t pid, const uint64_t *addresses, size_t count,
		  uint64_t *words)
{
	(void)outside;
	(void)pid;
	memcpy(words, addresses, count * sizeof(*words));
	return 0;
}

int outside_name(const struct outside *outside, const struct rec_name_at *record,
		 uint64_t start_time, const char *known, char **name, bool *in_memory)
{
	(void)outside;
	(void)start_time;
	(void)known;
	if (++world.looks % 3 == 0)
		return record->offset % 2 ? -EAGAIN : -ETIMEDOUT;
	*in_memory = !record->in_file;
	*name = strdup("_Z6kernelv");
	return *name ? 0 : -ENOMEM;
}

char *outside_arguments(const struct outside *outside, pid_t pid, size_t max, size_t *len,
			int *error)
{
	(void)outside;
	(void)pid;
	(void)max;
	*len = 0;
	*error = ++world.looks % 3 ? -ESRCH : -EAGAIN;
	return NULL;
}

char *outside_environment(const struct outside *outside, pid_t pid, size_t max, size_t *len,
			  int *error)
{
	return outside_arguments(outside, pid, max, len, error);
}

/* ---- processes of our own ---- */

int __wrap_kill(pid_t pid, int signal);
int __real_kill(pid_t pid, int signal);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __real_waitpid(pid_t pid, int *status, int options);

int __wrap_kill(pid_t pid, int signal)
{
	return pid == FAKE_PID ? 0 : __real_kill(pid, signal);
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	return pid == FAKE_PID ? pid : __real_waitpid(pid, status, options);
}

size_t demangle_apart(const char *symbol, char *out)
{
	(void)symbol;
	(void)out;
	return 0; /* fuzz_mangled has it */
}

static void reader_end(void)
{
	if (world.reader >= 0)
		close(world.reader);
	world.reader = -1;
}

int resolver_process_start(const char *name, uint64_t memory, pid_t *pid)
{
	int ends[2];

	(void)name;
	(void)memory;
	reader_end();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		abort();
	world.reader = ends[1];
	*pid = FAKE_PID;
	return ends[0];
}

/* ---- what happens ---- */

static size_t fixed_size(uint16_t type)
{
	switch (type) {
	case REC_PROCESS: return sizeof(struct rec_process);
	case REC_END: return sizeof(struct rec_end);
	case REC_ALLOC: return sizeof(struct rec_alloc);
	case REC_FREE: return sizeof(struct rec_free);
	case REC_COPY: return sizeof(struct rec_copy);
	case REC_FAIL: return sizeof(struct rec_fail_at);
	case REC_RESET: return sizeof(struct rec_reset);
	case REC_KERNEL: return sizeof(struct rec_kernel);
	case REC_MODULE: return sizeof(struct rec_module);
	case REC_EXEC: return sizeof(struct rec_exec);
	case REC_MMAP: return sizeof(struct rec_mmap);
	case REC_TRANSLATOR: return sizeof(struct rec_translator);
	case REC_MAP: return sizeof(struct rec_map);
	case REC_DEVICE: return sizeof(struct rec_device);
	case REC_GRAPH: return sizeof(struct rec_graph);
	case REC_FAULT: return sizeof(struct rec_fault);
	case REC_STACK: return sizeof(struct rec_stack);
	case REC_HOST: return sizeof(struct rec_host);
	case REC_LAUNCHED_AT: return sizeof(struct rec_launched_at);
	case REC_CALL: return sizeof(struct rec_call);
	case REC_MODULE_AT: return sizeof(struct rec_module_at);
	case REC_NAME_AT: return sizeof(struct rec_name_at);
	case REC_TILES: return sizeof(struct rec_tiles);
	case REC_BLOCK: return sizeof(struct rec_block);
	case REC_SHORT: return sizeof(struct rec_short);
	case REC_PYTHON_CODE: return sizeof(struct rec_python_code);
	case REC_PYTHON_TABLE: return sizeof(struct rec_python_table);
	case REC_PYTHON_STACK: return sizeof(struct rec_python_stack);
	default: return 0;
	}
}

static const uint8_t *bytes_take(size_t len)
{
	if (world.size < len)
		return NULL;
	world.data += len;
	world.size -= len;
	return world.data - len;
}

static uint64_t number_take(size_t len)
{
	const uint8_t *bytes = bytes_take(len);
	uint64_t number = 0;

	if (bytes)
		memcpy(&number, bytes, len);
	else
		world.size = 0;
	return number;
}

static void record_bring(void)
{
	size_t len = (size_t)number_take(2), fixed;
	const uint8_t *bytes = bytes_take(len < world.size ? len : world.size);
	union {
		struct rec_hdr hdr;
		struct rec_module module;
		char room[8192];
	} record = { 0 };

	if (!bytes)
		return;
	len = (size_t)(world.data - bytes);
	memcpy(&record, bytes, len < sizeof(record) ? len : sizeof(record));
	fixed = fixed_size(record.hdr.type);
	if (!fixed)
		return; /* BPF makes no other */
	if (len < fixed)
		len = fixed;
	if (len > sizeof(record))
		len = sizeof(record);
	record.hdr.size = (uint16_t)len;
	record.hdr.tgid = FAKE_PID;
	record.hdr.program %= 16;
	if (record.hdr.type == REC_MODULE || record.hdr.type == REC_MODULE_AT) {
		record.module.id.inode %= 128;
		identified = record.module.id;
	}
	world.take(world.context, &record, len);
}

#define REPLY_BYTES 256 /* of one of any content */

static void reply_send(const void *reply, size_t len)
{
	if (world.reader >= 0 && send(world.reader, reply, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
	    errno != EAGAIN && errno != EPIPE && errno != ECONNRESET)
		abort();
}

/* The next question, without the descriptors that come with it. */
static bool question_take(struct resolver_question *question)
{
	return world.reader >= 0 &&
	       recv(world.reader, question, sizeof(*question), MSG_DONTWAIT) == sizeof(*question);
}

/* The @count inlined functions of an answer. */
static void inlined_take(struct resolver_answer *answer, uint32_t count)
{
	uint32_t i;

	answer->inlined_count = count < CUTOP_INLINED_MAX ? count : CUTOP_INLINED_MAX;
	for (i = 0; i < answer->inlined_count; i++) {
		struct resolver_inlined *inlined = &answer->inlined[i];

		inlined->line = (uint32_t)number_take(4);
		snprintf(inlined->path, sizeof(inlined->path), "%s",
			 inlined->line % 2 ? "/src/x.h" : "/usr/include/thrust/x.h");
		snprintf(inlined->function, sizeof(inlined->function), "_ZN1x%uEv",
			 (unsigned int)number_take(1));
	}
}

static void answer_send(bool with_inlined)
{
	struct resolver_answer answer = { .line = (uint32_t)number_take(4),
					  .took_ms = (uint32_t)number_take(4),
					  .path = "/src/x.cu" };
	struct resolver_question question;

	if (with_inlined)
		inlined_take(&answer, (uint32_t)number_take(1));
	while (question_take(&question))
		if (question.type == RESOLVER_ASK) {
			answer.cookie = question.cookie;
			reply_send(&answer, resolver_answer_size(&answer));
			return;
		}
}

/* A reply of any content. */
static void raw_send(const uint8_t *bytes)
{
	struct resolver_answer answer = { .inlined_count = 0 };

	memcpy(&answer, bytes, REPLY_BYTES);
	reply_send(&answer, RESOLVER_ANSWER_SIZE_MIN);
}

static void happen(struct feed *feed, struct model *model, uint64_t *now)
{
	const uint8_t *bytes;

	switch (number_take(1)) {
	case 0: record_bring(); break;
	case 1: answer_send(false); break;
	case 2:
		bytes = bytes_take(REPLY_BYTES);
		if (bytes)
			raw_send(bytes);
		break;
	case 5: answer_send(true); break;
	case 3: reader_end(); break;
	case 4:
		feed_refresh(feed);
		*now += 1000000000;
		snapshot_free(model_snapshot(model, *now, 3));
		break;
	}
	/* The replies are read, too. */
	feed_follow(feed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model_config config = { .start_mono = START,
				       .start_real = 1700000000000000000ull,
				       .leak_age = 1000000000 };
	static const char *const globs[] = { "lib*", NULL };
	struct record_sink sink = { 0 };
	uint64_t now = START;
	struct model *model;
	struct feed *feed;
	size_t len;

	memset(&world, 0, sizeof(world));
	world.data = data;
	world.size = size;
	world.reader = -1;
	world.budget = budget_new(BUDGET, SYMTAB_MEMORY);
	world.file = memfd_create("feed", MFD_CLOEXEC);
	model = model_new(&config);
	if (!world.budget || world.file < 0 || !model)
		abort();
	sink.model = model;
	len = (size_t)number_take(2);
	data = bytes_take(len < world.size ? len : world.size);
	if (data && write(world.file, data, (size_t)(world.data - data)) < 0)
		abort();
	feed = feed_new((struct probe *)&world, &sink, NULL, globs, NULL);
	if (!feed)
		abort();
	while (world.size)
		happen(feed, model, &now);
	feed_refresh(feed);
	fuzz_show(model_snapshot(model, now + 1000000000, (unsigned int)-1));
	feed_free(feed);
	model_free(model);
	reader_end();
	if (budget_counts(world.budget).used != SYMTAB_MEMORY)
		abort(); /* something was kept, or given back twice */
	budget_free(world.budget);
	close(world.file);
	return 0;
}
