/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions sorted by file offset, and their names, one behind the other. A mapping gives us file
 * offsets, not addresses, and they do not depend on where the file was loaded. Only the names of
 * functions are kept, not the file's string table, which may contain anything else and be of any
 * size.
 */
#include "names/symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "names/debugfile.h"
#include "names/segments.h"
#include "names/symtab.h"

/* Bytes kept of a name: as much as is demangled, and more than is shown */
#define NAME_LEN_MAX 16384u

struct symbol {
	uint64_t offset;
	uint32_t size;
	uint32_t name;
};

struct symbols {
	struct budget_table list, names;
	size_t count, names_len;
};

static struct symbol *list_of(const struct symbols *symbols)
{
	return (struct symbol *)(void *)symbols->list.data;
}

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/*
	 * Of several at one offset, the one with a size comes last: symbols_find() takes the last.
	 */
	return (x->size > 0) - (y->size > 0);
}

struct reading {
	struct symbols *symbols;
	const struct segments *segments;
};

static bool is_function(void *context, const Elf64_Sym *symbol)
{
	const struct reading *reading = context;
	uint64_t offset;

	return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
	       !segments_offset(reading->segments, symbol->st_value, &offset);
}

static int function_take(void *context, const Elf64_Sym *symbol, const char *name, size_t len)
{
	struct reading *reading = context;
	struct symbols *symbols = reading->symbols;
	uint64_t offset = 0;
	int err;

	if (!len)
		return 0;
	/* The position of a name is stored in 32 bits. */
	err = symbols->names_len > UINT32_MAX - len - 1 ?
		      -ENOSPC :
		      budget_table_grow(&symbols->names, symbols->names_len + len + 1);
	if (!err)
		err = budget_table_grow(&symbols->list,
					(symbols->count + 1) * sizeof(struct symbol));
	if (err)
		return err;
	segments_offset(reading->segments, symbol->st_value, &offset);
	list_of(symbols)[symbols->count++] = (struct symbol){
		.offset = offset,
		.size = symbol->st_size > UINT32_MAX ? UINT32_MAX : (uint32_t)symbol->st_size,
		.name = (uint32_t)symbols->names_len,
	};
	memcpy(symbols->names.data + symbols->names_len, name, len);
	symbols->names_len += len;
	symbols->names.data[symbols->names_len++] = 0;
	return 0;
}

/*
 * Reads the first symbol table of @type. Returns 0, also if there is none, or it is not sound or
 * has no functions; or -ENOSPC or -ENOMEM.
 */
static int table_read(const struct sections *file, uint32_t type, const struct segments *segments,
		      struct symbols *symbols)
{
	struct reading reading = { symbols, segments };
	const struct symtab_search search = { .want = is_function,
					      .visit = function_take,
					      .context = &reading,
					      .name_max = NAME_LEN_MAX };
	size_t count = symbols->count, names_len = symbols->names_len;
	struct symtab table;
	int err = symtab_find(file, type, &table);

	if (!err)
		err = symtab_visit(&table, &search);
	if (err) {
		symbols->count = count;
		symbols->names_len = names_len;
	}
	return err == -E2BIG ? -ENOSPC : err == -ENOSPC || err == -ENOMEM ? err : 0;
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
	struct budget_table bytes = { .budget = symbols->list.budget };
	struct sections inner;
	size_t size;
	int err = debug_data_read(file, &bytes, &size);

	if (!err && !sections_open_memory(&inner, bytes.data, size)) {
		err = table_read(&inner, SHT_SYMTAB, segments, symbols);
		sections_close(&inner);
	}
	budget_table_free(&bytes);
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
	if (!err && !symbols->count)
		err = mini_read(file, &segments, symbols);
	else
		return err;
	return err ? err : table_read(file, SHT_DYNSYM, &segments, symbols);
}

/* Sorts by offset. The C library's qsort() would allocate as much memory again. */
static int list_sort(struct symbols *symbols)
{
	size_t bytes = symbols->count * sizeof(struct symbol);

	if (!budget_take(symbols->list.budget, bytes))
		return -ENOSPC;
	qsort(symbols->list.data, symbols->count, sizeof(struct symbol), symbol_compare);
	budget_give(symbols->list.budget, bytes);
	return 0;
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
	symbols->list.budget = symbols->names.budget = budget;
	err = tables_read(&file, debug_fd, symbols);
	sections_close(&file);
	if (!err && !symbols->count)
		err = -ENOENT;
	if (!err) {
		budget_table_trim(&symbols->list, symbols->count * sizeof(struct symbol));
		budget_table_trim(&symbols->names, symbols->names_len);
		err = list_sort(symbols);
	}
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
	budget_table_free(&symbols->list);
	budget_table_free(&symbols->names);
	free(symbols);
}

const char *symbols_find(const struct symbols *symbols, uint64_t offset, uint64_t *distance)
{
	const struct symbol *list = list_of(symbols), *symbol;
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (list[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	symbol = &list[low - 1];
	if (symbol->size && offset - symbol->offset >= symbol->size)
		return NULL;
	*distance = offset - symbol->offset;
	return symbols->names.data + symbol->name;
}
