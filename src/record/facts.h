/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts: the text at the start of a recording. */
#ifndef RECORD_FACTS_H
#define RECORD_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

struct facts {
	uint64_t start_mono, start_real; /* ns, as in struct model_config */
	uint64_t leak_age;               /* ns */
	/* COMMAND was watched: the recording ends with it */
	bool has_command;
	bool has_calls;   /* every call was recorded: record --trace */
	char version[64]; /* of cutop */
	char host[256];
	/* The command line, for people; cut where it is longer */
	char options[1024];
};

/*
 * Makes the text of @facts, together with what else a reader has to know: the sizes of records, and
 * the names behind their numbers. Returns its length, and *@text for the caller to free; or
 * -ENOMEM.
 */
long facts_write(const struct facts *facts, char **text);

/* Numbers in a recording that differ from ours. */
struct numbers {
	uint16_t *calls; /* our number for each of the recording's; NULL: the same */
	size_t call_count;
	uint16_t *lost;
	size_t lost_count;
};

/*
 * Parses the @len bytes of @text. Returns 0 or a negative errno with @why. Free *@numbers with
 * numbers_free().
 */
int facts_read(const char *text, size_t len, struct facts *facts, struct numbers *numbers,
	       struct reason *why);
void numbers_free(struct numbers *numbers);

#endif
