/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identifies a program's process: its numbers, user, command, container. */
#ifndef MODEL_IDENTITY_H
#define MODEL_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"

struct identity {
	bool begun;      /* REC_PROCESS was seen */
	bool identified; /* REC_IDENTITY was seen */
	/* It ran before it was watched: its figures are lower bounds */
	bool from_attach;
	bool runtime_late; /* only those of the runtime's calls are */
	uint32_t pid, parent_pid, ns_pid, uid;
	uint16_t rank;       /* in its job, and 1; 0: unknown */
	uint64_t start_real; /* from REC_IDENTITY */
	char comm[CUTOP_COMM_LEN + 1];
	char *user, *command, *arguments, *container, *pod; /* cleaned; NULL: unknown */
	char *title; /* what it calls itself instead of the command; NULL: nothing */
};

/* The kernel's name for a process, cleaned and NUL-terminated. */
void identity_comm(const char raw[CUTOP_COMM_LEN], char comm[CUTOP_COMM_LEN + 1]);

/* Takes in the first hooked call. Without memory the command stays unknown. */
void identity_begin(struct identity *identity, const struct rec_process *record);
/*
 * Takes in who the process is; @strings are the @len bytes after @record. Returns 0 with *@rest and
 * *@rest_len set to the last string, the device numbers (NULL: there is none), or -ENOMEM.
 */
int identity_learn(struct identity *identity, const struct rec_identity *record,
		   const char *strings, size_t len, const char **rest, size_t *rest_len);
/* The command if it is known, else the kernel's name for the process. */
const char *identity_name(const struct identity *identity);
/* The same, as it was before it took a title: what is the same all its life. */
const char *identity_label(const struct identity *identity);

#define IDENTITY_BRIEF 80

/* What it is called in the log, without folders: "trainer", "python3 -u train.py". */
const char *identity_brief(const struct identity *identity, char out[IDENTITY_BRIEF]);

void identity_free(struct identity *identity);

/* Whether a program is one that the user asked for by name. */
/*
 * True if @glob (fnmatch(3)) matches @comm, the command, its last path component, or the whole
 * command line. @strings are the @len bytes after a struct rec_identity; they may come from a file
 * and be anything.
 */
bool identity_matches(const char *strings, size_t len, const char *comm, const char *glob);

#endif
