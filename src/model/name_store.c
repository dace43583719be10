/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A launch names its function by an address (the host stub, or a handle); records map that to a
 * mangled name. The name from the best source is used, whenever it comes. A function without a name
 * is shown as the file that contains it and the offset there; a handle, which is in no file, as the
 * place that launches it; or else as its address.
 */
#include "model/name_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/allocators.h"
#include "cuda/calls.h"
#include "model/limits.h"
#include "names/demangle.h"
#include "names/kernel_names.h"
#include "util/utf8.h"
#include "util/util.h"

void names_init(struct name_store *names, const struct name_limits *limits)
{
	memset(names, 0, sizeof(*names));
	names->limits = *limits;
}

static size_t text_bytes(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

/* ---- files ---- */

static const struct mapped_file *file_of(const struct name_store *names, uint64_t address)
{
	size_t i;

	for (i = 0; i < names->file_count; i++)
		if (names->files[i].start <= address && address < names->files[i].end)
			return &names->files[i];
	return NULL;
}

bool names_is_runtime(const struct name_store *names, uint64_t address)
{
	const struct mapped_file *file = file_of(names, address);

	return file && !strncmp(file->file, "libcudart", strlen("libcudart"));
}

void names_describe(const struct name_store *names, uint64_t address, char *out, size_t size)
{
	const struct mapped_file *file = file_of(names, address);

	if (file)
		snprintf(out, size, "%s+0x%" PRIx64, file->file,
			 address - file->start + file->offset);
	else
		snprintf(out, size, "0x%" PRIx64, address);
}

/* ---- kernels ---- */

static struct kernel_name *kernel_find(const struct name_store *names, uint64_t function)
{
	return table_find(&names->kernels, KEY(function));
}

/* Returns NULL without memory, with *@error set, or without room. */
static struct kernel_name *kernel_get(struct name_store *names, uint64_t function, int *error)
{
	struct kernel_name *kernel = kernel_find(names, function);

	*error = 0;
	if (kernel)
		return kernel;
	if (names->kernels.count >= names->limits.kernels) {
		names->misses_kernels = true;
		return NULL;
	}
	kernel = table_get(&names->kernels, KEY(function), sizeof(*kernel));
	*error = kernel ? 0 : -ENOMEM;
	return kernel;
}

static void kernel_forget_shown(struct name_store *names, struct kernel_name *kernel)
{
	names->changes++;
	names->bytes -= text_bytes(kernel->full) + text_bytes(kernel->brief) +
			text_bytes(kernel->known) + text_bytes(kernel->listed);
	free(kernel->full);
	free(kernel->brief);
	free(kernel->known);
	free(kernel->listed);
	kernel->full = kernel->brief = kernel->known = kernel->listed = NULL;
	kernel->has_known = kernel->has_listed = false;
	kernel->version++;
}

static int source_rank(unsigned int source, bool truncated)
{
	int rank;

	switch (source) {
	case NAME_REGISTERED:
	case NAME_DRIVER: rank = 3; break;
	case NAME_SYMBOL: rank = 2; break;
	default: rank = 1;
	}
	return rank * 2 - truncated;
}

static int kernel_set(struct name_store *names, uint64_t function, uint64_t stub, int rank,
		      const char *name, size_t len)
{
	int error;
	struct kernel_name *kernel = kernel_get(names, function, &error);
	char *symbol;

	if (!kernel)
		return error;
	if (stub && stub != kernel->stub) {
		kernel->stub = stub;
		kernel_forget_shown(names, kernel);
	}
	len = strnlen(name, len);
	if (!len || (kernel->symbol && rank < kernel->rank))
		return 0;
	symbol = names->bytes + len < names->limits.bytes ? utf8_clean_copy(name, len) : NULL;
	if (!symbol)
		return -ENOMEM;
	names->bytes += text_bytes(symbol) - text_bytes(kernel->symbol);
	free(kernel->symbol);
	kernel->symbol = symbol;
	kernel->rank = rank;
	kernel_forget_shown(names, kernel);
	return 0;
}

static int kernel_set_site(struct name_store *names, const struct rec_launched_at *record)
{
	int error;
	struct kernel_name *kernel = kernel_get(names, record->function, &error);

	if (!kernel)
		return error;
	kernel->site = record->site;
	kernel->shares_site = call_descs[record->call].layer == LAYER_DRIVER;
	if (!kernel->symbol)
		kernel_forget_shown(names, kernel);
	return 0;
}

static int file_set(struct name_store *names, const struct rec_module *record)
{
	struct kernel_name *kernel;
	struct mapped_file *file = NULL, *list;
	char *name;
	size_t i;

	if (record->end <= record->start)
		return 0;
	/* A file mapped where another one was replaces it. */
	for (i = 0; i < names->file_count && !file; i++)
		if (names->files[i].start < record->end && record->start < names->files[i].end)
			file = &names->files[i];
	if (!file && names->file_count >= FILES_MAX)
		return 0;
	name = utf8_clean_copy(record->file, sizeof(record->file));
	if (!name)
		return -ENOMEM;
	if (!file) {
		list = realloc(names->files, (names->file_count + 1) * sizeof(*list));
		if (!list) {
			free(name);
			return -ENOMEM;
		}
		names->files = list;
		file = &list[names->file_count++];
	} else {
		free(file->file);
	}
	names->changes++;
	*file = (struct mapped_file){ record->start, record->end, record->offset, name };
	for (kernel = table_first(&names->kernels); kernel; kernel = table_next(kernel))
		if (!kernel->symbol)
			kernel_forget_shown(names, kernel);
	return 0;
}

uint64_t names_stub(const struct name_store *names, uint64_t function)
{
	const struct kernel_name *kernel = kernel_find(names, function);

	return kernel && kernel->stub ? kernel->stub : function;
}

/*
 * Describes a kernel without a name: its stub, itself, or the place that launches it, whichever is
 * in a file.
 */
static void kernel_describe(const struct name_store *names, const struct kernel_name *kernel,
			    char *out, size_t size)
{
	uint64_t address = kernel->function;
	size_t len;

	if (kernel->stub && file_of(names, kernel->stub))
		address = kernel->stub;
	else if (kernel->site && !file_of(names, address) && file_of(names, kernel->site))
		address = kernel->site;
	names_describe(names, address, out, size);
	len = strlen(out);
	if (address == kernel->site && kernel->shares_site)
		snprintf(out + len, size - len, " 0x%" PRIx64, kernel->function);
}

const struct kernel_name *names_kernel(struct name_store *names, uint64_t function)
{
	struct kernel_name *kernel, *stub;
	const char *symbol;
	char where[128];
	int error;

	kernel = kernel_get(names, function, &error);
	if (!kernel || kernel->brief)
		return kernel;
	if (!kernel->symbol && kernel->stub && kernel->stub != function) {
		/* The stub itself may have been launched, and named, too. */
		stub = kernel_find(names, kernel->stub);
		if (stub && stub->symbol) {
			kernel->symbol = strdup(stub->symbol);
			kernel->rank = stub->rank;
			names->bytes += text_bytes(kernel->symbol);
		}
	}
	symbol = kernel->symbol;
	if (symbol) {
		kernel->full = demangle_full(symbol);
		kernel->brief = kernel->full ? demangle_short(kernel->full) : NULL;
	}
	/* A short mangled name can have a long demangled form. */
	if (!symbol || names->bytes + text_bytes(kernel->full) + text_bytes(kernel->brief) >
			       names->limits.bytes) {
		free(kernel->full);
		free(kernel->brief);
		kernel_describe(names, kernel, where, sizeof(where));
		kernel->full = strdup(where);
		kernel->brief = strdup(where);
	}
	names->bytes += text_bytes(kernel->full) + text_bytes(kernel->brief);
	if (!kernel->full || !kernel->brief) {
		kernel_forget_shown(names, kernel);
		return NULL;
	}
	return kernel;
}

/* Counts @text, which may be NULL. Without room for it, or memory, there is none. */
static char *text_take(struct name_store *names, char *text)
{
	if (names->bytes + text_bytes(text) > names->limits.bytes) {
		free(text);
		return NULL;
	}
	names->bytes += text_bytes(text);
	return text;
}

const char *names_form(struct name_store *names, const struct kernel_name *known,
		       enum name_form form)
{
	struct kernel_name *kernel = kernel_find(names, known->function);

	if (!kernel || !kernel->full || !kernel->symbol)
		return known->brief;
	switch (form) {
	case FORM_KNOWN:
		if (!kernel->has_known)
			kernel->known = text_take(names, kernel_names_known(kernel->full));
		kernel->has_known = true;
		return kernel->known ? kernel->known : kernel->brief;
	case FORM_LISTED:
		if (!kernel->has_listed) {
			char *listed = kernel_names_listed(kernel->full);

			kernel->listed =
				text_take(names, listed ? listed : demangle_listed(kernel->full));
		}
		kernel->has_listed = true;
		return kernel->listed ? kernel->listed : kernel->full;
	case FORM_FULL: return kernel->full;
	case FORM_SYMBOL: break;
	}
	return kernel->symbol;
}

/* ---- places and stacks ---- */

static struct place *place_find(const struct name_store *names, uint64_t address)
{
	return table_find(&names->places, KEY(address));
}

struct place *names_place(struct name_store *names, uint64_t address)
{
	struct place *place = place_find(names, address);

	if (place || (names->places.count >= names->limits.places && address))
		return place;
	return table_get(&names->places, KEY(address), sizeof(*place));
}

int names_place_set(struct name_store *names, struct place *place, const char *text, size_t len)
{
	char *name = utf8_clean_copy(text, len);

	if (!name)
		return -ENOMEM;
	names->bytes += text_bytes(name) - text_bytes(place->name);
	free(place->name);
	place->name = name;
	names->changes++;
	return 0;
}

bool names_is_news(const struct name_store *names, const struct rec_text *record)
{
	const struct place *place = place_find(names, record->address);

	return place && (!place->name || place->flags != record->flags);
}

static int place_learn(struct name_store *names, const struct rec_text *record, const char *text)
{
	struct place *place = names_place(names, record->address);

	if (!place)
		return names->places.count >= names->limits.places ? 0 : -ENOMEM;
	place->flags = record->flags;
	if (!record->text_len)
		return 0;
	if (names->bytes + record->text_len > names->limits.bytes)
		return -ENOMEM;
	return names_place_set(names, place, text, record->text_len);
}

void names_describe_place(const struct name_store *names, uint64_t address, char *out, size_t size)
{
	struct place *place = place_find(names, address);
	char where[128];

	if (place)
		place->is_told = true;
	if (place && place->name) {
		utf8_clean(place->name, out, size);
		return;
	}
	names_describe(names, address, where, sizeof(where));
	utf8_clean(where, out, size);
}

bool names_told(const struct name_store *names, uint64_t address, char *out, size_t size)
{
	const struct place *place = place_find(names, address);

	if (!place || !place->is_told)
		return false;
	names_describe_place(names, address, out, size);
	return true;
}

struct stack *names_stack(const struct name_store *names, uint64_t id)
{
	return id ? table_find(&names->stacks, KEY(id)) : NULL;
}

uint64_t names_shown(const struct name_store *names, uint64_t address, uint64_t id)
{
	const struct stack *stack = names_stack(names, id);

	return stack && stack->shown ? stack->frames[stack->shown]->address : address;
}

static int stack_learn(struct name_store *names, const struct rec_stack *record, const char *frames)
{
	struct stack *stack;
	uint64_t address;
	size_t i;

	if (names_stack(names, record->stack) || names->stacks.count >= names->limits.stacks)
		return 0;
	stack = table_get(&names->stacks, KEY(record->stack),
			  sizeof(*stack) + record->count * sizeof(stack->frames[0]));
	if (!stack)
		return -ENOMEM;
	for (i = 0; i < record->count; i++) {
		memcpy(&address, frames + i * sizeof(address), sizeof(address));
		stack->frames[i] = names_place(names, address);
		if (!stack->frames[i])
			break; /* outer frames are left out */
		stack->count++;
	}
	stack->shown = record->shown < stack->count ? record->shown : 0;
	return 0;
}

/* ---- the names of places ---- */

/*
 * A copy of the names (struct shown_names) contains each place's facts once, however many stacks contain
 * it. A place with one frame has its name as the text of that. Where functions were inlined, the
 * frames' texts are made here: the name tells what is around the function, too, which is a frame.
 */

#define STRINGS 3 /* function, source file, module */

struct place_frame {
	struct place_frame *next; /* of a place's inlined functions: the one around it */
	enum frame_language language;
	unsigned int level, line;
	bool is_named; /* the place's name is the text of this frame */
	uint64_t offset;
	const char *strings[STRINGS]; /* in own[]; empty: unknown */
	char *text;                   /* NULL: that is the place's name */
	size_t bytes;                 /* that count against the limit of names */
	char own[];
};

static void frame_free(struct name_store *names, struct place_frame *frame)
{
	if (!frame)
		return;
	names->bytes -= frame->bytes;
	free(frame->text);
	free(frame);
}

/* What is in @record, and the @len bytes behind it; NULL without memory. */
static struct place_frame *frame_read(const struct rec_frame *record, const char *strings,
				      size_t len)
{
	/* Cleaning makes no string longer: a question mark replaces at least one byte. */
	size_t room = len + STRINGS, at = 0, i;
	struct place_frame *frame = calloc(1, sizeof(*frame) + room);

	if (!frame)
		return NULL;
	frame->language = record->language;
	frame->level = record->level;
	frame->line = record->line;
	frame->is_named = record->flags & FRAME_IS_NAMED;
	frame->offset = record->offset;
	frame->bytes = room;
	for (i = 0; i < STRINGS; i++) {
		size_t n = strnlen(strings, len);
		char *own = frame->own + at, *text = n < len ? strndup(strings, n) : NULL;

		if (text)
			utf8_clean(text, own, n + 1);
		at += strlen(own) + 1;
		free(text);
		frame->strings[i] = own;
		n += n < len;
		strings += n;
		len -= n;
	}
	return frame;
}

/* Where in @place a frame of @level is, or would be. */
static struct place_frame **frame_slot(struct place *place, unsigned int level)
{
	struct place_frame **slot = &place->inlined;

	if (!level)
		return &place->frame;
	while (*slot && (*slot)->level < level)
		slot = &(*slot)->next;
	return slot;
}

/* Only the frames of a place that has several need texts besides its name. */
static bool text_make(struct place_frame *frame)
{
	const struct place_words words = { .function = frame->strings[0],
					   .path = frame->strings[1],
					   .module = frame->strings[2],
					   .line = frame->line,
					   .offset = frame->offset,
					   .is_inlined = frame->level != 0 };

	char *text = place_text(&words);

	/* A path that was cut may end within a character. */
	frame->text = text ? utf8_clean_copy(text, strlen(text)) : NULL;
	free(text);
	frame->bytes += frame->text ? strlen(frame->text) + 1 : 0;
	return frame->text != NULL;
}

/*
 * Takes in the facts about a place; the @len bytes at @strings follow @record. Returns 0 or
 * -ENOMEM.
 */
static int place_frames_learn(struct name_store *names, const struct rec_frame *record,
			      const char *strings, size_t len)
{
	struct place *place = names_place(names, record->address);
	struct place_frame *frame, **slot;
	size_t bytes;

	if (!place)
		return names->places.count >= names->limits.places ? 0 : -ENOMEM;
	if (names->bytes + len + STRINGS > names->limits.bytes)
		return 0;
	frame = frame_read(record, strings, len);
	if (!frame || ((frame->level || place->inlined) && !text_make(frame))) {
		free(frame);
		return -ENOMEM;
	}
	/* It is no longer the place's name that says what it is; the limit may keep its next one out. */
	if (frame->level && place->frame && !place->frame->text) {
		bytes = place->frame->bytes;
		if (!text_make(place->frame)) {
			free(frame->text);
			free(frame);
			return -ENOMEM;
		}
		names->bytes += place->frame->bytes - bytes;
	}
	slot = frame_slot(place, frame->level);
	names->bytes += frame->bytes;
	if (*slot && (*slot)->level == frame->level) {
		frame->next = (*slot)->next;
		frame_free(names, *slot);
	} else {
		frame->next = *slot;
		place->inlined_count += frame->level != 0;
	}
	*slot = frame;
	names->changes++;
	return 0;
}

static void place_frames_free(struct name_store *names, struct place *place)
{
	struct place_frame *frame;

	while ((frame = place->inlined) != NULL) {
		place->inlined = frame->next;
		frame_free(names, frame);
	}
	frame_free(names, place->frame);
	place->frame = NULL;
	place->inlined_count = 0;
}

static const struct place_frame *frame_at(const struct place *place, size_t at)
{
	const struct place_frame *frame = place->inlined;

	if (at >= place->inlined_count)
		return place->frame;
	while (at--)
		frame = frame->next;
	return frame;
}

size_t place_frames_count(const struct place *place)
{
	return (size_t)place->inlined_count + 1;
}

size_t place_frames_named(const struct place *place)
{
	const struct place_frame *frame = place->inlined;
	size_t at = 0;

	while (frame && !frame->is_named) {
		frame = frame->next;
		at++;
	}
	return at;
}

const char *place_frames_text(const struct place *place, size_t at)
{
	const struct place_frame *frame = frame_at(place, at);

	return frame && frame->text ? frame->text : place->name;
}

static const char *string_shown(struct arena *arena, const char *text, bool *failed)
{
	const char *shown = *text ? arena_string(arena, text) : NULL;

	*failed |= *text && !shown;
	return shown;
}

int place_frames_build(struct arena *arena, const struct place *place, size_t at,
		       const struct snap_frame **shown)
{
	const struct place_frame *frame = frame_at(place, at);
	struct snap_frame *facts;
	bool failed = false;

	*shown = NULL;
	if (!frame)
		return 0;
	facts = arena_alloc(arena, 1, sizeof(*facts));
	if (!facts)
		return -ENOMEM;
	facts->language = frame->language;
	facts->line = frame->line;
	facts->offset = frame->offset;
	facts->is_inlined = frame->level != 0;
	facts->function = string_shown(arena, frame->strings[0], &failed);
	facts->file = string_shown(arena, frame->strings[1], &failed);
	facts->module = string_shown(arena, frame->strings[2], &failed);
	*shown = facts;
	return failed ? -ENOMEM : 0;
}

/*
 * Functions that are not in the table are counted and timed like any call; a record tells their
 * names, and how their results show a failure.
 */

int extra_names_learn(struct extra_names *extras, const struct rec_text *record, const char *symbol)
{
	struct extra_name *extra;

	if (CUTOP_IS_ALLOCATOR(record->address)) {
		char **pool = &extras->pools[record->address - CUTOP_ALLOCATOR - ALLOCATOR_KINDS];

		if (!*pool)
			*pool = utf8_clean_copy(symbol, record->text_len);
		return *pool ? 0 : -ENOMEM;
	}
	extra = &extras->list[record->address - CUTOP_EXTRA];
	/* Snapshots may point to the name: keep the first one. */
	if (extra->symbol)
		return 0;
	extra->symbol = utf8_clean_copy(symbol, record->text_len);
	if (!extra->symbol)
		return -ENOMEM;
	demangle_both(extra->symbol, &extra->brief, &extra->full);
	extra->result = (enum extra_result)record->flags;
	return 0;
}

const struct extra_name *extra_names_find(const struct extra_names *extras, unsigned int call)
{
	return CUTOP_IS_EXTRA(call) ? &extras->list[call - CUTOP_EXTRA] : NULL;
}

/* The symbol of @call, in the table or not. Borrowed; it does not change while @extras exists. */
static const char *extra_names_call(const struct extra_names *extras, unsigned int call)
{
	const struct extra_name *extra = extra_names_find(extras, call);

	return extra && extra->symbol ? extra->symbol : call_name(call);
}

const char *extra_names_brief(const struct extra_names *extras, unsigned int call)
{
	const struct extra_name *extra = extra_names_find(extras, call);

	return extra && extra->brief ? extra->brief : extra_names_call(extras, call);
}

const char *extra_names_pool(const struct extra_names *extras, unsigned int kind)
{
	const char *name = kind < ALLOCATOR_KINDS ? allocator_names[kind] :
						    extras->pools[kind - ALLOCATOR_KINDS];

	return name ? name : "pool";
}

void extra_names_free(struct extra_names *extras)
{
	size_t i;

	for (i = 0; i < POOLS_MAX; i++)
		free(extras->pools[i]);

	for (i = 0; i < CUTOP_EXTRA_MAX; i++) {
		free(extras->list[i].symbol);
		free(extras->list[i].brief);
		free(extras->list[i].full);
	}
}

/* ---- records ---- */

int names_record(struct name_store *names, const struct rec_hdr *record, const char *tail)
{
	const struct rec_kernel *kernel = (const void *)record;
	const struct rec_text *text = (const void *)record;

	switch (record->type) {
	case REC_KERNEL:
		return kernel_set(names, kernel->function, kernel->stub,
				  source_rank(kernel->source, kernel->truncated), tail,
				  kernel->name_len);
	case REC_NAME:
		return kernel_set(names, text->address, 0, source_rank(text->flags, false), tail,
				  text->text_len);
	case REC_LAUNCHED_AT: return kernel_set_site(names, (const void *)record);
	case REC_MODULE: return file_set(names, (const void *)record);
	case REC_SITE: return place_learn(names, text, tail);
	case REC_FRAME:
		return place_frames_learn(names, (const void *)record, tail,
					  record->size - sizeof(struct rec_frame));
	case REC_STACK: return stack_learn(names, (const void *)record, tail);
	default: return 0;
	}
}

void names_free(struct name_store *names)
{
	struct kernel_name *kernel;
	struct place *place;
	size_t i;

	for (kernel = table_first(&names->kernels); kernel; kernel = table_next(kernel)) {
		kernel_forget_shown(names, kernel);
		free(kernel->symbol);
	}
	for (place = table_first(&names->places); place; place = table_next(place)) {
		free(place->name);
		place_frames_free(names, place);
	}
	table_free(&names->kernels);
	table_free(&names->stacks);
	table_free(&names->places);
	for (i = 0; i < names->file_count; i++)
		free(names->files[i].file);
	free(names->files);
	memset(names, 0, sizeof(*names));
}
