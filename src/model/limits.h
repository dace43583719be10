/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much the books keep, whatever a program does. */
#ifndef MODEL_LIMITS_H
#define MODEL_LIMITS_H

/* What one process may make us keep. */
#define SITES_MAX		65536
#define LAUNCH_SITES_MAX	16384		/* of kernels and waits: CALL_SITES_MAX of BPF, and one more for each kernel */
#define PLACES_MAX		262144
#define STACKS_MAX		65536
#define KERNELS_MAX		65536
#define FILES_MAX		4096
#define DEVICES_MAX		1024
#define MAPPINGS_MAX		262144
#define TILES_MAX		32768		/* as alloc_node.opens counts those that hold memory */
#define LEVELS_MAX		65536
#define GLOBALS_MAX		65536
#define STATICS_MAX		65536
#define CONTEXTS_MAX		4096
#define GRAPHS_MAX		65536		/* executable ones included */
#define GRAPH_SITES_MAX		4096
#define GRAPH_PARTS_MAX		262144
#define STREAMS_MAX		65536
#define NAME_BYTES_MAX		(64u << 20)	/* of names of kernels, mangled and shown, and of call sites */
#define NODES_FREE		65536		/* live allocations that every process may have */
#define BYTES_MAX		(1ull << 52)	/* of one allocation or copy: more is a lie */

/* All processes together. */
#define IMAGES_MAX		65536
#define NODES_MAX		(8u << 20)	/* allocations; a process that has more than NODES_FREE loses what comes then */
#define EVENTS_MAX		256
#define ENDED_NODES_MAX		1000000		/* allocations of exited processes */
#define ENDED_BYTES_MAX		(256u << 20)	/* kept of exited processes, allocations left out: the oldest go first */
#define UNSETTLED_MAX		8192		/* ended programs past the bound, kept until their counters are complete */
#define TOMBSTONES		4096
#define PROCESS_READINGS_MAX	65536

#endif
