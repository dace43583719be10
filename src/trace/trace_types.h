/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of a kernel's arguments, taken from its demangled name. */
#ifndef TRACE_TRACE_TYPES_H
#define TRACE_TRACE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parses the argument list of the demangled @full into @types (enum word_kind, CUTOP_KERNEL_WORDS
 * of them at most) and *@count. False if @full has none, such as an unmangled C name: then the
 * number of arguments is unknown.
 */
bool trace_types_read(const char *full, uint8_t *types, uint8_t *count);

#endif
