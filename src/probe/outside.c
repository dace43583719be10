/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The asking end: packs questions and unpacks answers. What workers do is in outside_jobs.c. */
#include "probe/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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
	return stat(path, &st) ? OUTSIDE_NO_USER : st.st_uid;
}

/* A question under construction, and how it is asked. */
struct asking {
	struct errand errand; /* without the question */
	struct question head;
	const char *strings[QUESTION_STRINGS]; /* NULL: no more */
	const uint64_t *numbers;
	size_t number_count;
};

static void asking_begin(struct asking *asking, const struct outside *outside, errand_job *job,
			 const char *what)
{
	/* Also what lies between members: an answer that comes late is found by the question's bytes. */
	memset(asking, 0, sizeof(*asking));
	asking->errand = (struct errand){
		.job = job, .fds = { -1, -1, -1 }, .what = what, .patience = outside->patience
	};
}

/* Returns 0 with @errand's question, which the caller frees, or a negative errno. */
static int question_pack(const struct asking *asking, struct errand *errand)
{
	size_t numbers = asking->number_count * sizeof(*asking->numbers),
	       len = sizeof(asking->head) + numbers, i;
	char *question, *at;

	for (i = 0; i < QUESTION_STRINGS && asking->strings[i]; i++)
		len += strlen(asking->strings[i]) + 1;
	if (len > ERRAND_QUESTION_MAX)
		return -E2BIG;
	question = malloc(len);
	if (!question)
		return -ENOMEM;
	*errand = asking->errand;
	errand->question = question;
	errand->len = len;
	memcpy(question, &asking->head, sizeof(asking->head));
	at = question + sizeof(asking->head);
	if (numbers)
		memcpy(at, asking->numbers, numbers);
	at += numbers;
	for (i = 0; i < QUESTION_STRINGS && asking->strings[i]; i++)
		at = stpcpy(at, asking->strings[i]) + 1;
	return 0;
}

/* @hold: as errand_hold(), or NULL. */
static int hold_ask(const struct outside *outside, const struct asking *asking,
		    struct errand_answer *answer, int *hold)
{
	struct errand errand;
	int err = question_pack(asking, &errand);

	*answer = errand_nothing;
	if (err)
		return err;
	err = hold ? errand_hold(outside->errands, &errand, answer, hold) :
		     errand_ask(outside->errands, &errand, answer);
	free((void *)errand.question);
	if (!err && answer->result < 0) {
		/* These results are about the errand itself: there is no answer to unpack. */
		err = outside_is_later(answer->result) || answer->result == -ETIMEDOUT ?
			      -EIO :
			      answer->result;
		errand_answer_free(answer);
	}
	return err;
}

static int ask(const struct outside *outside, const struct asking *asking,
	       struct errand_answer *answer)
{
	return hold_ask(outside, asking, answer, NULL);
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

static void opening_begin(struct asking *asking, const struct outside *outside, enum open_way how,
			  const char *path, unsigned int want)
{
	asking_begin(asking, outside, job_open, path);
	asking->errand.fds[0] = outside->identifier;
	asking->head.kind = how;
	asking->head.want = want;
	asking->strings[0] = path;
}

static int open_ask(const struct outside *outside, const struct asking *asking,
		    struct seen_file *seen)
{
	struct errand_answer answer;
	int err;

	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	err = ask(outside, asking, &answer);
	return err ? err : seen_take(&answer, seen);
}

int outside_open(const struct outside *outside, const char *path, bool named, unsigned int want,
		 enum errand_patience patience, struct seen_file *seen)
{
	struct asking asking;

	opening_begin(&asking, outside, OPEN_PATH, path, want);
	asking.errand.patience = patience;
	asking.head.named = named;
	return open_ask(outside, &asking, seen);
}

int outside_open_cached(const struct outside *outside, const char *path, unsigned int want,
			struct seen_file *seen)
{
	struct asking asking;

	opening_begin(&asking, outside, OPEN_CACHED, path, want);
	return open_ask(outside, &asking, seen);
}

int outside_open_real(const struct outside *outside, const char *path, bool named,
		      unsigned int want, struct seen_file *seen)
{
	struct asking asking;

	opening_begin(&asking, outside, OPEN_REAL, path, want);
	asking.head.named = named;
	return open_ask(outside, &asking, seen);
}

int outside_open_again(const struct outside *outside, int fd, bool is_place, const char *path,
		       unsigned int want, struct seen_file *seen)
{
	struct asking asking;

	opening_begin(&asking, outside, OPEN_PLACE, path, want);
	if (is_place) {
		asking.errand.fds[0] = fd;
		asking.errand.fds[1] = outside->identifier;
		return open_ask(outside, &asking, seen);
	}
	*seen = (struct seen_file){
		.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .place = -1, .own = true, .path = strdup(path)
	};
	if (seen->fd >= 0 && seen->path && !fstat(seen->fd, &seen->st)) {
		seen->identified =
			!identify_file(outside->identifier, seen->fd, &seen->id, &seen->magic);
		return 0;
	}
	seen_close(seen);
	return -ENOMEM;
}

int outside_open_mapped(const struct outside *outside, pid_t pid, const struct maps_entry *entry,
			unsigned int want, struct seen_file *seen)
{
	struct asking asking;

	opening_begin(&asking, outside, OPEN_MAPPED, entry->path, want);
	asking.errand.group = group_of_device(entry->major, entry->minor);
	asking.head.pid = pid;
	asking.head.start = entry->start;
	asking.head.end = entry->end;
	asking.head.inode = entry->inode;
	asking.head.major = entry->major;
	asking.head.minor = entry->minor;
	return open_ask(outside, &asking, seen);
}

int outside_open_link(const struct outside *outside, pid_t pid, const char *link, const char *name,
		      unsigned int want, struct seen_file *seen)
{
	struct asking asking;
	char path[64], real[4096];
	ssize_t n;

	opening_begin(&asking, outside, OPEN_LINK, link, want);
	/* The link itself is in the kernel's /proc: reading it does not wait. */
	snprintf(path, sizeof(path), "/proc/%d/%s", process_reader(pid), link);
	n = readlink(path, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = 0;
	asking.errand.what = n > 0 ? real : path;
	asking.head.pid = pid;
	asking.strings[1] = name ? name : "";
	return open_ask(outside, &asking, seen);
}

int outside_open_debug(const struct outside *outside, const struct seen_file *of, pid_t pid,
		       const char *path, struct seen_file *seen)
{
	struct asking asking;
	char root[64];

	asking_begin(&asking, outside, job_debug, path);
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	if (debug_link_read(of->fd, &asking.head.link))
		return -ENOENT;
	snprintf(root, sizeof(root), "/proc/%d/root", process_reader(pid));
	asking.errand.fds[0] = outside->identifier;
	asking.head.device = of->st.st_dev;
	asking.head.inode = of->st.st_ino;
	asking.strings[0] = root;
	asking.strings[1] = path ? path : "";
	return open_ask(outside, &asking, seen);
}

int outside_lend(const struct outside *outside, const struct seen_file *seen,
		 const struct seen_file *debug, int socket)
{
	struct asking asking;
	struct errand_answer answer;
	int err;

	asking_begin(&asking, outside, job_lend, seen->path);
	asking.errand.fds[0] = socket;
	asking.errand.fds[1] = seen_place(seen);
	asking.errand.fds[2] = debug ? seen_place(debug) : -1;
	asking.errand.patience = ERRAND_NONE;
	err = ask(outside, &asking, &answer);
	if (!err)
		errand_answer_free(&answer);
	return err == -EAGAIN ? 0 : err;
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
	struct errand_answer answer;
	struct asking asking;
	int err;

	*hold = -1;
	if (seen->place < 0 || !outside->errands)
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
	asking_begin(&asking, outside, job_hold, seen->path);
	asking.errand.fds[0] = seen->place;
	asking.errand.group = group_of_device(major(seen->st.st_dev), minor(seen->st.st_dev));
	asking.numbers = offsets;
	asking.number_count = kept;
	err = hold_ask(outside, &asking, &answer, hold);
	errand_answer_free(&answer);
	free(offsets);
	return err;
}

/* ---- processes ---- */

static int text_ask(const struct outside *outside, pid_t pid, enum text_kind kind, size_t max,
		    uint64_t since, struct errand_answer *answer)
{
	static const char *const what[] = { "maps", "cmdline", "environ" };
	char name[64];
	struct asking asking;

	asking_begin(&asking, outside, job_text, name);
	snprintf(name, sizeof(name), "/proc/%d/%s", pid, what[kind]);
	asking.errand.group = group_of_process(pid);
	asking.errand.since = since;
	asking.head.kind = kind;
	asking.head.pid = pid;
	asking.head.max = max;
	return ask(outside, &asking, answer);
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
	struct asking asking;
	struct errand_answer answer;
	size_t at, part;
	int err = 0;

	asking_begin(&asking, outside, job_words, "a process's memory");
	asking.errand.group = group_of_process(pid);
	asking.head.pid = pid;
	for (at = 0; at < count && !err; at += part) {
		part = count - at < WORDS_BATCH ? count - at : WORDS_BATCH;
		asking.numbers = addresses + at;
		asking.number_count = part;
		err = ask(outside, &asking, &answer);
		if (!err && answer.data)
			memcpy(words + at, answer.data, answer.len - answer.len % sizeof(*words));
		errand_answer_free(&answer);
	}
	return err;
}

int outside_name(const struct outside *outside, const struct rec_name_at *record,
		 uint64_t start_time, const char *known, char **name, bool *in_memory)
{
	char what[64], path[CUTOP_PATH_MAX + 1];
	struct asking asking;
	struct errand_answer answer;
	int err;

	asking_begin(&asking, outside, job_name, what);
	snprintf(what, sizeof(what), "memory of process %u", record->hdr.tgid);
	asking.errand.fds[0] = outside->identifier;
	asking.errand.group = group_of_process((pid_t)record->hdr.tgid);
	asking.head.pid = (int32_t)record->hdr.tgid;
	asking.head.start_time = start_time;
	asking.head.start = record->name;
	asking.head.offset = record->offset;
	asking.head.in_file = record->in_file;
	asking.head.id = record->id;
	asking.strings[0] = path_of_names(&record->path, path) ? path : "";
	asking.strings[1] = known ? known : "";
	err = ask(outside, &asking, &answer);
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

static int walk_ask(const struct outside *outside, const struct asking *asking, path_visit *visit,
		    void *context)
{
	struct errand_answer answer;
	int err = ask(outside, asking, &answer);
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
	struct asking asking;

	asking_begin(&asking, outside, job_glob, pattern);
	asking.strings[0] = pattern;
	return walk_ask(outside, &asking, visit, context);
}

int outside_ahead(const struct outside *outside, const char *program, const char *library_path,
		  const char *preload, path_visit *visit, void *context)
{
	struct asking asking;

	asking_begin(&asking, outside, job_ahead, program);
	asking.errand.patience = ERRAND_LONG;
	asking.strings[0] = program;
	asking.strings[1] = library_path ? library_path : "";
	asking.strings[2] = preload ? preload : "";
	return walk_ask(outside, &asking, visit, context);
}
