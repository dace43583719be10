/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF files through libelf (names/elfopen.c). Names of the table
 * are looked up by binary search in a sorted index made per call; a symbol
 * table is read only if its string table mentions a prefix that matters.
 */
#include "probe/elffile.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "names/elfopen.h"

#define SECTION_MAX	(512u << 20)	/* bytes of a symbol or string table looked at */
#define NEEDED_MAX	1024
#define SEGMENTS_MAX	64		/* of code; one is usual */
#define NAME_MAX_LEN	256		/* longer than every name of the table */
#define FUNCTIONS_MAX	(64 * CALL_COUNT)	/* a file with more means no good */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#error "unknown machine"
#endif

struct name_index {
	uint16_t calls[CALL_COUNT];
};

static int index_compare(const void *a, const void *b)
{
	return strcmp(call_name(*(const uint16_t *)a), call_name(*(const uint16_t *)b));
}

static void index_build(struct name_index *index)
{
	unsigned int i;

	for (i = 0; i < CALL_COUNT; i++)
		index->calls[i] = (uint16_t)i;
	qsort(index->calls, CALL_COUNT, sizeof(index->calls[0]), index_compare);
}

static int index_find(const struct name_index *index, const char *name)
{
	size_t low = 0, high = CALL_COUNT;

	/* Every name of the table starts like this; most symbols of a program do not. */
	if (strncmp(name, "cu", 2) && strncmp(name, "__cu", 4))
		return -1;
	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = strcmp(name, call_name(index->calls[mid]));

		if (!order)
			return index->calls[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return -1;
}

int elffile_open(int fd, Elf **elf, struct reason *why)
{
	GElf_Ehdr ehdr;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return reason_set(why, -ENOEXEC, "libelf is too old");
	*elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!*elf)
		return reason_set(why, -EBADMSG, "cannot be read as an ELF file: %s", elf_errmsg(-1));
	if (elf_kind(*elf) != ELF_K_ELF) {
		elf_end(*elf);
		return reason_set(why, -ENOEXEC, "is not an ELF file");
	}
	if (!gelf_getehdr(*elf, &ehdr) || !elf_is_sane(*elf)) {
		elf_end(*elf);
		return reason_set(why, -EBADMSG, "is a broken ELF file: %s", elf_errmsg(-1));
	}
	if (gelf_getclass(*elf) != ELFCLASS64 || ehdr.e_machine != MACHINE ||
	    (ehdr.e_type != ET_DYN && ehdr.e_type != ET_EXEC)) {
		elf_end(*elf);
		return reason_set(why, -ENOEXEC, "is not a program or shared library of this machine's kind");
	}
	return 0;
}

struct segments {
	struct {
		uint64_t address, offset, size;
	} list[SEGMENTS_MAX];
	size_t count;
};

/* Where the code lies. */
static int segments_read(Elf *elf, struct segments *segments)
{
	GElf_Phdr phdr;
	size_t count, i;

	segments->count = 0;
	if (elf_getphdrnum(elf, &count))
		return -EBADMSG;
	for (i = 0; i < count && segments->count < SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr))
			return -EBADMSG;
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X))
			continue;
		segments->list[segments->count].address = phdr.p_vaddr;
		segments->list[segments->count].offset = phdr.p_offset;
		segments->list[segments->count++].size = phdr.p_filesz;
	}
	return 0;
}

/* Turns an address of the file's own view into an offset in the file; only code counts. */
static int code_offset(const struct segments *segments, uint64_t address, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < segments->count; i++)
		if (address >= segments->list[i].address &&
		    address - segments->list[i].address < segments->list[i].size) {
			*offset = address - segments->list[i].address + segments->list[i].offset;
			return 0;
		}
	return -ENOENT;
}

uint32_t elf_name_hash(const char *name, size_t len)
{
	uint32_t hash = 2166136261u;	/* FNV-1a, 32 bits */
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return hash;
}

static int functions_add(struct elf_functions *found, size_t *room, const struct elf_symbol *symbol, int call)
{
	struct elf_function *more;

	if (found->count == *room) {
		*room = *room ? *room * 2 : 128;
		more = realloc(found->list, *room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		found->list = more;
	}
	found->list[found->count++] = (struct elf_function){
		.offset = symbol->offset, .size = symbol->size < UINT32_MAX ? (uint32_t)symbol->size : UINT32_MAX,
		.name_hash = elf_name_hash(symbol->name, strlen(symbol->name)), .call = (uint16_t)call,
	};
	return 0;
}

/* Calls @visit for each function that the section, a symbol table, defines; not if its names lack what @search looks for. */
struct symbol_search {
	bool (*may_have)(const char *names, size_t size);	/* NULL: any */
	int (*visit)(void *context, const struct elf_symbol *symbol);
	void *context;
	bool labels;		/* symbols of every type, and those with a name that is too long */
};

/* True if the symbol's value is an address in the file's sections. */
static bool is_label(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx < SHN_LORESERVE && type != STT_TLS && type != STT_FILE && type != STT_SECTION;
}

/* NULL: there is none, or it is too long for any name that is looked for. */
static const char *name_at(const Elf_Data *names, size_t at)
{
	size_t left;

	if (at >= names->d_size)
		return NULL;
	left = names->d_size - at;
	return memchr((const char *)names->d_buf + at, 0, left < NAME_MAX_LEN ? left : NAME_MAX_LEN) ?
	       (const char *)names->d_buf + at : NULL;
}

static int section_symbols(Elf *elf, Elf_Scn *section, const struct segments *segments, const struct symbol_search *search)
{
	Elf_Scn *strings;
	GElf_Shdr shdr, str_shdr;
	Elf_Data *data, *names;
	size_t i, count;
	GElf_Sym sym;
	int err;

	if (!gelf_getshdr(section, &shdr) || shdr.sh_entsize != sizeof(Elf64_Sym) || shdr.sh_size > SECTION_MAX)
		return -EBADMSG;
	strings = elf_getscn(elf, shdr.sh_link);
	if (!strings || !gelf_getshdr(strings, &str_shdr) || str_shdr.sh_size > SECTION_MAX)
		return -EBADMSG;
	names = elf_getdata(strings, NULL);
	if (!names || !names->d_buf)
		return -EBADMSG;
	if (search->may_have && !search->may_have(names->d_buf, names->d_size))
		return 0;
	data = elf_getdata(section, NULL);
	if (!data || (data->d_size && !data->d_buf))
		return -EBADMSG;
	count = data->d_size / sizeof(Elf64_Sym);
	for (i = 0; i < count; i++) {
		struct elf_symbol symbol = { .name = NULL };

		if (!gelf_getsym(data, (int)i, &sym))
			return -EBADMSG;
		symbol.is_function = GELF_ST_TYPE(sym.st_info) == STT_FUNC;
		symbol.size = sym.st_size;
		if (!(symbol.is_function || (search->labels && is_label(&sym))) || sym.st_shndx == SHN_UNDEF || !sym.st_value)
			continue;
		symbol.name = name_at(names, sym.st_name);
		if (!symbol.name && !search->labels)
			continue;
		if (code_offset(segments, sym.st_value, &symbol.offset))
			continue;
		err = search->visit(search->context, &symbol);
		if (err)
			return err;
	}
	return 0;
}

/* The same for both symbol tables of the file open at @fd. */
static int file_symbols(int fd, const struct symbol_search *search, struct reason *why)
{
	Elf_Scn *section = NULL;
	struct segments segments;
	bool seen[2] = { false };
	GElf_Shdr shdr;
	Elf *elf;
	int err;

	err = elffile_open(fd, &elf, why);
	if (err)
		return err;
	err = segments_read(elf, &segments);
	while (!err && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &shdr)) {
			err = -EBADMSG;
			break;
		}
		if (shdr.sh_type != SHT_DYNSYM && shdr.sh_type != SHT_SYMTAB)
			continue;
		/* ELF allows one of each; a thousand are a way to keep us busy. */
		if (seen[shdr.sh_type == SHT_SYMTAB])
			continue;
		seen[shdr.sh_type == SHT_SYMTAB] = true;
		err = section_symbols(elf, section, &segments, search);
	}
	elf_end(elf);
	if (err < 0)
		reason_set(why, err, err == -ENOMEM ? "no memory" : "is a broken ELF file");
	return err;
}

int elffile_symbols(int fd, int (*visit)(void *context, const struct elf_symbol *symbol), void *context, struct reason *why)
{
	const struct symbol_search search = { .visit = visit, .context = context };

	return file_symbols(fd, &search, why);
}

int elffile_labels(int fd, int (*visit)(void *context, const struct elf_symbol *symbol), void *context, struct reason *why)
{
	const struct symbol_search search = { .visit = visit, .context = context, .labels = true };

	return file_symbols(fd, &search, why);
}

/* ---- the functions of the table ---- */

struct functions_search {
	struct name_index index;
	struct elf_functions *found;
	size_t room;
};

static bool may_have_functions(const char *names, size_t size)
{
	return memmem(names, size, "cuda", 4) || memmem(names, size, "cuMem", 5);
}

static int function_visit(void *context, const struct elf_symbol *symbol)
{
	struct functions_search *search = context;
	int call = index_find(&search->index, symbol->name);

	if (call < 0)
		return 0;
	if (search->found->count >= FUNCTIONS_MAX)
		return 1;
	return functions_add(search->found, &search->room, symbol, call);
}

static int function_compare(const void *a, const void *b)
{
	const struct elf_function *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (int)x->call - (int)y->call;
}

/* Of several sizes that the names of one place have, the least that says something. */
static void size_least(uint32_t *size, uint32_t other)
{
	if (other && (!*size || other < *size))
		*size = other;
}

/*
 * Keeps one name per offset: two probes at one place would count each call
 * twice. The further names go behind them, in the room of what is dropped.
 */
static int functions_unique(struct elf_functions *found)
{
	struct elf_function *aliases;
	int last = -1;		/* the name before, wherever it stood: .symtab repeats .dynsym */
	size_t i, kept = 0;

	if (!found->count)
		return 0;
	aliases = calloc(found->count, sizeof(*aliases));
	if (!aliases)
		return -ENOMEM;
	qsort(found->list, found->count, sizeof(found->list[0]), function_compare);
	for (i = 0; i < found->count; i++) {
		if (kept && found->list[kept - 1].offset == found->list[i].offset) {
			size_least(&found->list[kept - 1].size, found->list[i].size);
			if (last != found->list[i].call)
				aliases[found->aliases++] = found->list[i];
			last = found->list[i].call;
			continue;
		}
		last = found->list[i].call;
		found->list[kept++] = found->list[i];
	}
	memcpy(found->list + kept, aliases, found->aliases * sizeof(*aliases));
	found->count = kept;
	free(aliases);
	return 0;
}

int elffile_functions(int fd, struct elf_functions *found, struct reason *why)
{
	struct functions_search functions = { .found = found };
	const struct symbol_search search = { .may_have = may_have_functions, .visit = function_visit, .context = &functions };
	int err;

	memset(found, 0, sizeof(*found));
	index_build(&functions.index);
	err = file_symbols(fd, &search, why);
	if (err == 1 || (err == -EBADMSG && found->count)) {
		err = 0;	/* a broken further table does not take away what was found */
		if (why)
			why->text[0] = 0;
	}
	if (!err) {
		err = functions_unique(found);
		if (err)
			reason_set(why, err, "no memory");
	}
	if (err) {
		free(found->list);
		memset(found, 0, sizeof(*found));
	}
	return err;
}

static char *string_at(Elf_Data *names, uint64_t at)
{
	if (!names || !names->d_buf || at >= names->d_size ||
	    !memchr((char *)names->d_buf + at, 0, names->d_size - at))
		return NULL;
	return strdup((char *)names->d_buf + at);
}

static int dynamic_read(Elf *elf, Elf_Scn *section, struct elf_needs *needs)
{
	Elf_Data *data, *names = NULL;
	Elf_Scn *strings;
	GElf_Shdr shdr;
	size_t i, count;
	GElf_Dyn dyn;
	char *name;

	if (!gelf_getshdr(section, &shdr) || shdr.sh_size > SECTION_MAX)
		return -EBADMSG;
	data = elf_getdata(section, NULL);
	strings = elf_getscn(elf, shdr.sh_link);
	if (strings && gelf_getshdr(strings, &shdr) && shdr.sh_size <= SECTION_MAX)
		names = elf_getdata(strings, NULL);
	if (!data || !names)
		return -EBADMSG;
	count = data->d_size / sizeof(Elf64_Dyn);
	for (i = 0; i < count && gelf_getdyn(data, (int)i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag != DT_NEEDED && dyn.d_tag != DT_RPATH && dyn.d_tag != DT_RUNPATH)
			continue;
		name = string_at(names, dyn.d_un.d_val);
		if (!name)
			continue;
		if (dyn.d_tag == DT_RPATH && !needs->rpath) {
			needs->rpath = name;
		} else if (dyn.d_tag == DT_RUNPATH && !needs->runpath) {
			needs->runpath = name;
		} else if (dyn.d_tag == DT_NEEDED && needs->count < NEEDED_MAX) {
			char **more = realloc(needs->needed, (needs->count + 1) * sizeof(*more));

			if (!more) {
				free(name);
				return -ENOMEM;
			}
			needs->needed = more;
			needs->needed[needs->count++] = name;
		} else {
			free(name);
		}
	}
	return 0;
}

int elffile_needs(int fd, struct elf_needs *needs, struct reason *why)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	GElf_Phdr phdr;
	size_t count, i;
	Elf *elf;
	int err;

	memset(needs, 0, sizeof(*needs));
	err = elffile_open(fd, &elf, why);
	if (err)
		return err;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &shdr) && shdr.sh_type == SHT_DYNAMIC) {
			err = dynamic_read(elf, section, needs);
			break;
		}
	if (!err && !elf_getphdrnum(elf, &count)) {
		for (i = 0; i < count; i++) {
			char path[4096];
			ssize_t n;

			if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_INTERP ||
			    phdr.p_filesz >= sizeof(path))
				continue;
			n = pread(fd, path, phdr.p_filesz, (off_t)phdr.p_offset);
			if (n > 0) {
				path[n] = 0;
				needs->interpreter = strdup(path);
			}
			break;
		}
	}
	elf_end(elf);
	if (err) {
		elffile_needs_free(needs);
		return reason_set(why, err, err == -ENOMEM ? "no memory" : "is a broken ELF file");
	}
	return 0;
}

void elffile_needs_free(struct elf_needs *needs)
{
	size_t i;

	for (i = 0; i < needs->count; i++)
		free(needs->needed[i]);
	free(needs->needed);
	free(needs->rpath);
	free(needs->runpath);
	free(needs->interpreter);
	memset(needs, 0, sizeof(*needs));
}
