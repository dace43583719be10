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
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include "names/sections.h"
#include "util/starter.h"
#include "util/util.h"

/* ---- debug files ---- */

/*
 * A watched program may have made both the files and the folders on the way: names are cut to their
 * last component, links inside a root are followed inside it (openat2), and only regular files are
 * read.
 */

/* bytes that are checksummed for one file: a larger debug file is accepted by build id only */
#define CRC_MAX       (256ll << 20)
#define LINK_MAX_SIZE 8192 /* bytes of .gnu_debuglink */
#define DEBUG_DIR     "/usr/lib/debug"

static void link_section_read(const struct sections *file, struct debug_link *link)
{
	const Elf64_Shdr *section = sections_of_name(file, ".gnu_debuglink");
	char data[LINK_MAX_SIZE];
	const char *name;
	size_t size, len, at;

	if (!section || section->sh_type == SHT_NOBITS || section->sh_size > sizeof(data))
		return;
	size = sections_read(file, section->sh_offset, data, (size_t)section->sh_size);
	len = strnlen(data, size);
	/* The name, its NUL, up to a multiple of four: the checksum */
	at = (len + 4) & ~(size_t)3;
	if (len == size || at + 4 > size)
		return;
	name = path_base(data);
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..") ||
	    strlen(name) >= sizeof(link->name))
		return;
	strcpy(link->name, name);
	memcpy(&link->crc, data + at, 4);
}

int debug_link_read(int fd, struct debug_link *link)
{
	struct sections file;

	memset(link, 0, sizeof(*link));
	if (sections_open(&file, fd))
		return -ENOENT;
	link->build_id_len = build_id_find(&file, link->build_id);
	link_section_read(&file, link);
	sections_close(&file);
	return link->build_id_len || link->name[0] ? 0 : -ENOENT;
}

/* Opens the regular file @path as if @root were "/". */
static int open_below(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (folder < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS && !strcmp(root, "/")) /* Linux before 5.6 */
		fd = open(path, O_PATH | O_CLOEXEC);
	close(folder);
	if (fd >= 0)
		fd = file_reopen_regular(fd);
	return fd < 0 ? -ENOENT : fd;
}

/* What is searched for, and how many bytes may still be checksummed. */
struct search {
	const struct stat *of;
	const struct debug_link *link;
	off_t crc_left;
};

static bool has_crc(struct search *search, int fd)
{
	enum { CHUNK = 1 << 16 };
	uLong crc = 0;
	struct stat st;
	off_t at = 0;
	uint8_t *chunk;
	ssize_t n;

	if (fstat(fd, &st) || st.st_size > search->crc_left)
		return false;
	search->crc_left -= st.st_size;
	chunk = malloc(CHUNK);
	if (!chunk)
		return false;
	while (at < st.st_size && (n = pread(fd, chunk, CHUNK, at)) > 0) {
		crc = crc32(crc, chunk, (uInt)n);
		at += n;
	}
	free(chunk);
	return at == st.st_size && crc == search->link->crc;
}

/* True if the file open at @fd is the debug file that is searched for. */
static bool is_debug_file(struct search *search, int fd)
{
	const struct debug_link *link = search->link;
	struct debug_link found;

	debug_link_read(fd, &found);
	if (link->build_id_len && found.build_id_len)
		return found.build_id_len == link->build_id_len &&
		       !memcmp(found.build_id, link->build_id, link->build_id_len);
	return link->name[0] && has_crc(search, fd);
}

static bool is_same_file(const struct stat *of, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && file_is_same(of, &st);
}

static int candidate_open(struct search *search, const char *root, const char *path)
{
	int found = open_below(root, path);

	if (found < 0)
		return found;
	if (!is_same_file(search->of, found) && is_debug_file(search, found))
		return found;
	close(found);
	return -ENOENT;
}

static int by_build_id(struct search *search, const char *root)
{
	const struct debug_link *link = search->link;
	char path[sizeof(DEBUG_DIR) + 2 * BUILD_ID_MAX + 32];
	size_t i;
	int len;

	if (!link->build_id_len)
		return -ENOENT;
	len = snprintf(path, sizeof(path), DEBUG_DIR "/.build-id/%02x/", link->build_id[0]);
	for (i = 1; i < link->build_id_len; i++)
		len += snprintf(path + len, sizeof(path) - (size_t)len, "%02x", link->build_id[i]);
	snprintf(path + len, sizeof(path) - (size_t)len, ".debug");
	return candidate_open(search, root, path);
}

static int by_name(struct search *search, const char *root, const char *path)
{
	const struct debug_link *link = search->link;
	static const char *const places[][2] = { { "", "/" },
						 { "", "/.debug/" },
						 { DEBUG_DIR, "/" } };
	const char *slash = path ? strrchr(path, '/') : NULL;
	char place[4096 + 300];
	int found = -ENOENT;
	size_t i;

	if (!link->name[0] || !slash || slash - path > 4000)
		return -ENOENT;
	for (i = 0; i < 3 && found < 0; i++) {
		snprintf(place, sizeof(place), "%s%.*s%s%s", places[i][0], (int)(slash - path),
			 path, places[i][1], link->name);
		found = candidate_open(search, root, place);
	}
	return found;
}

static int debug_file_find(const struct stat *of, const struct debug_link *link,
			   const char *const *roots, const char *path)
{
	struct search search = { .of = of, .link = link, .crc_left = CRC_MAX };
	int found = -ENOENT;

	for (; *roots && found < 0; roots++) {
		found = by_build_id(&search, *roots);
		if (found < 0)
			found = by_name(&search, *roots, path);
	}
	return found;
}

int debug_file_open(const struct stat *of, const struct debug_link *link, const char *const *roots,
		    const char *path)
{
	uint32_t kept;
	int found;

	/*
	 * A file names its own debug file, and the user who started cutop may have made that file:
	 * read with that user's rights.
	 */
	if (starter_begin(&kept))
		return -ENOENT;
	found = debug_file_find(of, link, roots, path);
	starter_end(kept);
	return found;
}

/* ---- symbols ---- */

/* Bytes read of a name: as much as is demangled, and more than is shown */
#define NAME_LEN_MAX 16384u

/* A function's number: from its highest bits on offset, whether it has a size, index */
#define INDEX_BITS  25
#define OFFSET_BITS (63 - INDEX_BITS)

#define ROOM_FIRST 1024 /* functions that there is room for at first */

struct symbols {
	uint64_t most, taken; /* bytes, for the numbers, and for a file that lies in memory */
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
	uint64_t taken =
		symbols->taken + room * sizeof(uint64_t) - symbols->room * sizeof(uint64_t);
	uint64_t *numbers;

	if (taken > symbols->most)
		return -ENOSPC;
	numbers = realloc(symbols->numbers, room * sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	symbols->taken = taken;
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
	symbols->taken += bytes;
	if (symbols->taken > symbols->most)
		return -ENOSPC;
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

int symbols_read(int fd, int debug_fd, uint64_t most, struct symbols **result)
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
	symbols->most = most;
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
	free(symbols->numbers);
	free(symbols);
}

uint64_t symbols_bytes(const struct symbols *symbols)
{
	return symbols->taken;
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
