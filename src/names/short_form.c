/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies the part, and takes back from the output what turns out to be a namespace, or an argument
 * that no reader needs.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names/short_form.h"
#include "util/util.h"

/* Arguments that a name does without, by the first word of what is left without namespaces. */
static const char *const plumbing[] = {
	"*Policy*",       "*[iI]terator*", "*TileState", "Flash_kernel_traits",   "NullType",
	"no_stencil_tag", "always_true_*", "__identity", "identity_decomposer_t",
};

/* Last parts that say too little to stand alone */
static const char *const vague[] = {
	"functor", "kernel", "GemmKernel", "Kernel", "type", "Params"
};

/* An open bracket, or all of the part: where it is in the output */
struct frame {
	size_t close;     /* where it closes in the form */
	size_t begin;     /* its first argument, */
	size_t separator; /* the comma before this argument, */
	size_t argument;  /* this argument, */
	size_t name;      /* a name in it, whose namespaces go, */
	size_t lambda;    /* and a lambda in that; 0: none */
};

struct writer {
	const struct outline *form;
	const struct short_form *style;
	char *out; /* has room */
	size_t len;
	struct frame *top;
	unsigned int lists; /* how many are open */
};

static void put(struct writer *writer, const char *text, size_t len)
{
	memcpy(writer->out + writer->len, text, len);
	writer->len += len;
}

static void frame_push(struct writer *writer, size_t close)
{
	*++writer->top = (struct frame){ .close = close,
					 .begin = writer->len,
					 .separator = writer->len,
					 .argument = writer->len,
					 .name = writer->len };
}

/* The argument is written: removes it if it is plumbing. */
static void argument_end(struct writer *writer)
{
	struct frame *top = writer->top;

	if (!writer->style->is_brief || writer->len == top->argument)
		return;
	writer->out[writer->len] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(plumbing); i++) {
		if (outline_word_fits(writer->out + top->argument, plumbing[i])) {
			writer->len = top->separator;
			return;
		}
	}
}

/* Writes the bracket or comma at @at, or passes over it; returns what follows. */
static size_t put_bracket(struct writer *writer, size_t at)
{
	const struct outline *form = writer->form;
	struct frame *top = writer->top;
	bool is_list = form->text[top->close] == '>' && top->close < form->len;
	char c = form->text[at];

	if (form->end[at] && c == '<' && writer->lists >= writer->style->depth) {
		put(writer, "<...>", 5);
		return form->end[at];
	}
	if (form->end[at]) {
		put(writer, &c, 1);
		frame_push(writer, form->end[at] - 1);
		writer->lists += c == '<';
		return at + 1;
	}
	if (c == ',' && is_list) {
		argument_end(writer);
		top->separator = writer->len;
		if (writer->len > top->begin)
			put(writer, ", ", 2);
		top->argument = top->name = writer->len;
		top->lambda = 0;
		return at + 1 + (form->text[at + 1] == ' ');
	}
	if (at == top->close) {
		if (is_list) {
			while (writer->len > top->argument && writer->out[writer->len - 1] == ' ')
				writer->len--;
			argument_end(writer);
			writer->lists--;
		}
		writer->top--;
		/* If all of a list was plumbing, it goes. */
		if (is_list && writer->style->is_brief && writer->len == top->begin) {
			writer->len--;
			return at + 1;
		}
	}
	put(writer, &c, 1);
	if (strchr(",&* ", c)) {
		writer->top->name = writer->len;
		writer->top->lambda = 0;
	}
	return at + 1;
}

/*
 * At "::": what is before it was a namespace, which goes, or a class or function. That stays where
 * the name after it says too little by itself.
 */
static size_t put_scope(struct writer *writer, size_t at)
{
	const struct outline *form = writer->form;
	struct frame *top = writer->top;
	size_t call = at + 2 + strlen("operator()"), next = at + 2;

	/* A lambda's operator(), or another's, with a lambda in it */
	if (outline_starts(form, next, "operator()") && outline_enclosing_end(form, call) &&
	    form->text[outline_enclosing_end(form, call) + 2] == '{')
		next = outline_enclosing_end(form, call) + 2;
	if (form->text[next] == '{') {
		if (top->lambda && writer->style->is_brief)
			writer->len = top->lambda;
		else
			put(writer, " ", writer->len > top->name);
		top->lambda = writer->len;
	} else if (outline_word_is_one_of(form->text + next, vague, ARRAY_LEN(vague))) {
		put(writer, "::", writer->len > top->name ? 2 : 0);
	} else {
		writer->len = top->name;
		top->lambda = 0;
	}
	return next;
}

/* A number without the suffix of its type: "3" of "3ul" */
static size_t put_number(struct writer *writer, size_t at)
{
	const char *text = writer->form->text;
	size_t digits = at, end;

	while (isdigit((unsigned char)text[digits]))
		digits++;
	end = digits;
	while (text[end] == 'u' || text[end] == 'l')
		end++;
	put(writer, text + at, digits - at);
	return outline_is_word(text[end]) ? digits : end;
}

ptrdiff_t short_form_write(const struct outline *form, const struct span *part,
			   const struct short_form *style, char *out)
{
	struct frame *frames = calloc(part->end - part->start + 2, sizeof(*frames));
	struct writer writer = { form, style, out, 0, frames, 0 };
	size_t at = part->start, len;
	bool word = false;

	if (!frames)
		return -1;
	frames->close = form->len;
	while (at < part->end) {
		len = outline_operator(form, at, word);
		if (style->hole.end && at == style->hole.start) {
			put(&writer, "_", 1);
			at = style->hole.end;
			word = true;
		} else if (len) {
			put(&writer, form->text + at, len);
			at += len;
			word = false;
		} else if (outline_starts(form, at, "::")) {
			at = put_scope(&writer, at);
			word = false;
		} else if (outline_enclosing_end(form, at)) {
			at = outline_enclosing_end(form, at);
		} else if (!word && isdigit((unsigned char)form->text[at])) {
			at = put_number(&writer, at);
			word = true;
		} else if (strchr("<>()[]{}, &*", form->text[at])) {
			at = put_bracket(&writer, at);
			word = false;
		} else {
			word = outline_is_word(form->text[at]);
			put(&writer, form->text + at++, 1);
		}
	}
	free(frames);
	return (ptrdiff_t)writer.len;
}
