/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of hooked functions, and the format of its lines. Define CUTOP_CALL, include this file,
 * undefine it again:
 *
 *	CUTOP_CALL(symbol, layer, class, group, options, a, b, c, d, arguments)
 *
 * is then expanded once for each function, in the order of their numbers. Each layer has a file of
 * its own for its lines.
 *
 * A line begins with the class of the function, which determines what follows the symbol: see the
 * macros below, and cutop_call_desc.h for the values. A word like OUT(0) or BYTES(1) gives the role
 * of an argument and its number, counted from 0; a word in the wrong place does not compile. NONE:
 * there is no such argument. Options come last, separated by |.
 *
 * The column arguments is a string: "name:kind" for each argument of the function, one blank in
 * between. Kinds are p pointer or handle, s stream, z 64 bits, u and i 32 bits without and with a
 * sign, f float; a star after it: a pointer to a result of that kind. An argument without a name is
 * the second register of the one before. Kind m, without a name, is a struct too large for
 * registers: it takes none on x86-64, where it lies on the stack, and one on arm64, where a pointer
 * to it is passed. A float or double is left out unless it is a result. "": there are no arguments,
 * or no header gives their names any more. Classes whose roles describe all arguments have no such
 * column. tests/checks/arguments.py prints the column from NVIDIA's headers.
 *
 * With _PTSZ or _PTDS after the class, a line stands for two functions: the second has that suffix,
 * and uses the thread's own default stream if no stream is given. If the two functions differ
 * otherwise, each has its own line.
 */
/* clang-format off */

/*
 * The kind of the allocation (enum alloc_kind), where the address is written (or given), and how
 * many bytes (enum size_rule). For the kind ASYNC the stream is argument 2, or follows the pool of
 * CALL_POOL.
 */
#define ALLOC(symbol, kind, address, size, ...) \
	LINE(symbol, CLASS_ALLOC, GROUP_MEMORY, LINE_OPTIONS(__VA_ARGS__), KIND_##kind, LINE_ALLOC_##address, LINE_ALLOC_##size, "")
#define ALLOC_PTSZ(symbol, kind, address, size, ...) \
	ALLOC(symbol, kind, address, size, __VA_ARGS__) \
	ALLOC(symbol##_ptsz, kind, address, size, CALL_PER_THREAD __VA_OPT__(|) __VA_ARGS__)
#define LINE_ALLOC_OUT(n)			n
#define LINE_ALLOC_ADDRESS(n)			n
#define LINE_ALLOC_NONE				SIZE_NONE, 0
#define LINE_ALLOC_BYTES(n)			SIZE_ARG, n
#define LINE_ALLOC_PITCH(n)			SIZE_PITCH, n
#define LINE_ALLOC_PITCHED_3D(n)		SIZE_PITCHED3D, n
#define LINE_ALLOC_ARRAY(n)			SIZE_ARRAY, n
#define LINE_ALLOC_ARRAY_3D(n)			SIZE_ARRAY3D, n
#define LINE_ALLOC_MIPMAP(n)			SIZE_MIPMAP, n
#define LINE_ALLOC_REGISTERED(n)		SIZE_REGISTER, n
#define LINE_ALLOC_DRIVER_ARRAY(n)		SIZE_DRIVER_ARRAY, n
#define LINE_ALLOC_DRIVER_ARRAY_3D(n)		SIZE_DRIVER_ARRAY3D, n
#define LINE_ALLOC_DRIVER_MIPMAP(n)		SIZE_DRIVER_MIPMAP, n
#define LINE_ALLOC_PHYSICAL(n)			SIZE_PHYSICAL, n

#define FREE(symbol, address, stream, ...) \
	LINE(symbol, CLASS_FREE, GROUP_MEMORY, LINE_OPTIONS(__VA_ARGS__), LINE_FREE_##address, LINE_FREE_##stream, 0, 0, "")
#define FREE_PTSZ(symbol, address, stream, ...) \
	FREE(symbol, address, stream, __VA_ARGS__) \
	FREE(symbol##_ptsz, address, stream, CALL_PER_THREAD __VA_OPT__(|) __VA_ARGS__)
#define LINE_FREE_ADDRESS(n)			n
#define LINE_FREE_STREAM_ARG(n)			n
#define LINE_FREE_NONE				0

/*
 * Both ends, how many bytes (enum bytes_rule), and the direction, or the argument with it. One
 * struct may contain all of them.
 */
#define COPY(symbol, to, from, bytes, direction, ...) \
	LINE(symbol, CLASS_COPY, GROUP_COPY, LINE_OPTIONS(__VA_ARGS__), COPY_ENDS(LINE_COPY_1_##to, LINE_COPY_2_##from), \
	     LINE_COPY_3_##bytes, LINE_COPY_4_##direction, "")
#define COPY_PTSZ(symbol, ...)	COPY(symbol, __VA_ARGS__) COPY(symbol##_ptsz, __VA_ARGS__)
#define COPY_PTDS(symbol, ...)	COPY(symbol, __VA_ARGS__) COPY(symbol##_ptds, __VA_ARGS__)
#define LINE_COPY_1_TO(n)			n
#define LINE_COPY_2_FROM(n)			n
#define LINE_COPY_3_BYTES(n)			BYTES_ARG, n
#define LINE_COPY_3_BYTES_2D(n)			BYTES_2D, n
#define LINE_COPY_3_PARMS_3D(n)			BYTES_3D, n
#define LINE_COPY_3_PARMS_3D_PEER(n)		BYTES_3D_PEER, n
#define LINE_COPY_3_BATCH(n)			BYTES_BATCH, n
#define LINE_COPY_3_BATCH_3D(n)			BYTES_BATCH3D, n
#define LINE_COPY_3_ATTRIBUTES(n)		BYTES_ATTRIBUTES, n
#define LINE_COPY_3_OPERATION(n)		BYTES_OPERATION, n
#define LINE_COPY_3_DRIVER_2D(n)		BYTES_DRIVER_2D, n
#define LINE_COPY_3_DRIVER_3D(n)		BYTES_DRIVER_3D, n
#define LINE_COPY_4_KIND(n)			n
#define LINE_COPY_4_H2D				COPY_FIXED | DIR_H2D
#define LINE_COPY_4_D2H				COPY_FIXED | DIR_D2H
#define LINE_COPY_4_D2D				COPY_FIXED | DIR_D2D
#define LINE_COPY_4_P2P				COPY_FIXED | DIR_P2P
/* Told by the addresses */
#define LINE_COPY_4_DEFAULT			COPY_FIXED | DIR_DEFAULT

/* Where the configuration is (enum launch_form), and the function. */
#define LAUNCH(symbol, form, function, ...) \
	LINE(symbol, CLASS_LAUNCH, GROUP_LAUNCH, LINE_OPTIONS(__VA_ARGS__), FORM_##form, LINE_LAUNCH_##function, 0, 0, "")
#define LAUNCH_PTSZ(symbol, form, function, ...) \
	LAUNCH(symbol, form, function, __VA_ARGS__) \
	LAUNCH(symbol##_ptsz, form, function, CALL_PER_THREAD __VA_OPT__(|) __VA_ARGS__)
#define LINE_LAUNCH_KERNEL(n)			n
#define LINE_LAUNCH_LIST(n)			n

/* What the call waits for: enum sync_scope. */
#define SYNC(symbol, scope, arguments, ...) \
	LINE(symbol, CLASS_SYNC, GROUP_SYNC, LINE_OPTIONS(__VA_ARGS__), SYNC_##scope, 0, 0, 0, arguments)
#define SYNC_PTSZ(symbol, ...)	SYNC(symbol, __VA_ARGS__) SYNC(symbol##_ptsz, __VA_ARGS__)

/* Selecting the thread's device; ending the current device's primary context. */
#define SET_DEVICE(symbol, device, arguments, ...) \
	LINE(symbol, CLASS_DEVICE, GROUP_DEVICE, LINE_OPTIONS(__VA_ARGS__), LINE_SET_##device, 0, 0, 0, arguments)
#define LINE_SET_DEVICE_ARG(n)			n
#define RESET(symbol, arguments, ...) \
	LINE(symbol, CLASS_RESET, GROUP_DEVICE, LINE_OPTIONS(__VA_ARGS__), 0, 0, 0, 0, arguments)

/*
 * Calls that teach names: a kernel's stub or a variable that a program registers; a handle and what
 * it is made from.
 */
#define REGISTER(symbol, what, name, arguments, ...) \
	LINE(symbol, CLASS_REGISTER, GROUP_NAME, LINE_OPTIONS(__VA_ARGS__), LINE_REGISTER_##what, LINE_REGISTER_##name, 0, arguments)
#define LINE_REGISTER_STUB(n)			n
#define LINE_REGISTER_NAME(n)			n, 0
#define LINE_REGISTER_VARIABLE(n)		n
#define LINE_REGISTER_SIZE(n)			NO_ARG, n
#define LINE_REGISTER_ALL_OF(n)			n
#define LINE_REGISTER_ENDS			NO_ARG, NO_ARG
#define HANDLE(symbol, handle, origin, arguments, ...) \
	LINE(symbol, CLASS_HANDLE, GROUP_NAME, LINE_OPTIONS(__VA_ARGS__), LINE_NAMES_##handle, LINE_NAMES_##origin, 0, 0, arguments)
#define NAMED(symbol, handle, name, arguments, ...) \
	LINE(symbol, CLASS_NAMED, GROUP_NAME, LINE_OPTIONS(__VA_ARGS__), LINE_NAMES_##handle, LINE_NAMES_##name, 0, 0, arguments)
#define LINE_NAMES_OUT(n)			n
#define LINE_NAMES_OF(n)			n
#define LINE_NAMES_NAME(n)			n

/*
 * What a call does to contexts (enum context_act); the context, stream or pool; the device, or what
 * shows it.
 */
#define CONTEXT(symbol, group, act, what, where, arguments, ...) \
	LINE(symbol, CLASS_CONTEXT, GROUP_##group, LINE_OPTIONS(__VA_ARGS__), CONTEXT_##act, LINE_OF_##what, LINE_OF_##where, 0, \
	     arguments)
#define LINE_OF_OUT(n)				n
#define LINE_OF_CONTEXT_ARG(n)			n
#define LINE_OF_DEVICE_ARG(n)			n
#define LINE_OF_PROPERTIES(n)			n
#define LINE_OF_PLACE(n)			n
#define LINE_OF_NONE				0

/* What a call does to mappings (enum map_act), and the arguments that this takes. */
#define MAP(symbol, group, act, what, size, owner, arguments, ...) \
	LINE(symbol, CLASS_MAP, GROUP_##group, LINE_OPTIONS(__VA_ARGS__), MAP_##act, LINE_MAP_1_##what, LINE_MAP_2_##size, \
	     LINE_MAP_3_##owner, arguments)
#define MAP_PTSZ(symbol, ...)	MAP(symbol, __VA_ARGS__) MAP(symbol##_ptsz, __VA_ARGS__)
#define MAP_PTDS(symbol, ...)	MAP(symbol, __VA_ARGS__) MAP(symbol##_ptds, __VA_ARGS__)
#define LINE_MAP_1_OUT(n)			n
#define LINE_MAP_1_ADDRESS(n)			n
#define LINE_MAP_1_MODULE_ARG(n)		n
#define LINE_MAP_2_OUT(n)			n
#define LINE_MAP_2_BYTES(n)			n
#define LINE_MAP_2_ADDRESS(n)			n
#define LINE_MAP_2_ARRAY(n)			n
#define LINE_MAP_2_NONE				NO_ARG
#define LINE_MAP_3_HANDLE_ARG(n)		n
#define LINE_MAP_3_MODULE_ARG(n)		n
#define LINE_MAP_3_NONE				0

/* Returns a device's size: where it is written, and which device. */
#define DEVICE_SIZE(symbol, group, size, device, arguments, ...) \
	LINE(symbol, CLASS_SIZE, GROUP_##group, LINE_OPTIONS(__VA_ARGS__), LINE_SIZE_##size, LINE_SIZE_##device, 0, arguments)
#define LINE_SIZE_OUT(n)			n, 0
#define LINE_SIZE_PROPERTIES(n)			n, SIZE_IN_PROPERTIES
#define LINE_SIZE_DEVICE_ARG(n)			n
#define LINE_SIZE_CURRENT			SIZE_OF_CURRENT

/*
 * Captures, graphs and executable graphs: what the call does (enum graph_role), and the arguments
 * that this takes.
 */
#define CAPTURE(symbol, group, act, b, c, d, arguments, ...) \
	LINE(symbol, CLASS_GRAPH, GROUP_##group, LINE_OPTIONS(__VA_ARGS__), CAPTURE_##act, \
	     LINE_IN_##b, LINE_IN_##c, LINE_IN_##d, arguments)
#define CAPTURE_PTSZ(symbol, group, act, b, c, d, arguments, ...) \
	CAPTURE(symbol, group, act, b, c, d, arguments, __VA_ARGS__) \
	CAPTURE(symbol##_ptsz, group, act, b, c, d, arguments, CALL_PER_THREAD __VA_OPT__(|) __VA_ARGS__)
#define GRAPH(symbol, act, b, c, d, arguments, ...) \
	LINE(symbol, CLASS_GRAPH, GROUP_GRAPH, LINE_OPTIONS(__VA_ARGS__), GRAPH_##act, \
	     LINE_IN_##b, LINE_IN_##c, LINE_IN_##d, arguments)
#define EXEC(symbol, act, b, c, d, arguments, ...) \
	LINE(symbol, CLASS_GRAPH, GROUP_GRAPH, LINE_OPTIONS(__VA_ARGS__), EXEC_##act, \
	     LINE_IN_##b, LINE_IN_##c, LINE_IN_##d, arguments)
#define EXEC_PTSZ(symbol, act, b, c, d, arguments, ...) \
	EXEC(symbol, act, b, c, d, arguments, __VA_ARGS__) \
	EXEC(symbol##_ptsz, act, b, c, d, arguments, CALL_PER_THREAD __VA_OPT__(|) __VA_ARGS__)
#define LINE_IN_OUT(n)				n
#define LINE_IN_STREAM_ARG(n)			n
#define LINE_IN_EVENT_ARG(n)			n
#define LINE_IN_GRAPH_ARG(n)			n
#define LINE_IN_EXEC_ARG(n)			n
#define LINE_IN_NODE(n)				n
#define LINE_IN_CHILD(n)			n
#define LINE_IN_PARAMS(n)			n
#define LINE_IN_FLAGS(n)			n
#define LINE_IN_ENABLED(n)			n
#define LINE_IN_ATTRIBUTE(n)			n
#define LINE_IN_VALUE(n)			n
#define LINE_IN_NONE				NO_ARG

/* Makes an object, whose handle it writes, or destroys the one of that handle: enum object_kind. */
#define OBJECT(symbol, group, kind, handle, arguments, ...) \
	LINE(symbol, CLASS_PLAIN, GROUP_##group, LINE_OPTIONS(__VA_ARGS__), LINE_OBJECT_##handle, OBJECT_##kind, 0, arguments)
#define LINE_OBJECT_OUT(n)			OBJECT_MADE, n
#define LINE_OBJECT_DESTROYED(n)		OBJECT_GONE, n

/* Counted and timed only. */
#define PLAIN(symbol, group, arguments, ...) \
	LINE(symbol, CLASS_PLAIN, GROUP_##group, LINE_OPTIONS(__VA_ARGS__), 0, 0, 0, 0, arguments)
#define PLAIN_PTSZ(symbol, ...)	PLAIN(symbol, __VA_ARGS__) PLAIN(symbol##_ptsz, __VA_ARGS__)
#define PLAIN_PTDS(symbol, ...)	PLAIN(symbol, __VA_ARGS__) PLAIN(symbol##_ptds, __VA_ARGS__)

#define LINE_OPTIONS(...)		(0 __VA_OPT__(|) __VA_ARGS__)
#define LINE(symbol, ...)	CUTOP_CALL(symbol, CUTOP_LAYER, __VA_ARGS__)

#define CUTOP_LAYER LAYER_RUNTIME
#include "cutop_runtime_calls.h"
#undef CUTOP_LAYER
#define CUTOP_LAYER LAYER_DRIVER
#include "cutop_driver_calls.h"
#ifdef CUTOP_MORE_CALLS		/* tests/e2e/test_full_table.sh */
#include CUTOP_MORE_CALLS
#endif
#undef CUTOP_LAYER

#undef ALLOC
#undef ALLOC_PTSZ
#undef FREE
#undef FREE_PTSZ
#undef COPY
#undef COPY_PTSZ
#undef COPY_PTDS
#undef LAUNCH
#undef LAUNCH_PTSZ
#undef SYNC
#undef SYNC_PTSZ
#undef SET_DEVICE
#undef RESET
#undef REGISTER
#undef HANDLE
#undef NAMED
#undef CONTEXT
#undef MAP
#undef MAP_PTSZ
#undef MAP_PTDS
#undef DEVICE_SIZE
#undef CAPTURE
#undef CAPTURE_PTSZ
#undef GRAPH
#undef EXEC
#undef EXEC_PTSZ
#undef OBJECT
#undef PLAIN
#undef PLAIN_PTSZ
#undef PLAIN_PTDS
#undef LINE
