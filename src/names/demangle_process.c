/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangles in a separate process, which is asked one name at a time. Its own alarm ends it when a
 * name takes too long, and the next question starts a new one. All of this together may use a tenth
 * of the time; a name that comes when that is used up stays mangled. So a program full of hostile
 * names delays other names by seconds, not for ever. What is counted is the time of the processor:
 * on a busy machine the process may wait long for its turn, and no name is to blame for that.
 * The process runs on a stack of its own, large enough for the deepest name that is accepted: it
 * cannot overflow. It shares no lock with the threads it was forked from, and allocates nothing.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "names/demangle.h"
#include "util/allowance.h"
#include "util/confine.h"
#include "util/saturated.h"
#include "util/util.h"

/* reserved address space; only pages that are touched take memory */
#define STACK_SIZE (256ul * 1024 * 1024)
/* For everything else: it allocates next to nothing */
#define MEMORY    (16ul << 20)
#define NAME_TIME (200 * NSEC_PER_MSEC) /* of the processor */
#define TIME_MAX  (2 * NSEC_PER_SEC)    /* the same, in all at a stretch */
/* one part in this many of the time that passes may be spent so */
#define TIME_SHARE 10

/* The calling process's side of the demangling process. */
struct demangler {
	pthread_mutex_t lock;
	pid_t pid; /* 0: none runs */
	int socket;
	struct allowance time; /* of the processor, that the process may use */
};

/* The last two lines are for the sanitizers and valgrind. */
static const int calls[] = {
	SYS_recvfrom,      SYS_sendto,          SYS_setitimer, SYS_exit_group, SYS_rt_sigprocmask,
	SYS_mmap,          SYS_munmap,          SYS_mprotect,  SYS_madvise,    SYS_futex,
	SYS_clock_gettime, SYS_sched_yield,     SYS_read,      SYS_write,      SYS_getpid,
	SYS_gettid,        SYS_rt_sigtimedwait,
};

static _Noreturn void answer_all(void)
{
	static char symbol[DEMANGLE_INPUT_MAX + 1], full[DEMANGLE_OUTPUT_MAX + 1];
	const struct itimerval limit = { .it_value.tv_usec = NAME_TIME / 1000 }, none = { 0 };
	ssize_t n;

	for (;;) {
		n = recv(0, symbol, sizeof(symbol) - 1, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(0);
		symbol[n] = '\0';
		setitimer(ITIMER_PROF, &limit, NULL);
		n = (ssize_t)demangle_run(symbol, true, full, sizeof(full));
		setitimer(ITIMER_PROF, &none, NULL);
		if (send(0, full, (size_t)n + 1, MSG_NOSIGNAL) < 0)
			_exit(0);
	}
}

static _Noreturn void demangler_main(int socket)
{
	ucontext_t context;

	if (getcontext(&context))
		_exit(1);
	context.uc_stack.ss_size = STACK_SIZE;
	context.uc_stack.ss_sp = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1,
				      0);
	if (context.uc_stack.ss_sp == MAP_FAILED)
		_exit(1);
	makecontext(&context, answer_all, 0);
	/*
	 * setcontext() restores the saved signal mask, which would undo what confine() blocks: save
	 * the present one.
	 */
	if (confine("cutop-names", socket, MEMORY, calls, ARRAY_LEN(calls)) ||
	    sigprocmask(SIG_SETMASK, NULL, &context.uc_sigmask))
		_exit(1);
	setcontext(&context);
	_exit(1);
}

static void demangler_end(struct demangler *demangler)
{
	if (!demangler->pid)
		return;
	close(demangler->socket);
	kill(demangler->pid, SIGKILL);
	while (waitpid(demangler->pid, NULL, 0) < 0 && errno == EINTR)
		;
	demangler->pid = 0;
}

/* Returns false if no process can be started. */
static bool demangler_start(struct demangler *demangler)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	demangler->pid = fork();
	if (!demangler->pid)
		demangler_main(ends[1]);
	close(ends[1]);
	if (demangler->pid < 0) {
		demangler->pid = 0;
		close(ends[0]);
		return false;
	}
	demangler->socket = ends[0];
	return true;
}

static bool demangler_send(struct demangler *demangler, const char *symbol)
{
	return (demangler->pid || demangler_start(demangler)) &&
	       send(demangler->socket, symbol, strlen(symbol), MSG_NOSIGNAL) >= 0;
}

/* Returns the length of the text in @out, -1 if there is no answer. */
static ssize_t demangler_ask(struct demangler *demangler, const char *symbol, char *out)
{
	struct pollfd answer = { .events = POLLIN };
	ssize_t n;
	int ready;

	if (!demangler_send(demangler, symbol)) {
		/* Something else may have ended the process since the last question. */
		demangler_end(demangler);
		if (!demangler_send(demangler, symbol))
			return -1;
	}
	answer.fd = demangler->socket;
	do /* its alarm ends the process long before */
		ready = poll(&answer, 1, 10 * (int)(NAME_TIME / NSEC_PER_MSEC));
	while (ready < 0 && errno == EINTR);
	n = ready > 0 ? recv(demangler->socket, out, DEMANGLE_OUTPUT_MAX + 1, 0) : 0;
	if (n > 0)
		out[n - 1] = '\0'; /* do not rely on what the process sent */
	return n - 1;
}

size_t demangle_apart(const char *symbol, char *out)
{
	static struct demangler demangler = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.time = { .most = TIME_MAX, .share = TIME_SHARE },
	};
	uint64_t worked, took;
	ssize_t n = -1;

	pthread_mutex_lock(&demangler.lock);
	if (allowance_left(&demangler.time, clock_ns(CLOCK_MONOTONIC)) >= NAME_TIME) {
		worked = process_work_ns(demangler.pid);
		n = demangler_ask(&demangler, symbol, out);
		took = subtract_saturated(process_work_ns(demangler.pid), worked);
		if (n < 0) {
			demangler_end(&demangler);
			took = NAME_TIME;
		}
		allowance_spend(&demangler.time, took);
	}
	pthread_mutex_unlock(&demangler.lock);
	return n > 0 ? (size_t)n : 0;
}
