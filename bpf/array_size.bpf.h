/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many bytes CUDA's arrays take: elements, levels of mipmaps, layers. */
#ifndef ARRAY_SIZE_BPF_H
#define ARRAY_SIZE_BPF_H

#include "capture.bpf.h"

struct extent {
	__u64 width, height, depth; /* struct cudaExtent, driver_types.h */
};

/* CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR, cuda.h */
struct array_desc {
	__u64 width, height;
	__u32 format, channels;
};

struct array3d_desc {
	__u64 width, height, depth;
	__u32 format, channels;
	__u32 flags, pad;
};

/* Flags of arrays, alike in both layers: driver_types.h, cuda.h */
/* cudaArrayLayered, cudaArrayCubemap: the depth counts layers or faces */
#define ARRAY_LAYERS 5
/* cudaArraySparse, cudaArrayDeferredMapping: memory is mapped into it later */
#define ARRAY_UNBACKED 0xc0

/* Bytes of one channel: CUarray_format, cuda.h. Of all others there is a byte for each channel. */
static __always_inline __u32 format_bytes(__u32 format)
{
	switch (format) {
	case 0x02:
	case 0x09:
	case 0x10: /* 16 bits: unsigned, signed, half */
	case 0xc3:
	case 0xc4:
	case 0xc5: /* normalized: unsigned, 1 to 4 channels */
	case 0xc9:
	case 0xca:
	case 0xcb: /* signed */ return 2;
	case 0x03:
	case 0x0a:
	case 0x20: /* 32 bits: unsigned, signed, float */ return 4;
	default: return 1;
	}
}

/* Bytes of an element of an array with the cudaChannelFormatDesc at @desc: driver_types.h */
static __always_inline __u64 desc_bytes(__u64 desc)
{
	__s32 bits[4] = {};

	if (bpf_probe_read_user(bits, sizeof(bits), (void *)desc))
		argument_lost();
	return ((__u32)bits[0] + bits[1] + bits[2] + bits[3]) / 8;
}

static __always_inline __u64 at_least_one(__u64 n)
{
	return n ? n : 1;
}

struct array_levels {
	struct extent extent; /* of the level to come */
	__u64 levels, total;
	__u64 bytes; /* of an element */
	__u32 flags;
};

static long array_level(__u32 i, struct array_levels *all)
{
	struct extent *extent = &all->extent;
	bool has_layers = all->flags & ARRAY_LAYERS;

	if (i && (i >= all->levels ||
		  !(extent->width | extent->height | (has_layers ? 0 : extent->depth))))
		return 1;
	all->total += at_least_one(extent->width) * at_least_one(extent->height) *
		      at_least_one(extent->depth) * all->bytes;
	extent->width >>= 1;
	extent->height >>= 1;
	if (!has_layers)
		extent->depth >>= 1;
	return 0;
}

/*
 * Bytes of all levels of an array with @flags, mipmapped if there are several. Each level halves
 * every dimension that is not yet 1; layers and faces stay. CUDA makes at least one level, and none
 * below one texel, whatever number is asked for. No texture has more than 2^17 texels a side.
 */
static __noinline __u64 array_bytes(const struct extent *extent, __u64 levels, __u64 bytes,
				    __u32 flags)
{
	struct array_levels all = {
		.extent = *extent,
		.levels = levels,
		.bytes = bytes,
		.flags = flags,
	};

	if (flags & ARRAY_UNBACKED)
		return 0;
	bpf_loop(18, array_level, &all, 0);
	return all.total;
}

#endif
