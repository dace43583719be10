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

enum text_kind { TEXT_MAPS, TEXT_ARGUMENTS, TEXT_DEVICES };

/*
 * What each question begins with; a job uses of it what it needs. Strings follow, each ended by NUL,
 * or numbers of 8 bytes: addresses (job_words), offsets (job_hold). If there is an identifier, it is
 * the last descriptor of every job that opens a file; OPEN_PLACE has one before it.
 */
struct question {
	uint32_t kind; /* enum open_way, enum text_kind */
	uint32_t want; /* of a copy */
	int32_t pid;
	uint32_t named; /* as the starter of cutop */
	uint64_t max;   /* bytes of a text */
	/* OPEN_MAPPED: the mapping. A debug file's own file. A name: where it is in memory */
	uint64_t start, end, inode, device;
	uint32_t major, minor;
	struct debug_link link;
	/* Of a name: of its process, and where it is in a file */
	uint64_t start_time, offset;
	uint64_t in_file;
	struct file_id id;
};

#define QUESTION_STRINGS 3

/*
 * Strings: the path (also of what is mapped), or the link and the name; the root and the path, or
 * "", of a debug file; the paths of the file that a name is in, or ""; a pattern; ahead_visit()'s.
 * The answer of job_name() begins with one byte: whether the name was in memory.
 */
errand_job job_open, job_debug, job_text, job_words, job_name, job_glob, job_ahead, job_hold,
	job_lend;

#endif
