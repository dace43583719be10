/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel names as people read them, by libiberty's demangler. Parts of a mangled name may refer to
 * earlier parts, so a short name can keep the demangler busy for years. Such names go to a process
 * that is ended when it takes too long (resolver_process.c); so do names for which libiberty's
 * recursion limit has to be off. All others are demangled in place.
 */
#include "names/demangle.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Debian has it in a folder, Fedora (binutils-devel) does not. */
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#include "names/full_form.h"
#include "names/helper.h"
#include "names/resolver_process.h"
#include "util/allowance.h"
#include "util/message.h"
#include "util/saturated.h"
#include "util/utf8.h"
#include "util/util.h"

/* ---- one name ---- */

/*
 * A mangled name of a few hundred bytes can stand for gigabytes of text. So the output is taken
 * piece by piece, and the demangler is left by longjmp() when there is enough of it; libiberty
 * prints from its own stack and holds no memory then.
 */

struct job {
	char *out;
	size_t len, size;
	jmp_buf enough;
};

static void take(const char *piece, size_t len, void *opaque)
{
	struct job *job = opaque;
	size_t room = job->size - 1 - job->len;

	memcpy(job->out + job->len, piece, len < room ? len : room);
	job->len += len < room ? len : room;
	if (len >= room)
		longjmp(job->enough, 1);
}

/*
 * Rust's own mangling begins with _R. Its older one is C++'s, with a hash for a last part:
 * "_ZN4core3fmt5write17h0123456789abcdefE".
 */
bool demangle_is_rust(const char *symbol)
{
	const char *end = symbol + strnlen(symbol, DEMANGLE_INPUT_MAX);

	if (symbol[0] != '_' || symbol[1] != 'Z')
		return symbol[0] == '_' && symbol[1] == 'R';
	return end - symbol > 24 && end[-1] == 'E' && !strncmp(end - 20, "17h", 3) &&
	       strspn(end - 17, "0123456789abcdef") == 16;
}

/* A cut text is still a name: there is none only if libiberty says so. */
static void run(struct job *job, const char *symbol, int options)
{
	int known;

	if (setjmp(job->enough))
		return;
	known = demangle_is_rust(symbol) && rust_demangle_callback(symbol, options, take, job);
	if (!known && symbol[1] != 'R')
		known = cplus_demangle_v3_callback(symbol, options, take, job);
	if (!known)
		job->len = 0;
}

size_t demangle_run(const char *symbol, bool deep, char *out, size_t size)
{
	struct job job = { .out = out, .size = size };

	run(&job, symbol, DMGL_PARAMS | DMGL_ANSI | (deep ? DMGL_NO_RECURSE_LIMIT : 0));
	out[job.len] = '\0';
	return job.len;
}

/* ---- the process ---- */

/*
 * Names are demangled there one at a time. All of them together may use a tenth of the time; a name that
 * comes when that is used up stays mangled. So a program full of hostile names delays other names by
 * seconds, not for ever. What is counted is the time of the processor: on a busy machine the process
 * may wait long for its turn, and no name is to blame for that.
 */

#define NAMES_MEMORY (16ul << 20)       /* besides its stack: it allocates next to nothing */
#define NAMES_TIME   (2 * NSEC_PER_SEC) /* of the processor, in all at a stretch */
#define NAMES_SHARE  10                 /* one part in this many of the time that passes */

/* Returns the length of the text in @out, -1 if there is no answer. */
static ssize_t name_ask(struct helper *helper, const char *symbol, char *out)
{
	struct resolver_question question = { .type = RESOLVER_NAME };
	const struct iovec parts[2] = { { &question, sizeof(question) },
					{ (void *)(uintptr_t)symbol, strlen(symbol) } };
	struct pollfd answer = { .events = POLLIN };
	int err = -EPIPE, ready, tries;
	ssize_t n;

	/* Something else may have ended the process since the last question. */
	for (tries = 0; err && tries < 2; tries++) {
		if (!helper_start(helper, RESOLVER_NAMES, NAMES_MEMORY))
			return -1;
		err = message_send(helper->socket, parts, 2, NULL, 0, 0);
		if (err)
			helper_end(helper);
	}
	if (err)
		return -1;
	answer.fd = helper->socket;
	do /* its alarm ends the process long before */
		ready = poll(&answer, 1, 10 * (int)(RESOLVER_NAME_TIME / NSEC_PER_MSEC));
	while (ready < 0 && errno == EINTR);
	n = ready > 0 ? recv(helper->socket, out, DEMANGLE_OUTPUT_MAX + 1, 0) : 0;
	if (n > 0)
		out[n - 1] = 0; /* do not rely on what the process sent */
	return n - 1;
}

size_t demangle_apart(const char *symbol, char *out)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct helper names = HELPER_NONE;
	static struct allowance time = { .most = NAMES_TIME, .share = NAMES_SHARE };
	uint64_t worked, took;
	ssize_t n = -1;

	pthread_mutex_lock(&lock);
	if (allowance_left(&time, clock_ns(CLOCK_MONOTONIC)) >= RESOLVER_NAME_TIME) {
		worked = process_work_ns(names.pid);
		n = name_ask(&names, symbol, out);
		took = subtract_saturated(process_work_ns(names.pid), worked);
		if (n < 0) {
			helper_end(&names);
			took = RESOLVER_NAME_TIME;
		}
		allowance_spend(&time, took);
	}
	pthread_mutex_unlock(&lock);
	return n > 0 ? (size_t)n : 0;
}

/* ---- names for people ---- */

/* Libiberty expects two components per byte */
#define IN_PLACE_MAX (DEMANGLE_RECURSION_LIMIT / 2)

static char *clean_dup(const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *out = malloc(len + 1);

	return out ? utf8_clean(text, out, len + 1) : NULL;
}

/*
 * True if it can be demangled here. In C++'s mangling (Itanium C++ ABI, 5.1) each part that refers
 * to an earlier one ends with '_'; without one, the work grows at most with the square of the
 * length.
 */
static bool is_plain(const char *symbol, size_t len)
{
	return len < IN_PLACE_MAX && symbol[1] == 'Z' && !strchr(symbol + 2, '_');
}

char *demangle_full(const char *symbol)
{
	size_t len = strnlen(symbol, DEMANGLE_INPUT_MAX + 1), known = 0;
	char *out = NULL, *full;

	if (len <= DEMANGLE_INPUT_MAX && symbol[0] == '_' &&
	    (symbol[1] == 'Z' || symbol[1] == 'R')) {
		out = malloc(DEMANGLE_OUTPUT_MAX + 1);
		if (!out)
			return NULL;
		known = is_plain(symbol, len) ?
				demangle_run(symbol, false, out, DEMANGLE_OUTPUT_MAX + 1) :
				demangle_apart(symbol, out);
	}
	full = clean_dup(known ? out : symbol, DEMANGLE_OUTPUT_MAX);
	free(out);
	return full;
}

/*
 * Names that are not C++'s. Rust's have lists behind "::", and begin with the type whose method it is,
 * "<main::Model as main::Grow>::grow"; Go's have types in brackets, "main.(*Model).Grow".
 */
static bool is_foreign(const char *full)
{
	return full[0] == '<' || strstr(full, "::<") || strstr(full, ".(*");
}

/* Writes Rust's name without lists and traits, "main::Model::grow", to @out. Returns its length. */
static size_t rust_name(const struct outline *form, char *out)
{
	static const char *const before[] = { "&", "mut ", "dyn ", "*const ", "*mut " };
	size_t types[16], depth = 0, at = 0, len = 0, i;

	while (at < form->len) {
		for (i = 0; !len && i < ARRAY_LEN(before); i++)
			if (outline_starts(form, at, before[i]))
				break;
		if (!len && i < ARRAY_LEN(before)) {
			at += strlen(before[i]);
		} else if (form->text[at] == '<' && form->end[at] && !len &&
			   depth < ARRAY_LEN(types)) {
			types[depth++] = form->end[at++];
		} else if (form->text[at] == '<' && form->end[at]) {
			if (len > 2 && out[len - 1] == ':')
				len -= 2;
			at = form->end[at];
		} else if (depth &&
			   (at + 1 == types[depth - 1] || outline_starts(form, at, " as "))) {
			at = types[--depth];
		} else {
			out[len++] = form->text[at++];
		}
	}
	return len;
}

/* The name in @form without lists; or, with @listed, with its own, without namespaces. */
static char *name_make(const struct outline *form, bool listed)
{
	static const struct short_form whole = { .depth = UINT32_MAX };
	struct full_name name;
	ptrdiff_t list = 0;
	char *out;

	if (!full_name_read(form, &name))
		return NULL;
	/* No arguments and no list: it is not a function's full form but already a name. */
	if (!name.len || !strpbrk(form->text, "(<") || is_foreign(form->text)) {
		memcpy(name.brief, form->text, form->len);
		name.len = form->len;
		name.list.end = 0;
	}
	if (is_foreign(form->text) && !strstr(form->text, ".(*"))
		name.len = rust_name(form, name.brief);
	out = realloc(name.brief, name.len + SHORT_FORM_ROOM(form->len));
	if (!out || (listed && !name.list.end))
		goto fail;
	if (listed)
		list = short_form_write(form, &name.list, &whole, out + name.len);
	if (list < 0)
		goto fail;
	out[name.len + (size_t)list] = '\0';
	return out;
fail:
	free(out ?: name.brief);
	return NULL;
}

static char *name_of(const char *full, bool listed)
{
	char *text = clean_dup(full, DEMANGLE_OUTPUT_MAX), *name = NULL;
	struct outline form = { .end = NULL };

	if (text && outline_make(&form, text))
		name = name_make(&form, listed);
	outline_free(&form);
	free(text);
	return name;
}

char *demangle_short(const char *full)
{
	return name_of(full, false);
}

char *demangle_listed(const char *full)
{
	return name_of(full, true);
}

void demangle_both(const char *symbol, char **brief, char **full)
{
	*brief = NULL;
	*full = demangle_full(symbol);
	if (*full && strcmp(*full, symbol))
		*brief = demangle_short(*full);
	if (*brief)
		return;
	free(*full);
	*full = NULL;
}

/* ---- places ---- */

char *place_text(const struct place_words *words)
{
	const char *slash = strrchr(words->path, '/');
	unsigned long long offset = words->offset;
	char *brief, *around = NULL, *text = NULL, at[300] = "";

	if (*words->path && words->line)
		snprintf(at, sizeof(at), " at %s:%u", slash && slash[1] ? slash + 1 : words->path,
			 words->line);
	if (!*words->function && !words->is_inlined)
		return format_new("%s+0x%llx%s", words->module, offset, at);
	brief = demangle_short(*words->function ? words->function : "?");
	if (brief && words->around && *words->around->function)
		around = demangle_short(words->around->function);
	if (brief && around)
		text = format_new("%s%s in %s+0x%llx (%s)", brief, at, around,
				  (unsigned long long)words->around->offset, words->module);
	else if (brief && words->is_inlined)
		text = format_new("%s%s (%s, inlined)", brief, at, words->module);
	else if (brief)
		text = format_new("%s+0x%llx%s (%s)", brief, offset, at, words->module);
	free(brief);
	free(around);
	return text;
}
