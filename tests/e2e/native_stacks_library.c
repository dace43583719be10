/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries of native_stacks.c, by what is defined:
 *
 *   NUMBER	1 to 5: a function that calls that of the next library, by a PLT that is bound
 *		lazily. The last one allocates.
 *   FRAME	a function with so many bytes of locals, and nothing else that differs: the two
 *		libraries have the same calls at the same offsets.
 *   WATCHED	functions for probes: their return addresses are those of a trampoline.
 *   RESOLVED	a function that is looked up when it is called first, by one that allocates.
 */
#include <string.h>

#include "native_stacks.h"

#ifdef NUMBER
#define JOIN(a, b)  a##b
#define NAME_OF(n)  JOIN(ns_library_, n)
#define NEXT_1      2
#define NEXT_2      3
#define NEXT_3      4
#define NEXT_4      5
#define NEXT_OF(n)  JOIN(NEXT_, n)
#define LOCAL_BYTES (NUMBER * 40)

long NAME_OF(NUMBER)(long a, long b);
#if NUMBER < 5
long NAME_OF(NEXT_OF(NUMBER))(long a, long b);
#endif

long NAME_OF(NUMBER)(long a, long b)
{
	volatile char local[LOCAL_BYTES];
	long c;

	local[a % LOCAL_BYTES] = (char)b;
#if NUMBER < 5
	c = NAME_OF(NEXT_OF(NUMBER))(a + 1, b + 2);
#else
	c = 5;
	NS_ALLOCATE();
#endif
	return a * b + c + local[a % LOCAL_BYTES];
}

#if NUMBER == 1
/* Before main(): the dynamic linker calls it. */
static __attribute__((constructor)) void construct(int argc, char **argv)
{
	static const struct ns_scenario scenario = { .name = "constructor", .deep = 3 };
	int i;

	for (i = 3; i < argc; i++) {
		if (strcmp(argv[i], "constructor"))
			continue;
		ns_begin(argc, argv);
		ns_enter(&scenario);
		NS_ALLOCATE();
		NAME_OF(2)(1, 2);
	}
}
#endif
#endif

#ifdef FRAME
OWN long ns_inner(long a);
OWN long ns_outer(long a);

OWN long ns_inner(long a)
{
	volatile char local[FRAME];

	local[a] = 1;
	NS_ALLOCATE();
	return a + local[a];
}

OWN long ns_outer(long a)
{
	volatile char local[2 * FRAME];

	local[a] = 1;
	return ns_inner(a) + a + local[a];
}
#endif

#ifdef WATCHED
long ns_watched(void (*call)(long), long a);
long ns_watched_jump(void (*call)(long), long a);

OWN long ns_watched(void (*call)(long), long a)
{
	volatile char local[40];

	local[a % 40] = 1;
	call(a);
	return a + local[a % 40];
}

/* A jump: both return to the same address in the same place. */
OWN long ns_watched_jump(void (*call)(long), long a)
{
	return ns_watched(call, a + 1);
}
#endif

#ifdef RESOLVED
int ns_resolved(void);

static int resolved(void)
{
	return 0;
}

static OWN long allocate(long a)
{
	NS_ALLOCATE();
	return a + 1;
}

static __attribute__((used)) int (*resolve(void))(void)
{
	allocate(1);
	return resolved;
}

int ns_resolved(void) __attribute__((ifunc("resolve")));
#endif
