/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/elffile.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "names/sections.h"
#include "util/utf8.h"

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

static int functions_add(struct elf_functions *found, size_t *room, const Elf64_Sym *symbol,
			 uint64_t offset, size_t call)
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
		.offset = offset,
		.size = symbol->st_size < UINT32_MAX ? (uint32_t)symbol->st_size : UINT32_MAX,
		.name_hash = elf_name_hash(call_names[call], strlen(call_names[call])),
		.call = (uint16_t)call,
	};
	return 0;
}

int elf_functions_append(struct elf_functions *functions, const struct elf_function *more,
			 size_t count)
{
	size_t all = functions->count + functions->aliases + count;
	struct elf_function *list = realloc(functions->list, (all + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	memmove(list + functions->count + count, list + functions->count,
		functions->aliases * sizeof(*list));
	if (count)
		memcpy(list + functions->count, more, count * sizeof(*list));
	functions->list = list;
	functions->count += count;
	return 0;
}

/* What is looked for in a file's symbol tables. */
struct symbol_search {
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
		.want = symbol_want,
		.visit = symbol_visit,
		.context = search,
		.name_max = NAME_MAX_LEN,
	};

	return sections_symbols(file, type, &visit);
}

/* @err, of a search of symbol tables, with @why set if it is negative. */
static int tables_error(int err, struct reason *why)
{
	if (err == -E2BIG)
		return reason_set(why, -EBADMSG, "has symbol tables that take too long to read");
	return err < 0 ?
		       reason_set(why, err, err == -ENOMEM ? "no memory" : "is a broken ELF file") :
		       err;
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
	return tables_error(err, why);
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
	struct segments segments;
	struct elf_functions *found;
	size_t room;
};

static int function_visit(void *context, const Elf64_Sym *symbol, size_t call)
{
	struct functions_search *search = context;
	uint64_t offset;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    segments_offset(&search->segments, symbol->st_value, &offset))
		return 0;
	if (search->found->count >= FUNCTIONS_MAX)
		return 1;
	return functions_add(search->found, &search->room, symbol, offset, call);
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
	struct functions_search search = { .found = found };
	struct sections file;
	int err;

	memset(found, 0, sizeof(*found));
	err = elffile_open(fd, &file, why);
	if (err)
		return err;
	segments_read(&file, &search.segments);
	err = sections_find(&file, SHT_DYNSYM, call_names, CALL_COUNT, function_visit, &search);
	if (!err)
		err = sections_find(&file, SHT_SYMTAB, call_names, CALL_COUNT, function_visit,
				    &search);
	sections_close(&file);
	err = tables_error(err, why);
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

/*
 * Calls @visit for each string in @file's dynamic section (DT_NEEDED, DT_RPATH, DT_RUNPATH,
 * DT_SONAME), borrowed. If @visit returns nonzero, stops and returns that; otherwise returns 0 or a
 * negative errno as above.
 */
static int elffile_dynamic(const struct sections *file,
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

/* ---- elfinfo ---- */

/*
 * What there is to know about a library or program before it is probed: its name and build id, its
 * version, and how its functions begin.
 * Everything here reads other users' files, with pread(2), within bounds. Code is looked at as
 * bytes: enough to recognize the few forms that matter; any doubt gives "unknown".
 */

/* ---- identity ---- */

static void hex_of(const unsigned char *bytes, size_t count, char *out)
{
	size_t i;

	for (i = 0; i < count; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

static int soname_take(void *context, const Elf64_Dyn *entry, const char *text)
{
	struct elf_info *info = context;

	if (entry->d_tag != DT_SONAME)
		return 0;
	utf8_clean(text, info->soname, sizeof(info->soname));
	return 1;
}

int elfinfo_read(int fd, struct elf_info *info, struct reason *why)
{
	unsigned char id[BUILD_ID_MAX];
	struct sections file;
	size_t i, len;
	int err;

	memset(info, 0, sizeof(*info));
	err = elffile_open(fd, &file, why);
	if (err)
		return err;
	info->is_program = file.ehdr.e_type == ET_EXEC;
	for (i = 0; i < file.segment_count; i++)
		info->is_program = info->is_program || file.segments[i].p_type == PT_INTERP;
	len = build_id_find(&file, id);
	hex_of(id, len <= (BUILD_ID_SIZE - 1) / 2 ? len : 0, info->build_id);
	elffile_dynamic(&file, soname_take, info);
	info->has_symtab = sections_of_type(&file, SHT_SYMTAB) != NULL;
	/* The C library can be run as a program, too. */
	if (info->soname[0])
		info->is_program = false;
	sections_close(&file);
	return 0;
}

/* ---- the version ---- */

static bool is_version(unsigned int number)
{
	return number >= 9000 && number < 100000 && number % 10 == 0 && number % 1000 < 200;
}

#define CODE_MAX 256

/* The number that @code stores through a register: movl $number,(%reg). 0 if it is no version. */
static unsigned int stored_version(const unsigned char *code, size_t len)
{
	unsigned int number;
	size_t i;

	for (i = 0; i + 6 <= len; i++) {
		/* c7 /0, memory operand without displacement, and without SIB or RIP */
		if (code[i] != 0xc7 || code[i + 1] & 0xf8 || code[i + 1] == 4 || code[i + 1] == 5)
			continue;
		memcpy(&number, code + i + 2, sizeof(number));
		if (is_version(number))
			return number;
	}
	return 0;
}

unsigned int elfinfo_runtime_version(int fd, const struct elf_functions *functions)
{
	unsigned char code[CODE_MAX], called[64];
	unsigned int version;
	size_t i, at;
	ssize_t n, m;
	int32_t jump;

	for (i = 0; i < functions->count + functions->aliases; i++)
		if (functions->list[i].call == CALL_cudaRuntimeGetVersion)
			break;
	if (i == functions->count + functions->aliases)
		return 0;
	n = pread(fd, code, sizeof(code), (off_t)functions->list[i].offset);
	version = stored_version(code, n > 0 ? (size_t)n : 0);
	/* The exported function wraps the one that holds the number. */
	for (at = 0; !version && n > 5 && at + 5 <= (size_t)n; at++) {
		if (code[at] != 0xe8 && code[at] != 0xe9)
			continue;
		memcpy(&jump, code + at + 1, sizeof(jump));
		m = pread(fd, called, sizeof(called),
			  (off_t)(functions->list[i].offset + at + 5 + (uint64_t)(int64_t)jump));
		version = stored_version(called, m > 0 ? (size_t)m : 0);
	}
	return version;
}

unsigned int version_of_name(const char *name, bool *major_only)
{
	const char *at;
	unsigned int major = 0, minor = 0, patch;
	int words;

	name = path_base(name);
	at = strncmp(name, "libcudart", 9) ? NULL : strstr(name, ".so.");
	if (!at)
		return 0;
	words = sscanf(at, ".so.%3u.%2u.%u", &major, &minor, &patch);
	if (words < 1 || major < 9 || major > 99 || minor > 19)
		return 0;
	/* CUDA 11.0 to 11.8 share the SONAME libcudart.so.11.0. */
	*major_only = words == 1 || (words == 2 && major == 11 && !minor);
	return major * 1000 + minor * 10;
}

/* ---- runtime code ---- */

/*
 * Where a file has the runtime's own code: a driver call made from there is not the program's own.
 * A library is recognized by its name (DT_SONAME), since its inner functions may have no symbols. A
 * runtime that is linked into a program is one object of NVIDIA's archive, so its code is one
 * contiguous piece: it begins and ends with symbols that have the archive's names for inner
 * functions, and contains no other symbols. A stripped program has no such symbols, and no such
 * piece is found.
 */

static bool is_prefix(const char *prefix, const char *name)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/*
 * True for a name of the interface, or one that the archives of CUDA 9 to 13 give to inner
 * functions.
 */
static bool is_runtimes(const char *name)
{
	return name && (is_prefix("cuda", name) || is_prefix("__cuda", name) ||
			is_prefix("libcudart_static_", name));
}

/*
 * The code_search for the piece around @middle: first for its limits, the nearest foreign symbols, then
 * for the runtime's symbols in between.
 */
struct code_search {
	/* @middle, and the gap between foreign symbols around it: from @after up to @before */
	uint64_t middle, after, before;
	struct code_span span;
};

/* True if the gap would be smaller with the function @symbol. */
static bool is_nearer(void *context, const struct elf_symbol *symbol)
{
	const struct code_search *code_search = context;

	return symbol->is_function &&
	       ((symbol->offset > code_search->middle && symbol->offset < code_search->before) ||
		(symbol->offset < code_search->middle &&
		 symbol->offset + symbol->size > code_search->after));
}

static int stranger_visit(void *context, const struct elf_symbol *symbol)
{
	struct code_search *code_search = context;

	if (!is_nearer(code_search, symbol) || is_runtimes(symbol->name))
		return 0;
	if (symbol->offset > code_search->middle && symbol->offset < code_search->before)
		code_search->before = symbol->offset;
	if (symbol->offset < code_search->middle &&
	    symbol->offset + symbol->size > code_search->after)
		code_search->after = symbol->offset + symbol->size;
	return 0;
}

static bool is_in_gap(void *context, const struct elf_symbol *symbol)
{
	const struct code_search *code_search = context;

	return symbol->is_function && symbol->offset >= code_search->after &&
	       symbol->offset < code_search->before;
}

static int own_visit(void *context, const struct elf_symbol *symbol)
{
	struct code_search *code_search = context;
	uint64_t end = symbol->offset + symbol->size;

	if (!is_in_gap(code_search, symbol) || !is_runtimes(symbol->name))
		return 0;
	if (symbol->offset < code_search->span.start)
		code_search->span.start = symbol->offset;
	if (end > code_search->span.end)
		code_search->span.end = end < code_search->before ? end : code_search->before;
	return 0;
}

/* Finds the median of the runtime's functions; false: there is none. */
static bool middle_find(const struct elf_functions *found, uint64_t *middle)
{
	size_t count = 0, i;

	for (i = 0; i < found->count; i++)
		count += call_layer(found->list[i].call) == LAYER_RUNTIME;
	if (!count)
		return false;
	count /= 2;
	for (i = 0; i < found->count; i++) {
		if (call_layer(found->list[i].call) != LAYER_RUNTIME)
			continue;
		*middle = found->list[i].offset;
		if (!count--)
			break;
	}
	return true;
}

bool runtime_code_find(int fd, const struct elf_functions *found, struct code_span *span)
{
	struct code_search code_search = { .before = UINT64_MAX, .span = { .start = UINT64_MAX } };
	struct elf_info info;

	if (!middle_find(found, &code_search.middle) || elfinfo_read(fd, &info, NULL))
		return false;
	if (is_prefix("libcudart", info.soname)) {
		*span = (struct code_span){ .start = 0, .end = UINT64_MAX >> 1 };
		return true;
	}
	if (elffile_labels(fd, is_nearer, stranger_visit, &code_search, NULL) ||
	    elffile_labels(fd, is_in_gap, own_visit, &code_search, NULL))
		return false;
	*span = code_search.span;
	return span->start < span->end;
}
