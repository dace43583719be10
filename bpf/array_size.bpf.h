/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many bytes CUDA's arrays take, from their descriptors: formats, compressed and planar ones
 * among them, levels of mipmaps, layers.
 */
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
/* cudaArrayDeferredMapping: its memory is mapped later, as a whole, */
#define ARRAY_DEFERRED 0x80
#define ARRAY_UNBACKED 0xc0 /* or also cudaArraySparse: the same, part by part */

/*
 * The smallest part of an array that has memory of its own: a square of texels. Compressed formats
 * store 4x4 of them in a block.
 */
struct texels {
	__u32 bytes;
	__u32 side; /* of the square's side: log2 */
};

#define BLOCK_SIDE  2
#define PLANAR_SIDE 1 /* 4:2:0: two planes, the second half as wide and half as high */

/* Bytes of one channel: CUarray_format, cuda.h of CUDA 13.2. */
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
	case 0xcb: /* signed */
	case 0xa3:
	case 0xa4:
	case 0xa6:
	case 0xa7: /* P210, P216, Y210, Y216 */
	case 0xb1:
	case 0xb3:
	case 0xb5: /* Y416, and 4:4:4 in planes of 10 and 16 bits */
	/* YUV in planes of 16 bits */
	case 0x54:
	case 0x56:
	case 0x58:
	case 0x5a:
	case 0x5c:
	case 0x5e: return 2;
	case 0x03:
	case 0x0a:
	case 0x20: /* 32 bits: unsigned, signed, float */ return 4;
	default: return 1;
	}
}

static __always_inline struct texels format_texels(__u32 format, __u32 channels)
{
	switch (format) {
	case 0x91:
	case 0x92:
	case 0x97:
	case 0x98: /* BC1, BC4 */ return (struct texels){ 8, BLOCK_SIDE };
	case 0x93:
	case 0x94:
	case 0x95:
	case 0x96: /* BC2, BC3 */
	case 0x99:
	case 0x9a:
	case 0x9b:
	case 0x9c:
	case 0x9d:
	case 0x9e: /* BC5, BC6H, BC7 */ return (struct texels){ 16, BLOCK_SIDE };
	/* NV12, and 4:2:0 in two and three planes */
	case 0xb0:
	case 0x53:
	case 0x59: return (struct texels){ 6, PLANAR_SIDE };
	case 0x9f:
	case 0xa1:
	case 0x54:
	case 0x5a: /* P010, P016, and the same of 16 bits */
		return (struct texels){ 12, PLANAR_SIDE };
	/* NV16, P210, P216: as much colour as light */
	case 0xa2:
	case 0xa3:
	case 0xa4:
	case 0xa5:
	case 0xa6:
	case 0xa7:
	case 0x51: /* the same packed: YUY2, Y210, Y216 */
	case 0x55:
	case 0x56:
	case 0x5b:
	case 0x5c: /* 4:2:2 in two and three planes */
		return (struct texels){ 2 * format_bytes(format), 0 };
	/* 4:4:4 in planes: twice as much colour as light */
	case 0xb2:
	case 0xb3:
	case 0xb4:
	case 0xb5:
	case 0x57:
	case 0x58:
	case 0x5d:
	case 0x5e: return (struct texels){ 3 * format_bytes(format), 0 };
	/* Packed with a fourth channel: AYUV, Y410, Y416, 10:10:10:2 */
	case 0xa8:
	case 0xa9:
	case 0xb1:
	case 0x50:
	case 0x52: return (struct texels){ 4 * format_bytes(format), 0 };
	default: return (struct texels){ format_bytes(format) * channels, 0 };
	}
}

/* struct cudaChannelFormatDesc, driver_types.h; its kinds, up to those of CUDA 13.3 */
struct channel_desc {
	__s32 bits[4];
	__u32 kind;
};

/*
 * The square of texels of an array with the cudaChannelFormatDesc at @desc; in *@element the bytes
 * of its channels.
 */
static __always_inline struct texels desc_texels(__u64 desc, __u64 *element)
{
	struct channel_desc channels = {};

	if (bpf_probe_read_user(&channels, sizeof(channels), (void *)desc))
		argument_lost();
	*element =
		((__u32)channels.bits[0] + channels.bits[1] + channels.bits[2] + channels.bits[3]) /
		8;
	switch (channels.kind) {
	/* NV12, and 4:2:0 in two and three planes */
	case 4:
	case 34:
	case 40: return (struct texels){ 6, PLANAR_SIDE };
	case 35:
	case 41: /* the same of 16 bits */ return (struct texels){ 12, PLANAR_SIDE };
	case 32:
	case 36:
	case 42: /* 4:2:2: packed, in two and three planes */ return (struct texels){ 2, 0 };
	/* 4:4:4 packed, with a fourth channel; 4:2:2 of 16 bits */
	case 33:
	case 37:
	case 43: return (struct texels){ 4, 0 };
	case 38:
	case 44: /* 4:4:4 in two and three planes */ return (struct texels){ 3, 0 };
	case 39:
	case 45: /* the same of 16 bits */ return (struct texels){ 6, 0 };
	case 17:
	case 18:
	case 23:
	case 24: /* BC1, BC4 */ return (struct texels){ 8, BLOCK_SIDE };
	case 19:
	case 20:
	case 21:
	case 22: /* BC2, BC3 */
	case 25:
	case 26:
	case 27:
	case 28:
	case 29:
	case 30: /* BC5, BC6H, BC7 */ return (struct texels){ 16, BLOCK_SIDE };
	default: return (struct texels){ *element, 0 };
	}
}

static __always_inline __u64 at_least_one(__u64 n)
{
	return n ? n : 1;
}

/* How many squares of texels there are along a side of @n. */
static __always_inline __u64 squares(__u64 n, __u32 side)
{
	return (at_least_one(n) + (1u << side) - 1) >> side;
}

struct array_levels {
	struct extent extent; /* of the level to come */
	__u64 levels, total;
	__u32 bytes, side; /* struct texels */
	__u32 flags;
};

static long array_level(__u32 i, struct array_levels *all)
{
	struct extent *extent = &all->extent;
	bool has_layers = all->flags & ARRAY_LAYERS;

	if (i && (i >= all->levels ||
		  !(extent->width | extent->height | (has_layers ? 0 : extent->depth))))
		return 1;
	all->total += squares(extent->width, all->side) * squares(extent->height, all->side) *
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
static __noinline __u64 array_bytes(const struct extent *extent, __u64 levels,
				    const struct texels *texels, __u32 flags)
{
	struct array_levels all = {
		.extent = *extent,
		.levels = levels,
		.bytes = texels->bytes,
		.side = texels->side,
		.flags = flags,
	};

	if (flags & ARRAY_UNBACKED)
		return 0;
	bpf_loop(18, array_level, &all, 0);
	return all.total;
}

#endif
