/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a place in native code reads: in a recording, and where a model makes more texts of it. */
#ifndef NAMES_PLACE_TEXT_H
#define NAMES_PLACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

struct place_words {
	const char *function; /* in full; empty: unknown */
	const char *module;   /* the file that contains the code */
	const char *path;     /* the source; empty: unknown */
	unsigned int line;
	uint64_t offset; /* from the start of the function, or, if that is unknown, of the file */
	bool is_inlined; /* then there is no offset */
	bool in_runtime; /* code of NVIDIA's runtime, in a program without symbols */
	/* The function that an inlined one became a part of: two sites may differ in it only; or NULL */
	const struct place_words *around;
};

/*
 * "make_buffer+0x13 at leak.cu:21 (leak)", "leak+0x1013 at leak.cu:21"; inlined "grow at pool.h:9
 * (leak, inlined)", with @around "grow at pool.h:9 in main+0x2c (leak)". NULL without memory; the
 * caller frees it.
 */
char *place_text(const struct place_words *words);

#endif
