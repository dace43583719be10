/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of names that take long to read. A program may report any number of unreadable names, each
 * of which takes longer than any other record: after some failures, no more are tried for that
 * program.
 */
#include "collect/unread_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "collect/record_sink.h"

#define WAITING_MAX 4096
#define VAIN_MAX    256 /* failures after which a program's names are no longer tried */

struct waiting {
	struct rec_name_at record;
	uint64_t start_time;
	struct waiting *next;
};

struct vain {
	uint32_t program;
	unsigned int count;
	UT_hash_handle hh;
};

struct unread_names {
	struct probe *probe;
	struct waiting *waiting, **end;
	size_t count;
	unsigned int news; /* errands_news() when they were tried last */
	struct vain *vain;
};

struct unread_names *unread_names_new(struct probe *probe)
{
	struct unread_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->probe = probe;
	names->end = &names->waiting;
	return names;
}

static struct waiting *first_take(struct unread_names *names)
{
	struct waiting *waiting = names->waiting;

	names->waiting = waiting->next;
	if (!names->waiting)
		names->end = &names->waiting;
	names->count--;
	return waiting;
}

static void put_last(struct unread_names *names, struct waiting *waiting)
{
	waiting->next = NULL;
	*names->end = waiting;
	names->end = &waiting->next;
	names->count++;
}

void unread_names_free(struct unread_names *names)
{
	struct vain *vain, *next;

	if (!names)
		return;
	while (names->count)
		free(first_take(names));
	HASH_ITER(hh, names->vain, vain, next) {
		HASH_DEL(names->vain, vain);
		free(vain);
	}
	free(names);
}

void unread_names_forget(struct unread_names *names, uint32_t program)
{
	size_t count = names->count;
	struct waiting *waiting;
	struct vain *vain;

	while (count--) {
		waiting = first_take(names);
		if (waiting->record.hdr.program == program)
			free(waiting);
		else
			put_last(names, waiting);
	}
	HASH_FIND(hh, names->vain, &program, sizeof(program), vain);
	if (vain) {
		HASH_DEL(names->vain, vain);
		free(vain);
	}
}

/* Counts a name of @program that could not be read. */
static void vain_count(struct unread_names *names, uint32_t program)
{
	struct vain *vain;

	HASH_FIND(hh, names->vain, &program, sizeof(program), vain);
	if (!vain) {
		vain = calloc(1, sizeof(*vain));
		if (!vain)
			return;
		vain->program = program;
		HASH_ADD(hh, names->vain, program, sizeof(vain->program), vain);
	}
	vain->count++;
}

/*
 * Makes the record for @name, the name of what @record reports. @late: the kernel is known already,
 * without a name.
 */
static struct rec_hdr *record_new(const struct rec_name_at *record, const char *name, bool late)
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

static int name_read(struct unread_names *names, const struct rec_name_at *record,
		     uint64_t start_time, bool late, struct rec_hdr **result)
{
	const char *known = record->in_file ? probe_file_path(names->probe, &record->id) : NULL;
	bool in_memory;
	char *name;
	int err;

	*result = NULL;
	err = outside_name(probe_outside(names->probe), record, start_time, known, &name,
			   &in_memory);
	if (err)
		return err;
	/* It may belong to the program that has since replaced this one in the process. */
	if (in_memory && probe_has_left(names->probe, record->hdr.program))
		err = -ESRCH;
	if (!err)
		*result = record_new(record, name, late);
	free(name);
	return err ? err : *result ? 0 : -ENOMEM;
}

int unread_names_read(struct unread_names *names, const struct rec_name_at *record,
		      uint64_t start_time, struct rec_hdr **result)
{
	uint32_t program = record->hdr.program;
	struct waiting *waiting;
	struct vain *vain;
	int err;

	*result = NULL;
	HASH_FIND(hh, names->vain, &program, sizeof(program), vain);
	if (vain && vain->count >= VAIN_MAX)
		return -EFAULT;
	err = name_read(names, record, start_time, false, result);
	if (!outside_is_later(err)) {
		if (err)
			vain_count(names, program);
		return err;
	}
	waiting = names->count < WAITING_MAX ? malloc(sizeof(*waiting)) : NULL;
	if (!waiting)
		return -ENOMEM;
	waiting->record = *record;
	waiting->start_time = start_time;
	put_last(names, waiting);
	return -EAGAIN;
}

void unread_names_again(struct unread_names *names,
			void (*told)(void *context, uint32_t program, struct rec_hdr *record,
				     int error),
			void *context)
{
	unsigned int news = errands_news(probe_outside(names->probe)->errands);
	size_t count = names->count;

	if (!count || news == names->news)
		return;
	names->news = news;
	while (count--) {
		struct waiting *waiting = first_take(names);
		struct rec_hdr *record;
		int err = name_read(names, &waiting->record, waiting->start_time, true, &record);

		if (outside_is_later(err)) {
			put_last(names, waiting);
			continue;
		}
		if (err)
			vain_count(names, waiting->record.hdr.program);
		told(context, waiting->record.hdr.program, record, err);
		free(record);
		free(waiting);
	}
}

bool unread_names_wait(const struct unread_names *names, uint32_t program)
{
	const struct waiting *waiting;

	for (waiting = names->waiting; waiting; waiting = waiting->next)
		if (!program || waiting->record.hdr.program == program)
			return true;
	return false;
}
