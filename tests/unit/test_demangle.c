/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel names, from well-behaved compilers and from others; and the cleaning of text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "feed.h"
#include "names/demangle.h"
#include "util/util.h"

static const struct {
	const char *symbol, *full, *brief;
} names[] = {
	{ "_Z3addPfi", "add(float*, int)", "add" },
	{ "_ZN2ns5scaleIfEEvPT_i", "void ns::scale<float>(float*, int)", "ns::scale" },
	{ "_ZN12_GLOBAL__N_14anonIfEEvPT_", "void (anonymous namespace)::anon<float>(float*)",
	  "(anonymous namespace)::anon" },
	{ "_ZNK2ns1VIiEltIfEEvT_", "void ns::V<int>::operator< <float>(float) const",
	  "ns::V::operator<" },
	{ "_ZN2ns1VIiElsILi3EEEvRAT__Kc", "void ns::V<int>::operator<< <3>(char const (&) [3])",
	  "ns::V::operator<<" },
	{ "_ZN2ns1VIiEclIfEEvT_", "void ns::V<int>::operator()<float>(float)",
	  "ns::V::operator()" },
	{ "_ZNK2ns1VIiEcvmEv", "ns::V<int>::operator unsigned long() const",
	  "ns::V::operator unsigned long" },
	{ "_ZN2ns1VIiEnwEm", "ns::V<int>::operator new(unsigned long)", "ns::V::operator new" },
	{ "_ZN2ns1VIiEixEi", "ns::V<int>::operator[](int)", "ns::V::operator[]" },
	{ "_ZN2ns1VIiEptEv", "ns::V<int>::operator->()", "ns::V::operator->" },
	{ "_ZZN2ns3lamEiENKUliE_clEi", "ns::lam(int)::{lambda(int)#1}::operator()(int) const",
	  "ns::lam::{lambda(int)#1}::operator()" },
	{ "_ZN2ns3runIZNS_3lamEiEUliE_EEvT_",
	  "void ns::run<ns::lam(int)::{lambda(int)#1}>(ns::lam(int)::{lambda(int)#1})", "ns::run" },
	{ "_ZN2ns2fpIiEEPFvfET_", "void (*ns::fp<int>(int))(float)", "ns::fp" },
	{ "_ZN2ns3decIiEEDTplfp_Li1EET_", "decltype ({parm#1}+(1)) ns::dec<int>(int)", "ns::dec" },
	{ "_ZN2ns2enIiEENSt9enable_ifIXgtstT_Li2EES2_E4typeES2_",
	  "std::enable_if<((sizeof (int))>(2)), int>::type ns::en<int>(int)", "ns::en" },
	{ "_Z4callPFvidEPKc", "call(void (*)(int, double), char const*)", "call" },
	{ "_Z3fooi.part.0", "foo(int) [clone .part.0]", "foo" },
	{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt",
	  "core::fmt::Write::write_fmt" },
	{ "_ZN42_$LT$main..Model$u20$as$u20$main..Grow$GT$4grow17ha21097cb9bcd0144E",
	  "<main::Model as main::Grow>::grow", "main::Model::grow" },
	{ "_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17hace0631feadc198cE",
	  "alloc::raw_vec::RawVec<T,A>::grow_one", "alloc::raw_vec::RawVec::grow_one" },
	{ "_ZN4core3ops8function5impls71_$LT$impl$u20$core..ops..function..FnMut$LT$A$GT$$u20$for$u20$"
	  "$RF$F$GT$8call_mut17h0123456789abcdefE",
	  "core::ops::function::impls::<impl core::ops::function::FnMut<A> for &F>::call_mut",
	  "core::ops::function::impls::call_mut" },
	{ "_ZN4main6layers28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
	  "main::layers::{{closure}}", "main::layers::{{closure}}" },
	{ "_ZN4main6layers17h0123456789abcdexE", "main::layers::h0123456789abcdex",
	  "main::layers::h0123456789abcdex" },
	{ "_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo" },
	{ "_RINvCs32gj3y4fnmh_4main7weightsfEB2_", "main::weights::<f32>", "main::weights" },
	{ "_RNvXNtNtCs32gj3y4fnmh_4main6cudarc6driverINtB2_9CudaSlicefENtB2_5Alloc5allocB6_",
	  "<main::cudarc::driver::CudaSlice<f32> as main::cudarc::driver::Alloc>::alloc",
	  "main::cudarc::driver::CudaSlice::alloc" },
	{ "main.(*Model).Grow", "main.(*Model).Grow", "main.(*Model).Grow" },
	{ "plain_kernel", "plain_kernel", "plain_kernel" },
	{ "triton_poi_fused_add_0d1d2de", "triton_poi_fused_add_0d1d2de",
	  "triton_poi_fused_add_0d1d2de" },
	{ "foo.part.0", "foo.part.0", "foo.part.0" },
	{ "app+0x1f4", "app+0x1f4", "app+0x1f4" },
	{ "_Z", "_Z", "_Z" },
	{ "", "", "" },
};

TIMED_TEST_LOOP(names_of_kernels, sizeof(names) / sizeof(names[0]))
{
	char *full = demangle_full(names[_i].symbol), *brief = demangle_short(full);

	ck_assert_str_eq(full, names[_i].full);
	ck_assert_str_eq(brief, names[_i].brief);
	free(full);
	free(brief);
}

/* What tells instances of one template apart, without namespaces */
static const struct {
	const char *full, *listed;
} lists[] = {
	{ "void ns::scale<float>(float*, int)", "ns::scale<float>" },
	{ "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
	  "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
	  "at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, array<char*, 3>>" },
	{ "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<"
	  "thrust::cuda_cub::__uninitialized_fill::functor<thrust::device_ptr<float>, float>, unsigned long>"
	  ", unsigned long>(unsigned long)",
	  "thrust::cuda_cub::core::_kernel_agent<ParallelForAgent<__uninitialized_fill::functor<"
	  "device_ptr<float>, float>, unsigned long>, unsigned long>" },
	{ "void ns::run<ns::lam(int)::{lambda(int)#1}>(int)", "ns::run<lam {lambda(int)#1}>" },
	{ "void k<(anonymous namespace)::F, (ns::E)2, &ns::g>(int)", "k<F, (E)2, &g>" },
	{ "void k<std::vector<ns::T>::iterator>()", "k<iterator>" },
	{ "void ns::V<int>::operator()<float>(float)", "ns::V::operator()<float>" },
	/* The list of another part, of arguments, or of the type that is returned, is none of it. */
	{ "ns::V<int>::f(float)", NULL },
	{ "f(std::vector<int>)", NULL },
	{ "std::vector<int> f(int)", NULL },
	{ "plain", NULL },
	{ "void k<a::>(int)", "k<>" },
};

TIMED_TEST_LOOP(lists_of_templates, sizeof(lists) / sizeof(lists[0]))
{
	char *listed = demangle_listed(lists[_i].full);

	ck_assert_pstr_eq(listed, lists[_i].listed);
	free(listed);
}

/* Of nonsense anything may come. */
TIMED_TEST_LOOP(lists_of_nonsense, 1)
{
	static const char *const odd[] = { "k<",         "k<(",       "void k<>>)>(int)",
					   "k<::>::<",   "<>",        "k<)))>",
					   "k<a>::<b>(", "operator<", "k<{[(<>>>>>>(int)" };

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		free(demangle_listed(odd[i]));
}

/* Appends @times times @piece. */
static void repeat(char *text, const char *piece, size_t times)
{
	size_t len = strlen(piece), at = strlen(text);

	while (times--) {
		memcpy(text + at, piece, len);
		at += len;
	}
	text[at] = '\0';
}

TIMED_TEST_LOOP(long_names_are_demangled, 1)
{
	char *symbol = calloc(1, 20000), *full, *brief;

	/* What a template library makes: 40 lists in one another, 1,400 bytes. */
	strcpy(symbol, "_ZN7cutlass");
	repeat(symbol, "30abcdefghijklmnopqrstuvwxyz0123I", 40);
	strcat(symbol, "i");
	repeat(symbol, "E", 40);
	strcat(symbol, "EvT_");
	ck_assert_uint_gt(strlen(symbol), 1024);
	full = demangle_full(symbol);
	brief = demangle_short(full);
	ck_assert_int_eq(strncmp(full, "void cutlass::abcdefghij", 24), 0);
	ck_assert_str_eq(brief, "cutlass::abcdefghijklmnopqrstuvwxyz0123");
	free(symbol);
	free(full);
	free(brief);
}

static const struct {
	const char *start, *piece;
	size_t times;
} hostile[] = {
	{ "_Z1f", "P", 15000 },
	{ "_Z1f", "PF", 8000 },
	{ "_Z1f", "F", 15000 },
	{ "_Z1fI", "S_", 8000 },
	{ "_Z1fX", "cv", 8000 },
	{ "_Z1fX", "ad", 8000 },
	{ "_Z1fIX", "pl", 8000 },
	{ "_Z", "Z", 15000 },
	{ "_ZN", "1a", 8000 },
	{ "_Z1f", "N1aI", 4000 },
	{ "_Z1f", "M1a", 5000 },
	{ "_Z1f", "Dp", 8000 },
	{ "_Z1f", "U1a", 5000 },
	{ "_Z1f", "KV", 8000 },
	{ "_Z1f", "A1_", 5000 },
	{ "_Z1fIX", "sr1a", 4000 },
	{ "_Z1fIX", "L_Z", 5000 },
	{ "_Z1f", "1AIS_S_S_E", 1500 },
	{ "_Z1fI", "J", 15000 },
	{ "_ZTV", "N", 15000 },
	{ "_ZGR", "Z", 15000 },
	{ "_Z1f", "DTfp_E", 2500 },
	{ "_Z1f", "T_", 8000 },
	{ "_R", "Nv", 8000 },
	{ "_R", "C", 15000 },
	{ "_RI", "C3foo", 3000 },
	{ "_RNvYTC3fooB_E", "_RNvYTC3fooB_E", 900 },
	{ "_RNvM", "T", 15000 },
	{ "", "(", 60000 },
	{ "", "<", 60000 },
	{ "", "a<", 30000 },
	{ "", "{", 60000 },
	{ "", "[", 60000 },
	{ "", "operator", 8000 },
	{ "", "operator<", 7000 },
	{ "", "(anonymous namespace)", 3000 },
	{ "", "()::", 15000 },
	{ "", " (*", 20000 },
	{ "a", ">", 60000 },
	{ "", "decltype (", 6000 },
	{ "", " ", 60000 },
	{ "", "\xff", 60000 },
	{ "_Z", "x", 100000 },
	{ "f(", "(<", 30000 },
	{ "operator ", "<", 30000 },
	{ "", "a(b", 20000 },
	{ "", "a<b>", 16000 },
};

/* Brackets that close as often as others open. */
static const struct {
	const char *start, *open, *close;
	size_t times;
} hostile_pairs[] = {
	{ "", "<", "]", 30000 },
	{ "f(", "<", ")", 30000 },
};

/* Demangles @symbol whole, and cut at some places: it is written to. */
static void demangle_cut(char *symbol)
{
	char *full, *brief;
	int i;

	for (i = 0; i < 4; i++) {
		full = demangle_full(symbol);
		ck_assert_ptr_nonnull(full);
		ck_assert_uint_le(strlen(full), 64 * 1024);
		brief = demangle_short(full);
		ck_assert_ptr_nonnull(brief);
		ck_assert_uint_le(strlen(brief), 64 * 1024);
		free(full);
		free(brief);
		symbol[strlen(symbol) / 3 + 1] = '\0';
	}
}

TIMED_TEST_LOOP(hostile_names, sizeof(hostile) / sizeof(hostile[0]))
{
	char *symbol = calloc(1, 200000);

	strcpy(symbol, hostile[_i].start);
	repeat(symbol, hostile[_i].piece, hostile[_i].times);
	demangle_cut(symbol);
	free(symbol);
}

TEST_LOOP(hostile_brackets, sizeof(hostile_pairs) / sizeof(hostile_pairs[0]))
{
	char *symbol = calloc(1, 200000);

	strcpy(symbol, hostile_pairs[_i].start);
	repeat(symbol, hostile_pairs[_i].open, hostile_pairs[_i].times);
	repeat(symbol, hostile_pairs[_i].close, hostile_pairs[_i].times);
	demangle_cut(symbol);
	free(symbol);
}

TIMED_TEST_LOOP(output_is_bounded, 1)
{
	/* Each parameter doubles the one before it: 2^40 names in 300 bytes. */
	char symbol[1024] = "_Z1f1A1BIS_S_E", digit[3], *full;
	const char *digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	int i;

	for (i = 0; i < 30; i++) {
		digit[0] = digits[i];
		digit[1] = '_';
		digit[2] = '\0';
		sprintf(symbol + strlen(symbol), "S0_IS%sS%sE", digit, digit);
	}
	full = demangle_full(symbol);
	ck_assert_uint_le(strlen(full), 64 * 1024);
	free(full);
}

/*
 * Returns how many of @count names in which each part stands twice for the one before it stay as
 * they are. They differ.
 */
static int names_left(int count)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char symbol[1024], *full;
	int left = 0, i, n;

	for (n = 0; n < count; n++) {
		/*
		 * A pointer to a function that returns the one before it, and takes it: 60 deep,
		 * 2^60 visits to find its packs.
		 */
		sprintf(symbol, "_Z8kernel%02dDp", n % 100);
		repeat(symbol, "PF", 60);
		strcat(symbol, "PFiiE");
		for (i = 0; i < 60; i++)
			sprintf(symbol + strlen(symbol), i < 18 ? "S%.0d%c_E" : "S%d%c_E",
				2 * i / 36, digits[2 * i % 36]);
		full = demangle_full(symbol);
		left += !strcmp(full, symbol);
		free(full);
	}
	return left;
}

/* CPU time of this process and of the helpers that have ended. */
static uint64_t cost_ns(void)
{
	static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	struct rusage usage;
	uint64_t ns = 0;

	for (size_t i = 0; i < 2; i++) {
		getrusage(whose[i], &usage);
		ns += (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
		      (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
	}
	return ns;
}

TIMED_TEST_LOOP(time_is_bounded, 1)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC), cost = cost_ns();
	char *full;

	ck_assert_int_eq(names_left(10000), 10000);
	/* What they cost; other programs may make that last longer. */
	ck_assert_uint_lt(cost_ns() - cost, 5 * NSEC_PER_SEC);
	ck_assert_uint_lt(clock_ns(CLOCK_MONOTONIC) - began, 40 * NSEC_PER_SEC);
	/* Names that take no time are known at once, and others in a second or two. */
	full = demangle_full("_Z3addPfi");
	ck_assert_str_eq(full, "add(float*, int)");
	free(full);
	for (;;) {
		full = demangle_full("_ZN2ns5scaleIfEEvPT_i");
		if (!strcmp(full, "void ns::scale<float>(float*, int)"))
			break;
		free(full);
		ck_assert_uint_lt(clock_ns(CLOCK_MONOTONIC) - began, 60 * NSEC_PER_SEC);
		nanosleep(&(struct timespec){ .tv_nsec = 10 * NSEC_PER_MSEC }, NULL);
	}
	free(full);
}

TEST(names_are_clean)
{
	char *full = demangle_full("_Z1\033v");

	ck_assert_str_eq(full, "?()");
	free(full);
	full = demangle_full("k\xff\n");
	ck_assert_str_eq(full, "k??");
	free(full);
}
