// SPDX-License-Identifier: GPL-2.0-or-later
// The same for what C++ does with stacks: native_stacks.h.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "native_stacks.h"

namespace
{

OWN long allocate(long a)
{
	NS_ALLOCATE();
	return a + 1;
}

// ---- exceptions ----

OWN long throw_after(long depth)
{
	if (depth <= 1)
		throw std::runtime_error("thrown");
	return throw_after(depth - 1) * depth + 1;
}

OWN long catch_here(long a)
{
	try {
		return throw_after(a) + a;
	} catch (const std::exception &error) {
		NS_ALLOCATE();
		return allocate(a) + (long)strlen(error.what());
	}
}

void caught()
{
	catch_here(1);
	catch_here(6);
	catch_here(6);
}

struct guard {
	long number;

	explicit guard(long n) : number(n)
	{
	}
	OWN ~guard()
	{
		NS_ALLOCATE();
		allocate(number);
	}
};

OWN long guarded(long depth)
{
	guard mine(depth);

	if (depth <= 1)
		throw std::runtime_error("thrown");
	return guarded(depth - 1) * depth + mine.number;
}

// Each destructor runs while the exception is on its way to the catch.
void destructor()
{
	try {
		guarded(5);
	} catch (const std::exception &) {
	}
}

OWN long rethrow(long a)
{
	try {
		return catch_here(a) + throw_after(a);
	} catch (const std::exception &) {
		allocate(a);
		throw;
	}
}

void rethrown()
{
	try {
		rethrow(3);
	} catch (...) {
		allocate(1);
	}
}

// ---- inlined templates ----

template <int depth> struct nest {
	static inline long go(long a)
	{
		return nest<depth - 1>::go(a * depth) + a;
	}
};

template <> struct nest<0> {
	static inline long go(long a)
	{
		return allocate(a) + a;
	}
};

OWN long nested(long a)
{
	return nest<6>::go(a) + a;
}

void inlined()
{
	nested(1);
	nested(2);
}

// ---- calls that the compiler does not know ----

void sorted()
{
	std::vector<long> numbers;

	for (long i = 0; i < 20; i++)
		numbers.push_back(i * 7 % 20);
	std::sort(numbers.begin(), numbers.end(), [](long a, long b) {
		NS_ALLOCATE();
		return a < b;
	});
}

struct shape {
	virtual ~shape()
	{
	}
	virtual long area(long a) = 0;
};

struct square : shape {
	OWN long area(long a) override
	{
		return allocate(a) * a;
	}
};

struct around : shape {
	std::unique_ptr<shape> inner;

	explicit around(std::unique_ptr<shape> of) : inner(std::move(of))
	{
	}
	OWN long area(long a) override
	{
		return inner->area(a + 1) * a + 1;
	}
};

void virtuals()
{
	std::unique_ptr<shape> all(new square);

	for (int i = 0; i < 5; i++) {
		all = std::unique_ptr<shape>(new around(std::move(all)));
		all->area(i);
	}
}

OWN long apply(const std::function<long(long)> &function, long a)
{
	return function(a) + a;
}

void lambda()
{
	long outer = 3;
	auto inner = [&outer](long a) {
		NS_ALLOCATE();
		return a + outer;
	};

	apply(inner, 1);
	apply([&](long a) { return apply(inner, a) + allocate(a) + 1; }, 2);
}

void thread()
{
	std::thread other([] { allocate(apply([](long a) { return allocate(a) + 1; }, 1)); });

	other.join();
}

// What a static object does before main() and after it
const ns_scenario static_scenario = { "cxx_static", nullptr, 4, 0 };

struct static_object {
	bool wanted = false;

	OWN void go()
	{
		ns_enter(&static_scenario);
		NS_ALLOCATE();
		allocate(1);
	}
	~static_object()
	{
		if (wanted)
			go();
	}
} object;

__attribute__((constructor)) void construct(int argc, char **argv)
{
	for (int i = 3; i < argc; i++) {
		if (std::strcmp(argv[i], "cxx_static"))
			continue;
		ns_begin(argc, argv);
		object.go();
	}
}

void static_object_wanted()
{
	object.wanted = true;
}

const ns_scenario scenarios[] = {
	{ "cxx_catch", caught, 5, 0 },
	{ "cxx_destructor", destructor, 6, 0 },
	{ "cxx_rethrow", rethrown, 5, 0 },
	{ "cxx_inlined", inlined, 6, 0 },
	{ "cxx_sort", sorted, 5, 0 },
	{ "cxx_virtual", virtuals, 7, 0 },
	{ "cxx_lambda", lambda, 6, 0 },
	{ "cxx_thread", thread, 5, 0 },
	{ "cxx_static", static_object_wanted, 0, 0 },
};

} // namespace

int main(int argc, char **argv)
{
	ns_begin(argc, argv);
	for (int i = 3; i < argc; i++)
		for (const ns_scenario &scenario : scenarios)
			if (!std::strcmp(scenario.name, argv[i])) {
				ns_enter(&scenario);
				scenario.run();
			}
	return 0;
}
