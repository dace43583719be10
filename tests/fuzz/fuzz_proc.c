/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc says of a process, where every look gets another answer: the process runs on meanwhile, ends, runs another program,
 * or another one has its number.
 *
 * The input: the process as BPF tells of it (struct rec_process), then answers, taken in turn: how long each is (2 bytes,
 * little-endian; 65535: there is none), and its bytes. Files that are opened by what an answer said hold answers, too. The
 * functions that ask are replaced here (fuzz.mk).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collect/process_identity.h"
#include "collect/late_kernels.h"
#include "fuzz.h"
#include "model/model.h"
#include "names/symbols.h"
#include "probe/maps.h"

#define NO_ANSWER	65535u
#define FILES_MAX	64	/* opened for one input */
#define PID		0x7ffffff0	/* no process has it */

static struct {
	const uint8_t *data;
	size_t size;
	unsigned int files;
} answers;

char *__wrap_file_read(const char *path, size_t max, size_t *len);
char *__real_file_read(const char *path, size_t max, size_t *len);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__real_fopen(const char *path, const char *mode);
int __wrap_file_open_regular(const char *path);
int __real_file_open_regular(const char *path);
ssize_t __wrap_readlink(const char *path, char *out, size_t size);
ssize_t __real_readlink(const char *path, char *out, size_t size);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long local_count, const struct iovec *remote,
				unsigned long remote_count, unsigned long flags);

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

FILE *__wrap_fopen(const char *path, const char *mode)
{
	const uint8_t *answer;
	size_t size;

	if (!is_proc(path))
		return __real_fopen(path, mode);
	answer = answer_next(&size);
	return answer && size ? fmemopen((void *)answer, size, "r") : NULL;
}

int __wrap_file_open_regular(const char *path)
{
	const uint8_t *answer;
	size_t size;
	int fd;

	if (!is_proc(path))
		return __real_file_open_regular(path);
	answer = answers.files++ < FILES_MAX ? answer_next(&size) : NULL;
	if (!answer)
		return -1;
	fd = memfd_create("proc", MFD_CLOEXEC);
	if (fd < 0 || write(fd, answer, size) != (ssize_t)size)
		abort();
	return fd;
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

/* The memory of the process: each variable is what its answer says, until one is missing. */
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long local_count, const struct iovec *remote,
				unsigned long remote_count, unsigned long flags)
{
	const uint8_t *answer;
	ssize_t done = 0;
	unsigned long i;
	size_t len;

	if (pid != PID || flags || local_count != remote_count)
		abort();
	for (i = 0; i < local_count; i++) {
		answer = answer_next(&len);
		if (!answer || len < local[i].iov_len || local[i].iov_len != remote[i].iov_len)
			return done ? done : -1;
		memcpy(local[i].iov_base, answer, local[i].iov_len);
		done += (ssize_t)local[i].iov_len;
	}
	return done;
}

/* The record's strings end within it, and the model takes it for what it is. */
static void identity_try(const struct rec_process *process)
{
	struct model_config config = { .start_mono = 1, .start_real = 1700000000000000000ull };
	struct rec_identity *identity = identity_read(process, true);
	struct model *model = model_new(&config);
	const char *at, *end;
	int i;

	if (!model || !identity)
		abort();
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
	identity_drop_devices(identity);
	model_free(model);
	free(identity);
}

static int mapping_try(void *context, const struct maps_entry *entry)
{
	int fd = maps_open(PID, entry);
	struct symbols *symbols;
	uint64_t distance;

	(void)context;
	if (fd < 0)
		return 0;
	if (!symbols_read(fd, -1, NULL, &symbols)) {
		symbols_find(symbols, entry->offset, &distance);
		symbols_free(symbols);
	}
	close(fd);
	return 0;
}

static void kernels_try(void)
{
	struct late_kernels *late = late_kernels_new(NULL);
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
	process.hdr = (struct rec_hdr){ .type = REC_PROCESS, .size = sizeof(process), .image = 1, .tgid = PID, .time = 1 };
	process.parent_tgid = PID;
	answers.data = data + sizeof(process);
	answers.size = size - sizeof(process);
	answers.files = 0;
	identity_try(&process);
	maps_visit(PID, mapping_try, NULL);
	kernels_try();
	return 0;
}
