/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/stream.h"

#include <stdbool.h>
#include <string.h>

#include "model/limits.h"
#include "model/model.h"
#include "util/util.h"

#define WHOLE(type)          sizeof(struct type)
#define MEMBER(type, member) offsetof(struct type, member)
#define RECORD(name, number, type, least, call, flags) \
	[number] = { sizeof(struct type), least, call, flags },
#define RING_RECORD(name, number, type)

static const struct layout {
	__u16 whole, least, call, flags;
} layouts[] = {
#include "cutop_records.def"
};

static const struct layout *layout_of(unsigned int type)
{
	static const struct layout none;

	return type < ARRAY_LEN(layouts) ? &layouts[type] : &none;
}

size_t record_size(unsigned int type)
{
	return layout_of(type)->least;
}

size_t record_call_offset(unsigned int type)
{
	return layout_of(type)->call;
}

bool record_is(unsigned int type, unsigned int flag)
{
	return layout_of(type)->flags & flag;
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
	whole = layout_of(record->hdr.type)->whole;
	memset((char *)record + fixed, 0, whole - fixed);
	memcpy(record, raw, record->hdr.size < whole ? record->hdr.size : whole);
	return call_makes_sense(record) && makes_sense(record, record->hdr.size - fixed) ? fixed :
											   0;
}
