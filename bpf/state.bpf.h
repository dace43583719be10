/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every program shares: the maps, the programs' rows, and each thread's state. A thread's
 * state is in task-local storage, which is cheaper than a hash keyed by thread. It caches the
 * thread's program, so that the hot path looks up nothing, and has the frames of the calls that the
 * thread is inside of (frames.bpf.h).
 */
#ifndef STATE_BPF_H
#define STATE_BPF_H

#include "base.bpf.h"

/* ---- row cache ---- */

/*
 * The row cache. Looking up a row in a hash map takes as long as the rest of counting a call, so
 * the first rows also have a place in an array, at an index that follows from the key. If the place
 * belongs to another key, the call is counted in the hash map instead. User space adds up both, and
 * clears the place when the program ends.
 */

struct near_sync near_syncs[NEAR_SYNCS];
struct near_call near_calls[NEAR_CALLS];
struct near_copy near_copies[NEAR_COPIES];

#define NEAR_AT(places, count, owner) \
	({ \
		__u32 place_ = near_place(owner) & ((count)-1); \
		asm volatile("" : "+r"(place_)); \
		&places[place_ & ((count)-1)]; \
	})

/* Takes the place at @near if it has no owner. @owner is not 0. */
#define near_claim(near, owner_) \
	do { \
		if (!*(volatile __u64 *)&(near)->owner) \
			__sync_val_compare_and_swap(&(near)->owner, 0, owner_); \
	} while (0)

/* ---- frame args ---- */

/*
 * The parts of a call's arguments that a frame keeps from entry to return: one struct per class of
 * calls (enum call_class). A pointer is an address in the process; a field whose name ends in _at
 * is the address where the call writes the value. Sizes are in bytes.
 */

struct alloc_args {
	__u64 address_at;    /* SIZE_REGISTER: the address itself, not where it is written */
	__u64 bytes;         /* to be multiplied by the pitch, if there is one */
	__u64 pitch_at;      /* 0: no pitch */
	__u64 element_bytes; /* for an array; 0: not an array */
	/* The device + 2, if it is not the thread's; 0: it is the thread's */
	__u64 place;
};

struct free_args {
	__u64 address;
};

struct copy_args {
	__u64 destination, source;
	__u64 bytes;
	__u64 stream; /* stream_meant(); only with CALL_ASYNC */
};

struct launch_args {
	__u64 function;
	union {
		/* launch_registers(): grid and block of a launch that is counted at its return */
		__u64 words[4];
		/*
		 * LAUNCH_COUNTED; the row's launch clock without this launch, and with it; launches
		 * that its site counts for, 0: it is not taken
		 */
		struct {
			__u64 before, clock, weight;
		} counted;
		/* LAUNCH_CAPTURED; whether kernels may change the node */
		struct {
			__u64 graph, updatable;
		} captured;
	};
};

struct sync_args {
	__u64 clock;  /* the launch clock at the entry */
	__s32 device; /* the device whose work is done at the return, or DEVICE_PART */
};

struct device_args { /* CLASS_DEVICE */
	__s32 device;
};

struct teacher_args {    /* CLASS_HANDLE and CLASS_NAMED */
	__u64 handle_at; /* CALL_NAME_OUT: the handle itself */
	/*
	 * the stub, handle or name that the handle stands for; CALL_NAME_OUT: where the name is
	 * written
	 */
	__u64 meaning;
	__u64 named; /* only without return probes: the class is CLASS_NAMED */
};

struct context_args {
	__u64 handle; /* the context, pool or stream, or where it is written */
	union {
		__s32 device;
		/* CONTEXT_FROM and CONTEXT_STREAM_OF: the context that it belongs to */
		__u64 parent;
	};
	__u64 type; /* pool_type() */
};

struct map_args {
	union {
		__u64 address;    /* or a module, or a process, depending on enum map_act */
		__u64 address_at; /* MAP_GLOBAL */
		__u64 handle_at;  /* MAP_RETAIN and MAP_LEVEL */
	};
	union {
		__u64 bytes;
		__u64 bytes_at; /* MAP_GLOBAL */
		__u64 mapped;   /* MAP_RETAIN and MAP_LEVEL: the address */
	};
	__u64 handle;
};

struct size_args {
	__u64 bytes_at; /* 0: the program asks for something else */
	__s32 device;
};

/* By enum graph_role, as it is in the table. */
struct graph_args {
	union {
		__u64 words[3]; /* arguments b, c and d: one of the following */
		/* CAPTURE_BEGIN; a graph to add to, or 0 */
		struct {
			__u64 stream, graph;
		} begin;
		/* CAPTURE_END, CAPTURE_LEAVE; graph_at 0: no graph results */
		struct {
			__u64 stream, graph_at;
		} end;
		struct {
			__u64 event, stream, flags;
		} record; /* CAPTURE_RECORD */
		struct {
			__u64 stream, event, flags;
		} wait; /* CAPTURE_WAIT */
		struct {
			__u64 graph_at, origin;
		} create; /* GRAPH_CREATE, GRAPH_CLONE */
		struct {
			__u64 graph;
		} destroy; /* GRAPH_DESTROY */
		/* GRAPH_ADD_...; params may be a child graph */
		struct {
			__u64 node_at, graph, params;
		} add;
		/* GRAPH_SET_..., GRAPH_LEARN...; params may be a child graph */
		struct {
			__u64 node, params;
		} set;
		struct {
			__u64 node;
		} remove; /* GRAPH_REMOVE */
		/* GRAPH_UPDATABLE; the value is a pointer */
		struct {
			__u64 node, number, value;
		} attribute;
		struct {
			__u64 exec_at, graph;
		} instantiate; /* EXEC_CREATE */
		struct {
			__u64 exec, graph;
		} update; /* EXEC_UPDATE, EXEC_DESTROY */
		/* EXEC_SET_...; params may be a child graph */
		struct {
			__u64 exec, node, params;
		} exec_set;
		struct {
			__u64 exec, node, enabled;
		} enable; /* EXEC_ENABLE */
		struct {
			__u64 exec, stream;
		} launch; /* EXEC_LAUNCH */
	};
	__u64 function; /* the node's function, read at the return */
};

/* ---- state ---- */

#define FRAME_COUNT 8 /* a power of two */
/* Driver calls in one runtime call that are taken for nested without a check */
#define INSIDE_MAX 8
#define SITE_CACHE 8 /* a power of two */
#define HOST_CACHE 8 /* a power of two */
/* How often a thread checks how full the ring is, in records; a power of two */
#define RING_LOOK      32
#define WATCHFUL_CALLS 64 /* launches that have to succeed after a failure */
#define HOT_LAUNCHES   8  /* a power of two */
#define CONTEXT_COUNT  4  /* of a thread's context stack; a power of two */

/* Set by user space before loading. */
/* A power of two, so that an index can be masked for the verifier */
#define CALL_TABLE_SIZE 4096
_Static_assert(CALL_COUNT <= CALL_TABLE_SIZE, "more calls than the table has room for");
const volatile struct call_desc call_table[CALL_TABLE_SIZE] = {
#define CUTOP_CALL(symbol, layer, class, group, options, a, b, c, d, arguments) \
	{ layer, class, group, (__u16)(options), a, b, c, d },
#include "cutop_call_table.h"
#undef CUTOP_CALL
};
/* Which argument is the stream: cutop_event.h */
const volatile __u8 call_streams[CALL_TABLE_SIZE];
const volatile __u8 call_traced[CALL_TABLE_SIZE]; /* CUTOP_TRACED, cutop_event.h */
const volatile bool exact_launches;
const volatile bool launch_sites;      /* site_rows.bpf.h */
const volatile bool tracing;           /* a record for every call that is traced */
const volatile bool trace_entries;     /* at entries only; no return is probed */
const volatile bool trace_pairs;       /* one at its entry and one at its return */
const volatile bool trace_arguments;   /* with the arguments of kernels */
const volatile bool keep_books = true; /* allocations and frees are reported, for the model */
const volatile bool watch_runtime;     /* the runtime layer is probed */
const volatile bool watch_driver;      /* the driver layer is probed, too */
const volatile __u32 refuse_all;       /* enum unreturned: no return is probed */
const volatile bool only_listed;       /* only processes in the map `listed` */
const volatile bool follow_children;   /* of listed processes */
const volatile __u32 only_uid = -1;
const volatile __u32 own_tgid;
const volatile __u64 wake_bytes; /* bytes in the ring at which user space is woken */
const volatile bool never;
/* programs that could sleep take a lock that keeps them from it: storage_new() */
const volatile bool locks_storage;
const volatile __u32 page_shift = 12;
const volatile __u64 loaded_at; /* CLOCK_BOOTTIME when these programs were loaded */

/*
 * Set by user space while it places probes and marks the processes that are late: for a call that is
 * under way then, only the return may be seen.
 */
__u32 attaching;

/*
 * Set by user space: how many programs it has put into `ignored`, since they are not to be shown.
 * They cost a hit and no more, and lose nothing.
 */
__u32 ignored_count;

/* Read by user space. */
__u64 lost[LOST_BPF_COUNT];
/* By enum row_map: tells user space whether it has to search a map for new rows */
__u32 rows_made[ROWS_COUNT];
__u32 last_program;
/* Per program, by its low bits: how many launches still get a return probe after a failure. */
__u32 watchful[WATCHFUL_COUNT];
/* The same: captures under way, so that a launch looks for one only if there may be one. */
__u32 capturing[WATCHFUL_COUNT];
/* The same: the device that memory was allocated on, + 1, or DEVICES_SEVERAL; 0: none yet. */
__u64 devices_used[WATCHFUL_COUNT];

/*
 * The slots of launch_rows.bpf.h; slot 0 is never used. Free slots are in a queue: user space adds
 * them at its end, programs take them from its head.
 */
struct launch_slot slots[LAUNCH_SLOTS];
__u32 slots_free[LAUNCH_SLOTS];
__u32 slots_given, slots_taken;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} events SEC(".maps");

struct frame {
	__u64 sp;
	__u64 entry; /* time */
	union {
		struct alloc_args alloc;
		struct free_args free;
		struct copy_args copy;
		struct launch_args launch;
		struct sync_args sync;
		struct device_args device;
		struct teacher_args teacher;
		struct context_args context;
		struct map_args map;
		struct size_args size;
		struct graph_args graph;
		/* Of any class: the argument with the handle of an object, or of where it is */
		__u64 object;
	}; /* by the class of the call */
	__u16 call;
	__u8 nested;
	__u8 direction;
	__u16 flags;
	/* Driver calls in it that were taken for nested without looking at the stack */
	__u16 inside;
	__u16 library; /* the library of the function: CUTOP_COOKIE_LIBRARY */
	__u16 inner;   /* for a launch: the library of the launch inside it; 0: none yet */
	/* A driver call made by the runtime outside of any hooked call: caller.bpf.h */
	__u8 by_runtime;
	__u8 pad[3];
};

/*
 * Where the row is of a kernel that the thread has launched, with the grid and block of its last
 * launch.
 */
struct hot_launch {
	__u64 function;
	__u64 words[4]; /* launch_registers() */
	__u32 slot;     /* 0: none */
	__u16 call;
	/* How many launches need not be followed to their return, until one is again */
	__u16 left;
	__s32 device;
	__u32 pad;
};

/* An entry of a thread's context stack: 0 is its device's primary context. */
struct context_entry {
	__u64 context;
	__s32 device;
	__u32 green;
};

/* A call whose end is not seen: the last one that was inside no other. */
struct outer_call {
	__u64 sp;       /* 0: none yet */
	__u64 site;     /* its return address */
	__u64 ip;       /* the function */
	__u64 inner_ip; /* the last function called inside it; 0: none yet */
	__u32 cookie;
	__u32 pad;
};

/* A range of addresses in a process. */
struct code_range {
	__u64 start, size; /* size 0: none */
};

/* The runtime has a path to the driver for each launching function; a power of two */
#define NESTED_DEPTHS 8

/* A call that takes a block from a pool, or tells of one: allocator.bpf.h */
struct pool_call {
	__u64 sp; /* 0: none is under way */
	__u64 bytes, site, stack;
	__u64 pool;   /* argument 0 */
	__u64 result; /* where its address is written; 0: it is returned */
	__u32 one_of, number;
};

struct thread_state {
	__u32 program; /* 0: not watched */
	__s32 device;
	__u64 context; /* a CUcontext that is no primary one, else 0 */
	__u32 depth;
	__u32 in_sync; /* frames that count in the program's program_sync.depth */
	__u32 tgid, tid;
	__u32 records; /* sent by this thread */
	/* The program for which the mapping of its first kernel's stub was reported */
	__u32 told_program;
	__u64 sites[SITE_CACHE]; /* call sites that were reported, by their low bits */
	__u64 hosts[HOST_CACHE]; /* host pages that were reported: copy.bpf.h */
	__u64 launch_clock;      /* launch clock of its last launch: fault.bpf.h */
	__u64 trampoline;        /* the kernel's trampoline for return probes, 0 until needed */
	/* The return address of a call at whose entry its stack is taken, meanwhile; else 0 */
	__u64 caller;
	__u64 failing; /* the function of the launch that failed, while that is told; 0 */
	/*
	 * A runtime launch that asked for no return has no frame. The driver's launch inside it
	 * must be recognized as nested all the same: it is made from deeper in the stack, before
	 * any other runtime call, for the same function, and from the runtime's code
	 * (launch_from_runtime()).
	 */
	__u64 skipped_sp; /* 0: none */
	__u64 skipped_ip;
	__u64 skipped_function;
	/* When the last launch returned, if the gap behind it is measured; 0: it is not */
	__u64 gap_from;
	/* How many launches the last one stood for; 0: it need not be followed to its return */
	__u64 weight;
	/* Where the driver's launch inside a followed one returned to; 0: unknown */
	__u64 nested_caller;
	/* By how many bytes such launches were deeper: nested_place() */
	__u32 nested_depth[NESTED_DEPTHS];
	/* The last function with its two addresses: the runtime's and the driver's */
	__u64 paired[2];
	__u32 context_depth; /* number of contexts below the current one */
	/*
	 * a launch on this device was followed to its return: the runtime has initialized
	 * everything
	 */
	__u32 settled;
	__u32 ignored_seen; /* ignored_count, when this thread looked whether its program is one */
	__u32 pad;
	struct frame frames[FRAME_COUNT];
	struct context_entry contexts[CONTEXT_COUNT];
	struct hot_launch hot[HOT_LAUNCHES];
	struct outer_call outer; /* no_returns.bpf.h */
	/* The code that last called the driver, of the runtime and of others: caller.bpf.h */
	struct code_range runtime_code, other_code;
	__u32 marks; /* runtime_marks at that time */
	/* The context is a green one: a part of its device's primary context */
	__u32 green;
	/*
	 * Made its first call while probes were placed, in a process that is older than these
	 * programs: whether that is late is not known yet.
	 */
	__u32 doubtful;
	/* python_changes when the process was last checked for Python, and the answer */
	__u32 python_changes, has_python;
	struct pool_call pool; /* the outermost */
	/* site_rows.bpf.h, while a row is looked up: no room for it on the stack */
	struct call_site_key place;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_state);
} threads SEC(".maps");

extern void bpf_rcu_read_lock(void) __ksym __weak;
extern void bpf_rcu_read_unlock(void) __ksym __weak;

/*
 * The current task's storage in @map, created if need be; NULL if the kernel has no memory at once.
 * In a sleepable program the kernel would wait for memory; a lock keeps it from that.
 */
#define storage_new(map, task) \
	({ \
		void *storage_; \
\
		if (locks_storage) \
			bpf_rcu_read_lock(); \
		storage_ = bpf_task_storage_get(&map, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE); \
		if (locks_storage) \
			bpf_rcu_read_unlock(); \
		storage_; \
	})

#define HASH_MAP(name, key_type, value_type, entries) \
	struct { \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(map_flags, BPF_F_NO_PREALLOC); \
		__uint(max_entries, entries); \
		__type(key, key_type); \
		__type(value, value_type); \
	} name SEC(".maps")

HASH_MAP(programs, __u32, struct program_row, 65536); /* by program; user space deletes */
HASH_MAP(tgids, __u32, __u32, 65536);                 /* process to its present program */
HASH_MAP(listed, __u32, __u32, 65536);                /* processes to watch, if only_listed */
HASH_MAP(ignored, __u32, __u8, 65536);                /* programs that are not shown */
HASH_MAP(late, __u32, __u32, 65536);                  /* process to its enum late */
HASH_MAP(launches, struct launch_key, struct launch_home, 262144);
HASH_MAP(copies, struct copy_key, struct copy_row, 131072);
HASH_MAP(calls, struct call_key, struct call_row, 262144);
HASH_MAP(failures, struct fail_key, struct fail_row, 65536);

static const struct program_row no_program;
static const struct launch_home no_launches;
static const struct copy_row no_copies;
static const struct call_row no_calls;

static __always_inline const volatile struct call_desc *desc_of(__u32 call)
{
	call &= CALL_TABLE_SIZE - 1;
	asm("" : "+r"(call));
	return &call_table[call & (CALL_TABLE_SIZE - 1)];
}

static __always_inline enum late late_of(__u32 tgid)
{
	__u32 *late_as = bpf_map_lookup_elem(&late, &tgid);

	return late_as ? *late_as : LATE_NOT;
}

static __always_inline void count_lost(enum lost_cause cause)
{
	__sync_fetch_and_add(&lost[cause], 1);
}

static __always_inline void count_lost_of(__u32 program, enum lost_cause cause)
{
	struct program_row *row = bpf_map_lookup_elem(&programs, &program);

	count_lost(cause);
	if (!row)
		return;
	row->inexact = 1;
	/* One of these records may have been a free. */
	if (cause == LOST_RING_FULL || cause == LOST_NESTING || cause == LOST_THREADS)
		row->lost_time = bpf_ktime_get_ns();
}

/* An argument of the current thread's call could not be read. */
__noinline int argument_lost(void)
{
	struct thread_state *thread =
		bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL, 0);

	count_lost_of(thread ? thread->program : 0, LOST_ARGUMENT);
	return 0;
}

/*
 * Call this after a row was added, not before: a reader of the count then finds the row in the map.
 */
static __always_inline void row_made(enum row_map map)
{
	__sync_fetch_and_add(&rows_made[map], 1);
}

/*
 * Waking the reader costs more than everything else in a probe, so frequent records do it only when
 * the ring fills up; otherwise the reader comes by itself.
 */
static __always_inline __u64 quiet_flags(struct thread_state *thread)
{
	if (thread->records++ & (RING_LOOK - 1))
		return BPF_RB_NO_WAKEUP;
	return bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) > wake_bytes ? BPF_RB_FORCE_WAKEUP :
									    BPF_RB_NO_WAKEUP;
}

/* Fills in a record's header for the current thread, whose state is @thread_. */
#define header_of(thread_, hdr_, type_, size_, time_) \
	do { \
		(hdr_)->type = type_; \
		(hdr_)->size = size_; \
		(hdr_)->program = (thread_)->program; \
		(hdr_)->time = time_; \
		(hdr_)->tgid = (thread_)->tgid; \
		(hdr_)->tid = (thread_)->tid; \
	} while (0)

/*
 * Begins a record of @size bytes by the current thread. Returns NULL, and counts the loss, if the
 * ring is full.
 */
static __always_inline void *record_begin(struct thread_state *thread, enum rec_type type,
					  const __u32 size, __u64 time)
{
	struct rec_hdr *hdr = bpf_ringbuf_reserve(&events, size, 0);

	if (!hdr) {
		count_lost_of(thread->program, LOST_RING_FULL);
		return NULL;
	}
	header_of(thread, hdr, type, size, time);
	return hdr;
}

#define header_fill(hdr_, type_, size_, image_, time_) \
	do { \
		__u64 id_ = bpf_get_current_pid_tgid(); \
		(hdr_)->type = type_; \
		(hdr_)->size = size_; \
		(hdr_)->program = image_; \
		(hdr_)->time = time_; \
		(hdr_)->tgid = id_ >> 32; \
		(hdr_)->tid = (__u32)id_; \
	} while (0)

/* One step of it: @bits, if what is left of the value does not fit into them. */
#define HISTOGRAM_STEP(bits) \
	do { \
		step = (((1ull << (bits)) - 1 - value) >> 63) * (bits); \
		value >>= step; \
		bucket += step; \
	} while (0)

/*
 * The logarithm of @value >> @shift, to base 2; the last of the @buckets has all that are higher.
 * Without a branch for each bit: the verifier would follow all that comes after once for each result.
 */
static __always_inline __u64 histogram_bucket(__u64 value, int shift, __u32 buckets)
{
	__u64 bucket = 0, step;

	value >>= shift;
	if (value >> (buckets - 1))
		return buckets - 1;
	if (buckets > 32)
		HISTOGRAM_STEP(32);
	HISTOGRAM_STEP(16);
	HISTOGRAM_STEP(8);
	HISTOGRAM_STEP(4);
	HISTOGRAM_STEP(2);
	HISTOGRAM_STEP(1);
	return bucket;
}

/* The compiler knows more of the bucket than an older verifier: it is to keep the comparison. */
#define histogram_add(hist_, value_, shift_) \
	do { \
		__u64 bucket_ = \
			histogram_bucket(value_, shift_, sizeof(hist_) / sizeof((hist_)[0])); \
		asm volatile("" : "+r"(bucket_)); \
		if (bucket_ < sizeof(hist_) / sizeof((hist_)[0])) \
			__sync_fetch_and_add(&(hist_)[bucket_], 1); \
	} while (0)

static __always_inline void raise_max(__u64 *max, __u64 value)
{
	__u64 old = *(volatile __u64 *)max;
	int i;

	for (i = 0; i < 4; i++) {
		__u64 seen;

		if (value <= old)
			return;
		seen = __sync_val_compare_and_swap(max, old, value);
		if (seen == old)
			return;
		old = seen;
	}
}

/* ---- programs ---- */

/* What is known about a program's synchronizing calls. NULL: the program is gone. */
static __always_inline struct program_sync *sync_of(__u32 program)
{
	struct near_sync *near = NEAR_AT(near_syncs, NEAR_SYNCS, program);
	struct program_row *row;

	if (near->owner == program)
		return &near->row;
	row = bpf_map_lookup_elem(&programs, &program);
	if (!row)
		return NULL;
	/* Keep the compiler from adding first, which the verifier refuses */
	asm volatile("" : "+r"(row));
	return &row->sync;
}

/* ---- counting ---- */

/* True if @result is a failure of this call of @desc itself. */
static __always_inline bool is_failure(const volatile struct call_desc *desc, __s32 result)
{
	if (!result || desc->flags & CALL_ECHO)
		return false;
	return !(desc->flags & CALL_POLL && result == 600);
}

/* The row of @call, or NULL without room. */
static __always_inline struct call_row *call_row_get(__u32 program, __u16 call)
{
	struct call_key key = { .program = program, .call = call };
	__u64 owner = near_call_owner(&key);
	struct near_call *near = NEAR_AT(near_calls, NEAR_CALLS, owner);
	struct call_row *row;

	if (near->owner == owner)
		return &near->row;
	row = bpf_map_lookup_elem(&calls, &key);
	if (row) {
		near_claim(near, owner);
		return row;
	}
	bpf_map_update_elem(&calls, &key, &no_calls, BPF_NOEXIST);
	row_made(ROWS_CALLS);
	row = bpf_map_lookup_elem(&calls, &key);
	if (!row)
		count_lost_of(program, LOST_CALL_ROWS);
	return row;
}

/* Counts a call that took @ns in its row of the map `calls`. */
static __always_inline void call_count(__u32 program, __u16 call, __u64 ns, bool failed)
{
	struct call_row *row = call_row_get(program, call);

	if (!row)
		return;
	__sync_fetch_and_add(&row->ns, ns);
	if (failed)
		__sync_fetch_and_add(&row->failures, 1);
	raise_max(&row->max_ns, ns);
	histogram_add(row->hist, ns, CUTOP_HIST_SHIFT);
}

#endif
