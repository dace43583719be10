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
 */
#ifndef CUTOP_ALLOCATOR_H
#define CUTOP_ALLOCATOR_H

#include "cutop_event.h"

/* The functions have numbers after those of Python's interpreters. */
#define CUTOP_ALLOCATOR     0xa000
#define ALLOCATOR_FORMS_MAX 16 /* a power of two */
#define CUTOP_IS_ALLOCATOR(n) \
	((n) >= CUTOP_ALLOCATOR && (n) < CUTOP_ALLOCATOR + ALLOCATOR_FORMS_MAX)

/* Names in allocator_names[], cuda/allocators.c. Recordings contain these numbers. */
enum allocator_kind { ALLOCATOR_PYTORCH, ALLOCATOR_KINDS };

/*
 * Where a function has its arguments, counted from 0. Device: a c10::Device by value, its type in
 * the low byte, its index in the next. A block that is taken back has fewer than 0 bytes.
 */
struct allocator_form {
	__u8 allocator; /* enum allocator_kind */
	__u8 is_short;  /* no memory was found: there is no block */
	__u8 has_totals;
	__u8 address, bytes, allocated, reserved, device;
};

/*
 * A stack is taken of every block of so many bytes, of smaller ones by chance: of one in as many as
 * fit into that, so that each that is drawn stands for about as much memory.
 */
#define BLOCK_ALWAYS (512u << 10)
#define BLOCK_ONE_OF 0xffffu /* at most */

#define C10_DEVICE_CUDA 1 /* c10/core/DeviceType.h; also that of ROCm's devices */

/* A block was handed out, or taken back. */
struct rec_block {
	struct rec_hdr hdr; /* time: at entry */
	__u64 address;
	__s64 bytes; /* below 0: taken back */
	/* Bytes of the allocator on that device after it, if has_totals */
	__u64 allocated, reserved;
	__u64 site;  /* the caller's return address; 0: taken back, or not drawn */
	__u64 stack; /* rec_stack.stack of the same program; 0: none */
	__s32 device;
	__u8 allocator; /* enum allocator_kind */
	__u8 has_totals;
	__u16 one_of; /* drawn from so many blocks, or not; 0, 1: its site was taken in any case */
};

/* A request found no memory. */
struct rec_short {
	struct rec_hdr hdr;
	__u64 bytes; /* that were asked for */
	__u64 allocated, reserved;
	__u64 site, stack;
	__s32 device;
	__u8 allocator;
	__u8 has_totals;
	__u8 pad[2];
};

#endif
