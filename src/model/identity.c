/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/identity.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/snapshot.h"
#include "util/utf8.h"
#include "util/util.h"

static int replace(char **field, const char *text, size_t len)
{
	char *copy = utf8_clean_copy(text, len);

	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

void identity_comm(const char raw[CUTOP_COMM_LEN], char comm[CUTOP_COMM_LEN + 1])
{
	char text[CUTOP_COMM_LEN + 1] = "";

	memcpy(text, raw, CUTOP_COMM_LEN);
	utf8_clean(text, comm, sizeof(text));
}

void identity_begin(struct identity *identity, const struct rec_process *record)
{
	identity->begun = true;
	identity->parent_pid = identity->identified ? identity->parent_pid : record->parent_tgid;
	identity->uid = identity->identified ? identity->uid : record->uid;
	identity_comm(record->comm, identity->comm);
	/*
	 * Until it is identified: the kernel calls a program that was started through
	 * /proc/self/exe "exe".
	 */
	if (!identity->command && record->args_len <= sizeof(record->args) &&
	    strnlen(record->args, record->args_len))
		replace(&identity->command, record->args, record->args_len);
}

int identity_learn(struct identity *identity, const struct rec_identity *record,
		   const char *strings, size_t len, const char **rest, size_t *rest_len)
{
	char **fields[] = { &identity->user, &identity->command, &identity->arguments,
			    &identity->container, &identity->pod };
	size_t i;

	identity->identified = true;
	identity->start_real = record->start_time;
	identity->parent_pid = record->parent_tgid;
	identity->uid = record->uid;
	identity->ns_pid = record->ns_tgid;
	if (record->rank)
		identity->rank = record->rank;
	identity->from_attach = record->watched_from == WATCHED_FROM_ATTACH;
	identity->runtime_late = record->watched_from == WATCHED_RUNTIME_LATER;
	if (record->has_title)
		fields[1] = &identity->title;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]) && len; i++) {
		size_t used = strnlen(strings, len);
		/* A title has no arguments, or others. */
		bool is_known = used || (record->has_title && fields[i] == &identity->arguments);

		if (is_known && replace(fields[i], strings, used) < 0)
			return -ENOMEM;
		used += used < len;
		strings += used;
		len -= used;
	}
	*rest = len ? strings : NULL;
	*rest_len = strnlen(strings, len);
	return 0;
}

const char *identity_label(const struct identity *identity)
{
	return identity->command && *identity->command ? identity->command : identity->comm;
}

const char *identity_name(const struct identity *identity)
{
	return identity->title && *identity->title ? identity->title : identity_label(identity);
}

const char *identity_brief(const struct identity *identity, char out[IDENTITY_BRIEF])
{
	const char *name = command_basename(identity_name(identity));
	char words[1024] = "", whole[2048], *rest, *word;
	int used = snprintf(whole, sizeof(whole), "%.1000s", name);

	/* An interpreter's name says little without the program that it runs. */
	if (identity->arguments && !strncmp(name, "python", strlen("python")))
		snprintf(words, sizeof(words), "%s", identity->arguments);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		used += sprintf(whole + used, " %s", command_basename(word));
		if (*word != '-' || !strcmp(word, "-c"))
			break;
	}
	return utf8_fit(out, IDENTITY_BRIEF, whole, IDENTITY_BRIEF / 2);
}

void identity_free(struct identity *identity)
{
	free(identity->user);
	free(identity->command);
	free(identity->title);
	free(identity->arguments);
	free(identity->container);
	free(identity->pod);
}

bool identity_matches(const char *strings, size_t len, const char *comm, const char *glob)
{
	/* Two NULs at the end: an empty string follows the last one. */
	char *copy = calloc(1, len + 3), *command, *arguments, *slash, *whole;
	bool matches;

	if (!copy)
		return false;
	memcpy(copy, strings, len);
	command = copy + strlen(copy) + 1; /* the command follows the user */
	arguments = command + strlen(command) + 1;
	slash = strrchr(command, '/');
	matches = !fnmatch(glob, comm, 0) || !fnmatch(glob, command, 0) ||
		  (slash && !fnmatch(glob, slash + 1, 0));
	if (!matches) {
		whole = format_new("%s %s", command, arguments);
		matches = whole && !fnmatch(glob, whole, 0);
		free(whole);
	}
	free(copy);
	return matches;
}
