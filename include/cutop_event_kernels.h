/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that name kernels: where their names are, the modules and files that contain them, and
 * the graphs that launch them. A part of cutop_event.h, which includes it.
 */
#ifndef CUTOP_EVENT_KERNELS_H
#define CUTOP_EVENT_KERNELS_H

#include "cutop_event.h"

enum name_source {
	NAME_NONE,       /* nothing is known yet: the ELF file may tell */
	NAME_REGISTERED, /* from __cudaRegisterFunction */
	NAME_SYMBOL,     /* from an ELF symbol table */
	NAME_DRIVER,     /* from the driver's module functions */
};

struct rec_kernel {
	struct rec_hdr hdr;
	__u64 function; /* as passed to the launch: launch_key.function */
	__u64 stub;     /* the host stub's address, 0 if unknown */
	__u8 source;    /* enum name_source */
	__u8 truncated; /* the name is longer than the following text */
	__u16 call;
	__u32 name_len; /* bytes, without a terminating NUL */
	char name[];    /* mangled; padded with NUL to a multiple of 8 */
};

/* One component of a path, with its NUL: NAME_MAX of include/uapi/linux/limits.h */
#define CUTOP_PATH_NAME_MAX 256
#define CUTOP_PATH_MAX      1280 /* longer paths are not sent */

/* Upwards: the name of the file, of its folder, of the next folder, each NUL-ended. */
struct path_names {
	/* 0: user space knows the file, or it has no path, or the path is too long */
	__u32 len;
	char names[CUTOP_PATH_MAX];
	__u32 pad;
};

/* Replaces a REC_KERNEL, or the driver's REC_NAME: where the name is stored. */
struct rec_name_at {
	struct rec_hdr hdr;
	__u64 name;     /* the name's address in the process */
	__u64 function; /* as in rec_kernel, or the driver's handle */
	__u64 stub;
	__u16 call;    /* as in rec_kernel; CALL_COUNT: replaces a REC_NAME */
	__u16 in_file; /* it is also in the file: the next two fields */
	__u32 pad;
	__u64 offset; /* of the name, in the file */
	struct file_id id;
	struct path_names path;
	__u32 pad2;
};

/*
 * All there is to identify a kernel whose handle was not seen being made, in a program without
 * symbols.
 */
struct rec_launched_at {
	struct rec_hdr hdr;
	__u64 function; /* launch_key.function */
	__u64 site;     /* the launch's return address */
	__u16 call;
	__u8 pad[6];
};

struct rec_module {
	struct rec_hdr hdr;
	__u64 start, end; /* the mapping */
	__u64 offset;     /* the offset of `start` in the file */
	struct file_id id;
	char file[CUTOP_FILE_LEN];
};

struct rec_module_at {
	struct rec_module module;
	struct path_names path;
};

struct rec_exec {
	struct rec_hdr hdr;
	struct file_id id; /* of the executable */
	__u32 uid;
	__u32 pad;
};

struct rec_mmap {
	struct rec_hdr hdr;
	struct file_id id;
	__s32 fd; /* of the file, in the process; -1 if unknown */
	__u32 uid;
	char file[CUTOP_FILE_LEN];
};

/*
 * Graphs, nodes and executable graphs are identified by their handles; a capture, until it ends, by
 * a number with CAPTURE_BIT. Each state of an executable graph's contents has a number, its epoch:
 * the graph's row counts the launches of one epoch, and the record that ends an epoch contains
 * their number.
 */
#define CAPTURE_BIT (1ull << 63)

struct rec_graph {
	struct rec_hdr hdr; /* time: at return */
	__u64 graph;
	__u64 other; /* cloned graph, child graph, or the graph that a capture became */
	__u64 exec;
	__u64 node;     /* 0: a captured node */
	__u64 function; /* launch_key.function of a kernel node */
	__u64 epoch;    /* the new epoch of exec */
	__u64 before;   /* the ended epoch; 0: its contents were unknown */
	__u64 launches; /* launches in that epoch */
	__s32 device;
	__u16 call;
	__u8 role;    /* enum graph_role */
	__u8 enabled; /* EXEC_ENABLE */
};

struct rec_object {
	struct rec_hdr hdr; /* time: at return */
	__u64 handle;
	__u64 site;  /* the caller's return address; 0: it was destroyed */
	__u64 stack; /* rec_stack.stack of the same program; 0: none */
	__u16 call;
	__u8 kind; /* enum object_kind */
	__u8 pad;
	/* The primary context of the device, or the other one, that ends it; neither: unknown */
	__s32 device;
	__u64 context; /* not in recordings of graphs alone */
};

#endif
