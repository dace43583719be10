/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of records in memory, and checks that a record is valid. */
#ifndef MODEL_RECORD_LAYOUT_H
#define MODEL_RECORD_LAYOUT_H

#include <stddef.h>
#include <linux/types.h>

#include "cutop_allocator.h"
#include "cutop_event.h"
#include "model/stream.h"

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
	struct rec_tiles tiles;
	struct rec_kernel kernel;
	struct rec_launched_at launched_at;
	struct rec_fault fault;
	struct rec_host host;
	struct rec_block block;
	struct rec_short shortage;
	struct rec_device device;
	struct rec_module module;
	struct rec_graph graph;
	struct rec_instantiated instantiated;
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
size_t record_read(union record *record, const struct rec_hdr *raw, size_t len);

#endif
