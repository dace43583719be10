/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libelf reads a section whole when one byte of it is asked for, and allocates memory for every
 * section that the ELF header claims: that is fine for trusted files. Here the number of headers is
 * bounded, and everything else is read with pread(2) when it is needed.
 */
#include "names/sections.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADERS_MAX  65536u      /* sections, or segments: plain ELF numbers end at 65,279 */
#define NAMES_MAX    (16u << 20) /* bytes of the names of sections */
#define NAME_LEN_MAX 64          /* longer than any name that is searched for */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_HERE ELFDATA2LSB
#else
#define BYTE_ORDER_HERE ELFDATA2MSB
#endif

/* ---- bytes ---- */

size_t sections_read(const struct sections *file, uint64_t offset, void *out, size_t len)
{
	size_t done = 0;
	ssize_t n;

	if (offset >= file->size)
		return 0;
	if (len > file->size - offset)
		len = (size_t)(file->size - offset);
	while (done < len) {
		n = pread(file->fd, (char *)out + done, len - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break; /* the file has become shorter */
		done += (size_t)n;
	}
	return done;
}

uint64_t sections_data(const struct sections *file, uint64_t offset, uint64_t end)
{
	off_t data;

	if (offset >= end)
		return end;
	data = lseek(file->fd, (off_t)offset, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? end : offset;
	return (uint64_t)data < end ? (uint64_t)data : end;
}

int sections_hold(const struct sections *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

long sections_text(const struct sections *file, uint64_t names, uint64_t names_size, uint64_t at,
		   char *out, size_t size)
{
	size_t n;
	char *end;

	if (at >= names_size || !sections_hold(file, names, names_size))
		return -1;
	if (size > names_size - at)
		size = (size_t)(names_size - at);
	n = sections_read(file, names + at, out, size);
	end = memchr(out, 0, n);
	return end ? end - out : -1;
}

/* ---- headers ---- */

/*
 * Reads @count headers of @size bytes each at @offset into new memory. Returns NULL with *@err set.
 */
static void *headers_read(const struct sections *file, uint64_t offset, size_t count, size_t size,
			  int *err)
{
	void *list;

	if (count > HEADERS_MAX || !sections_hold(file, offset, count * size)) {
		*err = -EBADMSG;
		return NULL;
	}
	list = malloc(count * size + 1);
	if (!list) {
		*err = -ENOMEM;
	} else if (sections_read(file, offset, list, count * size) != count * size) {
		*err = -EBADMSG;
		free(list);
		list = NULL;
	}
	return list;
}

static int ehdr_read(struct sections *file)
{
	Elf64_Ehdr *ehdr = &file->ehdr;

	if (sections_read(file, 0, ehdr, sizeof(*ehdr)) < sizeof(*ehdr) ||
	    memcmp(ehdr->e_ident, ELFMAG, SELFMAG) || ehdr->e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr->e_ident[EI_DATA] != BYTE_ORDER_HERE)
		return -ENOEXEC;
	if (ehdr->e_version != EV_CURRENT ||
	    (ehdr->e_shoff && ehdr->e_shentsize != sizeof(Elf64_Shdr)) ||
	    (ehdr->e_phoff && ehdr->e_phentsize != sizeof(Elf64_Phdr)))
		return -EBADMSG;
	return 0;
}

/*
 * How many headers there are. Numbers too large for the ELF header are in the first section header.
 */
static int counts_read(struct sections *file, size_t *count, size_t *segments, size_t *names)
{
	const Elf64_Ehdr *ehdr = &file->ehdr;
	Elf64_Shdr first = { 0 };

	*count = ehdr->e_shnum;
	*segments = ehdr->e_phnum;
	*names = ehdr->e_shstrndx;
	if (ehdr->e_shoff &&
	    (!ehdr->e_shnum || ehdr->e_phnum == PN_XNUM || ehdr->e_shstrndx == SHN_XINDEX)) {
		if (sections_read(file, ehdr->e_shoff, &first, sizeof(first)) != sizeof(first))
			return -EBADMSG;
		if (!ehdr->e_shnum)
			*count = first.sh_size < SIZE_MAX ? (size_t)first.sh_size : SIZE_MAX;
		if (ehdr->e_phnum == PN_XNUM)
			*segments = first.sh_info;
		if (ehdr->e_shstrndx == SHN_XINDEX)
			*names = first.sh_link;
	}
	if (!ehdr->e_shoff)
		*count = 0;
	if (!ehdr->e_phoff)
		*segments = 0;
	return 0;
}

static int file_open(struct sections *file)
{
	size_t names;
	int err = ehdr_read(file);

	if (!err)
		err = counts_read(file, &file->count, &file->segment_count, &names);
	if (err)
		return err;
	file->list = headers_read(file, file->ehdr.e_shoff, file->count, sizeof(*file->list), &err);
	if (file->list)
		file->segments = headers_read(file, file->ehdr.e_phoff, file->segment_count,
					      sizeof(*file->segments), &err);
	if (file->segments && names && names < file->count) {
		file->names = file->list[names].sh_offset;
		file->names_size = file->list[names].sh_size;
		if (file->names_size > NAMES_MAX)
			err = -EBADMSG;
	}
	if (err)
		sections_close(file);
	return err;
}

int sections_open(struct sections *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -EBADMSG;
	*file = (struct sections){ .fd = fd, .size = st.st_size > 0 ? (uint64_t)st.st_size : 0 };
	return file_open(file);
}

void sections_close(struct sections *file)
{
	free(file->list);
	free(file->segments);
	file->list = NULL;
	file->segments = NULL;
}

/* ---- sections ---- */

const char *sections_name(const struct sections *file, const Elf64_Shdr *section, char *out,
			  size_t size)
{
	if (sections_text(file, file->names, file->names_size, section->sh_name, out, size) < 0)
		*out = 0;
	return out;
}

const Elf64_Shdr *sections_of_type(const struct sections *file, uint32_t type)
{
	size_t i;

	for (i = 0; i < file->count; i++)
		if (file->list[i].sh_type == type)
			return &file->list[i];
	return NULL;
}

const Elf64_Shdr *sections_of_name(const struct sections *file, const char *name)
{
	char text[NAME_LEN_MAX];
	size_t i;

	for (i = 0; i < file->count; i++)
		if (!strcmp(sections_name(file, &file->list[i], text, sizeof(text)), name))
			return &file->list[i];
	return NULL;
}

const Elf64_Shdr *sections_link(const struct sections *file, const Elf64_Shdr *section)
{
	const Elf64_Shdr *linked = section->sh_link < file->count ? &file->list[section->sh_link] :
								    NULL;

	return linked && linked->sh_type != SHT_NOBITS &&
			       sections_hold(file, linked->sh_offset, linked->sh_size) ?
		       linked :
		       NULL;
}

/* ---- segments ---- */

/* Program headers: which parts of the file are loaded as code, and where. */

void segments_read(const struct sections *file, struct segments *segments)
{
	size_t i;

	segments->count = 0;
	for (i = 0; i < file->segment_count && segments->count < CODE_SEGMENTS_MAX; i++) {
		const Elf64_Phdr *phdr = &file->segments[i];

		if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X))
			continue;
		segments->list[segments->count].address = phdr->p_vaddr;
		segments->list[segments->count].offset = phdr->p_offset;
		segments->list[segments->count++].size = phdr->p_filesz;
	}
}

int segments_offset(const struct segments *segments, uint64_t address, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < segments->count; i++) {
		if (address < segments->list[i].address ||
		    address - segments->list[i].address >= segments->list[i].size)
			continue;
		*offset = address - segments->list[i].address + segments->list[i].offset;
		return 0;
	}
	return -ENOENT;
}

int segments_address(const struct segments *segments, uint64_t offset, uint64_t *address)
{
	size_t i;

	for (i = 0; i < segments->count; i++) {
		if (offset < segments->list[i].offset ||
		    offset - segments->list[i].offset >= segments->list[i].size)
			continue;
		*address = offset - segments->list[i].offset + segments->list[i].address;
		return 0;
	}
	return -ENOENT;
}

/* ---- symbol tables ---- */

/*
 * Where a search says which names it is for, the texts are gone through first, for those that end as
 * one of these names does. (Linkers let a name begin within another one that ends in it.) Then the
 * symbols are gone through, and of names only those are read that lie in such a text. A place is kept
 * as one bit, which it shares with others: a name too many is read now and then.
 * Both tables are bounded, and what is read of names again (WORK_MAX). Holes cost nothing: they contain no names and no
 * functions.
 */

#define TABLE_MAX    (512u << 20) /* bytes of either table that are accepted */
#define WORK_MAX     (2ull << 30) /* bytes of names that one visit reads: a second at most */
#define CHUNK        4096u        /* symbols that are read at a time */
#define PIECE        (1u << 18)   /* bytes of names that are searched at a time */
#define NAMES_AHEAD  2048u /* bytes read for a name: linkers put the next symbol's behind it */
#define NAME_MAX_MAX 65536u
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

int sections_symbols(const struct sections *file, uint32_t type, const struct symtab_search *search)
{
	struct symtab table;
	int err = symtab_find(file, type, &table);

	if (err)
		return err == -ENOENT ? 0 : err;
	return symtab_visit(&table, search);
}

/* ---- symbols with given names ---- */

struct name_number {
	const char *name;
	size_t number;
};

struct find {
	struct name_number *names; /* sorted */
	size_t count;
	int (*visit)(void *context, const Elf64_Sym *symbol, size_t name);
	void *context;
};

static int name_compare(const void *left, const void *right)
{
	const struct name_number *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static enum symtab_want find_want(void *context, const Elf64_Sym *symbol)
{
	(void)context;
	return symbol->st_shndx != SHN_UNDEF && symbol->st_value ? SYMTAB_NAMED : SYMTAB_LEAVE;
}

static int find_visit(void *context, const Elf64_Sym *symbol, const char *name, size_t len)
{
	const struct find *find = context;
	const struct name_number key = { .name = name }, *found;

	/* A longer one is cut, and has no end. */
	if (len > NAME_LONGEST)
		return 0;
	found = bsearch(&key, find->names, find->count, sizeof(key), name_compare);
	return found ? find->visit(find->context, symbol, found->number) : 0;
}

int sections_find(const struct sections *file, uint32_t type, const char *const *names,
		  size_t count, int (*visit)(void *context, const Elf64_Sym *symbol, size_t name),
		  void *context)
{
	struct find find = { calloc(count, sizeof(*find.names)), count, visit, context };
	const struct symtab_search search = {
		.names = names,
		.name_count = count,
		.want = find_want,
		.visit = find_visit,
		.context = &find,
		.name_max = NAME_LONGEST + 1,
	};
	size_t i;
	int err;

	if (!find.names)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		find.names[i] = (struct name_number){ names[i], i };
	qsort(find.names, count, sizeof(*find.names), name_compare);
	err = sections_symbols(file, type, &search);
	free(find.names);
	return err;
}

/* ---- build ids ---- */

/*
 * A note is a header of three numbers, the owner's name, and a description, each padded to the
 * notes' alignment.
 */

#define NOTES_MAX 65536u /* bytes that are read of a segment or section of notes */
#define PARTS_MAX 64     /* such segments or sections that are read of a file */

struct search {
	const struct sections *file;
	unsigned char *id;
	size_t len;
	unsigned int parts;
};

static size_t filled(size_t size, size_t align)
{
	return (size + align - 1) & ~(align - 1);
}

static bool notes_search(struct search *search, const unsigned char *notes, size_t size,
			 size_t align)
{
	size_t at = 0, name, desc;
	Elf64_Nhdr note;

	while (size - at >= sizeof(note)) {
		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > size - name)
			return false;
		desc = filled(name + note.n_namesz, align);
		if (desc > size || note.n_descsz > size - desc)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) && note.n_descsz >= 2 &&
		    note.n_descsz <= BUILD_ID_MAX) {
			search->len = note.n_descsz;
			memcpy(search->id, notes + desc, search->len);
			return true;
		}
		at = filled(desc + note.n_descsz, align);
		if (at > size)
			return false;
	}
	return false;
}

static bool part_search(struct search *search, uint64_t offset, uint64_t size, uint64_t align)
{
	unsigned char *notes;
	bool found;
	size_t n;

	if (!size || size > NOTES_MAX || search->parts++ >= PARTS_MAX)
		return false;
	notes = malloc((size_t)size);
	if (!notes)
		return false;
	n = sections_read(search->file, offset, notes, (size_t)size);
	found = notes_search(search, notes, n, align == 8 ? 8 : 4);
	free(notes);
	return found;
}

size_t build_id_find(const struct sections *file, unsigned char id[BUILD_ID_MAX])
{
	struct search search = { .file = file, .id = id };
	bool found = false;
	size_t i;

	for (i = 0; i < file->segment_count && !found; i++)
		if (file->segments[i].p_type == PT_NOTE)
			found = part_search(&search, file->segments[i].p_offset,
					    file->segments[i].p_filesz, file->segments[i].p_align);
	/* A debug file may have kept only the section. */
	for (i = 0; i < file->count && !found; i++)
		if (file->list[i].sh_type == SHT_NOTE)
			found = part_search(&search, file->list[i].sh_offset, file->list[i].sh_size,
					    file->list[i].sh_addralign);
	return search.len;
}
