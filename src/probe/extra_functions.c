/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A symbol has one number, whichever files it is found in. How its result shows a failure is what
 * the user says; without that, libraries that come with CUDA are known to return a status, where 0
 * is success.
 *
 * A return probe kills a program that switches stacks inside the function, or throws through it
 * (docs/do-no-harm.md). NVIDIA's libraries do neither; elsewhere only the user can know.
 */
#include "probe/extra_functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cuda/allocators.h"
#include "cuda/pools.h"
#include "names/demangle.h"
#include "names/sections.h"
#include "probe/points.h"

struct request {
	char *text;             /* the option, as given */
	char *library, *symbol; /* parts of a copy of it */
	char *parts;
	int result;             /* enum extra_result, -1: not said */
	bool returns;           /* asks for returns, wherever the function is */
	uint16_t number;        /* of a pool's function, from CUTOP_POOL on; 0: it is none's */
	uint64_t device, inode; /* of the library, where that is a path; 0: not known */
	bool found;
};

struct extra_functions {
	struct request *list;
	size_t count;
	struct {
		char *symbol;
		enum extra_result result;
	} functions[CUTOP_EXTRA_MAX];
	size_t function_count;
	bool full;
};

static const char *const result_names[] = {
	[EXTRA_RESULT_NONE] = "none",
	[EXTRA_RESULT_STATUS] = "status",
	[EXTRA_RESULT_NEGATIVE] = "negative",
	[EXTRA_RESULT_NULL] = "null",
};

#define RETURNS_WANTED ":returns"

/* Libraries whose functions return to their callers, and throw nothing. */
static const char *const returning_files[] = {
	"libcuda.so*", "libcudart[-.]*", "libcublas*",   "libcudnn*",    "libcufft*",
	"libcurand*",  "libcusparse*",   "libcusolver*", "libcutensor*", "libcufile*",
	"libcupti*",   "libnccl*",       "libnpp*",      "libnvrtc*",    "libnvJitLink*",
	"libnvidia-*", "libnvjpeg*",
};

/* Libraries whose functions return a status: their API references. */
static const char *const status_prefixes[] = {
	"cublas",   "cudnn",  "cufft", "curand",    "cusparse", "cusolver",
	"cutensor", "nccl",   "nvrtc", "nvJitLink", "nvml",     "nvjpeg",
	"cufile",   "cuFile", "cupti", "cuda",      "cu",
};

static const char *const no_status[] = { "String", "StatusName", "ErrorName", "GetVersion" };

static enum extra_result result_of(const char *symbol)
{
	size_t i, len;

	for (i = 0; i < ARRAY_LEN(no_status); i++)
		if (strstr(symbol, no_status[i]))
			return EXTRA_RESULT_NONE;
	if (!strncmp(symbol, "npp", 3)) /* NppStatus: warnings are above 0 */
		return EXTRA_RESULT_NEGATIVE;
	for (i = 0; i < ARRAY_LEN(status_prefixes); i++) {
		len = strlen(status_prefixes[i]);
		if (!strncmp(symbol, status_prefixes[i], len) && symbol[len] >= 'A' &&
		    symbol[len] <= 'Z')
			return EXTRA_RESULT_STATUS;
	}
	return EXTRA_RESULT_NONE;
}

static int request_read(struct request *request, const char *text, struct reason *why)
{
	char *colon, *equals;
	size_t i, len;

	request->result = -1;
	request->text = format_new("--probe %s", text);
	request->parts = strdup(text);
	if (!request->text || !request->parts)
		return reason_set(why, -ENOMEM, "no memory");
	colon = strchr(request->parts, ':');
	if (!colon || colon == request->parts || !colon[1] || colon[1] == '=')
		return reason_set(
			why, -EINVAL,
			"--probe takes LIBRARY:SYMBOL, for example libcublas.so.12:cublasSgemm_v2, not '%s'",
			text);
	*colon = 0;
	request->library = request->parts;
	request->symbol = colon + 1;
	equals = strrchr(request->symbol, '=');
	/* It may be part of a name: operator= */
	if (equals && equals[1] && !strpbrk(equals, ":*?[")) {
		for (i = 0; i < ARRAY_LEN(result_names); i++)
			if (!strcmp(equals + 1, result_names[i]))
				break;
		if (i == ARRAY_LEN(result_names))
			return reason_set(
				why, -EINVAL,
				"--probe %s: a result is status, negative, null or none, not '%s'",
				text, equals + 1);
		request->result = (int)i;
		*equals = 0;
	}
	len = strlen(request->symbol);
	request->returns =
		len > strlen(RETURNS_WANTED) &&
		!strcmp(request->symbol + len - strlen(RETURNS_WANTED), RETURNS_WANTED) &&
		request->symbol[len - strlen(RETURNS_WANTED) - 1] != ':';
	if (request->returns)
		request->symbol[len - strlen(RETURNS_WANTED)] = 0;
	else /* without its return it has no result */
		request->returns = request->result > EXTRA_RESULT_NONE;
	return 0;
}

static int request_of_pool(struct request *request, const struct pools *pools, size_t i,
			   struct reason *why)
{
	const struct pool_function *function = &pools->functions[i];

	request->result = -1;
	request->number = (uint16_t)(CUTOP_POOL + i);
	request->text = format_new("pool %s: %s:%s",
				   pools->names[function->form.allocator - ALLOCATOR_KINDS],
				   function->library, function->symbol);
	request->parts = format_new("%s:%s", function->library, function->symbol);
	if (!request->text || !request->parts)
		return reason_set(why, -ENOMEM, "no memory");
	request->library = request->parts;
	request->symbol = request->parts + strlen(function->library) + 1;
	request->symbol[-1] = 0;
	return 0;
}

int extra_functions_new(struct extra_functions **result, const char *const *requests, size_t count,
			const struct pools *pools, struct reason *why)
{
	struct extra_functions *extras = calloc(1, sizeof(*extras));
	size_t i, more = pools ? pools->function_count : 0;
	int err = 0;

	*result = NULL;
	if (extras)
		extras->list = calloc(count + more + 1, sizeof(*extras->list));
	if (!extras || !extras->list) {
		free(extras);
		return reason_set(why, -ENOMEM, "no memory");
	}
	for (; extras->count < count && !err; extras->count++)
		err = request_read(&extras->list[extras->count], requests[extras->count], why);
	for (i = 0; i < more && !err; i++)
		err = request_of_pool(&extras->list[extras->count++], pools, i, why);
	if (err) {
		extra_functions_free(extras);
		return err;
	}
	*result = extras;
	return 0;
}

void extra_functions_free(struct extra_functions *extras)
{
	size_t i;

	if (!extras)
		return;
	for (i = 0; i < extras->count; i++) {
		free(extras->list[i].text);
		free(extras->list[i].parts);
	}
	for (i = 0; i < extras->function_count; i++)
		free(extras->functions[i].symbol);
	free(extras->list);
	free(extras);
}

/* "libcublas.so.12" also means libcublas.so.12.1.3; "cublas" means every libcublas. */
static bool name_matches(const char *library, const char *name)
{
	static const char *const before[] = { "", "lib" }, *const after[] = { "", ".*" };
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(before); i++)
		for (j = 0; j < ARRAY_LEN(after); j++) {
			char *glob = format_new("%s%s%s", before[i], library, after[j]);
			bool matches = glob && !fnmatch(glob, name, 0);

			free(glob);
			if (matches)
				return true;
		}
	return false;
}

/* @st: NULL if only the name is known. */
static bool is_file_of(const struct request *request, const struct stat *st, const char *path)
{
	if (!strchr(request->library, '/'))
		return name_matches(request->library, path_base(path));
	/* The file that has this name now counts, too: a library may be replaced by a newer one. */
	return st &&
	       (!strcmp(request->library, path) ||
		(request->inode && request->device == st->st_dev && request->inode == st->st_ino));
}

bool extra_functions_want(const struct extra_functions *extras, const struct stat *st,
			  const char *path)
{
	size_t i;

	for (i = 0; extras && i < extras->count; i++)
		if (is_file_of(&extras->list[i], st, path))
			return true;
	return false;
}

void extras_settle(struct extra_functions *extras, const char *library, const struct stat *st)
{
	size_t i;

	for (i = 0; i < extras->count; i++)
		if (!strcmp(extras->list[i].library, library)) {
			extras->list[i].device = st->st_dev;
			extras->list[i].inode = st->st_ino;
		}
}

/* ---- symbols ---- */

struct search {
	struct extra_functions *extras;
	struct request **requests; /* those of this file, NULL-ended */
	struct elf_function *list;
	size_t count, room;
	bool returns; /* the file is one of returning_files */
};

/*
 * False if the demangled form of @symbol cannot match @pattern: the function's own name is in both as
 * it is. Libraries have hundreds of thousands of symbols, and demangling them takes seconds.
 */
static bool may_match(const char *pattern, const char *symbol)
{
	static const char *const letters =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
	const char *name = strstr(pattern, "::"), *next;
	char text[64];
	size_t len;

	while (name && (next = strstr(name + 2, "::")))
		name = next;
	len = name ? strspn(name + 2, letters) : 0;
	/* Of arguments of templates some have other names: std::string is Ss. */
	if (!len || len >= sizeof(text) || strpbrk(pattern, "<(") ||
	    !strncmp(name + 2, "operator", strlen("operator")))
		return true;
	memcpy(text, name + 2, len);
	text[len] = 0;
	return strstr(symbol, text);
}

static bool symbol_matches(const struct request *request, const char *symbol)
{
	char *full, *brief;
	bool matches;

	if (!fnmatch(request->symbol, symbol, 0))
		return true;
	if (!strstr(request->symbol, "::") || strncmp(symbol, "_Z", 2) ||
	    !may_match(request->symbol, symbol))
		return false;
	full = demangle_full(symbol);
	brief = full ? demangle_short(full) : NULL;
	matches = (full && !fnmatch(request->symbol, full, 0)) ||
		  (brief && !fnmatch(request->symbol, brief, 0));
	free(full);
	free(brief);
	return matches;
}

/* Finds or gives the number of @symbol. Returns it, or a negative errno. */
static int number_of(struct extra_functions *extras, const struct request *request,
		     const char *symbol, bool returns)
{
	size_t i;

	for (i = 0; i < extras->function_count; i++)
		if (!strcmp(extras->functions[i].symbol, symbol) &&
		    returns == (extras->functions[i].result != EXTRA_RESULT_UNSEEN))
			return (int)i;
	if (i == CUTOP_EXTRA_MAX) {
		extras->full = true;
		return -ENOSPC;
	}
	extras->functions[i].symbol = strdup(symbol);
	if (!extras->functions[i].symbol)
		return -ENOMEM;
	extras->functions[i].result = !returns             ? EXTRA_RESULT_UNSEEN :
				      request->result >= 0 ? (enum extra_result)request->result :
							     result_of(symbol);
	extras->function_count++;
	return (int)i;
}

static int symbol_visit(void *context, const struct elf_symbol *symbol)
{
	struct search *search = context;
	struct request **at, *request = NULL;
	bool returns = search->returns;
	struct elf_function *more;
	int number;
	size_t i;

	/*
	 * If several requests match it, the first that says how its result shows a failure counts.
	 */
	for (at = search->requests; *at; at++)
		if (symbol_matches(*at, symbol->name)) {
			(*at)->found = true;
			returns |= (*at)->returns;
			if (!request || (*at)->number ||
			    (request->result < 0 && (*at)->result >= 0))
				request = *at;
			if (request->number)
				break;
		}
	if (!request)
		return 0;
	/* .symtab repeats .dynsym; if one place has several names, one is enough. */
	for (i = 0; i < search->count; i++)
		if (search->list[i].offset == symbol->offset)
			return 0;
	if (search->count == CUTOP_EXTRA_MAX) { /* many of one name */
		search->extras->full = true;
		return 0;
	}
	number = request->number ? request->number - CUTOP_EXTRA :
				   number_of(search->extras, request, symbol->name, returns);
	if (number < 0)
		return number == -ENOSPC ? 0 : number;
	if (search->count == search->room) {
		search->room = search->room ? 2 * search->room : 16;
		more = realloc(search->list, search->room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		search->list = more;
	}
	search->list[search->count++] = (struct elf_function){
		.offset = symbol->offset,
		.size = symbol->size < UINT32_MAX ? (uint32_t)symbol->size : UINT32_MAX,
		.name_hash = elf_name_hash(symbol->name, strlen(symbol->name)),
		.call = (uint16_t)(CUTOP_EXTRA + number),
		.entry_only = !returns && !request->number,
	};
	return 0;
}

int extra_functions_find(struct extra_functions *extras, int fd, const struct stat *st,
			 const char *path, struct elf_functions *found, struct reason *why)
{
	struct search search = { .extras = extras };
	size_t i, wanted = 0;
	int err;

	search.requests = calloc(extras->count + 1, sizeof(search.requests[0]));
	if (!search.requests)
		return reason_set(why, -ENOMEM, "no memory");
	for (i = 0; i < extras->count; i++)
		if (is_file_of(&extras->list[i], st, path))
			search.requests[wanted++] = &extras->list[i];
	for (i = 0; i < ARRAY_LEN(returning_files); i++)
		search.returns |= !fnmatch(returning_files[i], path_base(path), 0);
	err = elffile_symbols(fd, symbol_visit, &search, why);
	if (!err && elf_functions_append(found, search.list, search.count))
		err = reason_set(why, -ENOMEM, "no memory");
	else if (!err)
		err = (int)search.count;
	free(search.requests);
	free(search.list);
	return err;
}

size_t extra_functions_count(const struct extra_functions *extras)
{
	return extras ? extras->function_count : 0;
}

const char *extra_functions_symbol(const struct extra_functions *extras, size_t number,
				   enum extra_result *result)
{
	*result = extras->functions[number].result;
	return extras->functions[number].symbol;
}

bool extra_functions_full(const struct extra_functions *extras)
{
	return extras->full;
}

void extra_functions_visit(const struct extra_functions *extras,
			   void (*visit)(void *context, const char *request, const char *library,
					 bool found),
			   void *context)
{
	size_t i;

	for (i = 0; extras && i < extras->count; i++)
		visit(context, extras->list[i].text, extras->list[i].library,
		      extras->list[i].found);
}

/* ---- allocator functions ---- */

/*
 * The functions that show what allocators of frameworks do (cuda/allocators.h). Most are exported, so
 * .dynsym has them, or, in a program without dynamic linking, .symtab. Files that only call them
 * mention their names, too.
 */

struct allocator_search {
	struct segments segments;
	struct elf_function *list;
	size_t count;
};

static int allocator_visit(void *context, const Elf64_Sym *symbol, size_t name)
{
	struct allocator_search *search = context;
	uint64_t offset;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    segments_offset(&search->segments, symbol->st_value, &offset))
		return 0;
	search->list[search->count++] = (struct elf_function){
		.offset = offset,
		.size = (uint32_t)symbol->st_size,
		.call = (uint16_t)(CUTOP_ALLOCATOR + name),
	};
	return search->count == ALLOCATOR_FUNCTIONS_MAX;
}

static void table_search(const struct sections *file, struct allocator_search *search,
			 uint32_t type)
{
	const char *names[ALLOCATOR_FORMS_MAX];
	size_t i;

	for (i = 0; i < allocator_form_count(); i++)
		names[i] = allocator_symbol(i);
	sections_find(file, type, names, allocator_form_count(), allocator_visit, search);
}

size_t allocators_find(int fd, const char *path, struct elf_function *list)
{
	struct reason why = { "" };
	struct sections file;
	struct allocator_search allocator_search = { .list = list };

	if (elffile_open(fd, &file, &why))
		return 0;
	segments_read(&file, &allocator_search.segments);
	table_search(&file, &allocator_search, SHT_DYNSYM);
	if (!allocator_search.count &&
	    (!symtab_is_of_library(&file) || (path && allocator_is_local(path_base(path)))))
		table_search(&file, &allocator_search, SHT_SYMTAB);
	sections_close(&file);
	return allocator_search.count;
}

bool allocators_append(int fd, const char *path, const struct forms *forms, bool leave_stepped,
		       struct elf_functions *functions)
{
	struct elf_function list[ALLOCATOR_FUNCTIONS_MAX];
	struct elf_functions own = { .list = list };

	own.count = allocators_find(fd, path, list);
	if (!own.count)
		return false;
	points_choose(fd, &own, forms, leave_stepped);
	return !elf_functions_append(functions, own.list, own.count);
}
