/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names as the C++ ABI mangles them (Itanium C++ ABI, 5.1), made by its grammar: every byte of the
 * input is a choice. What comes out is well-formed for the most part, which random bytes never are,
 * and as hostile as the grammar allows: parts that stand for earlier ones, which stand for earlier
 * ones, and nests as deep as a name is long.
 *
 * Each must be done within a second, whatever it is; what comes out must be clean; and names that
 * come later must be demangled as ever. A tenth of the time may be spent on such names, and then
 * they stay as they are: so that each of these is tried, the clock that this goes by is ahead by a
 * minute at every look (clock_ns() is ours, see fuzz.mk).
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"
#include "names/demangle.h"
#include "names/kernel_names.h"
#include "util/util.h"

#define LIMIT     NSEC_PER_SEC
#define DEPTH_MAX 3000 /* of the generator's own recursion */

uint64_t __wrap_clock_ns(int clock);

uint64_t __wrap_clock_ns(int clock)
{
	static uint64_t ahead;
	struct timespec now;

	clock_gettime(clock, &now);
	ahead += 60 * NSEC_PER_SEC;
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec + ahead;
}

static uint64_t real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* ---- the grammar ---- */

struct maker {
	const uint8_t *data;
	size_t size, at;
	char name[DEMANGLE_INPUT_MAX + 64];
	size_t len;
	unsigned int depth;
};

static void type(struct maker *maker);
static void name(struct maker *maker);
static void encoding(struct maker *maker);
static void expression(struct maker *maker);
static void template_arguments(struct maker *maker);

/*
 * A choice of @count; the first, which is a short one everywhere, when the input or the room is
 * used up.
 */
static unsigned int choose(struct maker *maker, unsigned int count)
{
	if (maker->at >= maker->size || maker->len > DEMANGLE_INPUT_MAX - 256 ||
	    maker->depth > DEPTH_MAX)
		return 0;
	return maker->data[maker->at++] % count;
}

static void put(struct maker *maker, const char *text)
{
	size_t len = strlen(text);

	if (maker->len + len >= sizeof(maker->name))
		return;
	memcpy(maker->name + maker->len, text, len + 1);
	maker->len += len;
}

static void put_number(struct maker *maker, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	put(maker, text);
}

/* In base 36, as parts are numbered. */
static void put_sequence(struct maker *maker, unsigned int number)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char text[3] = { digits[number / 36 % 36], digits[number % 36], 0 };

	put(maker, number < 36 ? text + 1 : text);
}

static void source_name(struct maker *maker)
{
	static const char *const names[] = {
		"1f", "1a", "3foo", "6kernel", "12_GLOBAL__N_1", "4main", "1T", "13__device_stub"
	};

	put(maker, names[choose(maker, 8)]);
}

static void substitution(struct maker *maker)
{
	static const char *const known[] = { "St", "Sa", "Sb", "Ss", "Si", "So", "Sd" };
	unsigned int which = choose(maker, 12);

	if (which > 4) {
		put(maker, known[which - 5]);
		return;
	}
	put(maker, "S");
	if (which)
		put_sequence(maker, choose(maker, 64));
	put(maker, "_");
}

static void template_parameter(struct maker *maker)
{
	put(maker, "T");
	if (choose(maker, 3))
		put_sequence(maker, choose(maker, 40));
	put(maker, "_");
}

static void operator_name(struct maker *maker)
{
	static const char *const names[] = { "pl", "nw", "da", "cl", "ix", "lt",
					     "ls", "aS", "pt", "ss", "cv", "li" };
	unsigned int which = choose(maker, 12);

	put(maker, names[which]);
	if (which == 10)
		type(maker);
	else if (which == 11)
		source_name(maker);
}

static void unqualified_name(struct maker *maker)
{
	switch (choose(maker, 9)) {
	case 1: operator_name(maker); break;
	case 2: put(maker, "C1"); break;
	case 3: put(maker, "D2"); break;
	case 4: put(maker, "Ut_"); break;
	case 5: /* a closure, with the types of its parameters */
		put(maker, "Ul");
		do
			type(maker);
		while (choose(maker, 3) == 2);
		put(maker, "E_");
		break;
	case 6:
		put(maker, "L");
		source_name(maker);
		break;
	case 7:
		source_name(maker);
		put(maker, "B");
		source_name(maker);
		break;
	default: source_name(maker);
	}
}

static void nested_name(struct maker *maker)
{
	static const char *const qualifiers[] = { "", "K", "V", "R", "O" };

	put(maker, "N");
	put(maker, qualifiers[choose(maker, 5)]);
	switch (choose(maker, 4)) {
	case 1: substitution(maker); break;
	case 2: template_parameter(maker); break;
	case 3:
		put(maker, "DT");
		expression(maker);
		put(maker, "E");
		break;
	default: source_name(maker);
	}
	do {
		if (choose(maker, 3) == 1)
			template_arguments(maker);
		unqualified_name(maker);
	} while (choose(maker, 3));
	put(maker, "E");
}

static void local_name(struct maker *maker)
{
	put(maker, "Z");
	encoding(maker);
	put(maker, "E");
	if (choose(maker, 3) == 1) {
		put(maker, "s");
		return;
	}
	name(maker);
	if (choose(maker, 3) == 1)
		put(maker, "_1");
}

static void name(struct maker *maker)
{
	maker->depth++;
	switch (choose(maker, 7)) {
	case 1: nested_name(maker); break;
	case 2: local_name(maker); break;
	case 3:
		put(maker, "St");
		unqualified_name(maker);
		break;
	case 4:
		unqualified_name(maker);
		template_arguments(maker);
		break;
	case 5:
		substitution(maker);
		template_arguments(maker);
		break;
	default: unqualified_name(maker);
	}
	maker->depth--;
}

static void function_type(struct maker *maker)
{
	put(maker, choose(maker, 3) == 1 ? "DoF" : "F");
	do
		type(maker);
	while (choose(maker, 3));
	put(maker, choose(maker, 4) == 1 ? "RE" : "E");
}

/* Few bytes of input for many of the name: the same word again and again. */
static void repeated(struct maker *maker)
{
	static const char *const words[] = { "P",   "R", "K",  "PK",  "A2_", "M1a", "Dp",    "FvP",
					     "N1a", "I", "S_", "S0_", "T_",  "U1a", "DnS0_", "v" };
	const char *word = words[choose(maker, 16)];
	unsigned int times = 1 + choose(maker, 256) * (1 + choose(maker, 16));

	while (times-- && maker->len < DEMANGLE_INPUT_MAX - 256)
		put(maker, word);
}

static void type(struct maker *maker)
{
	static const char *const builtin[] = { "i",  "f",  "Pv", "PKc",   "d", "m", "b",
					       "Dh", "Di", "Dn", "u3foo", "z", "e", "v" };

	maker->depth++;
	switch (choose(maker, 18)) {
	case 1:
	case 2: substitution(maker); break;
	case 3: template_parameter(maker); break;
	case 4:
		put(maker, "P");
		type(maker);
		break;
	case 5:
		put(maker, choose(maker, 2) ? "O" : "R");
		type(maker);
		break;
	case 6:
		put(maker, choose(maker, 2) ? "K" : "VK");
		type(maker);
		break;
	case 7:
		put(maker, "A");
		if (choose(maker, 2))
			put_number(maker, choose(maker, 256));
		else
			expression(maker);
		put(maker, "_");
		type(maker);
		break;
	case 8:
		put(maker, "M");
		type(maker);
		type(maker);
		break;
	case 9: function_type(maker); break;
	case 10:
		put(maker, choose(maker, 2) ? "DT" : "Dt");
		expression(maker);
		put(maker, "E");
		break;
	case 11:
		put(maker, "Dp");
		type(maker);
		break;
	case 12: name(maker); break;
	case 13:
		substitution(maker);
		template_arguments(maker);
		break;
	case 14:
		repeated(maker);
		type(maker);
		break;
	case 15:
		put(maker, "Dv4_");
		type(maker);
		break;
	case 16:
		template_parameter(maker);
		template_arguments(maker);
		break;
	default: put(maker, builtin[choose(maker, 14)]);
	}
	maker->depth--;
}

static void template_argument(struct maker *maker)
{
	switch (choose(maker, 5)) {
	case 1:
		put(maker, "L");
		type(maker);
		put_number(maker, choose(maker, 256));
		put(maker, "E");
		break;
	case 2:
		put(maker, "X");
		expression(maker);
		put(maker, "E");
		break;
	case 3:
		put(maker, "J");
		while (choose(maker, 3))
			template_argument(maker);
		put(maker, "E");
		break;
	case 4:
		put(maker, "L_Z");
		encoding(maker);
		put(maker, "E");
		break;
	default: type(maker);
	}
}

static void template_arguments(struct maker *maker)
{
	maker->depth++;
	put(maker, "I");
	do
		template_argument(maker);
	while (choose(maker, 3));
	put(maker, "E");
	maker->depth--;
}

static void expression(struct maker *maker)
{
	static const char *const unary[] = { "ng", "ad", "de", "nt", "co", "pp_" },
				 *const binary[] = { "pl", "mi", "ml", "ls", "aa", "cm", "eq" };

	maker->depth++;
	switch (choose(maker, 13)) {
	case 1:
		put(maker, unary[choose(maker, 6)]);
		expression(maker);
		break;
	case 2:
		put(maker, binary[choose(maker, 7)]);
		expression(maker);
		expression(maker);
		break;
	case 3:
		put(maker, "qu");
		expression(maker);
		expression(maker);
		expression(maker);
		break;
	case 4:
		put(maker, "cl");
		do
			expression(maker);
		while (choose(maker, 3));
		put(maker, "E");
		break;
	case 5:
		put(maker, "cv");
		type(maker);
		expression(maker);
		break;
	case 6: template_parameter(maker); break;
	case 7:
		put(maker, choose(maker, 2) ? "st" : "at");
		type(maker);
		break;
	case 8:
		put(maker, "sr");
		type(maker);
		source_name(maker);
		if (choose(maker, 2))
			template_arguments(maker);
		break;
	case 9:
		put(maker, choose(maker, 2) ? "sZ" : "sP");
		template_parameter(maker);
		break;
	case 10: put(maker, "fp_"); break;
	case 11:
		put(maker, "dt");
		expression(maker);
		source_name(maker);
		break;
	case 12:
		put(maker, "sp");
		expression(maker);
		break;
	default:
		put(maker, "Li");
		put_number(maker, choose(maker, 256));
		put(maker, "E");
	}
	maker->depth--;
}

static void encoding(struct maker *maker)
{
	maker->depth++;
	switch (choose(maker, 8)) {
	case 6:
		put(maker, "TV");
		type(maker);
		break;
	case 7:
		put(maker, "GV");
		name(maker);
		break;
	default:
		name(maker);
		do
			type(maker);
		while (choose(maker, 4));
	}
	maker->depth--;
}

/* ---- what is tried ---- */

static void names_must_be_clean(const char *full)
{
	char *known = kernel_names_known(full), *listed = kernel_names_listed(full);

	if (known)
		fuzz_must_be_clean(known);
	if (listed)
		fuzz_must_be_clean(listed);
	free(known);
	free(listed);
}

/* The names that people know kernels by: of @full, and of a kernel whose functor it is. */
static void known_names(const char *full)
{
	size_t size = strlen(full) + 64;
	char *kernel = malloc(size);

	names_must_be_clean(full);
	if (kernel) {
		snprintf(kernel, size, "void at::native::reduce_kernel<4, %s>(int)", full);
		names_must_be_clean(kernel);
	}
	free(kernel);
}

static uint64_t demangle_time(const char *symbol)
{
	uint64_t began = real_ns();
	char *brief, *full;

	demangle_both(symbol, &brief, &full);
	if (!brief != !full)
		abort();
	if (full) {
		fuzz_must_be_clean(full);
		known_names(full);
	}
	if (brief)
		fuzz_must_be_clean(brief);
	free(brief);
	free(full);
	return real_ns() - began;
}

static void must_be(const char *symbol, const char *expected)
{
	char *brief, *full;

	demangle_both(symbol, &brief, &full);
	if (!full || strcmp(full, expected))
		abort();
	free(brief);
	free(full);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct maker maker;
	int tries = 0;

	maker = (struct maker){ .data = data, .size = size };
	put(&maker, "_Z");
	encoding(&maker);
	/* A machine that has much to do may keep us waiting, but hardly each time. */
	while (demangle_time(maker.name) > LIMIT) {
		if (++tries < 8)
			continue;
		fprintf(stderr, "too long: %s\n", maker.name);
		abort();
	}
	/* In the process for such names, and in this one. */
	must_be("_Z3fooPKcS0_", "foo(char const*, char const*)");
	must_be("_Z3fooi", "foo(int)");
	return 0;
}
