/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of everything that a snapshot lists: kernels, copies, calls, failures, call sites,
 * devices, blocks. Each field is named once, with its kind, its title and where it is in its struct;
 * JSON, metrics, the tables of text and columns of the screen are written from that. Figures of a
 * process that are columns, too, are in model/columns.h.
 */
#ifndef PRINT_FIELDS_H
#define PRINT_FIELDS_H

#include "model/columns.h"
#include "model/snapshot.h"

enum field_kind {
	FIELD_TEXT,     /* const char *; absent if NULL */
	FIELD_CHARS,    /* char []; absent if empty */
	FIELD_COUNT,    /* an unsigned number of any size */
	FIELD_BYTES,    /* the same, of bytes */
	FIELD_INT,      /* int */
	FIELD_NUMBER,   /* double; absent if it is not finite */
	FIELD_FIGURE,   /* the same, by figure() */
	FIELD_DEVICE,   /* int; absent if unknown */
	FIELD_ADDRESS,  /* uint64_t: address or handle */
	FIELD_TIME,     /* uint64_t: ns since 1970; absent if 0 */
	FIELD_DURATION, /* uint64_t: ns; JSON has seconds */
	FIELD_BOOL,
	FIELD_TRUE,       /* true; absent if the member is 0 */
	FIELD_FALSE,      /* false; absent if the member is 0 */
	FIELD_ATTACH,     /* bool: it is watched from "attach", or from its "start" */
	FIELD_NAME,       /* an index in names */
	FIELD_CALL,       /* uint16_t */
	FIELD_EXTRA_CALL, /* the same; `other` is its snap_extra */
	FIELD_LAYER,      /* uint16_t: the layer of that call */
	FIELD_RETURNS,    /* bool: returns are sampled */
	FIELD_EVENT,      /* uint8_t: enum event_kind */
	FIELD_DIMS,       /* uint32_t [3] */
	FIELD_COUNTS,     /* uint64_t [] */
	FIELD_LATENCY,    /* struct snap_latency */
	FIELD_PLACE,      /* struct snap_place: stack and frames */
	FIELD_SITE,       /* struct snap_site: the same */
	FIELD_MEMBERS,    /* a pointer: what `fields` has of it, unless NULL, as fields of this */
	FIELD_INSTANCE,   /* int: the same of the device's instance with this index, unless -1 */
	FIELD_LIST,       /* what `list` says */
};

/* When a field is known: a sum of these. */
enum field_when {
	WHEN_RETURNS = 1, /* returns of the process's calls are probed */
	WHEN_SUSPECT = 2, /* it is known what is suspect in the process */
	WHEN_EXITED = 4,  /* the process has ended */
	WHEN_ANY = 8,     /* the member is not 0 */
};

struct fields {
	const struct field *list;
	size_t count;
};

/* Where a list is in its owner, and what its items have. */
struct field_list {
	const char *key;
	size_t items, count; /* offsets: of the pointer to the items, of their number (size_t) */
	size_t size;         /* of an item */
	bool is_array;       /* the items are in the owner itself */
	bool always;         /* it is written even if it is empty */
	const struct fields *fields;
};

struct field {
	const char *key;   /* its name in JSON, ending in its unit; NULL: it is not in there */
	const char *title; /* of its column; NULL: no table has it */
	bool is_part;      /* for tables alone: JSON has it in another field */
	enum field_kind kind;
	size_t offset, size; /* of the member */
	unsigned int when;   /* enum field_when */
	/* Offset and size of a member that is 0 where the field is not known; size 0: none */
	size_t flag, flag_size;
	bool (*known)(const void *item); /* likewise; NULL: none */
	double (*figure)(const void *item);
	size_t other;
	const char *const *names;
	size_t name_count;
	const struct field_list *list;
	const struct fields *fields;
	struct {
		const char *name; /* behind the list's prefix; NULL: the key */
		bool is_counter;
		const char *help; /* NULL: it is no metric */
	} metric;
};

extern const struct fields snapshot_fields, probes_fields, self_fields, totals_fields,
	process_fields, memory_fields;

/* The lists of a process and of a snapshot. */
#define FAILURE_LISTS 3
extern const struct field_list map_list, allocator_list, kernel_list, copy_list, call_list,
	failure_lists[FAILURE_LISTS], site_list, launch_site_list, wait_site_list, graph_list,
	object_list, device_list, event_list, finding_list;
extern const struct field_list block_line_list;
/* For metrics: what a process holds of each device; the parts of a device. */
extern const struct field_list use_list, instance_list;

/* True if @item of @process (NULL: of none) has @field. */
bool field_is_known(const struct field *field, const void *item,
		    const struct snap_process *process);

/* The field of @fields with @key, which has to be one of them. */
const struct field *field_find(const struct fields *fields, const char *key);

/* The value of a field that is a number without sign; and of any that is a number. */
uint64_t field_count(const struct field *field, const void *item);
double field_number(const struct field *field, const void *item);
/* The unit of a field that is a number. */
enum column_unit field_unit(const struct field *field);

/* The items of @list in @owner, and how many there are. */
const void *list_items(const struct field_list *list, const void *owner, size_t *count);

/* The next field behind @field (NULL: the first) that is a metric; NULL: there is none. */
const struct field *metric_after(const struct fields *fields, const struct field *field);

#endif
