/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a launch is given: grid, block, shared bytes and stream, from registers,
 * from the stack, or from a struct in memory.
 */
#ifndef SHAPE_BPF_H
#define SHAPE_BPF_H

/* struct cudaLaunchConfig_t, driver_types.h; CUlaunchConfig, cuda.h, has 32 bits of shared bytes and 32 of padding */
struct launch_config {
	__u32 grid[3];
	__u32 block[3];
	__u64 shared_bytes;
	__u64 stream;
};

/* struct cudaLaunchParams, driver_types.h (CUDA 12 and before) */
struct launch_params {
	__u64 function;
	__u32 grid[3];
	__u32 block[3];
	__u64 args;
	__u64 shared_bytes;
	__u64 stream;
};

/* struct CUDA_LAUNCH_PARAMS, cuda.h */
struct driver_launch_params {
	__u64 function;
	__u32 grid[3];
	__u32 block[3];
	__u32 shared_bytes;
	__u32 pad;
	__u64 stream;
};

/* A launch's configuration, as far as it is known. */
struct launch_shape {
	__u32 grid[3], block[3];
	__u32 shared_bytes;
	__u64 stream;
};

static __always_inline bool same_grid(const struct launch_row *row, const struct launch_shape *shape)
{
	return row->grid[0] == shape->grid[0] && row->grid[1] == shape->grid[1] && row->grid[2] == shape->grid[2] &&
	       row->block[0] == shape->block[0] && row->block[1] == shape->block[1] &&
	       row->block[2] == shape->block[2];
}

/* Grid and block as the ABI packs them into registers: x and y in one, z in the next. */
static __always_inline void shape_unpack(struct launch_shape *shape, __u64 grid, __u64 grid_z, __u64 block,
					 __u64 block_z)
{
	shape->grid[0] = grid;
	shape->grid[1] = grid >> 32;
	shape->grid[2] = grid_z;
	shape->block[0] = block;
	shape->block[1] = block >> 32;
	shape->block[2] = block_z;
}

/*
 * Shared bytes and stream of a launch by arguments, and the driver's third
 * dimension of the block, lie on the caller's stack, also still at return.
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

/* Everything of a launch whose configuration is a struct in memory; its function, and how often it is launched. */
static __noinline int launch_struct(struct pt_regs *ctx, struct launch_shape *shape, __u64 *function, __u64 *times)
{
	struct launch_params params = {};
	const volatile struct call_desc *desc = desc_of(bpf_get_attach_cookie(ctx));
	__u64 address = PT_REGS_PARM1(ctx);

	if (!shape || !function || !times)
		return 0;
	*times = 1;
	if (desc->a == FORM_GRID || desc->a == FORM_BARE) {
		*function = address;
		shape->grid[0] = desc->a == FORM_GRID ? (__u32)PT_REGS_PARM2(ctx) : 1;
		shape->grid[1] = desc->a == FORM_GRID ? (__u32)PT_REGS_PARM3(ctx) : 1;
		shape->grid[2] = 1;
		return 0;
	}
	if (desc->a == FORM_DRIVER_MULTI) {
		struct driver_launch_params read = {};

		if (bpf_probe_read_user(&read, sizeof(read), (void *)address))
			argument_lost();
		*function = read.function;
		*times = (__u32)PT_REGS_PARM2(ctx);
		__builtin_memcpy(shape->grid, read.grid, sizeof(read.grid));
		__builtin_memcpy(shape->block, read.block, sizeof(read.block));
		shape->shared_bytes = read.shared_bytes;
		shape->stream = read.stream;
		return 0;
	}
	if (desc->a == FORM_CONFIG) {
		struct launch_config read = {};

		if (bpf_probe_read_user(&read, sizeof(read), (void *)address))
			argument_lost();
		*function = PT_REGS_PARM2(ctx);
		__builtin_memcpy(shape->grid, read.grid, sizeof(read.grid));
		__builtin_memcpy(shape->block, read.block, sizeof(read.block));
		shape->shared_bytes = read.shared_bytes;
		shape->stream = read.stream;
		return 0;
	}
	if (bpf_probe_read_user(&params, sizeof(params), (void *)address))
		argument_lost();
	*function = params.function;
	*times = (__u32)PT_REGS_PARM2(ctx);
	__builtin_memcpy(shape->grid, params.grid, sizeof(params.grid));
	__builtin_memcpy(shape->block, params.block, sizeof(params.block));
	shape->shared_bytes = params.shared_bytes;
	shape->stream = params.stream;
	return 0;
}

#endif
