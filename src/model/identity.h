/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process a program is of: its numbers, user, command, container. */
#ifndef MODEL_IDENTITY_H
#define MODEL_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"

struct identity {
	bool begun;			/* REC_PROCESS was seen */
	bool identified;		/* REC_IDENTITY was seen */
	bool from_attach;		/* it ran before it was watched: figures are lower bounds */
	uint32_t pid, parent_pid, ns_pid, uid;
	uint64_t start_real;		/* from REC_IDENTITY */
	char comm[CUTOP_COMM_LEN + 1];
	char *user, *command, *arguments, *container, *pod;	/* cleaned; NULL: not told */
};

/* What the kernel calls a process, cleaned and ended. */
void identity_comm(const char raw[CUTOP_COMM_LEN], char comm[CUTOP_COMM_LEN + 1]);

/* Takes in the first hooked call. Without memory for its command that stays unknown. */
void identity_begin(struct identity *identity, const struct rec_process *record);
/*
 * Takes in who it is; @strings are the @len bytes that follow @record. Returns 0 with *@rest and *@rest_len set to the string
 * of device numbers that stands last (NULL: there is none), or -ENOMEM.
 */
int identity_learn(struct identity *identity, const struct rec_identity *record, const char *strings, size_t len,
		   const char **rest, size_t *rest_len);
/* The command if it is known, else what the kernel calls the process. */
const char *identity_name(const struct identity *identity);
/* Whether @asker means this process by @pid, which is in the asker's own namespace. */
bool identity_is(const struct identity *identity, const struct identity *asker, uint32_t pid);
void identity_free(struct identity *identity);

#endif
