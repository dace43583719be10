/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands around the feed in fuzz_feed.c and test_feed.c: a ring, maps, files and a process,
 * all made up.
 */
#ifndef FEED_WORLD_H
#define FEED_WORLD_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "cutop_event.h"
#include "cutop_rows.h"
#include "errand/again.h"

/* No process has it: of the watched programs, and of the process that replies */
#define WORLD_PID 0x7ffffff0
/* Every process has code from here to twice as far. */
#define WORLD_CODE 0x400000

struct feed_world {
	const uint8_t *data; /* what is left of the input */
	size_t size;
	int (*take)(void *context, void *record, size_t size);
	void *context;
	uint64_t written, read; /* the ring's positions */
	/* before a record that is being written, and all behind it, is read */
	unsigned int reads_in_vain;
	uint32_t program; /* the only one that has a row, or 0 */
	struct program_row row;
	int file;                  /* what every mapping is of */
	unsigned int looks;        /* at files and memory */
	int reader;                /* the other end of the resolver's socket, or -1 */
	struct file_id identified; /* whatever file is asked about */
	struct again again;        /* what takes long */
};

extern struct feed_world world;

/* Ends the process that reads source lines, if it runs. */
void world_reader_end(void);

#endif
