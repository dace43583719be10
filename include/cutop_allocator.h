/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by which allocators of frameworks tell what they do, and the records made from their
 * calls. Such an allocator takes large pieces of device memory and hands out blocks of them, of
 * which CUDA hears nothing. Include <linux/types.h> or vmlinux.h first.
 *
 * PyTorch: c10/core/Allocator.h, reportMemoryUsageToProfiler() and reportOutOfMemoryToProfiler(),
 * called for every block that is handed out or taken back, and for every request that finds no
 * memory, whether a profiler runs or not, with the lock of the device's allocator held. So the
 * records of one device are in order.
 *
 * Pools that tell nothing, of XLA, TensorFlow and llama.cpp: a function that hands out a block and
 * returns its address, and one that is given the address back. Whether that is device memory, and
 * whose, is told by the allocation that it lies in.
 */
#ifndef CUTOP_ALLOCATOR_H
#define CUTOP_ALLOCATOR_H

#include "cutop_event.h"

/* The functions have numbers after those of Python's interpreters. */
#define CUTOP_ALLOCATOR     0xa000
#define ALLOCATOR_FORMS_MAX 32 /* a power of two */
/* The last of them are those of pools that the user describes: cuda/pools.h. */
#define POOL_FUNCTIONS_MAX 16
#define CUTOP_POOL         (CUTOP_ALLOCATOR + ALLOCATOR_FORMS_MAX - POOL_FUNCTIONS_MAX)
#define CUTOP_IS_ALLOCATOR(n) \
	((n) >= CUTOP_ALLOCATOR && (n) < CUTOP_ALLOCATOR + ALLOCATOR_FORMS_MAX)

/* Names in allocator_names[], cuda/allocators.c. Recordings contain these numbers. */
enum allocator_kind { ALLOCATOR_PYTORCH, ALLOCATOR_BFC, ALLOCATOR_GGML, ALLOCATOR_KINDS };

/* Pools that the user describes have the kinds after these. */
#define POOLS_MAX 4

/* What a call of a function is. */
enum allocator_act {
	BLOCK_TOLD,  /* of a block, handed out or, with fewer than 0 bytes, taken back */
	BLOCK_SHORT, /* no memory was found: there is no block */
	BLOCK_MADE, /* a block is handed out: its address is returned, NULL if there was no memory */
	BLOCK_RETURNED, /* a block is taken back */
};

/*
 * Where a function has its arguments, counted from 0. Device: a c10::Device by value, its type in
 * the low byte, its index in the next; of the two acts without a report there is none.
 */
struct allocator_form {
	__u8 allocator; /* enum allocator_kind, or a pool of the user's */
	__u8 act;       /* enum allocator_act */
	__u8 has_totals;
	__u8 address, bytes, allocated, reserved, device;
	__u8 result; /* the argument that points to where the block is written + 1; 0: it is returned */
	__u8 pad[3];
	__u32 granule; /* blocks have a multiple of so many bytes, a power of two; 0: of one */
};

/*
 * A stack is taken of every block of so many bytes, of smaller ones by chance: of one in as many as
 * fit into that, so that each that is drawn stands for about as much memory.
 */
#define BLOCK_ALWAYS (512u << 10)
#define BLOCK_ONE_OF 0xffffu /* at most */

/* A request of more bytes is none. */
#define BLOCK_ASKED_MAX (1ull << 52)

#define C10_DEVICE_CUDA 1 /* c10/core/DeviceType.h; also that of ROCm's devices */

/* A block was handed out, or taken back. */
struct rec_block {
	struct rec_hdr hdr; /* time: at entry; of a block whose address is returned, then */
	__u64 address;
	__s64 bytes; /* below 0: taken back; 0: taken back, its size is not told */
	/*
	 * Bytes of the allocator on that device after it, if has_totals; else `reserved` is the pool,
	 * the object whose method it is, and `allocated` is 1 if the processor cannot read the block
	 * (asked only in programs that are older than their probes)
	 */
	__u64 allocated, reserved;
	__u64 site;     /* the caller's return address; 0: taken back, or not drawn */
	__u64 stack;    /* rec_stack.stack of the same program; 0: none */
	__s32 device;   /* CUTOP_DEVICE_UNKNOWN: that of the memory at @address */
	__u8 allocator; /* enum allocator_kind */
	__u8 has_totals;
	__u16 one_of; /* drawn from so many blocks, or not; 0, 1: its site was taken in any case */
};

/* A request found no memory. */
struct rec_short {
	struct rec_hdr hdr;
	__u64 bytes;               /* that were asked for */
	__u64 allocated, reserved; /* as of a block */
	__u64 site, stack;
	__s32 device;
	__u8 allocator;
	__u8 has_totals;
	__u8 pad[2];
};

#endif
