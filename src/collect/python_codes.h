/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python's code objects as the BPF side copied them: what a frame that runs one is called. Bounded: those used
 * longest ago leave first.
 */
#ifndef COLLECT_PYTHON_CODES_H
#define COLLECT_PYTHON_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

#include "cutop_python.h"

struct python_codes;

struct python_codes *python_codes_new(void);
void python_codes_free(struct python_codes *codes);

/* Takes a copy of what the record, of @size bytes, says. What makes no sense is left out. */
void python_codes_add(struct python_codes *codes, const struct rec_python_code *record, size_t size);
void python_codes_add_table(struct python_codes *codes, const struct rec_python_table *record, size_t size);

/* @program has ended: its code is not asked for any more. */
void python_codes_forget(struct python_codes *codes, uint32_t program);

/* What a frame is called; the strings are borrowed until the next call of this module. */
struct python_name {
	const char *function;	/* qualified from Python 3.11 on; NULL: nothing is known of the frame */
	const char *file;	/* as the code object has it; empty if it could not be read */
	unsigned int line;	/* 0: none */
	bool is_hidden;		/* the frame is the interpreter's own, or has not begun: it is not to be shown */
};

struct python_name python_codes_name(struct python_codes *codes, uint32_t program, const struct python_frame *frame);

#endif
