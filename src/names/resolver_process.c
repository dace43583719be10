/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs in the resolver's process. Before it looks at a file it gives up
 * everything but its socket: rights, most memory, and all system calls other
 * than those it takes to read what it was handed. It can open no file and no
 * connection, so that a debug information server is out of reach, whatever the
 * environment says. Each question has a time limit, which ends the process.
 */
#include "names/resolver_process.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "names/lines.h"
#include "util/util.h"

#define FILES_OPEN	128		/* kept; the one not asked of for longest leaves */
#define MEMORY_MAX	(1ul << 30)	/* what we allocate; mapped files do not count */
#define QUESTION_SECONDS 10
#define NOBODY		65534

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "unknown machine"
#endif

struct file {
	uint32_t number;	/* 0: free */
	bool opened;
	int fds[2];
	uint64_t used;
	struct lines *lines;
};

struct state {
	struct file files[FILES_OPEN];
	uint64_t clock;
};

/* ---- what is given up ---- */

static const int allowed_calls[] = {
	SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk,
	SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_pread64, SYS_read, SYS_close, SYS_exit, SYS_exit_group,
	SYS_rt_sigreturn, SYS_setitimer, SYS_futex, SYS_clock_gettime, SYS_getrandom, SYS_sched_yield,
};

/* Refuses every system call that is not in the list. */
static int calls_limit(void)
{
	enum { HEAD = 4, COUNT = ARRAY_LEN(allowed_calls) };
	struct sock_filter code[HEAD + COUNT + 2];
	struct sock_fprog program = { ARRAY_LEN(code), code };
	int i;

	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	code[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	code[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[3] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < COUNT; i++)
		code[HEAD + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)allowed_calls[i],
							      (unsigned char)(COUNT - i), 0);
	code[HEAD + COUNT] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	code[HEAD + COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int rights_drop(void)
{
	/* Where cutop has given up the right to change user, the user is one who may open nothing below. */
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		errno = 0;
	return capabilities_clear();
}

static void limits_set(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	setrlimit(RLIMIT_DATA, &(struct rlimit){ MEMORY_MAX, MEMORY_MAX });
#endif
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 0, 0 });
}

/* Leaves nothing open but @socket, as descriptor 0. */
static int descriptors_close(int socket)
{
	if (dup2(socket, 0) < 0)
		return -errno;
	if (syscall(SYS_close_range, 1u, ~0u, 0u)) {	/* Linux before 5.9 */
		long fd, last = sysconf(_SC_OPEN_MAX);

		for (fd = 1; fd < last; fd++)
			close((int)fd);
	}
	return 0;
}

static void signals_set(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	static const int fatal[] = { SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
	sigset_t set;
	size_t i;

	/* Those of the terminal are blocked: the other end decides when we end. */
	sigfillset(&set);
	for (i = 0; i < ARRAY_LEN(fatal); i++) {
		sigaction(fatal[i], &action, NULL);
		sigdelset(&set, fatal[i]);
	}
	sigprocmask(SIG_SETMASK, &set, NULL);
}

/* ---- files ---- */

static void file_close(struct file *file)
{
	int i;

	lines_close(file->lines);
	for (i = 0; i < 2; i++)
		if (file->number && file->fds[i] >= 0)
			close(file->fds[i]);
	*file = (struct file){ .number = 0 };
}

static void file_add(struct state *state, uint32_t number, const int fds[2])
{
	struct file *place = &state->files[0], *file;

	for (file = state->files; file < state->files + FILES_OPEN; file++)
		if (!file->number || (place->number && file->used < place->used))
			place = file;
	file_close(place);
	*place = (struct file){ .number = number, .fds = { fds[0], fds[1] }, .used = ++state->clock };
}

static struct file *file_find(struct state *state, uint32_t number)
{
	struct file *file;

	for (file = state->files; file < state->files + FILES_OPEN; file++)
		if (file->number == number && number)
			return file;
	return NULL;
}

static struct lines *file_lines(struct state *state, uint32_t number)
{
	struct file *file = file_find(state, number);

	if (!file)
		return NULL;
	file->used = ++state->clock;
	if (!file->opened && file->fds[0] >= 0)
		file->lines = lines_open(file->fds[0], file->fds[1]);
	file->opened = true;
	return file->lines;
}

/* ---- questions ---- */

static void time_limit(unsigned int seconds)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
}

static void question_answer(struct state *state, const struct resolver_question *question,
			    struct resolver_answer *answer)
{
	struct lines *lines;
	const char *path;
	size_t len;

	memset(answer, 0, sizeof(*answer));
	answer->cookie = question->cookie;
	time_limit(QUESTION_SECONDS);
	lines = file_lines(state, question->file);
	if (lines)
		answer->line = lines_find(lines, question->offset, &path);
	if (answer->line) {
		len = strlen(path);
		if (len >= sizeof(answer->path))
			path += len - sizeof(answer->path) + 1;
		strcpy(answer->path, path);
	}
	time_limit(0);
}

/* Returns 1, or 0 when the other end is gone. Descriptors that did not come are -1. */
static int question_read(struct resolver_question *question, int fds[2])
{
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr header;
	} control;
	struct iovec part = { question, sizeof(*question) };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	ssize_t n;

	do
		n = recvmsg(0, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*question))
		return 0;
	fds[0] = fds[1] = -1;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len <= CMSG_LEN(2 * sizeof(int)))
		memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
	return 1;
}

_Noreturn void resolver_process(int socket)
{
	struct resolver_question question;
	struct resolver_answer answer;
	static struct state state;
	struct file *file;
	int fds[2];

	signals_set();
	prctl(PR_SET_NAME, "cutop-lines");
	if (descriptors_close(socket))
		_exit(1);
	limits_set();
	if (rights_drop() || calls_limit())
		_exit(1);
	while (question_read(&question, fds)) {
		if (question.type == RESOLVER_ADD) {
			file_add(&state, question.file, fds);
			continue;
		}
		if (question.type == RESOLVER_DROP) {
			file = file_find(&state, question.file);
			if (file)
				file_close(file);
			continue;
		}
		question_answer(&state, &question, &answer);
		if (send(0, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}
