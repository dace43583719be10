/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the table of hooked functions are looked up by binary search in a
 * sorted index made per call.
 */
#include "probe/elffile.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "names/sections.h"

#define SECTION_MAX   (512u << 20) /* bytes of a string table that are accepted */
#define DYNAMIC_MAX   (1u << 20)   /* bytes of the dynamic section looked at */
#define DYNAMIC_CHUNK 256
#define NEEDED_MAX    1024
#define NAME_MAX_LEN  256               /* longer than every name of the table */
#define FUNCTIONS_MAX (64 * CALL_COUNT) /* a file with more is hostile */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#error "unknown machine"
#endif

struct name_index {
	uint16_t calls[CALL_COUNT]; /* by name */
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

int elffile_open(int fd, struct sections *file, struct reason *why)
{
	int err = sections_open(file, fd);

	if (err == -ENOEXEC && memcmp(file->ehdr.e_ident, ELFMAG, SELFMAG))
		return reason_set(why, err, "is not an ELF file");
	if (err && err != -ENOEXEC)
		return reason_set(why, err, err == -ENOMEM ? "no memory" : "is a broken ELF file");
	if (!err && file->ehdr.e_machine == MACHINE &&
	    (file->ehdr.e_type == ET_DYN || file->ehdr.e_type == ET_EXEC))
		return 0;
	if (!err)
		sections_close(file);
	return reason_set(why, -ENOEXEC,
			  "is not a program or shared library of this machine's kind");
}

uint32_t elf_name_hash(const char *name, size_t len)
{
	uint32_t hash = 2166136261u; /* FNV-1a, 32 bits */
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return hash;
}

static int functions_add(struct elf_functions *found, size_t *room, const struct elf_symbol *symbol,
			 int call)
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
		.offset = symbol->offset,
		.size = symbol->size < UINT32_MAX ? (uint32_t)symbol->size : UINT32_MAX,
		.name_hash = elf_name_hash(symbol->name, strlen(symbol->name)),
		.call = (uint16_t)call,
	};
	return 0;
}

/* What is looked for in a file's symbol tables. */
struct symbol_search {
	/* Of struct symtab_search */
	const char *const *names;
	size_t name_count;
	int (*visit)(void *context, const struct elf_symbol *symbol);
	/* NULL: report functions; else symbols of every type, with a name if this says so */
	bool (*label_wants_name)(void *context, const struct elf_symbol *symbol);
	void *context;
	const struct segments *segments;
};

/* True if the symbol's value is an address in the file's sections. */
static bool is_label(const Elf64_Sym *sym)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	return sym->st_shndx < SHN_LORESERVE && type != STT_TLS && type != STT_FILE &&
	       type != STT_SECTION;
}

/* All but the name. Returns false if it is not in code. */
static bool symbol_make(const struct symbol_search *search, const Elf64_Sym *sym,
			struct elf_symbol *symbol)
{
	*symbol = (struct elf_symbol){
		.size = sym->st_size,
		.is_function = ELF64_ST_TYPE(sym->st_info) == STT_FUNC,
		.is_local = ELF64_ST_BIND(sym->st_info) == STB_LOCAL,
	};
	return !segments_offset(search->segments, sym->st_value, &symbol->offset);
}

static enum symtab_want symbol_want(void *context, const Elf64_Sym *sym)
{
	const struct symbol_search *search = context;
	bool labels = search->label_wants_name;
	struct elf_symbol symbol;

	if ((ELF64_ST_TYPE(sym->st_info) != STT_FUNC && !(labels && is_label(sym))) ||
	    sym->st_shndx == SHN_UNDEF || !sym->st_value || !symbol_make(search, sym, &symbol))
		return SYMTAB_LEAVE;
	return !labels || search->label_wants_name(search->context, &symbol) ? SYMTAB_NAMED :
									       SYMTAB_UNNAMED;
}

static int symbol_visit(void *context, const Elf64_Sym *sym, const char *name, size_t len)
{
	const struct symbol_search *search = context;
	struct elf_symbol symbol;

	symbol_make(search, sym, &symbol);
	symbol.name = len < NAME_MAX_LEN ? name : NULL;
	if (!symbol.name && !search->label_wants_name)
		return 0;
	return search->visit(search->context, &symbol);
}

static int table_symbols(const struct sections *file, uint32_t type, struct symbol_search *search)
{
	const struct symtab_search visit = {
		.names = search->names,
		.name_count = search->name_count,
		.want = symbol_want,
		.visit = symbol_visit,
		.context = search,
		.name_max = NAME_MAX_LEN,
	};
	struct symtab table;
	int err = symtab_find(file, type, &table);

	if (err)
		return err == -ENOENT ? 0 : err;
	return symtab_visit(&table, &visit);
}

/*
 * Searches both symbol tables of the file open at @fd. ELF allows one of each kind; a file with a
 * thousand wants to keep us busy, so only the first of each counts.
 */
static int file_symbols(int fd, struct symbol_search search, struct reason *why)
{
	struct segments segments;
	struct sections file;
	int err;

	err = elffile_open(fd, &file, why);
	if (err)
		return err;
	segments_read(&file, &segments);
	search.segments = &segments;
	err = table_symbols(&file, SHT_DYNSYM, &search);
	if (!err)
		err = table_symbols(&file, SHT_SYMTAB, &search);
	sections_close(&file);
	if (err == -E2BIG)
		err = reason_set(why, -EBADMSG, "has symbol tables that take too long to read");
	else if (err < 0)
		reason_set(why, err, err == -ENOMEM ? "no memory" : "is a broken ELF file");
	return err;
}

int elffile_symbols(int fd, int (*visit)(void *context, const struct elf_symbol *symbol),
		    void *context, struct reason *why)
{
	return file_symbols(fd, (struct symbol_search){ .visit = visit, .context = context }, why);
}

int elffile_labels(int fd, bool (*wants_name)(void *context, const struct elf_symbol *symbol),
		   int (*visit)(void *context, const struct elf_symbol *symbol), void *context,
		   struct reason *why)
{
	return file_symbols(fd,
			    (struct symbol_search){ .visit = visit,
						    .label_wants_name = wants_name,
						    .context = context },
			    why);
}

/* ---- the functions of the table ---- */

struct functions_search {
	struct name_index index;
	struct elf_functions *found;
	size_t room;
};

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

/* If one place has several names with different sizes, use the smallest that is not 0. */
static void size_least(uint32_t *size, uint32_t other)
{
	if (other && (!*size || other < *size))
		*size = other;
}

/*
 * Keeps one name per offset: two probes at one place would count each call twice. Further names go
 * behind the list, in the room of the dropped entries.
 */
static int functions_unique(struct elf_functions *found)
{
	struct elf_function *aliases;
	int last = -1; /* the name before, in whichever table: .symtab repeats .dynsym */
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
	const struct symbol_search search = { .names = call_names,
					      .name_count = CALL_COUNT,
					      .visit = function_visit,
					      .context = &functions };
	int err;

	memset(found, 0, sizeof(*found));
	index_build(&functions.index);
	err = file_symbols(fd, search, why);
	if (err == 1 || (err == -EBADMSG && found->count)) {
		err = 0; /* a broken further table does not take away what was found */
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

/* ---- what the loader is told ---- */

int elffile_dynamic(const struct sections *file,
		    int (*visit)(void *context, const Elf64_Dyn *entry, const char *text),
		    void *context)
{
	const Elf64_Shdr *dynamic = sections_of_type(file, SHT_DYNAMIC),
			 *names = dynamic ? sections_link(file, dynamic) : NULL;
	Elf64_Dyn entries[DYNAMIC_CHUNK];
	char text[PATH_MAX];
	uint64_t at, end;
	size_t i, n;
	int err = 0;

	if (!dynamic)
		return 0;
	if (!names || names->sh_size > SECTION_MAX ||
	    !sections_hold(file, dynamic->sh_offset, dynamic->sh_size))
		return -EBADMSG;
	at = dynamic->sh_offset;
	end = at + (dynamic->sh_size < DYNAMIC_MAX ? dynamic->sh_size : DYNAMIC_MAX);
	for (; !err && end - at >= sizeof(*entries); at += n * sizeof(*entries)) {
		n = (size_t)(end - at) / sizeof(*entries);
		n = sections_read(file, at, entries,
				  (n < DYNAMIC_CHUNK ? n : DYNAMIC_CHUNK) * sizeof(*entries)) /
		    sizeof(*entries);
		if (!n)
			return -EBADMSG;
		for (i = 0; i < n && !err; i++) {
			if (entries[i].d_tag == DT_NULL)
				return 0;
			if (entries[i].d_tag != DT_NEEDED && entries[i].d_tag != DT_RPATH &&
			    entries[i].d_tag != DT_RUNPATH && entries[i].d_tag != DT_SONAME)
				continue;
			if (sections_text(file, names->sh_offset, names->sh_size,
					  entries[i].d_un.d_val, text, sizeof(text)) >= 0)
				err = visit(context, &entries[i], text);
		}
	}
	return err;
}

static int needs_visit(void *context, const Elf64_Dyn *entry, const char *text)
{
	struct elf_needs *needs = context;
	char **place = NULL, **more;

	if (entry->d_tag == DT_RPATH && !needs->rpath)
		place = &needs->rpath;
	else if (entry->d_tag == DT_RUNPATH && !needs->runpath)
		place = &needs->runpath;
	if (entry->d_tag == DT_NEEDED && needs->count < NEEDED_MAX) {
		more = realloc(needs->needed, (needs->count + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		needs->needed = more;
		place = &more[needs->count++];
	}
	if (!place)
		return 0;
	*place = strdup(text);
	return *place ? 0 : -ENOMEM;
}

static char *interpreter_read(const struct sections *file)
{
	char path[PATH_MAX];
	size_t i, n;

	for (i = 0; i < file->segment_count; i++) {
		const Elf64_Phdr *phdr = &file->segments[i];

		if (phdr->p_type != PT_INTERP || phdr->p_filesz >= sizeof(path))
			continue;
		n = sections_read(file, phdr->p_offset, path, (size_t)phdr->p_filesz);
		path[n] = 0;
		return n ? strdup(path) : NULL;
	}
	return NULL;
}

int elffile_needs(int fd, struct elf_needs *needs, struct reason *why)
{
	struct sections file;
	int err;

	memset(needs, 0, sizeof(*needs));
	err = elffile_open(fd, &file, why);
	if (err)
		return err;
	err = elffile_dynamic(&file, needs_visit, needs);
	if (!err)
		needs->interpreter = interpreter_read(&file);
	sections_close(&file);
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
