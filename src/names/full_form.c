/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/full_form.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

/* ---- brackets and words ---- */

/* True for a character of an identifier. */
static bool outline_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool outline_starts(const struct outline *form, size_t at, const char *with)
{
	return starts(form->text + at, with);
}

/* Operators made of signs; a longer one comes before its own prefix. */
static const char *const operator_signs[] = {
	"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&",
	"||", "++", "--",  "+=",  "-=",  "*=",  "/=", "%=", "^=", "&=", "|=", "->", "<",
	">",  "=",  "!",   "+",   "-",   "*",   "/",  "%",  "^",  "&",  "|",  "~",  ",",
};

/*
 * The length of the sign operator ("operator...", or "->") at @at, 0 if there is none; @is_inside: it is
 * inside of a word.
 */
static size_t outline_operator(const struct outline *form, size_t at, bool is_inside)
{
	const char *text = form->text + at;
	size_t i, len = strlen("operator");

	if (text[0] == '-' && text[1] == '>')
		return 2;
	if (is_inside || !starts(text, "operator"))
		return 0;
	for (i = 0; i < ARRAY_LEN(operator_signs); i++)
		if (starts(text + len, operator_signs[i]))
			return len + strlen(operator_signs[i]);
	return 0;
}

/* The bracket that closes @c, '(', '[' or '{'; 0 for any other character. */
static char closing(char c)
{
	switch (c) {
	case '(': return ')';
	case '[': return ']';
	case '{': return '}';
	default: return 0;
	}
}

/*
 * A closing bracket also closes every '<' inside it, which was then a comparison; a '>' with nothing
 * to close is one, too.
 */
bool outline_make(struct outline *form, const char *text)
{
	uint32_t *open, *bracket;
	size_t i, len, opens = 0, brackets = 0;
	bool word = false;

	form->text = text;
	form->len = strlen(text);
	form->end = calloc(form->len + 1, sizeof(*form->end));
	/* Positions of what is open; and, of those that are no '<', places in that list */
	open = calloc(form->len + 1, sizeof(*open));
	bracket = calloc(form->len + 1, sizeof(*bracket));
	for (i = 0; form->end && open && bracket && i < form->len; i++) {
		len = outline_operator(form, i, word);
		if (len) {
			i += len - 1;
			word = false;
			continue;
		}
		word = outline_is_word(text[i]);
		if (text[i] == '<') {
			open[opens++] = (uint32_t)i;
		} else if (closing(text[i])) {
			bracket[brackets++] = (uint32_t)opens;
			open[opens++] = (uint32_t)i;
		} else if (text[i] == '>' && opens && text[open[opens - 1]] == '<') {
			form->end[open[--opens]] = (uint32_t)(i + 1);
		} else if (brackets && closing(text[open[bracket[brackets - 1]]]) == text[i]) {
			opens = bracket[--brackets];
			form->end[open[opens]] = (uint32_t)(i + 1);
		}
	}
	free(open);
	free(bracket);
	return form->end && i == form->len;
}

size_t outline_step(const struct outline *form, size_t at)
{
	return form->end[at] ? form->end[at] : at + 1;
}

size_t outline_enclosing_end(const struct outline *form, size_t at)
{
	static const char *const words[] = { " const", " volatile", " &&", " &", " noexcept" };
	size_t i = 0;

	if (form->text[at] != '(' || !form->end[at])
		return 0;
	at = form->end[at];
	while (i < ARRAY_LEN(words)) {
		if (outline_starts(form, at, words[i])) {
			at += strlen(words[i]);
			i = 0;
		} else {
			i++;
		}
	}
	return outline_starts(form, at, "::") ? at : 0;
}

void outline_free(struct outline *form)
{
	free(form->end);
	form->end = NULL;
}

/* ---- words ---- */

size_t outline_word(const char *text)
{
	size_t len = 0;

	while (outline_is_word(text[len]))
		len++;
	return len;
}

bool outline_word_is(const char *text, const char *word)
{
	return outline_word(text) == strlen(word) && starts(text, word);
}

bool outline_word_is_one_of(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (outline_word_is(text, list[i]))
			return true;
	return false;
}

bool outline_word_fits(const char *text, const char *pattern)
{
	char word[64];
	size_t len = outline_word(text);

	if (!len || len >= sizeof(word))
		return !strcmp(pattern, "*");
	memcpy(word, text, len);
	word[len] = '\0';
	return !fnmatch(pattern, word, 0);
}

/* ---- parts of a name ---- */

static const char anonymous[] = "(anonymous namespace)";

/* What follows the bracket at @at; one that never closes reaches to the end. */
static size_t skip(const struct outline *form, size_t at)
{
	return form->end[at] ?: form->len;
}

static void add(struct full_name *name, const char *text, size_t len)
{
	memcpy(name->brief + name->len, text, len);
	name->len += len;
}

/* The name begins at @at: what came before was something else. */
static void begin(struct full_name *name, size_t at)
{
	name->start = name->leaf = at;
	name->list.end = 0;
	name->is_operator = false;
	name->len = 0;
}

/*
 * If the '(' at @at begins a declarator as in "void (*name(int))(float)", returns where the name
 * starts, else 0.
 */
static size_t declarator(const struct outline *form, size_t at)
{
	const char *text = form->text;

	at++;
	while (outline_is_word(text[at]) || text[at] == ':')
		at++;
	if (text[at] != '*' && text[at] != '&')
		return 0;
	while (text[at] == '*' || text[at] == '&' || text[at] == ' ')
		at++;
	return outline_is_word(text[at]) || text[at] == '(' || text[at] == '{' ? at : 0;
}

/* Takes the operator at @at up to its list or arguments; returns what follows. */
static size_t take_operator(const struct outline *form, size_t at, struct full_name *name)
{
	const char *text = form->text;
	size_t len = outline_operator(form, at, false);

	name->is_operator = true;
	if (len) {
		add(name, text + at, len);
		at += len;
		/* In "operator< <int>" the space separates the list from the sign. */
		return at + (text[at] == ' ' && text[at + 1] == '<');
	}
	/* A conversion, new, delete or literal operator: words */
	while (at < form->len && text[at] != '(' && text[at] != '[') {
		if (text[at] == '<')
			at = skip(form, at);
		else
			add(name, text + at++, 1);
	}
	if (outline_starts(form, at, "[]")) {
		add(name, text + at, 2);
		at += 2;
	}
	return at;
}

/* Takes the '(' at @at; returns what follows, or @at if the name's own arguments begin there. */
static size_t take_parenthesis(const struct outline *form, size_t at, struct full_name *name)
{
	size_t next;

	if (outline_starts(form, at, anonymous)) {
		add(name, anonymous, strlen(anonymous));
		return at + strlen(anonymous);
	}
	if (!name->len && declarator(form, at)) {
		begin(name, declarator(form, at));
		return name->start;
	}
	next = skip(form, at);
	if (name->len >= 8 && !memcmp(name->brief + name->len - 8, "decltype", 8))
		return next;
	if (outline_enclosing_end(form, at))
		return outline_enclosing_end(form, at);
	return name->len ? at : next;
}

bool full_name_read(const struct outline *form, struct full_name *name)
{
	const char *text = form->text;
	bool word = false;
	size_t at = 0, next;

	*name = (struct full_name){ .brief = malloc(form->len + 1) };
	while (name->brief && at < form->len) {
		if (!word && outline_starts(form, at, "operator") &&
		    !outline_is_word(text[at + 8])) {
			at = take_operator(form, at, name);
			continue;
		}
		word = outline_is_word(text[at]);
		switch (text[at]) {
		case '(':
			next = take_parenthesis(form, at, name);
			if (next == at)
				goto out;
			at = next;
			break;
		case '<':
			name->list = (struct span){ at, skip(form, at) };
			at = skip(form, at);
			break;
		case '[': at = skip(form, at); break;
		case '{':
			add(name, text + at, skip(form, at) - at);
			at = skip(form, at);
			break;
		case ' ':
			if (text[at + 1] == '[')
				goto out;
			/*
			 * What came before was the type that is returned. "decltype (x)" is one word of it.
			 */
			if (text[at + 1] != '(' || outline_starts(form, at + 1, anonymous) ||
			    declarator(form, at + 1))
				begin(name, at + 1);
			at++;
			break;
		case ')': goto out;
		case ':':
			name->leaf = at + 1;
			name->list.end = 0;
			/* fall through */
		default: add(name, text + at++, 1);
		}
	}
out:
	name->end = at;
	return name->brief != NULL;
}

/* ---- a part in short ---- */

/*
 * Copies the part, and takes back from the output what turns out to be a namespace, or an argument
 * that no reader needs.
 */

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
