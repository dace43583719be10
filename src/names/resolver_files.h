/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that the resolver may ask about: a table by number, with the users who are charged. */
#ifndef NAMES_RESOLVER_FILES_H
#define NAMES_RESOLVER_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#define RESOLVER_FILE_NAME_LEN 64

struct resolver_file {
	uint32_t number;
	/*
	 * the second is -1 if there is none; for a lent file, the first is a socket that the files
	 * come by
	 */
	int fds[2];
	bool lent;
	/*
	 * The users who are charged: the owners of both files. But root's files are there for
	 * everyone: if one file is a user's and the other root's (a system debug file, for
	 * example), only the user's can have been made to do harm, and only that user is charged.
	 */
	uint32_t owners[2];
	unsigned int process; /* the process that has it; 0: none yet */
	bool bad;             /* a process ended at a question about it */
	/* Dropped: it goes once the questions about it are answered */
	bool leaving;
	uint64_t used;
	char name[RESOLVER_FILE_NAME_LEN];
	UT_hash_handle hh;
};

struct resolver_files {
	struct resolver_file *all;
	uint32_t last; /* numbers ascend and are never reused */
	uint64_t clock;
};

/* Removes all. */
void resolver_files_free(struct resolver_files *files);

/* Returns NULL if there is none of that number. */
struct resolver_file *resolver_files_find(const struct resolver_files *files, uint32_t number);

/*
 * Adds a file, with copies of the descriptors; @second_fd: -1 if there is none. Returns NULL
 * without memory or descriptors.
 */
struct resolver_file *resolver_files_new(struct resolver_files *files, int fd, int second_fd,
					 const char *name);

/* Removes @file, and frees it. */
void resolver_files_remove(struct resolver_files *files, struct resolver_file *file);

/*
 * The least recently used of those that are not leaving, or NULL; @staying: how many are not
 * leaving.
 */
struct resolver_file *resolver_files_oldest(const struct resolver_files *files,
					    unsigned int *staying);

/* Notes that @file is used now. */
void resolver_file_use(struct resolver_files *files, struct resolver_file *file);

/* Closes the descriptors. The file stays in the table. */
void resolver_file_close(struct resolver_file *file);

/* Sets who is charged; @debug_owner: of the second file, or the same as @owner. */
void resolver_file_own(struct resolver_file *file, uint32_t owner, uint32_t debug_owner);

#endif
