/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace knows of the images whose calls it prints: the process, names of
 * kernels and call sites, stacks, and what is allocated. All of it comes from
 * records, is bounded, and goes when the image ends.
 */
#ifndef TRACE_TRACE_PROGRAMS_H
#define TRACE_TRACE_PROGRAMS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "cutop_event.h"

/* How the 8 bytes of a kernel's argument are to be read. */
enum word_kind { WORD_HEX, WORD_S8, WORD_U8, WORD_S16, WORD_U16, WORD_S32, WORD_U32, WORD_S64, WORD_U64, WORD_FLOAT, WORD_DOUBLE };

struct trace_kernel {
	uint64_t function;
	uint64_t stub;
	unsigned int rank;	/* of the source of its name */
	char *symbol;		/* mangled, cleaned; NULL: not known */
	char *full;		/* demangled; made when first asked for, like what follows */
	char *brief;
	bool has_types;
	uint8_t type_count;
	uint8_t types[CUTOP_KERNEL_WORDS];	/* enum word_kind */
	UT_hash_handle hh;
};

struct trace_site {
	uint64_t address;
	char *name;		/* cleaned */
	UT_hash_handle hh;
};

struct trace_stack {
	uint64_t id;
	uint32_t count;
	uint64_t *frames;
	UT_hash_handle hh;
};

/* An allocation that is not freed yet. */
struct trace_block {
	uint64_t address;
	uint64_t bytes;
	uint64_t time;		/* when it was made */
	int32_t device;
	uint16_t call;
	UT_hash_handle hh;
};

struct trace_module {
	uint64_t start, end, offset;
	char file[CUTOP_FILE_LEN];
};

/* A stream that has a track of its own. */
struct trace_stream {
	uint64_t stream;
	uint32_t track;
	uint64_t busy;		/* until when, ns */
	UT_hash_handle hh;
};

struct trace_image {
	uint32_t image;
	uint32_t tgid;
	uint32_t parent_tgid;	/* when the process made its first call; 0: not known */
	char comm[CUTOP_COMM_LEN * 3];	/* cleaned */
	bool announced;		/* chrome: its track has a name */
	struct trace_kernel *kernels;
	struct trace_site *sites;
	struct trace_stack *stacks;
	struct trace_block *blocks;
	struct trace_stream *streams;
	struct trace_module *modules;
	size_t module_count;
	UT_hash_handle hh;
};

/* A function that --probe named. */
struct trace_extra {
	char *symbol;		/* cleaned; NULL: not told */
	char *brief, *full;	/* demangled, if it is mangled, else NULL */
	enum extra_result result;
};

struct trace_images {
	struct trace_extra extras[CUTOP_EXTRA_MAX];
	struct trace_image *list;
	struct trace_image *last;	/* found last */
};

void trace_images_free(struct trace_images *images);

/* The image of @hdr, made if need be; NULL without memory. */
struct trace_image *trace_image_of(struct trace_images *images, const struct rec_hdr *hdr);

/* Takes in a record that is no call. */
void trace_images_record(struct trace_images *images, const struct rec_hdr *record, size_t size);

/* The kernel that is launched as @function, its names made; never NULL but without memory. */
const struct trace_kernel *trace_kernel_of(struct trace_image *image, uint64_t function);

/* The name of a call site or a frame; NULL: none is known. */
const char *trace_site_name(const struct trace_image *image, uint64_t address);
const struct trace_stack *trace_stack_of(const struct trace_image *image, uint64_t id);

/* An allocating call returned. */
void trace_allocated(struct trace_image *image, const struct rec_call *call);

/* A freeing call returned. True if what it freed is known: @freed is it then. */
bool trace_freed(struct trace_image *image, const struct rec_call *call, struct trace_block *freed);

#endif
