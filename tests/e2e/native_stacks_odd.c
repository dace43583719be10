/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scenarios of native_stacks whose stacks are not one call after the other. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "native_stacks_odd.h"

/* ---- signals ---- */

static sigjmp_buf after_fault;

static void on_raise(int number)
{
	link_2(number, 1, 2, 3);
}

static void on_fault(int number)
{
	link_2(number, 1, 2, 3);
	siglongjmp(after_fault, 1);
}

static OWN long fault(volatile long *where, long a)
{
	long b = a * 3;

	return *where + a + b;
}

static OWN long raise_here(long a)
{
	raise(SIGUSR1);
	return a + 1;
}

static void on_signal(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	if (sigaction(number, &action, NULL))
		exit(3);
}

void signal_raised(void)
{
	on_signal(SIGUSR1, on_raise, 0);
	raise_here(1);
	raise_here(2);
}

void signal_fault(void)
{
	on_signal(SIGSEGV, on_fault, SA_NODEFER);
	if (!sigsetjmp(after_fault, 1))
		fault(NULL, 1);
	if (!sigsetjmp(after_fault, 1))
		fault(NULL, 2);
	signal(SIGSEGV, SIG_DFL);
}

/* The frames on the stack of the handler are three; then the signal's own. */
void signal_stack(void)
{
	static char room[65536];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };

	if (sigaltstack(&stack, NULL))
		exit(3);
	on_signal(SIGUSR1, on_raise, SA_ONSTACK);
	raise_here(1);
	on_signal(SIGSEGV, on_fault, SA_NODEFER | SA_ONSTACK);
	if (!sigsetjmp(after_fault, 1))
		fault(NULL, 1);
	signal(SIGSEGV, SIG_DFL);
	raise_here(1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

/* ---- stacks of the program's own ---- */

static ucontext_t here, there;

static void coroutine_main(void)
{
	link_4(1, 2, 3, 4);
	swapcontext(&there, &here);
	link_6(1, 2, 3, 4);
}

/* Below and above its stack is nothing that can be read. */
void coroutine(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *room = mmap(NULL, 18 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED || mprotect(room + page, 16 * page, PROT_READ | PROT_WRITE) ||
	    getcontext(&there))
		exit(3);
	there.uc_stack.ss_sp = room + page;
	there.uc_stack.ss_size = 16 * page;
	there.uc_link = &here;
	makecontext(&there, coroutine_main, 0);
	swapcontext(&here, &there);
	link_2(1, 2, 3, 4);
	swapcontext(&here, &there);
}

/* ---- code of which nothing is known ---- */

static OWN void from_generated(void)
{
	link_3(1, 2, 3, 4);
}

/* There is no way out of it that is known: the stack ends there. */
void generated(void)
{
#ifdef __x86_64__
	/* push %rbx; call *%rdi; pop %rbx; ret */
	static const unsigned char code[] = { 0x53, 0xff, 0xd7, 0x5b, 0xc3 };
	void *room = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void (*function)(void));

	if (room == MAP_FAILED)
		exit(3);
	memcpy(room, code, sizeof(code));
	memcpy(&call, &room, sizeof(call));
	call(from_generated);
#else
	from_generated();
#endif
}
