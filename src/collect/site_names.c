/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call site gets its name function+offset (file) at once, and its source line as soon as the
 * resolver knows that. A return address is the address after the call, so the byte before it is
 * looked up: otherwise a call at the end of a function would be named after the next function.
 */
#include "collect/site_names.h"

#include <errno.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "collect/late_kernels.h"
#include "collect/record_sink.h"
#include "cuda/wrappers.h"
#include "names/demangle.h"
#include "util/util.h"

#define VAIN_MAX 256 /* failures after which a program's kernels' names are no longer read */

/*
 * What memory is that code in such a library asks for: src/model/sites.c judges by it. Those that
 * are held keep their allocations on purpose, as workspaces.
 */
static const struct {
	const char *glob;
	enum site_flag flag;
} libraries[] = {
	{ "libtorch_cuda*.so*", SITE_IS_HELD }, { "libcublas*.so*", SITE_IS_HELD },
	{ "libcudnn*.so*", SITE_IS_HELD },      { "libnccl*.so*", SITE_IS_HELD },
	{ "libc10_cuda*.so*", SITE_IN_CACHE },  { "libcudart*.so*", SITE_IN_RUNTIME },
};

/* The same of functions, in a library of any name. */
static const struct {
	const char *glob;
	enum site_flag flag;
} held_functions[] = {
	/* CuPy's, by which its memory pools get what they keep; its module is "runtime.cpython-..." */
	{ "__pyx_f_*cupy_backends_*runtime_malloc", SITE_IS_HELD },
	{ "__pyx_f_*cupy_backends_*runtime_mallocManaged", SITE_IS_HELD },
};

struct site_key {
	uint64_t address;
	uint32_t program;
	pid_t pid;
};

/* A site whose line is being looked up. */
struct site_asked {
	uint64_t cookie;
	struct site_key key;
	struct address_name name; /* its strings are copies */
	UT_hash_handle hh;
};

/* A site or kernel whose file, or name, takes long, to be named later. */
struct site_later {
	struct site_key key;
	enum { LATER_SITE, LATER_KERNEL, LATER_NAME } kind;
	uint64_t function;       /* of a kernel */
	uint64_t start_time;     /* of its process, */
	struct rec_name_at name; /* and where a kernel's name is: of NAME alone */
};

struct site_names {
	size_t waiting; /* names that are tried again */
	struct probe *probe;
	struct site_told told;
	struct modules *modules;
	struct host_functions *hosts;
	const char *const *held_globs, *const *skip;
	struct told_places seen;
	struct site_asked *asked;
	uint64_t last_cookie;
	uint64_t lost_lines, lost_symbols; /* lines that the resolver could not be asked for */
	struct late_kernels *late;
};

struct site_names *site_names_new(struct probe *probe, struct modules *modules,
				  struct host_functions *hosts, const struct site_told *told,
				  const char *const *held_globs, const char *const *skip)
{
	struct site_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->probe = probe;
	names->told = *told;
	names->modules = modules;
	names->hosts = hosts;
	names->held_globs = held_globs;
	names->skip = skip;
	names->late = late_kernels_new(probe_outside(probe));
	if (names->late)
		return names;
	free(names);
	return NULL;
}

bool site_names_wait(const struct site_names *names, uint32_t program)
{
	const struct told_program *told = told_program_find(&names->seen, program);

	return program ? told && told->waiting : names->waiting;
}

void site_names_forget(struct site_names *names, uint32_t id)
{
	const struct told_program *program = told_program_find(&names->seen, id);

	names->waiting -= program ? program->waiting : 0;
	told_forget(&names->seen, id);
	late_kernels_forget(names->late, id);
}

static void asked_free(struct site_names *names, struct site_asked *asked)
{
	host_functions_release(names->hosts, asked->key.program);
	HASH_DEL(names->asked, asked);
	free((char *)asked->name.file);
	free((char *)asked->name.symbol);
	free(asked);
}

void site_names_free(struct site_names *names)
{
	struct site_asked *asked, *next_asked;

	if (!names)
		return;
	told_free(&names->seen);
	HASH_ITER(hh, names->asked, asked, next_asked)
		asked_free(names, asked);
	late_kernels_free(names->late);
	free(names);
}

static bool matches(const char *const *globs, const char *file)
{
	for (; globs && *globs; globs++)
		if (!fnmatch(*globs, file, 0))
			return true;
	return false;
}

static void tell(const struct site_names *names, const struct rec_hdr *record)
{
	names->told.record(names->told.context, record);
}

/* Tells a frame of the site @key. @level: 0 for the function itself, then @words are of that. */
static void frame_tell(const struct site_names *names, const struct site_key *key,
		       const struct place_words *words, unsigned int level, bool is_named)
{
	struct rec_frame *frame = frame_record_new(key->program, (uint32_t)key->pid, key->address,
						   FRAME_NATIVE, words->function, words->path,
						   words->module, words->line, words->offset);

	if (!frame)
		return;
	frame->level = (__u8)level;
	frame->flags = is_named ? FRAME_IS_NAMED : 0;
	tell(names, &frame->hdr);
	free(frame);
}

static uint32_t flags_of(const struct site_names *names, const struct place_words *words)
{
	size_t i;

	if (matches(names->held_globs, words->module))
		return SITE_IS_HELD;
	for (i = 0; i < ARRAY_LEN(libraries); i++)
		if (!fnmatch(libraries[i].glob, words->module, 0))
			return libraries[i].flag;
	for (i = 0; i < ARRAY_LEN(held_functions); i++)
		if (!fnmatch(held_functions[i].glob, words->function, 0))
			return held_functions[i].flag;
	return 0;
}

static void name_tell(const struct site_names *names, const struct site_key *key,
		      const struct place_words *words)
{
	char *text = place_text(words);
	struct rec_text *record = text ? text_record_new(REC_SITE, key->program, (uint32_t)key->pid,
							 key->address, flags_of(names, words),
							 text) :
					 NULL;

	if (record)
		tell(names, &record->hdr);
	free(record);
	free(text);
}

/*
 * True if a site is better named by what called the inlined function @words of @program: it calls
 * CUDA for its callers, or the user does not want to see it. *@has_host: a function further in was a
 * kernel's own; what calls that may have a name like it.
 */
static bool is_skipped(const struct site_names *names, uint32_t program,
		       const struct place_words *words, bool *has_host)
{
	char *brief = *words->function ? demangle_short(words->function) : NULL;
	bool is_host = host_functions_have(names->hosts, program, words->function, !*has_host),
	     skipped = is_host || !*words->path || wrapper_is_file(words->path) || !brief ||
		       wrapper_is_function(brief, "") || matches(names->skip, brief);

	*has_host |= is_host;
	if (brief)
		host_functions_learn_stub(names->hosts, program, brief,
					  !strchr(words->function, '('));
	free(brief);
	return skipped;
}

/* @reply: where the code came from; NULL: that is not known. */
static void site_tell(const struct site_names *names, const struct site_key *key,
		      const struct address_name *name, const struct resolver_reply *reply)
{
	char *functions[CUTOP_INLINED_MAX + 1] = { name->symbol ? demangle_full(name->symbol) :
								  NULL };
	size_t count = reply ? reply->inlined_count : 0, named = 0, level;
	struct place_words words[CUTOP_INLINED_MAX + 1], whole;
	bool has_host = false;

	words[0] = (struct place_words){ .function = functions[0] ? functions[0] : "",
					 .module = name->file,
					 .path = reply ? reply->path : "",
					 .line = reply ? reply->line : 0,
					 .offset = name->distance + 1 };
	for (level = 1; level <= count; level++) {
		const struct resolver_inlined *inlined = &reply->inlined[level - 1];

		functions[level] = *inlined->function ? demangle_full(inlined->function) : NULL;
		words[level] = (struct place_words){
			.function = functions[level] ? functions[level] : "",
			.module = name->file,
			.path = inlined->path,
			.line = inlined->line,
			.is_inlined = true,
		};
	}
	for (level = 1; level <= count && !named; level++)
		named = is_skipped(names, key->program, &words[level], &has_host) ? 0 : level;
	whole = words[named];
	whole.around = named ? &words[0] : NULL;
	name_tell(names, key, &whole);
	for (level = count; level; level--)
		frame_tell(names, key, &words[level], (unsigned int)level, level == named);
	frame_tell(names, key, &words[0], 0, false);
	for (level = 0; level <= count; level++)
		free(functions[level]);
}

/* Asks for the line; what is known now is kept for when it comes. */
static void line_ask(struct site_names *names, const struct site_key *key,
		     const struct address_name *name)
{
	struct site_asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return;
	asked->cookie = ++names->last_cookie;
	asked->key = *key;
	asked->name = *name;
	asked->name.file = strdup(name->file);
	asked->name.symbol = name->symbol ? strdup(name->symbol) : NULL;
	HASH_ADD(hh, names->asked, cookie, sizeof(asked->cookie), asked);
	/* Many a program has ended when the answer comes. */
	host_functions_hold(names->hosts, key->program);
	if (!resolver_ask(modules_resolver(names->modules), name->lines, name->offset,
			  asked->cookie))
		asked_free(names, asked);
}

static void later_try(void *context, const void *what);

/* Returns false if there is no room. */
static bool later_keep(struct site_names *names, const struct site_later *later)
{
	struct told_program *program = told_program_get(&names->seen, later->key.program);
	size_t len = later->kind == LATER_NAME ? sizeof(*later) : offsetof(struct site_later, name);

	if (!program ||
	    !again_keep(probe_outside(names->probe)->again, later_try, names, later, len))
		return false;
	program->waiting++;
	names->waiting++;
	return true;
}

static void site_name(struct site_names *names, const struct site_key *key)
{
	struct address_name name =
		modules_find(names->modules, key->program, key->pid, key->address - 1);
	const struct site_later later = { .key = *key };

	if (name.later)
		later_keep(names, &later);
	if (!name.file)
		return;
	if (name.lines)
		line_ask(names, key, &name);
	names->lost_lines += name.is_unasked && !name.later;
	names->lost_symbols += !name.symbol && name.is_missed && !name.later;
	site_tell(names, key, &name, NULL);
}

void site_names_site(struct site_names *names, uint32_t program, pid_t pid, uint64_t address)
{
	const struct site_key key = { .address = address, .program = program, .pid = pid };

	if (told_is_first(&names->seen, program, address))
		site_name(names, &key);
}

void site_names_cut(struct site_names *names, uint32_t program, pid_t pid)
{
	static const char text[] = "(the stack ends early)";
	struct rec_frame *frame;
	struct rec_text *record;

	if (!told_is_first(&names->seen, program, PLACE_CUT))
		return;
	record = text_record_new(REC_SITE, program, (uint32_t)pid, PLACE_CUT, 0, text);
	frame = frame_record_new(program, (uint32_t)pid, PLACE_CUT, FRAME_NATIVE, text, "", "", 0,
				 0);
	if (record)
		tell(names, &record->hdr);
	if (frame)
		tell(names, &frame->hdr);
	free(record);
	free(frame);
}

static void line_answer(void *context, const struct resolver_reply *reply)
{
	struct site_names *names = context;
	struct site_asked *asked;

	HASH_FIND(hh, names->asked, &reply->cookie, sizeof(reply->cookie), asked);
	if (!asked)
		return;
	if (reply->path && asked->name.file)
		site_tell(names, &asked->key, &asked->name, reply);
	asked_free(names, asked);
}

void site_names_lines(struct site_names *names, int timeout_ms, int idle_ms)
{
	resolver_answers(modules_resolver(names->modules), timeout_ms, idle_ms, line_answer, names);
}

uint64_t site_names_lost_lines(const struct site_names *names)
{
	return names->lost_lines + resolver_lost(modules_resolver(names->modules));
}

uint64_t site_names_lost_symbols(const struct site_names *names)
{
	return names->lost_symbols;
}

void site_names_give_up(struct site_names *names)
{
	struct site_asked *asked, *next;

	resolver_give_up(modules_resolver(names->modules));
	HASH_ITER(hh, names->asked, asked, next)
		asked_free(names, asked);
}

void site_names_kernel(struct site_names *names, const struct rec_kernel *kernel)
{
	static const char prefix[] = "__device_stub_";
	struct address_name name = modules_find(names->modules, kernel->hdr.program,
						(pid_t)kernel->hdr.tgid, kernel->stub);
	const struct site_later later = {
		.key = { kernel->stub, kernel->hdr.program, (pid_t)kernel->hdr.tgid },
		.kind = LATER_KERNEL,
		.function = kernel->function,
	};
	const char *symbol = name.symbol;
	struct rec_text *record;

	if (name.later)
		later_keep(names, &later);
	if (!symbol || name.distance) {
		symbol = late_kernels_name(names->late, kernel->hdr.program,
					   (pid_t)kernel->hdr.tgid, kernel->function);
		names->lost_symbols += !symbol && name.is_missed && !name.later;
	} else if (!strncmp(symbol, prefix, sizeof(prefix) - 1)) {
		/*
		 * nvcc's inner stub: __device_stub__ and the mangled name, which shares one of the
		 * underscores
		 */
		symbol += sizeof(prefix) - 1;
	}
	record = symbol ? text_record_new(REC_NAME, kernel->hdr.program, kernel->hdr.tgid,
					  kernel->function, NAME_SYMBOL, symbol) :
			  NULL;
	if (record)
		tell(names, &record->hdr);
	free(record);
}

/*
 * Makes the record for @name, the name of what @record reports. @late: the kernel is known already,
 * without a name.
 */
static struct rec_hdr *name_record_new(const struct rec_name_at *record, const char *name,
				       bool late)
{
	size_t len = strnlen(name, CUTOP_NAME_MAX - 1),
	       size = (sizeof(struct rec_kernel) + len + 8) & ~(size_t)7;
	bool is_driver = record->call == CALL_COUNT;
	struct rec_kernel *kernel;
	struct rec_text *text;

	if (is_driver || late) {
		text = text_record_new(REC_NAME, record->hdr.program, record->hdr.tgid,
				       record->function, is_driver ? NAME_DRIVER : NAME_REGISTERED,
				       name);
		return text ? &text->hdr : NULL;
	}
	kernel = calloc(1, size);
	if (!kernel)
		return NULL;
	kernel->hdr = record->hdr;
	kernel->hdr.type = REC_KERNEL;
	kernel->hdr.size = (__u16)size;
	kernel->function = record->function;
	kernel->stub = record->stub;
	kernel->source = NAME_REGISTERED;
	kernel->truncated = len == CUTOP_NAME_MAX - 1;
	kernel->call = record->call;
	kernel->name_len = (__u32)len;
	memcpy(kernel->name, name, len);
	return &kernel->hdr;
}

static int name_read(struct site_names *names, const struct site_later *at, bool late,
		     struct rec_hdr **result)
{
	const char *known = at->name.in_file ? probe_file_path(names->probe, &at->name.id) : NULL;
	struct told_program *program = told_program_get(&names->seen, at->key.program);
	bool in_memory;
	char *name;
	int err;

	*result = NULL;
	if (program && program->vain >= VAIN_MAX)
		return -EFAULT;
	err = outside_name(probe_outside(names->probe), &at->name, at->start_time, known, &name,
			   &in_memory);
	if (!err) {
		/* It may belong to the program that has since replaced this one in the process. */
		if (in_memory && probe_has_left(names->probe, at->key.program))
			err = -ESRCH;
		else
			*result = name_record_new(&at->name, name, late);
		free(name);
	}
	if (program && err && !outside_is_later(err))
		program->vain++;
	return err ? err : *result ? 0 : -ENOMEM;
}

int site_names_read(struct site_names *names, const struct rec_name_at *record, uint64_t start_time,
		    struct rec_hdr **result)
{
	const struct site_later at = {
		.key = { 0, record->hdr.program, (pid_t)record->hdr.tgid },
		.kind = LATER_NAME,
		.name = *record,
		.start_time = start_time,
	};
	int err = name_read(names, &at, false, result);

	if (!outside_is_later(err))
		return err;
	return later_keep(names, &at) ? -EAGAIN : -ENOMEM;
}

static void later_try(void *context, const void *what)
{
	struct site_names *names = context;
	const struct site_later *later = what;
	struct told_program *program = told_program_find(&names->seen, later->key.program);
	const struct rec_kernel kernel = {
		.hdr = { .program = later->key.program, .tgid = (uint32_t)later->key.pid },
		.function = later->function,
		.stub = later->key.address,
	};
	struct rec_hdr *record = NULL;
	int err = 0;

	/* It was forgotten. */
	if (!program || !program->waiting)
		return;
	program->waiting--;
	names->waiting--;
	switch (later->kind) {
	case LATER_SITE: site_name(names, &later->key); break;
	case LATER_KERNEL: site_names_kernel(names, &kernel); break;
	case LATER_NAME: err = name_read(names, later, true, &record); break;
	}
	if (record)
		tell(names, record);
	if (err && (!outside_is_later(err) || !later_keep(names, later)))
		names->told.lost(names->told.context, later->key.program, err);
	free(record);
}
