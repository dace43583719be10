/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_programs.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/identity.h"
#include "model/stream.h"
#include "names/full_form.h"

/* Limits what a hostile program can make us remember. */
#define BLOCKS_MAX 4000000
static const struct name_limits name_limits = {
	.kernels = 200000, .places = 500000, .stacks = 200000, .bytes = 256u << 20
};

/* ---- the types of arguments ---- */

static const struct {
	const char *name;
	enum word_kind kind;
} simple_types[] = {
	{ "bool", WORD_U8 },        { "char", WORD_S8 },
	{ "signed char", WORD_S8 }, { "unsigned char", WORD_U8 },
	{ "short", WORD_S16 },      { "unsigned short", WORD_U16 },
	{ "int", WORD_S32 },        { "unsigned int", WORD_U32 },
	{ "long", WORD_S64 },       { "unsigned long", WORD_U64 },
	{ "long long", WORD_S64 },  { "unsigned long long", WORD_U64 },
	{ "float", WORD_FLOAT },    { "double", WORD_DOUBLE },
};

static enum word_kind type_of(const char *text, size_t len)
{
	static const char constant[] = " const";
	size_t i;

	/* The demangler writes "float const". */
	if (len > strlen(constant) &&
	    !strncmp(text + len - strlen(constant), constant, strlen(constant)))
		len -= strlen(constant);
	for (i = 0; i < sizeof(simple_types) / sizeof(simple_types[0]); i++)
		if (strlen(simple_types[i].name) == len &&
		    !strncmp(text, simple_types[i].name, len))
			return simple_types[i].kind;
	return WORD_HEX;
}

/* The words of the list at @at, which is closed. */
static void list_read(const struct outline *form, size_t at, uint8_t *types, uint8_t *count)
{
	size_t end = form->end[at] - 1, word = ++at;

	for (; at <= end && *count < CUTOP_KERNEL_WORDS; at = outline_step(form, at)) {
		if (at < end && form->text[at] != ',')
			continue;
		if (at > word)
			types[(*count)++] = (uint8_t)type_of(form->text + word, at - word);
		word = at + 1;
		while (word < end && form->text[word] == ' ')
			word++;
	}
}

bool trace_types_read(const char *full, uint8_t *types, uint8_t *count)
{
	struct full_name name = { .brief = NULL };
	struct outline form;
	bool any;

	*count = 0;
	any = outline_make(&form, full) && full_name_read(&form, &name) && name.len &&
	      full[name.end] == '(' && form.end[name.end];
	if (any)
		list_read(&form, name.end, types, count);
	free(name.brief);
	outline_free(&form);
	return any;
}

/* ---- names ---- */

/* A name with its template list that is longer than this is printed without. */
#define LISTED_MAX 120

const char *trace_name_of(struct trace_program *program, const struct kernel_name *kernel)
{
	const char *listed = names_form(&program->names, kernel, FORM_LISTED);

	/* Without a list it is the full form. */
	return !kernel->symbol || (listed != kernel->full && strlen(listed) <= LISTED_MAX) ?
		       listed :
		       names_form(&program->names, kernel, FORM_KNOWN);
}

/* ---- programs ---- */

static void types_free(struct trace_program *program)
{
	struct trace_types *types, *next;

	HASH_ITER(hh, program->types, types, next) {
		HASH_DEL(program->types, types);
		free(types);
	}
}

static void blocks_free(struct trace_program *program)
{
	struct trace_block *block, *next;

	HASH_ITER(hh, program->blocks, block, next) {
		HASH_DEL(program->blocks, block);
		free(block);
	}
}

static void program_free(struct trace_programs *programs, struct trace_program *program)
{
	struct trace_stream *stream, *next;

	names_free(&program->names);
	types_free(program);
	blocks_free(program);
	HASH_ITER(hh, program->streams, stream, next) {
		HASH_DEL(program->streams, stream);
		free(stream);
	}
	HASH_DEL(programs->list, program);
	if (programs->last == program)
		programs->last = NULL;
	free(program);
}

void trace_programs_free(struct trace_programs *programs)
{
	struct trace_program *program, *next;

	HASH_ITER(hh, programs->list, program, next)
		program_free(programs, program);
	extra_names_free(&programs->extras);
}

static struct trace_program *program_find(struct trace_programs *programs, uint32_t number)
{
	struct trace_program *program = programs->last;

	if (program && program->program == number)
		return program;
	HASH_FIND(hh, programs->list, &number, sizeof(number), program);
	if (program)
		programs->last = program;
	return program;
}

struct trace_program *trace_program_of(struct trace_programs *programs, const struct rec_hdr *hdr)
{
	struct trace_program *program = program_find(programs, hdr->program);

	if (program)
		return program;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->program = hdr->program;
	program->tgid = hdr->tgid;
	strcpy(program->comm, "?");
	names_init(&program->names, &name_limits);
	HASH_ADD(hh, programs->list, program, sizeof(program->program), program);
	programs->last = program;
	return program;
}

/* ---- names ---- */

const struct trace_types *trace_types_of(struct trace_program *program,
					 const struct kernel_name *kernel)
{
	uint64_t function = kernel->function;
	struct trace_types *types;

	HASH_FIND(hh, program->types, &function, sizeof(function), types);
	if (!types) {
		types = calloc(1, sizeof(*types));
		if (!types)
			return NULL;
		types->function = function;
		types->version = kernel->version - 1;
		HASH_ADD(hh, program->types, function, sizeof(types->function), types);
	}
	if (types->version != kernel->version) {
		types->version = kernel->version;
		types->are_known = kernel->symbol &&
				   trace_types_read(kernel->full, types->list, &types->count);
	}
	return types->are_known ? types : NULL;
}

/* ---- allocations ---- */

void trace_allocated(struct trace_program *program, const struct rec_call *call)
{
	uint64_t address = call->memory.address;
	struct trace_block *block;

	if (call->result || !address || call->flags & TRACED_CAPTURED)
		return;
	HASH_FIND(hh, program->blocks, &address, sizeof(address), block);
	if (!block) {
		if (HASH_COUNT(program->blocks) >= BLOCKS_MAX)
			return;
		block = calloc(1, sizeof(*block));
		if (!block)
			return;
		block->address = address;
		HASH_ADD(hh, program->blocks, address, sizeof(block->address), block);
	}
	block->bytes = call->memory.bytes;
	block->time = call->hdr.time;
	block->device = call->device;
	block->call = call->call;
}

bool trace_freed(struct trace_program *program, const struct rec_call *call,
		 struct trace_block *freed)
{
	uint64_t address = call->memory.address;
	struct trace_block *block;

	if (call->result || !address || call->flags & TRACED_CAPTURED)
		return false;
	HASH_FIND(hh, program->blocks, &address, sizeof(address), block);
	if (!block)
		return false;
	*freed = *block;
	HASH_DEL(program->blocks, block);
	free(block);
	return true;
}

/* ---- records ---- */

static void begin(struct trace_program *program, const struct rec_process *record)
{
	program->tgid = record->hdr.tgid;
	program->parent_tgid = record->parent_tgid;
	identity_comm(record->comm, program->comm);
}

void trace_programs_record(struct trace_programs *programs, const struct rec_hdr *raw, size_t size)
{
	union record record;
	size_t fixed = stream_read(&record, raw, size);
	const char *tail = (const char *)raw + fixed;
	struct trace_program *program;

	if (!fixed)
		return;
	switch (record.hdr.type) {
	case REC_EXTRA: extra_names_learn(&programs->extras, &record.text, tail); return;
	case REC_PROCESS:
	case REC_KERNEL:
	case REC_NAME:
	case REC_STACK:
	case REC_MODULE: program = trace_program_of(programs, &record.hdr); break;
	case REC_END:
	case REC_FRAME:
	case REC_SITE: /* its line may be found after the program has ended */
		program = program_find(programs, record.hdr.program);
		break;
	default: return;
	}
	if (!program)
		return;
	if (record.hdr.type == REC_PROCESS)
		begin(program, &record.process);
	else if (record.hdr.type == REC_END)
		program_free(programs, program);
	else
		names_record(&program->names, &record.hdr, tail);
}
