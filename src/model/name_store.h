/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of one program: of the kernels it launches, of the places in its code that records
 * mention, and of the files mapped there. The screen and traces use the same names, since both ask
 * here. All of it comes from records, and is bounded. Texts are stored cleaned.
 */
#ifndef MODEL_NAME_STORE_H
#define MODEL_NAME_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_allocator.h"
#include "cutop_event.h"
#include "model/arena.h"
#include "model/snapshot.h"
#include "model/ordered_table.h"

/* The forms of a kernel's name for people, shortest first. */
enum name_form {
	FORM_KNOWN,  /* the name that people know it by (kernel_names.h), or else the brief one */
	FORM_LISTED, /* with its template list; full if there is none */
	FORM_FULL,
	FORM_SYMBOL, /* mangled */
};

struct snap_frame;

/* The texts of a kernel's name in snapshots, as far as asked for: snapshot_names.c. */
struct kernel_texts {
	uint64_t copy; /* of the names in which they are: struct shown_names */
	const char *brief, *full, *symbol;
	const char *forms[FORM_SYMBOL]; /* that are none of these */
};

/* What is known about the function that a launch names. */
struct kernel_name {
	struct entry entry;
	uint64_t function;  /* launch_key.function: the host stub, or a handle */
	uint64_t stub;      /* 0: unknown */
	uint64_t site;      /* where it is launched, 0: unknown */
	bool shares_site;   /* other functions may be launched there, too */
	char *symbol;       /* mangled; NULL: unknown */
	char *full, *brief; /* as shown; NULL until asked for */
	/* By enum name_form, as far as asked for, and as far as they are no others of these texts */
	char *known, *listed;
	bool has_known, has_listed; /* they were asked for */
	uint32_t version;           /* incremented when they change */
	int rank;                   /* how good the symbol's source is */
	struct kernel_texts texts;
};

/* A place in the code: a call site, or a frame of a stack. */
struct place {
	struct entry entry;
	uint64_t address;
	char *name;                /* NULL: unknown */
	struct place_frame *frame; /* NULL: unknown */
	/* Of the functions that were inlined there, the innermost first, and their number */
	struct place_frame *inlined;
	uint32_t inlined_count;
	uint32_t flags; /* enum site_flag */
	bool is_told;   /* an event's text may have its name */
	/*
	 * What snapshots have of it, in the copy number `copy` of the names (struct shown_names):
	 * its name, then texts and facts of its place_frames_count() frames
	 */
	const char *shown;
	const char *const *texts;
	const struct snap_frame *const *facts;
	uint64_t copy;
};

/* A user stack. */
struct stack {
	struct entry entry;
	uint64_t id;
	uint32_t count;
	uint32_t shown; /* the frame that its site is named by */
	/*
	 * What snapshots have of it, in the copy number `copy` of the names; or NULL. With inlined
	 * functions these are more than `count`; shown_text is the one that names the site
	 */
	const char *const *texts;
	const struct snap_frame *const *facts;
	size_t text_count, fact_count, shown_text;
	uint64_t copy;
	struct place *frames[]; /* innermost first */
};

struct mapped_file {
	uint64_t start, end, offset;
	char *file;
};

/* Limits of one store. Beyond them, functions and places go by their addresses. */
struct name_limits {
	size_t kernels, places, stacks;
	size_t bytes; /* for names of kernels (mangled and shown) and of places */
};

struct name_store {
	struct name_limits limits;
	struct table kernels, places, stacks;
	struct mapped_file *files;
	size_t file_count;
	size_t bytes;
	uint64_t changes;    /* counts whenever a text that was asked for may be another one */
	bool misses_kernels; /* there were more than the limit */
};

void names_init(struct name_store *names, const struct name_limits *limits);
void names_free(struct name_store *names);

/*
 * Takes in a record of names: its fixed part is @record, whose length was checked
 * (stream.h); @tail is what follows, at any alignment. Ignores other records. Returns 0 or
 * -ENOMEM.
 */
int names_record(struct name_store *names, const struct rec_hdr *record, const char *tail);

/* What is known about @function, with its shown names filled in; NULL without memory or room. */
const struct kernel_name *names_kernel(struct name_store *names, uint64_t function);
/*
 * The name of @kernel, one of @names, in @form; the brief one if it has no symbol. It is a part of
 * @kernel.
 */
const char *names_form(struct name_store *names, const struct kernel_name *kernel,
		       enum name_form form);
/* The stub of @function, or @function itself if it is not known to be a handle. */
uint64_t names_stub(const struct name_store *names, uint64_t function);

/*
 * The place at @address, created if need be. NULL without memory or room; address 0 always finds
 * room.
 */
struct place *names_place(struct name_store *names, uint64_t address);
/* True if @record says of a place that something refers to already what is new about it. */
bool names_is_news(const struct name_store *names, const struct rec_text *record);
/* Names it with the @len bytes at @text. Returns 0 or -ENOMEM. */
int names_place_set(struct name_store *names, struct place *place, const char *text, size_t len);
/* The stack @id; NULL if it was not reported, or @id is 0. */
struct stack *names_stack(const struct name_store *names, uint64_t id);

/*
 * The place that names a call at @address with the stack @id: @address itself, or, in a Python
 * program, the place of its line.
 */
uint64_t names_shown(const struct name_store *names, uint64_t address, uint64_t id);

/* True if @address is known to be in a library that is the runtime. */
bool names_is_runtime(const struct name_store *names, uint64_t address);
/* Writes "file+0x10" or "0x7f00" for @address. */
void names_describe(const struct name_store *names, uint64_t address, char *out, size_t size);
/*
 * What the text of an event calls the place at @address, in @out. Returns false if none speaks of
 * it.
 */
bool names_told(const struct name_store *names, uint64_t address, char *out, size_t size);
/* Writes the name of the place at @address, or the same as above, into the text of an event. */
void names_describe_place(const struct name_store *names, uint64_t address, char *out, size_t size);

/*
 * Facts about places in the code, beside their texts. A place is in one function, and perhaps in
 * others that were inlined there: each of these is a frame of it, the innermost first, the function
 * itself last.
 */

/* How many frames @place has: at least 1. */
size_t place_frames_count(const struct place *place);
/* Which of them its name is that of. */
size_t place_frames_named(const struct place *place);
/* The text of the frame @at of @place; NULL if it has none, which is then its only frame. */
const char *place_frames_text(const struct place *place, size_t at);

/*
 * Copies the facts about the frame @at of @place to @arena: *@shown is NULL if there are none.
 * Returns 0 or -ENOMEM.
 */
int place_frames_build(struct arena *arena, const struct place *place, size_t at,
		       const struct snap_frame **shown);

/* The functions named with --probe: their symbols, and how their results show a failure. */
struct extra_name {
	char *symbol;       /* cleaned; NULL: unknown */
	char *brief, *full; /* demangled, if it is mangled, else NULL */
	enum extra_result result;
};

struct extra_names {
	struct extra_name list[CUTOP_EXTRA_MAX];
	char *pools[POOLS_MAX]; /* names of pools that the user describes, cleaned; NULL: unknown */
};

/*
 * Takes in a REC_EXTRA, whose symbol is the @record->text_len bytes at @symbol. Returns 0 or
 * -ENOMEM.
 */
int extra_names_learn(struct extra_names *extras, const struct rec_text *record,
		      const char *symbol);

/* What is known of @call; NULL if it is in the table. */
const struct extra_name *extra_names_find(const struct extra_names *extras, unsigned int call);

/* The same for people: without C++'s mangling. */
const char *extra_names_brief(const struct extra_names *extras, unsigned int call);

/* The name of a pool of @kind, enum allocator_kind or one after them. Borrowed. */
const char *extra_names_pool(const struct extra_names *extras, unsigned int kind);

void extra_names_free(struct extra_names *extras);

#endif
