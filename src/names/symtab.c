/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols refer to their names in any order, and both tables may be larger than the memory that we
 * want to use. So names are read window by window, and all symbols are gone through once for each
 * window that some of them refer to. In files as linkers make them, one window holds all names. The
 * total that is read is bounded (WORK_MAX). Holes cost nothing: they contain no names and no
 * functions.
 */
#include "names/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MAX    (512u << 20) /* bytes of either table that are accepted */
#define WORK_MAX     (2ull << 30) /* bytes that one visit reads of a file: a second at most */
#define CHUNK        16384u       /* symbols that are read at a time */
#define NAME_MAX_MAX 65536u
#define WORD_MAX     32
#define WINDOWS_MAX  (TABLE_MAX / SYMTAB_WINDOW)

_Static_assert(WINDOWS_MAX <= 64, "windows are bits of a word");
_Static_assert(CHUNK * sizeof(Elf64_Sym) + NAME_MAX_MAX <= SYMTAB_MEMORY - SYMTAB_WINDOW,
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
	enum { PIECE = 1 << 20 };
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

/* ---- symbols ---- */

struct walk {
	const struct symtab *table;
	const struct symtab_search *search;
	Elf64_Sym *chunk;
	char *window;
	/* Position and size, in the table of names, of what is in memory */
	uint64_t window_at, window_size;
	uint64_t used; /* bits: windows that symbols refer to */
	uint64_t work; /* bytes read so far */
};

/* The window in which the symbol's name begins: it may end in the next one. */
static uint64_t window_of(const Elf64_Sym *symbol)
{
	return symbol->st_name / SYMTAB_WINDOW;
}

static bool is_wanted(const struct walk *walk, const Elf64_Sym *symbol)
{
	return walk->search->want(walk->search->context, symbol);
}

static int used_note(struct walk *walk, const Elf64_Sym *symbol)
{
	if (is_wanted(walk, symbol))
		walk->used |=
			1ull << (symbol->st_name < walk->table->names_size ? window_of(symbol) : 0);
	return 0;
}

static int symbol_visit(struct walk *walk, const Elf64_Sym *symbol)
{
	const struct symtab_search *search = walk->search;
	bool has_name = symbol->st_name < walk->table->names_size;
	const char *name = NULL, *end;
	uint64_t at, left;
	size_t len = 0;

	/* A symbol with an invalid name offset is treated as part of the first window. */
	if ((has_name ? window_of(symbol) : 0) != walk->window_at / SYMTAB_WINDOW ||
	    !is_wanted(walk, symbol))
		return 0;
	at = symbol->st_name - walk->window_at;
	if (has_name && at < walk->window_size) {
		left = walk->window_size - at;
		name = walk->window + at;
		end = memchr(name, 0, left < search->name_max ? (size_t)left : search->name_max);
		len = end ? (size_t)(end - name) : search->name_max;
		/* A last name without its NUL is not accepted. */
		if (!end && left < search->name_max)
			name = NULL;
	}
	return search->visit(search->context, symbol, name, name ? len : 0);
}

static int symbols_each(struct walk *walk, int (*each)(struct walk *walk, const Elf64_Sym *symbol))
{
	const struct symtab *table = walk->table;
	uint64_t end = table->at + table->count * sizeof(Elf64_Sym), at = table->at;
	size_t i, n;
	int err = 0;

	while (!err && (at = sections_data(table->file, at, end)) < end) {
		/* Data may begin in the middle of a symbol: start with that symbol. */
		at -= (at - table->at) % sizeof(Elf64_Sym);
		n = (size_t)((end - at) / sizeof(Elf64_Sym));
		n = sections_read(table->file, at, walk->chunk,
				  (n < CHUNK ? n : CHUNK) * sizeof(Elf64_Sym)) /
		    sizeof(Elf64_Sym);
		if (!n)
			return -EBADMSG;
		walk->work += n * sizeof(Elf64_Sym);
		if (walk->work > WORK_MAX)
			return -E2BIG;
		for (i = 0; i < n && !err; i++)
			err = each(walk, &walk->chunk[i]);
		at += n * sizeof(Elf64_Sym);
	}
	return err;
}

/*
 * Reads the names of a window, and the bytes behind it that its last name may extend to. Holes are
 * left zero.
 */
static void window_read(struct walk *walk, uint64_t number, size_t room)
{
	const struct symtab *table = walk->table;
	uint64_t at = number * SYMTAB_WINDOW,
		 end = table->names_size - at < room ? table->names_size : at + room, data;
	size_t n;

	walk->window_at = at;
	walk->window_size = 0;
	for (; at < end; at += n) {
		data = sections_data(table->file, table->names + at, table->names + end) -
		       table->names;
		memset(walk->window + walk->window_size, 0, (size_t)(data - at));
		walk->window_size += data - at;
		at = data;
		/* Read small pieces, so that the next hole is noticed. */
		n = end - at < CHUNK * 4 ? (size_t)(end - at) : CHUNK * 4;
		n = sections_read(table->file, table->names + at, walk->window + walk->window_size,
				  n);
		if (!n)
			break;
		walk->window_size += n;
		walk->work += n;
	}
}

int symtab_visit(const struct symtab *table, const struct symtab_search *search)
{
	struct walk walk = { .table = table, .search = search, .used = 1 };
	size_t room = SYMTAB_WINDOW + search->name_max;
	uint64_t number;
	int err = -ENOMEM;

	if (room > table->names_size)
		room = (size_t)table->names_size;
	walk.chunk = malloc(CHUNK * sizeof(*walk.chunk));
	walk.window = malloc(room + 1);
	if (!walk.chunk || !walk.window)
		goto out;
	err = table->names_size > SYMTAB_WINDOW ? symbols_each(&walk, used_note) : 0;
	for (number = 0; number < WINDOWS_MAX && !err; number++)
		if (walk.used >> number & 1) {
			window_read(&walk, number, room);
			err = symbols_each(&walk, symbol_visit);
		}
out:
	free(walk.chunk);
	free(walk.window);
	return err;
}
