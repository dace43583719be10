/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits on what is kept, whatever a program does. */
#ifndef MODEL_LIMITS_H
#define MODEL_LIMITS_H

/* Limits for one process. */
#define SITES_MAX 65536
/* Of kernels and waits: CALL_SITES_MAX of BPF, and one more for each kernel */
#define LAUNCH_SITES_MAX 16384
#define PLACES_MAX       262144
#define STACKS_MAX       65536
#define KERNELS_MAX      65536
#define FILES_MAX        4096
#define DEVICES_MAX      1024
#define INSTANCES_MAX    4096 /* of all devices */
#define MAPPINGS_MAX     262144
#define LEVELS_MAX       65536
#define GLOBALS_MAX      65536
#define STATICS_MAX      65536
#define CONTEXTS_MAX     4096
#define GRAPHS_MAX       65536 /* executable ones included */
#define OBJECTS_MAX      65536 /* executable graphs, streams, events ... that are live */
#define OBJECT_SITES_MAX 4096
#define GRAPH_PARTS_MAX  262144
/* For names of kernels (mangled and shown) and of call sites */
#define NAME_BYTES_MAX (64u << 20)
/* Live allocations that every process may have in any case */
#define NODES_FREE 65536
/* Of one allocation or copy: a larger size is invalid */
#define BYTES_MAX (1ull << 52)

/* Limits for all processes together. */
#define IMAGES_MAX 65536
/* allocations; when it is reached, a process that has more than NODES_FREE loses new ones */
#define NODES_MAX  (8u << 20)
#define EVENTS_MAX 256
/* kept of exited processes: the oldest are dropped first */
#define ENDED_BYTES_MAX (256u << 20)
/* ended programs beyond the limit, kept until their counters are complete */
#define UNSETTLED_MAX        8192
#define TOMBSTONES           4096
#define PROCESS_READINGS_MAX 65536

#endif
