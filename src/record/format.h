/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The form of a recording; docs/recording.md tells it in words.
 *
 * A preamble, then blocks. The first block holds text: what has to be known
 * before the first record. The others hold records of the stream
 * (model/stream.h), the last of them none. A block is whole or it does not
 * count: what was written before a crash can be read up to the last whole one.
 */
#ifndef RECORD_FORMAT_H
#define RECORD_FORMAT_H

#include <stdint.h>

/* As PNG's: a transfer that changes line ends, or clears the highest bit, shows. */
#define RECORDING_MAGIC		"\x89" "CUTOP\r\n"
#define RECORDING_ORDER		0x01020304u
#define RECORDING_VERSION	1u

struct recording_preamble {
	uint8_t magic[8];
	uint32_t order;			/* RECORDING_ORDER in the writer's byte order */
	uint32_t version;
};

#define BLOCK_MAGIC	0x4b4c4243u	/* "CBLK", where the lowest byte is first */
#define BLOCK_BYTES	(256u << 10)	/* unpacked, as we write them */
#define BLOCK_MAX	(1u << 20)	/* either way, as we read them */

enum block_flag {
	BLOCK_IS_PACKED = 1,	/* pack.h */
	BLOCK_IS_TEXT = 2,	/* the first */
	BLOCK_IS_MOMENT = 4,	/* ends with a REC_MOMENT, of the block's time */
	BLOCK_IS_END = 8,	/* the last */
	BLOCK_IS_NUMBERED = 16,	/* all of a recording or, of a cutop that did not number them, none */
};

#define BLOCK_NUMBER_SHIFT	8
#define BLOCK_NUMBER_MASK	0xffffffu	/* after the greatest comes 0 */

struct block_header {
	uint32_t magic;
	uint32_t flags;		/* enum block_flag; from BLOCK_NUMBER_SHIFT on, how many blocks are before it */
	uint32_t stored;	/* bytes that follow */
	uint32_t bytes;		/* of them, unpacked */
	uint64_t time;		/* CLOCK_MONOTONIC ns: how far the recording goes with this block; never falls */
	uint32_t check;		/* CRC-32 (zlib's) of the bytes that follow */
	uint32_t own_check;	/* CRC-32 of what stands before it here */
};

#define RECORD_ALIGNED(size)	(((size_t)(size) + 7) & ~(size_t)7)	/* where the next record of a block begins */

#endif
