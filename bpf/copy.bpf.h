/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies. If the arguments tell direction and size, a copy is counted in its row of the map
 * `copies`. If they do not (cudaMemcpyDefault; extents in elements of an array; in a process with
 * memory on several devices from device to device, or by a thread whose device is unknown), it goes
 * through the ring, and the model, which knows the allocations, resolves and counts it. P2P is a copy from one device to another,
 * D2D one within a device, whichever call makes it: CUpti_ActivityMemcpyKind, cupti_activity.h of
 * CUDA 13.0.
 */
#ifndef COPY_BPF_H
#define COPY_BPF_H

#include "fault.bpf.h"
#include "memory.bpf.h"
#include "site_rows.bpf.h"

/* ---- async copy ---- */

/*
 * Asynchronous copies: which stream they are made in, and the host memory that they copy. The first
 * time that a page of it is copied, user space is told: it knows whether CUDA allocated the page, or
 * whether it is pageable.
 */

#define STREAM_LEGACY 1 /* cudaStreamLegacy, CU_STREAM_LEGACY */
#define STREAM_THREAD 2 /* cudaStreamPerThread */
/* Bytes above the stack pointer where callers have their variables */
#define STACK_NEAR (1u << 20)
#define HOSTS_MAX  4096 /* pages of host memory that are reported, per row of `copies` */

struct {
	/* Pages that fall out of the LRU map are reported again */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct address_key);
	__type(value, __u32);
} hosts SEC(".maps");

static __always_inline __u32 stream_rule(__u32 call)
{
	call &= CALL_TABLE_SIZE - 1;
	asm volatile("" : "+r"(call));
	return call_streams[call & (CALL_TABLE_SIZE - 1)];
}

/* The stream that @stream means in @call of this thread. */
static __always_inline __u64 stream_meant(struct thread_state *thread, __u32 call, __u64 stream)
{
	if (!stream)
		stream = stream_rule(call) & CUTOP_STREAM_PER_THREAD ? STREAM_THREAD :
								       STREAM_LEGACY;
	return stream == STREAM_THREAD ? stream | (__u64)thread->tid << 32 : stream;
}

/*
 * Before CUDA 13, the runtime's batch calls had one more argument: where to write the index of a
 * copy that fails. It is where the stream, at @place, is now, or one argument before, where flags
 * are now. It is an address, mostly on the caller's stack, which neither a stream nor flags can be.
 */
static __noinline __u32 stream_moved(struct pt_regs *ctx, __u32 place)
{
	place &= CUTOP_STREAM_ARGUMENT;
	if (call_arg(ctx, place - 1) >= SMALL_NUMBER ||
	    call_arg(ctx, place) - call_sp(ctx) < STACK_NEAR)
		place++;
	return place;
}

/* Which argument of @call is the stream, at its entry; CUTOP_STREAM_NONE. */
static __always_inline __u32 stream_place(struct pt_regs *ctx, __u32 call)
{
	__u32 rule = stream_rule(call);

	return rule & CUTOP_STREAM_MOVED ? stream_moved(ctx, rule) : rule & CUTOP_STREAM_ARGUMENT;
}

/* The stream of a call that has one, at its entry. */
static __always_inline __u64 stream_argument(struct pt_regs *ctx, struct thread_state *thread,
					     __u32 call)
{
	__u32 argument = stream_place(ctx, call);

	return stream_meant(thread, call,
			    argument == CUTOP_STREAM_NONE ? 0 : call_arg(ctx, argument));
}

/* Reports the host page at @address, unless that was done. @row: the copy's. */
static __noinline int host_tell(struct thread_state *thread, struct copy_row *row,
				const struct frame *frame, __u64 site)
{
	bool to_host = frame->direction == DIR_D2H;
	struct address_key key = {};
	struct rec_host *rec;
	__u64 *last, address;
	__u32 one = 1;

	if (!row)
		return 0;
	address = to_host ? frame->copy.destination : frame->copy.source;
	/* Once per direction and device, since the row of both is marked. */
	key.program = thread->program;
	key.address = address >> page_shift << 8 | (thread->device & 127) << 1 | to_host;
	last = &thread->hosts[(key.address >> 8) & (HOST_CACHE - 1)];
	if (*last == key.address)
		return 0;
	*last = key.address;
	if (bpf_map_lookup_elem(&hosts, &key) || row->hosts >= HOSTS_MAX)
		return 0;
	bpf_map_update_elem(&hosts, &key, &one, BPF_ANY);
	__sync_fetch_and_add(&row->hosts, 1);
	site_announce(thread, site);
	rec = record_begin(thread, REC_HOST, sizeof(*rec), bpf_ktime_get_ns());
	if (!rec)
		return 0;
	rec->address = address;
	rec->site = site;
	rec->device = thread->device;
	rec->call = frame->call;
	rec->direction = frame->direction;
	rec->pad = 0;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

/* ---- copy ---- */

/* struct cudaMemcpy3DParms and cudaMemcpy3DPeerParms, driver_types.h */
struct copy_3d {
	__u64 source_array, source_pos[3], source_pointer, source_pitched[3];
	__u64 destination_array, destination_pos[3], destination_pointer, destination_pitched[3];
	struct extent extent;
	__u64 kind;
};

struct copy_3d_peer {
	__u64 source_array, source_pos[3], source_pointer, source_pitched[3];
	__u64 source_device;
	__u64 destination_array, destination_pos[3], destination_pointer, destination_pitched[3];
	__u64 destination_device;
	struct extent extent;
};

/* CUDA_MEMCPY2D, and the beginning and end of CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER, cuda.h */
struct driver_end_2d {
	__u64 position[2];
	__u64 type; /* the upper half is padding */
	__u64 host, device, array, pitch;
};

struct driver_copy_2d {
	struct driver_end_2d source, destination;
	__u64 width, height;
};

struct driver_end_3d {
	__u64 position[3], level;
	__u64 type; /* the upper half is padding */
	__u64 host, device, array;
	__u64 context; /* of CUDA_MEMCPY3D_PEER */
	__u64 more[2];
};

struct driver_copy_3d {
	struct driver_end_3d source, destination;
	struct extent extent; /* the width is in bytes */
};

/* CUmemorytype, cuda.h */
enum driver_memory { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY, MEMORY_UNIFIED };

#define BATCH_MAX      4096 /* copies of one batch whose sizes are read */
#define BATCH_READ     16   /* sizes that are read at once */
#define BATCH3D_MAX    64
#define BATCH3D_OP     112 /* sizeof(struct cudaMemcpy3DBatchOp), driver_types.h */
#define BATCH3D_SOURCE 0   /* offsets of its ends, */
#define BATCH3D_TO     40
#define BATCH3D_EXTENT 80 /* and of its extent */

/* The beginning of struct cudaMemcpy3DOperand, driver_types.h */
struct operand {
	__u32 type, pad;
	__u64 address;
};

#define OPERAND_ARRAY 2 /* cudaMemcpyOperandTypeArray, CU_MEMCPY_OPERAND_TYPE_ARRAY */

static __always_inline __u64 extent_size(const struct extent *extent)
{
	return extent->width * extent->height * extent->depth;
}

struct batch {
	__u64 sizes; /* where the next one is */
	__u64 total;
	bool lost;
};

static long batch_part(__u32 i, struct batch *batch)
{
	__u64 some[BATCH_READ];
	__u32 j;

	if (bpf_probe_read_user(some, sizeof(some), (void *)batch->sizes)) {
		batch->lost = true;
		return 1;
	}
#pragma unroll
	for (j = 0; j < BATCH_READ; j++)
		batch->total += some[j];
	batch->sizes += sizeof(some);
	return 0;
}

/* The sum of @count sizes, read several at a time. */
static __noinline __u64 batch_bytes(__u64 sizes, __u64 count)
{
	struct batch batch = { .sizes = sizes };
	__u64 one;
	__u32 i;

	if (count > BATCH_MAX) {
		argument_lost();
		count = BATCH_MAX;
	}
	bpf_loop(count / BATCH_READ, batch_part, &batch, 0);
	for (i = 0; i < BATCH_READ - 1 && !batch.lost; i++) {
		if (i >= count % BATCH_READ)
			break;
		if (bpf_probe_read_user(&one, sizeof(one),
					(void *)(batch.sizes + i * sizeof(one)))) {
			batch.lost = true;
			break;
		}
		batch.total += one;
	}
	if (batch.lost)
		argument_lost();
	return batch.total;
}

/* The first entry of a list of addresses. */
static __noinline __u64 batch_first(__u64 list)
{
	__u64 first = 0;

	if (bpf_probe_read_user(&first, sizeof(first), (void *)list))
		argument_lost();
	return first;
}

static long batch3d_part(__u32 i, struct batch *batch)
{
	struct extent extent;

	if (bpf_probe_read_user(&extent, sizeof(extent),
				(void *)(batch->sizes + i * BATCH3D_OP + BATCH3D_EXTENT))) {
		batch->lost = true;
		return 1;
	}
	batch->total += extent_size(&extent);
	return 0;
}

static __noinline __u64 batch3d_bytes(__u64 operations, __u64 count)
{
	struct batch batch = { .sizes = operations, .lost = count > BATCH3D_MAX };

	bpf_loop(batch.lost ? BATCH3D_MAX : count, batch3d_part, &batch, 0);
	if (batch.lost)
		argument_lost();
	return batch.total;
}

/*
 * The ends of the first operation of a list, which stands for all. If one is an array, extents are
 * in its elements.
 */
static __noinline int operation_arguments(struct frame *frame, __u64 operations)
{
	struct operand source = {}, to = {};

	frame->direction = DIR_DEFAULT;
	if (bpf_probe_read_user(&source, sizeof(source), (void *)(operations + BATCH3D_SOURCE)) ||
	    bpf_probe_read_user(&to, sizeof(to), (void *)(operations + BATCH3D_TO)))
		/* Then its size could not be read either, which was reported */
		frame->direction = DIR_UNKNOWN;
	frame->copy.destination = to.address;
	frame->copy.source = source.address;
	frame->flags = source.type == OPERAND_ARRAY || to.type == OPERAND_ARRAY ? COPY_IN_ELEMENTS :
										  0;
	return 0;
}

static __always_inline __u8 direction_of(__u64 kind)
{
	if (kind <= DIR_D2D)
		return kind;
	return kind == CUDA_MEMCPY_DEFAULT ? DIR_DEFAULT : DIR_UNKNOWN;
}

/*
 * The runtime's two structs of a 3D copy have fields of the same names. If an end is an array, the
 * extent is in elements.
 */
#define COPY_3D_ENDS(frame, p) \
	do { \
		(frame)->copy.destination = (p).destination_array ? (p).destination_array : \
								    (p).destination_pointer; \
		(frame)->copy.source = (p).source_array ? (p).source_array : (p).source_pointer; \
		(frame)->copy.bytes = extent_size(&(p).extent); \
		(frame)->flags = (p).source_array || (p).destination_array ? COPY_IN_ELEMENTS : 0; \
	} while (0)

static __noinline int copy_3d_arguments(struct frame *frame, __u64 params)
{
	struct copy_3d p = {};

	if (bpf_probe_read_user(&p, sizeof(p), (void *)params))
		argument_lost();
	COPY_3D_ENDS(frame, p);
	frame->direction = direction_of((__u32)p.kind);
	return 0;
}

static __noinline int copy_3d_peer_arguments(struct frame *frame, __u64 params)
{
	struct copy_3d_peer p = {};

	if (bpf_probe_read_user(&p, sizeof(p), (void *)params))
		argument_lost();
	COPY_3D_ENDS(frame, p);
	/* Both are an int. */
	frame->direction = (__u32)p.source_device == (__u32)p.destination_device ? DIR_D2D :
										   DIR_P2P;
	return 0;
}

static __always_inline __u64 driver_address(__u32 type, __u64 host, __u64 device, __u64 array)
{
	return type == MEMORY_HOST ? host : type == MEMORY_ARRAY ? array : device;
}

/* The direction of a copy, from the kinds of memory at its ends. */
static __always_inline __u8 driver_direction(__u32 source, __u32 destination)
{
	if (source == MEMORY_UNIFIED || destination == MEMORY_UNIFIED)
		return DIR_DEFAULT;
	if (source == MEMORY_HOST)
		return destination == MEMORY_HOST ? DIR_H2H : DIR_H2D;
	return destination == MEMORY_HOST ? DIR_D2H : DIR_D2D;
}

/* The direction of a copy between the memory of two contexts. */
static __always_inline __u8 peer_direction(struct thread_state *thread, __u64 to, __u64 from)
{
	__s32 device;

	if (to == from)
		return DIR_D2D;
	device = context_device(thread, to);
	return device != CUTOP_DEVICE_UNKNOWN && device == context_device(thread, from) ? DIR_D2D :
											  DIR_P2P;
}

/* Driver copies whose arguments are in a struct: extents are in bytes there, for arrays, too. */
static __noinline int copy_driver_2d(struct frame *frame, __u64 params, __u8 direction)
{
	struct driver_copy_2d p = {};

	if (bpf_probe_read_user(&p, sizeof(p), (void *)params))
		argument_lost();
	frame->copy.destination = driver_address(p.destination.type, p.destination.host,
						 p.destination.device, p.destination.array);
	frame->copy.source =
		driver_address(p.source.type, p.source.host, p.source.device, p.source.array);
	frame->copy.bytes = p.width * p.height;
	frame->direction = direction == DIR_DEFAULT ?
				   driver_direction(p.source.type, p.destination.type) :
				   direction;
	return 0;
}

static __noinline int copy_driver_3d(struct thread_state *thread, struct frame *frame, __u64 params,
				     __u8 direction)
{
	struct driver_copy_3d p = {};

	if (bpf_probe_read_user(&p, sizeof(p), (void *)params))
		argument_lost();
	frame->copy.destination = driver_address(p.destination.type, p.destination.host,
						 p.destination.device, p.destination.array);
	frame->copy.source =
		driver_address(p.source.type, p.source.host, p.source.device, p.source.array);
	frame->copy.bytes = extent_size(&p.extent);
	frame->direction = direction == DIR_P2P ?
				   peer_direction(thread, p.destination.context, p.source.context) :
			   direction == DIR_DEFAULT ?
				   driver_direction(p.source.type, p.destination.type) :
				   direction;
	return 0;
}

/* cudaMemcpyPeer and the like: each address is followed by its device, or context. */
static __noinline int peer_arguments(struct pt_regs *ctx, struct thread_state *thread,
				     struct frame *frame, const volatile struct call_desc *desc)
{
	__u64 to = call_arg(ctx, COPY_DESTINATION(desc->a) + 1),
	      from = call_arg(ctx, COPY_SOURCE(desc->a) + 1);

	if (desc->layer == LAYER_DRIVER)
		frame->direction = peer_direction(thread, to, from);
	else
		frame->direction = (__u32)to == (__u32)from ? DIR_D2D : DIR_P2P;
	return 0;
}

/* Fills in frame->copy without the stream, and frame->direction and frame->flags. */
static __always_inline void copy_arguments(struct pt_regs *ctx, struct thread_state *thread,
					   struct frame *frame,
					   const volatile struct call_desc *desc)
{
	__u32 c = desc->c, d = desc->d, rule = desc->b;
	__u64 operations;

	frame->flags = 0;
	if (rule == BYTES_3D) {
		copy_3d_arguments(frame, call_arg(ctx, c));
		return;
	}
	if (rule == BYTES_3D_PEER) {
		copy_3d_peer_arguments(frame, call_arg(ctx, c));
		return;
	}
	if (rule == BYTES_DRIVER_2D) {
		copy_driver_2d(frame, call_arg(ctx, c), d & ~COPY_FIXED);
		return;
	}
	if (rule == BYTES_DRIVER_3D) {
		copy_driver_3d(thread, frame, call_arg(ctx, c), d & ~COPY_FIXED);
		return;
	}
	if (rule == BYTES_BATCH3D || rule == BYTES_OPERATION) {
		operations = call_arg(ctx, rule == BYTES_BATCH3D ? c + 1 : c);
		frame->copy.bytes =
			batch3d_bytes(operations, rule == BYTES_BATCH3D ? call_arg(ctx, c) : 1);
		operation_arguments(frame, operations);
		return;
	}
	frame->copy.destination = call_arg(ctx, COPY_DESTINATION(desc->a));
	frame->copy.source = call_arg(ctx, COPY_SOURCE(desc->a));
	frame->copy.bytes = call_arg_of(ctx, desc, c);
	if (rule == BYTES_2D) {
		frame->copy.bytes *= call_arg(ctx, c + 1);
	} else if (rule == BYTES_BATCH) {
		frame->copy.bytes = batch_bytes(frame->copy.bytes, call_arg(ctx, c + 1));
		/* The first copy stands for the batch. */
		frame->copy.destination = batch_first(frame->copy.destination);
		frame->copy.source = batch_first(frame->copy.source);
	}
	frame->direction = d & COPY_FIXED ? d & ~COPY_FIXED : direction_of((__u32)call_arg(ctx, d));
	if (frame->direction == DIR_P2P)
		peer_arguments(ctx, thread, frame, desc);
}

/* Bits of a plausible copy size, as in the model: a larger size would spoil sums */
#define COPY_LIE 52

static __always_inline void copy_doubt(struct thread_state *thread, struct frame *frame)
{
	if (!(frame->copy.bytes >> COPY_LIE))
		return;
	count_lost_of(thread->program, LOST_ARGUMENT);
	frame->copy.bytes = 0;
}

static __always_inline int copy_entry(struct call_run *run)
{
	copy_arguments(run->ctx, run->thread, run->frame, run->desc);
	if (run->desc->flags & CALL_ASYNC)
		run->frame->copy.stream = stream_argument(run->ctx, run->thread, run->call);
	return call_entered(run);
}

/* Returns the row, or NULL without room. */
static __always_inline struct copy_row *copy_row_get(struct thread_state *thread, __u8 direction,
						     __u16 call, bool async)
{
	struct copy_key key = {
		.program = thread->program,
		.call = call,
		.direction = direction,
		.mode = async ? COPY_ASYNC : COPY_SYNC,
		.device = thread->device,
	};
	__u64 owner = near_copy_owner(&key);
	struct near_copy *near = NEAR_AT(near_copies, NEAR_COPIES, owner);
	struct copy_row *row;

	if (owner && near->owner == owner)
		return &near->row;
	row = bpf_map_lookup_elem(&copies, &key);
	if (row) {
		if (owner)
			near_claim(near, owner);
		return row;
	}
	bpf_map_update_elem(&copies, &key, &no_copies, BPF_NOEXIST);
	row_made(ROWS_COPIES);
	row = bpf_map_lookup_elem(&copies, &key);
	if (!row)
		count_lost_of(thread->program, LOST_COPY_ROWS);
	return row;
}

/* The same, and counts the copy in the row. */
static __always_inline struct copy_row *copy_count(struct thread_state *thread, struct frame *frame,
						   __u16 call, bool async, __u64 ns, bool failed)
{
	struct copy_row *row = copy_row_get(thread, frame->direction, call, async);
	__u64 bytes = frame->copy.bytes;

	if (!row)
		return NULL;
	__sync_fetch_and_add(&row->ns, ns);
	raise_max(&row->max_ns, ns);
	histogram_add(row->hist, ns, CUTOP_HIST_SHIFT);
	if (failed) {
		__sync_fetch_and_add(&row->failures, 1);
		return row;
	}
	__sync_fetch_and_add(&row->bytes, bytes);
	histogram_add(row->sizes, bytes, 0);
	if (!async && CUTOP_COPY_IS_TIMED(frame->direction, bytes)) {
		__sync_fetch_and_add(&row->timed_bytes, bytes);
		__sync_fetch_and_add(&row->timed_ns, ns);
	}
	return row;
}

/* True if the model has to find the direction of the copy, its size or its device. */
static __always_inline bool copy_is_asked(struct thread_state *thread, struct frame *frame)
{
	return frame->direction == DIR_DEFAULT || frame->flags & COPY_IN_ELEMENTS ||
	       ((frame->direction == DIR_D2D || thread->device == CUTOP_DEVICE_UNKNOWN) &&
		uses_several_devices(thread->program));
}

/* True if the call has memcpy()'s arguments: then neither end is the handle of an array. */
static __always_inline bool copies_addresses(const volatile struct call_desc *desc)
{
	return COPY_DESTINATION(desc->a) == 0 && COPY_SOURCE(desc->a) == 1 && desc->c == 2;
}

/* Which ends of a copy of unsaid direction the processor can read: enum copy_flag. */
static __always_inline __u8 readable_ends(const struct frame *frame, struct rec_copy *rec)
{
	__u8 flags = 0;

	if (!bpf_probe_read_user(&rec->pad, 1, (void *)frame->copy.destination))
		flags |= COPY_TO_READABLE;
	if (!bpf_probe_read_user(&rec->pad, 1, (void *)frame->copy.source))
		flags |= COPY_FROM_READABLE;
	return flags;
}

/*
 * A copy that takes longer waits, and where from is looked at: that takes a hundredth of the time
 */
#define COPY_WAIT_NS 100000

static __always_inline void copy_return(struct call_run *run)
{
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	__u64 ns = run->now - frame->entry;
	__s32 result = run->result;
	__u32 call = run->call;
	struct copy_row *row;
	struct rec_copy *rec;
	bool async;

	copy_doubt(thread, frame);
	async = run->desc->flags & CALL_ASYNC;
	if (result)
		call_failed(run);
	/* A copy into a capture does not run: it becomes a node of a graph. */
	if (async && may_capture(thread) && capture_of(thread, frame->copy.stream)) {
		trace_captured();
		trace_return(run);
		call_count(thread->program, call, ns, result != 0);
		return;
	}
	trace_return(run);
	if (launch_sites && !async && ns >= COPY_WAIT_NS)
		call_site_count(run->ctx, thread, call, 0, ns);
	if (!copy_is_asked(thread, frame)) {
		row = copy_count(thread, frame, call, async, ns, result != 0);
		if (!result && async &&
		    (frame->direction == DIR_H2D || frame->direction == DIR_D2H))
			host_tell(thread, row, frame, call_site(run->ctx));
		return;
	}
	if (async)
		site_announce(thread, call_site(run->ctx));
	rec = record_begin(thread, REC_COPY, sizeof(*rec), run->now);
	if (!rec)
		return;
	rec->destination = frame->copy.destination;
	rec->source = frame->copy.source;
	rec->bytes = frame->copy.bytes;
	rec->ns = ns;
	rec->result = result;
	rec->device = thread->device;
	rec->call = call;
	rec->direction = frame->direction;
	rec->flags = frame->flags | (async ? COPY_IS_ASYNC : 0);
	if (frame->direction == DIR_DEFAULT && copies_addresses(run->desc))
		rec->flags |= readable_ends(frame, rec);
	rec->pad = 0;
	rec->unused = 0;
	rec->site = call_site(run->ctx);
	rec->unused2 = 0;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
}

#endif
