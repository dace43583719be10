// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that checks itself, with a CUDA runtime of its own (libharmed.c), in places where
 * a probe that is not careful does harm. A round is cudaMalloc (10 bytes),
 * cudaMemcpy (64 bytes H2D), a launch of hurt<<<(2,3,1), 32>>>,
 * cudaDeviceSynchronize and cudaFree; each function counts its calls, and
 * their number is checked at the end. Exit status 0: nothing was harmed.
 *
 *   harmed filter N     N rounds under a seccomp filter that kills for all but read,
 *                       write and exit
 *   harmed strict N     the same under SECCOMP_MODE_STRICT
 *   harmed late N       N rounds, the filter, and N rounds more
 *   harmed inherited N  "harmed plain N" under a filter that was there before it, and that lets
 *                       everything through
 *   harmed plain N      N rounds
 *   harmed step N       N rounds, every instruction of them single-stepped by a tracer
 *   harmed break N      N rounds with a tracer's breakpoints on cudaMalloc: on its first
 *                       instruction, and on the one after that
 *   harmed altstack N   N rounds in a signal handler, on an alternate stack that has
 *                       little room left and a page below it that kills
 *   harmed signals N    at least N rounds, and rounds in a handler that a timer calls at
 *                       any moment; prints how many rounds there were in all
 *   harmed escape N     N times a cudaDeviceSynchronize in which a signal comes, whose
 *                       handler makes a round and leaves by siglongjmp; then a round.
 *                       Prints how many seconds all that took, and then spends one more.
 *   harmed waits N      N times a cudaDeviceSynchronize in which a cudaMemcpy is left by
 *                       siglongjmp, and that waits for 10 ms more; then 20 ms without one.
 *                       Prints how many seconds it has waited at least, and at most.
 *   harmed exec N       N threads inside cudaDeviceSynchronize, when it runs "harmed plain 1"
 *   harmed fork N       N processes, one after the other, and N rounds in each
 *   harmed orphan N     N rounds of a child whose parent has ended
 *   harmed nobody N     a round as it is, N rounds as the user nobody
 *   harmed threads T N  T threads at once, N rounds each
 *   harmed cancel N     N threads cancelled inside cudaDeviceSynchronize, then N rounds
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harmed.h"
#include "program.h"

/* What a kernel is launched by. */
static void stub(void)
{
	__asm__ volatile("nop");
}

OPAQUE static void a_round(void)
{
	dim3 grid = { 2, 3, 1 }, block = { 32, 1, 1 };
	char host[64];
	void *p;

	cudaMalloc(&p, 10);
	cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
	cudaLaunchKernel((const void *)(uintptr_t)stub, grid, block, NULL, 0, NULL);
	cudaDeviceSynchronize();
	cudaFree(p);
}

static void rounds(unsigned long n)
{
	while (n--)
		a_round();
}

/* True if each function was called @n times, and cudaDeviceSynchronize @more times more. */
static int were(unsigned long n, unsigned long more)
{
	int i;

	for (i = 0; i < CALLS; i++)
		if (calls[i] != n + (i == SYNC ? more : 0))
			return 0;
	return 1;
}

/* ---- filters ---- */

#define LET(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		LET(read),
		LET(write),
		LET(exit),
		LET(exit_group),
		LET(rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(3);
}

static int inherited(const char *path, const char *n)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { 1, code };

	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	    !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		execl(path, path, "plain", n, (char *)NULL);
	return 3;
}

/* Ends without a call that a filter would not let through. */
static void leave(int right)
{
	if (right && write(1, "unharmed\n", 9) != 9)
		right = 0;
	for (;;)
		syscall(SYS_exit, right ? 0 : 1);
}

/* ---- tracers ---- */

static pid_t traced_rounds(unsigned long n)
{
	pid_t child = fork();

	if (child)
		return child;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(3);
	raise(SIGSTOP);
	rounds(n);
	_exit(were(n, 0) ? 0 : 1);
}

static int step(unsigned long n)
{
	pid_t child = traced_rounds(n);
	unsigned long steps = 0;
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int number = WSTOPSIG(status);

		steps++;
		if (ptrace(PTRACE_SINGLESTEP, child, NULL,
			   number == SIGTRAP || number == SIGSTOP ? 0 : number))
			return 1;
	}
	return !(steps > 20 * n && WIFEXITED(status) && !WEXITSTATUS(status));
}

struct breakpoint {
	unsigned long at, word;
	unsigned long hits;
};

static void set(pid_t child, struct breakpoint *point)
{
	ptrace(PTRACE_POKETEXT, child, point->at, (point->word & ~0xfful) | 0xcc);
}

/*
 * The first instruction has a probe's breakpoint when cutop watches: then its own
 * takes no place, and is not told of. The other is hit at each call.
 */
static int breakpoints(unsigned long n)
{
	struct breakpoint points[2] = { { .at = (unsigned long)cudaMalloc } };
	struct user_regs_struct regs = { .rip = 0 };
	pid_t child = traced_rounds(n);
	int status, i;

	do { /* through its first instruction once, to learn where the second is */
		points[1].at = (unsigned long)regs.rip;
		if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
		    ptrace(PTRACE_GETREGS, child, NULL, &regs))
			return 1;
		if (points[1].at == points[0].at)
			break;
	} while (!ptrace(PTRACE_SINGLESTEP, child, NULL, 0));
	points[1].at = (unsigned long)regs.rip;
	for (i = 1; i >= 0; i--) {
		points[i].word = (unsigned long)ptrace(PTRACE_PEEKTEXT, child, points[i].at, NULL);
		set(child, &points[i]);
	}
	ptrace(PTRACE_CONT, child, NULL, 0);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int number = WSTOPSIG(status);

		if (number == SIGTRAP && !ptrace(PTRACE_GETREGS, child, NULL, &regs)) {
			number = 0;
			for (i = 0; i < 2; i++) {
				if (regs.rip != points[i].at + 1)
					continue;
				points[i].hits++;
				ptrace(PTRACE_POKETEXT, child, points[i].at, points[i].word);
				regs.rip = points[i].at;
				ptrace(PTRACE_SETREGS, child, NULL, &regs);
				ptrace(PTRACE_SINGLESTEP, child, NULL, 0);
				if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
					return 1;
				set(child, &points[i]);
			}
		}
		ptrace(PTRACE_CONT, child, NULL, number);
	}
	printf("hits %lu %lu\n", points[0].hits, points[1].hits);
	return !(points[1].hits == n && WIFEXITED(status) && !WEXITSTATUS(status));
}

/* ---- signals ---- */

static unsigned long left;

#define ROOM_LEFT 1024 /* what a round needs itself */

/* A round when only so much of the alternate stack is left. */
static void on_narrow_stack(int number)
{
	char *here = __builtin_frame_address(0), *low;
	stack_t stack;

	(void)number;
	sigaltstack(NULL, &stack);
	low = stack.ss_sp;
	if (here - low > ROOM_LEFT + 256) {
		volatile char *hole = __builtin_alloca((size_t)(here - low) - ROOM_LEFT - 256);

		hole[0] = 0;
	}
	a_round();
}

static int altstack(unsigned long n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE),
	       size = ((size_t)sysconf(_SC_MINSIGSTKSZ) + 4096 + page - 1) & ~(page - 1);
	struct sigaction action = { .sa_handler = on_narrow_stack, .sa_flags = SA_ONSTACK };
	char *map =
		mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = map + page, .ss_size = size };
	unsigned long i;

	if (map == MAP_FAILED || mprotect(map, page, PROT_NONE) || sigaltstack(&stack, NULL) ||
	    sigaction(SIGUSR1, &action, NULL))
		return 3;
	for (i = 0; i < n; i++)
		raise(SIGUSR1);
	return !were(n, 0);
}

static volatile unsigned long interrupted;

static void on_timer(int number)
{
	(void)number;
	interrupted++;
	a_round();
}

static int signals(unsigned long n)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_timer };
	unsigned long made = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (made < n || interrupted < 50) {
		a_round();
		made++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%lu\n", made + interrupted);
	return !were(made + interrupted, 0);
}

static double spend(double seconds)
{
	double begin = seconds_now(), now;

	do
		now = seconds_now();
	while (now < begin + seconds);
	return now - begin;
}

static sigjmp_buf out;

static void on_escape(int number)
{
	void (*was)(void) = inside;

	(void)number;
	inside = NULL;
	a_round();
	inside = was;
	siglongjmp(out, 1);
}

static void signal_self(void)
{
	raise(SIGUSR2);
}

static int escape(unsigned long n)
{
	struct sigaction action = { .sa_handler = on_escape };
	double begin = seconds_now();
	volatile unsigned long i;

	sigaction(SIGUSR2, &action, NULL);
	for (i = 0; i < n; i++) {
		inside = signal_self;
		if (!sigsetjmp(out, 1))
			cudaDeviceSynchronize();
		inside = NULL;
		a_round();
	}
	printf("%f\n", seconds_now() - begin);
	/* Of a wait that goes on in the books, this would be a part. */
	spend(1);
	return !were(2 * n, n);
}

static double waited;

static void leave_copy(void)
{
	siglongjmp(out, 1);
}

static void while_waiting(void)
{
	char host[64];

	inside = NULL;
	inside_copy = leave_copy;
	if (!sigsetjmp(out, 0))
		cudaMemcpy(host, host, sizeof(host), cudaMemcpyHostToDevice);
	inside_copy = NULL;
	cudaFree(NULL); /* what was left is noticed with the next call */
	waited += spend(0.01);
}

static int waits(unsigned long n)
{
	double begin, most = 0;

	while (n--) {
		inside = while_waiting;
		begin = seconds_now();
		cudaDeviceSynchronize();
		most += seconds_now() - begin;
		spend(0.02);
	}
	printf("%f %f\n", waited, most);
	return 0;
}

/* ---- threads ---- */

static pthread_barrier_t barrier;

static void *thread_run(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	rounds(left);
	return NULL;
}

static int threads(unsigned long count, unsigned long n)
{
	pthread_t *list = calloc(count, sizeof(*list));
	pthread_attr_t attributes;
	unsigned long i;

	left = n;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	pthread_barrier_init(&barrier, NULL, (unsigned int)count);
	for (i = 0; i < count; i++)
		if (pthread_create(&list[i], &attributes, thread_run, NULL))
			return 3;
	for (i = 0; i < count; i++)
		pthread_join(list[i], NULL);
	return !were(count * n, 0);
}

static void wait_for_end(void)
{
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
}

static void *cancelled_run(void *unused)
{
	(void)unused;
	cudaDeviceSynchronize();
	return NULL;
}

static int cancel(unsigned long n)
{
	unsigned long i;
	pthread_t thread;
	void *result;

	for (i = 0; i < n; i++) {
		pthread_barrier_init(&barrier, NULL, 2);
		inside = wait_for_end;
		if (pthread_create(&thread, NULL, cancelled_run, NULL))
			return 3;
		pthread_barrier_wait(&barrier);
		inside = NULL;
		pthread_cancel(thread);
		if (pthread_join(thread, &result) || result != PTHREAD_CANCELED)
			return 1;
		a_round();
	}
	return !were(n, n);
}

/*
 * Threads that are inside calls end with their program, when it runs another: that one is ours,
 * with one round.
 */
static int replaced(const char *path, unsigned long n)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, (unsigned int)n + 1);
	inside = wait_for_end;
	for (unsigned long i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, cancelled_run, NULL))
			return 3;
	pthread_barrier_wait(&barrier);
	execl(path, path, "plain", "1", (char *)NULL);
	return 3;
}

static int becomes_nobody(unsigned long n)
{
	a_round();
	if (setuid(65534))
		return 3;
	rounds(n);
	return !were(n + 1, 0);
}

/*
 * As servers do: one registers kernels, its children launch them. The last is a child of a child.
 */
static int forks(unsigned long n)
{
	int status;
	pid_t pid;

	for (unsigned long i = 0; i < n; i++) {
		pid = fork();
		if (!pid && i == n - 1) {
			pid = fork();
			if (pid)
				return waitpid(pid, &status, 0) != pid || status;
		}
		if (!pid) {
			rounds(n);
			return !were(n, 0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}

/* Launches only a second after its parent has ended, whose end @ends[0] tells. */
static int orphan(unsigned long n)
{
	int ends[2];
	void *p;
	char c;

	if (pipe(ends))
		return 3;
	if (fork())
		return read(ends[0], &c, 1) != 1; /* it has made a call */
	cudaMalloc(&p, 10);
	if (write(ends[1], "x", 1) != 1)
		return 3;
	while (getppid() != 1 && spend(0.01) < 1)
		;
	spend(1);
	rounds(n);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	const char *what = argc > 2 ? argv[1] : "";
	static char name[] = "_Z4hurtPf";

	__cudaRegisterFunction(NULL, (const char *)(uintptr_t)stub, name, name, -1, NULL, NULL,
			       NULL, NULL, NULL);
	if (!strcmp(what, "plain")) {
		rounds(n);
		return !were(n, 0);
	}
	if (!strcmp(what, "filter")) {
		filter();
		rounds(n);
		leave(were(n, 0));
	}
	if (!strcmp(what, "strict")) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			return 3;
		rounds(n);
		leave(were(n, 0));
	}
	if (!strcmp(what, "inherited"))
		return inherited(argv[0], argv[2]);
	if (!strcmp(what, "late")) {
		rounds(n);
		filter();
		rounds(n);
		leave(were(2 * n, 0));
	}
	if (!strcmp(what, "step"))
		return step(n);
	if (!strcmp(what, "break"))
		return breakpoints(n);
	if (!strcmp(what, "altstack"))
		return altstack(n);
	if (!strcmp(what, "signals"))
		return signals(n);
	if (!strcmp(what, "escape"))
		return escape(n);
	if (!strcmp(what, "fork"))
		return forks(n);
	if (!strcmp(what, "orphan"))
		return orphan(n);
	if (!strcmp(what, "exec"))
		return replaced(argv[0], n);
	if (!strcmp(what, "nobody"))
		return becomes_nobody(n);
	if (!strcmp(what, "waits"))
		return waits(n);
	if (!strcmp(what, "threads") && argc > 3)
		return threads(n, strtoul(argv[3], NULL, 0));
	if (!strcmp(what, "cancel"))
		return cancel(n);
	fputs("usage: harmed filter|strict|late|plain|step|break|altstack|signals|escape|waits|cancel|exec|fork|orphan|nobody N | harmed threads T N\n",
	      stderr);
	return 2;
}
