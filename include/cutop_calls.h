/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of hooked functions, shared by the BPF programs and by user space: the places of their lines in the table,
 * cutop_call_table.h. Adding a function is adding a line there. A probe's attach cookie and a recording have these numbers;
 * recordings say what they were called (docs/recording.md).
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
