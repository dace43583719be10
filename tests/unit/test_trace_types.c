/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments before there is a value: types of kernels' parameters, names of calls' arguments. */
#include <string.h>

#include "cuda/calls.h"
#include "trace/trace_programs.h"
#include "trace/trace_programs.h"
#include "run_tests.h"

Suite *suite_trace_types(void);

TEST(types)
{
	static const struct {
		const char *full;
		int count; /* -1: there is no list */
		uint8_t types[4];
	} cases[] = {
		{ "saxpy(float*, float, int)", 3, { WORD_HEX, WORD_FLOAT, WORD_S32 } },
		{ "void k<int (*)(float, int), 3>(std::pair<int, int>, double const, unsigned long long)",
		  3,
		  { WORD_HEX, WORD_DOUBLE, WORD_U64 } },
		{ "f()", 0, { 0 } },
		{ "plain", -1, { 0 } },
		{ "", -1, { 0 } },
		{ ")", -1, { 0 } },
		{ "()", -1, { 0 } },
		{ "g(bool) const", 1, { WORD_U8 } },
		{ "void (*ns::fp<int>(int))(float)", 1, { WORD_S32 } },
		{ "main::{lambda(int)#1}::operator()(char) const", 1, { WORD_S8 } },
	};
	uint8_t found[CUTOP_KERNEL_WORDS], count;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool any = trace_types_read(cases[i].full, found, &count);

		ck_assert_msg(any == (cases[i].count >= 0), "%s", cases[i].full);
		if (!any)
			continue;
		ck_assert_msg(count == cases[i].count, "%s: %d", cases[i].full, count);
		ck_assert_msg(!memcmp(found, cases[i].types, count), "%s", cases[i].full);
	}
}

TEST(signatures)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	struct call_argument argument;
	unsigned int call, state, count, with = 0, of = 0, outs;

	for (call = 0; call < CALL_COUNT; call++) {
		const struct call_desc *desc = &call_descs[call];

		for (state = 0, count = 0, outs = 0; call_argument_next(call, &state, &argument);
		     count++) {
			ck_assert_uint_gt(argument.name_len, 0);
			ck_assert_uint_eq(strspn(argument.name, letters), argument.name_len);
			outs += argument.is_result;
			ck_assert_uint_lt(argument.word, 24);
		}
		ck_assert_uint_le(outs, 1);
		ck_assert_uint_eq(outs, (call_out(call) & CUTOP_TRACED_OUT) != 0);
		if (desc->class == CLASS_PLAIN) {
			of++;
			with += count > 0;
		}
	}
	ck_assert_uint_eq(call_out(CALL_cudaStreamCreate), CUTOP_TRACED_OUT | 0);
	ck_assert_uint_eq(call_out(CALL_cudaGetDevice), CUTOP_TRACED_OUT | CUTOP_TRACED_SHORT | 0);
	ck_assert_uint_eq(call_out(CALL_cudaMemset), 0);
	/* Some take none, some are in no header of today's. */
	ck_assert_msg(with * 100 > of * 95, "%u of %u plain calls have names of arguments", with,
		      of);
}
