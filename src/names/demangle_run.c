/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mangled name of a few hundred bytes can stand for gigabytes of text. So the output is taken
 * piece by piece, and the demangler is left by longjmp() when there is enough of it; libiberty
 * prints from its own stack and holds no memory then.
 */
#include <setjmp.h>
#include <string.h>

#include "names/demangle_run.h"
#include "names/libiberty.h"

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

/* A cut text is still a name: there is none only if libiberty says so. */
static void run(struct job *job, const char *symbol, int options)
{
	int known;

	if (setjmp(job->enough))
		return;
	if (symbol[0] == '_' && symbol[1] == 'R')
		known = rust_demangle_callback(symbol, options, take, job);
	else
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
