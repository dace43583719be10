/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a frame keeps of a call's arguments from the entry to the return: one
 * struct for each class of calls (enum call_class). A pointer is the address in
 * the process, and a field that ends in _at is the place where the call writes
 * what the field is named after. Sizes are in bytes.
 */
#ifndef FRAME_ARGS_BPF_H
#define FRAME_ARGS_BPF_H

#include "base.bpf.h"

struct alloc_args {
	__u64 address_at;	/* SIZE_REGISTER: the address itself */
	__u64 bytes;		/* to be multiplied by the pitch if there is one */
	__u64 pitch_at;		/* 0: there is no pitch */
	__u64 element_bytes;	/* of an array; 0: it is none */
	__u64 place;		/* the device plus 2, where it is not the thread's; 0: it is */
};

struct free_args {
	__u64 address;
};

struct copy_args {
	__u64 destination, source;
	__u64 bytes;
	__u64 stream;		/* stream_meant(); only with CALL_ASYNC */
};

struct launch_args {
	__u64 function;
	union {
		__u64 words[4];		/* launch_registers(): grid and block of a launch that is counted at its return */
		/* LAUNCH_COUNTED; the row's launch clock without this launch, and with it; launches that its site counts for, 0: it is not taken */
		struct { __u64 before, clock, weight; } counted;
		struct { __u64 graph, updatable; } captured;	/* LAUNCH_CAPTURED; whether kernels may change the node */
	};
};

struct sync_args {
	__u64 stream;		/* stream_meant(); only with SYNC_STREAM */
	__u64 clock;		/* the launch clock at the entry */
	__s32 device;		/* whose work is done at the return, or DEVICE_PART */
};

struct device_args {		/* CLASS_DEVICE */
	__s32 device;
};

struct teacher_args {		/* CLASS_HANDLE and CLASS_NAMED */
	__u64 handle_at;	/* CALL_NAME_OUT: the handle itself */
	__u64 meaning;		/* the stub, handle or name that the handle stands for; CALL_NAME_OUT: where the name is written */
	__u64 named;		/* only where no return is probed: the class is CLASS_NAMED */
};

struct context_args {
	__u64 handle;		/* the context, pool or stream, or where it is written */
	union {
		__s32 device;
		__u64 parent;	/* CONTEXT_FROM and CONTEXT_STREAM_OF: the context that it comes from */
	};
	__u64 type;		/* pool_type() */
};

struct map_args {
	union {
		__u64 address;		/* or a module, or a process: enum map_act */
		__u64 address_at;	/* MAP_GLOBAL */
		__u64 handle_at;	/* MAP_RETAIN and MAP_LEVEL */
		__u64 tiles;		/* MAP_TILES: a list, */
	};
	union {
		__u64 bytes;
		__u64 bytes_at;		/* MAP_GLOBAL */
		__u64 mapped;		/* MAP_RETAIN and MAP_LEVEL: the address */
		__u64 tile_count;	/* and how long it is */
	};
	__u64 handle;
};

struct size_args {
	__u64 bytes_at;		/* 0: the program asks for something else */
	__s32 device;
};

/* By enum graph_role, as it is in the table. */
struct graph_args {
	union {
		__u64 words[3];	/* arguments b, c and d, which are one of these */
		struct { __u64 stream, graph; } begin;		/* CAPTURE_BEGIN; a graph to add to, or 0 */
		struct { __u64 stream, graph_at; } end;		/* CAPTURE_END, CAPTURE_LEAVE; 0: no graph is left */
		struct { __u64 event, stream, flags; } record;	/* CAPTURE_RECORD */
		struct { __u64 stream, event, flags; } wait;	/* CAPTURE_WAIT */
		struct { __u64 graph_at, origin; } create;	/* GRAPH_CREATE, GRAPH_CLONE */
		struct { __u64 graph; } destroy;		/* GRAPH_DESTROY */
		struct { __u64 node_at, graph, params; } add;	/* GRAPH_ADD_...; or a child graph */
		struct { __u64 node, params; } set;		/* GRAPH_SET_..., GRAPH_LEARN...; the same */
		struct { __u64 node; } remove;			/* GRAPH_REMOVE */
		struct { __u64 node, number, value; } attribute;	/* GRAPH_UPDATABLE; the value is a pointer */
		struct { __u64 exec_at, graph; } instantiate;	/* EXEC_CREATE */
		struct { __u64 exec, graph; } update;		/* EXEC_UPDATE, EXEC_DESTROY */
		struct { __u64 exec, node, params; } exec_set;	/* EXEC_SET_...; or a child graph */
		struct { __u64 exec, node, enabled; } enable;	/* EXEC_ENABLE */
		struct { __u64 exec, stream; } launch;		/* EXEC_LAUNCH */
	};
	__u64 function;		/* the node's, read at the return */
};

#endif
