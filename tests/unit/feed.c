/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "feed.h"
#include "model/stream.h"

void feed_begin(struct feed *feed)
{
	struct model_config config = {
		.start_mono = 100 * SECOND,
		.start_real = 1700000000 * SECOND,
		.leak_age = 10 * SECOND,
	};

	*feed = (struct feed){
		.now = 100 * SECOND, .program = 1, .pid = 4242, .device = 0, .site = 0x401000
	};
	feed->model = model_new(&config);
	ck_assert_ptr_nonnull(feed->model);
}

void feed_end(struct feed *feed)
{
	model_free(feed->model);
}

static struct rec_hdr header(struct feed *feed, unsigned int type, size_t size)
{
	feed->now += 1000;
	return (struct rec_hdr){
		.type = (__u16)type,
		.size = (__u16)size,
		.program = feed->program,
		.time = feed->now,
		.tgid = feed->pid,
		.tid = feed->pid,
	};
}

static int offer(struct feed *feed, const void *record, size_t size)
{
	int result = model_record(feed->model, record, size);

	if (feed->tee)
		feed->tee(feed->tee_context, record, size);
	return result;
}

void feed_give(struct feed *feed, const void *record, size_t size)
{
	ck_assert_int_eq(offer(feed, record, size), 0);
}

void feed_identity(struct feed *feed, bool from_attach, const char *strings, size_t len)
{
	char buffer[1024];
	struct rec_identity record = {
		.hdr = header(feed, REC_IDENTITY, sizeof(record) + len),
		.start_time = 1700000000 * SECOND + feed->program,
		.parent_tgid = 1,
		.uid = 1000,
		.ns_tgid = 7,
		.watched_from = from_attach,
		.has_title = feed->has_title,
	};

	memcpy(buffer, &record, sizeof(record));
	memcpy(buffer + sizeof(record), strings, len);
	feed_give(feed, buffer, sizeof(record) + len);
}

void feed_process(struct feed *feed)
{
	static const char strings[] = "ana\0python\0train.py\0\0";
	struct rec_process record = {
		.hdr = header(feed, REC_PROCESS, sizeof(record)),
		.start_time = 5 * SECOND,
		.parent_tgid = 1,
		.uid = 1000,
		.comm = "python",
	};

	feed_give(feed, &record, sizeof(record));
	feed_identity(feed, false, strings, sizeof(strings));
}

int feed_offer_exit(struct feed *feed, enum end_reason reason, uint32_t code)
{
	struct rec_end record = { .hdr = header(feed, REC_END, sizeof(record)),
				  .reason = reason,
				  .exit_code = code };

	return offer(feed, &record, sizeof(record));
}

void feed_exit(struct feed *feed, enum end_reason reason, uint32_t code)
{
	ck_assert_int_eq(feed_offer_exit(feed, reason, code), 0);
}

int feed_alloc_as(struct feed *feed, unsigned int call, unsigned int kind, uint64_t address,
		  uint64_t bytes, int result)
{
	struct rec_alloc record = {
		.hdr = header(feed, REC_ALLOC, sizeof(record)),
		.entry = feed->now - 500,
		.address = address,
		.bytes = bytes,
		.site = feed->site,
		.result = result,
		.device = feed->device,
		.call = (__u16)call,
		.kind = (__u8)kind,
		.element_bytes = kind == KIND_ARRAY ? 4 : 0,
		.context = feed->context,
		.stack = feed->stack,
	};

	return offer(feed, &record.hdr, sizeof(record));
}

void feed_alloc(struct feed *feed, uint64_t address, uint64_t bytes)
{
	ck_assert_int_eq(feed_alloc_as(feed, CALL_cudaMalloc, KIND_DEVICE, address, bytes, 0), 0);
}

static void free_record(struct feed *feed, uint64_t address, uint64_t entry, int result)
{
	struct rec_free record = {
		.hdr = header(feed, REC_FREE, sizeof(record)),
		.entry = entry ? entry : feed->now - 500,
		.address = address,
		.site = 0x402000,
		.result = result,
		.call = CALL_cudaFree,
	};

	feed_give(feed, &record, sizeof(record));
}

void feed_free(struct feed *feed, uint64_t address, int result)
{
	free_record(feed, address, 0, result);
}

void feed_free_at(struct feed *feed, uint64_t address, uint64_t entry)
{
	free_record(feed, address, entry, 0);
}

void feed_size(struct feed *feed, int device, uint64_t total)
{
	struct rec_device record = {
		.hdr = header(feed, REC_DEVICE, sizeof(record)),
		.device = device,
		.total = total,
	};

	feed_give(feed, &record, sizeof(record));
}

void feed_reset(struct feed *feed, int device)
{
	struct rec_reset record = {
		.hdr = header(feed, REC_RESET, sizeof(record)),
		.device = device,
		.call = CALL_cudaDeviceReset,
	};

	feed_give(feed, &record, sizeof(record));
}

void feed_context_end(struct feed *feed, int device, uint64_t context)
{
	struct rec_reset record = {
		.hdr = header(feed, REC_RESET, sizeof(record)),
		.device = device,
		.call = CALL_cuCtxDestroy_v2,
		.context = context,
		.lasted = feed->lasted,
	};

	feed_give(feed, &record, sizeof(record));
}

void feed_object(struct feed *feed, enum object_kind kind, unsigned int call, uint64_t handle)
{
	struct rec_object record = {
		.hdr = { .type = REC_OBJECT,
			 .size = sizeof(record),
			 .program = feed->program,
			 .time = feed->now += 1000,
			 .tgid = feed->pid,
			 .tid = feed->pid },
		.handle = handle,
		.site = feed->site,
		.stack = feed->stack,
		.call = (__u16)call,
		.kind = (__u8)kind,
		.device = feed->device,
		.context = feed->context,
	};

	feed_give(feed, &record, sizeof(record));
}

void feed_map(struct feed *feed, enum map_act act, uint64_t address, uint64_t bytes,
	      uint64_t handle)
{
	static const __u16 calls[] = {
		[MAP_PLACE] = CALL_cuMemMap,
		[MAP_REMOVE] = CALL_cuMemUnmap,
		[MAP_RETAIN] = CALL_cuMemRetainAllocationHandle,
		[MAP_LEVEL] = CALL_cudaGetMipmappedArrayLevel,
		[MAP_GLOBAL] = CALL_cuModuleGetGlobal_v2,
		[MAP_UNLOAD] = CALL_cuModuleUnload,
		[MAP_VARIABLE] = CALL___cudaRegisterVar,
	};
	struct rec_map record = {
		.hdr = header(feed, REC_MAP, sizeof(record)),
		.address = address,
		.bytes = bytes,
		.handle = handle,
		.call = calls[act],
		.act = (__u8)act,
	};

	feed_give(feed, &record, sizeof(record));
}

void feed_copy(struct feed *feed, uint64_t destination, uint64_t source, uint64_t bytes,
	       unsigned int direction, unsigned int flags, int result)
{
	struct rec_copy record = {
		.hdr = header(feed, REC_COPY, sizeof(record)),
		.destination = destination,
		.source = source,
		.bytes = bytes,
		.ns = 1000,
		.result = result,
		.device = feed->device,
		.direction = (__u8)direction,
		.flags = (__u8)flags,
		.call = flags & COPY_IS_ASYNC ? CALL_cudaMemcpyAsync : CALL_cudaMemcpy,
	};

	feed_give(feed, &record, sizeof(record));
}

void feed_fail(struct feed *feed, unsigned int call, int result)
{
	struct rec_fail record = { .hdr = header(feed, REC_FAIL, sizeof(record)),
				   .result = result,
				   .call = (__u16)call };

	feed_give(feed, &record, sizeof(record));
}

void feed_kernel(struct feed *feed, uint64_t function, uint64_t stub, unsigned int source,
		 const char *name)
{
	char buffer[sizeof(struct rec_kernel) + CUTOP_NAME_MAX + 8] = "";
	size_t len = strlen(name), size = (sizeof(struct rec_kernel) + len + 7) & ~7ul;
	struct rec_kernel record = {
		.hdr = header(feed, REC_KERNEL, size),
		.function = function,
		.stub = stub,
		.source = (__u8)source,
		.call = CALL_cudaLaunchKernel,
		.name_len = (__u32)len,
	};

	memcpy(buffer, &record, sizeof(record));
	memcpy(buffer + sizeof(record), name, len);
	feed_give(feed, buffer, size);
}

void feed_text(struct feed *feed, unsigned int type, uint64_t address, uint32_t flags,
	       const char *text)
{
	char buffer[1024] = "";
	size_t len = strlen(text), size = (sizeof(struct rec_text) + len + 8) & ~7ul;
	struct rec_text record = {
		.hdr = header(feed, type, size),
		.address = address,
		.flags = flags,
		.text_len = (__u32)len,
	};

	memcpy(buffer, &record, sizeof(record));
	memcpy(buffer + sizeof(record), text, len);
	feed_give(feed, buffer, size);
}

void feed_stack(struct feed *feed, uint64_t stack, uint32_t count, uint64_t second)
{
	uint64_t frames[256];
	uint32_t i;

	for (i = 0; i < count; i++)
		frames[i] = i ? second + (i - 1) * 0x1000 : feed->site;
	feed_stack_of(feed, stack, 0, frames, count);
}

void feed_stack_of(struct feed *feed, uint64_t stack, uint32_t shown, const uint64_t *frames,
		   uint32_t count)
{
	uint64_t buffer[(sizeof(struct rec_stack) + 256 * 8) / 8];
	size_t size = sizeof(struct rec_stack) + count * sizeof(uint64_t);
	struct rec_stack record = {
		.hdr = header(feed, REC_STACK, size), .stack = stack, .count = count, .shown = shown
	};

	memcpy(buffer, &record, sizeof(record));
	memcpy(buffer + sizeof(record) / 8, frames, count * sizeof(uint64_t));
	feed_give(feed, buffer, size);
}

void feed_frame(struct feed *feed, const struct rec_frame *frame, const char *function,
		const char *file, const char *module)
{
	char buffer[sizeof(*frame) + 512] = "";
	int len =
		snprintf(buffer + sizeof(*frame), 504, "%s%c%s%c%s", function, 0, file, 0, module);
	size_t size = (sizeof(*frame) + (size_t)len + 8) & ~7ul;
	struct rec_frame record = *frame;

	record.hdr = header(feed, REC_FRAME, size);
	memcpy(buffer, &record, sizeof(record));
	feed_give(feed, buffer, size);
}

void feed_launched_at(struct feed *feed, uint64_t function, uint64_t site, unsigned int call)
{
	struct rec_launched_at record = {
		.hdr = header(feed, REC_LAUNCHED_AT, sizeof(record)),
		.function = function,
		.site = site,
		.call = (__u16)call,
	};

	feed_give(feed, &record, sizeof(record));
}

void feed_module(struct feed *feed, uint64_t start, uint64_t end, uint64_t offset, const char *file)
{
	struct rec_module record = {
		.hdr = header(feed, REC_MODULE, sizeof(record)),
		.start = start,
		.end = end,
		.offset = offset,
	};

	strncpy(record.file, file, sizeof(record.file) - 1);
	feed_give(feed, &record, sizeof(record));
}

void feed_launches(struct feed *feed, unsigned int call, uint64_t function, uint64_t launches)
{
	struct rec_launch_row record = {
		.hdr = { .type = REC_LAUNCH_ROW, .size = sizeof(record), .program = feed->program },
		.key = { .program = feed->program, .call = (__u16)call, .device = (__s16)feed->device, .function = function },
		.row = {
			.launches = launches, .samples = launches, .ns = launches * 1000, .max_ns = 1000, .grid = { 64, 1, 1 },
			.block = { 256, 1, 1 }, .hist = { [3] = launches },
		},
	};

	feed_give(feed, &record, sizeof(record));
}

struct snapshot *feed_moment(struct feed *feed)
{
	struct rec_moment moment = {
		.hdr = { .type = REC_MOMENT, .size = sizeof(moment), .time = feed->now },
		.self_cpu_ns = 2500000,
		.self_resident = 3 * MIB,
		.targets = 2,
		.attached = 300,
		.missing = 4,
	};
	struct snapshot *snapshot;

	feed_give(feed, &moment, sizeof(moment));
	snapshot = feed_snapshot(feed);
	moment_fill(snapshot, &moment);
	return snapshot;
}

struct snapshot *feed_snapshot(struct feed *feed)
{
	struct snapshot *snapshot = model_snapshot(feed->model, feed->now, 1000);

	ck_assert_ptr_nonnull(snapshot);
	return snapshot;
}

const struct snap_process *feed_find(const struct feed *feed, const struct snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].program == feed->program)
			return &snapshot->processes[i];
	ck_abort_msg("program %u is not in the snapshot", feed->program);
	return NULL;
}

unsigned int count_events(const struct snapshot *snapshot, enum event_kind kind, const char **text)
{
	unsigned int count = 0;
	size_t i;

	if (text)
		*text = NULL;
	for (i = 0; i < snapshot->event_count; i++) {
		if (snapshot->events[i].kind != kind)
			continue;
		count++;
		if (text)
			*text = snapshot->events[i].text;
	}
	return count;
}

const struct snap_event *find_event(const struct snapshot *snapshot, enum event_kind kind,
				    unsigned int nth)
{
	size_t i;

	for (i = 0; i < snapshot->event_count; i++)
		if (snapshot->events[i].kind == kind && !nth--)
			return &snapshot->events[i];
	return NULL;
}
