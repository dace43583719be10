/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the place of the feed's helper processes: feed_world.h. Apart from the rest of the world, which
 * other fuzzers need as well: those have the real ones.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "feed_world.h"
#include "names/resolver_process.h"

int __wrap_kill(pid_t pid, int signal);
int __real_kill(pid_t pid, int signal);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __real_waitpid(pid_t pid, int *status, int options);

int __wrap_kill(pid_t pid, int signal)
{
	return pid == WORLD_PID ? 0 : __real_kill(pid, signal);
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	return pid == WORLD_PID ? pid : __real_waitpid(pid, status, options);
}

void world_reader_end(void)
{
	if (world.reader >= 0)
		close(world.reader);
	world.reader = -1;
}

int resolver_process_start(enum resolver_use use, uint64_t memory, pid_t *pid)
{
	int ends[2];

	(void)memory;
	if (use == RESOLVER_NAMES)
		return -1; /* fuzz_mangled has it */
	world_reader_end();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		abort();
	world.reader = ends[1];
	*pid = WORLD_PID;
	return ends[0];
}
