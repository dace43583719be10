/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The asking end: packs questions and unpacks answers. What workers do is in outside_jobs.c and
 * outside_jobs.c.
 */
#include "probe/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe/closure.h"
#include "probe/elffile.h"
#include "probe/maps.h"
#include "probe/outside_jobs.h"

void seen_close(struct seen_file *seen)
{
	if (seen->fd >= 0)
		close(seen->fd);
	if (seen->place >= 0)
		close(seen->place);
	free(seen->path);
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
}

/* Groups of errands: a process, a device. */
static uint64_t group_of_process(pid_t pid)
{
	return 1ull << 62 | (uint32_t)pid;
}

/*
 * A file system without a device of its own (major number 0), such as a server's, is a group of
 * errands. Others always answer, so they need no group: 0.
 */
static uint64_t group_of_device(uint32_t major, uint32_t minor)
{
	return major ? 0 : 1ull << 63 | minor;
}

uint32_t outside_user_of(pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return stat(path, &st) ? ERRAND_NO_USER : st.st_uid;
}

/* Asks @question, which is freed, as @errand says. */
static int ask(const struct outside *outside, struct question *question,
	       const struct errand *errand, struct errand_answer *answer)
{
	struct errand asked = *errand;
	int err = !question ? -ENOMEM : question->is_cut ? -E2BIG : 0;

	*answer = errand_nothing;
	if (!err) {
		asked.question = question->bytes;
		asked.len = question->len;
		err = errand_ask(outside->errands, &asked, answer);
	}
	free(question);
	if (!err && answer->result < 0) {
		/* These results are about the errand itself: there is no answer to unpack. */
		err = outside_is_later(answer->result) || answer->result == -ETIMEDOUT ?
			      -EIO :
			      answer->result;
		errand_answer_free(answer);
	}
	return err;
}

/* ---- files ---- */

/* Fills @seen from @answer, and frees the rest of it. */
static int seen_take(struct errand_answer *answer, struct seen_file *seen)
{
	struct seen_told told;
	int err = -EIO;

	if (answer->len < sizeof(told) + 1 || answer->fds[0] < 0)
		goto out;
	memcpy(&told, answer->data, sizeof(told));
	*seen = (struct seen_file){
		.fd = answer->fds[0],
		.place = answer->fds[1],
		.st = told.st,
		.id = told.id,
		.identified = told.identified,
		.own = told.own,
		.layered = told.layered,
		.magic = told.magic,
		.path = strdup(answer->data + sizeof(told)),
	};
	answer->fds[0] = answer->fds[1] = -1;
	err = seen->path ? 0 : -ENOMEM;
	if (err)
		seen_close(seen);
out:
	errand_answer_free(answer);
	return err;
}

static int open_ask(const struct outside *outside, struct question *question,
		    const struct errand *errand, struct seen_file *seen)
{
	struct errand_answer answer;
	int err;

	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	err = ask(outside, question, errand, &answer);
	return err ? err : seen_take(&answer, seen);
}

static int open_by_path(const struct outside *outside, enum open_way how, bool named,
			const char *path, unsigned int want, enum errand_patience patience,
			struct seen_file *seen)
{
	const struct open_question open_it = { .how = how, .want = want, .named = named };
	const struct errand errand = {
		.job = job_open,
		.fds = { outside->identifier, -1, -1 },
		.what = path,
		.patience = patience,
		.uid = ERRAND_NO_USER,
	};
	struct question *question = question_new(&open_it, sizeof(open_it));

	if (question)
		question_string_add(question, path);
	return open_ask(outside, question, &errand, seen);
}

int outside_open(const struct outside *outside, const char *path, unsigned int want,
		 enum errand_patience patience, struct seen_file *seen)
{
	return open_by_path(outside, OPEN_PATH, false, path, want, patience, seen);
}

int outside_open_named(const struct outside *outside, const char *path, unsigned int want,
		       enum errand_patience patience, struct seen_file *seen)
{
	return open_by_path(outside, OPEN_PATH, true, path, want, patience, seen);
}

int outside_open_cached(const struct outside *outside, const char *path, unsigned int want,
			struct seen_file *seen)
{
	return open_by_path(outside, OPEN_CACHED, false, path, want, outside->patience, seen);
}

int outside_open_real(const struct outside *outside, const char *path, bool named,
		      unsigned int want, struct seen_file *seen)
{
	return open_by_path(outside, OPEN_REAL, named, path, want, outside->patience, seen);
}

int outside_open_again(const struct outside *outside, int fd, bool is_place, const char *path,
		       unsigned int want, struct seen_file *seen)
{
	const struct open_question open_it = { .how = OPEN_PLACE, .want = want };
	const struct errand errand = {
		.job = job_open,
		.fds = { fd, outside->identifier, -1 },
		.what = path,
		.patience = outside->patience,
		.uid = ERRAND_NO_USER,
	};
	struct question *question;

	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	if (!is_place) {
		seen->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		seen->own = true;
		seen->path = strdup(path);
		if (seen->fd >= 0 && seen->path && !fstat(seen->fd, &seen->st)) {
			seen->identified = !identify_file(outside->identifier, seen->fd, &seen->id,
							  &seen->magic);
			return 0;
		}
		seen_close(seen);
		return -ENOMEM;
	}
	question = question_new(&open_it, sizeof(open_it));
	if (question)
		question_string_add(question, path);
	return open_ask(outside, question, &errand, seen);
}

int outside_open_mapped(const struct outside *outside, pid_t pid, const struct maps_entry *entry,
			unsigned int want, struct seen_file *seen)
{
	const struct open_question open_it = {
		.how = OPEN_MAPPED,
		.want = want,
		.pid = pid,
		.start = entry->start,
		.end = entry->end,
		.inode = entry->inode,
		.major = entry->major,
		.minor = entry->minor,
	};
	const struct errand errand = {
		.job = job_open,
		.fds = { outside->identifier, -1, -1 },
		.group = group_of_device(entry->major, entry->minor),
		.uid = outside_user_of(pid),
		.what = entry->path,
		.patience = outside->patience,
	};
	struct question *question = question_new(&open_it, sizeof(open_it));

	if (question)
		question_string_add(question, entry->path);
	return open_ask(outside, question, &errand, seen);
}

int outside_open_link(const struct outside *outside, pid_t pid, const char *link, const char *name,
		      unsigned int want, struct seen_file *seen)
{
	const struct open_question open_it = { .how = OPEN_LINK, .want = want, .pid = pid };
	struct question *question = question_new(&open_it, sizeof(open_it));
	char path[64], real[4096];
	struct errand errand = {
		.job = job_open,
		.fds = { outside->identifier, -1, -1 },
		.uid = outside_user_of(pid),
		.what = path,
		.patience = outside->patience,
	};
	ssize_t n;

	/* The link itself is in the kernel's /proc: reading it does not wait. */
	snprintf(path, sizeof(path), "/proc/%d/%s", process_reader(pid), link);
	n = readlink(path, real, sizeof(real) - 1);
	if (n > 0) {
		real[n] = 0;
		errand.what = real;
	}
	if (question) {
		question_string_add(question, link);
		question_string_add(question, name ? name : "");
	}
	return open_ask(outside, question, &errand, seen);
}

int outside_open_debug(const struct outside *outside, const struct seen_file *of, pid_t pid,
		       const char *path, struct seen_file *seen)
{
	struct debug_question debug = { .device = of->st.st_dev, .inode = of->st.st_ino };
	const struct errand errand = {
		.job = job_debug,
		.fds = { outside->identifier, -1, -1 },
		.uid = outside_user_of(pid),
		.what = path,
		.patience = outside->patience,
	};
	struct question *question;
	char root[64];

	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	if (debug_link_read(of->fd, &debug.link))
		return -ENOENT;
	question = question_new(&debug, sizeof(debug));
	snprintf(root, sizeof(root), "/proc/%d/root", process_reader(pid));
	if (question) {
		question_string_add(question, root);
		question_string_add(question, path ? path : "");
	}
	return open_ask(outside, question, &errand, seen);
}

int outside_lend(const struct outside *outside, const struct seen_file *seen,
		 const struct seen_file *debug, int socket)
{
	const struct errand errand = {
		.job = job_lend,
		.fds = { socket, seen_place(seen), debug ? seen_place(debug) : -1 },
		.patience = ERRAND_NONE,
		.what = seen->path,
		.uid = ERRAND_NO_USER,
	};
	struct errand_answer answer;
	int err = ask(outside, question_new("", 0), &errand, &answer);

	if (!err)
		errand_answer_free(&answer);
	return err == -EAGAIN ? 0 : err;
}

int outside_hold(const struct outside *outside, const struct seen_file *seen,
		 const uint64_t *offsets, size_t count, int *hold)
{
	const struct errand errand = {
		.job = job_hold,
		.question = offsets,
		.len = count * sizeof(*offsets),
		.fds = { seen->place, -1, -1 },
		.what = seen->path,
		.group = group_of_device(major(seen->st.st_dev), minor(seen->st.st_dev)),
		.patience = outside->patience,
		.uid = ERRAND_NO_USER,
	};
	struct errand_answer answer;
	int err;

	*hold = -1;
	if (seen->place < 0 || !outside->errands)
		return 0;
	err = errand_hold(outside->errands, &errand, &answer, hold);
	errand_answer_free(&answer);
	return err;
}

static int offset_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

#define INSTRUCTION_MAX 16 /* bytes that the kernel reads for a probe */

int outside_hold_functions(const struct outside *outside, const struct seen_file *seen,
			   const struct elf_functions *functions, int *hold)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), *offsets;
	size_t i, count = 0, kept = 0;
	int err;

	*hold = -1;
	if (seen->place < 0)
		return 0;
	offsets = calloc(2 * functions->count, sizeof(*offsets));
	if (!offsets)
		return -ENOMEM;
	for (i = 0; i < functions->count; i++) {
		offsets[count++] = function_probe_offset(&functions->list[i]) / page * page;
		offsets[count++] =
			(function_probe_offset(&functions->list[i]) + INSTRUCTION_MAX - 1) / page *
			page;
	}
	qsort(offsets, count, sizeof(*offsets), offset_compare);
	for (i = 0; i < count; i++)
		if (!kept || offsets[i] != offsets[kept - 1])
			offsets[kept++] = offsets[i];
	err = outside_hold(outside, seen, offsets, kept, hold);
	free(offsets);
	return err;
}

/* ---- processes ---- */

static int text_ask(const struct outside *outside, pid_t pid, enum text_kind kind, size_t max,
		    uint64_t since, struct errand_answer *answer)
{
	static const char *const what[] = { "maps", "cmdline", "environ" };
	const struct text_question text = { .kind = kind, .pid = pid, .max = max };
	char name[64];
	const struct errand errand = {
		.job = job_text,
		.fds = { -1, -1, -1 },
		.group = group_of_process(pid),
		.uid = outside_user_of(pid),
		.what = name,
		.patience = outside->patience,
		.since = since,
	};

	snprintf(name, sizeof(name), "/proc/%d/%s", pid, what[kind]);
	return ask(outside, question_new(&text, sizeof(text)), &errand, answer);
}

int outside_maps(const struct outside *outside, pid_t pid, uint64_t since,
		 int (*visit)(void *context, const struct maps_entry *entry), void *context)
{
	struct errand_answer answer;
	int err = text_ask(outside, pid, TEXT_MAPS, 0, since, &answer);

	if (!err && answer.data)
		err = maps_visit(answer.data, visit, context);
	errand_answer_free(&answer);
	return err;
}

static char *strings_ask(const struct outside *outside, pid_t pid, enum text_kind kind, size_t max,
			 size_t *len, int *error)
{
	struct errand_answer answer;
	char *text = NULL;

	*error = text_ask(outside, pid, kind, max, 0, &answer);
	if (!*error) {
		text = answer.data;
		*len = answer.len;
		answer.data = NULL;
	}
	errand_answer_free(&answer);
	return text;
}

char *outside_arguments(const struct outside *outside, pid_t pid, size_t max, size_t *len,
			int *error)
{
	return strings_ask(outside, pid, TEXT_ARGUMENTS, max, len, error);
}

char *outside_devices(const struct outside *outside, pid_t pid, size_t *len, int *error)
{
	return strings_ask(outside, pid, TEXT_DEVICES, 0, len, error);
}

#define WORDS_BATCH 512 /* job_words() takes no more */

int outside_words(const struct outside *outside, pid_t pid, const uint64_t *addresses, size_t count,
		  uint64_t *words)
{
	const struct errand errand = {
		.job = job_words,
		.fds = { -1, -1, -1 },
		.group = group_of_process(pid),
		.uid = outside_user_of(pid),
		.what = "a process's memory",
	};
	size_t at, part;
	int err = 0;

	for (at = 0; at < count && !err; at += part) {
		struct words_question head = { .pid = pid };
		struct errand_answer answer;
		struct question *question;

		part = count - at < WORDS_BATCH ? count - at : WORDS_BATCH;
		head.count = (uint32_t)part;
		question = question_new(&head, sizeof(head));
		if (question)
			question_bytes_add(question, addresses + at, part * sizeof(*addresses));
		err = ask(outside, question, &errand, &answer);
		if (!err && answer.data)
			memcpy(words + at, answer.data, answer.len - answer.len % sizeof(*words));
		errand_answer_free(&answer);
	}
	return err;
}

int outside_name(const struct outside *outside, const struct rec_name_at *record,
		 uint64_t start_time, const char *known, char **name, bool *in_memory)
{
	const struct name_question asked = {
		.start_time = start_time,
		.name = record->name,
		.offset = record->offset,
		.pid = (int32_t)record->hdr.tgid,
		.in_file = record->in_file,
		.id = record->id,
	};
	char what[64], path[CUTOP_PATH_MAX + 1];
	const struct errand errand = {
		.job = job_name,
		.fds = { outside->identifier, -1, -1 },
		.group = group_of_process((pid_t)record->hdr.tgid),
		.uid = outside_user_of((pid_t)record->hdr.tgid),
		.what = what,
	};
	struct question *question = question_new(&asked, sizeof(asked));
	struct errand_answer answer;
	int err;

	snprintf(what, sizeof(what), "memory of process %u", record->hdr.tgid);
	if (question) {
		question_string_add(question, path_of_names(&record->path, path) ? path : "");
		question_string_add(question, known ? known : "");
	}
	err = ask(outside, question, &errand, &answer);
	if (!err && answer.len < 2)
		err = -ENOENT;
	if (!err) {
		*in_memory = answer.data[0];
		*name = strdup(answer.data + 1);
		err = *name ? 0 : -ENOMEM;
	}
	errand_answer_free(&answer);
	return err;
}

const char *outside_error(int error)
{
	if (error == -EINVAL)
		return FILE_NOT_REGULAR;
	if (outside_is_later(error) || error == -ETIMEDOUT)
		return "its file system does not answer";
	return strerror(-error);
}

/* ---- walks ---- */

static int walk_ask(const struct outside *outside, struct question *question, errand_job *job,
		    const char *what, enum errand_patience patience, path_visit *visit,
		    void *context)
{
	const struct errand errand = {
		.job = job,
		.fds = { -1, -1, -1 },
		.what = what,
		.uid = ERRAND_NO_USER,
		.patience = patience,
	};
	struct errand_answer answer;
	int err = ask(outside, question, &errand, &answer);
	const char *path;

	for (path = answer.data; !err && path && path < answer.data + answer.len;
	     path += strlen(path) + 1)
		visit(context, path);
	errand_answer_free(&answer);
	return err;
}

int outside_glob(const struct outside *outside, const char *pattern, path_visit *visit,
		 void *context)
{
	return walk_ask(outside, question_new(pattern, strlen(pattern) + 1), job_glob, pattern,
			outside->patience, visit, context);
}

int outside_ahead(const struct outside *outside, const char *program,
		  const struct ahead_start *start, path_visit *visit, void *context)
{
	struct question *question = question_new("", 0);

	if (question) {
		question_string_add(question, program);
		question_optional_add(question, start->path);
		question_optional_add(question, start->library_path);
		question_optional_add(question, start->preload);
	}
	return walk_ask(outside, question, job_ahead, program, ERRAND_LONG, visit, context);
}
