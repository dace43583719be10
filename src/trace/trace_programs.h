/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace knows of the programs whose calls it prints: the process, the names that the model
 * keeps as well (model/name_store.h), and allocations. All of it comes from records, is bounded,
 * and is dropped when the program ends.
 */
#ifndef TRACE_TRACE_PROGRAMS_H
#define TRACE_TRACE_PROGRAMS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "cutop_event.h"
#include "model/name_store.h"

/* How to read the 8 bytes of a kernel's argument. */
enum word_kind {
	WORD_HEX,
	WORD_S8,
	WORD_U8,
	WORD_S16,
	WORD_U16,
	WORD_S32,
	WORD_U32,
	WORD_S64,
	WORD_U64,
	WORD_FLOAT,
	WORD_DOUBLE
};

/* The types of a kernel's arguments, according to its name. */
struct trace_types {
	uint64_t function;
	uint32_t version; /* kernel_name.version when they were read */
	bool are_known;
	uint8_t count;
	uint8_t list[CUTOP_KERNEL_WORDS]; /* enum word_kind */
	UT_hash_handle hh;
};

/* An allocation that is not freed yet. */
struct trace_block {
	uint64_t address;
	uint64_t bytes;
	uint64_t time; /* when it was made */
	int32_t device;
	uint16_t call;
	UT_hash_handle hh;
};

/* A stream that has a track of its own. */
struct trace_stream {
	uint64_t stream;
	uint32_t track;
	uint64_t busy; /* end of its latest slice, ns */
	UT_hash_handle hh;
};

struct trace_program {
	uint32_t program;
	uint32_t tgid;
	/* Its parent's pid when the process made its first call; 0: unknown */
	uint32_t parent_tgid;
	char comm[CUTOP_COMM_LEN + 1]; /* cleaned */
	bool announced;                /* chrome: the name of its track was written */
	struct name_store names;
	struct trace_types *types;
	struct trace_block *blocks;
	struct trace_stream *streams;
	UT_hash_handle hh;
};

struct trace_programs {
	struct extra_names extras;
	struct trace_program *list;
	struct trace_program *last; /* the program that was looked up last */
};

void trace_programs_free(struct trace_programs *programs);

/* The program of @hdr, created if need be; NULL without memory. */
struct trace_program *trace_program_of(struct trace_programs *programs, const struct rec_hdr *hdr);

/* Takes in a record that is not a call; @size bytes of it can be read. */
void trace_programs_record(struct trace_programs *programs, const struct rec_hdr *record,
			   size_t size);

/* The types of the arguments of @kernel, one of @program's names; NULL: unknown. */
const struct trace_types *trace_types_of(struct trace_program *program,
					 const struct kernel_name *kernel);

/* An allocating call returned. */
void trace_allocated(struct trace_program *program, const struct rec_call *call);

/* A freeing call returned. True if it is known what it freed, which is then in @freed. */
bool trace_freed(struct trace_program *program, const struct rec_call *call,
		 struct trace_block *freed);

/*
 * The name of @kernel, one of @program's names, for people: the name depends on the kernel alone,
 * since what is printed stays printed.
 */
const char *trace_name_of(struct trace_program *program, const struct kernel_name *kernel);

/*
 * Parses the argument list of the demangled @full into @types (enum word_kind, CUTOP_KERNEL_WORDS
 * of them at most) and *@count. False if @full has none, such as an unmangled C name: then the
 * number of arguments is unknown.
 */
bool trace_types_read(const char *full, uint8_t *types, uint8_t *count);

#endif
