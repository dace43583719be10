/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of a recording; docs/recording.md describes it in words. A preamble, then blocks. The
 * first block holds text: what a reader has to know before the first record. The others hold
 * records of the stream (model/stream.h); the last block is empty. A block counts only if it is
 * whole: after a crash, a recording can be read up to the last whole block.
 */
#ifndef RECORD_FORMAT_H
#define RECORD_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

/* Like PNG's: it shows if a transfer changed line ends or cleared the highest bit. */
#define RECORDING_MAGIC \
	"\x89" \
	"CUTOP\r\n"
#define RECORDING_ORDER   0x01020304u
#define RECORDING_VERSION 1u

struct recording_preamble {
	uint8_t magic[8];
	uint32_t order; /* RECORDING_ORDER in the writer's byte order */
	uint32_t version;
};

#define BLOCK_MAGIC 0x4b4c4243u  /* "CBLK", if the lowest byte is stored first */
#define BLOCK_BYTES (256u << 10) /* size of the blocks that we write, unpacked */
#define BLOCK_MAX   (1u << 20)   /* largest block that we read, packed or not */

enum block_flag {
	BLOCK_IS_PACKED = 1, /* pack_bytes() */
	BLOCK_IS_TEXT = 2,   /* the first */
	BLOCK_IS_MOMENT = 4, /* it ends with a REC_MOMENT that has the block's time */
	BLOCK_IS_END = 8,    /* the last */
	/* All blocks of a recording have it, or, if an old cutop wrote it, none */
	BLOCK_IS_NUMBERED = 16,
};

#define BLOCK_NUMBER_SHIFT 8
#define BLOCK_NUMBER_MASK  0xffffffu /* block numbers wrap to 0 after this */

struct block_header {
	uint32_t magic;
	uint32_t flags;  /* enum block_flag; the block's number from BLOCK_NUMBER_SHIFT on */
	uint32_t stored; /* bytes that follow */
	uint32_t bytes;  /* their size when unpacked */
	/* CLOCK_MONOTONIC ns: how far the recording goes with this block; never falls */
	uint64_t time;
	uint32_t check;     /* CRC-32 (zlib's) of the bytes that follow */
	uint32_t own_check; /* CRC-32 of this header up to here */
};

/* Where the next record of a block begins */
#define RECORD_ALIGNED(size) (((size_t)(size) + 7) & ~(size_t)7)

/* ---- the facts: the text at the start ---- */

struct facts {
	uint64_t start_mono, start_real; /* ns, as in struct model_config */
	uint64_t leak_age;               /* ns */
	/* COMMAND was watched: the recording ends with it */
	bool has_command;
	bool has_calls;   /* every call was recorded: record --trace */
	char version[64]; /* of cutop */
	char host[256];
	/* The command line, for people; cut where it is longer */
	char options[1024];
};

/*
 * Makes the text of @facts, together with what else a reader has to know: the sizes of records, and
 * the names behind their numbers. Returns its length, and *@text for the caller to free; or
 * -ENOMEM.
 */
long facts_write(const struct facts *facts, char **text);

/* Numbers in a recording that differ from ours. */
struct numbers {
	uint16_t *calls; /* our number for each of the recording's; NULL: the same */
	size_t call_count;
	uint16_t *lost;
	size_t lost_count;
};

/*
 * Parses the @len bytes of @text. Returns 0 or a negative errno with @why. Free *@numbers with
 * numbers_free().
 */
int facts_read(const char *text, size_t len, struct facts *facts, struct numbers *numbers,
	       struct reason *why);
void numbers_free(struct numbers *numbers);

/*
 * Packing of blocks: raw deflate (RFC 1951), without zlib's header and checksum, since blocks have
 * their own.
 */

/*
 * Packs @size bytes of @in into @out. Returns the packed size, or 0 if it would need @room bytes or
 * more.
 */
size_t pack_bytes(const char *in, size_t size, char *out, size_t room);

/* True if the @size bytes of @in unpack to exactly @bytes bytes, which are then at @out. */
bool unpack_bytes(const char *in, size_t size, char *out, size_t bytes);

#endif
