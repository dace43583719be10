/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of each function a number of 64 bits is kept, sorted: its file offset, and where in the symbol
 * table it is. A mapping gives us file offsets, not addresses, and they do not depend on where the
 * file was loaded. Libraries have up to a million symbols with names of hundreds of bytes, of which
 * some dozen are asked for. Size and name of these are read then, from the file, which may have
 * become another meanwhile: they are checked like everything in it.
 */
#include "names/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/debugfile.h"
#include "names/sections.h"

/* Bytes read of a name: as much as is demangled, and more than is shown */
#define NAME_LEN_MAX 16384u

/* A function's number: from its highest bits on offset, whether it has a size, index */
#define INDEX_BITS  25
#define OFFSET_BITS (63 - INDEX_BITS)
#define SORT_BITS   13 /* at a time */

/* One symbol table, and what it is read from. */
struct table {
	struct sections file; /* the headers are closed */
	uint64_t at, names, names_size;
	struct budget_table numbers;
	size_t count;
	uint64_t taken; /* bytes of the budget, for a file that lies in memory */
};

struct symbols {
	struct budget *budget;
	struct budget_table unpacked; /* .gnu_debugdata */
	struct table tables[2];
	size_t count;
	char name[NAME_LEN_MAX];
};

static uint64_t *numbers_of(const struct table *table)
{
	return (uint64_t *)(void *)table->numbers.data;
}

/* ---- reading a table ---- */

struct reading {
	struct table *table;
	const struct segments *segments;
};

static int function_take(void *context, const Elf64_Sym *symbol, uint64_t index)
{
	const struct reading *reading = context;
	struct table *table = reading->table;
	uint64_t offset;
	int err;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
	    !symbol->st_name || segments_offset(reading->segments, symbol->st_value, &offset) ||
	    offset >> OFFSET_BITS || index >> INDEX_BITS)
		return 0;
	err = budget_table_grow(&table->numbers, (table->count + 1) * sizeof(uint64_t));
	if (!err)
		/* Of several at one offset, one with a size comes last: symbols_find() takes the last. */
		numbers_of(table)[table->count++] =
			(offset << 1 | (symbol->st_size > 0)) << INDEX_BITS | index;
	return err;
}

/* Sorts by offset, in time that depends on nothing but their number. */
static int numbers_sort(struct table *table)
{
	struct budget_table other = { .budget = table->numbers.budget };
	enum { KINDS = 1 << SORT_BITS };
	size_t *places = malloc(KINDS * sizeof(*places)), i, sum, n;
	uint64_t *from, *to;
	unsigned int shift;
	int err = places ? budget_table_grow(&other, table->count * sizeof(uint64_t)) : -ENOMEM;

	for (shift = INDEX_BITS; shift < 64 && !err; shift += SORT_BITS) {
		struct budget_table sorted = other;

		from = numbers_of(table);
		to = (uint64_t *)(void *)other.data;
		memset(places, 0, KINDS * sizeof(*places));
		for (i = 0; i < table->count; i++)
			places[from[i] >> shift & (KINDS - 1)]++;
		for (i = sum = 0; i < KINDS; i++) {
			n = places[i];
			places[i] = sum;
			sum += n;
		}
		for (i = 0; i < table->count; i++)
			to[places[from[i] >> shift & (KINDS - 1)]++] = from[i];
		other = table->numbers;
		table->numbers = sorted;
	}
	budget_table_free(&other);
	free(places);
	return err;
}

/* Keeps @file open. A copy of a file (probe/outside.h) takes memory, as it can still be sealed. */
static int file_keep(struct table *table, const struct sections *file, struct budget *budget)
{
	int seals = file->fd < 0 ? -1 : fcntl(file->fd, F_GET_SEALS);
	uint64_t bytes = 0;
	struct stat st;

	table->file = (struct sections){ .fd = -1, .memory = file->memory, .size = file->size };
	if (file->fd < 0)
		return 0;
	if (seals >= 0 && !(seals & F_SEAL_SEAL) && !fstat(file->fd, &st))
		bytes = (uint64_t)st.st_blocks * 512;
	if (!budget_take(budget, bytes))
		return -ENOSPC;
	table->taken = bytes;
	table->file.fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	return table->file.fd < 0 ? -errno : 0;
}

static void table_free(struct table *table, struct budget *budget)
{
	if (table->file.fd >= 0)
		close(table->file.fd);
	budget_give(budget, table->taken);
	budget_table_free(&table->numbers);
	*table = (struct table){ .file.fd = -1 };
}

/*
 * Reads the first symbol table of @type. Returns 0, also if there is none, or it is not sound or
 * has no functions; or -ENOSPC, -EMFILE or -ENOMEM.
 */
static int table_read(const struct sections *file, uint32_t type, const struct segments *segments,
		      struct symbols *symbols)
{
	struct table *table = &symbols->tables[symbols->count];
	struct reading reading = { table, segments };
	struct symtab source;
	int err;

	*table = (struct table){ .file.fd = -1, .numbers.budget = symbols->budget };
	if (symtab_find(file, type, &source))
		return 0;
	table->at = source.at;
	table->names = source.names;
	table->names_size = source.names_size;
	err = symtab_each(&source, function_take, &reading);
	if (!err && table->count) {
		budget_table_trim(&table->numbers, table->count * sizeof(uint64_t));
		err = numbers_sort(table);
		if (!err)
			err = file_keep(table, file, symbols->budget);
		if (!err) {
			symbols->count++;
			return 0;
		}
	}
	table_free(table, symbols->budget);
	return err == -EBADMSG ? 0 : err;
}

/*
 * A debug file's own program headers may not say where the code lies: use those of the main file.
 */
static int debug_file_read(int fd, const struct segments *segments, struct symbols *symbols)
{
	struct sections file;
	int err;

	if (fd < 0 || sections_open(&file, fd))
		return 0;
	err = table_read(&file, SHT_SYMTAB, segments, symbols);
	sections_close(&file);
	return err;
}

/*
 * .gnu_debugdata, a small compressed table that some distributions leave in stripped files:
 * functions that .dynsym lacks.
 */
static int mini_read(const struct sections *file, const struct segments *segments,
		     struct symbols *symbols)
{
	struct sections inner;
	size_t size;
	int err = debug_data_read(file, &symbols->unpacked, &size);

	if (!err && !sections_open_memory(&inner, symbols->unpacked.data, size)) {
		err = table_read(&inner, SHT_SYMTAB, segments, symbols);
		sections_close(&inner);
	}
	return err == -ENOENT ? 0 : err;
}

static int tables_read(const struct sections *file, int debug_fd, struct symbols *symbols)
{
	struct segments segments;
	int err;

	segments_read(file, &segments);
	err = table_read(file, SHT_SYMTAB, &segments, symbols);
	if (!err && !symbols->count)
		err = debug_file_read(debug_fd, &segments, symbols);
	if (err || symbols->count)
		return err;
	err = mini_read(file, &segments, symbols);
	return err ? err : table_read(file, SHT_DYNSYM, &segments, symbols);
}

int symbols_read(int fd, int debug_fd, struct budget *budget, struct symbols **result)
{
	struct symbols *symbols;
	struct sections file;
	int err;

	*result = NULL;
	err = sections_open(&file, fd);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	symbols = calloc(1, sizeof(*symbols));
	if (!symbols) {
		sections_close(&file);
		return -ENOMEM;
	}
	symbols->budget = symbols->unpacked.budget = budget;
	err = tables_read(&file, debug_fd, symbols);
	sections_close(&file);
	if (!err && !symbols->count)
		err = -ENOENT;
	if (err)
		symbols_free(symbols);
	else
		*result = symbols;
	return err;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	while (symbols->count)
		table_free(&symbols->tables[--symbols->count], symbols->budget);
	budget_table_free(&symbols->unpacked);
	free(symbols);
}

/* ---- look-up ---- */

/* How many functions begin at @offset or before. */
static size_t functions_up_to(const struct table *table, uint64_t offset)
{
	const uint64_t *numbers = numbers_of(table);
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (numbers[mid] >> (INDEX_BITS + 1) <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The symbol's name, in symbols->name; NULL: it cannot be read any more. */
static const char *name_read(struct symbols *symbols, const struct table *table,
			     const Elf64_Sym *symbol)
{
	size_t sizes[] = { 256, sizeof(symbols->name) - 1 }, n, i;

	for (i = 0; i < 2; i++) {
		uint64_t left = symbol->st_name < table->names_size ?
					table->names_size - symbol->st_name :
					0;

		n = sections_read(&table->file, table->names + symbol->st_name, symbols->name,
				  left < sizes[i] ? (size_t)left : sizes[i]);
		symbols->name[n] = 0;
		/* A last name without its NUL is not accepted. */
		if (strlen(symbols->name) < n)
			return *symbols->name ? symbols->name : NULL;
	}
	return n == sizes[1] ? symbols->name : NULL;
}

const char *symbols_find(struct symbols *symbols, uint64_t offset, uint64_t *distance)
{
	const struct table *table = NULL;
	uint64_t start = 0, number, begins;
	Elf64_Sym symbol;
	size_t i, upto;

	/* The nearest that begins before, of either table */
	for (i = 0; i < symbols->count; i++) {
		upto = functions_up_to(&symbols->tables[i], offset);
		if (!upto)
			continue;
		begins = numbers_of(&symbols->tables[i])[upto - 1];
		if (table && begins >> INDEX_BITS <= start >> INDEX_BITS)
			continue;
		table = &symbols->tables[i];
		start = begins;
	}
	if (!table)
		return NULL;
	number = start & ((1ull << INDEX_BITS) - 1);
	start >>= INDEX_BITS + 1;
	if (sections_read(&table->file, table->at + number * sizeof(symbol), &symbol,
			  sizeof(symbol)) != sizeof(symbol) ||
	    (symbol.st_size && offset - start >= symbol.st_size))
		return NULL;
	*distance = offset - start;
	return name_read(symbols, table, &symbol);
}
