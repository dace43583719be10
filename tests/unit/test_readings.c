/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the driver says, beside the books: devices, untracked bytes, what is not known, and readings
 * that lie.
 */
#include <math.h>
#include <string.h>

#include "feed.h"
#include "model/stream.h"

static void clear(struct feed *feed)
{
	struct rec_hdr record = { .type = REC_READINGS, .size = sizeof(record) };

	ck_assert_int_eq(model_record(feed->model, &record, sizeof(record)), 0);
}

static void device(struct feed *feed, int number, const char *name, unsigned int known,
		   uint64_t used)
{
	struct rec_device_reading record = {
		.hdr = { .type = REC_DEVICE_READING, .size = sizeof(record) },
		.device = number,
		.known = known,
		.used = used,
		.total = 1000 * MIB,
		.utilization = 97,
		.temperature = 64,
		.power = 412300,
	};

	/* A name that fills its room has no end. */
	memcpy(record.name, name, strnlen(name, sizeof(record.name)));
	memcpy(record.uuid, "GPU-1234", 8);
	ck_assert_int_eq(model_record(feed->model, &record.hdr, sizeof(record)), 0);
}

static void process(struct feed *feed, uint32_t pid, bool known, uint64_t used)
{
	struct rec_process_reading record = {
		.hdr = { .type = REC_PROCESS_READING, .size = sizeof(record) },
		.pid = pid,
		.is_known = known,
		.used = used,
	};

	ck_assert_int_eq(model_record(feed->model, &record.hdr, sizeof(record)), 0);
}

/* The process @pid on @device, in the part with these numbers, or INSTANCE_NONE. */
static void process_on(struct feed *feed, uint32_t pid, int number, uint32_t gpu_instance,
		       uint32_t compute_instance, uint64_t used)
{
	struct rec_process_reading record = {
		.hdr = { .type = REC_PROCESS_READING, .size = sizeof(record) },
		.pid = pid,
		.is_known = used > 0,
		.used = used,
		.has_device = true,
		.device = number,
		.gpu_instance = gpu_instance,
		.compute_instance = compute_instance,
	};

	ck_assert_int_eq(model_record(feed->model, &record.hdr, sizeof(record)), 0);
}

static void instance(struct feed *feed, int number, uint32_t gpu_instance,
		     uint32_t compute_instance, const char *name)
{
	struct rec_instance_reading record = {
		.hdr = { .type = REC_INSTANCE_READING, .size = sizeof(record) },
		.used = 70 * MIB,
		.total = 100 * MIB,
		.device = number,
		.known = READING_MEMORY,
		.gpu_instance = gpu_instance,
		.compute_instance = compute_instance,
	};

	memcpy(record.name, name, strnlen(name, sizeof(record.name)));
	ck_assert_int_eq(model_record(feed->model, &record.hdr, sizeof(record)), 0);
}

#define ALL (READING_MEMORY | READING_UTILIZATION | READING_TEMPERATURE | READING_POWER)

TEST(nothing_said)
{
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 0);
	snapshot_free(snapshot);
	/* What programs hold, and were told, is known all the same. */
	feed_process(&feed);
	feed_alloc(&feed, 0x1000, 5 * MIB);
	feed_size(&feed, 0, 100 * MIB);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 1);
	ck_assert_int_eq(snapshot->devices[0].device, 0);
	ck_assert_uint_eq(snapshot->devices[0].tracked, 5 * MIB);
	ck_assert_uint_eq(snapshot->devices[0].total, 100 * MIB);
	ck_assert_ptr_null(snapshot->devices[0].name);
	ck_assert(!snapshot->devices[0].has_used);
	ck_assert(isnan(snapshot->devices[0].utilization));
	ck_assert(isnan(snapshot->devices[0].temperature));
	ck_assert(isnan(snapshot->devices[0].power));
	ck_assert(!feed_find(&feed, snapshot)->has_used);
	snapshot_free(snapshot);
	feed_end(&feed);
}

TEST(both_sides)
{
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	feed.device = 2;
	feed_alloc(&feed, 0x1000, 5 * MIB);
	clear(&feed);
	device(&feed, 2, "H100", ALL, 80 * MIB);
	device(&feed, 0, "A\033[2J\n", READING_MEMORY | READING_POWER, 7 * MIB);
	process(&feed, feed.pid, true, 30 * MIB);
	process(&feed, feed.pid, true, 15 * MIB);     /* on another device */
	process(&feed, feed.pid + 1, true, 99 * MIB); /* nobody watched */
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 2);
	ck_assert_int_eq(snapshot->devices[0].device, 0);
	ck_assert_str_eq(snapshot->devices[0].name, "A?[2J?");
	ck_assert_uint_eq(snapshot->devices[0].tracked, 0);
	ck_assert(isnan(snapshot->devices[0].utilization));
	ck_assert_int_eq(snapshot->devices[1].device, 2);
	ck_assert_str_eq(snapshot->devices[1].name, "H100");
	ck_assert_str_eq(snapshot->devices[1].uuid, "GPU-1234");
	ck_assert(snapshot->devices[1].has_used);
	ck_assert_uint_eq(snapshot->devices[1].used, 80 * MIB);
	ck_assert_uint_eq(snapshot->devices[1].total, 1000 * MIB);
	ck_assert_uint_eq(snapshot->devices[1].tracked, 5 * MIB);
	ck_assert_double_eq(snapshot->devices[1].utilization, 0.97);
	ck_assert_double_eq(snapshot->devices[1].temperature, 64);
	ck_assert_double_eq(snapshot->devices[1].power, 412.3);
	ck_assert(feed_find(&feed, snapshot)->has_used);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->used, 45 * MIB);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->untracked, 40 * MIB);
	snapshot_free(snapshot);
	/* It holds until the driver is asked anew, and not longer. */
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->devices[1].used, 80 * MIB);
	snapshot_free(snapshot);
	clear(&feed);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 1);
	ck_assert(!snapshot->devices[0].has_used);
	ck_assert(!feed_find(&feed, snapshot)->has_used);
	snapshot_free(snapshot);
	feed_end(&feed);
}

TEST(odd_sums)
{
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	feed_alloc(&feed, 0x1000, 50 * MIB);
	/* Less than is live: it was asked before the last allocation. */
	process(&feed, feed.pid, true, 30 * MIB);
	snapshot = feed_snapshot(&feed);
	ck_assert(feed_find(&feed, snapshot)->has_used);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->untracked, 0);
	snapshot_free(snapshot);
	/* Of one device it is not known: then neither is the sum. */
	process(&feed, feed.pid, false, 0);
	snapshot = feed_snapshot(&feed);
	ck_assert(!feed_find(&feed, snapshot)->has_used);
	snapshot_free(snapshot);
	/* A pid that another program has by now. */
	clear(&feed);
	feed_exit(&feed, END_EXIT, 0);
	process(&feed, feed.pid, true, 30 * MIB);
	snapshot = feed_snapshot(&feed);
	ck_assert(!feed_find(&feed, snapshot)->has_used);
	snapshot_free(snapshot);
	feed_end(&feed);
}

TEST(lies)
{
	struct snapshot *snapshot;
	char name[200];
	struct feed feed;
	int i;

	feed_begin(&feed);
	feed_process(&feed);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	device(&feed, -1, "none", ALL, MIB);
	device(&feed, 1 << 20, "none", ALL, MIB);
	device(&feed, 5, name, ALL, UINT64_MAX);
	device(&feed, 5, "again", ALL, UINT64_MAX);
	for (i = 0; i < 70000; i++)
		process(&feed, feed.pid, true, UINT64_MAX);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->device_count, 1);
	ck_assert_str_eq(snapshot->devices[0].name, "again");
	ck_assert_uint_eq(feed_find(&feed, snapshot)->used, UINT64_MAX);
	snapshot_free(snapshot);
	for (i = 0; i < 2000; i++)
		device(&feed, i, name, 0, 0);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_le(snapshot->device_count, 1024);
	ck_assert_uint_eq(strlen(snapshot->devices[0].name), READING_TEXT - 1);
	snapshot_free(snapshot);
	feed_end(&feed);
}

/* What processes use of each device: by the driver's list, and by what they hold. */
TEST(uses)
{
	const struct snap_device *devices;
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	feed.device = 2;
	feed_alloc(&feed, 0x1000, 5 * MIB);
	feed.device = 3;
	feed_alloc(&feed, 0x10000000, 6 * MIB);
	device(&feed, 2, "H100", ALL, 80 * MIB);
	process_on(&feed, feed.pid, 2, INSTANCE_NONE, INSTANCE_NONE, 9 * MIB);
	process_on(&feed, feed.pid + 1, 2, INSTANCE_NONE, INSTANCE_NONE, 60 * MIB);
	process_on(&feed, feed.pid + 2, 2, INSTANCE_NONE, INSTANCE_NONE, 0);
	process_on(&feed, feed.pid, 77, INSTANCE_NONE, INSTANCE_NONE, MIB); /* no such device */
	snapshot = feed_snapshot(&feed);
	devices = snapshot->devices;
	ck_assert_uint_eq(snapshot->device_count, 2);
	ck_assert_uint_eq(devices[0].use_count, 3);
	/* the largest first, and last the one of which the driver knows no amount */
	ck_assert_uint_eq(devices[0].uses[0].pid, feed.pid + 1);
	ck_assert_uint_eq(devices[0].uses[0].program, 0);
	ck_assert_str_eq(devices[0].uses[0].command, "");
	ck_assert_uint_eq(devices[0].uses[0].used, 60 * MIB);
	ck_assert_uint_eq(devices[0].uses[0].live, 0);
	ck_assert_uint_eq(devices[0].uses[1].pid, feed.pid);
	ck_assert_uint_eq(devices[0].uses[1].program, feed.program);
	ck_assert_uint_eq(devices[0].uses[1].used, 9 * MIB);
	ck_assert_uint_eq(devices[0].uses[1].live, 5 * MIB);
	ck_assert_int_eq(devices[0].uses[1].instance, -1);
	ck_assert(!devices[0].uses[2].has_used);
	/* The driver did not list it there: what it holds is known all the same. */
	ck_assert_uint_eq(devices[1].use_count, 1);
	ck_assert(!devices[1].uses[0].has_used);
	ck_assert_uint_eq(devices[1].uses[0].live, 6 * MIB);
	snapshot_free(snapshot);
	feed_exit(&feed, END_EXIT, 0);
	clear(&feed);
	snapshot = feed_snapshot(&feed);
	for (size_t i = 0; i < snapshot->device_count; i++)
		ck_assert_uint_eq(snapshot->devices[i].use_count, 0);
	snapshot_free(snapshot);
	feed_end(&feed);
}

/*
 * A divided device. Memory on an unknown device is in the part that its process works in, if it
 * works in one only.
 */
TEST(parts)
{
	const struct snap_device *divided;
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	feed.device = CUTOP_DEVICE_UNKNOWN;
	feed_alloc(&feed, 0x1000, 5 * MIB);
	device(&feed, 1, "H100", ALL, 80 * MIB);
	device(&feed, 2, "H100", ALL, 80 * MIB);
	instance(&feed, 1, 9, 0, "NVIDIA H100 MIG 1g.10gb");
	instance(&feed, 1, 3, 1, "\033odd");
	instance(&feed, 1, 3, 0, "");
	instance(&feed, 5, 1, 0, "of no device that is known");
	instance(&feed, -1, 1, 0, "of none");
	process_on(&feed, feed.pid, 1, 3, 1, 7 * MIB);
	snapshot = feed_snapshot(&feed);
	divided = &snapshot->devices[0];
	ck_assert_uint_eq(snapshot->device_count, 2);
	ck_assert_uint_eq(divided->instance_count, 3);
	ck_assert_uint_eq(divided->instances[0].gpu_instance, 3);
	ck_assert_ptr_null(divided->instances[0].name);
	ck_assert_uint_eq(divided->instances[1].compute_instance, 1);
	ck_assert_str_eq(divided->instances[1].name, "?odd");
	ck_assert_str_eq(divided->instances[2].name, "1g.10gb");
	ck_assert_uint_eq(divided->instances[2].used, 70 * MIB);
	ck_assert_uint_eq(divided->instances[2].total, 100 * MIB);
	ck_assert_uint_eq(snapshot->devices[1].instance_count, 0);
	ck_assert_uint_eq(divided->use_count, 1);
	ck_assert_int_eq(divided->uses[0].instance, 1);
	ck_assert_uint_eq(divided->uses[0].live, 5 * MIB);
	ck_assert_uint_eq(divided->instances[0].tracked, 0);
	ck_assert_uint_eq(divided->instances[1].tracked, 5 * MIB);
	ck_assert_uint_eq(divided->tracked, 5 * MIB);
	snapshot_free(snapshot);
	/* In two parts: it is not known in which. */
	process_on(&feed, feed.pid, 1, 9, 0, MIB);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->devices[0].tracked, 5 * MIB);
	ck_assert_uint_eq(snapshot->devices[0].instances[1].tracked, 0);
	ck_assert_uint_eq(snapshot->devices[0].instances[2].tracked, 0);
	snapshot_free(snapshot);
	feed_end(&feed);
}

static void launches(struct feed *feed, int device, uint64_t count)
{
	struct launch_key key = { .program = feed->program,
				  .call = CALL_cudaLaunchKernel,
				  .device = device,
				  .function = 0x4000 };
	struct launch_row row = { .launches = count };

	ck_assert_int_eq(model_launch_row(feed->model, &key, &row), 0);
}

static void copies(struct feed *feed, int device, uint64_t bytes)
{
	struct copy_key key = { .program = feed->program,
				.call = CALL_cudaMemcpy,
				.direction = DIR_H2D,
				.device = device };
	struct copy_row row = { .calls = 1, .bytes = bytes };

	ck_assert_int_eq(model_copy_row(feed->model, &key, &row), 0);
}

/*
 * A process that chose its device before it was watched: if the driver lists it on one, it is that,
 * until a call or the driver names another.
 */
TEST(the_only_device)
{
	const struct snap_process *process;
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	feed.device = CUTOP_DEVICE_UNKNOWN;
	feed_alloc(&feed, 0x1000, 5 * MIB);
	feed_alloc_as(&feed, CALL_cuMemCreate, KIND_PINNED, 0x10000000, MIB, 0);
	launches(&feed, CUTOP_DEVICE_UNKNOWN, 7);
	copies(&feed, CUTOP_DEVICE_UNKNOWN, 100);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->device_count, 0);
	ck_assert_int_eq(process->kernels[0].device, CUTOP_DEVICE_UNKNOWN);
	snapshot_free(snapshot);

	device(&feed, 1, "H100", ALL, 80 * MIB);
	process_on(&feed, feed.pid, 1, INSTANCE_NONE, INSTANCE_NONE, 9 * MIB);
	launches(&feed, 1, 2);
	copies(&feed, 1, 30);
	feed_alloc(&feed, 0x20000000, 6 * MIB);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->device_count, 1);
	ck_assert_int_eq(process->devices[0], 1);
	ck_assert_uint_eq(process->kernel_count, 1);
	ck_assert_int_eq(process->kernels[0].device, 1);
	ck_assert_uint_eq(process->kernels[0].launches, 9);
	ck_assert_uint_eq(process->copy_count, 1);
	ck_assert_int_eq(process->copies[0].device, 1);
	ck_assert_uint_eq(process->copies[0].bytes, 130);
	ck_assert_uint_eq(process->use_count, 1);
	ck_assert_int_eq(process->uses[0].device, 1);
	ck_assert_uint_eq(process->uses[0].live, 11 * MIB);
	ck_assert_uint_eq(snapshot->devices[0].tracked, 11 * MIB);
	snapshot_free(snapshot);

	clear(&feed);
	device(&feed, 1, "H100", ALL, 80 * MIB);
	process_on(&feed, feed.pid, 1, INSTANCE_NONE, INSTANCE_NONE, 9 * MIB);
	process_on(&feed, feed.pid, 2, INSTANCE_NONE, INSTANCE_NONE, 9 * MIB);
	feed_alloc(&feed, 0x30000000, 7 * MIB);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->device_count, 2);
	ck_assert_uint_eq(process->kernel_count, 2);
	ck_assert_int_eq(process->kernels[0].device, CUTOP_DEVICE_UNKNOWN);
	ck_assert_uint_eq(process->kernels[0].launches, 7);
	ck_assert_uint_eq(process->copy_count, 2);
	ck_assert_uint_eq(process->use_count, 2);
	ck_assert_int_eq(process->uses[0].device, CUTOP_DEVICE_UNKNOWN);
	ck_assert_uint_eq(process->uses[0].live, 7 * MIB);
	ck_assert_uint_eq(snapshot->devices[0].tracked, 11 * MIB);
	snapshot_free(snapshot);
	feed_end(&feed);
}

/*
 * The process's number 0 means device 1, since the driver lists it there alone; what its number 2
 * means is not known then. One that has worked with two numbers is taken at its word.
 */
TEST(another_number)
{
	const struct snap_process *process;
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	feed.device = 0;
	feed_alloc(&feed, 0x1000, 5 * MIB);
	launches(&feed, 0, 7);
	device(&feed, 0, "H100", ALL, 80 * MIB);
	device(&feed, 1, "H100", ALL, 80 * MIB);
	process_on(&feed, feed.pid, 1, INSTANCE_NONE, INSTANCE_NONE, 9 * MIB);
	feed_alloc(&feed, 0x20000000, 6 * MIB);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->device_count, 1);
	ck_assert_int_eq(process->devices[0], 1);
	ck_assert_int_eq(process->kernels[0].device, 1);
	ck_assert_uint_eq(snapshot->devices[0].tracked, 0);
	ck_assert_uint_eq(snapshot->devices[1].tracked, 11 * MIB);
	snapshot_free(snapshot);

	feed.device = 2;
	feed_alloc(&feed, 0x30000000, 7 * MIB);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->device_count, 1);
	ck_assert_int_eq(process->uses[0].device, CUTOP_DEVICE_UNKNOWN);
	ck_assert_uint_eq(process->uses[0].live, 7 * MIB);
	ck_assert_uint_eq(snapshot->devices[1].tracked, 11 * MIB);
	snapshot_free(snapshot);
	feed_end(&feed);

	feed_begin(&feed);
	feed_process(&feed);
	feed.device = 0;
	feed_alloc(&feed, 0x1000, 5 * MIB);
	feed.device = 1;
	feed_alloc(&feed, 0x20000000, 6 * MIB);
	device(&feed, 0, "H100", ALL, 80 * MIB);
	device(&feed, 1, "H100", ALL, 80 * MIB);
	process_on(&feed, feed.pid, 1, INSTANCE_NONE, INSTANCE_NONE, 9 * MIB);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->device_count, 2);
	ck_assert_uint_eq(snapshot->devices[0].tracked, 5 * MIB);
	ck_assert_uint_eq(snapshot->devices[1].tracked, 6 * MIB);
	snapshot_free(snapshot);
	feed_end(&feed);
}

/* Processes that only the driver lists: a row for each, with what it says of them on all devices. */
TEST(listed)
{
	struct rec_process_reading record = {
		.hdr = { .type = REC_PROCESS_READING, .size = sizeof(record) },
		.pid = 9,
		.is_known = true,
		.used = 2 * MIB,
		.has_device = true,
		.device = 1,
		.comm = "Xorg",
		.user = "ana",
		.container = "abc",
	};
	struct snapshot *snapshot;
	const struct snap_process *row;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	feed_alloc(&feed, 0x10000, MIB);
	feed_give(&feed, &record, sizeof(record));
	process_on(&feed, feed.pid, 0, INSTANCE_NONE, INSTANCE_NONE, 3 * MIB);
	process_on(&feed, 8, 0, INSTANCE_NONE, INSTANCE_NONE, 0);
	record.device = 0;
	feed_give(&feed, &record, sizeof(record));
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->process_count, 1);
	ck_assert_uint_eq(snapshot->listed_count, 2);
	row = &snapshot->processes[1];
	ck_assert_uint_eq(row->pid, 8);
	ck_assert(!row->has_used);
	ck_assert_str_eq(row[1].command, "Xorg");
	ck_assert_str_eq(row[1].user, "ana");
	ck_assert_str_eq(row[1].container, "abc");
	ck_assert_str_eq(row[1].device_list, "0-1");
	ck_assert_uint_eq(row[1].used, 4 * MIB);
	ck_assert_uint_ne(row[1].program, row->program);
	snapshot_free(snapshot);
	/* One that has just ended, and is still listed, is not another. */
	feed_exit(&feed, END_EXIT, 0);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->listed_count, 2);
	snapshot_free(snapshot);
	feed_end(&feed);
}

/* A recording of an older version says which process, and not on which device. */
TEST(older_readings)
{
	struct rec_process_reading record = {
		.hdr = { .type = REC_PROCESS_READING,
			 .size = offsetof(struct rec_process_reading, has_device) },
		.is_known = true,
		.used = 9 * MIB,
		.has_device = true, /* behind the record's end */
	};
	struct snapshot *snapshot;
	struct feed feed;

	feed_begin(&feed);
	feed_process(&feed);
	device(&feed, 0, "H100", ALL, 80 * MIB);
	record.pid = feed.pid;
	ck_assert_int_eq(model_record(feed.model, &record.hdr, record.hdr.size), 0);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(feed_find(&feed, snapshot)->used, 9 * MIB);
	ck_assert_uint_eq(snapshot->devices[0].use_count, 0);
	snapshot_free(snapshot);
	feed_end(&feed);
}
