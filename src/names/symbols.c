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
#include "util/util.h"

/* Bytes read of a name: as much as is demangled, and more than is shown */
#define NAME_LEN_MAX 16384u

/* A function's number: from its highest bits on offset, whether it has a size, index */
#define INDEX_BITS  25
#define OFFSET_BITS (63 - INDEX_BITS)

#define ROOM_FIRST 1024 /* functions that there is room for at first */

struct symbols {
	struct budget *budget;
	uint64_t taken; /* bytes of it, for the numbers, and for a file that lies in memory */
	/* What the table was read from; the headers are closed */
	struct sections file;
	uint64_t at, names, names_size;
	uint64_t *numbers;
	size_t count, room;
	char name[NAME_LEN_MAX];
};

/* ---- reading a table ---- */

struct reading {
	struct symbols *symbols;
	const struct segments *segments;
};

/* Makes room for @room functions, more or fewer than there was. Returns 0 or a negative errno. */
static int numbers_resize(struct symbols *symbols, size_t room)
{
	uint64_t before = symbols->room * sizeof(uint64_t), bytes = room * sizeof(uint64_t);
	uint64_t *numbers;

	if (bytes > before && !budget_take(symbols->budget, bytes - before))
		return -ENOSPC;
	numbers = realloc(symbols->numbers, bytes);
	if (!numbers) {
		budget_give(symbols->budget, bytes > before ? bytes - before : 0);
		return -ENOMEM;
	}
	budget_give(symbols->budget, before > bytes ? before - bytes : 0);
	symbols->taken += bytes - before;
	symbols->numbers = numbers;
	symbols->room = room;
	return 0;
}

static int function_take(void *context, const Elf64_Sym *symbol, uint64_t index)
{
	const struct reading *reading = context;
	struct symbols *symbols = reading->symbols;
	uint64_t offset;
	int err = 0;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
	    !symbol->st_name || segments_offset(reading->segments, symbol->st_value, &offset) ||
	    offset >> OFFSET_BITS || index >> INDEX_BITS)
		return 0;
	if (symbols->count == symbols->room)
		err = numbers_resize(symbols, symbols->room ? symbols->room + symbols->room / 4 :
							      ROOM_FIRST);
	if (!err)
		/* Of several at one offset, one with a size comes last: symbols_find() takes the last. */
		symbols->numbers[symbols->count++] =
			(offset << 1 | (symbol->st_size > 0)) << INDEX_BITS | index;
	return err;
}

static int number_compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return ORDER(*a, *b);
}

/* Keeps @file open. A copy of a file (probe/outside.h) takes memory, as it can still be sealed. */
static int file_keep(struct symbols *symbols, const struct sections *file)
{
	int seals = fcntl(file->fd, F_GET_SEALS);
	uint64_t bytes = 0;
	struct stat st;

	if (seals >= 0 && !(seals & F_SEAL_SEAL) && !fstat(file->fd, &st))
		bytes = (uint64_t)st.st_blocks * 512;
	if (!budget_take(symbols->budget, bytes))
		return -ENOSPC;
	symbols->taken += bytes;
	symbols->file =
		(struct sections){ .fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0), .size = file->size };
	return symbols->file.fd < 0 ? -errno : 0;
}

/*
 * Reads the first symbol table of @type. Returns 0, also if there is none, or it is not sound or
 * has no functions; or -ENOSPC, -EMFILE or -ENOMEM.
 */
static int table_read(const struct sections *file, uint32_t type, const struct segments *segments,
		      struct symbols *symbols)
{
	struct reading reading = { symbols, segments };
	struct symtab source;
	int err;

	if (symtab_find(file, type, &source))
		return 0;
	symbols->at = source.at;
	symbols->names = source.names;
	symbols->names_size = source.names_size;
	err = symtab_each(&source, function_take, &reading);
	if (err == -EBADMSG)
		symbols->count = 0;
	else if (!err && symbols->count)
		err = numbers_resize(symbols, symbols->count);
	if (err || !symbols->count)
		return err == -EBADMSG ? 0 : err;
	qsort(symbols->numbers, symbols->count, sizeof(*symbols->numbers), number_compare);
	return file_keep(symbols, file);
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

int symbols_read(int fd, int debug_fd, struct budget *budget, struct symbols **result)
{
	struct segments segments;
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
	symbols->budget = budget;
	symbols->file.fd = -1;
	segments_read(&file, &segments);
	err = table_read(&file, SHT_SYMTAB, &segments, symbols);
	if (!err && !symbols->count)
		err = debug_file_read(debug_fd, &segments, symbols);
	if (!err && !symbols->count)
		err = table_read(&file, SHT_DYNSYM, &segments, symbols);
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
	if (symbols->file.fd >= 0)
		close(symbols->file.fd);
	budget_give(symbols->budget, symbols->taken);
	free(symbols->numbers);
	free(symbols);
}

/* ---- look-up ---- */

/* How many functions begin at @offset or before. */
static size_t functions_up_to(const struct symbols *symbols, uint64_t offset)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (symbols->numbers[mid] >> (INDEX_BITS + 1) <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The symbol's name, in symbols->name; NULL: it cannot be read any more. */
static const char *name_read(struct symbols *symbols, const Elf64_Sym *symbol)
{
	size_t sizes[] = { 256, sizeof(symbols->name) - 1 }, n, i;

	for (i = 0; i < 2; i++) {
		uint64_t left = symbol->st_name < symbols->names_size ?
					symbols->names_size - symbol->st_name :
					0;

		n = sections_read(&symbols->file, symbols->names + symbol->st_name, symbols->name,
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
	size_t upto = functions_up_to(symbols, offset);
	uint64_t start, number;
	Elf64_Sym symbol;

	if (!upto)
		return NULL;
	number = symbols->numbers[upto - 1] & ((1ull << INDEX_BITS) - 1);
	start = symbols->numbers[upto - 1] >> (INDEX_BITS + 1);
	if (sections_read(&symbols->file, symbols->at + number * sizeof(symbol), &symbol,
			  sizeof(symbol)) != sizeof(symbol) ||
	    (symbol.st_size && offset - start >= symbol.st_size))
		return NULL;
	*distance = offset - start;
	return name_read(symbols, &symbol);
}
