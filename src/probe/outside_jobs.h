/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions that outside.c puts to outside_jobs.c. Strings follow them, each ended by NUL. */
#ifndef PROBE_OUTSIDE_JOBS_H
#define PROBE_OUTSIDE_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "errand/errand.h"
#include "probe/outside.h"

/* The answer of all jobs that open a file; its path follows. The descriptors are fd and place. */
struct seen_told {
	struct stat st;
	struct file_id id;
	uint32_t magic;
	uint8_t identified, own, layered;
	uint8_t pad;
};

enum open_way { OPEN_PATH, OPEN_CACHED, OPEN_MAPPED, OPEN_LINK, OPEN_PLACE, OPEN_REAL };

/*
 * Strings, by job: the path; the mapping's path; the link and the name; the path. If there is an
 * identifier, it is the last descriptor of every job that opens a file; OPEN_PLACE has one before
 * it.
 */
struct open_question {
	uint32_t how; /* enum open_way */
	uint32_t want;
	int32_t pid;
	uint32_t named;             /* as the starter of cutop */
	uint64_t start, end, inode; /* OPEN_MAPPED */
	uint32_t major, minor;      /* the same */
};

/* Strings: the root, the path, or "". */
struct debug_question {
	uint64_t device, inode;
	struct debug_link link;
};

enum text_kind { TEXT_MAPS, TEXT_ARGUMENTS, TEXT_DEVICES };

struct text_question {
	uint32_t kind;
	int32_t pid;
	uint64_t max;
};

/* Addresses follow. */
struct words_question {
	int32_t pid;
	uint32_t count;
};

/* Strings: its path, where it was found. */
struct name_question {
	uint64_t start_time;
	uint64_t name, offset;
	int32_t pid;
	uint32_t in_file;
	struct file_id id;
};

/* The answer begins with one byte: whether the name was in memory. */

errand_job job_open, job_debug, job_text, job_words, job_name, job_glob, job_ahead, job_hold,
	job_lend;

struct question {
	char bytes[ERRAND_QUESTION_MAX];
	size_t len;
	bool is_cut; /* something did not fit */
};

/* Returns a question that begins with the @len bytes at @head, or NULL; the caller frees it. */
struct question *question_new(const void *head, size_t len);

void question_bytes_add(struct question *question, const void *bytes, size_t len);

void question_string_add(struct question *question, const char *text);

/* Adds a string that may be NULL: "+text", or "-". */
void question_optional_add(struct question *question, const char *text);

#endif
