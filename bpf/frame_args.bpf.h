/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a call's arguments that a frame keeps from entry to return: one struct per class of
 * calls (enum call_class). A pointer is an address in the process; a field whose name ends in _at
 * is the address where the call writes the value. Sizes are in bytes.
 */
#ifndef FRAME_ARGS_BPF_H
#define FRAME_ARGS_BPF_H

#include "base.bpf.h"

struct alloc_args {
	__u64 address_at;    /* SIZE_REGISTER: the address itself, not where it is written */
	__u64 bytes;         /* to be multiplied by the pitch, if there is one */
	__u64 pitch_at;      /* 0: no pitch */
	__u64 element_bytes; /* for an array; 0: not an array */
	/* The device + 2, if it is not the thread's; 0: it is the thread's */
	__u64 place;
};

struct free_args {
	__u64 address;
};

struct copy_args {
	__u64 destination, source;
	__u64 bytes;
	__u64 stream; /* stream_meant(); only with CALL_ASYNC */
};

struct launch_args {
	__u64 function;
	union {
		/* launch_registers(): grid and block of a launch that is counted at its return */
		__u64 words[4];
		/*
		 * LAUNCH_COUNTED; the row's launch clock without this launch, and with it; launches
		 * that its site counts for, 0: it is not taken
		 */
		struct {
			__u64 before, clock, weight;
		} counted;
		/* LAUNCH_CAPTURED; whether kernels may change the node */
		struct {
			__u64 graph, updatable;
		} captured;
	};
};

struct sync_args {
	__u64 clock;  /* the launch clock at the entry */
	__s32 device; /* the device whose work is done at the return, or DEVICE_PART */
};

struct device_args { /* CLASS_DEVICE */
	__s32 device;
};

struct teacher_args {    /* CLASS_HANDLE and CLASS_NAMED */
	__u64 handle_at; /* CALL_NAME_OUT: the handle itself */
	/*
	 * the stub, handle or name that the handle stands for; CALL_NAME_OUT: where the name is
	 * written
	 */
	__u64 meaning;
	__u64 named; /* only without return probes: the class is CLASS_NAMED */
};

struct context_args {
	__u64 handle; /* the context, pool or stream, or where it is written */
	union {
		__s32 device;
		/* CONTEXT_FROM and CONTEXT_STREAM_OF: the context that it belongs to */
		__u64 parent;
	};
	__u64 type; /* pool_type() */
};

struct map_args {
	union {
		__u64 address;    /* or a module, or a process, depending on enum map_act */
		__u64 address_at; /* MAP_GLOBAL */
		__u64 handle_at;  /* MAP_RETAIN and MAP_LEVEL */
	};
	union {
		__u64 bytes;
		__u64 bytes_at; /* MAP_GLOBAL */
		__u64 mapped;   /* MAP_RETAIN and MAP_LEVEL: the address */
	};
	__u64 handle;
};

struct size_args {
	__u64 bytes_at; /* 0: the program asks for something else */
	__s32 device;
};

/* By enum graph_role, as it is in the table. */
struct graph_args {
	union {
		__u64 words[3]; /* arguments b, c and d: one of the following */
		/* CAPTURE_BEGIN; a graph to add to, or 0 */
		struct {
			__u64 stream, graph;
		} begin;
		/* CAPTURE_END, CAPTURE_LEAVE; graph_at 0: no graph results */
		struct {
			__u64 stream, graph_at;
		} end;
		struct {
			__u64 event, stream, flags;
		} record; /* CAPTURE_RECORD */
		struct {
			__u64 stream, event, flags;
		} wait; /* CAPTURE_WAIT */
		struct {
			__u64 graph_at, origin;
		} create; /* GRAPH_CREATE, GRAPH_CLONE */
		struct {
			__u64 graph;
		} destroy; /* GRAPH_DESTROY */
		/* GRAPH_ADD_...; params may be a child graph */
		struct {
			__u64 node_at, graph, params;
		} add;
		/* GRAPH_SET_..., GRAPH_LEARN...; params may be a child graph */
		struct {
			__u64 node, params;
		} set;
		struct {
			__u64 node;
		} remove; /* GRAPH_REMOVE */
		/* GRAPH_UPDATABLE; the value is a pointer */
		struct {
			__u64 node, number, value;
		} attribute;
		struct {
			__u64 exec_at, graph;
		} instantiate; /* EXEC_CREATE */
		struct {
			__u64 exec, graph;
		} update; /* EXEC_UPDATE, EXEC_DESTROY */
		/* EXEC_SET_...; params may be a child graph */
		struct {
			__u64 exec, node, params;
		} exec_set;
		struct {
			__u64 exec, node, enabled;
		} enable; /* EXEC_ENABLE */
		struct {
			__u64 exec, stream;
		} launch; /* EXEC_LAUNCH */
	};
	__u64 function; /* the node's function, read at the return */
};

#endif
