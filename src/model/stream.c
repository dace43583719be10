/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/stream.h"

#include <stdbool.h>
#include <string.h>

#include "model/limits.h"
#include "model/model.h"

size_t record_size(unsigned int type)
{
	switch (type) {
	case REC_PROCESS: return sizeof(struct rec_process);
	case REC_END: return sizeof(struct rec_end);
	case REC_ALLOC: return sizeof(struct rec_alloc);
	case REC_FREE: return sizeof(struct rec_free);
	case REC_COPY: return sizeof(struct rec_copy);
	case REC_FAIL: return sizeof(struct rec_fail);
	case REC_RESET: return sizeof(struct rec_reset);
	case REC_LAUNCHED_AT: return sizeof(struct rec_launched_at);
	case REC_FAULT: return sizeof(struct rec_fault);
	case REC_HOST: return sizeof(struct rec_host);
	case REC_DEVICE: return sizeof(struct rec_device);
	case REC_MAP: return sizeof(struct rec_map);
	case REC_KERNEL: return sizeof(struct rec_kernel);
	case REC_MODULE: return sizeof(struct rec_module);
	case REC_GRAPH: return sizeof(struct rec_graph);
	case REC_INSTANTIATED: return sizeof(struct rec_instantiated);
	case REC_BLOCK: return sizeof(struct rec_block);
	case REC_SHORT: return sizeof(struct rec_short);
	case REC_EXEC: return sizeof(struct rec_exec);
	case REC_MMAP: return sizeof(struct rec_mmap);
	case REC_STACK: return sizeof(struct rec_stack);
	case REC_FRAME: return sizeof(struct rec_frame);
	case REC_IDENTITY: return sizeof(struct rec_identity);
	case REC_SITE:
	case REC_NAME:
	case REC_EXTRA:
	case REC_NOTICE: return sizeof(struct rec_text);
	case REC_LAUNCH_ROW: return sizeof(struct rec_launch_row);
	case REC_COPY_ROW: return sizeof(struct rec_copy_row);
	case REC_CALL_ROW: return sizeof(struct rec_call_row);
	case REC_GRAPH_ROW:
	case REC_GRAPH_LAST: return sizeof(struct rec_graph_row);
	case REC_FAIL_ROW: return sizeof(struct rec_fail_row);
	case REC_CALL_SITE: return sizeof(struct rec_call_site_row);
	case REC_SYNC: return sizeof(struct rec_sync);
	case REC_TIMES: return offsetof(struct rec_times, times.open_ns);
	case REC_COST: return sizeof(struct rec_cost);
	case REC_INEXACT:
	case REC_READINGS:
	case REC_GRAPHS_DONE: return sizeof(struct rec_hdr);
	case REC_LOST: return sizeof(struct rec_lost);
	case REC_MOMENT: return offsetof(struct rec_moment, at_entry);
	case REC_CLOCK: return sizeof(struct rec_clock);
	case REC_CALL: return sizeof(struct rec_call);
	case REC_DEVICE_READING: return sizeof(struct rec_device_reading);
	case REC_INSTANCE_READING: return sizeof(struct rec_instance_reading);
	case REC_PROCESS_READING: return offsetof(struct rec_process_reading, has_device);
	case REC_UNRETURNED: return sizeof(struct rec_unreturned);
	case REC_UNSEEN: return sizeof(struct rec_unseen);
	case REC_LIMIT: return sizeof(struct rec_limit);
	default: return 0;
	}
}

size_t record_call_offset(unsigned int type)
{
	switch (type) {
	case REC_ALLOC: return offsetof(struct rec_alloc, call);
	case REC_FREE: return offsetof(struct rec_free, call);
	case REC_COPY: return offsetof(struct rec_copy, call);
	case REC_FAIL: return offsetof(struct rec_fail, call);
	case REC_RESET: return offsetof(struct rec_reset, call);
	case REC_KERNEL: return offsetof(struct rec_kernel, call);
	case REC_LAUNCHED_AT: return offsetof(struct rec_launched_at, call);
	case REC_HOST: return offsetof(struct rec_host, call);
	case REC_MAP: return offsetof(struct rec_map, call);
	case REC_GRAPH: return offsetof(struct rec_graph, call);
	case REC_INSTANTIATED: return offsetof(struct rec_instantiated, call);
	case REC_CALL: return offsetof(struct rec_call, call);
	case REC_LAUNCH_ROW: return offsetof(struct rec_launch_row, key.call);
	case REC_COPY_ROW: return offsetof(struct rec_copy_row, key.call);
	case REC_CALL_ROW: return offsetof(struct rec_call_row, key.call);
	case REC_FAIL_ROW: return offsetof(struct rec_fail_row, key.call);
	case REC_CALL_SITE: return offsetof(struct rec_call_site_row, key.launch.call);
	case REC_GRAPH_ROW:
	case REC_GRAPH_LAST: return offsetof(struct rec_graph_row, row.call);
	default: return 0;
	}
}

static __u64 magnitude(__s64 bytes)
{
	return bytes < 0 ? -(__u64)bytes : (__u64)bytes;
}

static bool makes_sense(const union record *record, size_t tail)
{
	switch (record->hdr.type) {
	case REC_END: return record->end.reason <= END_EXEC;
	case REC_ALLOC: return record->alloc.call < CALL_COUNT && record->alloc.kind < KIND_COUNT;
	case REC_FREE: return record->free.call < CALL_COUNT;
	case REC_COPY:
		return record->copy.call < CALL_COUNT && record->copy.direction <= DIR_DEFAULT;
	case REC_FAIL: return record->fail.call < CALL_COUNT || CUTOP_IS_EXTRA(record->fail.call);
	case REC_LAUNCHED_AT: return record->launched_at.call < CALL_COUNT;
	case REC_HOST: return record->host.call < CALL_COUNT;
	case REC_RESET: return record->reset.call < CALL_COUNT;
	case REC_MAP: return record->map.call < CALL_COUNT && record->map.act < MAP_ACT_COUNT;
	case REC_GRAPH:
		return record->graph.call < CALL_COUNT && record->graph.role >= GRAPH_CREATE &&
		       record->graph.role < GRAPH_ROLE_COUNT && record->graph.role != EXEC_LAUNCH;
	case REC_INSTANTIATED: return record->instantiated.call < CALL_COUNT;
	case REC_BLOCK:
		return record->block.allocator < ALLOCATOR_KINDS && record->block.bytes &&
		       magnitude(record->block.bytes) <
			       (record->block.one_of > 1 ? BLOCK_ALWAYS : BYTES_MAX);
	case REC_SHORT: return record->shortage.allocator < ALLOCATOR_KINDS;
	case REC_STACK:
		return record->stack.stack && record->stack.count <= CUTOP_STACK_FRAMES &&
		       record->stack.count <= tail / sizeof(record->stack.frames[0]);
	case REC_FRAME:
		return record->frame.language < FRAME_LANGUAGES &&
		       record->frame.level <= CUTOP_INLINED_MAX;
	case REC_CALL_SITE: return record->call_site.key.launch.call < CALL_COUNT;
	case REC_KERNEL: return record->kernel.name_len <= tail;
	case REC_CALL:
		return (record->traced.call < CALL_COUNT || CUTOP_IS_EXTRA(record->traced.call)) &&
		       record->traced.moment <= CALL_LEFT &&
		       record->traced.kernel_words <= tail / sizeof(__u64);
	case REC_SITE:
	case REC_NAME: return record->text.text_len <= tail;
	case REC_EXTRA:
		return record->text.text_len <= tail && CUTOP_IS_EXTRA(record->text.address) &&
		       record->text.flags < EXTRA_RESULT_COUNT;
	case REC_NOTICE: return record->text.text_len <= tail && record->text.flags < NOTICE_COUNT;
	default: return true;
	}
}

/* What some have behind their fixed part, and others of their type have not. */
static void rest_read(union record *record, const struct rec_hdr *raw)
{
	const char *bytes = (const char *)raw;

	switch (record->hdr.type) {
	case REC_FREE:
		record->free_at.stack = 0;
		if (record->hdr.size >= sizeof(record->free_at))
			memcpy(&record->free_at.stack, bytes + offsetof(struct rec_free_at, stack),
			       sizeof(record->free_at.stack));
		break;
	case REC_FAIL:
		record->fail_at.stack = record->fail_at.function = 0;
		if (record->hdr.size >= offsetof(struct rec_fail_at, function))
			memcpy(&record->fail_at.stack, bytes + offsetof(struct rec_fail_at, stack),
			       sizeof(record->fail_at.stack));
		if (record->hdr.size >= sizeof(record->fail_at))
			memcpy(&record->fail_at.function,
			       bytes + offsetof(struct rec_fail_at, function),
			       sizeof(record->fail_at.function));
		break;
	case REC_TIMES:
		memset(record->times.times.open_ns, 0, sizeof(record->times.times.open_ns));
		if (record->hdr.size >= sizeof(record->times))
			memcpy(&record->times, raw, sizeof(record->times));
		break;
	case REC_PROCESS_READING:
		record->process_reading.has_device = 0;
		if (record->hdr.size >= sizeof(record->process_reading))
			memcpy(&record->process_reading, raw, sizeof(record->process_reading));
		break;
	}
}

size_t stream_read(union record *record, const struct rec_hdr *raw, size_t len)
{
	size_t fixed;

	if (len < sizeof(record->hdr))
		return 0;
	memcpy(&record->hdr, raw, sizeof(record->hdr));
	fixed = record_size(record->hdr.type);
	if (!fixed || record->hdr.size > len || record->hdr.size < fixed)
		return 0;
	/* These are not taken in, and union record has no room for them. */
	if (record->hdr.type == REC_EXEC || record->hdr.type == REC_MMAP)
		return fixed;
	memcpy(record, raw, fixed);
	rest_read(record, raw);
	return makes_sense(record, record->hdr.size - fixed) ? fixed : 0;
}
