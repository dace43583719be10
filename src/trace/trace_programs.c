/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace_programs.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/identity.h"
#include "model/stream.h"
#include "trace/trace_names.h"
#include "trace/trace_types.h"

/* Limits what a hostile program can make us remember. */
#define BLOCKS_MAX 4000000
static const struct name_limits name_limits = {
	.kernels = 200000, .places = 500000, .stacks = 200000, .bytes = 256u << 20
};

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

	trace_names_free(program);
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

/*
 * A device's allocations have ended, except those without a context. Those of other contexts cannot
 * be told apart here: they stay.
 */
static void reset(struct trace_program *program, const struct rec_reset *record)
{
	struct trace_block *block, *next;

	/*
	 * It is unknown here whether the runtime still holds the context that a release seemed to
	 * end.
	 */
	if (record->context ||
	    (record->call < CALL_COUNT && call_descs[record->call].class == CLASS_CONTEXT &&
	     call_descs[record->call].a != CONTEXT_RESET))
		return;
	HASH_ITER(hh, program->blocks, block, next) {
		if (record->device != CUTOP_DEVICE_UNKNOWN && block->device != record->device)
			continue;
		if (block->call < CALL_COUNT && call_descs[block->call].class == CLASS_ALLOC &&
		    (!KIND_CAN_LEAK(call_descs[block->call].a) ||
		     call_descs[block->call].flags & CALL_NO_CONTEXT))
			continue;
		HASH_DEL(program->blocks, block);
		free(block);
	}
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
	case REC_RESET:
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
	else if (record.hdr.type == REC_RESET)
		reset(program, &record.reset);
	else
		names_record(&program->names, &record.hdr, tail);
}
