/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_functions SHAPE  launches one kernel with more threads than a block can have, from the line
 *                       that is marked with the shape's name.
 */
#include <cstring>

__global__ void plain(int *p) { *p = 1; }
static __global__ void own(int *p) { *p = 1; }
namespace { __global__ void hidden(int *p) { *p = 1; } }
namespace space { __global__ void named(int *p) { *p = 1; } }
extern "C" __global__ void linkage(int *p) { *p = 1; }
template <class T> __global__ void typed(T *p) { *p = 2; }
template <class F> __global__ void applied(F f, int *p) { *p = f(); }
__global__ void both(int *p) { *p = 1; }

/* After a launch, so that no function ends in a jump to the next one, which leaves no trace of it. */
static volatile int sink;

/* A function of the program, called as the kernel that it launches */
static void both(const char *)
{
	both<<<1, 4096>>>((int *)0); /* overload */
	sink++;
}

/* No kernel, with the name that one has in its namespace */
static void named(int *p)
{
	space::named<<<1, 4096>>>(p); /* namesake */
	sink++;
}

template <class T> static void launch(T *p)
{
	typed<<<1, 4096>>>(p); /* caller */
	sink++;
}

template <class F> static void run(F f)
{
	f();
	sink++;
}

static void launch_all(const char *shape)
{
	auto is = [shape](const char *name) { return !strcmp(shape, name); };
	int *p = 0;

	if (is("plain"))
		plain<<<1, 4096>>>(p); /* plain */
	if (is("own"))
		own<<<1, 4096>>>(p); /* own */
	if (is("hidden"))
		hidden<<<1, 4096>>>(p); /* hidden */
	if (is("named"))
		space::named<<<1, 4096>>>(p); /* named */
	if (is("linkage"))
		linkage<<<1, 4096>>>(p); /* linkage */
	if (is("template"))
		typed<<<1, 4096>>>(p); /* template */
	if (is("again"))
		typed<<<1, 4096>>>((short *)p); /* again */
	if (is("twice"))
		typed<<<1, 4096>>>((short *)p); /* twice */
	if (is("applied"))
		applied<<<1, 4096>>>([] __device__() { return 3; }, p); /* applied */
	if (is("lambda"))
		run([=] { plain<<<1, 4096>>>(p); /* lambda */ });
	if (is("caller"))
		launch((long *)p);
	if (is("overload"))
		both("");
	if (is("namesake"))
		named(p);
	sink++;
}

int main(int argc, char **argv)
{
	launch_all(argc > 1 ? argv[1] : "plain");
	return 0;
}
