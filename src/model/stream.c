/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/stream.h"

#include <stdbool.h>
#include <string.h>

#include "model/limits.h"
#include "model/model.h"
#include "util/util.h"

/*
 * The size of each type's fixed part, and of what some records of the type have behind it; and where
 * the call is, 0: nowhere.
 */
struct layout {
	__u16 least, whole, call;
};

#define FIXED(TYPE, name) [REC_##TYPE] = { .least = sizeof(struct rec_##name) }
#define CALLED(TYPE, name, member) \
	[REC_##TYPE] = { .least = sizeof(struct rec_##name), \
			 .call = offsetof(struct rec_##name, member) }

/* clang-format off */
static const struct layout layouts[] = {
	FIXED(PROCESS, process),
	FIXED(END, end),
	CALLED(ALLOC, alloc, call),
	[REC_FREE] = { sizeof(struct rec_free), sizeof(struct rec_free_at), offsetof(struct rec_free, call) },
	CALLED(COPY, copy, call),
	[REC_FAIL] = { sizeof(struct rec_fail), sizeof(struct rec_fail_at), offsetof(struct rec_fail, call) },
	CALLED(RESET, reset, call),
	CALLED(KERNEL, kernel, call),
	FIXED(MODULE, module),
	FIXED(EXEC, exec),
	FIXED(MMAP, mmap),
	CALLED(MAP, map, call),
	FIXED(DEVICE, device),
	CALLED(GRAPH, graph, call),
	FIXED(FAULT, fault),
	FIXED(STACK, stack),
	CALLED(HOST, host, call),
	CALLED(LAUNCHED_AT, launched_at, call),
	CALLED(CALL, call, call),
	[REC_OBJECT] = { offsetof(struct rec_object, context), sizeof(struct rec_object), offsetof(struct rec_object, call) },
	FIXED(BLOCK, block),
	FIXED(SHORT, short),
	FIXED(IDENTITY, identity),
	FIXED(SITE, text),
	FIXED(NAME, text),
	FIXED(EXTRA, text),
	FIXED(NOTICE, text),
	FIXED(FRAME, frame),
	CALLED(LAUNCH_ROW, launch_row, key.call),
	CALLED(COPY_ROW, copy_row, key.call),
	CALLED(CALL_ROW, call_row, key.call),
	CALLED(GRAPH_ROW, graph_row, row.call),
	CALLED(FAIL_ROW, fail_row, key.call),
	CALLED(GRAPH_LAST, graph_row, row.call),
	FIXED(SYNC, sync),
	FIXED(INEXACT, hdr),
	FIXED(GRAPHS_DONE, hdr),
	FIXED(LOST, lost),
	[REC_MOMENT] = { .least = offsetof(struct rec_moment, at_entry) },
	FIXED(READINGS, hdr),
	FIXED(DEVICE_READING, device_reading),
	[REC_PROCESS_READING] = { offsetof(struct rec_process_reading, has_device), sizeof(struct rec_process_reading), 0 },
	FIXED(CLOCK, clock),
	FIXED(UNRETURNED, unreturned),
	FIXED(UNSEEN, unseen),
	FIXED(LIMIT, limit),
	CALLED(CALL_SITE, call_site_row, key.launch.call),
	FIXED(INSTANCE_READING, instance_reading),
	[REC_TIMES] = { offsetof(struct rec_times, times.open_ns), sizeof(struct rec_times), 0 },
	FIXED(COST, cost),
};
/* clang-format on */

size_t record_size(unsigned int type)
{
	return type < ARRAY_LEN(layouts) ? layouts[type].least : 0;
}

size_t record_call_offset(unsigned int type)
{
	return type < ARRAY_LEN(layouts) ? layouts[type].call : 0;
}

static __u64 magnitude(__s64 bytes)
{
	return bytes < 0 ? -(__u64)bytes : (__u64)bytes;
}

/* True if the call of @record, if it has one, may be of its type. */
static bool call_makes_sense(const union record *record)
{
	unsigned int type = record->hdr.type;
	__u16 call = 0;

	/* Rows are looked at when they are taken in; a kernel's call may be unknown. */
	if ((type >= REC_LAUNCH_ROW && type != REC_CALL_SITE) || type == REC_KERNEL)
		return true;
	if (record_call_offset(type))
		memcpy(&call, (const char *)record + record_call_offset(type), sizeof(call));
	return call < CALL_COUNT ||
	       ((type == REC_FAIL || type == REC_CALL) && CUTOP_IS_EXTRA(call));
}

static bool makes_sense(const union record *record, size_t tail)
{
	switch (record->hdr.type) {
	case REC_END: return record->end.reason <= END_EXEC;
	case REC_ALLOC: return record->alloc.kind < KIND_COUNT;
	case REC_COPY: return record->copy.direction <= DIR_DEFAULT;
	case REC_MAP: return record->map.act < MAP_ACT_COUNT;
	case REC_GRAPH:
		return record->graph.role >= GRAPH_CREATE &&
		       record->graph.role < GRAPH_ROLE_COUNT && record->graph.role != EXEC_LAUNCH;
	case REC_BLOCK:
		return record->block.allocator < ALLOCATOR_KINDS + POOLS_MAX &&
		       (record->block.bytes || record->block.allocator != ALLOCATOR_PYTORCH) &&
		       magnitude(record->block.bytes) <
			       (record->block.one_of > 1 ? BLOCK_ALWAYS : BYTES_MAX);
	case REC_OBJECT: return record->object.kind < OBJECT_KIND_COUNT;
	case REC_SHORT: return record->shortage.allocator < ALLOCATOR_KINDS + POOLS_MAX;
	case REC_STACK:
		return record->stack.stack && record->stack.count <= CUTOP_STACK_FRAMES &&
		       record->stack.count <= tail / sizeof(record->stack.frames[0]);
	case REC_FRAME:
		return record->frame.language < FRAME_LANGUAGES &&
		       record->frame.level <= CUTOP_INLINED_MAX;
	case REC_KERNEL: return record->kernel.name_len <= tail;
	case REC_CALL:
		return record->traced.moment <= CALL_LEFT &&
		       record->traced.kernel_words <= tail / sizeof(__u64);
	case REC_SITE:
	case REC_NAME: return record->text.text_len <= tail;
	case REC_EXTRA:
		return record->text.text_len <= tail && record->text.flags < EXTRA_RESULT_COUNT &&
		       (CUTOP_IS_EXTRA(record->text.address) ||
			(record->text.address >= CUTOP_ALLOCATOR + ALLOCATOR_KINDS &&
			 record->text.address < CUTOP_ALLOCATOR + ALLOCATOR_KINDS + POOLS_MAX));
	case REC_NOTICE: return record->text.text_len <= tail && record->text.flags < NOTICE_COUNT;
	default: return true;
	}
}

size_t stream_read(union record *record, const struct rec_hdr *raw, size_t len)
{
	size_t fixed, whole;

	if (len < sizeof(record->hdr))
		return 0;
	memcpy(&record->hdr, raw, sizeof(record->hdr));
	fixed = record_size(record->hdr.type);
	if (!fixed || record->hdr.size > len || record->hdr.size < fixed)
		return 0;
	/* These are not taken in, and union record has no room for them. */
	if (record->hdr.type == REC_EXEC || record->hdr.type == REC_MMAP)
		return fixed;
	whole = layouts[record->hdr.type].whole;
	if (whole > fixed)
		memset((char *)record + fixed, 0, whole - fixed);
	memcpy(record, raw,
	       whole <= fixed           ? fixed :
	       record->hdr.size < whole ? record->hdr.size :
					  whole);
	return call_makes_sense(record) && makes_sense(record, record->hdr.size - fixed) ? fixed :
											   0;
}
