/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the full form finds the brackets that belong together, so that every later step
 * passes over a bracket at once. Then the kernel's own name is found, its rule, the functor among
 * its template arguments, and the functor inside the templates that only wrap it. Last, that part
 * of the full form is written in short.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names/demangle.h"
#include "names/full_form.h"
#include "names/kernel_names.h"
#include "util/util.h"

/* A name that is longer loses its template lists, inner ones first. */
#define NAME_LONG 100

enum kind {
	NAME_FUNCTOR, /* the first argument that is a class, from `from` on, is the name */
	NAME_LIST,    /* the last part, with its list */
	NAME_PLAIN    /* the last part */
};

/* clang-format off */
/* The first rule that fits is taken. */
static const struct rule {
	const char *within; /* a namespace around the kernel; NULL: any, or none */
	const char *kernel; /* a pattern (fnmatch) for the last part of its name */
	enum kind kind;
	unsigned int from;
} rules[] = {
	{ "at",      "*multi_tensor_apply_kernel", NAME_FUNCTOR, 1 },
	{ "at",      "*elementwise_*kernel*",      NAME_FUNCTOR, 0 },
	{ "at",      "reduce_kernel",              NAME_FUNCTOR, 0 },
	{ "cub",     "transform_kernel",           NAME_FUNCTOR, 1 },
	{ "cub",     "*static_kernel",             NAME_FUNCTOR, 1 },
	{ "cub",     "*dynamic_kernel",            NAME_FUNCTOR, 1 },
	{ "thrust",  "_kernel_agent",              NAME_FUNCTOR, 0 },
	{ "cutlass", "Kernel",                     NAME_FUNCTOR, 0 },
	{ "cutlass", "Kernel2",                    NAME_FUNCTOR, 0 },
	{ "cutlass", "device_kernel",              NAME_FUNCTOR, 0 },
	{ "cub",     "*Kernel",                    NAME_LIST,    0 },
	{ NULL,      "flash_fwd_*kernel",          NAME_LIST,    0 },
	{ NULL,      "flash_bwd_*kernel",          NAME_LIST,    0 },
	{ "at",      "*",                          NAME_PLAIN,   0 },
	{ "cub",     "*",                          NAME_PLAIN,   0 },
};

/* Templates, of classes and of functions around a lambda, that wrap a functor: which argument. */
static const struct wrapper {
	const char *name;
	unsigned int argument;
} wrappers[] = {
	/* PyTorch */
	{ "AUnaryFunctor", 3 },
	{ "BUnaryFunctor", 3 },
	{ "BinaryFunctor", 3 },
	{ "ReduceOp", 1 },
	{ "func_wrapper_t", 1 },
	{ "gpu_index_kernel", 0 },
	{ "gpu_kernel_impl", 0 },
	{ "gpu_kernel_impl_nocast", 0 },
	{ "gpu_kernel_multiple_outputs_impl", 0 },
	{ "normal_and_transform", 3 },
	{ "uniform_and_transform", 3 },
	/* Thrust, CUB */
	{ "ParallelForAgent", 0 },
	{ "binary_transform_f", 4 },
	{ "for_each_f", 1 },
	{ "op_wrapper_t", 1 },
	{ "unary_transform_f", 3 },
	{ "wrapped_function", 0 },
	/* flash-attention */
	{ "enable_sm80_to_sm89", 0 },
	{ "enable_sm90", 0 },
	{ "enable_sm90_or_later", 0 },
};
/* clang-format on */

/* First words of arguments that are no functors */
static const char *const simple[] = {
	"void", "bool",  "char",    "signed",   "unsigned",      "short",
	"int",  "long",  "float",   "double",   "__half",        "half",
	"true", "false", "nullptr", "__int128", "__nv_bfloat16",
};

/* ---- the kernel's name, and its rule ---- */

static bool is_within(const struct outline *form, const struct full_name *kernel,
		      const char *within)
{
	size_t at = kernel->start;

	while (at < kernel->leaf) {
		if (outline_word_is(form->text + at, within))
			return true;
		while (at < kernel->leaf && !outline_starts(form, at, "::"))
			at = outline_step(form, at);
		at += 2;
	}
	return false;
}

static const struct rule *rule_find(const struct outline *form, const struct full_name *kernel)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (outline_word_fits(form->text + kernel->leaf, rules[i].kernel) &&
		    (!rules[i].within || is_within(form, kernel, rules[i].within)))
			return &rules[i];
	return NULL;
}

/* ---- the functor ---- */

/* The next argument of the list that ends at @end, *@at on; false: there is none. */
static bool argument_next(const struct outline *form, size_t *at, size_t end, struct span *argument)
{
	if (*at + 1 >= end)
		return false;
	argument->start = ++*at;
	while (*at + 1 < end && form->text[*at] != ',')
		*at = outline_step(form, *at);
	argument->end = *at;
	while (argument->start < argument->end && form->text[argument->start] == ' ')
		argument->start++;
	while (argument->end > argument->start && form->text[argument->end - 1] == ' ')
		argument->end--;
	return true;
}

static bool is_class(const struct outline *form, const struct span *argument)
{
	const char *text = form->text + argument->start;

	if (argument->start == argument->end)
		return false;
	if (*text == '(')
		return outline_starts(form, argument->start, "(anonymous namespace)::");
	return (*text == '{' || outline_word(text)) && !isdigit((unsigned char)*text) &&
	       !outline_word_is_one_of(text, simple, ARRAY_LEN(simple));
}

/* Argument number @n of @list, if it is a class; or, with @any_later, the first one from there on. */
static bool class_find(const struct outline *form, const struct span *list, unsigned int n,
		       bool any_later, struct span *found)
{
	size_t at = list->start;

	for (unsigned int i = 0; list->end && argument_next(form, &at, list->end, found); i++) {
		if (i >= n && is_class(form, found))
			return true;
		if (i >= n && !any_later)
			return false;
	}
	return false;
}

/*
 * What a functor is named by: its class, or the function that a lambda is in; and in operator(),
 * the class of that.
 */
static void part_find(const struct outline *form, const struct span *functor, size_t *name,
		      struct span *list)
{
	size_t at = functor->start, start = at;
	struct span own = { 0 };

	*name = start;
	while (at < functor->end && form->text[at] != '{') {
		if (outline_starts(form, at, "::")) {
			at += 2;
			start = at;
			own.end = 0;
		} else if (outline_enclosing_end(form, at)) {
			at = outline_enclosing_end(form, at);
		} else if (start == at && outline_starts(form, at, "operator()")) {
			at += strlen("operator()");
			start = 0;
		} else {
			if (form->text[at] == '<')
				own = (struct span){ at, form->end[at] };
			at = outline_step(form, at);
		}
		if (start && form->text[start] != '{') {
			*name = start;
			*list = own;
		}
	}
}

/* Replaces @functor by the functor that it wraps; false: it wraps none. */
static bool unwrap(const struct outline *form, struct span *functor)
{
	struct span list = { 0 }, inner;
	size_t name;

	part_find(form, functor, &name, &list);
	for (size_t i = 0; list.end && i < ARRAY_LEN(wrappers); i++) {
		if (!outline_word_is(form->text + name, wrappers[i].name))
			continue;
		if (!class_find(form, &list, wrappers[i].argument, false, &inner))
			return false;
		*functor = inner;
		return true;
	}
	return false;
}

/* ---- names ---- */

/* Of the full form, what its rule needs */
struct reading {
	struct outline form;
	enum kind kind;
	struct span functor; /* of NAME_FUNCTOR */
	struct span own;     /* the last part of the name, with its list */
	bool has_list;
	char *out; /* has room for two parts */
};

static void reading_free(struct reading *reading)
{
	outline_free(&reading->form);
	free(reading->out);
}

/* Returns false if no rule applies, or without memory. The caller frees @reading. */
static bool reading_make(struct reading *reading, const char *full)
{
	struct full_name kernel;
	const struct rule *rule = NULL;

	*reading = (struct reading){ 0 };
	if (strlen(full) > DEMANGLE_OUTPUT_MAX || !outline_make(&reading->form, full) ||
	    !full_name_read(&reading->form, &kernel))
		return false;
	free(kernel.brief);
	/* No rule is meant for operators. */
	if (!kernel.is_operator)
		rule = rule_find(&reading->form, &kernel);
	if (!rule)
		return false;
	/* Of the functor, " in ", and the rest */
	reading->out = malloc(2 * SHORT_FORM_ROOM(reading->form.len) + 4);
	if (!reading->out)
		return false;
	reading->kind = rule->kind;
	reading->has_list = kernel.list.end != 0;
	reading->own = (struct span){ kernel.leaf, kernel.list.end ?: kernel.end };
	if (rule->kind != NAME_FUNCTOR)
		return true;
	if (!class_find(&reading->form, &kernel.list, rule->from, true, &reading->functor))
		reading->kind = NAME_PLAIN;
	else
		while (unwrap(&reading->form, &reading->functor))
			;
	return true;
}

/* Without its list, a name may be empty; then there is no name. */
static char *reading_end(struct reading *reading, ptrdiff_t len)
{
	return len > 0 ? strndup(reading->out, (size_t)len) : NULL;
}

char *kernel_names_known(const char *full)
{
	struct reading reading;
	char *name = NULL;

	if (reading_make(&reading, full)) {
		static const unsigned int depths[] = { UINT32_MAX, 2, 1, 0 };
		struct span part = reading.kind == NAME_FUNCTOR ? reading.functor : reading.own;
		ptrdiff_t len = NAME_LONG + 1;

		if (reading.kind == NAME_PLAIN)
			part.end = part.start + outline_word(full + part.start);
		for (size_t i = 0; i < ARRAY_LEN(depths) && len > NAME_LONG; i++)
			len = short_form_write(&reading.form, &part,
					       &(struct short_form){ .depth = depths[i],
								     .is_brief = true },
					       reading.out);
		name = reading_end(&reading, len);
	}
	reading_free(&reading);
	return name;
}

char *kernel_names_listed(const char *full)
{
	struct reading reading;
	char *name = NULL;

	if (reading_make(&reading, full) && reading.has_list) {
		struct short_form whole = { .depth = UINT32_MAX };
		ptrdiff_t len = 0, own, wrapper = (ptrdiff_t)outline_word(full + reading.own.start);
		char *out = reading.out;

		if (reading.kind == NAME_FUNCTOR) {
			len = short_form_write(&reading.form, &reading.functor, &whole, out);
			whole.hole = reading.functor;
			if (len > 0) {
				memcpy(out + len, " in ", 4);
				len += 4;
			}
		}
		own = len < 0 ? -1 :
				short_form_write(&reading.form, &reading.own, &whole, out + len);
		/* " in Kernel2<_>" says nothing that the functor does not. */
		if (whole.hole.end && own == wrapper + (ptrdiff_t)strlen("<_>") &&
		    !memcmp(out + len + wrapper, "<_>", strlen("<_>")))
			len -= 4 + own;
		name = reading_end(&reading, own > 0 ? len + own : -1);
	}
	reading_free(&reading);
	return name;
}
