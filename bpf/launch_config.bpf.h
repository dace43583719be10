/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A launch's configuration: grid, block, shared bytes and stream, from registers, from the stack,
 * or from a struct in memory.
 */
#ifndef LAUNCH_CONFIG_BPF_H
#define LAUNCH_CONFIG_BPF_H

#include "arguments.bpf.h"
#include "state.bpf.h"

/*
 * struct cudaLaunchConfig_t, driver_types.h; CUlaunchConfig, cuda.h, has 32 bits of shared bytes
 * and 32 of padding
 */
struct launch_config {
	__u32 grid[3];
	__u32 block[3];
	__u64 shared_bytes;
	__u64 stream;
};

/*
 * Offsets in cudaLaunchConfig_t and CUlaunchConfig, and struct cudaLaunchAttribute, driver_types.h,
 * which CUlaunchAttribute resembles.
 */
#define CONFIG_ATTRIBUTES 40 /* a pointer, and their number in 32 bits */
#define ATTRIBUTE_BYTES   72
#define ATTRIBUTE_VALUE   8
#define ATTRIBUTES_MAX    24 /* number of kinds: 16 in CUDA 13.0 */
/* cudaLaunchAttributeDeviceUpdatableKernelNode; the value begins with a boolean */
#define ATTRIBUTE_UPDATABLE 13

/* struct cudaLaunchParams, driver_types.h (CUDA 12 and before) */
struct launch_params {
	__u64 function;
	__u32 grid[3];
	__u32 block[3];
	__u64 args;
	__u64 shared_bytes;
	__u64 stream;
};

/* struct CUDA_LAUNCH_PARAMS, cuda.h: 32 bits of shared bytes and 32 of padding, too */
struct driver_launch_params {
	__u64 function;
	struct launch_config config;
};

/* A launch's configuration, as far as it is known. */
struct launch_shape {
	__u32 grid[3], block[3];
	__u32 shared_bytes;
	__u64 stream;
};

static __always_inline bool same_grid(const struct launch_row *row,
				      const struct launch_shape *shape)
{
	return row->grid[0] == shape->grid[0] && row->grid[1] == shape->grid[1] &&
	       row->grid[2] == shape->grid[2] && row->block[0] == shape->block[0] &&
	       row->block[1] == shape->block[1] && row->block[2] == shape->block[2];
}

/* Grid and block as the ABI packs them into registers: x and y in one, z in the next. */
static __always_inline void shape_unpack(struct launch_shape *shape, __u64 grid, __u64 grid_z,
					 __u64 block, __u64 block_z)
{
	shape->grid[0] = grid;
	shape->grid[1] = grid >> 32;
	shape->grid[2] = grid_z;
	shape->block[0] = block;
	shape->block[1] = block >> 32;
	shape->block[2] = block_z;
}

/*
 * Shared bytes and stream of a launch by arguments, and the driver's third dimension of the block,
 * are on the caller's stack, even at return.
 */
static __always_inline void launch_memory(const void *words_at, struct launch_row *row, bool driver)
{
	__u64 words[3] = {};

	if (driver) {
		bpf_probe_read_user(words, sizeof(words), words_at);
		row->block[2] = words[0];
		row->shared_bytes = words[1];
		row->stream = words[2];
		return;
	}
	bpf_probe_read_user(words, 2 * sizeof(words[0]), words_at);
	row->shared_bytes = words[0];
	row->stream = words[1];
}

static __always_inline void shape_take(struct launch_shape *shape, const __u32 *grid,
				       const __u32 *block, __u64 shared_bytes, __u64 stream)
{
	__builtin_memcpy(shape->grid, grid, sizeof(shape->grid));
	__builtin_memcpy(shape->block, block, sizeof(shape->block));
	shape->shared_bytes = shared_bytes;
	shape->stream = stream;
}

/*
 * All of a launch whose configuration is a struct in memory: its function, and how often it is
 * launched.
 */
static __noinline int launch_struct(struct pt_regs *ctx, struct launch_shape *shape,
				    __u64 *function, __u64 *times)
{
	const volatile struct call_desc *desc = desc_of(bpf_get_attach_cookie(ctx));
	struct driver_launch_params driver = {};
	struct launch_params params = {};
	const void *address = (const void *)PT_REGS_PARM1(ctx);
	long err;

	*times = 1;
	switch (desc->a) {
	case FORM_GRID:
	case FORM_BARE:
		*function = (__u64)address;
		shape->grid[0] = desc->a == FORM_GRID ? (__u32)PT_REGS_PARM2(ctx) : 1;
		shape->grid[1] = desc->a == FORM_GRID ? (__u32)PT_REGS_PARM3(ctx) : 1;
		shape->grid[2] = 1;
		return 0;
	case FORM_CONFIG:
	case FORM_DRIVER_MULTI:
		if (desc->a == FORM_CONFIG) {
			err = bpf_probe_read_user(&driver.config, sizeof(driver.config), address);
			driver.function = PT_REGS_PARM2(ctx);
		} else {
			err = bpf_probe_read_user(&driver, sizeof(driver), address);
			*times = (__u32)PT_REGS_PARM2(ctx);
		}
		*function = driver.function;
		shape_take(shape, driver.config.grid, driver.config.block,
			   driver.config.shared_bytes, driver.config.stream);
		break;
	default:
		err = bpf_probe_read_user(&params, sizeof(params), address);
		*times = (__u32)PT_REGS_PARM2(ctx);
		*function = params.function;
		shape_take(shape, params.grid, params.block, params.shared_bytes, params.stream);
	}
	if (err)
		argument_lost();
	return 0;
}

/* True if the launch whose configuration is at @config asks for a node that kernels may change. */
static __noinline bool asks_updatable(__u64 config)
{
	struct {
		__u64 at;
		__u32 count;
	} list = {};
	struct {
		__u32 id, pad, value;
	} one;
	__u32 i;

	if (bpf_probe_read_user(&list, 12, (void *)(config + CONFIG_ATTRIBUTES)) || !list.at)
		return false;
	for (i = 0; i < ATTRIBUTES_MAX; i++) {
		if (i >= list.count ||
		    bpf_probe_read_user(&one, sizeof(one), (void *)(list.at + i * ATTRIBUTE_BYTES)))
			break;
		if (one.id == ATTRIBUTE_UPDATABLE)
			return one.value == 1;
	}
	return false;
}

#endif
