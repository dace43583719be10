/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of truth of native_stacks.c and native_stacks_cxx.cc. */
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "native_stacks.h"

static const struct ns_scenario *now;
static atomic_size_t next_bytes;
static int file = -1;
static _Thread_local void *room[NS_DEPTH];

/* The first argument is the file, "-" for none; the second is how many bytes are allocated first. */
void ns_begin(int argc, char **argv)
{
	void *warm[2];

	if (next_bytes || argc < 3)
		return;
	next_bytes = strtoull(argv[2], NULL, 10);
	/* It loads a library when it is called first, which is no matter for a signal handler. */
	backtrace(warm, 2);
	if (!strcmp(argv[1], "-"))
		return;
	file = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (file < 0) {
		perror(argv[1]);
		exit(3);
	}
}

void ns_enter(const struct ns_scenario *scenario)
{
	now = scenario;
}

size_t ns_bytes(void)
{
	return next_bytes++;
}

void **ns_room(void)
{
	return room;
}

void ns_note(size_t bytes, void **at, int count)
{
	char line[64 + 20 * NS_DEPTH];
	int len, i;

	if (file < 0)
		return;
	if (count < now->deep) {
		fprintf(stderr, "native_stacks: %s: backtrace() has %d addresses, not %d\n",
			now->name, count, now->deep);
		exit(3);
	}
	len = snprintf(line, sizeof(line), "%s %d %zu", now->name, now->least, bytes);
	for (i = 0; i < count; i++)
		len += snprintf(line + len, sizeof(line) - (size_t)len, " %p", at[i]);
	line[len++] = '\n';
	/* In one piece: threads write, too. */
	if (write(file, line, (size_t)len) != len)
		exit(3);
}
