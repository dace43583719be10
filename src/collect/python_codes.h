/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python's code objects, as copied by the BPF side: they give names to frames. Their number is
 * limited: those used longest ago are dropped first.
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

/* Copies the contents of the record, of @size bytes. Invalid records are ignored. */
void python_codes_add(struct python_codes *codes, const struct rec_python_code *record,
		      size_t size);
void python_codes_add_table(struct python_codes *codes, const struct rec_python_table *record,
			    size_t size);

/* @program has ended: its code is not needed any more. */
void python_codes_forget(struct python_codes *codes, uint32_t program);

/* The names of a frame; the strings are borrowed until the next call of this module. */
struct python_name {
	/* Qualified from Python 3.11 on; NULL: nothing is known about the frame */
	const char *function;
	const char *file;  /* as stored in the code object; empty if it could not be read */
	unsigned int line; /* 0: none */
	/* a frame of the interpreter itself, or one that has not begun: it must not be shown */
	bool is_hidden;
};

struct python_name python_codes_name(struct python_codes *codes, uint32_t program,
				     const struct python_frame *frame);

#endif
