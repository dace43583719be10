/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc says of a process, where every look gets another answer: the process runs on
 * meanwhile, ends, runs another program, or another one has its number.
 *
 * The input: the process as BPF tells of it (struct rec_process), then answers, taken in turn: how
 * long each is (2 bytes, little-endian; 65535: there is none), and its bytes. Files that are opened
 * by what an answer said hold answers, too. The functions that ask are replaced here (fuzz.mk).
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/late_kernels.h"
#include "collect/process_identity.h"
#include "cuda/visible_devices.h"
#include "fuzz.h"
#include "model/model.h"
#include "names/symbols.h"
#include "probe/outside.h"

#define NO_ANSWER 65535u
#define FILES_MAX 64         /* opened for one input */
#define PID       0x7ffffff0 /* no process has it */

static struct {
	const uint8_t *data;
	size_t size;
	unsigned int files;
} answers;

char *__wrap_file_read(const char *path, size_t max, size_t *len);
char *__real_file_read(const char *path, size_t max, size_t *len);
ssize_t __wrap_readlink(const char *path, char *out, size_t size);
ssize_t __real_readlink(const char *path, char *out, size_t size);

/* Returns NULL if there is none. */
static const uint8_t *answer_next(size_t *len)
{
	uint16_t size;

	if (answers.size < sizeof(size))
		return NULL;
	memcpy(&size, answers.data, sizeof(size));
	answers.data += sizeof(size);
	answers.size -= sizeof(size);
	if (size == NO_ANSWER)
		return NULL;
	*len = size < answers.size ? size : answers.size;
	answers.data += *len;
	answers.size -= *len;
	return answers.data - *len;
}

static bool is_proc(const char *path)
{
	return !strncmp(path, "/proc/2147483632/", 17);
}

char *__wrap_file_read(const char *path, size_t max, size_t *len)
{
	const uint8_t *answer;
	size_t size;
	char *text;

	if (!is_proc(path))
		return __real_file_read(path, max, len);
	answer = answer_next(&size);
	if (!answer)
		return NULL;
	if (size > max)
		size = max;
	text = malloc(size + 1);
	if (!text)
		abort();
	memcpy(text, answer, size);
	text[size] = 0;
	if (len)
		*len = size;
	return text;
}

ssize_t __wrap_readlink(const char *path, char *out, size_t size)
{
	const uint8_t *answer;
	size_t len;

	if (!is_proc(path))
		return __real_readlink(path, out, size);
	answer = answer_next(&len);
	if (!answer)
		return -1;
	if (len > size)
		len = size;
	memcpy(out, answer, len);
	return (ssize_t)len;
}

/* ---- probe/outside.h ---- */

unsigned int errands_news(const struct errands *errands)
{
	(void)errands;
	return 0;
}

void seen_close(struct seen_file *seen)
{
	if (seen->fd >= 0)
		close(seen->fd);
	free(seen->path);
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
}

static char *answer_copy(size_t max, size_t *len)
{
	const uint8_t *answer = answer_next(len);
	char *text;

	if (!answer)
		return NULL;
	if (*len > max)
		*len = max;
	text = malloc(*len + 1);
	if (!text)
		abort();
	memcpy(text, answer, *len);
	text[*len] = 0;
	return text;
}

static char *strings_of(pid_t pid, size_t max, size_t *len, int *error)
{
	char *text = answer_copy(max, len);

	if (pid != PID)
		abort();
	*error = text ? 0 : -ESRCH;
	return text;
}

char *outside_arguments(const struct outside *outside, pid_t pid, size_t max, size_t *len,
			int *error)
{
	(void)outside;
	return strings_of(pid, max, len, error);
}

char *outside_devices(const struct outside *outside, pid_t pid, size_t *len, int *error)
{
	(void)outside;
	return strings_of(pid, SIZE_MAX - 1, len, error);
}

int outside_maps(const struct outside *outside, pid_t pid, uint64_t since,
		 int (*visit)(void *context, const struct maps_entry *entry), void *context)
{
	size_t len;
	char *text = strings_of(pid, SIZE_MAX - 1, &len, &(int){ 0 });
	int result = text ? maps_visit(text, visit, context) : -ESRCH;

	(void)outside;
	(void)since;
	free(text);
	return result;
}

int outside_open_mapped(const struct outside *outside, pid_t pid, const struct maps_entry *entry,
			unsigned int want, struct seen_file *seen)
{
	const uint8_t *answer = answers.files++ < FILES_MAX ? answer_next(&(size_t){ 0 }) : NULL;

	(void)outside;
	(void)pid;
	(void)want;
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	if (!answer)
		return -ENOENT;
	seen->fd = memfd_create("proc", MFD_CLOEXEC);
	seen->path = strdup(entry->path);
	if (seen->fd < 0 || !seen->path ||
	    write(seen->fd, answer, (size_t)(answers.data - answer)) != answers.data - answer)
		abort();
	return 0;
}

int outside_open_debug(const struct outside *outside, const struct seen_file *of, pid_t pid,
		       const char *path, struct seen_file *seen)
{
	(void)outside;
	(void)of;
	(void)pid;
	(void)path;
	*seen = (struct seen_file){ .fd = -1, .place = -1 };
	return -ENOENT;
}

/* The memory of the process: each word is what its answer says, until one is missing. */
int outside_words(const struct outside *outside, pid_t pid, const uint64_t *addresses, size_t count,
		  uint64_t *words)
{
	const uint8_t *answer;
	size_t i, len;

	(void)outside;
	(void)addresses;
	if (pid != PID)
		abort();
	for (i = 0; i < count && (answer = answer_next(&len)) && len >= sizeof(*words); i++)
		memcpy(&words[i], answer, sizeof(*words));
	return 0;
}

/* The record's strings end within it, and the model takes it for what it is. */
static void identity_try(const struct rec_process *process)
{
	struct model_config config = { .start_mono = 1, .start_real = 1700000000000000000ull };
	const struct visible_gpus gpus = { .count = 0 };
	struct device_clues clues;
	struct rec_identity *identity = identity_read(NULL, process, true, &clues, &(int){ 0 });
	struct model *model = model_new(&config);
	const char *at, *end;
	int i;

	if (!model || !identity)
		abort();
	identity_devices(identity, &clues, &gpus);
	end = (const char *)identity + identity->hdr.size;
	for (at = identity->strings, i = 0; i < 6; i++) {
		at = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
		if (!at)
			abort();
		at++;
	}
	model_record(model, &process->hdr, sizeof(*process));
	if (model_record(model, &identity->hdr, identity->hdr.size))
		abort();
	fuzz_show(model_snapshot(model, 1000000000, 3));
	free(clues.text);
	model_free(model);
	free(identity);
}

static int mapping_try(void *context, const struct maps_entry *entry)
{
	struct symbols *symbols;
	struct seen_file seen;
	uint64_t distance;

	(void)context;
	if (outside_open_mapped(NULL, PID, entry, 0, &seen))
		return 0;
	if (!symbols_read(seen.fd, -1, UINT64_MAX, &symbols)) {
		symbols_find(symbols, entry->offset, &distance);
		symbols_free(symbols);
	}
	seen_close(&seen);
	return 0;
}

static void kernels_try(void)
{
	struct late_kernels *late = late_kernels_new(&(struct outside){ .errands = NULL });
	uint64_t handle;

	if (!late)
		abort();
	for (handle = 1; handle < 5; handle++) {
		const char *name = late_kernels_name(late, 1, PID, handle);

		if (name && strlen(name) > 4096)
			abort();
	}
	late_kernels_forget(late, 1);
	late_kernels_free(late);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rec_process process;

	if (size < sizeof(process))
		return 0;
	memcpy(&process, data, sizeof(process));
	process.hdr = (struct rec_hdr){
		.type = REC_PROCESS, .size = sizeof(process), .program = 1, .tgid = PID, .time = 1
	};
	process.parent_tgid = PID;
	answers.data = data + sizeof(process);
	answers.size = size - sizeof(process);
	answers.files = 0;
	identity_try(&process);
	outside_maps(NULL, PID, 0, mapping_try, NULL);
	kernels_try();
	return 0;
}
