/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot: everything the views show, at one instant, as plain data. It holds all it points to,
 * and none of it changes, so any thread may read it. Snapshots copy the books; only the texts of
 * names that have not changed are shared with the one before (build_names()). Sizes are bytes, durations ns, instants ns of CLOCK_REALTIME unless said otherwise.
 * Rates are per second, and NAN if absent (no earlier snapshot, or one less than 10 ms before).
 */
#ifndef MODEL_SNAPSHOT_H
#define MODEL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_calls.h"
#include "cutop_event.h"

/*
 * The kinds of events in the log, one line each: its name in JSON and metrics, its title on the
 * screen, and its importance. Everything that shows events uses this list.
 */
enum event_tone {
	TONE_QUIET, /* expected, and of little interest */
	TONE_GOOD,
	TONE_NOTICE, /* worth a look */
	TONE_LEAK,
	TONE_FAILURE,
	TONE_COUNT,
};

/* KIND(constant, JSON name, title, tone) */
#define EVENT_KINDS(KIND) \
	KIND(OUT_OF_MEMORY, "out-of-memory", "out of memory", FAILURE) \
	KIND(LEAK, "leak", "leak", LEAK) \
	KIND(RESET, "reset", "reset", NOTICE) \
	KIND(FAULT, "fault", "fault", FAILURE) \
	KIND(LOST, "lost", "lost", FAILURE) \
	KIND(FAILURE, "failure", "failure", FAILURE) \
	KIND(DOUBLE_FREE, "double-free", "double free", FAILURE) \
	KIND(UNKNOWN_FREE, "unknown-free", "unknown free", FAILURE) \
	KIND(SUSPECT, "suspect", "suspect", NOTICE) \
	KIND(START, "start", "start", GOOD) \
	KIND(END, "end", "end", QUIET) \
	KIND(NEARLY_FULL, "nearly-full", "nearly full", NOTICE) \
	KIND(PAGEABLE, "pageable", "pageable", NOTICE) \
	KIND(NO_RETURNS, "no-returns", "unprobed", NOTICE) \
	KIND(LIMIT, "limit", "limit", NOTICE) \
	KIND(BUDGET, "budget", "budget", NOTICE) \
	KIND(TRANSLATED, "translated", "translated", FAILURE) \
	KIND(RECOVERED, "recovered", "recovered", NOTICE)

#define EVENT_CONSTANT(kind, name, title, tone) EVENT_##kind,
enum event_kind { EVENT_KINDS(EVENT_CONSTANT) EVENT_KIND_COUNT };
#undef EVENT_CONSTANT

struct event_kind_desc {
	const char *name, *title;
	enum event_tone tone;
};

extern const struct event_kind_desc event_kinds[EVENT_KIND_COUNT];

/* Places in the code, as snapshots have them (snapshot.h). */
/* What a place in the code is. */
struct snap_frame {
	enum frame_language language;
	const char *function, *file, *module; /* NULL: not known; file: of the source */
	unsigned int line;                    /* 0: not known */
	/* Of a native one: from the function's start, or, without function, the file's */
	uint64_t offset;
	bool is_inlined; /* it is a function that was inlined into the next frame's */
};

/* Where a call was made, and by which way. */
struct snap_place {
	const char *site;                       /* name or hex address; NULL: not known */
	const char *const *stack;               /* names or hex addresses, innermost first */
	size_t stack_count;                     /* 0: no stack is known */
	const struct snap_frame *const *frames; /* as snap_site has them */
	size_t frame_count;
	size_t shown; /* which of it `site` is */
};

/* Events, and what is known of how they came about, as snapshots have them (snapshot.h). */
#define HOLDERS_MAX 5

/* A process that held memory of the device that an event is about. */
struct snap_holder {
	uint32_t pid;
	bool from_attach; /* it held at least that much */
	uint64_t live;
	char command[64];
};

#define SUSPECTS_MAX 8

/*
 * A kernel that was launched before a sticky error was reported, and is not known to have
 * succeeded.
 */
struct snap_suspect {
	char kernel[128]; /* its short name */
	int device;
	uint64_t stream;   /* the last known stream of its launches */
	bool stream_exact; /* its last launch was in this stream */
	uint64_t launches;
};

#define LINES_MAX 10

/* A call site that held memory of the device that an event is about. */
struct snap_line {
	uint64_t live, allocations; /* what was live, and in how many allocations */
	bool sampled;               /* these are estimates */
	/* As records have them; of several stacks, the one that held most */
	uint64_t site, stack;
	char text[256]; /* what it was called then */
	/*
	 * What it is called; in a snapshot only, and site NULL where its process is not kept any
	 * more
	 */
	struct snap_place where;
};

/* Objects of a kind that are live in large numbers: model/objects.h. */
struct snap_many {
	const char *kind; /* "stream" */
	uint64_t live;
	/* Where most of them were made, as records have it; what it was called then, and is now */
	uint64_t address, stack;
	char site[256];
	struct snap_place where;
};

/* The circumstances of an event: as much as its kind has. */
struct snap_detail {
	int device;
	uint16_t call; /* CALL_COUNT: no call */
	int code;      /* 0: none */
	/* Bytes on the device; total 0: the event is about no device */
	uint64_t tracked, total;
	/* A framework's allocator found no memory; NULL: it was a call that did */
	const char *allocator;
	uint64_t asked, allocated, reserved;     /* bytes: its request, and its figures then */
	bool has_gaps;                           /* the next two are known */
	uint64_t gaps, largest_gap;              /* bytes that were free in its segments */
	struct snap_holder holders[HOLDERS_MAX]; /* most first */
	size_t holder_count, holders_omitted;
	struct snap_suspect suspects[SUSPECTS_MAX]; /* launched last first */
	size_t suspect_count, suspects_omitted;
	bool is_fault;  /* the event is about suspects, even if there are none */
	char site[256]; /* empty: none */
	/* Of that site, as records have them; 0: not meant, or not known */
	uint64_t address, stack;
	/* In a snapshot only; site NULL where its process is not kept any more */
	struct snap_place where;
	struct snap_line lines[LINES_MAX]; /* of the event's process, most first */
	size_t line_count, lines_omitted;
	struct snap_many objects[OBJECT_KIND_COUNT];
	size_t object_count;
};

struct snap_event {
	uint64_t time;
	uint32_t pid, program; /* program 0: of none */
	uint8_t kind;          /* enum event_kind */
	bool failed;           /* an end that is no success */
	/* Of a start or end: what the program is called, with which the text begins; else NULL */
	const char *name;
	uint64_t bytes;    /* 0: the event is about no size */
	const char *text;  /* one readable line, never NULL */
	uint64_t repeated; /* how often the same happened again without an event of its own */
	const struct snap_detail *detail; /* NULL if there is none */
};

enum alloc_state { ALLOC_LIVE, ALLOC_SUSPECT, ALLOC_LEAKED, ALLOC_HELD, ALLOC_STATE_COUNT };

extern const char *const alloc_state_names[ALLOC_STATE_COUNT]; /* "live", ... */

struct snap_alloc {
	uint64_t address;
	uint64_t bytes;
	uint64_t age;     /* up to the snapshot, or to the end of its owner */
	const char *site; /* name or hex address; never NULL */
	uint64_t site_address;
	int device;
	uint16_t call;
	uint8_t kind;
	uint8_t state;     /* enum alloc_state */
	uint64_t stack_id; /* as in sites[].stack_id */
	bool in_cache;     /* a caching allocator took it from the driver */
};

/* A stretch of addresses, and the bytes of VRAM allocated in it by state. */
struct snap_span {
	uint64_t start, end;
	uint64_t bytes[ALLOC_STATE_COUNT];
};

#define SPANS_MAX             2048
#define ALLOCATIONS_DRAWN_MAX 65536

/*
 * From a log2 histogram: linear inside a bucket, limited by the exact maximum. NAN without samples.
 */
struct snap_latency {
	double p50, p99, max; /* seconds */
};

/* Shape of a launch. */
struct snap_shape {
	uint32_t grid[3], block[3], shared_bytes;
};

#define SHAPES_MAX 8
extern const char *const time_part_names[TIME_PARTS]; /* "sync", ... */

/* model/time_shares.h says what is measured. */
struct snap_time {
	bool is_known; /* else the rest means nothing */
	bool sampled;  /* the time in launches is estimated from a sample of them */
	/* Threads that made a call, ever: with several, TIME_NONE is the least that it can be */
	uint64_t threads;
	double wall_seconds; /* since the first call */
	double seconds[TIME_PARTS];
	/* of the last interval, or of the whole run; NAN: there is none, or the process has ended */
	double share[TIME_PARTS];
	/*
	 * From the return of a launch of a kernel to the entry of the thread's next launch: how many
	 * were measured, and, since each stands for some launches, of how many launches they tell
	 */
	uint64_t gaps;
	uint64_t gap_hist[CUTOP_HIST_BUCKETS];
	struct snap_latency gap;
};

struct snap_kernel {
	const char *name;      /* short: no arguments, no template list */
	const char *signature; /* full, demangled */
	/* The name, with its template list or arguments if another of the process has the same */
	const char *shown;
	const char *symbol; /* mangled; NULL: unknown */
	uint64_t function;
	size_t number; /* of the kernels of its process, as launch_entry.number has it */
	int device;
	uint64_t launches, failures, samples;
	uint64_t captured; /* calls that became nodes of a graph: these are not launches */
	/* Runs in launches of graphs; for an unknown graph: its own launches */
	uint64_t graph_launches;
	bool is_graph; /* it stands for a graph with unknown contents */
	/* Kernels may have disabled nodes with it: graph_launches is not exact */
	bool updatable;
	uint64_t stream;
	uint32_t grid[3], block[3], shared_bytes; /* of the last launch */
	/* Where several were seen (counters.h): these, the last one first; and others before */
	struct snap_shape *shapes;
	size_t shape_count; /* SHAPES_MAX at most; 0: one */
	bool more_shapes;
	bool sampled;
	bool has_sites; /* launch_sites[] of its process says where it is launched */
	double launches_per_second, graph_launches_per_second;
	struct snap_latency latency;
	uint64_t hist[CUTOP_HIST_BUCKETS];
};

struct snap_copy {
	uint8_t direction, mode;
	int device;
	uint64_t calls, failures, bytes;
	double seconds;          /* time in the calls */
	double bytes_per_second; /* COPY_SYNC: throughput of the calls; else NAN */
	double rate_bytes_per_second;
	bool pageable; /* COPY_ASYNC: some used pageable host memory */
	uint64_t sizes[CUTOP_SIZE_BUCKETS];
};

/* Names of a function that is not in the table. */
struct snap_extra {
	/* NULL: it is in the table, and the other fields are unused */
	const char *symbol;
	/* For people: "ns::scale"; NULL: use the symbol, which is not mangled */
	const char *brief;
	const char *signature; /* fully demangled; NULL: the symbol is not mangled */
};

struct snap_call {
	uint16_t call;
	bool sampled; /* failures are a lower bound */
	uint64_t calls, failures;
	double seconds;
	struct snap_latency latency;
	uint64_t hist[CUTOP_HIST_BUCKETS];
	struct snap_extra extra;
	/* Whether its calls fail is known from their results; for extras only */
	bool judged;
	bool untimed; /* only its entries are seen */
};

struct snap_failure {
	uint16_t call;
	int code;
	const char *error; /* cudaErrorMemoryAllocation; never NULL */
	uint64_t count;
	uint64_t first, last;
	const char *reason; /* why it is no failure; NULL: it is one */
	struct snap_extra extra;
	struct snap_place where; /* the first of them */
	const char *kernel;      /* that it launched, its short name; NULL: it was no launch */
	const char *shown;       /* that kernel's name for people, as in the list of kernels */
};

struct snap_site {
	const char *site;
	uint64_t address;
	uint64_t live, leaked, held, suspect;
	uint64_t left_blocks;   /* in how many allocations `leaked` is, or `held` */
	uint64_t suspect_since; /* when the floor began to rise; 0: none does, or it is not known */
	uint64_t allocations;   /* how many were made there in all */
	uint64_t allocated;     /* bytes of VRAM, freed since or not */
	int device;             /* CUTOP_DEVICE_UNKNOWN: unknown, or several */
	/* Distinguishes sites at one address; 0: no stack is known */
	uint64_t stack_id;
	const char *const *stack; /* names or hex addresses, innermost first */
	size_t stack_count;
	/*
	 * the frame that `site` names: the first, or, in a Python program, the program's own line
	 */
	size_t shown;
	/*
	 * facts of the stack's frames, or, without a stack, of the site and of what its function was
	 * inlined into; NULL: an unknown frame
	 */
	const struct snap_frame *const *frames;
	size_t frame_count;  /* 0: no facts are known */
	uint64_t live_count; /* of an allocator's blocks only: how many are live */
	bool in_cache;       /* it is in the code of a caching allocator */
	bool sampled;        /* blocks: its figures are estimates, of those that were drawn */
	uint16_t call;       /* that allocated there last */
	const char *holder; /* the library that holds what it allocates; NULL: none, or not known */
	uint64_t held_rising; /* the part of held that kept rising until the end */
	/*
	 * Pinned memory of the host, in no figure above: live, left behind, seems to leak; in how
	 * many blocks the first two are
	 */
	struct {
		uint64_t live, left, suspect, blocks;
	} host;
	uint64_t
		objects; /* only where a view lists them by site: those live that were made there */
	/* Freed when the driver had shut down already; by which call that was last, and where */
	struct {
		uint64_t bytes, count;
		const char *site;
		uint16_t call;
	} late;
};

/* Where @site is. */
static inline struct snap_place site_place(const struct snap_site *site)
{
	return (struct snap_place){
		.site = site->site,
		.stack = site->stack,
		.stack_count = site->stack_count,
		.frames = site->frames,
		.frame_count = site->frame_count,
		.shown = site->shown,
	};
}

/* Memory that an allocator took from the driver, and hands out in blocks. */
struct snap_segment {
	uint64_t start, end;  /* addresses */
	uint64_t used;        /* bytes in blocks */
	uint64_t largest_gap; /* bytes */
	size_t blocks;
	bool is_expandable; /* physical memory that is mapped piece by piece */
};

/*
 * Call sites of blocks of all of a process's allocators, summed up by what they are called: the ways
 * to one line matter less than the line. Of a process that has ended those that rose most come
 * first, of others those that hold most; without those that do neither.
 */
struct snap_block_line {
	const char *site;
	uint64_t live, rising, blocks; /* live: at its end, of one that has ended */
	bool sampled;
};

#define BLOCKS_DRAWN_MAX 65536

/* A framework's allocator on one device. Of a process that has ended: figures of its end. */
struct snap_allocator {
	const char *name; /* "pytorch" */
	const char *noun; /* what it hands out: "tensors", or "blocks" */
	int device;
	/* It had handed out memory before it was watched: blocks are missing as long as it is live */
	bool from_attach;
	bool has_totals; /* `reserved` is known */
	bool inexact;    /* reports of it were lost */
	bool sampled;    /* small blocks have their site by chance: --tensor-sites */
	bool is_judged;  /* it was watched for long enough to tell whether its memory rises */
	/* As it says itself: what is handed out, and what it took from the driver for that */
	uint64_t allocated, reserved, peak_allocated, peak_reserved;
	uint64_t unknown; /* bytes of `allocated` in blocks that are not known */
	size_t blocks;
	uint64_t handed_out, taken_back; /* blocks, in all */
	uint64_t shortages;              /* requests that found no memory */
	uint64_t rising;                 /* bytes at sites whose memory keeps rising */
	uint64_t ended;                  /* bytes that were live when the process ended */
	uint64_t largest_request;        /* of the last minute in which there was any */
	/* All blocks are known, and where they lie: only then the next three mean something */
	bool has_gaps;
	uint64_t free_in_segments, largest_gap;
	/* The share of `reserved` in gaps that are smaller than largest_request; else NAN */
	double fragmentation;
	struct snap_segment *segments; /* by address */
	size_t segment_count;
	struct snap_site *sites; /* most live, then most ended first; held: live at the end */
	size_t site_count;
	struct snap_alloc *map; /* the largest blocks first */
	size_t map_count, map_omitted;
	/*
	 * Blocks by address, of all allocators BLOCKS_DRAWN_MAX at most; 0 unless model_focus()
	 * asked for them
	 */
	struct snap_alloc *drawn;
	size_t drawn_count;
};

/* Where objects of a kind are made: model/objects.h. */
struct snap_object_site {
	struct snap_place where;
	uint64_t address, stack_id; /* tell places of one name apart */
	const char *kind, *plural;  /* "stream", "streams" */
	uint16_t call;              /* that made the last */
	/* How many, and of them those not destroyed; of a process that ended, by then */
	uint64_t made, live;
	uint64_t left;     /* not destroyed either, when their context ended */
	uint64_t rising;   /* the part of live that keeps rising, or rose until the end */
	uint64_t launches; /* of graphs */
};

/* Where a kernel is launched. */
struct snap_launch_site {
	struct snap_place at;
	uint64_t address, stack_id; /* tell places of one name apart */
	/* In the process's kernels[]; NULL: there was no room for it */
	const struct snap_kernel *kernel;
	uint64_t launches; /* all sites of a kernel: as many as it has */
	/* Launches whose site was looked at; if all were, the figure is exact: */
	uint64_t samples;
	bool sampled; /* it is not */
};

/* Where a thread waits. */
struct snap_wait_site {
	struct snap_place at;
	uint64_t address, stack_id;
	uint16_t call;
	uint64_t calls; /* that returned */
	double seconds; /* in them */
};

/* What a process holds on one device. */
struct snap_use {
	int device; /* CUTOP_DEVICE_UNKNOWN: the device is unknown */
	uint64_t live, peak, leaked, held;
	/* from sites that allocate on this device only; the rest counts under the unknown device */
	uint64_t suspect;
};

struct snap_process {
	uint32_t program;
	uint32_t pid, parent_pid, ns_pid; /* ns_pid 0: unknown */
	uint32_t uid;
	uint32_t rank; /* in its job, as its launcher told it, and 1; 0: unknown */
	uint64_t start_time;
	const char *user, *command, *arguments; /* never NULL */
	const char *label; /* command, as it was before it took a title; NULL: it took none */
	/* Command and arguments; NULL (in tests): use command */
	const char *command_line;
	/* What it runs, without folders and options: "python3 -u train.py"; NULL (in tests): none */
	const char *brief;
	const char *container, *pod; /* NULL if none */
	bool is_listed;              /* it is not watched: only the driver tells of it */
	bool exited;
	uint64_t end_time; /* 0: it is running */
	int exit_code;     /* as wait(2) gives it */
	enum end_reason end_reason;
	bool end_is_guess; /* it has ended, but how was not seen: these two are not known */
	/* It was running before cutop watched it: figures are lower bounds */
	bool from_attach;
	/* Some calls of the runtime were missed: how many there were, and failed, are lower bounds */
	bool runtime_late;
	bool inexact; /* something about it was lost */
	bool sampled; /* launch failures are a lower bound */
	/*
	 * What it paid for being watched in the interval, as a share of the processor time that it
	 * used for itself: an estimate; NAN: unknown
	 */
	double cost;
	/* By enum spare: since when it is given up for --budget (CLOCK_REALTIME); 0: it is not */
	uint64_t given_up[SPARE_COUNT];
	unsigned int given_ever; /* bits: what was given up for a time */
	/* Not 0: why allocations, failures and times are unknown */
	enum unreturned unreturned;

	uint64_t live, peak, leaked, held;
	/* part of leaked: was live when a device was reset, or a context destroyed */
	uint64_t leaked_by_reset, leaked_by_context;
	uint16_t reset_call, context_call; /* the last call that did so */
	/* Freed when the driver had shut down already: not leaked, and not live */
	uint64_t freed_late;
	uint64_t held_rising;             /* part of held: it kept rising until the end */
	uint64_t host_left, host_suspect; /* pinned memory: left at the end; seems to leak */
	/* part of held: blocks of PyTorch's allocator, whose cache is not proved to be on */
	uint64_t held_unproven;
	uint64_t allocated; /* in all, freed since or not */
	/* The driver reports how much device memory it uses: */
	bool has_used;
	/* That amount, and how much of it exceeds the tracked live bytes */
	uint64_t used, untracked;
	uint64_t suspect;
	/* the part of suspect that is in live: managed memory and possible leaks are not */
	uint64_t suspect_live;
	/* False: suspect is absent, because it is not known yet */
	bool has_suspect;
	uint64_t live_allocations, allocations, frees;
	uint64_t failed_allocations, failed_frees, double_frees, unknown_frees;
	uint64_t recovered_allocations; /* of the failed ones: tried again at once, and got */
	uint64_t kinds[KIND_COUNT];     /* live bytes */

	uint64_t launches, failures; /* failures of all calls, without what is none */
	uint64_t graph_launches;     /* kernels that ran in graphs */
	double launches_per_second, graph_launches_per_second, failures_per_second;
	double copy_rate[DIR_COUNT]; /* bytes per second, sync and async */
	uint64_t copy_bytes[DIR_COUNT];
	uint64_t calls; /* hooked calls in all */
	double sync_seconds;
	double sync_share; /* 0..1 of the interval or the whole run, NAN if absent */
	struct snap_time time;

	int *devices; /* the known ones, ascending */
	size_t device_count;
	/* The same as text, "0,2-3"; empty if none is known */
	const char *device_list;
	struct snap_use *uses; /* per device, where it ever held something */
	size_t use_count;
	struct snap_alloc *map; /* largest first */
	size_t map_count;
	uint64_t map_omitted;
	/* all allocations, for drawing: sorted by address, neighbours merged */
	struct snap_span *spans;
	/* At most SPANS_MAX; 0 unless model_focus() asked for them */
	size_t span_count;
	/*
	 * What is in the spans, by address; 0 unless model_focus() asked for this process, and if
	 * there are more than ALLOCATIONS_DRAWN_MAX.
	 */
	struct snap_alloc *drawn;
	size_t drawn_count;
	struct snap_kernel *kernels; /* most launches first */
	size_t kernel_count;
	struct snap_copy *copies; /* by direction, mode, device */
	size_t copy_count;
	struct snap_call *call_list; /* by table order */
	size_t call_count;
	/*
	 * Failures, and behind them what is none: questions that were answered with no, and calls
	 * at the process's end. Of each, most first
	 */
	struct snap_failure *failure_list;
	size_t failure_count, answer_count, at_exit_count;
	struct snap_object_site *graph_sites; /* most launches first */
	size_t graph_site_count;
	struct snap_object_site *object_sites; /* the other objects; most live first */
	size_t object_site_count;
	struct snap_site *sites; /* most live + leaked first */
	size_t site_count;
	struct snap_block_line *block_lines;
	size_t block_line_count;
	struct snap_allocator *allocators; /* by name and device; of frameworks */
	size_t allocator_count;
	/* Their sums: handed out, taken from the driver; live at the end of the process, rising */
	uint64_t tensors, reserved, tensors_ended, tensors_rising;
	bool tensors_judged;                   /* all of them are */
	bool has_reserved;                     /* all of them say it */
	struct snap_launch_site *launch_sites; /* most launches first */
	size_t launch_site_count;
	struct snap_wait_site *wait_sites; /* most seconds first */
	size_t wait_site_count;
};

/* True if something of it is given up just now. */
static inline bool snapshot_is_spared(const struct snap_process *process)
{
	for (int kind = 0; kind < SPARE_COUNT; kind++)
		if (process->given_up[kind])
			return true;
	return false;
}

/* The symbol of a call, and its name for people. @extra: from its snap_call or snap_failure. */
const char *snapshot_call_name(unsigned int call, const struct snap_extra *extra);
const char *snapshot_call_brief(unsigned int call, const struct snap_extra *extra);

/* A part of a device that works like a device of its own (MIG), as the driver tells it. */
struct snap_instance {
	unsigned int gpu_instance, compute_instance; /* as nvidia-smi has them: GI ID, CI ID */
	const char *name;                            /* its profile, "1g.10gb"; NULL: unknown */
	const char *uuid;                            /* NULL: unknown */
	bool has_used;
	uint64_t used, total; /* bytes; compute instances of one GPU instance share them */
	uint64_t tracked;     /* live VRAM bytes of the watched processes that work in it */
};

/* What one running process uses of a device: by the driver's list, and by its live bytes. */
struct snap_device_use {
	uint32_t pid;
	uint32_t program;    /* 0: it is not watched */
	const char *command; /* "" if unknown */
	/* NULL: unknown, or that of a watched process, which says so itself */
	const char *comm, *user, *container;
	const char *type; /* "C", "G", "C+G", "M+C" as the driver's own tools say; NULL: unknown */
	bool has_used;
	uint64_t used; /* bytes, as the driver says */
	uint64_t live; /* tracked bytes of VRAM */
	int instance;  /* index in instances[]; -1: none */
};

/* A device of the machine. The driver's figures are absent without a driver (devices.h). */
struct snap_device {
	int device;       /* the machine's number */
	uint64_t tracked; /* live VRAM bytes of all watched processes */
	uint64_t total;   /* its size, 0: unknown */
	/* NULL: unknown; this and the following come from the driver: */
	const char *name, *uuid;
	bool has_used;
	uint64_t used;                   /* bytes of the device's memory, by all processes */
	double utilization;              /* 0..1; NAN: unknown */
	double temperature, power;       /* degrees Celsius, watts; NAN: unknown */
	double power_limit;              /* watts; NAN: unknown */
	struct snap_instance *instances; /* by their numbers */
	size_t instance_count;
	struct snap_device_use *uses; /* of running processes, the largest first */
	size_t use_count;
};

/* How much of the device it is: what the driver says, or, where that is unknown, what is live. */
static inline uint64_t device_use_bytes(const struct snap_device_use *use)
{
	return use->has_used ? use->used : use->live;
}

/*
 * What is in use at least of a device of whose memory the driver says nothing, since it is the
 * machine's (unified memory): what processes use.
 */
static inline uint64_t device_used_least(const struct snap_device *device)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < device->use_count; i++)
		if (__builtin_add_overflow(sum, device_use_bytes(&device->uses[i]), &sum))
			sum = UINT64_MAX;
	return sum > device->tracked ? sum : device->tracked;
}

/*
 * Sums over processes that ended and are no longer listed (too long ago, or cleared), with the
 * marks that any of them had.
 */
struct snap_gone {
	size_t processes;
	uint64_t leaked, held, suspect, leaked_by_reset, leaked_by_context, held_unproven;
	uint64_t freed_late, held_rising, host_left;
	uint64_t launches, graph_launches, failures, calls;
	bool from_attach, inexact, sampled, unreturned;
	uint64_t tensors_ended, tensors_rising;
	uint64_t tensors_unjudged; /* of tensors_ended: it is not known whether they rose */
};

/* What could not be seen because of one cause, in any process. */
struct snap_unseen {
	uint64_t total; /* 0: nothing */
	uint32_t pid;   /* the last process that it affected; 0: unknown */
	char comm[CUTOP_COMM_LEN + 1];
};

/* What is wrong (findings.h). */
#define FINDINGS_MAX 10

/* Where more is told of it. */
enum finding_about {
	FINDING_SITES,
	FINDING_MEMORY,
	FINDING_COPIES,
	FINDING_FAILURES,
	FINDING_CALLS,
	FINDING_DEVICE,
};

struct snap_finding {
	const char *rule;       /* "rising" */
	const char *when, *why; /* from when on it is found; why that matters, and what helps */
	enum finding_about about;
	enum event_tone tone;
	uint32_t program;    /* of a device: that uses most of it; 0: it is not watched */
	uint32_t pid;        /* 0: it is about a device */
	const char *command; /* NULL then */
	int device;          /* CUTOP_DEVICE_UNKNOWN: it is about a process */
	size_t others;       /* processes of the same job of which the rule finds no more */
	const char *text;    /* a sentence that begins with what the process or device does */
};

struct snapshot {
	/* filled in by the model: */
	uint64_t started, time; /* CLOCK_REALTIME ns */
	double elapsed_seconds;
	/*
	 * That rates and shares are of: since the snapshot before, NAN in the first; or of the whole
	 * run: model_whole()
	 */
	double interval_seconds;
	bool is_whole;
	uint64_t lost[LOST_COUNT];
	struct snap_unseen unseen[UNSEEN_COUNT];
	uint64_t graph_launches;
	/* sums over processes, including those that are gone; leaked excludes suspect */
	uint64_t live, leaked, launches, failures;
	struct snap_gone gone;
	double launches_per_second, graph_launches_per_second, failures_per_second;
	double copy_rate[DIR_COUNT];
	double sync_share;              /* the highest of all processes */
	struct snap_process *processes; /* by pid, then start time */
	size_t process_count;
	/*
	 * Behind these: processes that only the driver lists, by pid: rows of the screen; other formats
	 * have them below their devices
	 */
	size_t listed_count;
	struct snap_device *devices; /* by number: those about which something is known */
	size_t device_count;
	struct snap_event *events; /* the latest, oldest first; at most 256 */
	size_t event_count;
	struct snap_finding *findings; /* worst first */
	size_t finding_count, findings_omitted;
	/*
	 * of all processes ever, in table order, without latencies; only with model_config.totals
	 */
	struct snap_call *calls;
	size_t call_count;

	/* filled in by the caller of model_snapshot(): */
	char host[256];
	unsigned int targets, attached, missing;
	/*
	 * How many attached functions are probed at their first instruction, or at a later one; and
	 * how many of the former are single-stepped.
	 */
	unsigned int at_entry, past_entry, single_stepped;
	bool has_points; /* these are known */
	double self_cpu_seconds;
	uint64_t self_resident_bytes;

	void *arena;         /* all of the above is in it, or in those that it keeps */
	unsigned int shared; /* number of further holders; atomic */
};

#define INSTANCE_TEXT 40

/*
 * Writes the number of a part of @device to @out and returns it: "0:3", its GPU instance, and
 * "0:3:1" if it is not the first compute instance of that.
 */
const char *snapshot_instance(const struct snap_device *device,
			      const struct snap_instance *instance, char out[INSTANCE_TEXT]);

#define LINE_TEXT 512

/* Writes "12.0G in 3 allocations from SITE" to @out and returns it. */
const char *snapshot_line(const struct snap_line *line, char out[LINE_TEXT]);

/*
 * The last part of @command, which may be a path: what goes together is called the same, wherever
 * it was started.
 */
const char *command_basename(const char *command);

/* For qsort(3): orders processes by pid, then start time. No two are the same. */
int snapshot_process_order(const void *left, const void *right);

/*
 * Returns @snapshot for one more holder, in any thread: each holder calls snapshot_free(), and the
 * last one frees it.
 */
struct snapshot *snapshot_hold(struct snapshot *snapshot);
void snapshot_free(struct snapshot *snapshot);

/* The order of a process's kernels: the most runs first. */
int snapshot_kernel_order(const void *left, const void *right);
/* Failures first, then what is none, by its kind; of each the most first. */
int snapshot_failure_order(const void *left, const void *right);

#endif
