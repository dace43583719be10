/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks of this program's own stacks, by the rules that are found for its files: they must meet the
 * same addresses as backtrace(), and end where the stack does.
 */
#include <alloca.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "names/cfi.h"
#include "util/util.h"
#include "run_tests.h"

#if defined(__x86_64__)

#define IN_ASM __attribute__((visibility("hidden")))

#define FRAMES_MAX 512

/* The part of a file that is mapped around an address. */
struct mapping {
	unsigned long start, end, offset;
	char path[256];
};

static struct {
	char path[256];
	struct cfi *cfi;
} opened[32];

static bool mapping_find(uint64_t address, struct mapping *mapping)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	bool found = false;
	char line[512];

	ck_assert_ptr_nonnull(maps);
	while (!found && fgets(line, sizeof(line), maps)) {
		mapping->path[0] = 0;
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &mapping->start, &mapping->end,
			   &mapping->offset, mapping->path) >= 3)
			found = address >= mapping->start && address < mapping->end;
	}
	fclose(maps);
	return found;
}

static struct cfi *cfi_of(const char *path)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(opened) && opened[i].cfi; i++)
		if (!strcmp(opened[i].path, path))
			return opened[i].cfi;
	ck_assert_uint_lt(i, ARRAY_LEN(opened));
	snprintf(opened[i].path, sizeof(opened[i].path), "%s", path);
	opened[i].cfi = cfi_open(open(path, O_RDONLY | O_CLOEXEC));
	ck_assert_msg(opened[i].cfi != NULL, "%s", path);
	return opened[i].cfi;
}

static struct unwind_rule rule_at(uint64_t ip, bool after_call)
{
	struct unwind_rule rule = { .cfa = UNWIND_NONE };
	struct mapping mapping;

	if (mapping_find(ip - after_call, &mapping) && mapping.path[0] == '/')
		cfi_find(cfi_of(mapping.path), ip - mapping.start + mapping.offset, after_call,
			 &rule);
	return rule;
}

struct registers {
	uint64_t ip, sp, bp;
};

/* Own stacks hold what the address sanitizer keeps from being read. */
__attribute__((no_sanitize_address)) static uint64_t word_at(uint64_t address)
{
	return *(const volatile uint64_t *)address;
}

/* Goes to the caller's frame. Returns what the CFA was had by; UNWIND_NONE and END end the walk. */
static enum unwind_cfa step(struct registers *at, bool after_call)
{
	struct unwind_rule rule = rule_at(at->ip, after_call);
	uint64_t cfa;

	switch (rule.cfa) {
	case UNWIND_SP: cfa = at->sp + (uint64_t)rule.offset; break;
	case UNWIND_BP: cfa = at->bp + (uint64_t)rule.offset; break;
	case UNWIND_BP_AT: cfa = word_at(at->bp + (uint64_t)rule.offset); break;
	case UNWIND_SIGNAL:
		*at = (struct registers){ word_at(at->sp + UNWIND_UCONTEXT_IP),
					  word_at(at->sp + UNWIND_UCONTEXT_SP),
					  word_at(at->sp + UNWIND_UCONTEXT_BP) };
		return UNWIND_SIGNAL;
	default: return rule.cfa;
	}
	if (rule.bp_by == UNWIND_BP_CFA)
		at->bp = word_at(cfa + (uint64_t)rule.bp);
	else if (rule.bp_by == UNWIND_BP_OWN)
		at->bp = word_at(at->bp + (uint64_t)rule.bp);
	at->ip = word_at(cfa - 8);
	at->sp = cfa;
	return rule.cfa;
}

static unsigned int kinds; /* bits of the enum unwind_cfa that the last walk met */
static int walked;         /* addresses that it compared */

/* Walks on from @at, and compares with the @count addresses @expected, of its callers. */
static void walk(struct registers at, void *const *expected, int count)
{
	enum unwind_cfa by = UNWIND_SIGNAL;
	int i;

	kinds = 0;
	for (i = 0;; i++) {
		by = step(&at, by != UNWIND_SIGNAL);
		kinds |= 1u << by;
		if (by == UNWIND_NONE || by == UNWIND_END)
			break;
		ck_assert_int_lt(i, count);
		ck_assert_msg(at.ip == (uint64_t)expected[i], "frame %d: %p, not %p", i,
			      (void *)at.ip, expected[i]);
	}
	ck_assert_msg(by == UNWIND_END, "no rule for frame %d", i);
	ck_assert_int_eq(i, count);
	walked = i;
}

/* Walks the stack from here. */
static void __attribute__((noinline)) walk_here(void)
{
	void *expected[FRAMES_MAX];
	struct registers at;
	int count = backtrace(expected, FRAMES_MAX), own = 0;

	ck_assert_int_lt(count, FRAMES_MAX);
	/* With the address sanitizer, its own backtrace() is in front. */
	while (own < count && expected[own] != __builtin_return_address(0))
		own++;
	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
			 : "=r"(at.ip), "=r"(at.sp), "=r"(at.bp));
	walk(at, expected + own, count - own);
}

/* Keeps a call from being the last thing that a function does, which makes it a jump. */
#define NOT_LAST() __asm__ volatile("" ::: "memory")

static int __attribute__((noinline)) recurse(int depth)
{
	volatile char *room = alloca(24 + (size_t)(depth % 3) * 40);

	room[0] = (char)depth;
	if (depth)
		return recurse(depth - 1) + room[0];
	walk_here();
	return room[0];
}

static int compare(const void *a, const void *b)
{
	static bool done;

	if (!done)
		walk_here();
	done = true;
	return *(const int *)a - *(const int *)b;
}

/* With what the stack is aligned for, gcc finds the CFA by *(rbp + n). */
static void __attribute__((noinline, force_align_arg_pointer))
align(size_t size, void (*then)(void))
{
	volatile char *room = alloca(size);
	volatile char aligned[64] __attribute__((aligned(64)));

	room[0] = aligned[0] = 1;
	then();
	room[size - 1] = aligned[1] = 2;
	NOT_LAST();
}

TEST(calls_are_walked)
{
	walk_here();
	ck_assert_int_gt(walked, 4);
	ck_assert_uint_ne(kinds & 1u << UNWIND_SP, 0);
	recurse(100);
	ck_assert_int_gt(walked, 100);
	ck_assert_uint_ne(kinds & 1u << UNWIND_BP, 0);
}

TEST(callbacks_are_walked)
{
	int numbers[] = { 3, 1, 4, 1, 5, 9, 2, 6 };

	walked = 0;
	qsort(numbers, ARRAY_LEN(numbers), sizeof(numbers[0]), compare);
	ck_assert_int_gt(walked, 4);
}

TEST(aligned_stacks_are_walked)
{
	walked = 0;
	align(100, walk_here);
	ck_assert_int_gt(walked, 4);
#if !defined(__clang__)
	ck_assert_uint_ne(kinds & 1u << UNWIND_BP_AT, 0);
#endif
}

static void handler(int number)
{
	/* __restore_rt, which has an entry for its address and the byte before it */
	struct unwind_rule rule = rule_at((uint64_t)__builtin_return_address(0), true);

	(void)number;
	ck_assert_uint_eq(rule.cfa, UNWIND_SIGNAL);
	rule = rule_at((uint64_t)__builtin_return_address(0), false);
	ck_assert_uint_eq(rule.cfa, UNWIND_SIGNAL);
	walk_here();
	ck_assert_uint_ne(kinds & 1u << UNWIND_SIGNAL, 0);
}

static void __attribute__((noinline)) raise_it(void)
{
	ck_assert_int_eq(raise(SIGUSR1), 0);
	NOT_LAST();
}

/* A fault at the first instruction of a function: its address, less one, is another's. */
__asm__(".text\n.balign 16\nfaulting:\n.cfi_startproc\nud2\nret\n.cfi_endproc\n");
void faulting(void) IN_ASM;

static void skip_fault(int number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;

	(void)number;
	(void)info;
	walk_here();
	ck_assert_uint_ne(kinds & 1u << UNWIND_SIGNAL, 0);
	at->uc_mcontext.gregs[REG_RIP] += 2; /* the length of ud2 */
}

TEST(signals_are_walked)
{
	static char other_stack[1 << 20];
	struct sigaction action = { .sa_handler = handler };

#ifdef __SANITIZE_THREAD__
	return; /* there a function of the sanitizer calls handlers */
#endif
	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	walked = 0;
	raise_it();
	ck_assert_int_gt(walked, 4);
	/* On a stack of its own, below a function with an aligned one. */
	action.sa_flags = SA_ONSTACK;
	ck_assert_int_eq(
		sigaltstack(&(stack_t){ .ss_sp = other_stack, .ss_size = sizeof(other_stack) },
			    NULL),
		0);
	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	walked = 0;
	align(100, raise_it);
	ck_assert_int_gt(walked, 4);
	action = (struct sigaction){ .sa_sigaction = skip_fault, .sa_flags = SA_SIGINFO };
	ck_assert_int_eq(sigaction(SIGILL, &action, NULL), 0);
	walked = 0;
	faulting();
	ck_assert_int_gt(walked, 4);
}

static void *thread_run(void *argument)
{
	recurse(3);
	return argument;
}

TEST(threads_are_walked_to_their_end)
{
	pthread_t thread;

	walked = 0;
	ck_assert_int_eq(pthread_create(&thread, NULL, thread_run, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_gt(walked, 4);
	ck_assert_uint_ne(kinds & 1u << UNWIND_END, 0);
}

#else

static void tests_add(TCase *tests)
{
	(void)tests; /* there are no rules */
}

#endif
