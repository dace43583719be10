/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What workers do when they search folders and programs: the answer is a list of paths. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/ahead.h"
#include "probe/closure.h"
#include "probe/outside_jobs.h"
#include "probe/outside_question.h"
#include "util/starter.h"

#define WALK_MAX (4u << 20) /* bytes of paths */

struct walk {
	FILE *out;
	size_t written;
};

static void path_write(void *context, const char *path)
{
	struct walk *walk = context;
	size_t len = strlen(path) + 1;

	if (walk->written + len > WALK_MAX)
		return;
	walk->written += len;
	fwrite(path, 1, len, walk->out);
}

static int walk_begin(struct walk *walk, struct errand_answer *answer)
{
	*walk = (struct walk){ .out = open_memstream(&answer->data, &answer->len) };
	return walk->out ? 0 : -ENOMEM;
}

static int walk_end(struct walk *walk)
{
	return fclose(walk->out) ? -ENOMEM : 0;
}

int job_glob(const void *question, size_t len, const int fds[ERRAND_FDS],
	     struct errand_answer *answer)
{
	glob_t found = { 0 };
	struct walk walk;
	size_t i;
	int err = walk_begin(&walk, answer);

	(void)fds;
	if (err)
		return err;
	if (!glob(question_string(question, len, 0, 0), GLOB_NOSORT, NULL, &found))
		for (i = 0; i < found.gl_pathc; i++)
			path_write(&walk, found.gl_pathv[i]);
	globfree(&found);
	return walk_end(&walk);
}

int job_closure(const void *question, size_t len, const int fds[ERRAND_FDS],
		struct errand_answer *answer)
{
	const struct closure_settings settings = {
		.library_path = question_optional(question, len, 1),
		.preload = question_optional(question, len, 2),
	};
	struct walk walk;
	uint32_t kept;
	int err = walk_begin(&walk, answer);

	(void)fds;
	if (err)
		return err;
	err = starter_begin(&kept);
	if (!err) {
		closure_visit(question_string(question, len, 0, 0), &settings, path_write, &walk);
		starter_end(kept);
	}
	if (walk_end(&walk))
		err = -ENOMEM;
	return err;
}

int job_ahead(const void *question, size_t len, const int fds[ERRAND_FDS],
	      struct errand_answer *answer)
{
	const struct ahead_start start = {
		.path = question_optional(question, len, 1),
		.library_path = question_optional(question, len, 2),
		.preload = question_optional(question, len, 3),
	};
	struct walk walk;
	uint32_t kept;
	int err = walk_begin(&walk, answer);

	(void)fds;
	if (err)
		return err;
	err = starter_begin(&kept);
	if (!err) {
		ahead_visit(question_string(question, len, 0, 0), &start, path_write, &walk);
		starter_end(kept);
	}
	if (walk_end(&walk))
		err = -ENOMEM;
	return err;
}
