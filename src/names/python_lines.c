/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three forms of tables, each a list of steps over the bytecode and over the lines:
 *
 *   3.8, 3.9   co_lnotab: pairs of bytes, unsigned and signed; a line begins where its step is
 *   3.10       co_linetable: the same pairs, in which the first is the length; -128: no line
 *   3.11 on    co_linetable: entries of several bytes, of which the first alone has its highest bit set. It holds a
 *              kind and how many units of bytecode (two bytes each) the entry is for; columns are
 *              passed over
 *
 * CPython: Objects/lnotab_notes.txt and Objects/locations.md (InternalDocs/code_objects.md)
 * describe them.
 */
#include "names/python_lines.h"

#define NO_LINE (-128)

/*
 * How far the line number moves by entries of a kind; others say it themselves, or do not move it.
 */
enum entry_kind { ENTRY_ONE_LINE = 10, ENTRY_NO_COLUMNS = 13, ENTRY_LONG = 14, ENTRY_NONE = 15 };

static unsigned int in_lnotab(const unsigned char *table, size_t bytes, long line, long at)
{
	long here = 0;
	size_t i;

	for (i = 0; i + 1 < bytes; i += 2) {
		here += table[i];
		if (here > at)
			break;
		line += (signed char)table[i + 1];
	}
	return line > 0 ? (unsigned int)line : 0;
}

static unsigned int in_linetable(const unsigned char *table, size_t bytes, long line, long at)
{
	long end = 0, shown = 0;
	size_t i;

	for (i = 0; end <= at; i += 2) {
		if (i + 1 >= bytes)
			return 0;
		end += table[i];
		if ((signed char)table[i + 1] == NO_LINE) {
			shown = 0;
		} else {
			line += (signed char)table[i + 1];
			shown = line;
		}
	}
	return shown > 0 ? (unsigned int)shown : 0;
}

/* A signed number in pieces of 6 bits, the lowest first; its sign is the lowest bit. */
static long signed_at(const unsigned char *table, size_t bytes, size_t at)
{
	unsigned long value = 0;
	unsigned int shift;

	for (shift = 0; at < bytes && shift < 36; shift += 6) {
		value |= (unsigned long)(table[at] & 0x3f) << shift;
		if (!(table[at++] & 0x40))
			break;
	}
	return value & 1 ? -(long)(value >> 1) : (long)(value >> 1);
}

static unsigned int in_locations(const unsigned char *table, size_t bytes, long line, long at)
{
	long end = 0;
	size_t i = 0;

	while (i < bytes) {
		unsigned int kind = table[i] >> 3 & 15;

		end += 2 * ((table[i] & 7) + 1);
		if (kind == ENTRY_LONG || kind == ENTRY_NO_COLUMNS)
			line += signed_at(table, bytes, i + 1);
		else if (kind >= ENTRY_ONE_LINE && kind < ENTRY_NO_COLUMNS)
			line += kind - ENTRY_ONE_LINE;
		if (end > at)
			return kind == ENTRY_NONE || line <= 0 || line > 0x7fffffff ?
				       0 :
				       (unsigned int)line;
		do
			i++;
		while (i < bytes && !(table[i] & 0x80));
	}
	return 0;
}

unsigned int python_line(unsigned int version, const unsigned char *table, size_t bytes,
			 unsigned int first_line, long at)
{
	if (at < 0)
		return first_line;
	if (version < 0x030a)
		return in_lnotab(table, bytes, first_line, at);
	return version == 0x030a ? in_linetable(table, bytes, first_line, at) :
				   in_locations(table, bytes, first_line, at);
}
