/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a helper process gives up before it looks at anything that a watched program wrote. */
#include "util/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/util.h"

#define USER_OF_NOTHING 65534 /* the kernel's overflowuid: no file is its own */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "unknown machine"
#endif

int confine_calls(const int *calls, unsigned int count)
{
	enum { HEAD = 4 };
	struct sock_filter code[HEAD + CONFINE_CALLS_MAX + 2];
	struct sock_fprog program = { (unsigned short)(HEAD + count + 2), code };
	unsigned int i;

	if (count > CONFINE_CALLS_MAX)
		return -E2BIG;
	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, arch));
	code[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	code[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[3] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
	for (i = 0; i < count; i++)
		code[HEAD + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							      (unsigned int)calls[i],
							      (unsigned char)(count - i), 0);
	code[HEAD + count] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	code[HEAD + count + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

static int rights_drop(void)
{
	/*
	 * This fails where cutop has already given up the right to change its user; the process
	 * then keeps its user, and the filter below lets it open nothing.
	 */
	if (setgroups(0, NULL) || setresgid(USER_OF_NOTHING, USER_OF_NOTHING, USER_OF_NOTHING) ||
	    setresuid(USER_OF_NOTHING, USER_OF_NOTHING, USER_OF_NOTHING))
		errno = 0;
	return capabilities_clear();
}

/*
 * Bytes of this process's private memory, including what it inherited by fork(); mapped files do
 * not count.
 */
static uint64_t memory_taken(void)
{
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	unsigned long pages = 0;
	char text[256];
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	if (sscanf(text, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		return 0;
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limits_set(uint64_t memory)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	memory += memory_taken();
	setrlimit(RLIMIT_DATA, &(struct rlimit){ memory, memory });
#else
	(void)memory;
	(void)memory_taken;
#endif
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 0, 0 });
}

/*
 * Unmaps memory that is shared with the process we were forked from, such as BPF maps: that process
 * trusts what it holds. Read-only file mappings stay, for example the C library's tables.
 * A build for "make coverage" keeps shared memory, since its counters are in it. Returns 0 or a
 * negative errno.
 */
static int confine_memory(void)
{
#ifdef CUTOP_COVERAGE
	return 0;
#endif
	char text[8192], kind[5], *line, *end; /* a line holds a path of PATH_MAX bytes at most */
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	unsigned long from, to;
	int path = 0;
	size_t kept = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	/* gcc 13 does not see that strlen() stays below the buffer's size. */
	while (kept < sizeof(text) - 1 &&
	       (n = read(fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
		text[kept + (size_t)n] = '\0';
		for (line = text; (end = strchr(line, '\n')) != NULL; line = end + 1)
			if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %n", &from, &to, kind, &path) ==
				    3 &&
			    kind[3] == 's' && !(kind[1] != 'w' && line[path] == '/'))
				munmap((void *)from, to - from);
		kept = strlen(line);
		memmove(text, line, kept);
	}
	close(fd);
	return n < 0 ? -EIO : 0;
}

/* Leaves nothing open but @socket, as descriptor 0. */
static int descriptors_close(int socket)
{
	if (dup2(socket, 0) < 0)
		return -errno;
	if (syscall(SYS_close_range, 1u, ~0u, 0u)) { /* Linux before 5.9 */
		long fd, last = sysconf(_SC_OPEN_MAX);

		for (fd = 1; fd < last; fd++)
			close((int)fd);
	}
	return 0;
}

static void signals_set(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	static const int fatal[] = { SIGALRM, SIGPROF, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	sigset_t set;
	size_t i;

	/*
	 * The terminal's signals are blocked: the process at the other end decides when this one
	 * ends.
	 */
	sigfillset(&set);
	for (i = 0; i < ARRAY_LEN(fatal); i++) {
		sigaction(fatal[i], &action, NULL);
		sigdelset(&set, fatal[i]);
	}
	sigprocmask(SIG_SETMASK, &set, NULL);
}

int confine_leave(const char *name, int socket)
{
	int err;

	signals_set();
	prctl(PR_SET_NAME, name);
	err = confine_memory();
	return err ? err : descriptors_close(socket);
}

int confine(const char *name, int socket, uint64_t memory, const int *calls, unsigned int count)
{
	int err = confine_leave(name, socket);

	if (err)
		return err;
	limits_set(memory);
	err = rights_drop();
	return err ? err : confine_calls(calls, count);
}
