/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream: everything that enters a model, as records. In addition to the records of
 * cutop_event.h, these are the rows that the collector reads once per refresh, each as a record of
 * its own, and the moments at which snapshots are made. Rows replace earlier versions, and have no
 * time of their own (0): they hold at the next REC_MOMENT. Layouts are those of structs in
 * cutop_event.h and cutop_rows.h, naturally aligned and without hidden padding.
 */
#ifndef MODEL_STREAM_H
#define MODEL_STREAM_H

#include <stddef.h>
#include <linux/types.h>

#include "cutop_allocator.h"
#include "cutop_event.h"

#define REC_ROW(name) \
	struct rec_##name##_row { \
		struct rec_hdr hdr; \
		struct name##_key key; \
		struct name##_row row; \
	}

REC_ROW(launch);
REC_ROW(copy);
REC_ROW(call);
REC_ROW(graph);
REC_ROW(fail);

/*
 * What the row counted since it was told last: two rows may come to be of one site, and the site of
 * one may be known better later.
 */
REC_ROW(call_site);

struct rec_sync {
	struct rec_hdr hdr;
	__u64 ns; /* in which a thread was in a synchronizing call, so far */
};

struct rec_times {
	struct rec_hdr hdr;
	struct program_times times;
};

/* What the program paid for being watched, and what of it was given up for that (--budget). */
struct rec_cost {
	struct rec_hdr hdr;
	__u64 paid_ns;     /* so far, an estimate */
	__u64 cpu_ns;      /* its processor time while watched, with what it paid; 0: unknown */
	__u64 launches_ns; /* time in which its launches were watched; they are in windows else */
	__u64 since[SPARE_COUNT]; /* CLOCK_MONOTONIC, when it was given up; 0: it is not */
};

struct rec_unreturned {
	struct rec_hdr hdr;
	__u32 why; /* enum unreturned */
	__u32 pad;
};

/* Totals since watching began: the last record of each cause counts. */
struct rec_unseen {
	struct rec_hdr hdr; /* tgid: the last process that it affected, 0: unknown */
	__u64 total;        /* allocations, files, or functions, depending on the cause */
	__u32 cause;        /* enum unseen_cause */
	__u32 pad;
	char comm[CUTOP_COMM_LEN]; /* the name of that process */
};

struct rec_lost {
	struct rec_hdr hdr;
	__u64 total;
	__u32 cause; /* enum lost_cause, below LOST_FED_COUNT */
	__u32 pad;
};

enum limit_kind {
	LIMIT_NAMES, /* --names-memory */
};

struct rec_limit {
	struct rec_hdr hdr;
	__u64 limit; /* bytes */
	__u32 kind;  /* enum limit_kind */
	__u32 pad;
};

/* Which fields of a rec_device_reading are known. */
#define READING_MEMORY      1u
#define READING_UTILIZATION 2u
#define READING_TEMPERATURE 4u
#define READING_POWER       8u
#define READING_POWER_LIMIT 16u

/* NVML_DEVICE_NAME_V2_BUFFER_SIZE and NVML_DEVICE_UUID_V2_BUFFER_SIZE, nvml.h */
#define READING_TEXT 96

struct rec_device_reading {
	struct rec_hdr hdr;
	__u64 used, total;                           /* bytes */
	__s32 device;                                /* the machine's number of the device */
	__u32 known;                                 /* READING_* */
	__u32 utilization;                           /* per cent */
	__u32 temperature;                           /* degrees Celsius */
	__u32 power;                                 /* milliwatts */
	__u32 power_limit;                           /* likewise */
	char name[READING_TEXT], uuid[READING_TEXT]; /* empty: unknown */
};

/*
 * A part of @device that works like a device of its own (MIG). Its numbers are those of nvidia-smi
 * (GI ID, CI ID).
 */
struct rec_instance_reading {
	struct rec_hdr hdr;
	__u64 used, total; /* bytes; compute instances of one GPU instance share them */
	__s32 device;      /* the machine's number of the device that it is a part of */
	__u32 known;       /* READING_MEMORY, or 0 */
	__u32 gpu_instance, compute_instance;
	char name[READING_TEXT], uuid[READING_TEXT]; /* empty: unknown */
};

#define INSTANCE_NONE 0xffffffffu

/* In which of the driver's lists a process is. */
enum device_use_type { USE_COMPUTE = 1, USE_GRAPHICS = 2, USE_MPS = 4 };
#define USE_TYPES 3

struct rec_process_reading {
	struct rec_hdr hdr;
	__u64 used; /* bytes on one device: a process may have several records */
	__u32 pid;
	__u32 is_known; /* `used` is known */
	/* Recordings made before 0.1 was released lack these fields. */
	__u32 has_device;                     /* the following three are known */
	__s32 device;                         /* the machine's number */
	__u32 gpu_instance, compute_instance; /* INSTANCE_NONE: it works in no part of the device */
	/* Recordings made before 0.3 lack these. */
	__u32 types, pad;          /* bits of enum device_use_type; 0: unknown */
	char comm[CUTOP_COMM_LEN]; /* the following are empty if unknown */
	char user[32], container[128];
};

/*
 * From the record's time on, the wall clock showed @real plus the time since then; before, it went
 * on as it was set earlier.
 */
struct rec_clock {
	struct rec_hdr hdr;
	__u64 real; /* ns, CLOCK_REALTIME */
};

/*
 * The record's time is that of the snapshot. The rest are facts that a model cannot know, but its
 * feeder does.
 */
struct rec_moment {
	struct rec_hdr hdr;
	__u64 self_cpu_ns;
	__u64 self_resident; /* bytes */
	__u32 targets, attached, missing;
	__u32 unused;
	/* Where the probes are; recordings made before 0.2 lack these fields. */
	__u32 at_entry, past_entry, single_stepped;
	__u32 has_points; /* these three are known */
};

struct snapshot;

/* Fills in what a model does not know, except the host. */
void moment_fill(struct snapshot *snapshot, const struct rec_moment *moment);

/* The layout of records in memory, and checks that a record is valid. */
/* The fixed parts of all records. */
union record {
	struct rec_hdr hdr;
	struct rec_process process;
	struct rec_end end;
	struct rec_alloc alloc;
	struct rec_free free;
	struct rec_free_at free_at; /* stack 0: none was told */
	struct rec_copy copy;
	struct rec_fail fail;
	struct rec_fail_at fail_at; /* likewise */
	struct rec_reset reset;
	struct rec_map map;
	struct rec_kernel kernel;
	struct rec_launched_at launched_at;
	struct rec_fault fault;
	struct rec_host host;
	struct rec_block block;
	struct rec_short shortage;
	struct rec_device device;
	struct rec_module module;
	struct rec_graph graph;
	struct rec_object object;
	struct rec_stack stack;
	struct rec_frame frame;
	struct rec_identity identity;
	struct rec_text text;
	struct rec_launch_row launch;
	struct rec_copy_row copy_row;
	struct rec_call_row call;
	struct rec_call traced;
	struct rec_graph_row graph_row;
	struct rec_fail_row fail_row;
	struct rec_call_site_row call_site;
	struct rec_sync sync;
	struct rec_unseen unseen;
	struct rec_limit limit;
	struct rec_unreturned unreturned;
	struct rec_cost cost;
	struct rec_times times;
	struct rec_lost lost;
	struct rec_moment moment;
	struct rec_clock clock;
	struct rec_device_reading device_reading;
	struct rec_instance_reading instance_reading;
	struct rec_process_reading process_reading;
};

/*
 * Copies the fixed part of the record at @raw, of which @len bytes can be read, to @record. @raw
 * may have any alignment, and may lie about its length. Returns the size of the fixed part, after
 * which the record's strings or frames follow; 0 for a record that claims more than @len, is too
 * short for its type, has an unknown type, or is invalid otherwise.
 */
size_t stream_read(union record *record, const struct rec_hdr *raw, size_t len);

#endif
