/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a search says which names it is for, the texts are gone through first, for those that end as
 * one of these names does. (Linkers let a name begin within another one that ends in it.) Then the
 * symbols are gone through, and of names only those are read that lie in such a text. A place is kept
 * as one bit, which it shares with others: a name too many is read now and then.
 * Both tables are bounded, and what is read of names again (WORK_MAX). Holes cost nothing: they contain no names and no
 * functions.
 */
#include "names/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MAX    (512u << 20) /* bytes of either table that are accepted */
#define WORK_MAX     (2ull << 30) /* bytes of names that one visit reads: a second at most */
#define CHUNK        4096u        /* symbols that are read at a time */
#define PIECE        (1u << 18)   /* bytes of names that are searched at a time */
#define NAMES_AHEAD  2048u /* bytes read for a name: linkers put the next symbol's behind it */
#define NAME_MAX_MAX 65536u
#define WORD_MAX     32
#define NAME_MIN     6 /* of the names that are searched for: bytes that are compared at first, */
#define NAME_LONGEST 128u
#define ENDS         (1u << 17) /* bits: the last bytes of such a name */
#define PLACES       (4u << 20) /* bits */

_Static_assert(PLACES / 8 + ENDS / 8 + PIECE + CHUNK * sizeof(Elf64_Sym) + NAME_MAX_MAX <=
		       SYMTAB_MEMORY,
	       "SYMTAB_MEMORY says what is taken");

int symtab_find(const struct sections *file, uint32_t type, struct symtab *table)
{
	const Elf64_Shdr *symbols = sections_of_type(file, type), *names;

	if (!symbols)
		return -ENOENT;
	names = sections_link(file, symbols);
	if (!names || symbols->sh_entsize != sizeof(Elf64_Sym) || symbols->sh_size > TABLE_MAX ||
	    names->sh_size > TABLE_MAX ||
	    !sections_hold(file, symbols->sh_offset, symbols->sh_size))
		return -EBADMSG;
	*table = (struct symtab){
		.file = file,
		.at = symbols->sh_offset,
		.count = symbols->sh_size / sizeof(Elf64_Sym),
		.names = names->sh_offset,
		.names_size = names->sh_size,
	};
	return 0;
}

bool symtab_is_of_library(const struct sections *file)
{
	const Elf64_Shdr *exported = sections_of_type(file, SHT_DYNSYM);
	size_t i;

	for (i = 0; i < file->segment_count; i++)
		if (file->segments[i].p_type == PT_INTERP)
			return false;
	/* That of a program without libraries lists nothing but the empty symbol. */
	return exported && exported->sh_size > sizeof(Elf64_Sym);
}

/* ---- names alone ---- */

static bool has_any(const char *text, size_t size, const char *const *words)
{
	for (; *words; words++)
		if (memmem(text, size, *words, strlen(*words)))
			return true;
	return false;
}

int symtab_mentions(const struct symtab *table, const char *const *words)
{
	uint64_t end = table->names + table->names_size, at;
	char *piece = malloc(PIECE);
	bool found = false;
	size_t n;

	if (!piece)
		return -ENOMEM;
	for (at = table->names; !found && (at = sections_data(table->file, at, end)) < end;
	     at += n) {
		n = sections_read(table->file, at, piece,
				  end - at < PIECE ? (size_t)(end - at) : PIECE);
		if (!n)
			break;
		found = has_any(piece, n, words);
		/* The next piece contains the whole word that this one may end in. */
		if (n == PIECE)
			n -= WORD_MAX;
	}
	free(piece);
	return found;
}

/* ---- where names that are searched for may be ---- */

/* Bits, found by the end of a name, and by a place in the names. */
struct places {
	unsigned char ends[ENDS / 8], bits[PLACES / 8];
	bool any;
};

static void bit_set(unsigned char *bits, uint64_t number)
{
	bits[number / 8] |= (unsigned char)(1 << number % 8);
}

static bool bit_has(const unsigned char *bits, uint64_t number)
{
	return bits[number / 8] >> number % 8 & 1;
}

/* A number for the NAME_MIN bytes before @end. */
static uint32_t end_number(const char *end)
{
	uint64_t bytes = 0;

	memcpy(&bytes, end - NAME_MIN, NAME_MIN);
	return (uint32_t)(bytes * 0x9e3779b97f4a7c15u >> 32) % ENDS;
}

/* Marks the places in the texts of @piece that end as a name does. Returns where it goes on. */
static size_t piece_search(struct places *places, const char *piece, size_t size, uint64_t at)
{
	const char *text = piece, *end, *start;

	for (; text < piece + size; text = end + 1) {
		if (!*text) {
			end = text;
			continue;
		}
		end = memchr(text, 0, (size_t)(piece + size - text));
		if (!end)
			break;
		if (end - text < NAME_MIN || !bit_has(places->ends, end_number(end)))
			continue;
		places->any = true;
		start = (size_t)(end - text) > NAME_LONGEST ? end - NAME_LONGEST : text;
		for (; start < end; start++)
			bit_set(places->bits, (at + (uint64_t)(start - piece)) % PLACES);
	}
	return (size_t)(text - piece);
}

static int places_find(const struct symtab *table, const struct symtab_search *search,
		       struct places *places)
{
	uint64_t at = 0, size = table->names_size, data;
	char *piece = malloc(PIECE);
	size_t i, n, done;

	if (!piece)
		return -ENOMEM;
	for (i = 0; i < search->name_count; i++)
		bit_set(places->ends, end_number(search->names[i] + strlen(search->names[i])));
	while (at < size) {
		data = sections_data(table->file, table->names + at, table->names + size);
		at = data - table->names;
		n = sections_read(table->file, data, piece,
				  size - at < PIECE ? (size_t)(size - at) : PIECE);
		if (!n)
			break;
		done = piece_search(places, piece, n, at);
		/* The next piece contains the whole text, or the whole name, that this one may end in. */
		at += done || n < PIECE ? (done ? done : n) : n - NAME_LONGEST;
	}
	free(piece);
	return 0;
}

/* ---- symbols ---- */

int symtab_each(const struct symtab *table,
		int (*each)(void *context, const Elf64_Sym *symbol, uint64_t index), void *context)
{
	uint64_t end = table->at + table->count * sizeof(Elf64_Sym), at = table->at, index;
	Elf64_Sym *chunk = malloc(CHUNK * sizeof(*chunk));
	size_t i, n;
	int err = chunk ? 0 : -ENOMEM;

	while (!err && (at = sections_data(table->file, at, end)) < end) {
		/* Data may begin in the middle of a symbol: start with that symbol. */
		at -= (at - table->at) % sizeof(Elf64_Sym);
		index = (at - table->at) / sizeof(Elf64_Sym);
		n = table->count - index < CHUNK ? (size_t)(table->count - index) : CHUNK;
		n = sections_read(table->file, at, chunk, n * sizeof(Elf64_Sym)) /
		    sizeof(Elf64_Sym);
		if (!n)
			err = -EBADMSG;
		for (i = 0; i < n && !err; i++)
			err = each(context, &chunk[i], index + i);
		at += n * sizeof(Elf64_Sym);
	}
	free(chunk);
	return err;
}

/* ---- symbols and names ---- */

struct walk {
	const struct symtab *table;
	const struct symtab_search *search;
	struct places *places; /* NULL: all names matter */
	char *names;
	/* Position and size, in the table of names, of what is in memory */
	uint64_t names_at, names_size;
	uint64_t work; /* bytes of names read so far */
};

static void names_read(struct walk *walk, uint64_t at, size_t size)
{
	const struct symtab *table = walk->table;

	if (size > table->names_size - at)
		size = (size_t)(table->names_size - at);
	walk->names_at = at;
	walk->names_size = sections_read(table->file, table->names + at, walk->names, size);
	walk->work += size;
}

/* The name at @at; NULL: there is none, or it is the last one and does not end. */
static const char *name_at(struct walk *walk, uint64_t at, size_t *len)
{
	/* What is in memory, what most names end in, the longest */
	const size_t sizes[] = { 0, NAMES_AHEAD, walk->search->name_max };
	size_t left, max = walk->search->name_max, i;
	const char *name, *end;

	if (at >= walk->table->names_size)
		return NULL;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (sizes[i])
			names_read(walk, at, sizes[i]);
		if (at - walk->names_at >= walk->names_size)
			continue;
		name = walk->names + (at - walk->names_at);
		left = (size_t)(walk->names_at + walk->names_size - at);
		end = memchr(name, 0, left < max ? left : max);
		if (end || left >= max) {
			*len = end ? (size_t)(end - name) : max;
			return name;
		}
	}
	return NULL;
}

static int symbol_visit(void *context, const Elf64_Sym *symbol, uint64_t index)
{
	struct walk *walk = context;
	const struct symtab_search *search = walk->search;
	enum symtab_want want = search->want(search->context, symbol);
	const char *name = NULL;
	size_t len = 0;

	(void)index;
	if (want == SYMTAB_NAMED) {
		if (walk->places && !bit_has(walk->places->bits, symbol->st_name % PLACES))
			return 0;
		name = name_at(walk, symbol->st_name, &len);
		if (walk->places && !name)
			return 0;
	}
	if (walk->work > WORK_MAX)
		return -E2BIG;
	return want == SYMTAB_LEAVE ? 0 : search->visit(search->context, symbol, name, len);
}

int symtab_visit(const struct symtab *table, const struct symtab_search *search)
{
	struct walk walk = { .table = table, .search = search };
	int err = -ENOMEM;

	walk.names = malloc(search->name_max > NAMES_AHEAD ? search->name_max : NAMES_AHEAD);
	if (search->names)
		walk.places = calloc(1, sizeof(*walk.places));
	if (!walk.names || (search->names && !walk.places))
		goto out;
	err = search->names ? places_find(table, search, walk.places) : 0;
	if (!err && (!walk.places || walk.places->any))
		err = symtab_each(table, symbol_visit, &walk);
out:
	free(walk.places);
	free(walk.names);
	return err;
}
