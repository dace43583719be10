/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of hooked functions, shared by the BPF programs and user space: their positions in
 * the table, cutop_call_table.h. To add a function, add a line there. The numbers are in probes'
 * attach cookies and in recordings, which also contain the names (docs/recording.md).
 */
#ifndef CUTOP_CALLS_H
#define CUTOP_CALLS_H

#include "cutop_call_desc.h"

enum call_id {
#define CUTOP_CALL(symbol, layer, class, group, options, a, b, c, d, arguments) CALL_##symbol,
#include "cutop_call_table.h"
#undef CUTOP_CALL
	CALL_COUNT,
};

#endif
